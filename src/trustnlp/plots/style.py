"""The house style of every figure: colour-blind safe, opaque, and large enough for a phone.

Figures are drawn in black on a white ground of their own, so that they can be read wherever a notebook is opened. The
book draws the same ones in its own colours, light or dark (`trustnlp.reproduce.pages.inline_figures`), so a figure
takes its colours from `PALETTE`, black, white and grey. Colour is never the only carrier of meaning: series also differ
in marker or in a label, and the alternative text says in words what the picture shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib as mpl
from cycler import cycler

# Okabe & Ito's palette without its yellow, which is too pale for lines on white; black stays free for text.
PALETTE = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "vermilion": "#D55E00",
    "sky": "#56B4E9",
    "purple": "#CC79A7",
    "grey": "#666666",
}
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SEQUENTIAL = "cividis"
LETTERS = 12.6  # points in a figure 7.2 inches wide: 8 pixels on a telephone 400 pixels wide

_RC = mpl.RcParams(
    {
        "figure.figsize": (7.2, 4.0),
        "figure.dpi": 110,
        "savefig.dpi": 160,
        "savefig.bbox": "tight",
        "figure.facecolor": "white",
        "savefig.facecolor": "white",
        "figure.constrained_layout.use": True,
        "font.size": LETTERS,
        "axes.titlesize": LETTERS,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.labelsize": LETTERS,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.prop_cycle": cycler(color=list(PALETTE.values())) + cycler(marker=list(MARKERS)),
        "grid.color": "#DDDDDD",
        "grid.linewidth": 0.7,
        "legend.frameon": False,
        "lines.linewidth": 1.8,
        "lines.markersize": 5.5,
        "image.cmap": SEQUENTIAL,
        "svg.hashsalt": "trustnlp",  # the same figure gives the same file, run after run
    }
)


@contextmanager
def house_style() -> Iterator[None]:
    """Draw with the book's style inside the `with` block; matplotlib's own settings come back after it.

    >>> with house_style():
    ...     mpl.rcParams["axes.spines.top"]
    False
    """
    with mpl.rc_context(_RC):
        yield
