"""The numbers of one language over its seeds, and the comparisons of languages with each other.

Matthews et al. (2021), §4.2 and Figure 6. Not stated there and chosen here: the distance is one minus the correlation,
clusters are joined by average linkage, and a profession counts only where all languages have a score for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from trustnlp.plots.style import house_style
from trustnlp.studies.gender_bias_languages.data import CLUSTERED, LanguageText
from trustnlp.studies.gender_bias_languages.reproduction.one_language import LanguageRun

# Words from which on the size of a text is no excuse. Chinese ones are mostly single characters, about two to a word.
LARGE, LARGE_OF = 2_500_000, {"zh": 5_000_000}
FEWEST_PAIRS_OF_A_LARGE_TEXT = 5
EUROPE, ELSEWHERE = ["de", "es", "fr"], ["ar", "fa", "ur"]
Results = Mapping[str, Sequence[LanguageRun]]
Interval = str | tuple[float, float]


def over_seeds(runs: Sequence[LanguageRun]) -> dict[str, tuple[list[float], Interval]]:
    """The numbers that all runs of a language have, seed by seed, each with its interval.

    That is Student's t over the seeds. What is held against random pairs has also `..._random_high`, where their middle
    95 % end, and `..._above_random`, how far it is above their middle. The interval of the latter is the number minus
    the middle 95 %, the widest over the seeds: above zero, random pairs hardly ever reach it; around zero, often.

    Returns
    -------
    dict
        By the last names of a key: `gap`, `direct_bias`, `held_out_right`, `p_random`, … (`language_numbers`);
        `professions.equal_minus_weighted`, `.lowest_feminine`, `.highest_masculine_below_zero`, `.neutral_both_signs`,
        `.own_sign_share_above_half` (`profession_numbers`); `defining.female`, `defining.male_below_zero`,
        `defining.larger_lean` and `gap_gain` (`language_leans`), each also with `_random_high` and `_above_random`,
        such as `gap_gain_above_random`.
    """
    first, *others = runs
    series: dict[str, tuple[list[float], Interval]] = {
        name: ([run.numbers[name] for run in runs], "t")
        for name in first.numbers
        if all(name in run.numbers for run in others)
    }
    for name in first.beside_random:
        value, low, middle, high = np.array([run.beside_random[name] for run in runs]).T
        ends = (float((value - high).min()), float((value - low).max()))
        series[name], series[f"{name}_random_high"] = (value.tolist(), "t"), (high.tolist(), "t")
        series[f"{name}_above_random"] = (value - middle).tolist(), ends
    return series


def is_large(text: LanguageText, runs: Sequence[LanguageRun]) -> bool:
    """Whether a text is large enough that its size is no excuse: 2.5 million words, five usable distinct pairs."""
    pairs = min(run.numbers["distinct_pairs"] for run in runs)
    return text.tokens >= LARGE_OF.get(text.language, LARGE) and pairs >= FEWEST_PAIRS_OF_A_LARGE_TEXT


def compared(results: Results, large: Sequence[str]) -> dict[str, list[float]]:
    """The comparisons of languages, by metric's key, a value for each seed; left out where a language is missing.

    `zh.gap_below_others` and `zh.held_out_below_others` compare Chinese with the lowest of the other large texts.
    """
    comparisons = {}
    others = [language for language in large if language != "zh"]
    if "zh" in results and others:
        for name, key in (("gap", "gap_below_others"), ("held_out_right", "held_out_below_others")):
            numbers = {x: np.array([run.numbers[name] for run in results[x]]) for x in (*others, "zh")}
            comparisons[f"zh.{key}"] = (np.min([numbers[x] for x in others], axis=0) - numbers["zh"]).tolist()
    if set(CLUSTERED) <= set(results):
        comparisons["clusters.english_with_europe"] = [
            english_with_europe(
                correlations(common_scores({x: run.professions for x, run in zip(CLUSTERED, runs, strict=True)}))
            )
            for runs in zip(*(results[x] for x in CLUSTERED), strict=True)
        ]
    return comparisons


def common_scores(scores: Mapping[str, Mapping[str, float]]) -> pd.DataFrame:
    """`(professions, languages)` scores of the professions that every language has."""
    return pd.concat([pd.Series(own, name=language) for language, own in scores.items()], axis=1, join="inner")


def correlations(scores: pd.DataFrame) -> pd.DataFrame:
    """`(languages, languages)` Pearson correlations of the languages' scores."""
    return pd.DataFrame(np.corrcoef(scores.T), scores.columns, scores.columns)


def english_with_europe(matrix: pd.DataFrame) -> float:
    """Mean correlation of English with German, Spanish and French, minus that with Arabic, Farsi and Urdu."""
    return float(matrix.loc["en", EUROPE].mean() - matrix.loc["en", ELSEWHERE].mean())


def groups_of(matrix: pd.DataFrame) -> list[frozenset[str]]:
    """The groups of two or more languages in the order in which their correlations join them, but for that of all."""
    distances = 1 - (matrix + matrix.T).to_numpy() / 2
    np.fill_diagonal(distances, 0)
    groups = [frozenset([language]) for language in matrix]
    for first, second, *_ in linkage(squareform(np.clip(distances, 0, None), checks=False), "average"):
        groups.append(groups[int(first)] | groups[int(second)])
    return groups[len(matrix) : -1]


def group_support(scores: pd.DataFrame, resamples: int, rng: np.random.Generator) -> dict[frozenset[str], float]:
    """Group of the tree → share of resamples of the professions `(professions, languages)` in which it comes again.

    A resample in which a language has one score only is drawn again.
    """
    drawn: list[list[frozenset[str]]] = []
    while len(drawn) < resamples:
        sample = scores.iloc[rng.integers(len(scores), size=len(scores))]
        if (np.ptp(sample, axis=0) > 0).all():
            drawn.append(groups_of(correlations(sample)))
    return {group: float(np.mean([group in own for own in drawn])) for group in groups_of(correlations(scores))}


def score_map(scores: pd.DataFrame, quantity: str) -> tuple[Figure, str]:
    """Scores coloured by sign and size, white where there is none, and the figure's alternative text."""
    limit = float(scores.abs().max(axis=None))
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 0.27 * len(scores) + 1.6))
        axis.grid(visible=False)
        colours = plt.get_cmap("PuOr_r").with_extremes(bad="white")
        drawn = axis.imshow(scores.to_numpy(), vmin=-limit, vmax=limit, cmap=colours, aspect="auto")
        axis.set_xticks(range(scores.shape[1]), scores.columns, rotation=45, ha="right")
        axis.set_yticks(range(len(scores)), scores.index)
        figure.colorbar(drawn, label=quantity)
    above = [f"{name} {(own > 0).sum()} of {own.count()}" for name, own in scores.items()]
    return figure, f"Map of {quantity} for {len(scores)} rows. Above zero: {', '.join(above)}."
