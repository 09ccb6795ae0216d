"""Numbers of a language on planted vectors, and the gate: is its direction about gender?"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from trustnlp.bias.gender_direction.direction_nulls import random_gap_gains, words_of_like_frequency
from trustnlp.bias.gender_direction.pair_directions import gender_direction
from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import word_list
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.reproduction import one_language
from trustnlp.studies.gender_bias_languages.reproduction.nine_languages import (
    LanguageResults,
    compared,
    is_large,
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(("female", "male"), [(0.3, -0.1), (0.1, -0.3), (0.08, 0.02), (-0.02, -0.1), (0.2, -0.2)])
def test_the_larger_female_lean_and_its_opposite_never_hold_together(female: float, male: float) -> None:
    random = np.zeros((100, 2))
    here = one_language.side_margins(female, male, random)["defining.larger_lean"]
    opposite = one_language.side_margins(-male, -female, random)["defining.larger_lean"]
    assert not (here > 0 and opposite > 0)
    if female <= 0 or male >= 0:  # one side leans to the other's: neither holds
        assert here <= 0 and opposite <= 0
    assert (here > 0) == (female > -male > 0)


def test_sides_are_held_against_random_pairs() -> None:
    random = np.stack([np.linspace(0, 1, 101), np.linspace(0.1, -0.9, 101)], axis=1)
    lean = np.median(np.minimum(random.sum(axis=1), -random[:, 1]))
    expected = {
        "female_random_low": 0.025, "female_random_high": 0.975, "female_above_random": 0.46,
        "male_below_zero_random_high": 0.875, "male_below_zero_above_random": 0.5 - 0.4,
        "larger_lean": 0.46, "larger_lean_above_random": 0.46 - lean,
    }  # fmt: skip
    found = one_language.side_margins(0.96, -0.5, random)
    assert {key: found[f"defining.{key}"] for key in expected} == pytest.approx(expected)


def planted_spanish(lean: float) -> WordVectors:
    """Unit vectors whose first coordinate is the truth: pairs at ±lean, wife and husband elsewhere, forms at ±.3."""
    listed, form = word_list("es"), LanguageWords("es").form
    pairs = [(form(female), form(male)) for female, male in listed.pairs.values()]
    truth = {word: value for pair in pairs for word, value in zip(pair, (lean, -lean), strict=True)}
    for profession in listed.professions:
        for kind, value in (("feminine", 0.3), ("masculine", -0.3), ("neutral", 0.1)):
            truth |= {form(word): value for word in getattr(profession, kind) if form(word) not in truth}
    # Ranks far from the pairs' own, so that random pairs are of other words
    words = [f"w{i}" for i in range(200)] + list(truth) + [f"v{i}" for i in range(200)]
    at = {word: row for row, word in enumerate(words)}
    rows = rng(5).standard_normal((len(words), 40))
    rows[:, :2] = 0
    for female, male in pairs:
        rows[at[male]] = rows[at[female]]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for word, value in truth.items():
        rows[at[word]] *= np.sqrt(1 - value**2)
        rows[at[word], 0] = value
    for word, value in zip(map(form, listed.pairs["wife-husband"]), (0.4, -0.4), strict=True):
        rows[at[word], :2] = 0, value  # differ along another axis
    return WordVectors(words, rows, "planted Spanish")


def test_numbers_of_a_language_have_the_planted_signs(spanish) -> None:
    vectors = planted_spanish(0.4)
    bias = one_language.measured(spanish, vectors, rng=rng(), draws=60)
    row = one_language.language_numbers(spanish, vectors, bias, rng=rng(), draws=60)
    assert row["gap_gain"] > 0.1 and row["gap_gain_above_random"] > 0, "all pairs but one are of one axis"
    assert row["defining.female"] > 0.3 and row["defining.male_below_zero"] > 0.3
    assert row["professions.own_sign_share_above_half"] == pytest.approx(0.5)
    assert row["professions.lowest_feminine"] == pytest.approx(0.3, abs=0.02)
    assert row["professions.highest_masculine_below_zero"] == pytest.approx(0.3, abs=0.02)
    forms = [form for own in spanish.professions().values() for form in own if form in vectors]
    counts = {form: 100 if vectors[form][0] < 0 else 1 for form in forms}
    male = spanish.with_texts([[[form] * count for form, count in counts.items()]])
    row = one_language.language_numbers(
        male, vectors, one_language.measured(male, vectors, rng=rng(), draws=60), rng=rng(), draws=60
    )
    assert row["professions.equal_minus_weighted"] > 0.1, "masculine forms are the frequent ones"


def test_random_gains_are_a_loop_over_the_sets_drawn() -> None:
    vectors = planted_spanish(0.4)
    pairs = [("w100", "w101"), ("w102", "w103"), ("w104", "w105"), ("w106", "w107")]
    gains = random_gap_gains(vectors, pairs, [1], 20, rng=rng())
    rows = words_of_like_frequency(vectors, [word for pair in pairs for word in pair], 20, rng=rng())
    for drawn, gain in zip(rows, gains, strict=True):
        again = [tuple(vectors.words[row] for row in pair) for pair in drawn.reshape(-1, 2)]
        left = gender_direction(vectors, again[:1] + again[2:]).gap - gender_direction(vectors, again).gap
        assert gain == pytest.approx(left, abs=1e-5)
    with pytest.raises(ValueError, match="1 of 4 pairs are left"):
        random_gap_gains(vectors, pairs, [0, 1, 2], 5, rng=rng())


def test_chinese_is_compared_with_the_lowest_of_the_large_ones() -> None:
    given = {"zh": (0.1, 0.3), "es": (0.5, 1.0), "en": (0.3, 0.8), "wo": (0.0, 0.0)}
    numbers = {language: [{"gap": gap, "held_out_right": right}] for language, (gap, right) in given.items()}
    found = compared(LanguageResults(numbers, {"zh": [{}]}, {}, {}, {}), ["zh", "es", "en"])
    assert found["zh.gap_below_others"] == pytest.approx([0.2])
    assert found["zh.held_out_below_others"] == pytest.approx([0.5])


def test_a_chinese_text_is_large_with_twice_as_many_tokens(spanish) -> None:
    results = LanguageResults({x: [{"distinct_pairs": 7.0}] for x in ("es", "zh")}, {}, {}, {}, {})
    for language, tokens, large in (("es", 2_500_000, True), ("zh", 2_500_000, False), ("zh", 5_000_000, True)):
        text = SimpleNamespace(language=language, tokens=tokens)
        assert is_large(text, results) is large


def margins(right: int, wrong: int) -> dict[tuple[str, str], float]:
    return {(f"f{i}", f"m{i}"): 0.1 if i < right else -0.1 for i in range(right + wrong)}


@pytest.mark.parametrize(
    ("right", "wrong", "passed"),
    [(15, 5, True), (14, 6, False), (19, 0, False), (30, 6, True), (0, 36, False), (0, 0, False)],
)
def test_a_gate_asks_for_twenty_pairs_and_more_in_order_than_a_coin_gives(right: int, wrong: int, passed: bool) -> None:
    gate = one_language.gender_gate([margins(right, wrong)])
    assert gate.passed is passed and gate.pairs == right + wrong
    if right + wrong:
        assert gate.right == pytest.approx(right / (right + wrong))
        assert gate.p_value == pytest.approx(stats.binom.sf(right - 1, right + wrong, 0.5))


@pytest.mark.parametrize("number", [20, 23, 36])
def test_its_power_is_the_chance_to_pass_a_direction_that_orders_four_fifths(number: int) -> None:
    power = one_language.gender_gate([margins(number, 0)]).power
    fewest = next(k for k in range(number + 1) if stats.binom.sf(k - 1, number, 0.5) <= 0.05)
    drawn = np.random.default_rng(0).binomial(number, 0.8, size=40_000)
    assert power == pytest.approx((drawn >= fewest).mean(), abs=0.01) and power > 0.8


def test_a_pair_counts_by_its_mean_over_seeds_and_only_where_all_seeds_have_it() -> None:
    first = margins(one_language.FEWEST_FURTHER, 0)
    second = dict.fromkeys(list(first)[1:], -0.05)
    gate = one_language.gender_gate([first, second])
    assert gate.pairs == one_language.FEWEST_FURTHER - 1 and gate.right == 1


def test_margins_are_those_of_the_direction_itself_and_of_known_words() -> None:
    vectors = WordVectors(["aunt", "uncle", "she"], np.array([[1.0, 0, 0], [0, 2.0, 0], [0, 0, 1]]), "made")
    found = one_language.further_margins(
        vectors, np.array([1.0, 0, 0]), [("aunt", "uncle"), ("she", "he"), ("aunt", "uncle")]
    )
    assert found == {("aunt", "uncle"): pytest.approx(1.0)}
