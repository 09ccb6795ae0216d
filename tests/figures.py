"""What tests of figures ask of a drawn figure."""

from __future__ import annotations

from matplotlib.figure import Figure


def legend_texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def draw(figure: Figure) -> None:
    """Rendering is where a bad tick or a wrong artist shows; warnings are errors here."""
    figure.draw_without_rendering()
