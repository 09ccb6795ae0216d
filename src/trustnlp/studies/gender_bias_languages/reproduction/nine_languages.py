"""Nine languages trained and measured once per seed, and what compares one language with another.

Matthews et al. (2021), §4.2 and Figure 6. Not stated there and chosen here: the distance is one minus the correlation,
clusters are joined by average linkage, and a profession counts only where all languages have a score for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from tqdm.auto import tqdm

from trustnlp.bias.gender_direction.language_bias import LanguageBias
from trustnlp.bias.gender_direction.pair_directions import Pair
from trustnlp.data.words.gender_words import WORD_LANGUAGES, State, word_list
from trustnlp.plots.style import house_style
from trustnlp.studies.gender_bias_languages.data import CLUSTERED, LanguageText
from trustnlp.studies.gender_bias_languages.models import Training, trained
from trustnlp.studies.gender_bias_languages.reproduction.one_language import further_margins, language_numbers, measured

# Words from which on the size of a text is no excuse. Chinese ones are mostly single characters, about two to a word.
LARGE, LARGE_OF = 2_500_000, {"zh": 5_000_000}
FEWEST_PAIRS_OF_A_LARGE_TEXT = 5
_ABOVE = "_above_random"
FEWEST_PROFESSIONS = 5
EUROPE, ELSEWHERE = ("de", "es", "fr"), ("ar", "fa", "ur")
Metric = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class LanguageResults:
    """Numbers and scores of each language, a list with one entry for each seed.

    Attributes
    ----------
    numbers
        Language → seed by seed, name of the number → value.
    professions
        Language → seed by seed, concept → weighted score.
    defining
        Language → seed by seed, word of the concept ("husband") → score.
    forms
        Language → seed by seed, kind of form → concept → mean score.
    margins
        Language → seed by seed, a pair that is none of Table 1's → how far the direction puts it in order.
    """

    numbers: dict[str, list[dict[str, float]]]
    professions: dict[str, list[dict[str, float]]]
    defining: dict[str, list[dict[str, float]]]
    forms: dict[str, list[dict[str, dict[str, float]]]]
    margins: dict[str, list[dict[Pair, float]]]

    def series(self, language: str, name: str) -> list[float]:
        """A number's values over the seeds; KeyError where a seed lacks it."""
        return [own[name] for own in self.numbers[language]]

    def beyond_random(self, language: str, name: str) -> tuple[float, float]:
        """A number minus the middle 95 % of its null over random pairs (`beside_random`), the widest over the seeds.

        Above zero: random pairs hardly ever reach it. Around zero: they reach it often.
        """
        rows = self.numbers[language]
        lows, highs = ([own[name] - own[f"{name}_random_{end}"] for own in rows] for end in ("high", "low"))
        return min(lows), max(highs)

    def interval(self, language: str, name: str) -> str | tuple[float, float]:
        """The interval of a number in the record: that of Student's t over seeds, or `beyond_random`."""
        return self.beyond_random(language, name.removesuffix(_ABOVE)) if name.endswith(_ABOVE) else "t"

    def names(self, language: str) -> list[str]:
        """Numbers that all seeds of a language have."""
        first, *others = self.numbers[language]
        return [name for name in first if all(name in own for own in others)]


def run_languages(
    texts: Mapping[str, LanguageText],
    training: Training,
    seeds: Sequence[int],
    *,
    further: Mapping[str, Sequence[Pair]],
    state: State = "repaired",
    draws: int,
) -> LanguageResults:
    """Train each language with each seed and measure it; `further` are the pairs that its direction is tried on."""
    results = LanguageResults(*(dict[str, list[Any]]((x, []) for x in texts) for _ in range(5)))
    jobs = [(language, seed) for language in texts for seed in seeds]
    for language, seed in tqdm(jobs, unit="training", disable=None):
        text = texts[language]
        vectors = trained(text.texts, training, seed)
        rng = np.random.default_rng(seed)
        bias = measured(text, vectors, rng=rng, state=state, draws=draws)
        results.numbers[language].append(language_numbers(text, vectors, bias, rng=rng, draws=draws))
        form = text.words.form
        written = [(form(female), form(male)) for female, male in further.get(language, ())]
        results.margins[language].append(further_margins(vectors, bias.direction.g, written))
        results.professions[language].append({c: p.weighted for c, p in bias.professions.items()})
        results.defining[language].append(defining_scores(text, bias, state))
        results.forms[language].append(form_scores(text, bias))
    return results


