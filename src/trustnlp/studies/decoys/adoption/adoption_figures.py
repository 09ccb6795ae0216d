"""Tables and figures of adoption, from a record: by decoy, and by the share of texts that carry one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trustnlp.decoys.decoy_adoption import ADOPTED_ABOVE, NEGLIGIBLE_BELOW
from trustnlp.plots.intervals_over import panels_with_intervals
from trustnlp.plots.series import Look, legend_below, line_styles, looks
from trustnlp.plots.style import PALETTE, house_style

Rate = tuple[float, float, float]
MODELS = {"presence": "word presence", "convolution": "convolutions", "minilm": "MiniLM"}
_THRESHOLDS = {"adopted above": 100 * ADOPTED_ABOVE, "not adopted below": 100 * NEGLIGIBLE_BELOW}
_LEAST_SHOWN = -50.0
_TITLES = {
    "effect": "effect",
    "rate": "rate of adoption",
    "drop": "accuracy lost on original texts",
    "iid": "accuracy gained on contaminated texts",
}
_PANELS = {"rate": "rate of adoption", "drop": "accuracy lost on original texts"}


def adoption_table(numbers: Mapping[str, Any], verdicts: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """A row for each decoy and model: means in points with their intervals over seeds, and of the rate over texts too.

    Parameters
    ----------
    verdicts
        Model → decoy → what the test of adoption says.
    """
    rows = {}
    for decoy in dict.fromkeys(name for own in verdicts.values() for name in own):
        for model, label in MODELS.items():
            if decoy not in verdicts.get(model, {}):
                continue
            first = f"{decoy}.{model}"
            row = {"texts": f"{numbers[f'{decoy}.texts']['mean']:.0f}"}
            for key, title in _TITLES.items():
                row[title] = _cell(numbers[f"{first}.{key}"]) if f"{first}.{key}" in numbers else "nothing to win"
            if f"over_texts.{first}.rate" in numbers:
                row["its interval over texts"] = _interval(numbers[f"over_texts.{first}.rate"])
            rows[decoy, label] = row | {"verdict": verdicts[model][decoy]}
    order = ["texts", "effect", "rate of adoption", "its interval over texts", "verdict"]
    table = pd.DataFrame(rows).T.rename_axis(["decoy", "model"])
    return table[[*(name for name in order if name in table), *(t for t in table if t not in order)]].fillna("")


def by_decoy(numbers: Mapping[str, Any]) -> tuple[Figure, str]:
    """Rates of adoption with their widest intervals, over seeds or texts, and the thresholds of the verdicts.

    Decoys are ordered by their largest rate, that on top. What is left of -50 points is cut off.

    Raises
    ------
    ValueError
        The record has no rate.
    """
    rates: dict[str, dict[str, Rate]] = {}
    for model in MODELS:
        for key in numbers:
            if key.startswith("over_texts.") and key.endswith(f".{model}.rate"):
                rates.setdefault(model, {})[key.split(".")[1]] = _widest(numbers, key)
    if not rates:
        raise ValueError("the record has no rate of adoption: ask models first")
    decoys = list(dict.fromkeys(name for own in rates.values() for name in own))
    decoys.sort(key=lambda name: max(own[name][0] for own in rates.values() if name in own))
    look = looks(MODELS[model] for model in MODELS)
    with house_style():
        figure, axes = plt.subplots(figsize=(7.2, 1.6 + 0.42 * len(decoys)))
        for number, (model, own) in enumerate(rates.items()):
            shift = 0.14 * (2 * number - (len(rates) - 1))
            for at, name in enumerate(decoys):
                if name in own:
                    _draw(axes, at - shift, own[name], look[MODELS[model]])
        styles = line_styles(_THRESHOLDS)
        for label, value in _THRESHOLDS.items():
            axes.axvline(value, color=PALETTE["grey"], linestyle=styles[label], linewidth=1.5)
        axes.set_yticks(range(len(decoys)), decoys)
        axes.set_ylim(-0.6, len(decoys) - 0.4)
        axes.set_xlim(_LEAST_SHOWN, 105)
        axes.set_xlabel("rate of adoption, in hundredths of what there was to win")
        handles = [
            Line2D([], [], color=look[MODELS[m]].colour, marker=look[MODELS[m]].marker, label=MODELS[m]) for m in rates
        ]
        handles += [
            Line2D([], [], color=PALETTE["grey"], linestyle=styles[label], label=f"{label} {value:.0f}")
            for label, value in _THRESHOLDS.items()
        ]
        legend_below(figure, handles, columns=4)
    said = []
    for name in reversed(decoys):
        each = {MODELS[model]: [round(end) for end in own[name]] for model, own in rates.items() if name in own}
        told = [f"{label} {value} ({low} to {high})" for label, (value, low, high) in each.items()]
        said.append(f"{name}: {', '.join(told)}")
    limits = ", ".join(f"{label} {value:.0f}" for label, value in _THRESHOLDS.items())
    return figure, f"Rates of adoption of decoys with 95 % intervals; {limits}. {'; '.join(said)}."


def by_share(numbers: Mapping[str, Any]) -> tuple[Figure, str]:
    """Rate of adoption and loss of accuracy on original texts over the share of training texts with the decoy.

    Raises
    ------
    ValueError
        The record has neither.
    """
    panels: dict[str, dict[str, dict[float, Any]]] = {}
    for key, title in _PANELS.items():
        for model, label in MODELS.items():
            first = f"graded.{model}.{key}.share"
            line = {
                float(name.removeprefix(first)): number["values"]
                for name, number in numbers.items()
                if name.startswith(first)
            }
            if line:
                panels.setdefault(title, {})[label] = line
    if not panels:
        raise ValueError("the record has no adoption by share: ask models of graded decoys first")
    return panels_with_intervals(
        panels,
        quantity="rate, or loss, in points",
        over="share of texts with the decoy, %",
        reference={_PANELS["rate"]: _THRESHOLDS},
    )


def _widest(numbers: Mapping[str, Any], key: str) -> Rate:
    """Value and the ends of the widest interval, of texts and of seeds."""
    texts, seeds = numbers[key], numbers.get(key.removeprefix("over_texts."), {"low": None})
    low, high = texts["low"], texts["high"]
    if seeds["low"] is not None:
        low, high = min(low, seeds["low"]), min(max(high, seeds["high"]), 100.0)
    return texts["mean"], low, high


def _draw(axes: Any, at: float, rate: Rate, look: Look) -> None:
    value, low, high = rate
    # What is cut off at the left ends at the edge.
    axes.plot([max(low, _LEAST_SHOWN), high], [at, at], color=look.colour, linewidth=1.4, marker="")
    axes.plot([max(value, _LEAST_SHOWN)], [at], color=look.colour, marker=look.marker, linestyle="")


def _cell(number: Mapping[str, Any]) -> str:
    return f"{number['mean']:.1f}{'' if number['low'] is None else f' ({_interval(number)})'}"


def _interval(number: Mapping[str, Any]) -> str:
    return f"{number['low']:.1f} to {min(number['high'], 100.0):.1f}"
