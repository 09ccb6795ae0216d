"""Tables 1 to 6: texts, how well a base does, how many errors each ranking finds, tweets and features that are named.

Misra, Liu and Mahmud (2021), §3.1, §3.3 and §4.1. Functions give metrics by key. Precisions are shares, accuracies per
cent, differences of either are in points. Three draws decide an experiment and the training of the base is a fourth;
`split_spread` redraws the split alone.

Table 5 prints three tweets with the probability of an error; the public file has them, and a few words find each one.
Tweets are not shown: what is recorded is a label, a prediction and a probability. Table 6 prints "a subset of top 100
features" of the forest; whether a named feature has such a rank is asked (`top100_margin`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.metrics import f1_score

from trustnlp.data.texts.sentence_sets import Sentences, count_labels
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.studies.aec.checks import leads
from trustnlp.studies.aec.data.error_corpus import Base, BaseAnswers, ErrorCorpus, Floats, wrong_on
from trustnlp.studies.aec.data.experiments import TOP, Experiment, experiment_of
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES, SAME, kept_rows, read_reviews

# What each base's tweets are ranked by.
STRATEGIES: dict[Base, tuple[str, ...]] = {
    "cnn": (
        *("least_confidence", "margin", "entropy"),
        *("aec", "aec_with_probabilities", "probabilities", "predicted_class"),
    ),
    "plain": (),
    "minilm": ("least_confidence", "aec"),
}
_DRAW = 20
_LEAD_AT, _SPREAD_AT = 40, 50
_HIGHEST = 100
_MOST = 0.9


def text_numbers(corpus: ErrorCorpus, printed: Mapping[str, Any], profile: str) -> dict[str, float]:
    """Table 1: label counts, and how many of the rules that were tried against near duplicates give the printed ones.

    Parameters
    ----------
    printed
        The ledger's tables (`printed_tables`).
    """
    reviews, labels = corpus.reviews, len(LABEL_NAMES)
    assert reviews.dev is not None and reviews.test is not None, "the corpus has all three parts"
    whole = (read_reviews(near_duplicates=True) if profile == "paper" else reviews).train
    by_rule = [
        count_labels(whole.labels[kept_rows(whole.texts, held_out, same)], labels)
        for held_out in ((), (*reviews.dev.texts, *reviews.test.texts))
        for same in SAME
    ]
    return {
        **{f"data.sst.{label}": count for label, count in zip(LABEL_NAMES, reviews.counts(), strict=True)},
        "data.sst.rules_fitting": by_rule.count(tuple(printed["table1"].values())),
    }


def drawn_numbers(tweets: Sentences, size: int, seed: int) -> dict[str, float]:
    """`data.airline.drawn.…`: tweets of each label among as many distinct texts, drawn whatever their label."""
    rows = np.random.default_rng([seed, _DRAW]).choice(len(tweets), size=size, replace=False)
    counts = count_labels(tweets.labels[rows], len(LABEL_NAMES))
    return {f"data.airline.drawn.{label}": count for label, count in zip(LABEL_NAMES, counts, strict=True)}


def measured(experiments: Mapping[Base, Experiment]) -> dict[str, float]:
    """Tables 3 and 4 of one seed, for each base, and what the weights of the loss change.

    Parameters
    ----------
    experiments
        With the same seeds.

    Returns
    -------
    dict
        Of each base `BASE.accuracy`, `.macro_f1`, `.sst_accuracy`, `.above_majority` and `.domain_gap`
        (`base_numbers`), and `BASE.RANKING.pK`, the share of errors among the first K; of the paper's base
        `cnn.lead.pK`, `cnn.lead.mean` (`lead_numbers`) and `cnn.least_confidence.p50_above_random`;
        `weighting.macro_f1_gain` and `weighting.accuracy_cost`, the base with weighted labels beside the one without.
    """
    numbers: dict[str, float] = {}
    for base, experiment in experiments.items():
        own = base_numbers(experiment)
        for strategy in STRATEGIES[base]:
            own |= {f"{strategy}.p{k}": share for k, share in experiment.precision(strategy).items()}
        numbers |= {f"{base}.{key}": value for key, value in own.items()}
    if cnn := experiments.get("cnn"):
        assert cnn.test.wrong is not None
        numbers |= {f"cnn.{key}": value for key, value in lead_numbers(cnn).items()}
        above = numbers[f"cnn.least_confidence.p{TOP[-1]}"] - cnn.test.wrong.mean()
        numbers[f"cnn.least_confidence.p{TOP[-1]}_above_random"] = float(100 * above)
    if {"cnn", "plain"} <= set(experiments):
        numbers["weighting.macro_f1_gain"] = numbers["cnn.macro_f1"] - numbers["plain.macro_f1"]
        numbers["weighting.accuracy_cost"] = numbers["plain.accuracy"] - numbers["cnn.accuracy"]
    return numbers


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


def lead_numbers(experiment: Experiment) -> dict[str, float]:
    """Table 4: AEC's precision less uncertainty's among the first K, and the mean over K, in points."""
    aec, other = (experiment.precision(name) for name in ("aec", "least_confidence"))
    lead = {k: 100 * (aec[k] - other[k]) for k in TOP}
    return {f"lead.p{k}": value for k, value in lead.items()} | {"lead.mean": float(np.mean(list(lead.values())))}


def split_spread(
    corpus: ErrorCorpus,
    answers: BaseAnswers,
    drawn: Sequence[int],
    seed: int,
    *,
    splits: int,
    printed: Mapping[str, Any],
) -> dict[str, float]:
    """Standard deviations of Table 4 over redraws of the split, all else held at a seed; in points.

    Parameters
    ----------
    answers
        Of the base.
    drawn
        Tweets of each label.
    splits
        How many, two or more.

    Returns
    -------
    dict
        `spread.split.{aec,uncertainty,lead}.p50`, and `spread.printed_lead_margin.p40`: the lead that is printed for
        K = 40, less twice the standard deviation of ours.
    """
    redrawn = [experiment_of(corpus, answers, drawn, seed, split=each) for each in range(splits)]
    aec, other = (
        100 * pd.DataFrame([each.precision(name) for each in redrawn]) for name in ("aec", "least_confidence")
    )
    spread = {"aec": aec.std(ddof=1), "uncertainty": other.std(ddof=1), "lead": (aec - other).std(ddof=1)}
    lead = 100 * leads(printed).loc[_LEAD_AT, "tweets"] / _LEAD_AT
    return {
        **{f"spread.split.{name}.p{_SPREAD_AT}": float(own[_SPREAD_AT]) for name, own in spread.items()},
        f"spread.printed_lead_margin.p{_LEAD_AT}": float(lead - 2 * spread["lead"][_LEAD_AT]),
    }


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

    Parameters
    ----------
    experiment
        Made with the tweets as `unseen`.
    """
    output = experiment.output(np.array(list(rows.values())))
    scores = experiment.scores("aec", output)
    printed = [LABEL_NAMES.index(examples[name]["predicted"]) for name in rows]
    return {
        **{f"table5.{name}.probability": float(score) for name, score in zip(rows, scores, strict=True)},
        "table5.neutral_margin": float((output.predicted == printed).mean() - 0.5),
    }


