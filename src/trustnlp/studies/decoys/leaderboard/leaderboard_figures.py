"""Tables of the leaderboard, and its figure: decoys found against false alarms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trustnlp.plots.series import Look, legend_below
from trustnlp.plots.style import MARKERS, PALETTE, house_style
from trustnlp.studies.decoys.leaderboard.leaderboard_numbers import SAVED, prefix

LABELS = {
    "occlusion": "occlusion",
    "occlusion_mask": "occlusion, masked",
    "lime": "LIME",
    "kernel_shap": "KernelSHAP",
    "gradient_x_input": "gradient × input",
    "integrated_gradients": "integrated gradients",
    "random": "random scores",
}
KINDS = {"minilm": "MiniLM", "convolution": "convolutions", "presence": "word presence"}
# What is at a mark's x and y: metrics of a record.
_Mark = tuple[Mapping[str, Any], Mapping[str, Any]]
# Key → title and decimals.
_COLUMNS = {
    "ranking.{}.rank": ("rank", 0),
    "ranking.{}.found": ("decoys named, share", 2),
    "ranking.{}.chance": ("by chance", 2),
    "{}.all.above_chance": ("above chance, all budgets", 2),
    "{}.all.above_clean": ("above the clean model on these texts", 2),
    "ranking.{}.instances": ("instances until then", 0),
    "{}.false_names.all": ("other words named by then", 1),
    "{}.in_clean.all": ("decoy named in a clean model, share", 2),
    "{}.false_alarms": ("words named in a clean model", 1),
    "{}.seconds": ("seconds a text", 3),
}


def board(numbers: Mapping[str, Any], status: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """The leaderboard, a row for each kind of models and explainer, the best first; means with their 95 % intervals.

    Parameters
    ----------
    status
        Kind → explainer → what became of it; it is said of those that are not plainly ranked.
    """
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for kind, own in status.items():
        first = prefix(kind)
        for name in sorted(own, key=lambda name: (_mean(numbers, f"{first}ranking.{name}.rank"), name)):
            cells = {t: _cell(numbers.get(first + key.format(name)), digits) for key, (t, digits) in _COLUMNS.items()}
            rows[KINDS.get(kind, kind), label(name)] = cells | {"note": "" if own[name] == "ranked" else own[name]}
    return _by_explainer(rows)


def saved_by_orders(numbers: Mapping[str, Any], status: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Instances that each order saves against a random one, a row for each kind and explainer."""
    rows = {}
    for kind, own in status.items():
        for name in own:
            keys = {order: f"{prefix(kind)}{name}.{short}_saved" for order, short in SAVED.items()}
            if any(key in numbers for key in keys.values()):
                rows[KINDS.get(kind, kind), label(name)] = {o: _cell(numbers.get(key), 1) for o, key in keys.items()}
    return _by_explainer(rows)


def alarm_words(rows: Sequence[Mapping[str, Any]], most: int = 10) -> pd.DataFrame:
    """The words that are named first in a clean model, in the order of naming, a column for each kind and explainer."""
    length = min(most, max(len(row["words"]) for row in rows))
    told = {
        (KINDS.get(row["model"], row["model"]), label(row["explainer"])): [*row["words"], *[""] * length][:length]
        for row in rows
    }
    return pd.DataFrame(told, index=pd.RangeIndex(1, length + 1, name="named"))


def found_and_false(numbers: Mapping[str, Any], status: Mapping[str, Mapping[str, str]]) -> tuple[Figure, str]:
    """Share of decoys named over words named in a clean model, a mark for each explainer, a panel for each kind.

    Dashed is the share that chance names, mean over explainers.
    """
    marks = {kind: _marks(numbers, own, prefix(kind)) for kind, own in status.items()}
    panels = {KINDS.get(kind, kind): own for kind, own in marks.items() if own}
    chances = {
        KINDS.get(kind, kind): float(np.mean([numbers[f"{prefix(kind)}ranking.{name}.chance"]["mean"] for name in own]))
        for kind, own in marks.items()
        if own
    }
    look = {name: _look(place) for place, name in enumerate(dict.fromkeys(n for own in status.values() for n in own))}
    said = []
    with house_style():
        width = 7.8 if len(panels) > 1 else 5.2
        figure, axes = plt.subplots(1, max(len(panels), 1), figsize=(width, 4.6), sharey=True, squeeze=False)
        for axis, (title, own) in zip(axes[0], panels.items(), strict=False):
            _draw(axis, own, look)
            axis.axhline(chances[title], color=PALETTE["grey"], linestyle="--", linewidth=1, marker="")
            axis.set_title(title, fontsize="medium")
            axis.set_xlabel("words named in a clean model")
            told = ", ".join(f"{label(name)} {y['mean']:.2f} and {x['mean']:.1f}" for name, (x, y) in own.items())
            said.append(f"{title}: {told}, chance {chances[title]:.2f}")
        axes[0][0].set_ylabel("share of decoys named")
        axes[0][0].set_ylim(-0.05, 1.05)
        shown = {name: look[name] for own in panels.values() for name in own}
        handles: list[Artist] = [
            Line2D([], [], color=own.colour, marker=own.marker, linestyle="", label=label(name))
            for name, own in shown.items()
        ]
        handles.append(Line2D([], [], color=PALETTE["grey"], linestyle="--", label="share named by chance"))
        legend_below(figure, handles, columns=3)
    return figure, (
        "Share of planted decoys that the inspector names, over the number of words it names in a clean model, a mark "
        f"for each explainer with 95 % intervals, and dashed the share by chance. {'. '.join(said)}."
    )


def label(name: str) -> str:
    """What an explainer is called on the page; a third party's as it calls itself."""
    return LABELS.get(name, name)


def _by_explainer(rows: Mapping[tuple[str, str], Mapping[str, str]]) -> pd.DataFrame:
    index = pd.MultiIndex.from_tuples(list(rows), names=["model", "explainer"])
    return pd.DataFrame(list(rows.values()), index=index)


def _marks(numbers: Mapping[str, Any], names: Iterable[str], first: str) -> dict[str, _Mark]:
    keys = {name: (f"{first}{name}.false_alarms", f"{first}ranking.{name}.found") for name in names}
    return {name: (numbers[x], numbers[y]) for name, (x, y) in keys.items() if x in numbers and y in numbers}


def _look(place: int) -> Look:
    """Colour and marker of the explainer at a place of the list; the palette begins anew with other markers."""
    colours = list(PALETTE.values())
    again, at = divmod(place, len(colours))
    return Look(colours[at], MARKERS[(at + again) % len(MARKERS)])


def _draw(axis: Axes, marks: Mapping[str, _Mark], look: Mapping[str, Look]) -> None:
    for name, both in marks.items():
        means = [value["mean"] for value in both]
        ends = [[value["mean"] if value[end] is None else value[end] for end in ("low", "high")] for value in both]
        x, y = (np.abs(np.array(end) - mean)[:, None] for end, mean in zip(ends, means, strict=True))
        own = look[name]
        axis.errorbar(means[0], means[1], y, x, color=own.colour, marker=own.marker, elinewidth=0.8, capsize=2)
    axis.set_xlim(left=0)


def _mean(numbers: Mapping[str, Any], key: str) -> float:
    return float(numbers[key]["mean"]) if key in numbers else float("inf")


def _cell(number: Mapping[str, Any] | None, digits: int) -> str:
    if number is None:
        return "–"
    said = f"{number['mean']:.{digits}f}"
    if number["low"] is None or number["low"] == number["high"]:
        return said
    return f"{said} ({number['low']:.{digits}f} to {number['high']:.{digits}f})"
