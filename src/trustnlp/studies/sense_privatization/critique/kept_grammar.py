"""Does a substitute fit the sentence? The share of substitutes that are of the part of speech of the word they replace.

Mattern et al. (2022) object to word-by-word mechanisms that what comes out is not grammatical.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.studies.sense_privatization.critique.repeated_draws import Rows, repeated
from trustnlp.studies.sense_privatization.deniability.deniability_curves import Draw

Floats = NDArray[np.float64]
UNKNOWN = -1
# A share of fewer substitutes is not stated.
FEWEST = 30


def numbered_classes(words: Sequence[str], classes: Mapping[str, str]) -> Rows:
    """`(V,)` a number for the class of each word, `UNKNOWN` for words without one."""
    numbers = {name: number for number, name in enumerate(sorted(set(classes.values())))}
    return np.array([numbers[classes[word]] if word in classes else UNKNOWN for word in words], dtype=np.int64)


def share_of_class(
    at: Callable[[float], Draw],
    rows: ArrayLike,
    words: ArrayLike,
    classes: Rows,
    epsilons: Sequence[float],
    draws: int,
) -> tuple[Floats, float]:
    """Of the substitutes that are another word with a class, the share that have the class of the word they replace.

    Parameters
    ----------
    at
        From ε to the mechanism.
    rows
        `(n,)` rows of the mechanism's table that are looked up.
    words
        `(n,)` rows of the words; those without a class are left out.
    classes
        `numbered_classes` of the vocabulary.
    draws
        For each word and ε.

    Returns
    -------
    `(E,)` shares, NaN where fewer than `FEWEST` count; and the share among all words with a class, drawn with equal
    probability.

    Raises
    ------
    ValueError
        Not one row for each word, none of the words has a class, or no draw.
    """
    looked_up, originals = (np.asarray(given, dtype=np.int64) for given in (rows, words))
    if looked_up.shape != originals.shape:
        raise ValueError(f"one row is needed for each word, got {looked_up.shape} for {originals.shape}")
    known = classes[originals] != UNKNOWN
    if not known.any():
        raise ValueError(f"none of the {len(originals)} words has a known part of speech")
    looked_up, originals = looked_up[known], originals[known]
    wanted = classes[originals][:, None]
    shares = np.empty(len(epsilons))
    for place, epsilon in enumerate(epsilons):
        found = repeated(at(float(epsilon)), looked_up, draws)
        judged = (found != originals[:, None]) & (classes[found] != UNKNOWN)
        shares[place] = (classes[found] == wanted)[judged].mean() if judged.sum() >= FEWEST else np.nan
    size = np.bincount(classes[classes != UNKNOWN])
    return shares, float((size[wanted] / size.sum()).mean())
