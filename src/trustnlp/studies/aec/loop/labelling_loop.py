"""The loop that the paper plans: label what a strategy picks, train the base again, ask again.

Misra, Liu and Mahmud (2021), Figure 1 (dashed arrows) and §5: "select top K instances with the highest prediction
probability of being incorrectly predicted ... assign those instances to human annotators for labels and add them back",
and the top K' with the highest probability of being correct, which are added without being labelled (`own_labels`).
The annotators are simulated: a label is looked up. The base is that of `retrained_base`.

What AEC learns from. In the paper, errors are learned from labelled tweets that the base never learns from; that is
`apart`. Otherwise a label that was paid for teaches the base, too, whatever it was bought for, and errors are learned
anew in each round from all labelled tweets, each judged by a base that has not learned from it. This is kinder to AEC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from trustnlp.error_analysis.sampling_strategies import LEARNT, STRATEGIES, BaseOutput, label_order, score_texts
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.aec.baselines import PEERS, peer_picks
from trustnlp.studies.aec.loop.looped_tweets import Floats, Labels, LoopTexts
from trustnlp.studies.aec.models.retrained_base import trained_again, unseen_probabilities
from trustnlp.training.kept_results import json_once

_FOLDS = 5  # the paper's number, which it has for the forest
_PICK = 33


@dataclass(frozen=True)
class LoopCourse:
    """What a loop came to; its first value is from before anything was picked.

    Attributes
    ----------
    spent
        Labels spent, before and after each round.
    macro_f1, accuracy
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
    accuracy: tuple[float, ...]
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
    folder = results_of("trustnlp.studies.aec.loop.labelling_loop") if profile == "paper" else None
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
        An unknown strategy, no round, a pool that is too small, or too few labelled tweets to learn errors from.
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
    scores, errors = [_scores(texts, base)], []
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
        scores.append(_scores(texts, base))
    macro_f1, accuracy = zip(*scores, strict=True)
    shares = 100 * np.bincount(texts.labels[known.picked], minlength=len(base.classes_)) / len(known.picked)
    right = 100 * float((texts.labels[known.own] == known.said).mean()) if own_labels else None
    spent = tuple(range(first, first + rounds * step + 1, step))
    return LoopCourse(spent, macro_f1, accuracy, tuple(errors), tuple(shares.tolist()), right)


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


def _scores(texts: LoopTexts, base: LogisticRegression) -> tuple[float, float]:
    """Macro-F1 and accuracy on the test tweets, in per cent."""
    truth, said = texts.labels[texts.test], base.predict(texts.states[texts.test])
    return 100 * float(f1_score(truth, said, average="macro", zero_division=0.0)), 100 * float((truth == said).mean())
