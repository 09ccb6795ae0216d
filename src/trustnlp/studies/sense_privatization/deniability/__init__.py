"""What the notebook `sense_privatization/deniability` computes and shows."""

from trustnlp.moved import names_of

__getattr__ = names_of(__name__)