def feature_numbers(experiment: Experiment, printed: Mapping[str, Any]) -> tuple[dict[str, float], list[list[Any]]]:
    """`table6.…` of one seed, and of each named feature its name, rank and prevalence.

    A rank is by the impurity of AEC's forest, 1 for the highest, and equal importance counts against both; it is None
    where no text has the feature often enough. A prevalence is the share of the training texts that have it.

    Parameters
    ----------
    printed
        `table6` of the printed tables: type → names of features.
    """
    forest, table = experiment.fitted("aec"), experiment.train.features
    places = rankdata(-forest.model.feature_importances_, method="max").astype(np.int64)
    ranks = dict(zip(table.names, places.tolist(), strict=True))
    common = dict(zip(table.names, prevalence(table).tolist(), strict=True))
    margins = {
        f"table6.{kind}.top{_HIGHEST}_margin": float(
            np.mean([ranks.get(name, np.inf) <= _HIGHEST for name in listed]) - _MOST
        )
        for kind, listed in printed.items()
    }
    return margins, [[name, ranks.get(name), common.get(name, 0.0)] for listed in printed.values() for name in listed]


def prevalence(table: FeatureTable) -> Floats:
    """Share of the texts `(f,)` that have a feature at all."""
    shares: Floats = (table.values > 0).mean(axis=0)
    return shares
