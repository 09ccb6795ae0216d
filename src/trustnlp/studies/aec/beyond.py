"""Beyond the paper: what features add to probabilities, which finds replicate, and what carries over elsewhere.

Misra, Liu and Mahmud (2021), §3.1, §3.2 and §5, name the same domain, stronger bases and further data sets as what
comes next. Each function gives metrics of one seed by key. Differences of precision and of areas under the ROC curve
are in points; an area is given less one half, which chance has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
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
_HALVES, _SHUFFLED, _EFFECTS, _FOLDS = range(50, 54)


def combined_numbers(experiment: Experiment) -> dict[str, float]:
    """Gain of readable features over the base's probabilities: a forest on both against one on the probabilities."""
    both, alone = (experiment.scores(name) for name in ("aec_with_probabilities", "probabilities"))
    last = [
        experiment.precision(name, scores=scores)[TOP[-1]]
        for name, scores in (("aec_with_probabilities", both), ("probabilities", alone))
    ]
    return {
        "combined.auc_gain": 100 * (experiment.area(both) - experiment.area(alone)),
        f"combined.p{TOP[-1]}_gain": 100 * (last[0] - last[1]),
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


def shared_effects(experiment: Experiment, other: Experiment, shuffles: int) -> dict[str, float]:
    """Whether features that mean more errors of one base mean more errors of another, by rank correlation.

    An effect is the error rate of the tweets that have a feature less that of the others, as `find_slices` cuts them.
    The bases are compared on two halves of the tweets: on the same tweets they would agree by what is hard, or wrongly
    labelled, in these very tweets. The null has the other base's errors shuffled. Of one base with itself, on the two
    halves, the correlation is as high as the number of tweets lets it be (`transfer.ceiling`).

    Parameters
    ----------
    other
        Of the same draw of tweets.
    shuffles
        Of the other base's errors, over which the null is averaged.
    """
    first, second = halves(experiment)
    own = effects(slices(experiment, first))
    theirs, again = (effects(slices(each, second)) for each in (other, experiment))
    table, rng = rows_of(other.corpus.features, second), experiment.rng(_EFFECTS)
    null = [
        own.corr(effects(find_slices(table, rng.permutation(other.wrong[second]))), method="spearman")
        for _ in range(shuffles)
    ]
    agreement = own.corr(theirs, method="spearman")
    return {
        "transfer.effects": agreement,
        "transfer.effects_beyond_null": agreement - float(np.mean(null)),
        "transfer.ceiling": own.corr(again, method="spearman"),
    }


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
        "tweets": (experiment.test.wrong, experiment.scores("aec"), experiment.test.probabilities),
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


def effects(tests: SliceTests) -> pd.Series:
    """Feature → its effect on the error rate, of those that could be tested."""
    return pd.Series({each.name: each.effect for each in tests.slices})


def effect_rows(experiment: Experiment, other: Experiment) -> dict[str, list[float]]:
    """Feature → its effect on the errors of either base on all drawn tweets, in points, to the tenth.

    Features that cannot be tested are left out, and so are relations: there are hundreds.
    """
    tests = slices(experiment, experiment.drawn)
    named = [each.name for each in tests.slices if each.group != "dependency"]
    both = pd.concat([effects(tests)[named], effects(slices(other, other.drawn))], axis=1, join="inner")
    return {name: [round(100 * each, 1) for each in pair] for name, *pair in both.itertuples()}


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
