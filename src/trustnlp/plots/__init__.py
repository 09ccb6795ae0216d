"""Figures that several papers share, the house style, and `show`, which keeps a picture's alternative text with it."""

from trustnlp.plots.display import show
from trustnlp.plots.style import MARKERS, PALETTE, SEQUENTIAL, house_style

__all__ = ["MARKERS", "PALETTE", "SEQUENTIAL", "house_style", "show"]
