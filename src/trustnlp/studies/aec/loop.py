"""The loop that the paper plans, and its labels' cost: label what a strategy picks, train the base again, ask again.

Misra, Liu and Mahmud (2021), Figure 1 (dashed arrows) and §5: "select top K instances with the highest prediction
probability of being incorrectly predicted ... assign those instances to human annotators for labels and add them back",
and the top K' with the highest probability of being correct, which are added without being labelled (`own_labels`).
The annotators are simulated: a label is looked up. The tweets of a seed are drawn with the label counts of Table 2; a
fifth of them, no text of which is in the pool, tests the base after each round.

What AEC learns from. In the paper, errors are learned from labelled tweets that the base never learns from; that is
`apart`. Otherwise a label that was paid for teaches the base, too, whatever it was bought for, and errors are learned
anew in each round from all labelled tweets, each judged by a base that has not learned from it. This is kinder to AEC.

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

from collections.abc import Iterable, Mapping
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
from trustnlp.error_analysis.sampling_strategies import (
    LEARNT,
    STRATEGIES,
    UNCERTAINTY,
    BaseOutput,
    label_order,
    score_texts,
)
from trustnlp.reproduce import Record
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.aec.baselines import PEERS, available_peers, peer_picks
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus
from trustnlp.studies.aec.data.experiments import TEST_SHARE
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES, draw_tweets, split_by_text
from trustnlp.studies.aec.models.base_classifiers import (
    results_folder,
    text_states,
    trained_again,
    unseen_probabilities,
)
from trustnlp.training.kept_results import json_once
from trustnlp.training.whole_files import fingerprint

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

_SUBSET, _SPLIT, _FIRST = range(30, 33)
# As `base_classifiers.trained_base` draws the reviews of its `minilm`, which a loop begins with.
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
        table, predicted = self.features, probabilities.argmax(1)
        features = FeatureTable(table.names, table.values[rows], table.groups)
        return BaseOutput(features, predicted, probabilities, predicted != self.labels[rows])


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


_FOLDS = 5  # the paper's number, which it has for the forest
_PICK = 33


@dataclass(frozen=True)
class LoopCourse:
    """The course of a loop; its first value is from before anything was picked.

    Attributes
    ----------
    spent
        Labels spent, before and after each round.
    macro_f1
        Of the base on the test tweets, in per cent.
    errors
        Of the tweets that a round picked, those on which the base erred then, in per cent; one value per round.
    picked
        Of all tweets that were picked, those of each label, in per cent.
    own_right
        Of the tweets that were added with the base's own label, those whose label is right, in per cent; None where
        none was added.
    """

    spent: tuple[int, ...]
    macro_f1: tuple[float, ...]
    errors: tuple[float, ...]
    picked: tuple[float, ...]
    own_right: float | None


@dataclass(frozen=True, eq=False)
class _Known:
    """Rows of the tweets that are labelled before the first round and those picked since; tweets with the base's own
    labels, and these; and whether the first ones are kept from the base."""

    first: Labels
    picked: Labels
    own: Labels
    said: Labels
    apart: bool

    def taught(self, texts: LoopTexts, *, bought: bool = True) -> tuple[Floats, Labels]:
        """States and labels that the base learns from; without what was bought, if that is left out."""
        rows = self.picked if self.apart else np.concatenate([self.first, self.picked])
        rows = rows[: len(rows) if bought else 0]
        return (
            np.concatenate([texts.reviews[0], texts.states[self.own], texts.states[rows]]),
            np.concatenate([texts.reviews[1], self.said, texts.labels[rows]]),
        )

    def judged(self, texts: LoopTexts, base: LogisticRegression, rng: np.random.Generator) -> BaseOutput:
        """Labelled tweets, and what a base says of them that has not learned from them."""
        if self.apart:
            return texts.output(self.first, base.predict_proba(texts.states[self.first]))
        rows = np.concatenate([self.first, self.picked])
        bought = texts.states[rows], texts.labels[rows]
        return texts.output(
            rows, unseen_probabilities(self.taught(texts, bought=False), bought, base, folds=_FOLDS, rng=rng)
        )


def kept_loop(texts: LoopTexts, strategy: str, profile: str, **asked: Any) -> LoopCourse:
    """`run_loop`, whose course is kept under the `paper` profile and read the next time."""
    folder = results_of("trustnlp.studies.aec.loop") if profile == "paper" else None
    settings: Mapping[str, Any] = {"texts": texts.fingerprint, "strategy": strategy, **asked}
    found = json_once("loop", settings, folder, lambda: asdict(run_loop(texts, strategy, **asked)))
    course: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
    return LoopCourse(**course)


def run_loop(
    texts: LoopTexts, strategy: str, *, step: int, rounds: int, first: int = 0, own_labels: int = 0, apart: bool = False
) -> LoopCourse:
    """Label `step` tweets in each round as a strategy picks them, and train the base again.

    Parameters
    ----------
    strategy
        One of `STRATEGIES`, or of `PEERS`; `random` follows the order of `texts.shuffled`.
    step, rounds
        K, and how often.
    first
        Random tweets that are labelled before the first round. A strategy that learns needs some.
    own_labels
        K': so many tweets with the lowest scores are added in each round with the label that the base gives them.
    apart
        Whether only the error classifier learns from the first tweets, as in the paper, and not the base.

    Raises
    ------
    ValueError
        If given an unknown strategy, no round, a pool that is too small, or too few labelled tweets to learn errors
        from.
    """
    if strategy not in (*STRATEGIES, *PEERS):
        raise ValueError(f"no strategy is called {strategy!r}; there are {', '.join((*STRATEGIES, *PEERS))}")
    needed = first + rounds * (step + own_labels)
    if min(step, rounds) < 1 or needed > len(texts.pool):
        raise ValueError(
            f"{rounds} rounds of {step} tweets, {own_labels} more and {first} before them take {needed} tweets; there "
            f"must be a round and a tweet in it, and the pool has {len(texts.pool)}"
        )
    rng = np.random.default_rng([texts.seed, _PICK, *strategy.encode()])
    none = np.empty(0, dtype=np.int64)
    known = _Known(texts.shuffled[:first], none, none, none, apart)
    base = trained_again(*known.taught(texts))
    scores, errors = [_score(texts, base)], []
    for _ in range(rounds):
        taken = np.concatenate([known.first, known.picked, known.own])
        left = texts.shuffled[~np.isin(texts.shuffled, taken)]
        pool = texts.output(left, base.predict_proba(texts.states[left]))
        order = _order(texts, strategy, base, known, pool, left, step, rng)
        picked, surest = order[:step], order[len(order) - own_labels :]
        assert pool.wrong is not None
        errors.append(100 * float(pool.wrong[picked].mean()))
        known = _Known(
            known.first,
            np.concatenate([known.picked, left[picked]]),
            np.concatenate([known.own, left[surest]]),
            np.concatenate([known.said, pool.predicted[surest]]),
            apart,
        )
        base = trained_again(*known.taught(texts), base)
        scores.append(_score(texts, base))
    shares = 100 * np.bincount(texts.labels[known.picked], minlength=len(base.classes_)) / len(known.picked)
    right = 100 * float((texts.labels[known.own] == known.said).mean()) if own_labels else None
    spent = tuple(range(first, first + rounds * step + 1, step))
    return LoopCourse(spent, tuple(scores), tuple(errors), tuple(shares.tolist()), right)


def _order(
    texts: LoopTexts,
    strategy: str,
    base: LogisticRegression,
    known: _Known,
    pool: BaseOutput,
    left: Labels,
    step: int,
    rng: np.random.Generator,
) -> Labels:
    """Places in what is left, the one to be labelled first in front; a peer gives no more than one round's."""
    if strategy == "random":
        return np.arange(len(left))
    if strategy in PEERS:
        return peer_picks(known.taught(texts), texts.states[left], step, rng)
    labelled = known.judged(texts, base, rng) if strategy in LEARNT else None
    return label_order(score_texts(strategy, pool, labelled=labelled, rng=rng), rng=rng)


