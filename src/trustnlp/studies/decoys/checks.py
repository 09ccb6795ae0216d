"""The two numbers of Idahl et al. (2021), §4, counted again: a share of the data, and an accuracy on some sentences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.planted_decoys import Matching, Planted
from trustnlp.decoys.planted_properties import word_properties

MATCHINGS: tuple[Matching, ...] = ("word", "substring")


def nearest_accuracy(printed: float, texts: int) -> float:
    """The accuracy in per cent, of those that `texts` answers can have, which is nearest to a printed one.

    >>> nearest_accuracy(47.5, 120), round(nearest_accuracy(47.5, 201), 2)
    (47.5, 47.26)

    Raises
    ------
    ValueError
        If there are no texts.
    """
    if texts < 1:
        raise ValueError(f"an accuracy needs at least one text, got {texts}")
    return round(printed / 100 * texts) / texts * 100


def counts_of_word(parts: Mapping[str, Phrases | Planted], word: str, printed: float) -> pd.DataFrame:
    """How often a word occurs in each part, and whether its texts can have a printed accuracy.

    Parameters
    ----------
    parts
        Name → texts and labels, 0 negative and 1 positive.
    printed
        Accuracy in per cent.

    Returns
    -------
    DataFrame
        One row for each part and way of matching: `negative`, `positive`, `share` of all texts in per cent,
        `always_positive` (the accuracy of a model that says nothing else, in per cent), and `nearest`, the possible
        accuracy nearest to the printed one. Where no text has the word, the last two are missing.
    """
    rows = {}
    for name, part in parts.items():
        for matching in MATCHINGS:
            found = word_properties(part.texts, part.labels, word, matching)
            negative, positive = (int(count) for count in found.by_class)
            with_word = negative + positive
            rows[name, matching] = {
                "negative": negative,
                "positive": positive,
                "share": 100 * found.coverage,
                "always_positive": 100 * positive / with_word if with_word else np.nan,
                "nearest": nearest_accuracy(printed, with_word) if with_word else np.nan,
            }
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index = pd.MultiIndex.from_tuples(table.index, names=["part", "matching"])
    return table