def defining_scores(text: LanguageText, bias: LanguageBias, state: State = "repaired") -> dict[str, float]:
    """English word of a concept → the score of its counterpart; pairs without vectors are left out."""
    found: dict[str, float] = {}
    for concept, pair in text.pairs(state).items():
        if pair in bias.defining:
            found |= dict(zip(concept.split("-"), bias.defining[pair], strict=True))
    return found


def form_scores(text: LanguageText, bias: LanguageBias) -> dict[str, dict[str, float]]:
    """Kind of form → concept → mean score of its forms of that kind (Figure 4)."""
    form = text.words.form
    kinds: dict[str, dict[str, float]] = {"feminine": {}, "masculine": {}, "neutral": {}}
    for profession in word_list(text.language).professions:
        known = bias.professions.get(profession.concept)
        for kind, own in kinds.items():
            scores = (
                [known.scores[form(w)] for w in getattr(profession, kind) if form(w) in known.scores] if known else []
            )
            if scores:
                own[profession.concept] = float(np.mean(scores))
    return kinds


def is_large(text: LanguageText, results: LanguageResults) -> bool:
    """Whether a text is large enough that its size is no excuse: 2.5 million words, five usable distinct pairs."""
    pairs = min(row["distinct_pairs"] for row in results.numbers[text.language])
    return text.tokens >= LARGE_OF.get(text.language, LARGE) and pairs >= FEWEST_PAIRS_OF_A_LARGE_TEXT


def compared(results: LanguageResults, large: Sequence[str]) -> dict[str, list[float]]:
    """The comparisons of languages, by metric's key, a value for each seed; left out where a language is missing.

    `zh.gap_below_others` and `zh.held_out_below_others` compare Chinese with the lowest of the other large texts.
    """
    found: dict[str, list[float]] = {}
    others = [language for language in large if language != "zh"]
    if "zh" in results.numbers and others:
        for name, key in (("gap", "gap_below_others"), ("held_out_right", "held_out_below_others")):
            rows = np.array([results.series(x, name) for x in others])
            found[f"zh.{key}"] = (rows.min(axis=0) - np.array(results.series("zh", name))).tolist()
    clustered = [language for language in CLUSTERED if language in results.professions]
    if len(clustered) == len(CLUSTERED):
        found["clusters.english_with_europe"] = [
            english_with_europe(
                clustered, correlations(common_scores({x: results.professions[x][i] for x in clustered})[1])
            )
            for i in range(len(next(iter(results.professions.values()))))
        ]
    return found


def common_scores(scores: Mapping[str, Mapping[str, float]]) -> tuple[list[str], NDArray[np.float64]]:
    """Professions that every language has, and their scores `(languages, professions)`.

    Raises
    ------
    ValueError
        If there are fewer than two languages, or fewer than five such professions.
    """
    if len(scores) < 2:
        raise ValueError(f"expected two languages or more, got {len(scores)}")
    shared = [concept for concept in next(iter(scores.values())) if all(concept in own for own in scores.values())]
    if len(shared) < FEWEST_PROFESSIONS:
        raise ValueError(f"only {len(shared)} professions have a score in all of {', '.join(scores)}; leave one out")
    return shared, np.array([[own[concept] for concept in shared] for own in scores.values()])


