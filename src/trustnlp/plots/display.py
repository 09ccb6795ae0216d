"""Show a figure in a notebook and keep its alternative text with it."""

from __future__ import annotations

import io
from pathlib import PurePath

from matplotlib import pyplot as plt
from matplotlib.figure import Figure

_PICTURE_SUFFIXES = {".png", ".svg", ".jpg", ".jpeg", ".gif", ".pdf"}


def show(figure: Figure, alt: str) -> None:
    """Display `figure` as a PNG and store `alt` in the output's metadata under `trustnlp.alt`.

    Sphinx drops alternative text that stands in an output, and reads it only from the cell's metadata; the
    staging of the book (`trustnlp.reproduce.staging`) copies it there. The figure is closed afterwards, so
    that matplotlib's inline backend does not draw it a second time.

    Parameters
    ----------
    figure
        What to show. Its own size and facecolor are kept.
    alt
        What the figure shows, in one to three sentences, for a reader who cannot see it.

    Raises
    ------
    ValueError
        `alt` is empty, or is the name of a picture file.
    """
    text = " ".join(alt.split())
    if not text or PurePath(text).suffix.lower() in _PICTURE_SUFFIXES:
        raise ValueError(f"the alternative text of a figure must say what it shows, got {alt!r}")
    from IPython.display import display  # only notebooks have it; the plots themselves need none

    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None})
    plt.close(figure)
    display(
        {"image/png": picture.getvalue(), "text/plain": text},
        raw=True,
        metadata={"trustnlp": {"alt": text}},
    )
