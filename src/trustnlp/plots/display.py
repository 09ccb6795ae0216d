"""Show a figure in a notebook and keep its alternative text with it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import PurePath

from matplotlib import pyplot as plt
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure

from trustnlp.plots.style import house_style

OVER_DATA = "over-data"
"""How the ids of those texts begin that lie on the colours of a heat map, and keep their own colour in the dark."""

_PICTURE_SUFFIXES = {".png", ".svg", ".jpg", ".jpeg", ".gif", ".pdf"}


def show(figure: Figure, alt: str, source: Mapping[str, str] | None = None) -> None:
    """Display `figure` as an SVG and store `alt` in the output's metadata under `trustnlp.alt`.

    The picture is complete by itself: letters are drawn as paths, on a white ground. The book recolours it
    (`trustnlp.reproduce.pages.inline_figures`). The same figure gives the same text, run after run.

    Sphinx drops alternative text that stands in an output, and reads it only from the cell's metadata; the
    staging of the book (`trustnlp.reproduce.pages.staging`) copies it there. The figure is closed afterwards, so
    that matplotlib's inline backend does not draw it a second time.

    Parameters
    ----------
    figure
        What to show. Its own size is kept; margins fit what is drawn.
    alt
        What the figure shows, in one to three sentences, for a reader who cannot see it.
    source
        Where its numbers come from, for the output's metadata; `Record.show` says it.

    Raises
    ------
    ValueError
        If `alt` is empty, or is the name of a picture file.
    """
    text = " ".join(alt.split())
    if not text or PurePath(text).suffix.lower() in _PICTURE_SUFFIXES:
        raise ValueError(f"the alternative text of a figure must say what it shows, got {alt!r}")
    from IPython.display import display  # only notebooks have it; the plots themselves need none

    _mark_texts_over_data(figure)
    picture = io.StringIO()
    with house_style():  # ticks are made, and ids salted, when the figure is drawn
        figure.savefig(picture, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    display(
        {"image/svg+xml": picture.getvalue(), "text/plain": text},
        raw=True,
        metadata={"trustnlp": {"alt": text, **(source or {})}},
    )


def _mark_texts_over_data(figure: Figure) -> None:
    for axis in figure.axes:
        if axis.images or any(isinstance(drawn, QuadMesh) for drawn in axis.collections):
            for at, text in enumerate(axis.texts):
                text.set_gid(f"{OVER_DATA}-{at}")
