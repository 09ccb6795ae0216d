"""Checks that would have caught it: why claims of the twelve papers did not hold, by one coder, a fifth by another too.

`failures.csv` beside this file has a row for each claim of a paper that counts and was tried: its chapter and id, its
kind, a note that says why, and for a random fifth of those that did not hold what each of two coders gave (`first`,
`second`) before the kind was settled.
Claims that held, "reproduced" and "close", have the kind `held`. Intervals draw the papers anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import NDArray

from trustnlp.plots.style import PALETTE, house_style

HELD, OURS = "held", "stand-in"
# Kind → what it means, in the order in which a coder asks: the first that fits counts.
KINDS = {
    "print": "two printed numbers or sentences contradict each other, or the print counts or names something wrongly",
    "proof": "a bound, a sensitivity or a formula fails in a case that its own conditions allow",
    "code": "the released code or file does something else than the text says",
    "leak": "parts that should be apart are not: what chose or trained a model also scores it",
    "surrogate": "what is said of a model was read off a second model, and the two differ",
    "cause": "a cause is named, and the arm without it was not run, or does as well",
    "baseline": "the rival that would decide, a simpler method or a constant, is missing or at a disadvantage",
    "interval": "no interval is printed, and in our repeats the effect is no larger than its scatter",
    "setting": "a setting, a split or a selection is not told, and the answer hangs on it or cannot be told without it",
    OURS: "we ran other data, vectors or another model, and no more can be said with these: no fault of the paper",
    "other": "none of these",
}
NO_TRAINING = ("print", "proof", "code")
NAMES = {OURS: "our stand-in", "interval": "no interval", "print": "print against print", "setting": "setting not told",
         "code": "code unlike text", "proof": "bound that breaks", "cause": "cause without its arm",
         "baseline": "baseline missing", "other": "not known why"}  # fmt: skip
RESAMPLES = 10_000
Counts = NDArray[np.int64]
Range = tuple[float, float]


def coded(path: Path | None = None) -> pd.DataFrame:
    """The coding, a row a claim; `first` and `second` are empty where one coder alone gave the kind.

    Raises
    ------
    ValueError
        If a kind is unknown, a claim stands twice, or one that did not hold has no note.
    """
    table = pd.read_csv(path or Path(__file__).with_name("failures.csv"), dtype=str, keep_default_na=False)
    unknown = sorted({*table["kind"], *table["first"], *table["second"]} - {*KINDS, HELD, ""})
    twice = table["claim"][table.duplicated(["chapter", "claim"])]
    bare = table["claim"][(table["kind"] != HELD) & (table["note"] == "")]
    for what, wrong in (("unknown kinds", unknown), ("coded twice", twice), ("no note", bare)):
        if len(wrong):
            raise ValueError(f"failures.csv: {what}: {', '.join(wrong)}")
    return table


def by_paper(table: pd.DataFrame) -> pd.DataFrame:
    """Claims that did not hold: a row a paper, a column a kind."""
    failed = table[table["kind"] != HELD]
    return pd.crosstab(failed["chapter"], failed["kind"]).reindex(columns=list(KINDS), fill_value=0)


def _share(claims: Counts, of: tuple[str, ...], among: tuple[str, ...]) -> float:
    """Share of the claims of some kinds among those of others, less one half."""
    at = list(KINDS).index
    return float(claims[[at(kind) for kind in of]].sum() / max(1, claims[[at(kind) for kind in among]].sum()) - 0.5)


def ours_above_half(papers: Counts) -> float:
    """Share, of the claims that did not hold, that only our stand-ins held back, less one half."""
    return _share(papers.sum(0), (OURS,), tuple(KINDS))


def untrained_above_half(papers: Counts) -> float:
    """Share, of the claims that a paper's own doing cost, that a check without training finds, less one half."""
    return _share(papers.sum(0), NO_TRAINING, tuple(kind for kind in KINDS if kind != OURS))


def interval_beyond_print(papers: Counts) -> float:
    """Papers with a claim that a missing interval cost, less those with one that contradicting print cost."""
    spread = (papers > 0).sum(0)
    return float(spread[list(KINDS).index("interval")] - spread[list(KINDS).index("print")])


