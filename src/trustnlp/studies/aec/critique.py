"""The worth of a forest's ranking of features, other uses of AEC's labels, and the printed examples counted again.

Misra, Liu and Mahmud (2021), §2 (S3): "Rank the features according to their individual predictive power"; Table 6 has
"a subset of top 100 features from random forest". Four questions on that ranking:

- Does it follow what each feature alone can tell of the tweets that the forest learned from (`power`), or how many
  texts have the feature? On few held-out tweets the power of a rare feature is mostly noise, so that even a ranking
  by power would seem to follow frequency.
- Where do columns rank that know nothing of errors? Shuffled copies of the commonest features; a random number; and a
  random number over the text's length, which is as the paper's features are made (and so knows the length).
- Do forests on errors of separately trained bases agree, more than with forests of those other bases and their tweets
  whose error flags were shuffled?
- Do the highest features mean more errors of one training of the base and fewer of another?

A place is counted among the true features alone, 1 for the highest, so a decoy's place is the one it would take.

§4.1 compares AEC with uncertainty, which has seen no label: `baselines` spends the same labels otherwise. A ranking is
judged by precision at K and by the area under the ROC curve. Leads are in points, AEC's number less the control's.

§4.2: "feature set of Row-1 has higher values for the feature question-starters, text of Row-3 contains Named Entity
type: time". Entities and question marks are counted and not shown; margins are positive where the tweet has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import spearmanr

from trustnlp.data.annotation.spacy_annotation import Annotation
from trustnlp.error_analysis.error_classifiers import Learner, fit_error_classifier, joined
from trustnlp.error_analysis.feature_rankings import DECOY_GROUP, areas_under_curve, feature_directions
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.studies.aec.baselines import count_scores, disagreement_scores, domain_scores, length_scores
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus
from trustnlp.studies.aec.data.experiments import TOP, Experiment
from trustnlp.studies.aec.reproduction import example_rows, held_out_falls, prevalence

Floats = NDArray[np.float64]

_COPIED = 10  # commonest features whose shuffled copies are ranked
_HIGHEST = 100  # places of Table 6
_SIGNED = 20  # highest features whose signs are compared
_SAME_SIGN = 0.9  # the ledger's limit
_DECOYS, _NULL, _PERMUTED = range(50, 53)


@dataclass(frozen=True, eq=False)
class BaseRanking:
    """The ranking of one training of the base.

    Attributes
    ----------
    impurity
        `(f,)` of AEC's forest.
    null
        `(m, f)` of forests on the same tweets whose error flags were shuffled.
    directions
        `(f,)` rank-biserial correlation with this base's errors, over all tweets.
    """

    impurity: Floats
    null: Floats
    directions: Floats


def base_ranking(experiment: Experiment, null_forests: int) -> BaseRanking:
    """Impurities of AEC's forest and of `null_forests` others, and the directions of the features."""
    train, rng = experiment.train, experiment.rng(_NULL)
    assert train.wrong is not None
    null = [
        fit_error_classifier(train.features, rng.permutation(train.wrong), rng=rng).model.feature_importances_
        for _ in range(null_forests)
    ]
    directions = feature_directions(experiment.corpus.features, experiment.wrong)
    return BaseRanking(experiment.fitted("aec").model.feature_importances_, np.stack(null), directions)


def power(experiment: Experiment) -> Floats:
    """How well each feature alone ranks the errors of the training set, `(f,)`: |area under the ROC curve - .5|."""
    assert experiment.train.wrong is not None
    found: Floats = np.abs(areas_under_curve(experiment.train.features.values.T, experiment.train.wrong) - 0.5)
    return found


def power_numbers(experiment: Experiment, shuffles: int) -> dict[str, float]:
    """`ranking.{impurity,permutation}.{power,prevalence}` of one seed, Spearman's correlations, and their difference.

    Parameters
    ----------
    shuffles
        Of each feature among the test set, for permutation importance; 0 leaves it out, for it takes seconds.
    """
    classifier = experiment.fitted("aec")
    rankings: dict[str, Floats] = {"impurity": classifier.model.feature_importances_}
    if shuffles:
        columns = list(range(len(classifier.names)))
        falls = held_out_falls(classifier, experiment.test, columns, shuffles, experiment.rng(_PERMUTED))
        rankings["permutation"] = np.array([falls[column] for column in columns])
    against = {"power": power(experiment), "prevalence": prevalence(experiment.train.features)}
    found = {
        f"ranking.{name}.{what}": _agreement(own, other)
        for name, own in rankings.items()
        for what, other in against.items()
    }
    margin = found["ranking.impurity.power"] - found["ranking.impurity.prevalence"]
    return found | {"ranking.power_over_prevalence": margin}


def decoy_numbers(experiment: Experiment) -> dict[str, float]:
    """`ranking.…place`: the highest of shuffled copies of the ten commonest features, less 100, and two random columns.

    One forest has all of them; each place is counted among the true features.
    """
    train, rng = experiment.train, experiment.rng(_DECOYS)
    assert train.wrong is not None
    own, decoys = train.features, decoy_columns(train.features, experiment.corpus.lengths[experiment.train_rows], rng)
    forest = fit_error_classifier(joined(own, decoys), train.wrong, rng=rng)
    importance = forest.model.feature_importances_
    true, made = importance[: len(own.names)], importance[len(own.names) :]
    *copies, random, over_length = (place_among(true, value) for value in made)
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


