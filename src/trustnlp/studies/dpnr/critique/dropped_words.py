"""Ways to drop words before a release: each on its own, a fixed number, or piece by piece; masks and budgets.

The proof of Theorem 2 in Lyu, He and Li (2020) is about words. Their released code (xlhex/dpnlp at commit 70f9abd)
draws a zero for each *piece* of a word, so a word of m pieces disappears with probability μ^m only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from trustnlp.privacy.accounting.composition import dropout_bernoulli, dropout_fixed_count
from trustnlp.privacy.mechanisms.word_dropout import bernoulli_mask, fixed_count_mask
from trustnlp.reproduce.records.metric_series import Metrics

# The names that metrics bear, and those that figures show.
WAYS = {"bernoulli": "each on its own", "fixed_count": "a fixed number"}
_PROVEN = {"bernoulli": dropout_bernoulli, "fixed_count": dropout_fixed_count}


def mask_of(way: str, rate: float, words: int) -> Callable[..., Any]:
    """What draws the words to drop from texts of so many words."""
    if way == "bernoulli":
        return partial(bernoulli_mask, rate=rate)
    return partial(fixed_count_mask, dropped=round(words * rate))


def pieces_budget(epsilon: float, rate: float, pieces: int) -> float:
    """The ε left where a word is hidden only when each of its pieces is dropped, on its own: ln[(1 - μ^m)e^ε + μ^m].

    >>> [round(pieces_budget(1.0, 0.5, pieces), 2) for pieces in (1, 2, 3)]
    [0.62, 0.83, 0.92]

    Raises
    ------
    ValueError
        No piece, ε is not positive and finite, or the rate lies outside [0, 1).
    """
    if pieces < 1:
        raise ValueError(f"a word has at least one piece, got {pieces}")
    return dropout_bernoulli(epsilon, rate**pieces)


def proven_budgets(rates: Sequence[float], epsilons: Sequence[float]) -> dict[float, dict[str, list[float]]]:
    """ε → way as figures call it → the ε that is left at each rate."""
    return {e: {WAYS[way]: [rule(e, rate) for rate in rates] for way, rule in _PROVEN.items()} for e in epsilons}


def audited_budgets(metrics: Metrics, epsilons: Sequence[float]) -> dict[float, dict[str, dict[float, float]]]:
    """ε → way as figures call it → rate → the lower bound of ε that an audit certified."""
    key = "dropout.audit.{}.eps{:g}.mu{{r:g}}"
    return {e: {title: metrics.series(key.format(way, e), "mean") for way, title in WAYS.items()} for e in epsilons}
