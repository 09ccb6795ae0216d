"""Beyond the paper: what features add to probabilities, which finds replicate, and what carries over elsewhere.

Misra, Liu and Mahmud (2021), §3.1, §3.2 and §5, name the same domain, stronger bases and further data sets as what
comes next. Each function gives metrics of one seed by key. Differences of precision and of areas under the ROC curve
are in points; an area is given less one half, which chance has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from trustnlp.error_analysis.error_classifiers import Flags, cross_validate
from trustnlp.error_analysis.error_slices import SliceTests, find_slices
from trustnlp.error_analysis.feature_rankings import areas_under_curve
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.sampling_strategies import least_confidence
from trustnlp.studies.aec.data.error_corpus import ElsewhereTexts, wrong_on
from trustnlp.studies.aec.data.experiments import TOP, Experiment
from trustnlp.studies.aec.data.labelled_sets import split_by_text

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
_HALVES, _SHUFFLED, _EFFECTS, _FOLDS = range(50, 54)


def combined_numbers(experiment: Experiment) -> dict[str, float]:
    """Gain of readable features over the base's probabilities: a forest on both against one on the probabilities."""
    both, alone = "aec_with_probabilities", "probabilities"
    scores = {name: experiment.scores(name) for name in (both, alone)}
    area = {name: experiment.area(name, scores=own) for name, own in scores.items()}
    last = {name: experiment.precision(name, scores=own)[TOP[-1]] for name, own in scores.items()}
    return {
        "combined.auc_gain": 100 * (area[both] - area[alone]),
        f"combined.p{TOP[-1]}_gain": 100 * (last[both] - last[alone]),
        "combined.auc": area[both],
        "combined.probabilities_auc": area[alone],
    }


def replication_numbers(experiment: Experiment) -> dict[str, float]:
    """Slices found on one half of the drawn tweets, at a false-discovery rate of 5 %, and again on the other.

    A half is one in its texts: no text of it repeats one of the other. `slices.replicated_margin` is missing where
    nothing was found. With the errors of a half shuffled, whatever is found is false.
    """
    first, second = halves(experiment)
    found = _slices(experiment, first)
    again = {each.name: each.effect for each in _slices(experiment, second).found}
    same = [again.get(each.name, 0.0) * each.effect > 0 for each in found.found]
    causes = [again.get(each.name, 0.0) * each.effect > 0 for each in found.causes]
    wrong = experiment.rng(_SHUFFLED).permutation(experiment.wrong[first])
    numbers = {
        "slices.tested": float(len(found.slices)),
        "slices.found": float(len(same)),
        "slices.causes": float(len(causes)),
        "slices.found_shuffled": float(len(find_slices(_features(experiment, first), wrong).found)),
    }
    if same:
        numbers["slices.replicated_margin"] = float(np.mean(same)) - 0.5
        numbers["slices.causes_replicated"] = float(np.mean(causes))
    return numbers


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
    own, again = (_effects(_slices(experiment, rows)) for rows in (first, second))
    theirs, here = (_effects(_slices(other, rows)) for rows in (second, first))
    table, rng = _features(other, second), experiment.rng(_EFFECTS)
    null = [
        _agreement(own, _effects(find_slices(table, rng.permutation(other.wrong[second])))) for _ in range(shuffles)
    ]
    return {
        "transfer.effects": _agreement(own, theirs),
        "transfer.effects_beyond_null": _agreement(own, theirs) - float(np.mean(null)),
        "transfer.same_tweets": _agreement(own, here),
        "transfer.ceiling": _agreement(own, again),
    }


def drawn_slices(experiment: Experiment) -> SliceTests:
    """All tests of slices, on all drawn tweets."""
    return _slices(experiment, experiment.drawn)


def effect_rows(experiment: Experiment, other: Experiment) -> dict[str, list[float]]:
    """Feature → its effect on the errors of either base on all drawn tweets, in points, to the tenth.

    Features that cannot be tested are left out, and so are relations: there are hundreds.
    """
    ours = {each.name: each for each in drawn_slices(experiment).slices if each.group != "dependency"}
    theirs = _effects(drawn_slices(other))
    return {
        name: [round(100 * each.effect, 1), round(100 * theirs[name], 1)]
        for name, each in ours.items()
        if name in theirs
    }


def elsewhere_numbers(
    experiment: Experiment, texts: ElsewhereTexts, imdb: Floats, emoji: tuple[Floats, Floats]
) -> dict[str, float]:
    """How well AEC and uncertainty rank the base's errors on other texts than tweets.

    On SST's held-out sentences AEC is trained and tested by cross-validation. On IMDB it is the one that has learned
    from tweets. On the tweets with emoji no label is known; there, what is ranked are the tweets on which the base and
    MiniLM disagree, at least one of which is then wrong.

    Parameters
    ----------
    imdb, emoji
        Probabilities of the base, and for the latter those of MiniLM, too.
    """
    reviewed = np.concatenate([experiment.answers.dev, experiment.answers.test])
    sentences, features = texts.held_out
    wrong = wrong_on(reviewed, sentences.labels)
    validated = cross_validate(features, wrong, rng=experiment.rng(_FOLDS)).probability
    forest = experiment.fitted("aec")
    reviews, of_reviews = texts.imdb
    wrong_there = wrong_on(imdb, reviews.labels)
    differ = emoji[0].argmax(1) != emoji[1].argmax(1)
    return {
        "same_domain.auc_above_half": _above_half(validated, wrong),
        "same_domain.uncertainty_above_half": _above_half(least_confidence(reviewed), wrong),
        "same_domain.errors": 100 * float(wrong.mean()),
        "imdb.auc_above_half": _above_half(forest.probability(of_reviews), wrong_there),
        "imdb.uncertainty_above_half": _above_half(least_confidence(imdb), wrong_there),
        "imdb.errors": 100 * float(wrong_there.mean()),
        "emoji.auc_above_half": _above_half(forest.probability(texts.emoji[1]), differ),
        "emoji.uncertainty_above_half": _above_half(least_confidence(emoji[0]), differ),
        "emoji.disagreement": 100 * float(differ.mean()),
        "tweets.auc_above_half": 100 * (experiment.area("aec") - 0.5),
        "tweets.uncertainty_above_half": 100 * (experiment.area("least_confidence") - 0.5),
    }


def halves(experiment: Experiment) -> tuple[Rows, Rows]:
    """The drawn tweets in two, no text of one in the other; the same for all bases of a seed."""
    rng = np.random.default_rng([*experiment.seeds, _HALVES])
    first, second = split_by_text([experiment.corpus.tweets.texts[row] for row in experiment.drawn], 0.5, rng)
    return experiment.drawn[first], experiment.drawn[second]


def _slices(experiment: Experiment, rows: Rows) -> SliceTests:
    return find_slices(_features(experiment, rows), experiment.wrong[rows])


def _features(experiment: Experiment, rows: Rows) -> FeatureTable:
    table = experiment.corpus.features
    return FeatureTable(table.names, table.values[rows], table.groups)


def _effects(tests: SliceTests) -> dict[str, float]:
    return {each.name: each.effect for each in tests.slices}


def _agreement(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    """Spearman's correlation of the effects of features that both could test."""
    names = [name for name in first if name in second]
    return float(spearmanr([first[name] for name in names], [second[name] for name in names]).statistic)


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