def agreement_numbers(rankings: Mapping[int, BaseRanking]) -> dict[str, list[float]]:
    """Per base training: `ranking.agreement`, `.agreement_null`, their difference, and whether signs persist.

    Parameters
    ----------
    rankings
        Seed → ranking of that training; two at least.

    Raises
    ------
    ValueError
        If there are fewer than two trainings.
    """
    if len(rankings) < 2:
        raise ValueError(f"rankings of trainings are compared with each other; got {len(rankings)}, give two or more")
    found: dict[str, list[float]] = {}
    for seed, own in rankings.items():
        others = [each for other, each in rankings.items() if other != seed]
        real = float(np.mean([_agreement(own.impurity, each.impurity) for each in others]))
        null = float(np.mean([_agreement(own.impurity, each) for other in others for each in other.null]))
        highest = np.argsort(-own.impurity, kind="stable")[:_SIGNED]
        signs = [np.sign(each.directions[highest]) == np.sign(own.directions[highest]) for each in others]
        values = {
            "agreement": real,
            "agreement_null": null,
            "agreement_beyond_null": real - null,
            "signs_margin": float(np.mean(signs)) - _SAME_SIGN,
        }
        for name, value in values.items():
            found.setdefault(f"ranking.{name}", []).append(value)
    return found


def changing_signs(rankings: Mapping[int, BaseRanking], names: tuple[str, ...]) -> pd.DataFrame:
    """Features among the twenty highest of every training whose sign is not the same in all.

    Returns
    -------
    DataFrame
        By feature: in how many trainings more of it means `more` errors, and in how many `fewer`.
    """
    highest = [set(np.argsort(-each.impurity, kind="stable")[:_SIGNED].tolist()) for each in rankings.values()]
    rows = {}
    for at in sorted(set.intersection(*highest)):
        signs = np.array([np.sign(each.directions[at]) for each in rankings.values()])
        if len(set(signs.tolist())) > 1:
            rows[names[at]] = {"more": int((signs > 0).sum()), "fewer": int((signs < 0).sum())}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["more", "fewer"]).rename_axis("feature")


def _agreement(one: Floats, other: Floats) -> float:
    """Spearman's rank correlation; 0 where one of the two is constant."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return 0.0
    return float(spearmanr(one, other).statistic)


# By `Experiment.scores`; the other rankings are of `baselines`.
RANKED = ("aec", "least_confidence", "probabilities", "predicted_class")
_LAST = TOP[-1]
_AS_HIGH = 2.0  # points: the ledger's limit for "as high on a stream"


def control_numbers(experiment: Experiment, reviews: FeatureTable, learners: Sequence[Learner]) -> dict[str, float]:
    """`controls.…` of one seed: areas under the ROC curve, precision among the first K, and AEC's leads.

    Parameters
    ----------
    learners
        That take the forest's place, on the same features.
    """
    scores = {name: experiment.scores(name) for name in RANKED}
    scores["disagreement"] = disagreement_scores(experiment)
    scores["domain"] = domain_scores(experiment, reviews)
    scores["length"] = length_scores(experiment)
    area = {name: experiment.area(name, scores=each) for name, each in scores.items()}
    precise = {name: experiment.precision(name, scores=each) for name, each in scores.items()}
    found = {f"controls.{name}.auc": value for name, value in area.items()}
    found |= {f"controls.{name}.p{k}": value for name, own in precise.items() for k, value in own.items()}
    for name in ("disagreement", "probabilities"):
        found[f"controls.{name}.p{_LAST}_lead"] = 100 * (precise["aec"][_LAST] - precise[name][_LAST])
    for name in ("predicted_class", "domain", "length"):
        found[f"controls.{name}.auc_lead"] = 100 * (area["aec"] - area[name])
    counted = experiment.area("aec", scores=count_scores(experiment))
    found["controls.normalised.auc_gain"] = 100 * (area["aec"] - counted)
    for learner in learners:
        own = experiment.scores("aec", learner=learner)
        found[f"controls.{learner}.auc"] = experiment.area("aec", scores=own)
    return found


def stream_numbers(experiment: Experiment) -> dict[str, float]:
    """`stream.…` of one seed: precision where errors are as frequent as the base makes them, and AEC's against print's.

    The stream is the held-out fifth before correct predictions were left out; the classifiers are those of the test
    set. `stream.aec.margin` is in points: its precision at 50, less that of the balanced test set, plus two.
    """
    stream = experiment.stream
    assert stream.wrong is not None
    found = {"stream.errors": 100 * float(stream.wrong.mean())}
    for name in RANKED:
        own = experiment.precision(name, stream)
        found |= {f"stream.{name}.p{k}": value for k, value in own.items()}
    lost = found[f"stream.aec.p{_LAST}"] - experiment.precision("aec")[_LAST]
    return found | {"stream.aec.margin": 100 * lost + _AS_HIGH}


_TIME = "TIME"


def example_checks(corpus: ErrorCorpus, examples: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[float, str]]:
    """Key → value and unit: one half less the times of row 3 and less the question marks of row 1; the times of row 2.

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
    texts = {name: corpus.annotations[row] for name, row in rows.items()}
    return {
        "table5.row3.time_margin": (0.5 - times(texts["row3"]), "number of entities"),
        "table5.row2.times": (times(texts["row2"]), "count of entities"),
        "table5.row1.question_margin": (0.5 - question_marks(texts["row1"]), "number of question marks"),
    }


def times(text: Annotation) -> int:
    """Entities that spaCy takes for a time of the day or a span of less than one."""
    return sum(entity.label == _TIME for entity in text.entities)


def question_marks(text: Annotation) -> int:
    """Signs "?", those inside of addresses left out.

    >>> question_marks(Annotation(("What", "??", "http://a.b/?c"), (0, 5, 8)))
    2
    """
    return sum(token.count("?") for token in text.tokens if "://" not in token)
