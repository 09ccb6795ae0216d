"""Guarantees of private releases, and how ε adds up."""

from trustnlp.moved import names_of

__getattr__ = names_of(__name__)
