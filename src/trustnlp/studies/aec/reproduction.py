"""Tables 1 to 6: texts, how well a base does, how many errors each ranking finds, tweets and features that are named.

Misra, Liu and Mahmud (2021), §3.1, §3.3 and §4.1. Functions give metrics by key. Precisions are shares, accuracies per
cent, differences of either are in points. Three draws decide an experiment and the training of the base is a fourth;
`spreads` redraws one of them at a time.

Table 5 prints three tweets with the probability of an error; the public file has them, and a few words find each one.
Tweets are not shown: what is recorded is a label, a prediction and a probability. Table 6 prints "a subset of top 100
features" of the forest. Whether a named feature has such a rank is one question (`top100_margin`); whether it helps to
find errors more than an unnamed one that is as common is another (`useful`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.stats import rankdata
from sklearn.metrics import f1_score

from trustnlp.attribution.model_calls import Floats
from trustnlp.data.texts.sentence_sets import Sentences, count_labels
from trustnlp.error_analysis.error_classifiers import ErrorClassifier
from trustnlp.error_analysis.feature_rankings import areas_under_curve
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.sampling_strategies import BaseOutput
from trustnlp.studies.aec.checks import draw_p_value, leads
from trustnlp.studies.aec.data.error_corpus import Base, BaseAnswers, ErrorCorpus, wrong_on
from trustnlp.studies.aec.data.experiments import TOP, Experiment, experiment_of
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES, RULES, kept_rows, read_reviews

_DRAW = 20


def text_numbers(
    corpus: ErrorCorpus, drawn: Sequence[int], printed: Mapping[str, Any], profile: str
) -> dict[str, float]:
    """Tables 1 and 2 as far as no seed changes them: label counts, and tests of the printed ones.

    `data.sst.rules_fitting` is how many rules of `RULES` give Table 1. `data.airline.p_value` is for a draw from
    distinct texts, `p_value_rows` from all rows; `stratified_excess` is by how many negative tweets a file would have
    to be larger for the printed ones to be four fifths of them.

    Parameters
    ----------
    drawn
        Tweets of each label, in the place of Table 2's.
    printed
        The ledger's tables (`printed_tables`).
    """
    reviews, labels = corpus.reviews, len(LABEL_NAMES)
    assert reviews.dev is not None and reviews.test is not None, "the corpus has all three parts"
    whole = (read_reviews("none") if profile == "paper" else reviews).train
    held_out = (*reviews.dev.texts, *reviews.test.texts)
    by_rule = [count_labels(whole.labels[kept_rows(whole.texts, held_out, rule)], labels) for rule in RULES]
    distinct, rows = (count_labels(tweets.labels, labels) for tweets in (corpus.tweets, corpus.read))
    return {
        **{f"data.sst.{label}": count for label, count in zip(LABEL_NAMES, reviews.counts(), strict=True)},
        "data.sst.rules_tried": len(by_rule),
        "data.sst.rules_fitting": by_rule.count(tuple(printed["table1"].values())),
        "data.airline.p_value": draw_p_value(drawn, distinct),
        "data.airline.p_value_rows": draw_p_value(drawn, rows),
        "data.airline.stratified_excess": drawn[0] / 0.8 - rows[0],
    }


def drawn_numbers(tweets: Sentences, size: int, seed: int) -> dict[str, float]:
    """`data.airline.drawn.…`: tweets of each label among as many distinct texts, drawn whatever their label."""
    rows = np.random.default_rng([seed, _DRAW]).choice(len(tweets), size=size, replace=False)
    counts = count_labels(tweets.labels[rows], len(LABEL_NAMES))
    return {f"data.airline.drawn.{label}": count for label, count in zip(LABEL_NAMES, counts, strict=True)}


SPREAD_AT = 50
_LEAD_AT = 40


def measured(experiments: Mapping[Base, Experiment], strategies: Sequence[str]) -> dict[str, float]:
    """Tables 3 and 4 of one seed, for each base, and what the weights of the loss change.

    Parameters
    ----------
    experiments
        With the same seeds.
    strategies
        To rank by, among them `least_confidence` and `aec`.
    """
    found: dict[str, float] = {}
    for base, experiment in experiments.items():
        numbers = base_numbers(experiment) | ranking_numbers(experiment, strategies)
        found |= {f"{base}.{key}": value for key, value in numbers.items()}
    if "cnn" in experiments and "plain" in experiments:
        found["weighting.macro_f1_gain"] = found["cnn.macro_f1"] - found["plain.macro_f1"]
        found["weighting.accuracy_cost"] = found["plain.accuracy"] - found["cnn.accuracy"]
    return found


def base_numbers(experiment: Experiment) -> dict[str, float]:
    """Table 3, in per cent: a base on the drawn tweets and on SST's test part, and against the commonest label."""
    corpus, answers, rows = experiment.corpus, experiment.answers, experiment.drawn
    labels = corpus.tweets.labels[rows]
    assert corpus.reviews.test is not None
    accuracy = 100 * (1 - experiment.wrong[rows].mean())
    reviewed = 100 * (1 - wrong_on(answers.test, corpus.reviews.test.labels).mean())
    return {
        "accuracy": float(accuracy),
        "macro_f1": float(100 * f1_score(labels, answers.tweets[rows].argmax(1), average="macro")),
        "sst_accuracy": float(reviewed),
        "above_majority": float(accuracy - 100 * np.bincount(labels).max() / len(labels)),
        "domain_gap": float(reviewed - accuracy),
    }


