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
from trustnlp.studies.polarizedtext.baselines import all_scores, asked, fitted
from trustnlp.studies.polarizedtext.data import OwnedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import Measured

COVERAGE = 0.95


def keep_promises(
    corpus: OwnedCorpus, seeds: Sequence[int], methods: Sequence[str], parameters: Mapping[str, Any]
) -> Measured:
    """Coverage and cost of each method, for both kinds of units where there are enough of them.

    Parameters
    ----------
    parameters
        `profile`, `epochs`, `splits` (divisions per seed), `confidence` and `presidio_seeds`.
    """
    measured = Measured(list)
    for number, seed in enumerate(tqdm(seeds, desc=f"{corpus.name}: seeds", disable=None)):
        planted = planted_corpus(corpus, seed)
        rng = np.random.default_rng([seed, 6])
        secrets = [marks > 0 for marks in planted.secret_marks]
        plain = [marks == 0 for marks in planted.truth["names"]]
        for name in asked(methods, number, parameters):
            scores = all_scores(fitted(name, planted, parameters), planted)
            others = np.sort(np.concatenate([each[stays] for each, stays in zip(scores, plain, strict=True)]))
            for kind, units in (("documents", range(len(scores))), ("owners", planted.owners)):
                lowest = np.array(list(lowest_of_units(scores, secrets, units).values()))
                for label, confidence in (("mean", None), ("sure", parameters["confidence"])):
                    needed = units_needed(COVERAGE, confidence)
                    many = max(needed, round(0.6 * len(lowest)))  # three fifths calibrate, or as many as it takes
                    if many >= len(lowest):
                        continue  # no unit is left to test on, or the promise cannot be made
                    covered, cost = [], []
                    for _ in range(parameters["splits"]):
                        calibrate, test = np.split(lowest[rng.permutation(len(lowest))], [many])
                        threshold = guaranteed_threshold(calibrate, COVERAGE, confidence)
                        covered.append((test >= threshold).mean())
                        cost.append(1 - np.searchsorted(others, threshold, side="left") / len(others))
                    row = f"{corpus.name}.{kind}.{name}.{label}"
                    measured[f"{row}.coverage"].append(np.array([np.mean(covered)]))
                    measured[f"{row}.cost"].append(np.array([np.mean(cost)]))
    return measured


def allowed(corpus: OwnedCorpus, confidence: float) -> dict[str, float]:
    """Promises that so many documents and owners allow: units needed, and the best coverage that can be promised."""
    numbers = {"needed.mean": float(units_needed(COVERAGE)), "needed.sure": float(units_needed(COVERAGE, confidence))}
    for kind, count in (("documents", len(corpus.documents)), ("owners", len(corpus.known))):
        numbers[f"{corpus.name}.{kind}.best.mean"] = best_coverage(count)
        numbers[f"{corpus.name}.{kind}.best.sure"] = best_coverage(count, confidence)
    return numbers
