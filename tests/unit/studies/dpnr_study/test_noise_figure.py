"""The figure of accuracy over noise: what it draws, what it says, and what it refuses."""

from __future__ import annotations

import pytest
from matplotlib import pyplot as plt
from refusals import assert_refused

from trustnlp.studies.dpnr_study.noise_figure import noise_curves

PANELS = {
    "News": {"robust": {0.1: [0.25, 0.27], 1.0: [0.6, 0.62]}, "plain": {0.1: [0.3, 0.3], 1.0: [0.5, 0.5]}},
    "Reviews": {"robust": {0.1: [0.5]}},
}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_means_printed_values_and_lines_are_drawn_and_told():
    figure, alt = noise_curves(
        PANELS, printed={"News": {"robust": {1.0: 0.66}}}, reference={"Reviews": {"chance": 0.5}}
    )
    news, reviews = figure.axes
    drawn = [line.get_ydata().tolist() for line in news.get_lines() if len(line.get_ydata()) == 2]
    assert [0.26, 0.61] in [[round(y, 3) for y in line] for line in drawn]
    assert [0.66] in [line.get_ydata().tolist() for line in news.get_lines()]
    assert any(list(line.get_ydata()) == [0.5, 0.5] for line in reviews.get_lines())
    assert "News: robust 0.26 at ε = 0.1 to 0.61 at 1 (paper 0.66 to 0.66)" in alt
    assert "chance 0.5" in alt
    assert {text.get_text() for text in figure.legends[0].get_texts()} == {"robust", "plain", "paper", "chance"}


def test_an_odd_number_of_panels_leaves_one_empty():
    figure, _ = noise_curves({**PANELS, "More": PANELS["News"]}, over="share dropped", log_x=False)
    assert [axis.get_visible() for axis in figure.axes] == [True, True, True, False]


def test_mistakes_are_named():
    assert_refused(
        lambda panels, options: noise_curves(panels, **options),
        [
            ({}, {}, "no panels"),
            ({"News": {}}, {}, "'News' has no series"),
            (PANELS, {"printed": {"Films": {}}}, "no panel is called 'Films'"),
            (PANELS, {"printed": {"Reviews": {"plain": {}}}}, "'Reviews' has no series 'plain'"),
            (PANELS, {"reference": {"Films": {}}}, "no panel is called 'Films'"),
            ({"News": {"robust": {0.0: [0.5]}}}, {}, "ε of robust: every value must lie above 0"),
            ({"News": {"robust": {1.0: [float("nan")]}}}, {}, "robust at ε = 1"),
        ],
    )
