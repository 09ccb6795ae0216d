"""What figures with several series share: their looks, checked input, and numbers in words."""

import pytest

from trustnlp.plots.series import looks, number
from trustnlp.plots.style import MARKERS


def test_series_look_alike_in_every_figure_and_apart_from_each_other():
    names = [f"series {n}" for n in range(len(MARKERS))]
    look = looks(names)
    assert len({(x.colour, x.marker) for x in look.values()}) == len({x.marker for x in look.values()}) == len(names)
    assert looks(names[:2]) == {name: look[name] for name in names[:2]}
    assert list(looks(["b", "a", "b"])) == ["b", "a"]
    with pytest.raises(ValueError, match="got 8"):
        looks([*names, "one more"])


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.46849, "0.468"), (12345, "12,300"), (8e7, "8e+07"), (-2.5, "-2.5"), (2e-5, "2e-05")],
)
def test_numbers_in_words(value, text):
    assert number(value) == text
