"""The worth of a forest's ranking of features, other uses of AEC's labels, and the printed examples counted again.

Misra, Liu and Mahmud (2021), §2 (S3): "Rank the features according to their individual predictive power"; Table 6 has
"a subset of top 100 features from random forest". Three questions on that ranking:

- Does it follow what each feature alone can tell of the tweets that the forest learned from (`power`), or how many
  texts have the feature? On few held-out tweets the power of a rare feature is mostly noise, so that even a ranking
  by power would seem to follow frequency.
- Where do columns rank that know nothing of errors? Shuffled copies of the commonest features; a random number; and a
  random number over the text's length, which is as the paper's features are made (and so knows the length).
- Do the highest features mean more errors of one training of the base and fewer of another?

A place is counted among the true features alone, 1 for the highest, so a decoy's place is the one it would take.

§4.1 compares AEC with uncertainty, which has seen no label: `baselines` spends the same labels otherwise. A ranking is
judged by precision at K and by the area under the ROC curve. Leads are in points, AEC's number less the control's.

§4.2: "text of Row-3 contains Named Entity type: time". Entities are counted and not shown; the margin is positive where
the tweet has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr

from trustnlp.data.annotation.spacy_annotation import Annotation
from trustnlp.error_analysis.error_classifiers import fit_error_classifier, side_by_side
from trustnlp.error_analysis.feature_rankings import DECOY_GROUP, areas_under_curve, feature_directions
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.studies.aec.baselines import disagreement_scores, domain_scores
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus, Floats
from trustnlp.studies.aec.data.experiments import TOP, Experiment
from trustnlp.studies.aec.reproduction import example_rows, prevalence

_COPIED = 10  # commonest features whose shuffled copies are ranked
_HIGHEST = 100  # places of Table 6
_SIGNED = 20  # highest features whose signs are compared
_SAME_SIGN = 0.9  # the ledger's limit
_DECOYS = 50


def power(experiment: Experiment) -> Floats:
    """How well each feature alone ranks the errors of the training set, `(f,)`: |area under the ROC curve - .5|."""
    assert experiment.train.wrong is not None
    distance: Floats = np.abs(areas_under_curve(experiment.train.features.values.T, experiment.train.wrong) - 0.5)
    return distance


def power_numbers(experiment: Experiment) -> dict[str, float]:
    """`ranking.impurity.{power,prevalence}` of one seed, Spearman's correlations, and their difference."""
    impurity = experiment.fitted("aec").model.feature_importances_
    by_power, by_prevalence = (
        float(spearmanr(impurity, other).statistic)
        for other in (power(experiment), prevalence(experiment.train.features))
    )
    return {
        "ranking.impurity.power": by_power,
        "ranking.impurity.prevalence": by_prevalence,
        "ranking.power_over_prevalence": by_power - by_prevalence,
    }


def decoy_numbers(experiment: Experiment) -> dict[str, float]:
    """`ranking.…place`: the highest of shuffled copies of the ten commonest features, less 100, and two random columns.

    One forest has all of them; each place is counted among the true features.
    """
    train, rng = experiment.train, experiment.rng(_DECOYS)
    assert train.wrong is not None
    own, decoys = train.features, decoy_columns(train.features, experiment.corpus.lengths[experiment.train_rows], rng)
    forest = fit_error_classifier(side_by_side(own, decoys), train.wrong, rng=rng)
    true, planted = np.split(forest.model.feature_importances_, [len(own.names)])
    *copies, random, over_length = (place_among(true, value) for value in planted)
    return {
        "ranking.shuffled_place_margin": float(min(copies) - _HIGHEST),
        "ranking.random_place": random,
        "ranking.random_over_length_place": over_length,
    }


def decoy_columns(table: FeatureTable, lengths: NDArray[np.int64], rng: np.random.Generator) -> FeatureTable:
    """Shuffled copies of the ten commonest features, then a random number, then one over the text's length."""
    commonest = np.argsort(-prevalence(table), kind="stable")[:_COPIED]
    columns = {f"shuffled {table.names[at]}": rng.permutation(table.values[:, at]) for at in commonest}
    columns |= {"random": rng.random(len(lengths)), "random over length": rng.random(len(lengths)) / lengths}
    return FeatureTable(tuple(columns), np.column_stack([*columns.values()]), (DECOY_GROUP,) * len(columns))


def place_among(importance: Floats, value: float) -> int:
    """The place that a column would take among others, 1 for the highest; equal ones are before it.

    >>> place_among(np.array([0.5, 0.3, 0.2]), 0.3)
    3
    """
    return int(np.sum(importance >= value)) + 1


def ranked_signs(experiment: Experiment) -> tuple[NDArray[np.int64], Floats]:
    """The `f` features by AEC's impurity, the highest first; and the sign of each one's correlation with errors.

    Above 0, more of the feature means more errors of this base, over all tweets.
    """
    order = np.argsort(-experiment.fitted("aec").model.feature_importances_, kind="stable")
    return order, np.sign(feature_directions(experiment.corpus.features, experiment.wrong))


