"""Shares of substitutes of the same class, on a mechanism whose substitutes are known."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from refusals import assert_refused

from trustnlp.studies.sense_privatization.critique.substitutes import numbered_classes, share_of_class

WORDS = ["sit", "bank", "shore", "and", "xyzzy"]
CLASSES = numbered_classes(WORDS, {"sit": "verb", "bank": "noun", "shore": "noun", "and": "conjunction"})


def shifted(epsilon: float):
    """Returns the word itself in half of the draws, else the one `epsilon` rows on."""

    def draw(rows: torch.Tensor) -> torch.Tensor:
        odd = torch.arange(len(rows)) % 2
        return (rows + odd * int(epsilon)) % len(WORDS)

    return draw


def test_only_other_words_with_a_class_are_counted() -> None:
    assert CLASSES.tolist() == [2, 1, 1, 0, -1]
    rows = np.arange(5)
    shares, chance = share_of_class(shifted, rows, rows, CLASSES, [1.0, 2.0, 5.0], 40)
    # One row on: sit → bank, bank → shore (the same class), shore → and; and → xyzzy has no class.
    # Two rows on: sit → shore, bank → and, and → sit; shore → xyzzy has no class. Five: nothing changes.
    np.testing.assert_allclose(shares, [1 / 3, 0, np.nan])
    few, _ = share_of_class(shifted, rows, rows, CLASSES, [1.0], 4)
    assert np.isnan(few).all(), "a share of six substitutes says nothing"
    assert chance == pytest.approx((1 + 2 + 2 + 1) / 4 / 4)


def test_what_cannot_be_counted_is_refused() -> None:
    rows = np.arange(3)
    assert_refused(
        lambda rows, words, draws: share_of_class(shifted, rows, words, CLASSES, [1.0], draws),
        [(rows, rows[:2], 2, "one row"), (rows[:1], [4], 2, "part of speech"), (rows, rows, 0, "at least one draw")],
    )
