"""Beyond the paper: what features add to probabilities, which finds replicate, another base, and other texts.

Misra, Liu and Mahmud (2021), §3.1, §3.2 and §5, name the same domain, stronger bases and further data sets as what
comes next. Each function gives metrics of one seed by key. Differences of precision and of areas under the ROC curve
are in points; an area is given less one half, which chance has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.error_analysis.error_classifiers import Flags, cross_validate
from trustnlp.error_analysis.error_slices import SliceTests, find_slices
from trustnlp.error_analysis.feature_rankings import areas_under_curve
from trustnlp.error_analysis.sampling_strategies import least_confidence
from trustnlp.studies.aec.data.error_corpus import Featured, Floats, rows_of, wrong_on
from trustnlp.studies.aec.data.experiments import TOP, Experiment
from trustnlp.studies.aec.data.labelled_sets import split_by_text
from trustnlp.studies.aec.reproduction import lead_numbers

Rows = NDArray[np.int64]
_HALVES, _SHUFFLED, _FOLDS = 50, 51, 53


def combined_numbers(experiment: Experiment) -> dict[str, float]:
    """Gain of readable features over the base's probabilities: a forest on both against one on the probabilities.

    Returns
    -------
    dict
        `combined.auc_gain` and `combined.p50_gain`, in points.
    """
    both, alone = "aec_with_probabilities", "probabilities"
    area = {name: experiment.area(experiment.scores(name)) for name in (both, alone)}
    last = {name: experiment.precision(name)[TOP[-1]] for name in (both, alone)}
    return {
        "combined.auc_gain": 100 * (area[both] - area[alone]),
        f"combined.p{TOP[-1]}_gain": 100 * (last[both] - last[alone]),
    }


def other_base_numbers(experiment: Experiment) -> dict[str, float]:
    """`minilm.…`: AEC's lead over uncertainty on the errors of another base, and areas under the ROC curve."""
    return {
        **{f"minilm.{key}": value for key, value in lead_numbers(experiment).items()},
        **{f"minilm.{name}.auc": experiment.area(experiment.scores(name)) for name in ("aec", "probabilities")},
    }


def replication_numbers(experiment: Experiment) -> dict[str, float]:
    """Slices found on one half of the drawn tweets, at a false-discovery rate of 5 %, and again on the other.

    A half is one in its texts: no text of it repeats one of the other. `slices.replicated_margin` is missing where
    nothing was found. With the errors of a half shuffled, whatever is found is false.
    """
    first, second = halves(experiment)
    tests = slices(experiment, first)
    again = {each.name: each.effect for each in slices(experiment, second).found}
    same = [again.get(each.name, 0.0) * each.effect > 0 for each in tests.found]
    shuffled = experiment.rng(_SHUFFLED).permutation(experiment.wrong[first])
    numbers = {
        "slices.tested": float(len(tests.slices)),
        "slices.found": float(len(same)),
        "slices.found_shuffled": float(len(find_slices(rows_of(experiment.corpus.features, first), shuffled).found)),
    }
    return numbers | ({"slices.replicated_margin": float(np.mean(same)) - 0.5} if same else {})


def elsewhere_numbers(experiment: Experiment, held_out: Featured, imdb: Featured, said: Floats) -> dict[str, float]:
    """How well AEC and uncertainty rank the base's errors on tweets, and on other texts.

    On SST's held-out sentences AEC is trained and tested by cross-validation. On IMDB it is the one that has learned
    from tweets.

    Parameters
    ----------
    held_out, imdb
        As `elsewhere_for` gives them.
    said
        The base's probabilities on IMDB.
    """
    reviewed = np.concatenate([experiment.answers.dev, experiment.answers.test])
    sentences, features = held_out
    wrong = wrong_on(reviewed, sentences.labels)
    validated = cross_validate(features, wrong, rng=experiment.rng(_FOLDS)).probability
    wrong_there = wrong_on(said, imdb[0].labels)
    assert experiment.test.wrong is not None
    ranked = {
        "same_domain": (wrong, validated, reviewed),
        "imdb": (wrong_there, experiment.fitted("aec").probability(imdb[1]), said),
        "tweets": (experiment.test.wrong, experiment.scores("aec"), experiment.answers.tweets[experiment.test_rows]),
    }
    numbers = {}
    for texts, (errors, scores, probabilities) in ranked.items():
        numbers[f"{texts}.auc_above_half"] = _above_half(scores, errors)
        numbers[f"{texts}.uncertainty_above_half"] = _above_half(least_confidence(probabilities), errors)
    return numbers


def halves(experiment: Experiment) -> tuple[Rows, Rows]:
    """The drawn tweets in two, no text of one in the other; the same for all bases of a seed."""
    rng = np.random.default_rng([*experiment.seeds, _HALVES])
    first, second = split_by_text([experiment.corpus.tweets.texts[row] for row in experiment.drawn], 0.5, rng)
    return experiment.drawn[first], experiment.drawn[second]


def slices(experiment: Experiment, rows: Rows) -> SliceTests:
    """All tests of slices, on some of the tweets."""
    return find_slices(rows_of(experiment.corpus.features, rows), experiment.wrong[rows])


def _above_half(scores: Floats, wrong: Flags) -> float:
    """Area under the ROC curve less one half, in points."""
    return 100 * (float(areas_under_curve(scores[None], wrong)[0]) - 0.5)


def slice_rows(tests: SliceTests, count: int) -> list[dict[str, Any]]:
    """The strongest slices that no stronger one explains, for a record: what texts have, how many, how many errors."""
    return [
        {
            "texts that have": each.name,
            "group": each.group,
            "texts": each.support,
            "errors, %": 100 * each.rate,
            "from": 100 * each.low,
            "to": 100 * each.high,
            "elsewhere, %": 100 * (each.rate - each.effect),
        }
        for each in tests.causes[:count]
    ]
