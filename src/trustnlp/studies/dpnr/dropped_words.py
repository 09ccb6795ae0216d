"""Two ways to drop words before a release, each on its own or a fixed number: masks, proven budgets, audited ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from trustnlp.privacy.accounting import dropout_bernoulli, dropout_fixed_count
from trustnlp.privacy.word_dropout import bernoulli_mask, fixed_count_mask
from trustnlp.reproduce.metric_series import Metrics

# The names that metrics bear, and those that figures show.
WAYS = {"bernoulli": "each on its own", "fixed_count": "a fixed number"}
_PROVEN = {"bernoulli": dropout_bernoulli, "fixed_count": dropout_fixed_count}


def mask_of(way: str, rate: float, words: int) -> Callable[..., Any]:
    """What draws the words to drop from texts of so many words."""
    if way == "bernoulli":
        return partial(bernoulli_mask, rate=rate)
    return partial(fixed_count_mask, dropped=round(words * rate))


def proven_budgets(rates: Sequence[float], epsilons: Sequence[float]) -> dict[float, dict[str, list[float]]]:
    """ε → way as figures call it → the ε that is left at each rate."""
    return {e: {WAYS[way]: [rule(e, rate) for rate in rates] for way, rule in _PROVEN.items()} for e in epsilons}


def audited_budgets(metrics: Metrics, epsilons: Sequence[float]) -> dict[float, dict[str, dict[float, float]]]:
    """ε → way as figures call it → rate → the lower bound of ε that an audit certified."""
    key = "dropout.audit.{}.eps{:g}.mu{{r:g}}"
    return {e: {title: metrics.series(key.format(way, e), "mean") for way, title in WAYS.items()} for e in epsilons}