def ranking_numbers(experiment: Experiment, strategies: Sequence[str]) -> dict[str, float]:
    """Table 4 on the balanced test set: precision among the first K by strategy, area under the curve, AEC's lead."""
    found: dict[str, float] = {}
    precision = {}
    for strategy in strategies:
        scores = experiment.scores(strategy)
        precision[strategy] = experiment.precision(strategy, scores=scores)
        found |= {f"{strategy}.p{k}": value for k, value in precision[strategy].items()}
        found[f"{strategy}.auc"] = experiment.area(strategy, scores=scores)
    lead = {k: 100 * (precision["aec"][k] - precision["least_confidence"][k]) for k in TOP}
    assert experiment.test.wrong is not None
    above = precision["least_confidence"][TOP[-1]] - experiment.test.wrong.mean()
    found |= {f"lead.p{k}": value for k, value in lead.items()}
    found |= {
        "lead.mean": float(np.mean(list(lead.values()))),
        f"uncertainty_lead.p{TOP[0]}": -lead[TOP[0]],
        f"least_confidence.p{TOP[-1]}_above_random": float(100 * above),
    }
    return found


def spreads(
    corpus: ErrorCorpus,
    answers: Callable[[int], BaseAnswers],
    drawn: Sequence[int],
    seed: int,
    *,
    splits: int,
    undersamplings: int,
    bases: int,
    printed: Mapping[str, Any],
) -> dict[str, float]:
    """Standard deviations of Table 4 over redraws of one source of chance, the others held at a seed; in points.

    Parameters
    ----------
    answers
        Seed → what that training of the base says; the first `bases` seeds are asked for.
    drawn
        Tweets of each label.
    splits, undersamplings, bases
        How often each is redrawn; a source that is redrawn fewer than twice is left out.

    Returns
    -------
    dict
        `spread.SOURCE.{aec,uncertainty,lead}.p50`, and `spread.printed_lead_margin.p40`: the lead that is printed for
        K = 40, less twice the standard deviation of ours over splits.
    """
    own = answers(seed)
    sources: dict[str, Iterable[Experiment]] = {
        "split": (experiment_of(corpus, own, drawn, seed, split=each) for each in range(splits)),
        "undersample": (experiment_of(corpus, own, drawn, seed, undersampling=each) for each in range(undersamplings)),
        "base": (experiment_of(corpus, answers(each), drawn, seed) for each in range(bases)),
    }
    found: dict[str, float] = {}
    for source, experiments in sources.items():
        rows = [_compared(each) for each in experiments]
        if len(rows) < 2:
            continue
        deviation = pd.DataFrame(rows).std(ddof=1)
        found |= {f"spread.{source}.{name}.p{k}": float(deviation[name, k]) for name, k in rows[0] if k == SPREAD_AT}
        if source == "split":
            lead = 100 * leads(printed).loc[_LEAD_AT, "tweets"] / _LEAD_AT
            found[f"spread.printed_lead_margin.p{_LEAD_AT}"] = float(lead - 2 * deviation["lead", _LEAD_AT])
    return found


def _compared(experiment: Experiment) -> dict[tuple[str, int], float]:
    """AEC, uncertainty and the lead at K = 40 and 50, in points."""
    aec, other = (experiment.precision(name) for name in ("aec", "least_confidence"))
    found: dict[tuple[str, int], float] = {}
    for k in (_LEAD_AT, SPREAD_AT):
        found |= {("aec", k): 100 * aec[k], ("uncertainty", k): 100 * other[k], ("lead", k): 100 * (aec[k] - other[k])}
    return found


# What Table 6 calls a type → the group of its features.
GROUP_OF = {"lexical": "conversation", "nrc": "emotion", "entities": "entity", "dependency": "dependency"}
_HIGHEST = 100
_MOST = 0.9
_SHUFFLES = 30


def example_rows(tweets: Sentences, examples: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Row of each tweet of Table 5: of those with its words, the shortest; in any case of letters.

    Parameters
    ----------
    examples
        `table5` of the printed tables: name of the row → `words`. Made-up tweets have none of them; there the tweets
        at the head of the list stand in, one for each row.

    Raises
    ------
    ValueError
        If some rows are found and others are not.
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


def labels_margin(tweets: Sentences, rows: Mapping[str, int], examples: Mapping[str, Mapping[str, Any]]) -> float:
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
        If a tweet of the table is among those that the error classifier learned from; give them as `unseen`.
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
) -> tuple[dict[str, float], list[list[Any]]]:
    """`table6.…` of one seed, and of each named feature its name, rank and prevalence.

    The forest is AEC's, and its held-out texts are the test set. A rank is None where no text has the feature often
    enough; a prevalence is the share of the training texts that have it.

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
    features: list[list[Any]] = []
    for kind, listed in printed.items():
        places = [names.index(name) if name in names else None for name in listed]
        features += [
            [name, None if at is None else int(ranks[at]), 0.0 if at is None else float(common[at])]
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
