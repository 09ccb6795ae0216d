"""Noise for private release, where its numbers come from, and the grid that they are rounded to."""

from trustnlp.moved import names_of

__getattr__ = names_of(__name__)
