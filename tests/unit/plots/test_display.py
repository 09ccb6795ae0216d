"""A figure is shown as SVG: whole by itself, the same in every run, with its alternative text beside it."""

from typing import Any
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from trustnlp.plots import house_style, show
from trustnlp.plots.display import OVER_DATA

matplotlib.use("Agg")


@pytest.fixture
def displayed(monkeypatch) -> list[tuple[Any, Any]]:
    """What a notebook would have been given: data and metadata of each output."""
    shown: list[tuple[Any, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw, metadata: shown.append((data, metadata)))
    return shown


def curve() -> Figure:
    with house_style():
        figure, axis = plt.subplots()
        axis.plot([1, 2, 3], [0.1, 0.3, 0.2], clip_on=True)
        axis.barh([1], [2], hatch="//")
        axis.set_title("One that bends")
    return figure


def test_a_figure_is_one_svg_with_its_words(displayed):
    figure = curve()
    show(figure, "A line that\n   bends.")
    ((data, metadata),) = displayed
    assert set(data) == {"image/svg+xml", "text/plain"}
    assert ElementTree.fromstring(data["image/svg+xml"]).tag.endswith("}svg")
    assert data["text/plain"] == "A line that bends." and metadata == {"trustnlp": {"alt": "A line that bends."}}
    assert figure.number not in plt.get_fignums()


def test_the_picture_is_the_same_in_every_run_of_paths_on_a_white_ground(displayed):
    for _ in range(2):
        show(curve(), "A line that bends.")
    first, second = (data["image/svg+xml"] for data, _ in displayed)
    assert first == second and "dc:date" not in first and "matplotlib.org" not in first
    assert "<text" not in first and "One that bends" in first  # matplotlib leaves the words in a comment
    ground = ElementTree.fromstring(first).find(".//*[@id='patch_1']/*")
    assert ground is not None and ground.attrib["style"] == "fill: #ffffff"


@pytest.mark.parametrize("kind", ["imshow", "pcolormesh", "plot"])
def test_texts_over_a_heat_map_are_marked(displayed, kind):
    figure, axis = plt.subplots()
    getattr(axis, kind)(np.eye(2))
    axis.text(0, 0, "low", color="white")
    show(figure, "A heat map.")
    assert (f'id="{OVER_DATA}-0"' in displayed[0][0]["image/svg+xml"]) == (kind != "plot")


@pytest.mark.parametrize("alt", ["", "  \n ", "figure.png", "Curve.SVG"])
def test_a_figure_without_words_is_refused(displayed, alt):
    with pytest.raises(ValueError, match="must say what it shows"):
        show(curve(), alt)
    assert not displayed
    plt.close("all")