def correlations(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """`(L, L)` Pearson correlations of the languages' scores `(L, P)`.

    Raises
    ------
    ValueError
        If a language has the same score for all professions.
    """
    if (np.ptp(rows, axis=1) == 0).any():
        raise ValueError("a language has one score for all professions: its correlations are undefined")
    return np.asarray(np.corrcoef(rows), dtype=np.float64)


def english_with_europe(languages: Sequence[str], matrix: NDArray[np.float64]) -> float:
    """Mean correlation of English with German, Spanish and French, minus that with Arabic, Farsi and Urdu.

    Raises
    ------
    ValueError
        If English is missing, or all of one of the groups.
    """
    near, far = ([languages.index(x) for x in group if x in languages] for group in (EUROPE, ELSEWHERE))
    if "en" not in languages or not near or not far:
        raise ValueError(f"expected English and languages of both groups, got {', '.join(languages)}")
    row = matrix[languages.index("en")]
    return float(row[near].mean() - row[far].mean())


def joined(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """scipy's linkage `(L-1, 4)` of languages, from their correlations `(L, L)`."""
    distances = 1 - (matrix + matrix.T) / 2
    np.fill_diagonal(distances, 0)
    tree: NDArray[np.float64] = linkage(squareform(np.clip(distances, 0, None), checks=False), "average")
    return tree


def groups_of(tree: NDArray[np.float64]) -> set[frozenset[int]]:
    """The groups of two or more languages that a tree joins, but for that of all."""
    count = len(tree) + 1
    members = [frozenset([i]) for i in range(count)]
    for first, second, *_ in tree:
        members.append(members[int(first)] | members[int(second)])
    return set(members[count:-1])


def group_support(
    rows: NDArray[np.float64], resamples: int, rng: np.random.Generator
) -> tuple[dict[frozenset[int], float], NDArray[np.float64]]:
    """How often each group of the tree comes again when professions are resampled, and the resampled correlations.

    Returns
    -------
    Group → share of resamples, and `(resamples, L, L)`. A resample in which a language has one score only is drawn
    again.
    """
    found = groups_of(joined(correlations(rows)))
    counts = dict.fromkeys(found, 0)
    drawn: list[NDArray[np.float64]] = []
    while len(drawn) < resamples:
        sample = rows[:, rng.integers(rows.shape[1], size=rows.shape[1])]
        if (np.ptp(sample, axis=1) == 0).any():
            continue
        drawn.append(correlations(sample))
        for group in groups_of(joined(drawn[-1])) & found:
            counts[group] += 1
    return {group: count / resamples for group, count in counts.items()}, np.array(drawn)


def of_languages(metrics: Mapping[str, Metric], name: str) -> dict[str, Metric]:
    """Language → its metric of a name ("defining.husband"); languages without it are left out."""
    keys = {language: f"{language}.{name}" for language in WORD_LANGUAGES}
    return {language: metrics[key] for language, key in keys.items() if key in metrics}


def by_side(metrics: Mapping[str, Metric]) -> dict[str, list[str]]:
    """Languages whose whole interval is above zero, below zero, or that zero divides: `above`, `below`, `open`."""
    found: dict[str, list[str]] = {"above": [], "below": [], "open": []}
    for language, metric in metrics.items():
        low, high = (metric["mean"] if metric[end] is None else metric[end] for end in ("low", "high"))
        found["above" if low > 0 else "below" if high < 0 else "open"].append(language)
    return found


def score_map(scores: pd.DataFrame, quantity: str) -> tuple[Figure, str]:
    """Scores coloured by sign and size, white where there is none, and the figure's alternative text.

    Raises
    ------
    ValueError
        If there is no score.
    """
    if scores.isna().all(axis=None):
        raise ValueError("a map needs a score")
    limit = float(scores.abs().max(axis=None))
    with house_style():
        figure, axis = plt.subplots(figsize=(0.62 * scores.shape[1] + 3, 0.24 * len(scores) + 1.6))
        axis.grid(visible=False)
        colours = plt.get_cmap("PuOr_r").with_extremes(bad="white")
        drawn = axis.imshow(scores.to_numpy(), vmin=-limit, vmax=limit, cmap=colours, aspect="auto")
        axis.set_xticks(range(scores.shape[1]), scores.columns, rotation=45, ha="right")
        axis.set_yticks(range(len(scores)), scores.index, fontsize=8)
        figure.colorbar(drawn, label=quantity)
    above = [f"{name} {(own > 0).sum()} of {own.count()}" for name, own in scores.items()]
    return figure, f"Map of {quantity} for {len(scores)} rows. Above zero: {', '.join(above)}."
