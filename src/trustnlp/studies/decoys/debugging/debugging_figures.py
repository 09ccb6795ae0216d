"""Tables of the debugging set-ups, and the figure of the repair: what is left of the bug against what it cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from trustnlp.studies.decoys.debugging.compared_models import ORIGINAL, VALIDATION
from trustnlp.studies.decoys.debugging.debugging_numbers import NONE_LEFT
from trustnlp.studies.decoys.debugging.named_words import COUNT, KNOWN
from trustnlp.studies.decoys.debugging.repaired_models import HOWS
from trustnlp.studies.decoys.leaderboard.leaderboard_figures import KINDS, LABELS

_SOURCES = {
    COUNT: "counting, χ²",
    KNOWN: "the decoy's words, known",
    VALIDATION: "more accurate on contaminated dev",
    ORIGINAL: "more accurate on original dev",
}
_DROPPED = {"words": "words dropped", "texts": "their texts dropped"}
# Points around the marks; an interval that goes on is cut off.
_ROOM = 5.0
# Column of a table → key of the record without its kind, and decimals.
_Columns = Mapping[str, tuple[str, int]]
_COMPARED: _Columns = {
    "bug-free model preferred, share": ("compare.{}.success", 2),
    "with shuffled scores": ("compare.{}.chance", 2),
    "difference": ("compare.{}.above_chance", 2),
    "preferred, pairs of similar accuracy": ("compare.{}.similar_success", 2),
    "decoy differs most, share": ("compare.{}.decoy_first", 2),
    "decoy, shuffled": ("compare.{}.decoy_first_chance", 2),
    "buggy model ahead, points": ("compare.{}.ahead", 1),
}
_REPAIRED: _Columns = {
    "repairs possible, share": ("repair.{}.possible", 2),
    "words dropped": ("repair.{}.dropped", 1),
    "rate before": ("repair.{}.before", 0),
    "rate left": ("repair.{}.left", 0),
    "largest left": ("repair.{}.most_left", 0),
    "surely gone, share": ("repair.{}.gone", 2),
    "surely there, share": ("repair.{}.remains", 2),
    "test accuracy gained": ("repair.{}.gain", 1),
    "dev accuracy lost before": ("repair.{}.loss_before", 1),
    "lost after": ("repair.{}.loss", 1),
    "lost by the control": ("repair.{}.cost", 1),
}
_CLEAN: _Columns = {
    "repairs possible, share": ("clean_repair.{}.possible", 2),
    "words dropped": ("clean_repair.{}.dropped", 1),
    "dev accuracy lost": ("clean_repair.{}.loss", 1),
}
_UNCOVERED: _Columns = {
    "contaminated texts found, share": ("uncover.{}.found", 2),
    "texts drawn by lot": ("uncover.{}.by_lot", 2),
    "more than by random scores": ("uncover.{}.over_random", 2),
    "more than by counting": ("uncover.{}.over_count", 2),
}
_PAIRS: _Columns = {
    "named alone, share": ("pairs.{}.alone", 2),
    "more than by random scores": ("pairs.{}.alone_over_random", 2),
    "named beside another, share": ("pairs.{}.both", 2),
    "more than by random scores, beside another": ("pairs.{}.over_random", 2),
    "both named, share": ("pairs.{}.every", 2),
}


def compared_table(numbers: Mapping[str, Any]) -> pd.DataFrame:
    """Setup II: a row for each kind of models and each way to choose between two, means with 95 % intervals."""
    return _table(numbers, _COMPARED, _label)


def repaired_table(numbers: Mapping[str, Any]) -> pd.DataFrame:
    """Setup III: a row for each kind, source of names and way of dropping; rates and accuracies in points."""
    return _table(numbers, _REPAIRED, _way)


def clean_table(numbers: Mapping[str, Any]) -> pd.DataFrame:
    """The same repairs of models without a bug."""
    return _table(numbers, _CLEAN, _way)


def uncovered_table(numbers: Mapping[str, Any]) -> pd.DataFrame:
    """Setup IV: a row for each kind and source of names."""
    return _table(numbers, _UNCOVERED, _label)


def pairs_table(numbers: Mapping[str, Any]) -> pd.DataFrame:
    """Two decoys at once: a row for each kind and explainer."""
    return _table(numbers, _PAIRS, _label)


def left_by_decoy(rows: Sequence[Mapping[str, Any]], how: str = "words") -> pd.DataFrame:
    """What is left of each decoy's rate of adoption, in points, by source; – where no repair was possible.

    Parameters
    ----------
    rows
        As `debugging_numbers.by_decoy` gives them.
    """
    own = [row for row in rows if row["how"] == how and row["before"] is not None]
    decoys, sources = (list(dict.fromkeys(row[key] for row in own)) for key in ("decoy", "source"))
    left = {(row["decoy"], row["source"]): _number(row["left"], 0) for row in own}
    before = {row["decoy"]: _number(row["before"], 0) for row in own}
    columns = {"before": [before[decoy] for decoy in decoys]}
    columns |= {_label(source): [left.get((decoy, source), "–") for decoy in decoys] for source in sources}
    return pd.DataFrame(columns, index=pd.Index(decoys, name="decoy"))


def dropped_words(rows: Sequence[Mapping[str, Any]], sources: Sequence[str]) -> pd.DataFrame:
    """The words that were dropped in the first seed in which the decoy took part, by source; a row for each decoy."""
    words = {(row["decoy"], row["source"]): ", ".join(row["words"]) for row in rows}
    decoys = list(dict.fromkeys(row["decoy"] for row in rows))
    seeds = {row["decoy"]: str(row["seed"]) for row in rows}
    columns = {"seed": [seeds[decoy] for decoy in decoys]}
    columns |= {_label(source): [words.get((decoy, source), "–") for decoy in decoys] for source in sources}
    return pd.DataFrame(columns, index=pd.Index(decoys, name="decoy"))


def pair_rates(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """What `debugging_numbers.by_pair` gave, as a table."""
    table = pd.DataFrame(rows, columns=["pair", "decoy", "seeds", "adopted", "kept", "rate_alone", "rate_both"])
    titles = {
        "seeds": "seeds, adopted alone",
        "adopted": "of these adopted beside another",
        "kept": "of these in enough sentences, so counted",
        "rate_alone": "rate alone",
        "rate_both": "rate beside another",
    }
    return table.round(0).set_index(["pair", "decoy"]).rename(columns=titles)


def left_and_lost(numbers: Mapping[str, Any]) -> tuple[Figure, str]:
    """Rate of adoption left over dev accuracy lost, a mark for each source; a panel for each kind and way of dropping.

    All marks are of the same decoys: where a repair is not possible, the model stays as it was. Dashed is the rate
    before, dotted the rate that counts as none.
    """
    panels = {}
    for kind in _kinds(numbers):
        for how in HOWS:
            found = {
                source: _mark(numbers, f"{kind}.repair.{source}.{how}.all") for source in _sources(numbers, kind, how)
            }
            if marks := {source: mark for source, mark in found.items() if mark is not None}:
                panels[f"{KINDS[kind]}, {_DROPPED[how]}"] = marks
    shown = dict.fromkeys(source for marks in panels.values() for source in marks)
    look = {source: _look(place) for place, source in enumerate(shown)}
    said = []
    with house_style():
        figure, axes = plt.subplots(1, max(len(panels), 1), figsize=(7.8, 4.6), sharey=True, squeeze=False)
        for axis, (title, marks) in zip(axes[0], panels.items(), strict=False):
            said.append(f"{title}: {_drawn(axis, marks, look)}")
            axis.set_title(title, fontsize="medium")
            axis.set_xlabel("dev accuracy lost, points")
        lowest = min([0.0, *(y["mean"] for marks in panels.values() for _, y, _ in marks.values())])
        axes[0][0].set_ylim(lowest - _ROOM, 100 + _ROOM)
        axes[0][0].set_ylabel("rate of adoption left, points")
        handles: list[Artist] = [
            Line2D([], [], color=own.colour, marker=own.marker, linestyle="", label=_label(source))
            for source, own in look.items()
        ]
        handles.append(Line2D([], [], color=PALETTE["grey"], linestyle="--", label="rate before"))
        handles.append(Line2D([], [], color=PALETTE["grey"], linestyle=":", label="counts as none below"))
        legend_below(figure, handles, columns=3)
    return figure, (
        "What is left of the rate of adoption after a repair, over the accuracy that the model lacks on original dev "
        f"sentences, a mark with 95 % intervals for each source of the words. {'. '.join(said)}."
    )


def _look(place: int) -> Look:
    """Colour and marker of the source at a place of the list; the palette begins anew with other markers."""
    colours = list(PALETTE.values())
    again, at = divmod(place, len(colours))
    return Look(colours[at], MARKERS[(at + again) % len(MARKERS)])


def _drawn(axis: Axes, marks: Mapping[str, tuple[Any, Any, float]], look: Mapping[str, Look]) -> str:
    for source, (x, y, _) in marks.items():
        errors = [np.abs(_ends(number) - number["mean"])[:, None] for number in (y, x)]
        own = look[source]
        axis.errorbar(
            x["mean"], y["mean"], *errors, color=own.colour, marker=own.marker, elinewidth=0.8, capsize=2, linestyle=""
        )
    before = max(rate for _, _, rate in marks.values())
    lost = [x["mean"] for x, _, _ in marks.values()]
    axis.set_xlim(min(lost) - _ROOM, max(lost) + _ROOM)
    axis.axhline(before, color=PALETTE["grey"], linestyle="--", linewidth=1, marker="")
    axis.axhline(NONE_LEFT, color=PALETTE["grey"], linestyle=":", linewidth=1, marker="")
    told = ", ".join(
        f"{_label(source)} {_number(y['mean'], 0)} left and {_number(x['mean'], 1)} lost"
        for source, (x, y, _) in marks.items()
    )
    return f"{before:.0f} before, {told}"


def _mark(numbers: Mapping[str, Any], first: str) -> tuple[Any, Any, float] | None:
    keys = [f"{first}_{name}" for name in ("loss", "left", "before")]
    if not all(key in numbers for key in keys):
        return None
    loss, left, before = (numbers[key] for key in keys)
    return loss, left, float(before["mean"])


def _table(numbers: Mapping[str, Any], columns: _Columns, told: Callable[[str], str]) -> pd.DataFrame:
    """A row for each kind and each name that has any of the columns, in the order of the record."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for kind in _kinds(numbers):
        for key in numbers:
            for template, _ in columns.values():
                before, after = f"{kind}.{template}".split("{}")
                name = key.removeprefix(before).removesuffix(after)
                if before + name + after == key and (kind, name) not in rows:
                    own = {t: _cell(numbers.get(f"{kind}.{k.format(name)}"), d) for t, (k, d) in columns.items()}
                    rows[kind, name] = own
    index = pd.MultiIndex.from_tuples([(KINDS[kind], told(name)) for kind, name in rows], names=["model", "by"])
    return pd.DataFrame(list(rows.values()), index=index)


def _kinds(numbers: Mapping[str, Any]) -> list[str]:
    return [kind for kind in KINDS if any(key.startswith(f"{kind}.") for key in numbers)]


def _sources(numbers: Mapping[str, Any], kind: str, how: str) -> list[str]:
    first, last = f"{kind}.repair.", f".{how}.all_left"
    return [
        key.removeprefix(first).removesuffix(last) for key in numbers if key.startswith(first) and key.endswith(last)
    ]


def _label(source: str) -> str:
    return {**LABELS, **_SOURCES}.get(source, source)


def _way(name: str) -> str:
    source, _, how = name.rpartition(".")
    return f"{_label(source)}: {how}"


def _ends(number: Mapping[str, Any]) -> Any:
    return np.array([number["mean"] if number[end] is None else number[end] for end in ("low", "high")])


def _cell(number: Mapping[str, Any] | None, digits: int) -> str:
    if number is None:
        return "–"
    said = _number(number["mean"], digits)
    if number["low"] is None or number["low"] == number["high"]:
        return said
    return f"{said} ({_number(number['low'], digits)} to {_number(number['high'], digits)})"


def _number(value: float, digits: int) -> str:
    """Without the sign of a zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"
