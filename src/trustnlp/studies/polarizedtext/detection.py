"""How well scores find the words that ought to be found: areas, rates, precision and their differences, with bands.

Words of one document are alike: the same name stands there a hundred times. So the band comes from whole documents,
drawn with replacement, and never from single words. Counts are kept per document and distinct score, so that a resample
is a product of weights and counts, and two methods can be resampled together: their difference is paired.

Scores are compared to three decimals: what is closer together is a tie. The area is that under the empirical curve,
with half a point for ties. A rate at a false-positive rate lies on the straight line between the two thresholds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.reproduce import Record
from trustnlp.studies.polarizedtext.baselines import BINARY, Scores
from trustnlp.studies.polarizedtext.data import PlantedCorpus, Truth

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
        If scores and truth do not fit, a score is no number, or one of the two kinds is missing.
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
    averages = []
    for row in drawn:
        hits = np.cumsum(row @ counts.hits)
        wrong = np.cumsum(row @ counts.misses)
        precision = hits / np.maximum(hits + wrong, 1e-12)
        averages.append(float(np.sum(precision * np.diff(hits, prepend=0)) / max(hits[-1], 1e-12)))
    return np.array(averages)


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


FALSE_POSITIVES = 0.035  # the middle of the post's "3~4%"
SEARCH_FALSE_POSITIVES = 0.02  # of search-and-replace in the post's figure
GRID = (0.0, 0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass
class Measured:
    """Key → for each seed its value and its values over resampled documents `(resamples,)`."""

    values: dict[str, list[float]] = field(default_factory=dict)
    resampled: dict[str, list[Floats]] = field(default_factory=dict)

    def add(self, key: str, measure: Callable[[Floats | None], Floats], weights: Floats) -> None:
        """Measure over all documents and over resamples."""
        self.values.setdefault(key, []).append(float(measure(None)[0]))
        self.resampled.setdefault(key, []).append(measure(weights))

    def difference(self, key: str, first: str, second: str, less: float = 0.0) -> None:
        """One measured key less another, seed by seed and resample by resample."""
        if first not in self.values or second not in self.values:
            return
        pairs = zip(self.values[first], self.values[second], strict=False)
        self.values[key] = [one - other - less for one, other in pairs]
        both = zip(self.resampled[first], self.resampled[second], strict=False)
        self.resampled[key] = [one - other - less for one, other in both]

    def line(self, key: str, of: str, *, slope: float = 1.0, offset: float = 0.0) -> None:
        """One measured key as slope · another + offset, seed by seed and resample by resample."""
        self.values[key] = [slope * value + offset for value in self.values[of]]
        self.resampled[key] = [slope * drawn + offset for drawn in self.resampled[of]]

    def interval(self, key: str) -> tuple[float, float]:
        """Of the mean over seeds; seeds and documents are both drawn anew, documents alike for all seeds."""
        drawn = np.stack(self.resampled[key])  # (seeds, resamples)
        seeds, resamples = drawn.shape
        picked = np.random.default_rng([seeds, resamples]).integers(seeds, size=(resamples, seeds))
        means = drawn[picked, np.arange(resamples)[:, None]].mean(axis=1)
        middle = float(np.mean(self.values[key]))
        low, high = np.quantile(means, [0.025, 0.975])
        return min(float(low), middle), max(float(high), middle)

    def record(self, record: Record) -> None:
        """Put everything into a record."""
        for key, values in self.values.items():
            record.metric(key, values, interval=self.interval(key))


def weights_for(planted: PlantedCorpus, resamples: int) -> Floats:
    """The resampled documents of a corpus, the same for all methods, layers and seeds."""
    return document_weights(len(planted.words), resamples, np.random.default_rng(len(planted.words)))


def measure_layer(
    measured: Measured, prefix: str, scores: Mapping[str, Scores], truth: Truth, weights: Floats
) -> dict[str, DetectionCounts]:
    """Areas and rates of methods on one layer, under `PREFIX.METHOD.…`, and the counts behind them."""
    counts = {name: detection_counts(each, truth) for name, each in scores.items()}
    for name, one in counts.items():
        measured.add(f"{prefix}.{name}.auc", partial(areas, one), weights)
        if name in BINARY or name == "presidio":
            measured.add(f"{prefix}.{name}.tpr", partial(_true_rate, one), weights)
            measured.add(f"{prefix}.{name}.fpr", partial(_false_rate, one), weights)
        else:
            measured.add(f"{prefix}.{name}.tpr", partial(found_at, one, FALSE_POSITIVES), weights)
    return counts


def measure_precision(measured: Measured, prefix: str, counts: Mapping[str, DetectionCounts], weights: Floats) -> None:
    """Precision where the post reads its curve, its area over recall, and words removed wrongly on a page.

    Methods that say yes or no have the precision of what they remove. `best.precision` is that of a detector without a
    fault at the same false-positive rate: where few words are sensitive, it is no more than that.
    """
    one = next(iter(counts.values()))
    measured.add(f"{prefix}.best.precision", partial(_best_precision, one), weights)
    few = weights[:50]  # the step curve is summed one resample at a time
    for name, one in counts.items():
        measured.add(f"{prefix}.{name}.average_precision", partial(average_precision, one), few)
        if name in BINARY or name == "presidio":
            measured.add(f"{prefix}.{name}.precision", partial(_own_precision, one), weights)
        else:
            measured.add(f"{prefix}.{name}.precision", partial(precision_at, one, FALSE_POSITIVES), weights)
            measured.values.setdefault(f"{prefix}.{name}.per_page", []).append(wrong_per_page(one, FALSE_POSITIVES))


def gain_over(
    measured: Measured,
    key: str,
    scores: DetectionCounts,
    other: DetectionCounts,
    weights: Floats,
    rate: float | None = None,
) -> None:
    """True positives at some false-positive rate, less those of a method that only says yes or no.

    The rate is that of the other method. Where a higher one is given, the other method is filled up to it by chance: it
    removes words at random until it has as many false positives.
    """

    def gain(drawn: Floats | None) -> Floats:
        false, true = _binary_rate(other, drawn)
        if rate is not None:
            return found_at(scores, rate, drawn) - found_at(other, rate, drawn)
        return found_at(scores, false, drawn) - true

    measured.add(key, gain, weights)


def curve(counts: DetectionCounts) -> list[float]:
    """True-positive rates at the false-positive rates of `GRID`."""
    return [round(float(found_at(counts, at)[0]), 4) for at in GRID]


def precision_curve(counts: DetectionCounts, recalls: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9)) -> list[float]:
    """Precision at the first threshold that reaches each recall."""
    hits, wrong = np.cumsum(counts.hits.sum(axis=0)), np.cumsum(counts.misses.sum(axis=0))
    at = [int(np.searchsorted(hits, recall * hits[-1])) for recall in recalls]
    return [round(float(hits[place] / (hits[place] + wrong[place])), 4) for place in at]


def _binary_rate(counts: DetectionCounts, weights: Floats | None) -> tuple[Floats, Floats]:
    """False- and true-positive rates of whatever has a score above 0."""
    false, true = rates(counts, weights)
    last = int((counts.scores > 0).sum())
    return false[:, last], true[:, last]


def _own_precision(counts: DetectionCounts, weights: Floats | None) -> Floats:
    """Of whatever has a score above 0."""
    drawn = np.ones((1, len(counts))) if weights is None else weights
    false, true = _binary_rate(counts, weights)
    hits, wrong = true * (drawn @ counts.hits.sum(axis=1)), false * (drawn @ counts.misses.sum(axis=1))
    return np.asarray(hits / np.maximum(hits + wrong, 1e-12))


def _best_precision(counts: DetectionCounts, weights: Floats | None) -> Floats:
    """Of all that is sensitive, found at `FALSE_POSITIVES`."""
    drawn = np.ones((1, len(counts))) if weights is None else weights
    hits = drawn @ counts.hits.sum(axis=1)
    return np.asarray(hits / (hits + FALSE_POSITIVES * (drawn @ counts.misses.sum(axis=1))))


def _true_rate(counts: DetectionCounts, weights: Floats | None) -> Floats:
    return _binary_rate(counts, weights)[1]


def _false_rate(counts: DetectionCounts, weights: Floats | None) -> Floats:
    return _binary_rate(counts, weights)[0]
