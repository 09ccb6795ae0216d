"""Tags, lemmas, dependencies and names of texts, in the schemes that the papers' rules use."""

from trustnlp.moved import names_of

__getattr__ = names_of(__name__)
