"""How private a word is by word vectors: its cosine with a target, as the post on polarised vectors (2016) scores it.

"Given a trunk of text, I will be able to calculate the angle separation between any word in the text to a given term,
say 'Utopia University', which can then be taken as a score." The target is one of two things:

name
    The vector of the owner's name, the mean of the unit vectors of its words (without *of*, *and*, ...).
axis
    The axis of its label: a dimension of the polarised vectors, or a row of the supervised softmax.

Words without a vector have a cosine of 0. A target without one raises an error, rather than a score for everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.privacy.text.anonymisation.name_search import name_words
from trustnlp.privacy.text.anonymisation.scores import KeyScores

Floats = NDArray[np.float64]


class Vectors(Protocol):
    """Word vectors with an axis for each label: `PolarisedVectors`, `LabelVectors`."""

    def stack(self, words: Sequence[str]) -> NDArray[np.float32]:
        """`(n, d)` vectors of words; zeros for a word that has none."""
        ...

    def axis(self, label: str) -> NDArray[np.float32]:
        """`(d,)` the axis of a label."""
        ...


def cosine_scores(vectors: Vectors, targets: Mapping[str, Floats]) -> KeyScores:
    """Cosine of each word with each owner's target.

    Raises
    ------
    ValueError
        If a target is the zero vector, or not finite.
    """
    owners = tuple(targets)
    for owner in owners:
        if not (np.any(targets[owner]) and np.isfinite(targets[owner]).all()):
            raise ValueError(f"the target of {owner!r} has no vector: none of its words, nor their n-grams, were seen")
    goals = unit(np.stack([targets[owner] for owner in owners]))
    return KeyScores(owners, lambda keys: unit(vectors.stack(list(keys))) @ goals.T)


def name_targets(vectors: Vectors, names: Mapping[str, OwnerNames]) -> dict[str, Floats]:
    """Owner → mean of the unit vectors of the words of its name `(d,)`."""
    return {
        owner: unit(vectors.stack(list(name_words(entry, small=False)))).mean(axis=0) for owner, entry in names.items()
    }


def axis_targets(vectors: Vectors, owners: Sequence[str]) -> dict[str, Floats]:
    """Owner → the axis of its label `(d,)`."""
    return {owner: np.asarray(vectors.axis(owner), dtype=np.float64) for owner in owners}


def unit(rows: NDArray[np.floating]) -> Floats:
    """Rows of length 1; rows of zeros stay."""
    lengths = np.linalg.norm(rows.astype(np.float64), axis=-1, keepdims=True)
    return rows / np.where(lengths == 0, 1, lengths)
