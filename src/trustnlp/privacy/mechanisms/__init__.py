"""Mechanisms that release vectors under a stated guarantee, for one call or for a file."""

from trustnlp.moved import names_of

__getattr__ = names_of(__name__)
