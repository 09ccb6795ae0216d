"""Nine languages trained and measured once per seed, and what compares one language with another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from trustnlp.bias.gender_direction.language_bias import LanguageBias
from trustnlp.bias.gender_direction.pair_directions import Pair
from trustnlp.data.words.gender_words import State, word_list
from trustnlp.studies.gender_bias_languages.data.language_runs import CLUSTERED, LanguageText
from trustnlp.studies.gender_bias_languages.models import Training, trained
from trustnlp.studies.gender_bias_languages.reproduction.direction_gate import further_margins
from trustnlp.studies.gender_bias_languages.reproduction.language_clusters import (
    common_scores,
    correlations,
    english_with_europe,
)
from trustnlp.studies.gender_bias_languages.reproduction.measured_languages import language_numbers, measured

# Words from which on the size of a text is no excuse. Chinese ones are mostly single characters, about two to a word.
LARGE, LARGE_OF = 2_500_000, {"zh": 5_000_000}
FEWEST_PAIRS_OF_A_LARGE_TEXT = 5
_ABOVE = "_above_random"


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
        """What a record gives a number as its interval: that of Student's t over seeds, or `beyond_random`."""
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
    """What compares languages, by metric's key, a value for each seed; left out where a language is missing.

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
