"""A direction is tried on pairs that are none of its own, enough of them, and never on the pair under test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from trustnlp.data.words.gender_words import word_list
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.models import Training
from trustnlp.studies.gender_bias_languages.reproduction.one_language import (
    FEWEST_FURTHER,
    further_margins,
    gender_gate,
)
from trustnlp.studies.gender_bias_languages.reproduction.nine_languages import run_languages


def margins(right: int, wrong: int) -> dict[tuple[str, str], float]:
    return {(f"f{i}", f"m{i}"): 0.1 if i < right else -0.1 for i in range(right + wrong)}


@pytest.mark.parametrize(
    ("right", "wrong", "passed"),
    [(15, 5, True), (14, 6, False), (19, 0, False), (30, 6, True), (0, 36, False), (0, 0, False)],
)
def test_a_gate_asks_for_twenty_pairs_and_more_in_order_than_a_coin_gives(right: int, wrong: int, passed: bool) -> None:
    gate = gender_gate([margins(right, wrong)])
    assert gate.passed is passed and gate.pairs == right + wrong
    if right + wrong:
        assert gate.right == pytest.approx(right / (right + wrong))
        assert gate.p_value == pytest.approx(stats.binom.sf(right - 1, right + wrong, 0.5))


@pytest.mark.parametrize("number", [20, 23, 36])
def test_its_power_is_the_chance_to_pass_a_direction_that_orders_four_fifths(number: int) -> None:
    power = gender_gate([margins(number, 0)]).power
    fewest = next(k for k in range(number + 1) if stats.binom.sf(k - 1, number, 0.5) <= 0.05)
    drawn = np.random.default_rng(0).binomial(number, 0.8, size=40_000)
    assert power == pytest.approx((drawn >= fewest).mean(), abs=0.01) and power > 0.8


def test_a_pair_counts_by_its_mean_over_seeds_and_only_where_all_seeds_have_it() -> None:
    first = margins(FEWEST_FURTHER, 0)
    second = dict.fromkeys(list(first)[1:], -0.05)
    gate = gender_gate([first, second])
    assert gate.pairs == FEWEST_FURTHER - 1 and gate.right == 1


def test_margins_are_those_of_the_direction_itself_and_of_known_words() -> None:
    vectors = WordVectors(["aunt", "uncle", "she"], np.array([[1.0, 0, 0], [0, 2.0, 0], [0, 0, 1]]), "made")
    found = further_margins(vectors, np.array([1.0, 0, 0]), [("aunt", "uncle"), ("she", "he"), ("aunt", "uncle")])
    assert found == {("aunt", "uncle"): pytest.approx(1.0)}


def test_the_gate_of_a_language_does_not_hang_on_the_pair_under_test(spanish) -> None:
    """The planted text has no further pairs: turning wife and husband round changes no gate."""
    listed = list(word_list("es").pairs.values())
    results = run_languages({"es": spanish}, Training(dim=20, epochs=2), [0], further={"es": listed}, draws=20)
    own = results.margins["es"][0]
    husband = spanish.pairs()["wife-husband"]
    turned = {pair: -margin if pair == husband else margin for pair, margin in own.items()}
    without = [{pair: margin for pair, margin in each.items() if pair != husband} for each in (own, turned)]
    assert gender_gate(without[:1]) == gender_gate(without[1:])
    assert not gender_gate([own]).passed  # seven pairs are too few, whatever they say
