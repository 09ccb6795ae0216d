"""Numbers of a language on planted vectors, and the gate: is its direction about gender?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from trustnlp.bias.gender_direction.direction_nulls import random_gap_gains, words_of_like_frequency
from trustnlp.bias.gender_direction.pair_directions import gender_direction
from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import word_list
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.models import Training
from trustnlp.studies.gender_bias_languages.reproduction import one_language


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def lean(female: float, male: float) -> float:
    return one_language.side_leans(female, male, np.zeros((100, 2)))["defining.larger_lean"][0]


@pytest.mark.parametrize(("female", "male"), [(0.3, -0.1), (0.1, -0.3), (0.08, 0.02), (-0.02, -0.1), (0.2, -0.2)])
def test_the_larger_female_lean_and_its_opposite_never_hold_together(female: float, male: float) -> None:
    here, opposite = lean(female, male), lean(-male, -female)
    assert not (here > 0 and opposite > 0)
    if female <= 0 or male >= 0:  # one side leans to the other's: neither holds
        assert here <= 0 and opposite <= 0
    assert (here > 0) == (female > -male > 0)


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


def test_numbers_of_a_language_have_the_planted_signs(spanish, monkeypatch) -> None:
    vectors = planted_spanish(0.4)
    monkeypatch.setattr(one_language, "trained", lambda *_: vectors)
    run = one_language.run_language(spanish, Training(), 0, further=[], draws=60)
    gain, _, middle, _ = run.beside_random["gap_gain"]
    assert gain > 0.1 and gain > middle, "all pairs but one are of one axis"
    female, male, larger = (run.beside_random[f"defining.{x}"][0] for x in ("female", "male_below_zero", "larger_lean"))
    assert female > 0.3 and male > 0.3 and larger == pytest.approx(min(female - male, male))
    assert run.numbers["defining.husband"] == run.defining["husband"] == pytest.approx(0, abs=0.1)
    assert run.numbers["professions.own_sign_share_above_half"] == pytest.approx(0.5)
    assert run.numbers["professions.lowest_feminine"] == pytest.approx(0.3, abs=0.02)
    assert run.numbers["professions.highest_masculine_below_zero"] == pytest.approx(0.3, abs=0.02)
    assert run.numbers["professions.neutral_both_signs"] == pytest.approx(-0.1, abs=0.02), (
        "all neutral ones lean female"
    )
    assert run.forms["masculine"]["nurse"] == pytest.approx(-0.3, abs=0.02)
    forms = [form for own in spanish.professions().values() for form in own if form in vectors]
    counts = {form: 100 if vectors[form][0] < 0 else 1 for form in forms}
    male = replace(spanish, texts=[[[form] * count for form, count in counts.items()]])
    numbers = one_language.run_language(male, Training(), 0, further=[], draws=60).numbers
    assert numbers["professions.equal_minus_weighted"] > 0.1, "masculine forms are the frequent ones"


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
    margins = one_language.further_margins(
        vectors, np.array([1.0, 0, 0]), [("aunt", "uncle"), ("she", "he"), ("aunt", "uncle")]
    )
    assert margins == {("aunt", "uncle"): pytest.approx(1.0)}
