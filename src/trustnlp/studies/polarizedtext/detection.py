"""How well scores find the words that ought to be found: what is measured of a layer of truth, and recorded.

Areas, rates and their bands over documents are those of `trustnlp.privacy.text.anonymisation.detection_rates`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from trustnlp.privacy.text.anonymisation.detection_rates import (
    DetectionCounts,
    areas,
    binary_rates,
    detection_counts,
    document_weights,
    found_at,
)
from trustnlp.privacy.text.anonymisation.scores import WordScores
from trustnlp.reproduce import Record
from trustnlp.studies.polarizedtext.baselines import BINARY, Scores, all_scores
from trustnlp.studies.polarizedtext.data import PlantedCorpus, Truth

Floats = NDArray[np.float64]


def weights_for(planted: PlantedCorpus, resamples: int) -> Floats:
    """The resampled documents of a corpus, the same for all methods, layers and seeds."""
    return document_weights(len(planted.words), resamples, np.random.default_rng(len(planted.words)))


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
