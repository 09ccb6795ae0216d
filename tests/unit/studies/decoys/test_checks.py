"""Two printed numbers, counted again: which accuracies so many answers can have."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.studies.decoys.checks import counts_of_word

PART = Phrases(("a dull movie", "moviegoers sleep", "the movie sings", "a song"), np.array([0, 0, 1, 1]))


def test_words_and_parts_of_words_are_counted_apart() -> None:
    table = counts_of_word({"dev": PART, "none": Phrases(("a song",), np.array([1]))}, "movie", 47.5)
    assert table.loc[("dev", "word")].tolist() == [50, 50, 50]
    assert table.loc[("dev", "substring")].to_numpy() == pytest.approx([75, 100 / 3, 100 / 3])
    assert table.loc[("none", "word"), "share"] == 0
    assert table.loc[("none", "word"), ["always_positive", "nearest"]].isna().all()
