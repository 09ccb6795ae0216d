"""The two numbers of Idahl et al. (2021), §4, counted again: a share of the data, and an accuracy on some sentences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.planted_decoys import Matching, Planted
from trustnlp.decoys.planted_properties import word_properties

MATCHINGS: tuple[Matching, ...] = ("word", "substring")


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
        One row for each part and way of matching: `share` of all texts in per cent, `always_positive` (the accuracy of
        a model that says nothing else, in per cent), and `nearest`, the possible accuracy nearest to the printed one.
        Where no text has the word, the last two are missing.
    """
    rows = {}
    for name, part in parts.items():
        for matching in MATCHINGS:
            counted = word_properties(part.texts, part.labels, word, matching)
            texts = counted.applicability
            rows[name, matching] = {
                "share": 100 * counted.coverage,
                "always_positive": 100 * counted.by_class[1] / texts if texts else np.nan,
                "nearest": round(printed / 100 * texts) / texts * 100 if texts else np.nan,
            }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(["part", "matching"])
