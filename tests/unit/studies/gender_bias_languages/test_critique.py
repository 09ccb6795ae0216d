"""Audits tell what they should."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.words.gender_words import word_list
from trustnlp.studies.gender_bias_languages import critique
from trustnlp.studies.gender_bias_languages.data import language_text
from trustnlp.studies.gender_bias_languages.models import Training

QUICK = Training(dim=20, epochs=2)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_direction_turns_without_a_pair(spanish) -> None:
    turns = critique.turns(spanish, QUICK, 0)
    assert set(turns) == set(word_list("es").pairs) and all(-1 <= cosine < 1 + 1e-9 for cosine in turns.values())


def test_choices_are_compared_seed_by_seed(spanish) -> None:
    assert critique.agreement({"a": 1, "b": 2, "c": 3, "x": 9}, {"a": -1, "b": -2, "c": -3}) == pytest.approx(-1)
    choices = critique.agreement_of_choices(spanish, {"itself": spanish}, QUICK, [0, 1])
    assert choices["itself"] == pytest.approx([1, 1])
    assert choices["seeds"] == pytest.approx(choices["seeds"][::-1]) and max(choices["seeds"]) < 1
    assert critique.agreement_of_choices(spanish, {}, QUICK, [0])["seeds"] == pytest.approx([1])
    other = [[["novo"] * 50]] * 400
    mixed = critique.mixed_with(spanish, other, 0.45, rng())
    assert mixed.counts["novo"] == pytest.approx(0.45 * spanish.tokens, abs=50)
    assert mixed.tokens == pytest.approx(spanish.tokens, abs=100)
    assert_refused(
        lambda share: critique.mixed_with(spanish, other, share, rng()), [(0.99, "the 400 documents hold 20,000")]
    )


def test_words_of_two_meanings_are_left_out(spanish) -> None:
    here = critique.without_homographs(spanish, QUICK, 0)  # no defining word of the Spanish list has two meanings
    assert here["cosine"] == pytest.approx(1) and here["all.husband"] == here["single.husband"]
    german = language_text("de", planted_tokens=20_000, rng=rng())
    assert critique.without_homographs(german, QUICK, 0)["cosine"] < 1
    arabic = language_text("ar", planted_tokens=2000, rng=rng())
    assert "mother-father" in arabic.pairs() and "mother-father" not in arabic.pairs(homographs=False)
    folded = critique.hamza_folded(arabic)
    assert arabic.counts["أب"] and not folded.counts["أب"] and folded.pairs()["mother-father"] == ("ام", "اب")
