"""Gender bias in word vectors of one language's text, and whether its direction is about gender at all.

Matthews et al. (2021), §4, Figures 1 to 5. Not stated in the paper and chosen here: vectors of unit length for the
direction. The pairs that made a direction cannot tell what it is about, nor can a pair whose words are under test; so
it is tried on other pairs, at least twenty of them, by an exact test against a coin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from trustnlp.bias.gender_direction.direct_bias import signed_scores
from trustnlp.bias.gender_direction.direction_nulls import random_gap_gains, random_side_means
from trustnlp.bias.gender_direction.language_bias import LanguageBias, gender_bias
from trustnlp.bias.gender_direction.pair_directions import Pair, gender_direction, usable_pairs
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.data import LanguageText
from trustnlp.studies.gender_bias_languages.models import Training, trained

KINDS = ("feminine", "masculine", "neutral")
FEWEST_FURTHER = 20
LEVEL = 0.05
_MIDDLE = (0.025, 0.5, 0.975)  # of the random pairs
_SHARE = 0.8  # of pairs that a direction orders, for the power that is told
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LanguageRun:
    """One training on a language's text, measured.

    Attributes
    ----------
    numbers
        Those that the claims on one language read, by the last names of their metric's key; one is left out where a
        word that it needs has no vector.
    beside_random
        Likewise, those that are held against random pairs: the number, and where the middle 95 % of the random ones
        begin, their middle, and where they end.
    professions
        Concept → weighted score.
    defining
        English word of a concept ("husband") → score of its counterpart.
    forms
        Kind of form → concept → mean score of its forms of that kind (Figure 4).
    margins
        A pair that is none of Table 1's → how far the direction puts it in order.
    """

    numbers: dict[str, float]
    beside_random: dict[str, list[float]]
    professions: dict[str, float]
    defining: dict[str, float]
    forms: dict[str, dict[str, float]]
    margins: dict[Pair, float]


def run_language(
    text: LanguageText, training: Training, seed: int, *, further: Sequence[Pair], draws: int
) -> LanguageRun:
    """Train on the text, and measure; `further` are the pairs that the direction is tried on, as the lists write them.

    The random pairs, `draws` times as many as the pairs, say how far the two sides lie apart without gender.
    """
    vectors = trained(text.texts, training, seed)
    rng = np.random.default_rng(seed)
    bias = measured(text, vectors, rng=rng, draws=draws)
    form = text.words.form
    defining = {
        word: score
        for concept, pair in text.pairs().items()
        if pair in bias.defining
        for word, score in zip(concept.split("-"), bias.defining[pair], strict=True)
    }
    beside = language_leans(text, vectors, bias, rng=rng, draws=draws)
    scores = form_scores(text, bias)
    return LanguageRun(
        numbers=language_numbers(bias)
        | {f"defining.{word}": defining[word] for word in ("husband", "man") if word in defining}
        | profession_numbers(scores, bias),
        beside_random={name: [value, *np.quantile(null, _MIDDLE).tolist()] for name, (value, null) in beside.items()},
        professions={concept: own.weighted for concept, own in bias.professions.items()},
        defining=defining,
        forms={
            kind: scores[scores["kind"] == kind].groupby("concept", sort=False)["score"].mean().to_dict()
            for kind in KINDS
        },
        margins=further_margins(vectors, bias.direction.g, [(form(female), form(male)) for female, male in further]),
    )


def measured(text: LanguageText, vectors: WordVectors, *, rng: np.random.Generator, draws: int) -> LanguageBias:
    """`gender_bias` with the text's own words and counts."""
    return gender_bias(
        vectors,
        language=text.language,
        pairs=list(text.pairs().values()),
        professions=text.professions(),
        counts=text.counts,
        rng=rng,
        draws=draws,
    )


def language_numbers(bias: LanguageBias) -> dict[str, float]:
    """How many pairs there are, what their components hold, and DirectBias beside its floors."""
    numbers = {
        "pairs": len(bias.direction.pairs),
        "distinct_pairs": len(set(bias.direction.pairs)),
        "first_share": float(bias.direction.shares[0]),
        "gap": bias.direction.gap,
        "p_random": bias.p_random,
        "direct_bias": bias.direct_bias,
        **{f"floor.{name}": value for name, value in bias.floors.items()},
    }
    perhaps = {"held_out_right": bias.held_out_right, "p_repairings": bias.p_repairings}
    return numbers | {name: value for name, value in perhaps.items() if value is not None}


def language_leans(
    text: LanguageText, vectors: WordVectors, bias: LanguageBias, *, rng: np.random.Generator, draws: int
) -> dict[str, tuple[float, Floats]]:
    """`side_leans`; and `gap_gain`, what the gap gains without *wife–husband*, where two other pairs are left."""
    pairs = bias.direction.pairs
    female, male = (float(np.mean([bias.defining[pair][side] for pair in pairs])) for side in (0, 1))
    leans = side_leans(female, male, random_side_means(vectors, pairs, draws, rng=rng))
    couple = text.pairs().get("wife-husband")
    wives = [place for place, pair in enumerate(pairs) if pair == couple]
    if wives and len(pairs) - len(wives) >= 2:
        others = [pair for place, pair in enumerate(pairs) if place not in wives]
        gain = gender_direction(vectors, others, fewest=1).gap - bias.direction.gap
        leans["gap_gain"] = gain, random_gap_gains(vectors, pairs, wives, draws, rng=rng)
    return leans


