"""What figures with several series share: their looks, checked input, and numbers in words."""

import re

import pytest

from trustnlp.plots.series import finite, looks, number
from trustnlp.plots.style import MARKERS


def test_series_look_alike_in_every_figure_and_apart_from_each_other():
    names = [f"series {n}" for n in range(len(MARKERS))]
    look = looks(names)
    assert len({(x.colour, x.marker) for x in look.values()}) == len({x.marker for x in look.values()}) == len(names)
    assert looks(names[:2]) == {name: look[name] for name in names[:2]}
    assert list(looks(["b", "a", "b"])) == ["b", "a"]
    with pytest.raises(ValueError, match="got 8"):
        looks([*names, "one more"])


def test_finite_says_what_is_wrong():
    assert finite([1, 2], "x").tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=re.escape("x: expected a list of some numbers, got shape (1, 2)")):
        finite([[1, 2]], "x")
    with pytest.raises(ValueError, match="x: every value must lie above 0, the smallest is 0"):
        finite([0, 2], "x", above=0)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.46849, "0.468"), (12345, "12,300"), (8e7, "8e+07"), (-2.5, "-2.5"), (2e-5, "2e-05")],
)
def test_numbers_in_words(value, text):
    assert number(value) == text
