"""Tables 5 and 6: the tweets and the features that Misra, Liu and Mahmud (2021) name.

Table 5 prints three tweets with the probability of an error; the public file has them, and a few words find each one.
Tweets are not shown: what is recorded is a label, a prediction and a probability. Table 6 prints "a subset of top 100
features" of the forest. Whether a named feature has such a rank is one question (`top100_margin`); whether it helps to
find errors more than an unnamed one that is as common is another (`useful`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.stats import rankdata

from trustnlp.attribution.model_calls import Floats
from trustnlp.error_analysis.error_classifiers import ErrorClassifier
from trustnlp.error_analysis.feature_rankings import areas_under_curve
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.sampling_strategies import BaseOutput
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES, Tweets
from trustnlp.studies.aec.reproduction.error_experiments import Experiment

# What Table 6 calls a type → the group of its features.
GROUP_OF = {"lexical": "conversation", "nrc": "emotion", "entities": "entity", "dependency": "dependency"}
_HIGHEST = 100
_MOST = 0.9
_SHUFFLES = 30


@dataclass(frozen=True)
class NamedFeature:
    """One feature of Table 6 and what a forest makes of it.

    Attributes
    ----------
    rank
        By impurity, 1 for the highest; None where no text has the feature often enough.
    prevalence
        Share of the training texts that have it.
    """

    name: str
    rank: int | None
    prevalence: float


def example_rows(tweets: Tweets, examples: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Row of each tweet of Table 5: of those with its words, the shortest; in any case of letters.

    Parameters
    ----------
    examples
        `table5` of the printed tables: name of the row → `words`. Made-up tweets have none of them; there the tweets
        at the head of the list stand in, one for each row.

    Raises
    ------
    ValueError
        Some rows are found and others are not.
    """
    lowered = [text.lower() for text in tweets.texts]
    found = {
        name: [row for row, text in enumerate(lowered) if row_of["words"] in text] for name, row_of in examples.items()
    }
    if not any(found.values()):
        return {name: row for row, name in enumerate(examples)}
    if missing := [name for name, rows in found.items() if not rows]:
        raise ValueError(f"no tweet has the words of {', '.join(missing)} of Table 5; is this the whole file?")
    return {name: min(rows, key=lambda row: len(lowered[row])) for name, rows in found.items()}


def labels_margin(tweets: Tweets, rows: Mapping[str, int], examples: Mapping[str, Mapping[str, Any]]) -> float:
    """How many tweets of Table 5 have the printed label in the file, less two and a half."""
    agree = sum(bool(LABEL_NAMES[tweets.labels[row]] == examples[name]["label"]) for name, row in rows.items())
    return agree - (len(rows) - 0.5)


def example_numbers(
    experiment: Experiment, rows: Mapping[str, int], examples: Mapping[str, Mapping[str, Any]]
) -> dict[str, float]:
    """`table5.…` of one seed: AEC's probability of an error on each tweet, and the base's answers against print.

    Raises
    ------
    ValueError
        A tweet of the table is among those that the error classifier learned from; give them as `unseen`.
    """
    numbers = np.array(list(rows.values()))
    if seen := set(numbers.tolist()) & set(experiment.train_rows.tolist()):
        raise ValueError(f"the error classifier has seen {len(seen)} of the tweets; make the experiment with `unseen`")
    output = experiment.output(numbers)
    scores = experiment.scores("aec", output)
    printed = [LABEL_NAMES.index(examples[name]["predicted"]) for name in rows]
    found = {f"table5.{name}.probability": float(score) for name, score in zip(rows, scores, strict=True)}
    return found | {"table5.neutral_margin": float((output.predicted == printed).mean() - 0.5)}