def _score(texts: LoopTexts, base: LogisticRegression) -> float:
    """Macro-F1 on the test tweets, in per cent."""
    said = base.predict(texts.states[texts.test])
    return 100 * float(f1_score(texts.labels[texts.test], said, average="macro", zero_division=0.0))


CONFIDENT, AS_DRAWN = "aec_and_confident", "aec_as_drawn"
# Macro-F1 of a strategy by labels spent, in an account; and what is known of its picks.
Curves = Mapping[tuple[str, str], pd.Series]
Picks = Mapping[str, Mapping[str, float]]

# Comparison → the account, and whose mean macro-F1 less whose.
COMPARED = {
    "charged.aec_over_random": ("charged", "aec", "random"),
    "charged.aec_over_uncertainty": ("charged", "aec", "least_confidence"),
    "charged.uncertainty_over_random": ("charged", "least_confidence", "random"),
    "charged.as_drawn_over_random": ("charged", AS_DRAWN, "random"),
    "given.aec_over_random": ("given", "aec", "random"),
    "given.aec_over_uncertainty": ("given", "aec", "least_confidence"),
    "given.uncertainty_over_random": ("given", "least_confidence", "random"),
    "given.oracle_over_random": ("given", "oracle", "random"),
    "given.combined_over_uncertainty": ("given", "aec_with_probabilities", "least_confidence"),
    "given.confident_gain": ("given", CONFIDENT, "aec"),
    "given.peer_over_uncertainty": ("given", PEERS[0], "least_confidence"),
}