QUESTIONS: dict[str, tuple[Callable[[Counts], float], str]] = {
    "ours.margin": (ours_above_half, "difference of shares"),
    "untrained.margin": (untrained_above_half, "difference of shares"),
    "interval.margin": (interval_beyond_print, "number of papers"),
}


def numbers(table: pd.DataFrame, rng: np.random.Generator) -> Iterator[tuple[str, float, str | Range, str]]:
    """Everything that is recorded: key, value, interval, unit.

    `kind.{kind}.claims` and `.papers` count the claims that a kind cost, and the papers over which they spread. The
    answers are `ours.margin`, `untrained.margin` and `interval.margin` (`QUESTIONS`), with papers drawn anew;
    `second.…` is how well two coders agree.
    """
    papers = by_paper(table)
    for name, rows in (
        ("tried", table),
        ("held", table[table["kind"] == HELD]),
        ("failed", table[table["kind"] != HELD]),
    ):
        yield f"{name}.claims", len(rows), "deterministic", "count of claims"
    for kind in KINDS:
        yield f"kind.{kind}.claims", int(papers[kind].sum()), "deterministic", "count of claims"
        yield f"kind.{kind}.papers", int((papers[kind] > 0).sum()), "deterministic", "count of papers"
    own = papers.drop(columns=OURS).to_numpy()
    yield "own.claims", int(own.sum()), "deterministic", "count of claims"
    cells = papers.to_numpy()
    draws = rng.integers(len(cells), size=(RESAMPLES, len(cells)))
    for key, (statistic, unit) in QUESTIONS.items():
        yield key, statistic(cells), _middle([statistic(cells[draw]) for draw in draws]), unit
    yield from _agreement(table[table["second"] != ""], rng)


def _agreement(both: pd.DataFrame, rng: np.random.Generator) -> Iterator[tuple[str, float, str | Range, str]]:
    """How well the two coders agree, Cohen's κ among it; its interval draws the claims anew."""
    first, second = both["first"].to_numpy(), both["second"].to_numpy()
    draws = rng.integers(len(both), size=(RESAMPLES // 10, len(both)))
    kappas = [kappa(first[draw], second[draw]) for draw in draws]
    yield "second.claims", len(both), "deterministic", "count of claims"
    yield "second.alike", int((first == second).sum()), "deterministic", "count of claims"
    yield "second.kappa", kappa(first, second), _middle(kappas), "none"


def kappa(first: NDArray[np.object_], second: NDArray[np.object_]) -> float:
    """Cohen's κ: agreement beyond that of two codings with the same frequencies; 1 where there is one kind alone."""
    chance = sum(float(np.mean(first == kind) * np.mean(second == kind)) for kind in np.unique(first))
    return 1.0 if chance == 1 else (float(np.mean(first == second)) - chance) / (1 - chance)


def _middle(values: list[float]) -> Range:
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def figure(claims: dict[str, float], papers: dict[str, float]) -> tuple[Figure, str]:
    """Claims that each kind cost, most first, and over how many papers; our own stand-ins are hatched."""
    kinds = sorted((kind for kind in NAMES if claims[kind]), key=lambda kind: -claims[kind])
    with house_style():
        drawing, axis = plt.subplots(figsize=(6.4, 0.45 * len(kinds) + 1.2))
        for place, kind in enumerate(kinds):
            colour, hatch = (PALETTE["grey"], "//") if kind == OURS else (PALETTE["blue"], None)
            axis.barh(-place, claims[kind], color=colour, hatch=hatch, edgecolor="white", height=0.7)
            axis.annotate(f" {claims[kind]:.0f} in {_papers(papers[kind])}", (claims[kind], -place), va="center")
        axis.set_yticks([-place for place in range(len(kinds))], [NAMES[kind] for kind in kinds])
        axis.set_xlabel("claims that did not hold as said")
        axis.margins(x=0.3)
        axis.grid(axis="y", visible=False)
    told = "; ".join(f"{NAMES[kind]}: {claims[kind]:.0f} in {_papers(papers[kind])}" for kind in kinds)
    return drawing, f"Bar chart of claims that did not hold as said, by what went wrong. {told}."


def _papers(number: float) -> str:
    return f"{number:.0f} paper{'s' if number != 1 else ''}"
