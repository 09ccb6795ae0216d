"""How often are the verdicts wrong? The rules tried on made-up papers whose truth is known.

A paper prints the mean of five runs of an effect of size 1 (the reference is 0); we run `n` seeds of an effect that is
as large, larger, smaller, absent or turned round. Runs scatter normally with the same standard deviation on both sides,
so the paper's own number is off, too. The claim's tolerance is a fifth of the effect, and the number has two decimals.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trustnlp.reproduce.claims.ledgers import Claim, Paper, Verdict
from trustnlp.reproduce.claims.verdicts import judge
from trustnlp.reproduce.records.measurement import summary

PAPERS_RUNS = 5
TOLERANCE = 0.2
# Our true effect, what it is called, and the verdicts that are true of it; one that says less is not untrue.
TRUTHS = (
    (1.0, "as large as the paper's", frozenset({Verdict.REPRODUCED, Verdict.CLOSE, Verdict.DIRECTION})),
    (0.7, "seven tenths of it", frozenset({Verdict.CLOSE, Verdict.DIRECTION})),
    (3.0, "three times of it", frozenset({Verdict.NOT_REPRODUCED})),
    (0.3, "three tenths of it", frozenset({Verdict.NOT_REPRODUCED})),
    (0.0, "none", frozenset({Verdict.NOT_REPRODUCED})),
    (-1.0, "turned round", frozenset({Verdict.NOT_REPRODUCED})),
)
_SHOWN = (Verdict.REPRODUCED, Verdict.CLOSE, Verdict.DIRECTION, Verdict.NOT_REPRODUCED, Verdict.UNDETERMINED)
_NOBODY = Paper(key="none", title="A made-up paper", authors="Nobody", venue="Nowhere", year=2000, url="none")


@dataclass(frozen=True)
class Trial:
    """How often each verdict was given where the truth was `effect`; `undetermined` is never counted as untrue."""

    effect: float
    truth: str
    right: frozenset[Verdict]
    n: int
    scatter: float
    counts: Counter[Verdict]

    @property
    def untrue(self) -> float:
        """Share of the verdicts that say something untrue."""
        allowed = self.right | {Verdict.UNDETERMINED}
        return sum(count for verdict, count in self.counts.items() if verdict not in allowed) / self.counts.total()


def trials(
    rng: np.random.Generator,
    *,
    draws: int = 400,
    n_values: tuple[int, ...] = (5, 20),
    scatters: tuple[float, ...] = (0.1, 0.3),
) -> Iterator[Trial]:
    """Try the rules `draws` times for each truth, number of seeds and scatter of a run (in sizes of the effect)."""
    for scatter in scatters:
        for n in n_values:
            for effect, truth, right in TRUTHS:
                printed = 1 + rng.normal(0, scatter / math.sqrt(PAPERS_RUNS), draws)
                ours = effect + rng.normal(0, scatter, (draws, n))
                verdicts = Counter(_verdict(float(p), row.tolist()) for p, row in zip(printed, ours, strict=True))
                yield Trial(effect, truth, right, n, scatter, verdicts)


def _verdict(printed: float, ours: list[float]) -> Verdict:
    claim = Claim(
        chapter="", paper=_NOBODY, id="", where="", text="", kind="value", expect=Verdict.REPRODUCED,
        value=round(printed, 2), rounding=0.005, record="", key="effect", tolerance=TOLERANCE, reference=0.0,
    )  # fmt: skip
    seeds = range(len(ours))
    record = {
        "profile": "paper", "deviations": [], "metrics": {"effect": summary(ours, "t", unit=None, seeds=seeds)},
    }  # fmt: skip
    return judge(claim, record).verdict


def rule_errors_html(trials: list[Trial]) -> str:
    """The trials as a table in percent, verdicts that are right about the truth set off."""
    from trustnlp.reproduce.pages.html_parts import macros

    return str(macros("tables.j2").rule_errors(trials, _SHOWN))
