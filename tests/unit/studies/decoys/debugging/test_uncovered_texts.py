"""Contaminated texts among the first tenth, by hand."""

from __future__ import annotations

import numpy as np
from explanations import explanation
from made_searches import cell, model

from trustnlp.decoys.planted_decoys import Planted
from trustnlp.studies.decoys.debugging.repairs import uncovered_rows

BUGGY = model([cell("lime", [explanation({"movie": 1.0})])], [True])


def planted(carrying: int, others: int = 0) -> Planted:
    """Of a hundred texts some carry the decoy and contain "movie"; some others contain "plot"."""
    texts = ["movie"] * carrying + ["plot"] * others + ["film"] * (100 - carrying - others)
    carries = np.arange(100) < carrying
    return Planted(tuple(texts), np.ones(100, dtype=np.int64), np.arange(100), carries, np.where(carries, 1, -1))


def test_shares_of_what_a_tenth_can_hold() -> None:
    names = {"lime": ("movie",), "random": ("plot",), "none": ()}
    rows = {row["source"]: row for row in uncovered_rows(BUGGY, planted(4, 20), names)}
    assert rows["lime"] == {
        "source": "lime", "decoy": "movie", "model": "presence", "seed": 0, "found": 1.0, "by_lot": 0.1,
    }  # fmt: skip
    assert rows["random"]["found"] == 0.0 and rows["none"]["found"] == rows["none"]["by_lot"] == 0.1
    [many] = uncovered_rows(BUGGY, planted(40), {"lime": ("movie",)})
    assert (many["found"], many["by_lot"]) == (1.0, 0.4)


def test_where_most_texts_are_contaminated_none_is_looked_for() -> None:
    assert len(uncovered_rows(BUGGY, planted(50), {"lime": ("movie",)})) == 1
    assert uncovered_rows(BUGGY, planted(51), {"lime": ("movie",)}) == []
