"""What would have caught it: why claims of the twelve papers did not hold as said, by one coder's judgement.

`failures.csv` beside this file has a row for each claim that counts and was tried: its chapter and id, its kind, a note
that says why, and for a random fifth of those that did not hold the kind given a second time (`again`). Claims that
held have the kind `held`. Intervals draw the twelve papers anew; that a paper's claims stand together is all they know.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from sklearn.metrics import cohen_kappa_score

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
    "baseline": "the rival that would decide, a simpler method or a constant, is missing or was run to its disadvantage",
    "interval": "no interval is printed, and in our repeats the effect is no larger than its scatter",
    "setting": "a setting, a split or a selection is not told, and the answer hangs on it or cannot be told without it",
    OURS: "we ran other data, vectors or another model, and no more can be said with these: no fault of the paper",
    "other": "none of these",
}
NO_TRAINING = ("print", "proof", "code")
RESAMPLES = 10_000


def coded(path: Path | None = None) -> pd.DataFrame:
    """The coding, a row a claim; `again` is empty where a claim was coded once.

    Raises
    ------
    ValueError
        If a kind is unknown, a claim stands twice, or one that did not hold has no note.
    """
    table = pd.read_csv(path or Path(__file__).with_name("failures.csv"), dtype=str, keep_default_na=False)
    unknown = (set(table["kind"]) | set(table["again"])) - {*KINDS, HELD, ""}
    twice = table[table.duplicated(["chapter", "claim"])]
    bare = table[(table["kind"] != HELD) & (table["note"] == "")]
    for wrong, what in ((unknown, "unknown kinds"), (list(twice["claim"]), "twice"), (list(bare["claim"]), "no note")):
        if wrong:
            raise ValueError(f"failures.csv: {what}: {', '.join(map(str, wrong))}")
    return table


def counts(table: pd.DataFrame) -> pd.DataFrame:
    """By kind: `claims` that it cost, `papers` over which they spread, and the share of all that did not hold."""
    failed = table[table["kind"] != HELD]
    by_kind = failed.groupby("kind")["chapter"].agg(claims="size", papers="nunique")
    by_kind = by_kind.reindex(list(KINDS), fill_value=0)
    return by_kind.assign(share=by_kind["claims"] / len(failed))


def over_papers(
    table: pd.DataFrame, statistic: Callable[[pd.DataFrame], float], rng: np.random.Generator
) -> tuple[float, tuple[float, float]]:
    """A statistic of the coding, and its 95 % interval when the papers are drawn anew with replacement."""
    papers = [rows for _, rows in table.groupby("chapter")]
    draws = rng.integers(len(papers), size=(RESAMPLES // 10, len(papers)))
    drawn = [statistic(pd.concat([papers[i].assign(chapter=place) for place, i in enumerate(row)])) for row in draws]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return statistic(table), (float(low), float(high))


def ours_above_half(table: pd.DataFrame) -> float:
    """Share, of the claims that did not hold, that only our stand-ins held back, less one half."""
    return float(counts(table).at[OURS, "share"]) - 0.5


def untrained_above_half(table: pd.DataFrame) -> float:
    """Share, of the claims that the papers' own doing cost, that a check without training finds, less one half."""
    claims = counts(table)["claims"].drop(OURS)
    return float(claims[list(NO_TRAINING)].sum() / max(1, claims.sum())) - 0.5


def interval_beyond_print(table: pd.DataFrame) -> float:
    """Papers with a claim that a missing interval cost, less those with one that contradicting print cost."""
    papers = counts(table)["papers"]
    return float(papers["interval"] - papers["print"])


QUESTIONS = {
    "ours.margin": (ours_above_half, "difference of shares"),
    "untrained.margin": (untrained_above_half, "difference of shares"),
    "interval.margin": (interval_beyond_print, "number of papers"),
}


def agreement(table: pd.DataFrame, rng: np.random.Generator) -> tuple[float, tuple[float, float], float, int]:
    """Cohen's κ of the two codings, its interval (claims drawn anew), the share coded alike, and of how many claims."""
    both = table[table["again"] != ""]
    first, again = both["kind"].to_numpy(), both["again"].to_numpy()
    draws = rng.integers(len(both), size=(RESAMPLES // 10, len(both)))
    with np.errstate(invalid="ignore"):
        drawn = [cohen_kappa_score(first[row], again[row]) for row in draws]
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return float(cohen_kappa_score(first, again)), (float(low), float(high)), float(np.mean(first == again)), len(both)


def figure(by_kind: pd.DataFrame, labels: dict[str, str]) -> tuple[Figure, str]:
    """Claims that each kind cost, most first, and over how many papers; our own stand-ins are hatched."""
    rows = by_kind[by_kind["claims"] > 0].sort_values("claims", ascending=False)
    with house_style():
        drawing, axis = plt.subplots(figsize=(6.4, 0.45 * len(rows) + 1.2))
        for place, (kind, row) in enumerate(rows.iterrows()):
            colour, hatch = (PALETTE["grey"], "//") if kind == OURS else (PALETTE["blue"], None)
            axis.barh(-place, row["claims"], color=colour, hatch=hatch, edgecolor="white", height=0.7)
            axis.annotate(f" {row['papers']:.0f} papers", (row["claims"], -place), va="center")
        axis.set_yticks([-place for place in range(len(rows))], [labels[kind] for kind in rows.index])
        axis.set_xlabel("claims that did not hold as said")
        axis.margins(x=0.15)
        axis.grid(axis="y", visible=False)
    told = "; ".join(
        f"{labels[kind]} {row['claims']:.0f} in {row['papers']:.0f} papers" for kind, row in rows.iterrows()
    )
    return drawing, f"Bar chart of claims that did not hold as said, by kind of failure: {told}."