def feature_numbers(
    experiment: Experiment, printed: Mapping[str, Any], *, shuffles: int
) -> tuple[dict[str, float], list[NamedFeature]]:
    """`table6.…` of one seed, and each named feature; the forest is AEC's, and its held-out texts are the test set.

    Parameters
    ----------
    printed
        `table6` of the printed tables: type → names of features.
    shuffles
        Of each feature, whose falls of the area under the curve are averaged.
    """
    classifier, names = experiment.fitted("aec"), experiment.corpus.features.names
    ranks = impurity_ranks(classifier)
    common = prevalence(experiment.train.features)
    found: dict[str, float] = {}
    features = []
    for kind, listed in printed.items():
        places = [names.index(name) if name in names else None for name in listed]
        features += [
            NamedFeature(name, None if at is None else int(ranks[at]), 0.0 if at is None else float(common[at]))
            for name, at in zip(listed, places, strict=True)
        ]
        high = [at is not None and ranks[at] <= _HIGHEST for at in places]
        found[f"table6.{kind}.top{_HIGHEST}_margin"] = float(np.mean(high) - _MOST)
    pairs = matched_pairs(experiment.train.features, printed)
    if pairs:
        columns = sorted({column for pair in pairs for column in pair})
        falls = held_out_falls(classifier, experiment.test, columns, shuffles, experiment.rng(_SHUFFLES))
        found["table6.useful"] = float(100 * np.mean([falls[named] - falls[other] for named, other in pairs]))
    return found, features


def impurity_ranks(classifier: ErrorClassifier) -> NDArray[np.int64]:
    """Rank `(f,)` of each feature by a forest's impurity, 1 for the highest; equal importance counts against both."""
    importance: Floats = classifier.model.feature_importances_
    ranks: NDArray[np.int64] = rankdata(-importance, method="max").astype(np.int64)
    return ranks


def prevalence(table: FeatureTable) -> Floats:
    """Share of the texts `(f,)` that have a feature at all."""
    found: Floats = (table.values > 0).mean(axis=0)
    return found


def matched_pairs(table: FeatureTable, printed: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Columns of named features, each with that of an unnamed one of the same group that is about as common.

    In each group the pairs are chosen so that the differences of prevalence have the least sum. Where a group has fewer
    unnamed features, as many named ones have no partner; without any it is left out.
    """
    common = prevalence(table)
    groups = np.array(table.groups)
    pairs = []
    for kind, listed in printed.items():
        own = np.flatnonzero(groups == GROUP_OF[kind])
        named = np.array([column for column in own if table.names[column] in listed], dtype=np.int64)
        others = np.setdiff1d(own, named)
        if len(named) and len(others):
            first, second = linear_sum_assignment(np.abs(common[named][:, None] - common[others][None]))
            pairs += [(int(named[a]), int(others[b])) for a, b in zip(first, second, strict=True)]
    return pairs


def held_out_falls(
    classifier: ErrorClassifier, held_out: BaseOutput, columns: list[int], shuffles: int, rng: np.random.Generator
) -> dict[int, float]:
    """Column → fall of the area under the ROC curve where it is shuffled among held-out texts, mean over shuffles.

    As `feature_rankings.permutation_ranking`, for one classifier and some of its features.
    """
    values, wrong = held_out.features.values, held_out.wrong
    assert wrong is not None, "falls of the area need to know where the base errs"
    before = classifier.of_values(values)
    area = areas_under_curve(before[None], wrong)[0]
    falls = {}
    for column in columns:
        shuffled = rng.permuted(np.tile(values[:, column], (shuffles, 1)), axis=1)
        repeat, row = np.nonzero(shuffled != values[:, column])
        after = np.tile(before, (shuffles, 1))
        if len(row):
            changed = values[row]
            changed[:, column] = shuffled[repeat, row]
            after[repeat, row] = classifier.of_values(changed)
        falls[column] = float(area - areas_under_curve(after, wrong).mean())
    return falls


def named_table(rows: Mapping[str, list[list[Any]]]) -> pd.DataFrame:
    """Table 6 with our ranks: each named feature's median rank over seeds and its prevalence in per cent.

    Parameters
    ----------
    rows
        Seed → what `feature_numbers` says of each feature, as lists of name, rank and prevalence.
    """
    table = pd.DataFrame(
        [each for features in rows.values() for each in features], columns=["feature", "rank", "prevalence"]
    )
    found = table.groupby("feature", sort=False).agg({"rank": "median", "prevalence": "mean"})
    found["in the top 100"] = table.assign(high=table["rank"] <= _HIGHEST).groupby("feature", sort=False)["high"].mean()
    found["prevalence"] *= 100
    return found.sort_values("rank")
