"""Areas, rates and differences of methods, for each corpus, layer of truth and seed, with bands over documents and
seeds.

A metric has one value per seed, over all documents. Its interval is that of the mean over seeds when documents are
drawn anew, alike for all seeds: it holds the chance of training, of the secrets and of the documents together.
Differences are paired, the same documents for both methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from trustnlp.reproduce import Record
from trustnlp.studies.polarizedtext.baselines import BINARY, Scores
from trustnlp.studies.polarizedtext.data.corpora import PlantedCorpus, Truth
from trustnlp.studies.polarizedtext.reproduction.detection_curves import (
    DetectionCounts,
    areas,
    average_precision,
    detection_counts,
    document_weights,
    found_at,
    precision_at,
    rates,
    wrong_per_page,
)

FALSE_POSITIVES = 0.035  # the middle of the post's "3~4%"
SEARCH_FALSE_POSITIVES = 0.02  # of search-and-replace in the post's figure
GRID = (0.0, 0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
Floats = NDArray[np.float64]


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