def sign_margins(rankings: Mapping[int, tuple[NDArray[np.int64], Floats]]) -> list[float]:
    """Share of a training's twenty highest features that have the same sign in another, less nine tenths.

    Parameters
    ----------
    rankings
        Seed → `ranked_signs` of that training; two at least.
    """
    margins = []
    for seed, (order, signs) in rankings.items():
        highest = order[:_SIGNED]
        same = [theirs[highest] == signs[highest] for other, (_, theirs) in rankings.items() if other != seed]
        margins.append(float(np.mean(same)) - _SAME_SIGN)
    return margins


def changing_signs(rankings: Mapping[int, tuple[NDArray[np.int64], Floats]], names: tuple[str, ...]) -> pd.DataFrame:
    """Features among the twenty highest of every training whose sign is not the same in all.

    Returns
    -------
    DataFrame
        By feature: in how many trainings more of it means `more` errors, and in how many `fewer`.
    """
    common = set.intersection(*(set(order[:_SIGNED].tolist()) for order, _ in rankings.values()))
    signs = pd.DataFrame({seed: own for seed, (_, own) in rankings.items()}, names).iloc[sorted(common)]
    changing = signs[signs.nunique(axis=1) > 1]
    return pd.DataFrame({"more": (changing > 0).sum(axis=1), "fewer": (changing < 0).sum(axis=1)})


# By `Experiment.scores`; the other rankings are of `baselines`.
RANKED = ("aec", "least_confidence", "probabilities", "predicted_class")
_LAST = TOP[-1]
_AS_HIGH = 2.0  # points: the ledger's limit for "as high on a stream"


def control_numbers(experiment: Experiment, reviews: FeatureTable) -> dict[str, float]:
    """`controls.…` of one seed: areas under the ROC curve, precision among the first K, and AEC's leads.

    Parameters
    ----------
    reviews
        The features of the base's training reviews.

    Returns
    -------
    dict
        `controls.RANKING.auc` and `controls.RANKING.pK`. AEC's lead in points: over a sentiment classifier and over a
        forest on probabilities `controls.disagreement.p50_lead` and `controls.probabilities.p50_lead`; over error rates
        by class and over tweet or review `controls.predicted_class.auc_lead` and `controls.domain.auc_lead`.
    """
    scores = {name: experiment.scores(name) for name in RANKED}
    scores["disagreement"] = disagreement_scores(experiment)
    scores["domain"] = domain_scores(experiment, reviews)
    area = {name: experiment.area(each) for name, each in scores.items()}
    precise = {name: experiment.precision(name, scores=each) for name, each in scores.items()}
    numbers = {f"controls.{name}.auc": value for name, value in area.items()}
    numbers |= {f"controls.{name}.p{k}": share for name, own in precise.items() for k, share in own.items()}
    for name in ("disagreement", "probabilities"):
        numbers[f"controls.{name}.p{_LAST}_lead"] = 100 * (precise["aec"][_LAST] - precise[name][_LAST])
    for name in ("predicted_class", "domain"):
        numbers[f"controls.{name}.auc_lead"] = 100 * (area["aec"] - area[name])
    return numbers


def stream_numbers(experiment: Experiment) -> dict[str, float]:
    """`stream.…` of one seed: precision where errors are as frequent as the base makes them, and AEC's against print's.

    The stream is the held-out fifth before correct predictions were left out; the classifiers are those of the test
    set. `stream.aec.margin` is in points: its precision at 50, less that of the balanced test set, plus two.
    """
    stream = experiment.stream
    assert stream.wrong is not None
    precise = {name: experiment.precision(name, stream) for name in RANKED}
    lost = precise["aec"][_LAST] - experiment.precision("aec")[_LAST]
    return {
        "stream.errors": 100 * float(stream.wrong.mean()),
        **{f"stream.{name}.p{k}": share for name, own in precise.items() for k, share in own.items()},
        "stream.aec.margin": 100 * lost + _AS_HIGH,
    }


def example_checks(corpus: ErrorCorpus, examples: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Table 5: one half less the times of row 3, and the times of row 2.

    Parameters
    ----------
    examples
        `table5` of the printed tables.

    Raises
    ------
    ValueError
        If some of the tweets are not in the file.
    """
    rows = example_rows(corpus.tweets, examples)
    return {
        "table5.row3.time_margin": 0.5 - entities_of_time(corpus.annotations[rows["row3"]]),
        "table5.row2.times": entities_of_time(corpus.annotations[rows["row2"]]),
    }


def entities_of_time(text: Annotation) -> int:
    """Entities that spaCy takes for a time of the day or a span of less than one."""
    return sum(entity.label == "TIME" for entity in text.entities)
