"""How well scores find the words that ought to be found: ROC and precision, with bands over documents.

Words of one document are alike: the same name stands there a hundred times. So the band comes from whole documents,
drawn with replacement, and never from single words. Counts are kept per document and distinct score, so that a resample
is a product of weights and counts, and two methods can be resampled together: their difference is paired.

Scores are compared to three decimals: what is closer together is a tie, which nobody would tell apart by a threshold.

The area is that under the empirical curve, with half a point for ties. A rate at a false-positive rate lies on the
straight line between the two thresholds around it (a draw between them).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
_CHUNK = 32  # resamples at a time
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

    def __len__(self) -> int:
        return len(self.hits)

    @cached_property
    def words(self) -> int:
        """All words that count."""
        return int(self.hits.sum() + self.misses.sum())


def detection_counts(scores: Sequence[ArrayLike], truth: Sequence[ArrayLike]) -> DetectionCounts:
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
        Scores and truth do not fit, a score is no number, or one of the two kinds is missing.
    """
    if len(scores) != len(truth):
        raise ValueError(f"{len(scores)} documents of scores need as many of truth, got {len(truth)}")
    rows, values, kinds = [], [], []
    for number, (one, true) in enumerate(zip(scores, truth, strict=True)):
        score, kind = np.asarray(one, dtype=np.float64).round(_DECIMALS), np.asarray(true, dtype=np.int8)
        if score.shape != kind.shape or score.ndim != 1:
            raise ValueError(f"document {number}: scores of shape {score.shape} and truth of shape {kind.shape}")
        counted = kind >= 0
        rows.append(np.full(int(counted.sum()), number))
        values.append(score[counted])
        kinds.append(kind[counted])
    row, value, kind = np.concatenate(rows), np.concatenate(values), np.concatenate(kinds)
    if not np.isfinite(value).all():
        raise ValueError("a score is not a finite number")
    if not (kind == 1).any() or not (kind == 0).any():
        raise ValueError("there must be words that ought to be found and words that ought not; one kind is missing")
    distinct, place = np.unique(-value, return_inverse=True)
    counts = np.zeros((2, len(scores), len(distinct)), dtype=np.float32)
    np.add.at(counts, (kind, row, place), 1)
    return DetectionCounts(-distinct, counts[1], counts[0])


def document_weights(documents: int, resamples: int, rng: np.random.Generator) -> Floats:
    """`(resamples, D)` how often each document is drawn, with replacement."""
    drawn = rng.integers(documents, size=(resamples, documents))
    return np.stack([np.bincount(row, minlength=documents) for row in drawn]).astype(np.float64)


def rates(counts: DetectionCounts, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """False-positive and true-positive rates `(R, S + 1)` at every threshold, from none found to all."""
    drawn = np.ones((1, len(counts))) if weights is None else weights
    both = []
    for part in (counts.misses, counts.hits):
        total = np.cumsum(drawn.astype(np.float32) @ part, axis=1, dtype=np.float64)
        last = np.maximum(total[:, -1:], 1e-12)  # a resample without a word of the kind: rates of 0
        both.append(np.concatenate([np.zeros((len(drawn), 1)), total / last], axis=1))
    return both[0], both[1]


def areas(counts: DetectionCounts, weights: Floats | None = None) -> Floats:
    """`(R,)` areas under the ROC curve."""

    def area(fpr: Floats, tpr: Floats) -> Floats:
        return np.asarray((np.diff(fpr) * (tpr[:, 1:] + tpr[:, :-1])).sum(axis=1) / 2)

    return _over_chunks(counts, weights, area)


def found_at(counts: DetectionCounts, false_positives: float | Floats, weights: Floats | None = None) -> Floats:
    """`(R,)` true-positive rates at a false-positive rate, or at one of its own for each resample."""
    wanted = iter(np.broadcast_to(false_positives, 1 if weights is None else len(weights)).tolist())

    def at(fpr: Floats, tpr: Floats) -> Floats:
        # `wanted` comes last: it goes on with the next chunk of resamples.
        rows = zip(fpr, tpr, wanted, strict=False)
        return np.array([np.interp(rate, *_upper(*row)) for *row, rate in rows])

    return _over_chunks(counts, weights, at)


def precision_at(counts: DetectionCounts, false_positives: float, weights: Floats | None = None) -> Floats:
    """`(R,)` which share of the words found at a false-positive rate ought to be found."""
    drawn = np.ones((1, len(counts))) if weights is None else weights
    hits = drawn @ counts.hits.sum(axis=1) * found_at(counts, false_positives, weights)
    wrong = drawn @ counts.misses.sum(axis=1) * false_positives
    return np.asarray(hits / np.maximum(hits + wrong, 1e-12))


def average_precision(counts: DetectionCounts, weights: Floats | None = None) -> Floats:
    """`(R,)` areas under the step curve of precision over recall."""
    drawn = np.ones((1, len(counts))) if weights is None else weights
    found = []
    for row in drawn:
        hits = np.cumsum(row @ counts.hits)
        wrong = np.cumsum(row @ counts.misses)
        precision = hits / np.maximum(hits + wrong, 1e-12)
        found.append(float(np.sum(precision * np.diff(hits, prepend=0)) / max(hits[-1], 1e-12)))
    return np.array(found)


def wrong_per_page(counts: DetectionCounts, false_positives: float, page: int = 500) -> float:
    """Words of a page that a false-positive rate removes wrongly."""
    return float(page * false_positives * counts.misses.sum() / counts.words)


def _upper(fpr: Floats, tpr: Floats) -> tuple[Floats, Floats]:
    """The curve as a function: of equal false-positive rates the last point, which is the highest."""
    last = np.append(np.diff(fpr) > 0, True)
    return fpr[last], tpr[last]


def _over_chunks(
    counts: DetectionCounts, weights: Floats | None, measure: Callable[[Floats, Floats], Floats]
) -> Floats:
    if weights is None:
        return measure(*rates(counts))
    parts = [weights[start : start + _CHUNK] for start in range(0, len(weights), _CHUNK)]
    return np.concatenate([measure(*rates(counts, part)) for part in parts])
