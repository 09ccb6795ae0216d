"""Figures of the chapter: signed bars, components with their nulls, recovery by size, correlations.

Words are named by their English concept, so that no figure needs a letter that its font lacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.cluster.hierarchy import dendrogram

from trustnlp.data.words.gender_words import WORD_LANGUAGES, word_list
from trustnlp.evaluation.intervals import t_interval
from trustnlp.plots.style import MARKERS, PALETTE, house_style


def name_of(language: str) -> str:
    """The English name of a language; what is no code of one, such as a corpus beside them, as it is."""
    return word_list(language).name if language in WORD_LANGUAGES else language


def signed_bars(scores: Mapping[str, Mapping[str, Sequence[float]]], *, quantity: str) -> tuple[Figure, str]:
    """Mean scores over seeds, a panel for each language and a bar for each concept; female to the right.

    Parameters
    ----------
    scores
        Panel → concept → one score per seed.
    """
    if not scores or not all(scores.values()):
        raise ValueError("signed_bars needs a panel with a bar or more")
    most = max(map(len, scores.values()))
    columns = min(3, len(scores))
    rows = -(-len(scores) // columns)
    with house_style():
        figure, axes = plt.subplots(
            rows, columns, figsize=(2.9 * columns + 1.2, rows * (0.24 * most + 0.9)), sharex=True, squeeze=False
        )
        for axis, (panel, own) in zip(axes.flat, scores.items(), strict=False):
            means = np.array([np.mean(values) for values in own.values()])
            places = np.arange(len(own))[::-1]
            colours = [PALETTE["vermilion"] if mean > 0 else PALETTE["blue"] for mean in means]
            axis.barh(places, means, color=colours)
            for place, values in zip(places, own.values(), strict=True):
                axis.plot(np.ravel(values), np.full(np.size(values), place), ".", color="black", markersize=3)
            axis.axvline(0, color=PALETTE["grey"], linewidth=1)
            axis.set_yticks(places, list(own), fontsize=8)
            axis.set_title(panel)
        for axis in axes.flat[len(scores) :]:
            axis.set_visible(False)
        for axis in axes[-1]:
            axis.set_xlabel(quantity, fontsize=9)
    exceptions = {p: [c for c, v in own.items() if np.mean(v) > 0] for p, own in scores.items()}
    parts = [f"{panel}: {len(found)} of {len(scores[panel])} bars lean female" for panel, found in exceptions.items()]
    return figure, f"Bars of {quantity}, female to the right, a dot per seed. " + "; ".join(parts) + "."


def values_beside_floors(
    values: Mapping[str, Sequence[float]], floors: Mapping[str, Mapping[str, float]], *, quantity: str
) -> tuple[Figure, str]:
    """One value for each language, with its interval over seeds, and marks for what it would be without gender.

    Parameters
    ----------
    values
        Language, or the name of another corpus, → one value per seed.
    floors
        Kind → language → value; may be empty.

    Raises
    ------
    ValueError
        There is no language.
    """
    if not values:
        raise ValueError("values_beside_floors needs a language or more")
    names = list(values)
    with house_style():
        figure, axis = plt.subplots(figsize=(7.4, 0.45 * len(names) + 1.6))
        for place, name in enumerate(reversed(names)):
            own = np.ravel(np.asarray(values[name], dtype=float))
            if len(own) > 1:
                axis.hlines(place, *t_interval(own), color=PALETTE["blue"], linewidth=4, alpha=0.5)
            axis.plot(
                own.mean(), place, "o", color=PALETTE["blue"], label="measured" if place == 0 else None, markersize=8
            )
            for (kind, per_language), marker, colour in zip(
                floors.items(), MARKERS[1:], list(PALETTE.values())[1:], strict=False
            ):
                if name in per_language:
                    axis.plot(
                        per_language[name],
                        place,
                        marker,
                        color=colour,
                        label=kind if place == 0 else None,
                        markerfacecolor="none",
                    )
        axis.set_yticks(range(len(names)), [name_of(name) for name in reversed(names)])
        axis.set_xlabel(quantity)
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    above = [
        name_of(name)
        for name in names
        if all(np.mean(values[name]) > own[name] for own in floors.values() if name in own)
    ]
    if floors:
        said = f"beside {', '.join(floors)}. Above all of these: {', '.join(above) if above else 'none'}."
    else:
        ordered = sorted(names, key=lambda name: float(np.mean(values[name])))
        said = f"from smallest to largest: {', '.join(map(name_of, ordered))}."
    return figure, f"Dot plot of {quantity} for {len(names)} rows, {said}"


def recovery(series: Mapping[str, Mapping[float, Sequence[float]]], *, over: str, quantity: str) -> tuple[Figure, str]:
    """Lines of means over seeds against a size, with all values as points; the size on a logarithmic axis."""
    with house_style():
        figure, axis = plt.subplots(figsize=(6.6, 3.8))
        said = []
        for (name, points), marker, colour in zip(series.items(), MARKERS, PALETTE.values(), strict=False):
            sizes = sorted(points)
            means = [float(np.mean(points[size])) for size in sizes]
            axis.plot(sizes, means, marker=marker, color=colour, label=name)
            for size in sizes:
                axis.plot(np.full(np.size(points[size]), size), np.ravel(points[size]), ".", color=colour, alpha=0.5)
            said.append(f"{name}: {means[0]:.2f} to {means[-1]:.2f}")
        axis.set_xscale("log")
        axis.set_xlabel(over)
        axis.set_ylabel(quantity)
        axis.legend(loc="best")
    return figure, f"Line plot of {quantity} over {over}, smallest to largest: " + "; ".join(said) + "."


def correlation_tree(
    languages: Sequence[str], matrix: NDArray[np.float64], tree: NDArray[np.float64]
) -> tuple[Figure, str]:
    """Pearson correlations of the languages as a heat map, and the tree that joins them."""
    names = [name_of(language) for language in languages]
    with house_style():
        figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.9))
        drawn = dendrogram(
            tree, labels=names, orientation="left", ax=right, color_threshold=0, above_threshold_color=PALETTE["blue"]
        )
        right.set_xlabel("1 − correlation")
        right.grid(visible=False, axis="y")
        left.grid(visible=False)
        left.imshow(matrix, vmin=-1, vmax=1, cmap="cividis")
        for i, row in enumerate(matrix):
            for j, value in enumerate(row):
                left.text(
                    j,
                    i,
                    f"{value:.2f}",
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="black" if value > 0.2 else "white",
                )
        left.set_xticks(range(len(names)), names, rotation=45, ha="right")
        left.set_yticks(range(len(names)), names)
    return figure, (
        f"Heat map of correlations between {len(names)} languages, and the tree that joins them; leaves from below: "
        f"{', '.join(drawn['ivl'])}."
    )


def score_map(scores: Mapping[str, Mapping[str, float]], *, quantity: str) -> tuple[Figure, str]:
    """A column per language and a row per profession, coloured by its score; white where no form has a vector.

    Parameters
    ----------
    scores
        Language → concept → score.

    Raises
    ------
    ValueError
        No language has a score.
    """
    concepts = [p.concept for p in word_list("en").professions if any(p.concept in own for own in scores.values())]
    if not concepts:
        raise ValueError("score_map needs a language with a score")
    table = np.array([[own.get(concept, np.nan) for own in scores.values()] for concept in concepts])
    limit = float(np.nanmax(np.abs(table)))
    with house_style():
        figure, axis = plt.subplots(figsize=(0.62 * len(scores) + 3, 0.24 * len(concepts) + 1.4))
        axis.grid(visible=False)
        colours = plt.get_cmap("PuOr_r").with_extremes(bad="white")
        drawn = axis.imshow(table, vmin=-limit, vmax=limit, cmap=colours, aspect="auto")
        axis.set_xticks(range(len(scores)), [name_of(x) for x in scores], rotation=45, ha="right")
        axis.set_yticks(range(len(concepts)), concepts, fontsize=8)
        figure.colorbar(drawn, label=quantity)
    female = [f"{name_of(x)} {sum(v > 0 for v in own.values())} of {len(own)}" for x, own in scores.items()]
    return figure, f"Map of {quantity} for {len(concepts)} professions. Leaning female: {', '.join(female)}."


def values_with_intervals(values: Mapping[str, tuple[float, float, float]], *, quantity: str) -> tuple[Figure, str]:
    """A dot and a line for each language: value, lower and upper end; zero is marked.

    Raises
    ------
    ValueError
        There is no language.
    """
    if not values:
        raise ValueError("values_with_intervals needs a language or more")
    names = list(values)
    with house_style():
        figure, axis = plt.subplots(figsize=(6.4, 0.42 * len(names) + 1.4))
        for place, name in enumerate(reversed(names)):
            value, low, high = values[name]
            axis.hlines(place, low, high, color=PALETTE["blue"], linewidth=4, alpha=0.5)
            axis.plot(value, place, "o", color=PALETTE["blue"], markersize=8)
        axis.axvline(0, color=PALETTE["grey"], linewidth=1)
        axis.set_yticks(range(len(names)), [name_of(name) for name in reversed(names)])
        axis.set_xlabel(quantity)
    open_ones = [name_of(name) for name, (_, low, high) in values.items() if low <= 0 <= high]
    return figure, (
        f"Dot plot of {quantity} with intervals for {len(names)} languages. "
        f"The interval holds zero for: {', '.join(open_ones) or 'none'}."
    )