def accounts_of(
    texts: LoopTexts, strategies: Iterable[str], profile: str, *, step: int, first: int, rounds: int, own_labels: int
) -> tuple[Curves, Picks]:
    """Run the loops of one seed, those of peers among them if they are installed, and enter them in both accounts.

    Parameters
    ----------
    strategies
        Beside `random` and `aec`, which are always there.
    step, first, rounds, own_labels
        As for `run_loop`; `first` in whole steps.

    Raises
    ------
    ValueError
        If `first` is no multiple of `step`, or as for `run_loop`.
    """
    if first % step:
        raise ValueError(f"the {first} first labels are no multiple of the {step} of a round")
    before, how = first // step, {"step": step, "rounds": rounds, "first": first}
    long = {"step": step, "rounds": before + rounds}
    by_chance = _curve(kept_loop(texts, "random", profile, **long))
    curves = {("charged", "random"): by_chance}
    picks = {}
    for strategy in dict.fromkeys(("random", "aec", *strategies, *available_peers())):
        course = kept_loop(texts, strategy, profile, **how)
        curves["given", strategy], picks[strategy] = _curve(course), _picks(course)
        if strategy in UNCERTAINTY:
            curves["charged", strategy] = _curve(kept_loop(texts, strategy, profile, **long))
        if strategy in LEARNT:
            curves["charged", strategy] = pd.concat([by_chance.iloc[:before], _curve(course)])
    confident = kept_loop(texts, "aec", profile, **how, own_labels=own_labels)
    curves["given", CONFIDENT], picks[CONFIDENT] = _curve(confident), _picks(confident)
    drawn = kept_loop(texts, "aec", profile, **how, apart=1)
    waiting = pd.Series(drawn.macro_f1[0], pd.RangeIndex(0, first, step))
    curves["charged", AS_DRAWN], picks[AS_DRAWN] = pd.concat([waiting, _curve(drawn)]), _picks(drawn)
    shifted = {key: curve.set_axis(curve.index - (first if key[0] == "given" else 0)) for key, curve in curves.items()}
    return shifted, picks


def record_accounts(record: Record, curves: Mapping[int, Curves], picks: Mapping[int, Picks]) -> None:
    """Record all curves, their means, the comparisons of `COMPARED` that can be made, and what was picked.

    Parameters
    ----------
    curves, picks
        Seed → what `accounts_of` found.
    """
    own = list(curves.values())
    for account, strategy in own[0]:
        for labels in own[0][account, strategy].index:
            each = [one[account, strategy][labels] for one in own]
            record.metric(f"{account}.{strategy}.macro_f1.labels{labels}", each, interval="t", unit="%")
    for name, (account, first, second) in COMPARED.items():
        if (account, first) in own[0] and (account, second) in own[0]:
            gain = [one[account, first].mean() - one[account, second].mean() for one in own]
            record.metric(name, gain, interval="t", unit="points")
    for strategy, seen in picks[next(iter(picks))].items():
        for key in seen:
            values = [one[strategy][key] for one in picks.values()]
            record.metric(f"picked.{strategy}.{key}", values, interval="t", unit="%")


def _curve(course: LoopCourse) -> pd.Series:
    return pd.Series(course.macro_f1, course.spent)


def _picks(course: LoopCourse) -> dict[str, float]:
    """Errors among the picks, and the labels of the picks, in per cent."""
    found = {"errors": float(np.mean(course.errors)), **dict(zip(LABEL_NAMES, course.picked, strict=True))}
    return found if course.own_right is None else found | {"own_right": course.own_right}
