"""The loop that the paper plans, and its labels' cost: label what a strategy picks, train the base again, ask again.

Misra, Liu and Mahmud (2021), Figure 1 (dashed arrows) and §5: "select top K instances with the highest prediction
probability of being incorrectly predicted ... assign those instances to human annotators for labels and add them back",
and the top K' with the highest probability of being correct, which are added without being labelled (`own_labels`).
The annotators are simulated: a label is looked up. The tweets of a seed are drawn with the label counts of Table 2; a
fifth of them, no text of which is in the pool, tests the base after each round.

What AEC learns from. In the paper, errors are learned from labelled tweets that the base never learns from. Here a
label that was paid for teaches the base, too, whatever it was bought for, and errors are learned anew in each round
from all labelled tweets, each judged by a base that has not learned from it. This is kinder to AEC.

§4.1 compares AEC with uncertainty as if both were free. AEC needs labelled tweets before its first round, so its picks
can be compared in two ways:

`charged`
    All begin with reviews alone. Strategies that learn spend their first labels on random tweets; the others spend them
    as they choose.
`given`
    All begin with the same labelled tweets, and labels are counted from there.

Two strategies are compared by their mean macro-F1 over all numbers of labels, in points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from trustnlp.encoders.pretrained import load_encoder
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.sampling_strategies import LEARNT, UNCERTAINTY, BaseOutput, label_order, score_texts
from trustnlp.reproduce import Record
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus, rows_of
from trustnlp.studies.aec.data.experiments import TEST_SHARE
from trustnlp.studies.aec.data.labelled_sets import draw_tweets, split_by_text
from trustnlp.studies.aec.models import (
    results_folder,
    trained_again,
    unseen_probabilities,
)
from trustnlp.training.encoded_texts import text_states
from trustnlp.training.kept_results import json_once
from trustnlp.training.whole_files import fingerprint

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

_SUBSET, _SPLIT, _FIRST, _PICK = range(30, 34)
_FOLDS = 5  # the paper's number, which it has for the forest
# As `models.trained_base` draws the reviews of its `minilm`, which a loop begins with.
_REVIEWS, _TAUGHT = 2, 0.9


@dataclass(frozen=True, eq=False)
class LoopTexts:
    """The texts of one seed.

    Attributes
    ----------
    reviews
        States `(m, d)` and labels `(m,)` that the base always learns from.
    states, labels, features
        `(n, d)`, `(n,)` and `n` rows, of the corpus's tweets.
    pool, test
        Rows of the tweets that may be labelled, and of those by which the base is judged.
    seed
        Of the draws.
    """

    reviews: tuple[Floats, Labels]
    states: Floats
    labels: Labels
    features: FeatureTable
    pool: Labels
    test: Labels
    seed: int

    @cached_property
    def shuffled(self) -> Labels:
        """The pool in random order: what is labelled before a strategy is asked, and what `random` labels."""
        return np.random.default_rng([self.seed, _FIRST]).permutation(self.pool)

    @cached_property
    def fingerprint(self) -> str:
        """Changes with all that a loop reads here."""
        names = np.array(self.features.names)
        seed = np.array([self.seed])
        return fingerprint(
            *self.reviews, self.states, self.labels, names, self.features.values, self.pool, self.test, seed
        )

    def output(self, rows: Labels, probabilities: Floats) -> BaseOutput:
        """The answers of a base on some tweets, with where it errs."""
        predicted = probabilities.argmax(1)
        return BaseOutput(rows_of(self.features, rows), predicted, probabilities, predicted != self.labels[rows])

    def taught(self, bought: Labels, own: Labels, said: Labels) -> tuple[Floats, Labels]:
        """States and labels that the base learns from: reviews, tweets with its own labels, and labelled tweets.

        Parameters
        ----------
        bought, own
            Rows of tweets.
        said
            The base's labels of the latter.
        """
        return (
            np.concatenate([self.reviews[0], self.states[own], self.states[bought]]),
            np.concatenate([self.reviews[1], said, self.labels[bought]]),
        )


def texts_for(corpus: ErrorCorpus, parameters: Mapping[str, Any], seed: int) -> LoopTexts:
    """Draw the tweets of a seed, hold out a fifth of them by text, and read the states of all.

    Parameters
    ----------
    parameters
        Of these the values of `profile`, `device`, `encoder`, `precision` and `drawn` (tweets of each label).

    Raises
    ------
    ValueError
        If a label has too few tweets.
    KeyError
        If a parameter is missing.
    """
    encoder = load_encoder(parameters["encoder"], parameters["device"])
    precision, folder = parameters["precision"], results_folder(parameters)
    train, tweets = corpus.reviews.train, corpus.tweets
    of_reviews = text_states(encoder, train.texts, precision=precision, folder=folder)
    of_tweets = text_states(encoder, tweets.texts, precision=precision, folder=folder)
    taught = np.sort(np.random.default_rng([seed, _REVIEWS]).permutation(len(train))[: round(_TAUGHT * len(train))])
    drawn = draw_tweets(tweets, parameters["drawn"], np.random.default_rng([seed, _SUBSET]))
    texts = [tweets.texts[row] for row in drawn]
    pool, test = split_by_text(texts, TEST_SHARE, np.random.default_rng([seed, _SPLIT]))
    return LoopTexts(
        (of_reviews[taught].astype(np.float64), train.labels[taught]),
        of_tweets.astype(np.float64),
        tweets.labels,
        corpus.features,
        drawn[pool],
        drawn[test],
        seed,
    )


@dataclass(frozen=True)
class LoopCourse:
    """The course of a loop.

    Attributes
    ----------
    macro_f1
        Of the base on the test tweets, in per cent, before and after each round.
    errors
        Of the tweets that a round picked, those on which the base erred then, in per cent; one value per round.
    """

    macro_f1: list[float]
    errors: list[float]


def kept_loop(texts: LoopTexts, strategy: str, profile: str, **asked: int) -> LoopCourse:
    """`run_loop`, whose course is kept under the `paper` profile and read the next time."""
    folder = results_of("trustnlp.studies.aec.loop") if profile == "paper" else None
    settings: Mapping[str, Any] = {"texts": texts.fingerprint, "strategy": strategy, **asked}
    return LoopCourse(**json_once("loop", settings, folder, lambda: asdict(run_loop(texts, strategy, **asked))))


def run_loop(
    texts: LoopTexts, strategy: str, *, step: int, rounds: int, first: int = 0, own_labels: int = 0
) -> LoopCourse:
    """Label `step` tweets in each round as a strategy picks them, and train the base again.

    Parameters
    ----------
    strategy
        One of `sampling_strategies.STRATEGIES`; `random` follows the order of `texts.shuffled`.
    step, rounds
        K, and how often.
    first
        Random tweets that are labelled before the first round. A strategy that learns needs some.
    own_labels
        K': so many tweets with the lowest scores are added in each round with the label that the base gives them.

    Raises
    ------
    ValueError
        If given a pool that is too small, or too few labelled tweets to learn errors from.
    """
    needed = first + rounds * (step + own_labels)
    if needed > len(texts.pool):
        raise ValueError(
            f"{rounds} rounds of {step} tweets, {own_labels} more and {first} before them take {needed} tweets; the "
            f"pool has {len(texts.pool)}"
        )
    rng = np.random.default_rng([texts.seed, _PICK, *strategy.encode()])
    bought, own, said = texts.shuffled[:first], np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    base = trained_again(*texts.taught(bought, own, said))
    scores, errors = [_score(texts, base)], []
    for _ in range(rounds):
        left = texts.shuffled[~np.isin(texts.shuffled, np.concatenate([bought, own]))]
        pool = texts.output(left, base.predict_proba(texts.states[left]))
        if strategy == "random":
            order = np.arange(len(left))
        else:
            labelled = None
            if strategy in LEARNT:
                always = texts.taught(bought[:0], own, said)
                unseen = unseen_probabilities(
                    always, (texts.states[bought], texts.labels[bought]), base, folds=_FOLDS, rng=rng
                )
                labelled = texts.output(bought, unseen)
            order = label_order(score_texts(strategy, pool, labelled=labelled, rng=rng), rng=rng)
        picked, surest = order[:step], order[len(order) - own_labels :]
        assert pool.wrong is not None
        errors.append(100 * float(pool.wrong[picked].mean()))
        bought, own = np.concatenate([bought, left[picked]]), np.concatenate([own, left[surest]])
        said = np.concatenate([said, pool.predicted[surest]])
        base = trained_again(*texts.taught(bought, own, said), base)
        scores.append(_score(texts, base))
    return LoopCourse(scores, errors)


def _score(texts: LoopTexts, base: LogisticRegression) -> float:
    """Macro-F1 on the test tweets, in per cent."""
    said = base.predict(texts.states[texts.test])
    return 100 * float(f1_score(texts.labels[texts.test], said, average="macro", zero_division=0.0))


STRATEGIES = ("random", "aec", "least_confidence", "aec_with_probabilities", "oracle")
CONFIDENT = "aec_and_confident"
# Comparison → the account, and whose mean macro-F1 less whose.
COMPARED = {
    "charged.aec_over_random": ("charged", "aec", "random"),
    "charged.aec_over_uncertainty": ("charged", "aec", "least_confidence"),
    "charged.uncertainty_over_random": ("charged", "least_confidence", "random"),
    "given.aec_over_random": ("given", "aec", "random"),
    "given.aec_over_uncertainty": ("given", "aec", "least_confidence"),
    "given.uncertainty_over_random": ("given", "least_confidence", "random"),
    "given.oracle_over_random": ("given", "oracle", "random"),
    "given.combined_over_uncertainty": ("given", "aec_with_probabilities", "least_confidence"),
    "given.confident_gain": ("given", CONFIDENT, "aec"),
}


def accounts_of(
    texts: LoopTexts, profile: str, *, step: int, first: int, rounds: int, own_labels: int
) -> tuple[dict[tuple[str, str], pd.Series], dict[str, float]]:
    """Run the loops of one seed and enter them in both accounts.

    Parameters
    ----------
    step, first, rounds, own_labels
        As for `run_loop`; `first` in whole steps.

    Returns
    -------
    dict, dict
        (account, strategy) → macro-F1 by labels spent; strategy → errors among its picks; both in per cent.

    Raises
    ------
    ValueError
        If `first` is no multiple of `step`, or as for `run_loop`.
    """
    if first % step:
        raise ValueError(f"the {first} first labels are no multiple of the {step} of a round")
    before = first // step

    def curve(macro_f1: list[float]) -> pd.Series:
        return pd.Series(macro_f1, range(0, step * len(macro_f1), step))

    def from_reviews(strategy: str) -> list[float]:
        return kept_loop(texts, strategy, profile, step=step, rounds=before + rounds).macro_f1

    by_chance = from_reviews("random")
    curves, errors = {("charged", "random"): curve(by_chance)}, {}
    for strategy in (*STRATEGIES, CONFIDENT):
        name, added = ("aec", own_labels) if strategy == CONFIDENT else (strategy, 0)
        course = kept_loop(texts, name, profile, step=step, rounds=rounds, first=first, own_labels=added)
        curves["given", strategy] = curve(course.macro_f1)
        errors[strategy] = float(np.mean(course.errors))
        if strategy in UNCERTAINTY:
            curves["charged", strategy] = curve(from_reviews(strategy))
        if strategy in LEARNT:
            curves["charged", strategy] = curve([*by_chance[:before], *course.macro_f1])
    return curves, errors


def record_accounts(
    record: Record, curves: Mapping[int, Mapping[tuple[str, str], pd.Series]], errors: Mapping[int, Mapping[str, float]]
) -> None:
    """Record all curves, the comparisons of their means (`COMPARED`), and the errors among the picks.

    Parameters
    ----------
    curves, errors
        Seed → what `accounts_of` gives.

    Notes
    -----
    Keys are `ACCOUNT.STRATEGY.macro_f1.labelsN` and `picked.STRATEGY.errors`; of the comparisons, for both accounts,
    `….aec_over_random`, `….aec_over_uncertainty` and `….uncertainty_over_random`, and where the first labels are given
    `given.oracle_over_random`, `given.combined_over_uncertainty` and `given.confident_gain`.
    """
    means = {}
    for account, strategy in next(iter(curves.values())):
        by_seed = pd.DataFrame([own[account, strategy] for own in curves.values()])
        means[account, strategy] = by_seed.mean(axis=1)
        for labels, values in by_seed.items():
            record.metric(f"{account}.{strategy}.macro_f1.labels{labels}", values, interval="t", unit="%")
    for name, (account, one, other) in COMPARED.items():
        record.metric(name, means[account, one] - means[account, other], interval="t", unit="points")
    for strategy, values in pd.DataFrame(errors).T.items():
        record.metric(f"picked.{strategy}.errors", values, interval="t", unit="%")
