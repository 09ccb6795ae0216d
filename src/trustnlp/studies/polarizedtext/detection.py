"""How well scores find the words that ought to be found: areas, rates and their differences, with bands.

Words of one document are alike: the same name stands there a hundred times. So the band comes from whole documents,
drawn with replacement, and never from single words. Counts are kept per document and distinct score, so that a resample
is a product of weights and counts, and two methods can be resampled together: their difference is paired. What is
measured has the shape `(1 + R,)`: over all documents, then over each of R resamples; `(1,)` where nothing is resampled.

Scores are compared to three decimals: what is closer together is a tie. The area is that under the empirical curve,
with half a point for ties. A rate at a false-positive rate lies on the straight line between the two thresholds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trustnlp.privacy.text.anonymisation.scores import WordScores
from trustnlp.reproduce import Record
from trustnlp.studies.polarizedtext.baselines import BINARY, Scores, all_scores
from trustnlp.studies.polarizedtext.data import PlantedCorpus, Truth

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


def detection_counts(scores: Scores, truth: Truth) -> DetectionCounts:
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


def weights_for(planted: PlantedCorpus, resamples: int) -> Floats:
    """The resampled documents of a corpus, the same for all methods, layers and seeds."""
    return document_weights(len(planted.words), resamples, np.random.default_rng(len(planted.words)))


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


FALSE_POSITIVES = 0.035  # the middle of the post's "3~4%"
GRID = (0.0, 0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


# Key → for each seed `(1 + R,)`, or `(1,)`.
Measured = defaultdict[str, list[Floats]]


def measure_layer(
    measured: Measured, prefix: str, scores: Mapping[str, Scores], truth: Truth, weights: Floats
) -> dict[str, DetectionCounts]:
    """Areas and rates of methods on one layer, under `PREFIX.METHOD.…`, and the counts behind them."""
    counts = {name: detection_counts(each, truth) for name, each in scores.items()}
    for name, one in counts.items():
        measured[f"{prefix}.{name}.auc"].append(areas(one, weights))
        if name in BINARY:
            false, true = binary_rates(one, weights)
            measured[f"{prefix}.{name}.fpr"].append(false)
            measured[f"{prefix}.{name}.tpr"].append(true)
        else:
            measured[f"{prefix}.{name}.tpr"].append(found_at(one, FALSE_POSITIVES, weights))
    return counts


def measure_areas(measured: Measured, name: str, planted: PlantedCorpus, method: WordScores, weights: Floats) -> None:
    """Areas of a method on every layer, under `CORPUS.LAYER.NAME.auc`."""
    scores = all_scores(method, planted)
    for layer, truth in planted.truth.items():
        area = areas(detection_counts(scores, truth), weights)
        measured[f"{planted.corpus.name}.{layer}.{name}.auc"].append(area)


def gain_over(scores: DetectionCounts, binary: DetectionCounts, weights: Floats) -> Floats:
    """`(1 + R,)` true positives at the false-positive rate of a method that only says yes or no, less that method's."""
    false, true = binary_rates(binary, weights)
    return found_at(scores, false, weights) - true


def less(measured: Measured, one: str, other: str) -> list[Floats]:
    """One measured key less another, seed by seed and resample by resample."""
    return [first - second for first, second in zip(measured[one], measured[other], strict=False)]


def interval(drawn: Floats) -> tuple[float, float]:
    """Of the mean over seeds of `(seeds, 1 + R)`: seeds and documents are both drawn anew, documents alike for all."""
    seeds, resamples = len(drawn), drawn.shape[1] - 1
    picked = np.random.default_rng([seeds, resamples]).integers(seeds, size=(resamples, seeds))
    means = drawn[picked, 1 + np.arange(resamples)[:, None]].mean(axis=1)
    middle = float(drawn[:, 0].mean())
    low, high = np.quantile(means, [0.025, 0.975])
    return min(float(low), middle), max(float(high), middle)


def record_measured(record: Record, measured: Measured) -> None:
    """Put numbers into the record: with bands over documents where there are some, else over seeds."""
    for key, seeds in measured.items():
        drawn = np.stack(seeds)
        record.metric(key, drawn[:, 0].tolist(), interval=interval(drawn) if drawn.shape[1] > 1 else "t")
