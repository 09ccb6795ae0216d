"""Do thresholds with a guarantee keep their promise, and what do they cost?

Units (documents, or owners) are divided at random into those that calibrate and those that test, many times. *Coverage*
is the share of test units of which every secret was removed; *cost* is the share of all words that are no secrets and
no names, and that the same threshold removes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

from trustnlp.privacy.text.anonymisation.removal_guarantee import (
    best_coverage,
    guaranteed_threshold,
    lowest_of_units,
    units_needed,
)
from trustnlp.reproduce import Record
from trustnlp.studies.polarizedtext.baselines import all_scores, asked, epochs_of, fitted
from trustnlp.studies.polarizedtext.data import Corpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import Measured

COVERAGE, GRANTED = 0.95, 0.02
MOST = 0.1  # of the ordinary words, that a useful promise removes
UNITS = ("documents", "owners")


def keep_promises(
    corpus: Corpus, seeds: Sequence[int], methods: Sequence[str], parameters: Mapping[str, Any]
) -> Measured:
    """Coverage and cost of each method, for both kinds of units where there are enough of them.

    Parameters
    ----------
    parameters
        `profile`, `epochs`, `splits` (divisions per seed), `confidence` and `presidio_seeds`.
    """
    measured = Measured()
    epochs, profile = epochs_of(corpus.name, parameters["epochs"]), parameters["profile"]
    for number, seed in enumerate(tqdm(seeds, desc=f"{corpus.name}: seeds", disable=None)):
        planted = planted_corpus(corpus, seed)
        rng = np.random.default_rng([seed, 6])
        secrets = [marks > 0 for marks in planted.secret_marks]
        plain = [marks == 0 for marks in planted.truth["names"]]
        for name in asked(methods, number, parameters):
            scores = all_scores(fitted(name, planted, profile, epochs), planted)
            others = np.sort(np.concatenate([each[stays] for each, stays in zip(scores, plain, strict=True)]))
            for kind in UNITS:
                units = list(range(len(scores))) if kind == "documents" else planted.owners
                lowest = np.array(list(lowest_of_units(scores, secrets, units).values()))
                for label, confidence in (("mean", None), ("sure", parameters["confidence"])):
                    row = f"{corpus.name}.{kind}.{name}.{label}"
                    _splits(measured, row, lowest, others, confidence, parameters["splits"], rng)
    for kind in UNITS:
        for name in methods:
            row = f"{corpus.name}.{kind}.{name}"
            if f"{row}.mean.coverage" in measured.values:
                measured.values[f"{row}.coverage_margin"] = [
                    value - COVERAGE + GRANTED for value in measured.values[f"{row}.mean.coverage"]
                ]
                measured.values[f"{row}.cost_margin"] = [MOST - value for value in measured.values[f"{row}.mean.cost"]]
    return measured


def _splits(
    measured: Measured,
    row: str,
    lowest: np.ndarray,
    others: np.ndarray,
    confidence: float | None,
    splits: int,
    rng: np.random.Generator,
) -> None:
    """Divide, calibrate, test; three fifths calibrate, or as many as a promise takes."""
    needed = units_needed(COVERAGE, confidence)
    many = max(needed, round(0.6 * len(lowest)))
    if many >= len(lowest):
        return  # no unit is left to test on, or the promise cannot be made
    covered, cost = [], []
    for _ in range(splits):
        order = rng.permutation(len(lowest))
        threshold = guaranteed_threshold(lowest[order[:many]], COVERAGE, confidence)
        covered.append(float((lowest[order[many:]] >= threshold).mean()))
        cost.append(1 - np.searchsorted(others, threshold, side="left") / len(others))
    measured.values.setdefault(f"{row}.coverage", []).append(float(np.mean(covered)))
    measured.values.setdefault(f"{row}.short", []).append(float(np.mean(np.array(covered) < COVERAGE)))
    measured.values.setdefault(f"{row}.cost", []).append(float(np.mean(cost)))


def record_promises(record: Record, measured: Measured) -> None:
    """Put the numbers of a set of documents into the record: means over seeds; shares end at the whole."""
    for key, values in measured.values.items():
        record.metric(key, values, interval="t")


def allowed(corpus: Corpus, confidence: float) -> dict[str, float]:
    """Promises that so many documents and owners allow: units needed, and the best coverage that can be promised."""
    numbers = {"needed.mean": float(units_needed(COVERAGE)), "needed.sure": float(units_needed(COVERAGE, confidence))}
    for kind, count in (("documents", len(corpus.documents)), ("owners", len(corpus.known))):
        numbers[f"{corpus.name}.{kind}.best.mean"] = best_coverage(count)
        numbers[f"{corpus.name}.{kind}.best.sure"] = best_coverage(count, confidence)
    return numbers
