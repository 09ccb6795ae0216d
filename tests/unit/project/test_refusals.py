"""The table of refusals must notice a row that is accepted, refused for another reason, or refused in other words."""

from __future__ import annotations

import pytest
from refusals import assert_refused

ROOT = (-4.0, "below 0")


def root(number: float) -> float:
    if number < 0:
        raise ValueError(f"{number} is below 0")
    if number > 9:
        raise LookupError("not in the table")
    return float(number**0.5)


@pytest.mark.parametrize(
    ("rows", "report"),
    [
        ([], "without rows checks nothing"),
        ([ROOT, (4.0, "below 0")], r"1 of 2 rows .*\nrow 2 \(4\.0\): expected ValueError with 'below 0', got no error"),
        ([(-4.0, "above 9"), ROOT], r"row 1 \(-4\.0\): expected ValueError with 'above 9', got '-4\.0 is below 0'"),
        ([(-4.0, LookupError, "below 0")], r"expected LookupError with 'below 0', got ValueError: -4\.0 is below 0"),
        ([(1, "a"), ROOT, (2, "b")], r"2 of 3 rows .*\nrow 1 .*\nrow 3 "),
    ],
)
def test_each_row_that_is_not_refused_as_it_says_is_reported(rows: list[tuple], report: str) -> None:
    with pytest.raises(pytest.fail.Exception, match=report):
        assert_refused(root, rows)
    assert_refused(root, [ROOT, (10, LookupError, "table"), (-1.0, ValueError, r"^-1\.0 is")])
