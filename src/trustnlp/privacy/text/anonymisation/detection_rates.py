"""How well scores find the words that ought to be found: areas and rates, over documents drawn with replacement.

Words of one document are alike: the same name stands there a hundred times. So the band comes from whole documents,
drawn with replacement, and never from single words. Counts are kept per document and distinct score, so that a resample
is a product of weights and counts, and two methods can be resampled together: their difference is paired. What is
measured has the shape `(1 + R,)`: over all documents, then over each of R resamples; `(1,)` where nothing is resampled.

Scores are compared to three decimals: what is closer together is a tie. The area is that under the empirical curve,
with half a point for ties. A rate at a false-positive rate lies on the straight line between the two thresholds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_DECIMALS = 3


@dataclass(frozen=True, eq=False)
class DetectionCounts:
    """Words of `D` documents, by score.

    Attributes
    ----------
    scores
        `(S,)` distinct scores, the highest first.
    hits, misses
        `(D, S)` how many words with this score ought to be found in each document, and how many ought not.
    """

    scores: Floats
    hits: NDArray[np.float32]
    misses: NDArray[np.float32]


def detection_counts(scores: Sequence[Floats], truth: Sequence[NDArray[np.int8]]) -> DetectionCounts:
    """Count the words of documents by score.

    Parameters
    ----------
    scores
        Per document `(T,)`; higher is to be found first.
    truth
        Per document `(T,)`: 1 ought to be found, 0 ought not, -1 does not count.

    Raises
    ------
    ValueError
        If a score is no number, or one of the two kinds is missing.
    """
    document = np.repeat(np.arange(len(scores)), [len(one) for one in scores])
    value, kind = np.concatenate(scores).astype(np.float64).round(_DECIMALS), np.concatenate(truth)
    counted = kind >= 0
    document, value, kind = document[counted], value[counted], kind[counted]
    if not np.isfinite(value).all():
        raise ValueError("a score is not a finite number")
    if not (kind == 1).any() or not (kind == 0).any():
        raise ValueError("there must be words that ought to be found and words that ought not; one kind is missing")
    distinct, place = np.unique(-value, return_inverse=True)
    counts = np.zeros((2, len(scores), len(distinct)), dtype=np.float32)
    np.add.at(counts, (kind, document, place), 1)
    return DetectionCounts(-distinct, counts[1], counts[0])


def document_weights(documents: int, resamples: int, rng: np.random.Generator) -> Floats:
    """`(1 + R, D)` how often each document counts: once, then as often as it is drawn, with replacement."""
    drawn = rng.integers(documents, size=(resamples, documents))
    return np.stack([np.ones(documents), *(np.bincount(row, minlength=documents) for row in drawn)])


def rates(counts: DetectionCounts, weights: Floats) -> tuple[Floats, Floats]:
    """False-positive and true-positive rates `(1 + R, S + 1)` at every threshold, from none found to all."""
    both = []
    for part in (counts.misses, counts.hits):
        total = np.cumsum(weights.astype(np.float32) @ part, axis=1, dtype=np.float64)
        last = np.maximum(total[:, -1:], 1e-12)  # a resample without a word of the kind: rates of 0
        both.append(np.concatenate([np.zeros((len(weights), 1)), total / last], axis=1))
    return both[0], both[1]


def areas(counts: DetectionCounts, weights: Floats) -> Floats:
    """`(1 + R,)` areas under the ROC curve."""
    fpr, tpr = rates(counts, weights)
    return np.asarray((np.diff(fpr) * (tpr[:, 1:] + tpr[:, :-1])).sum(axis=1) / 2)


def found_at(counts: DetectionCounts, false_positives: float | Floats, weights: Floats) -> Floats:
    """`(1 + R,)` true-positive rates at a false-positive rate, or at one of its own for each resample."""
    fpr, tpr = rates(counts, weights)
    wanted = np.broadcast_to(false_positives, len(fpr))
    # Of equal false-positive rates the last point is the highest.
    last = np.append(np.diff(fpr) > 0, np.ones((len(fpr), 1), dtype=bool), axis=1)
    return np.array([np.interp(rate, x[use], y[use]) for rate, x, y, use in zip(wanted, fpr, tpr, last, strict=True)])


def binary_rates(counts: DetectionCounts, weights: Floats) -> tuple[Floats, Floats]:
    """`(1 + R,)` false- and true-positive rates of whatever has a score above 0."""
    false, true = rates(counts, weights)
    last = int((counts.scores > 0).sum())
    return false[:, last], true[:, last]


def gain_over(scores: DetectionCounts, binary: DetectionCounts, weights: Floats) -> Floats:
    """`(1 + R,)` true positives at the false-positive rate of a method that only says yes or no, less that method's."""
    false, true = binary_rates(binary, weights)
    return found_at(scores, false, weights) - true
