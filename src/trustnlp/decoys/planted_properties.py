"""How common is a decoy, and how well does it tell the class? §4 of Idahl et al. (2021).

Applicability, productivity (equation 1) and coverage are counts of the texts that contain a decoy, by class. Equation 1
asks for one class: of a decoy with a cue for each class it would say no more than how large the classes are, though
either cue be perfect. So here each cue is measured alone, as the paper's 'text' and 'video' would be.

The same numbers are given for plain occurrence of the decoy's words before and after planting. They differ where the
words are in the data already: 'video' is in negative *and* in positive phrases of SST-2 before anything is planted.

"Natural" is in the paper a demand, without a measure, and has no number here. Whether a model takes a decoy up
("adoptable") depends on the model, and is tested in `trustnlp.decoys.decoy_adoption`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.decoys.planted_decoys import Decoy, Matching, Planted, Truths, check_labelled, check_word, occurs
from trustnlp.files.same_rows import check_one_order


@dataclass(frozen=True, eq=False)
class DecoyProperties:
    """§4 for one cue, or one word, in a data set X.

    Attributes
    ----------
    by_class
        `(C,)` how many of the texts that contain it are of each class.
    texts
        How many texts there are, |X|.
    """

    by_class: NDArray[np.int64]
    texts: int

    def __post_init__(self) -> None:
        self.by_class.setflags(write=False)

    @property
    def applicability(self) -> int:
        """a_d = |X^d|: how many texts contain it."""
        return int(self.by_class.sum())

    @property
    def productivity(self) -> float:
        """p_d, equation 1: the share of the most common class among the texts that contain it; NaN where none does."""
        return float(self.by_class.max() / self.applicability) if self.applicability else float("nan")

    @property
    def coverage(self) -> float:
        """c_d = a_d / |X|."""
        return self.applicability / self.texts


@dataclass(frozen=True, eq=False)
class MeasuredDecoy:
    """The properties of a planted decoy and of its words (§4), adoption excepted.

    Attributes
    ----------
    cues
        Class → properties of the cue that stands for it, in the planted data.
    before, after
        Word of the decoy → properties of its plain occurrence in the original, and in the planted data.
    """

    cues: Mapping[int, DecoyProperties]
    before: Mapping[str, DecoyProperties]
    after: Mapping[str, DecoyProperties]


def decoy_properties(carries: Truths, labels: ArrayLike) -> DecoyProperties:
    """Applicability, productivity and coverage of a decoy that some texts carry.

    >>> properties = decoy_properties(np.array([True, True, True, False]), [1, 1, 0, 0])
    >>> properties.applicability, round(properties.productivity, 3), properties.coverage
    (3, 0.667, 0.75)

    Parameters
    ----------
    carries, labels
        `(n,)` whether each text contains the decoy, and its class.

    Raises
    ------
    ValueError
        If there are no texts, labels that are no classes, not one truth value for each label, or two Series in another
        order.
    """
    check_one_order(carries=carries, labels=labels)
    inside, own = np.asarray(carries), np.asarray(labels)
    if not len(own) or own.ndim != 1 or own.dtype.kind not in "iu" or own.min() < 0:
        raise ValueError(
            f"labels are whole numbers (n,) from 0, at least one, got shape {own.shape} of type {own.dtype}"
        )
    if inside.shape != own.shape or inside.dtype != np.bool_:
        raise ValueError(
            f"{len(own)} labels need as many True or False in carries, got shape {inside.shape} of type {inside.dtype}"
        )
    return DecoyProperties(np.bincount(own[inside], minlength=int(own.max()) + 1), len(own))


def word_properties(texts: Sequence[str], labels: ArrayLike, word: str, matching: Matching = "word") -> DecoyProperties:
    """Productivity and coverage of a word as it occurs: in texts that contain it, alone or in a word (`substring`).

    Raises
    ------
    ValueError
        If given texts without words, labels that do not match, something that is no word, or another way of matching.
    """
    own = check_labelled(texts, labels)
    check_word("word", word)
    return decoy_properties(occurs(texts, word, matching), own)


def measure_decoy(
    decoy: Decoy, texts: Sequence[str], labels: ArrayLike, planted: Planted, *, matching: Matching = "word"
) -> MeasuredDecoy:
    """Measure a decoy in what `decoy.plant(texts, labels, rng)` gave.

    Parameters
    ----------
    matching
        How occurrences of the decoy's words are counted, before and after.

    Warns
    -----
    UserWarning
        A word that planting brings in is in the original data already, with counts. Some of those texts are of a wrong
        class, so the word is less productive than the decoy was made. The paper's own two words are such.

    Raises
    ------
    ValueError
        If given texts without words, or labels that do not match.
    """
    before = {word: word_properties(texts, labels, word, matching) for word in decoy.words}
    for word in decoy.inserted:
        if before[word].applicability:
            counts = ", ".join(f"{count:,} of class {label}" for label, count in enumerate(before[word].by_class))
            warnings.warn(
                f"decoy {decoy.name!r}: {word!r} is in {before[word].applicability:,} of {len(texts):,} texts before "
                f"planting ({counts}); choose a rarer word, or print the word's productivity after planting",
                stacklevel=2,
            )
    return MeasuredDecoy(
        cues={
            int(label): decoy_properties(planted.carried == label, planted.labels)
            for label in np.unique(planted.carried[planted.carries])
        },
        before=before,
        after={word: word_properties(planted.texts, planted.labels, word, matching) for word in decoy.words},
    )