def side_leans(female: float, male: float, random: Floats) -> dict[str, tuple[float, Floats]]:
    """Mean scores of the female and of the male defining words, each beside those of random pairs `(draws, 2)`.

    The direction comes from these very words, so that its sides lie apart in random pairs as well: a mean above zero
    shows nothing. `larger_lean` is above zero only where female words lean female, male ones male, and the former
    more: where one side leans to the other's, neither this statement nor its opposite holds. Many random sets have it
    above zero, and about as many its opposite.
    """
    return {
        "defining.female": (female, random[:, 0]),
        "defining.male_below_zero": (-male, -random[:, 1]),
        "defining.larger_lean": (min(female + male, -male), np.minimum(random.sum(axis=1), -random[:, 1])),
    }


def form_scores(text: LanguageText, bias: LanguageBias) -> pd.DataFrame:
    """Scores of the professions' forms that have a vector: `concept`, `kind`, `word`, `score`."""
    known = {form: score for own in bias.professions.values() for form, score in own.scores.items()}
    form = text.words.form
    rows = [
        (profession.concept, kind, word, known[form(word)])
        for profession in text.listed().professions
        for kind in KINDS
        for word in getattr(profession, kind)
        if form(word) in known
    ]
    return pd.DataFrame(rows, columns=["concept", "kind", "word", "score"])


def profession_numbers(scores: pd.DataFrame, bias: LanguageBias) -> dict[str, float]:
    """§4.2: equal weights of forms against counts, and the signs of feminine, masculine and neutral forms.

    Returns
    -------
    dict
        `professions.equal_minus_weighted`; where there are such forms `professions.lowest_feminine`,
        `.highest_masculine_below_zero` and `.neutral_both_signs`, above zero where the signs are as the paper says; and
        `professions.own_sign_share_above_half`, the share of gendered forms with the sign of their gender.
    """
    distinct = scores.drop_duplicates(["kind", "word"])
    feminine, masculine, neutral = (distinct.loc[distinct["kind"] == kind, "score"] for kind in KINDS)
    equal, weighted = (
        float(np.mean([getattr(own, weights) for own in bias.professions.values()]))
        for weights in ("equal", "weighted")
    )
    numbers = {"professions.equal_minus_weighted": equal - weighted}
    if len(feminine):
        numbers["professions.lowest_feminine"] = feminine.min()
    if len(masculine):
        numbers["professions.highest_masculine_below_zero"] = -masculine.max()
    if len(neutral):
        numbers["professions.neutral_both_signs"] = min(neutral.max(), -neutral.min())
    if len(feminine) and len(masculine):
        own = [*(feminine > 0), *(masculine < 0)]
        numbers["professions.own_sign_share_above_half"] = float(np.mean(own)) - 0.5
    return numbers


@dataclass(frozen=True)
class GenderGate:
    """The evidence of other pairs on a direction.

    Attributes
    ----------
    pairs, right
        Pairs with vectors in every seed; the share of them that is in order, on average over the seeds.
    p_value
        Chance that a coin puts as many in order, one-sided and exact; 1 without pairs.
    power
        Chance that the test, at its level, passes a direction that orders four fifths of so many pairs.
    """

    pairs: int
    right: float
    p_value: float
    power: float

    @property
    def passed(self) -> bool:
        """Twenty pairs or more, and a p-value of at most 5 %."""
        return self.pairs >= FEWEST_FURTHER and self.p_value <= LEVEL


def further_margins(vectors: WordVectors, g: Floats, pairs: Sequence[Pair]) -> dict[Pair, float]:
    """`cos(female, g) - cos(male, g)` of the pairs that have vectors; above zero a pair is in order."""
    used = usable_pairs(vectors, dict.fromkeys(pairs))
    return {pair: float(np.subtract(*signed_scores(vectors, pair, g))) for pair in used}


def gender_gate(margins: Sequence[Mapping[Pair, float]]) -> GenderGate:
    """The test over the pairs that all seeds have; a pair counts as in order where its mean margin is above zero."""
    shared = [pair for pair in margins[0] if all(pair in own for own in margins)]
    right = sum(bool(np.mean([own[pair] for own in margins]) > 0) for pair in shared)
    if not shared:
        return GenderGate(0, 0.0, 1.0, 0.0)
    number = len(shared)
    p_value = stats.binomtest(right, number, alternative="greater").pvalue
    needed = int(stats.binom.isf(LEVEL, number, 0.5)) + 1  # the fewest that a coin reaches at most so often
    return GenderGate(number, right / number, float(p_value), float(stats.binom.sf(needed - 1, number, _SHARE)))
