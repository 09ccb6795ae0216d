"""Claims of a paper, the numbers it prints, and the verdicts on them."""

from trustnlp.moved import names_of

__getattr__ = names_of(__name__)
