"""All that is measured on word vectors of one language's text, and whether its direction is about gender at all.

Matthews et al. (2021), §4, Figures 1 to 5. Not stated in the paper and chosen here: vectors of unit length for the
direction. The pairs that made a direction cannot tell what it is about, nor can a pair whose words are under test; so
it is tried on other pairs, at least twenty of them, by an exact test against a coin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from trustnlp.bias.gender_direction.direct_bias import signed_scores
from trustnlp.bias.gender_direction.direction_nulls import random_gap_gains, random_side_means
from trustnlp.bias.gender_direction.language_bias import LanguageBias, gender_bias
from trustnlp.bias.gender_direction.pair_directions import Pair, gender_direction, usable_pairs
from trustnlp.data.words.gender_words import State
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.data import LanguageText

_MIDDLE = (0.025, 0.5, 0.975)  # of the random pairs
FEWEST_FURTHER = 20
LEVEL = 0.05
_SHARE = 0.8  # of pairs that a direction orders, for the power that is told


def measured(
    text: LanguageText,
    vectors: WordVectors,
    *,
    rng: np.random.Generator,
    state: State = "repaired",
    homographs: bool = True,
    draws: int = 1000,
) -> LanguageBias:
    """`gender_bias` with the text's own words and counts."""
    return gender_bias(
        vectors,
        language=text.language,
        pairs=list(text.pairs(state, homographs=homographs).values()),
        professions=text.professions(homographs=homographs),
        counts=text.counts,
        rng=rng,
        draws=draws,
    )


def language_numbers(
    text: LanguageText, vectors: WordVectors, bias: LanguageBias, *, rng: np.random.Generator, draws: int
) -> dict[str, float]:
    """The numbers that the claims on one language read, by the last names of its metric's key.

    A number is left out where a word that it needs has no vector. The random pairs, `draws` times as many as the pairs,
    say how far the two sides lie apart without gender.
    """
    pairs = text.pairs()
    score = {word: value for pair, values in bias.defining.items() for word, value in zip(pair, values, strict=True)}
    female, male = (float(np.mean([score[p[side]] for p in bias.direction.pairs])) for side in (0, 1))
    numbers = {
        "pairs": len(bias.direction.pairs),
        "distinct_pairs": len(set(bias.direction.pairs)),
        "first_share": float(bias.direction.shares[0]),
        "gap": bias.direction.gap,
        "p_random": bias.p_random,
        "direct_bias": bias.direct_bias,
        **{f"floor.{name}": value for name, value in bias.floors.items()},
        **side_margins(female, male, random_side_means(vectors, bias.direction.pairs, draws, rng=rng)),
    }
    if bias.held_out_right is not None:
        numbers["held_out_right"] = bias.held_out_right
    if bias.p_repairings is not None:
        numbers["p_repairings"] = bias.p_repairings
    for concept, side, name in (
        ("wife-husband", 1, "husband"),
        ("woman-man", 1, "man"),
        ("wife-husband", 0, "wife"),
    ):
        if concept in pairs and pairs[concept] in bias.direction.pairs:
            numbers[f"defining.{name}"] = score[pairs[concept][side]]
    used = bias.direction.pairs
    wives = [place for place, pair in enumerate(used) if pair == pairs.get("wife-husband")]
    if wives and len(used) - len(wives) >= 2:
        others = [pair for place, pair in enumerate(used) if place not in wives]
        gain = gender_direction(vectors, others, fewest=1).gap - bias.direction.gap
        random = random_gap_gains(vectors, used, wives, draws, rng=rng)
        numbers |= beside_random("gap_gain", gain, random)
    return numbers | profession_numbers(text, bias)


def beside_random(name: str, value: float, random: NDArray[np.float64]) -> dict[str, float]:
    """A number as `name`, where the middle 95 % of its null `(draws,)` end, and how far it is above the middle."""
    low, middle, high = np.quantile(random, _MIDDLE).tolist()
    return {name: value, f"{name}_random_low": low, f"{name}_random_high": high, f"{name}_above_random": value - middle}


def side_margins(female: float, male: float, random: NDArray[np.float64]) -> dict[str, float]:
    """Mean scores of the female and of the male defining words, against those of random pairs `(draws, 2)`.

    The direction comes from these very words, so that its sides lie apart in random pairs as well: a mean above zero
    shows nothing. `beside_random` says how far beyond random pairs it is. `larger_lean` is above zero only where female
    words lean female, male ones male, and the former more: where one side leans to the other's, neither this statement
    nor its opposite holds. Many random sets have it above zero, and about as many its opposite.
    """
    lean = np.minimum(random.sum(axis=1), -random[:, 1])
    return {
        **beside_random("defining.female", female, random[:, 0]),
        **beside_random("defining.male_below_zero", -male, -random[:, 1]),
        **beside_random("defining.larger_lean", min(female + male, -male), lean),
    }


def profession_numbers(text: LanguageText, bias: LanguageBias) -> dict[str, float]:
    form = text.words.form
    kinds: dict[str, dict[str, float]] = {"feminine": {}, "masculine": {}, "neutral": {}}
    scientist: dict[str, float] = {}
    for profession in text.listed().professions:
        scores = bias.professions[profession.concept].scores if profession.concept in bias.professions else {}
        for kind, found in kinds.items():
            found.update({word: scores[form(word)] for word in getattr(profession, kind) if form(word) in scores})
            if profession.concept == "scientist" and kind != "neutral":
                scientist.update((kind, scores[form(w)]) for w in getattr(profession, kind)[:1] if form(w) in scores)
    numbers = {
        "professions.known": float(len(bias.professions)),
        "professions.equal_mean": float(np.mean([p.equal for p in bias.professions.values()])),
        "professions.weighted_mean": float(np.mean([p.weighted for p in bias.professions.values()])),
    }
    numbers["professions.equal_minus_weighted"] = (
        numbers["professions.equal_mean"] - numbers["professions.weighted_mean"]
    )
    numbers |= {f"professions.scientist_{kind}": value for kind, value in scientist.items()}
    feminine, masculine, neutral = (list(kinds[kind].values()) for kind in ("feminine", "masculine", "neutral"))
    if feminine:
        numbers["professions.lowest_feminine"] = min(feminine)
    if masculine:
        numbers["professions.highest_masculine_below_zero"] = -max(masculine)
    if neutral:
        numbers["professions.neutral_both_signs"] = min(max(neutral), -min(neutral))
    if feminine and masculine:
        own = [value > 0 for value in feminine] + [value < 0 for value in masculine]
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


def further_margins(vectors: WordVectors, g: NDArray[np.float64], pairs: Sequence[Pair]) -> dict[Pair, float]:
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
