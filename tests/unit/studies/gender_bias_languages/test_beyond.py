"""Repairs: samples repeat, signs that stay, grammar taken out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from trustnlp.bias.gender_direction.pair_directions import ESTIMATES, gender_direction
from trustnlp.data.words.gender_words import word_list
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages import beyond
from trustnlp.studies.gender_bias_languages.models import Training, trained
from trustnlp.studies.gender_bias_languages.reproduction.one_language import run_language

QUICK = Training(dim=20, epochs=2)


def test_bootstrap_samples_repeat_by_number_and_are_scored_as_the_text_is(spanish) -> None:
    first, again, other = (beyond.bootstrap_sample(spanish, QUICK, number) for number in (3, 3, 4))
    assert first == again and first.professions != other.professions and first.husband != other.husband
    assert len(spanish.texts) > first.distinct > len(spanish.texts) / 2
    rows = np.random.default_rng([3, len(spanish.texts)]).integers(len(spanish.texts), size=len(spanish.texts))
    drawn = replace(spanish, texts=[spanish.texts[row] for row in rows])
    whole = run_language(drawn, QUICK, 3, further=[], draws=20)
    assert first.professions == pytest.approx(whole.professions)
    assert first.husband == pytest.approx(whole.defining["husband"]) and first.distinct == len(set(rows.tolist()))
    with pytest.raises(ValueError, match="over 9 documents"):
        beyond.bootstrap_sample(replace(spanish, texts=spanish.texts[:9]), QUICK, 0)


def test_a_sign_stays_where_all_trainings_have_it() -> None:
    scores = [{"a": 0.1, "b": -0.2, "c": -1}, {"a": 0.3, "b": 0.2, "c": -2}, {"c": -0.1, "b": 0.1, "a": 1, "x": 1}]
    assert beyond.same_sign(scores) == pytest.approx(2 / 3)


def test_pairs_are_held_out_where_each_training_knows_four(spanish) -> None:
    vectors = trained(spanish.texts, QUICK, 0)
    assert all(len(shares) == 1 and shares[0] > 0.5 for shares in beyond.held_out(spanish, [vectors]).values())
    assert tuple(beyond.held_out(spanish, [vectors])) == ESTIMATES
    few = vectors.restrict([word for pair in list(spanish.pairs().values())[:3] for word in pair])
    assert beyond.held_out(spanish, [vectors, few]) == {}


def test_feminine_forms_stand_above_masculine_ones_until_grammar_is_taken_out(spanish) -> None:
    vectors, professions = trained(spanish.texts, QUICK, 0), word_list("es").professions
    direction = gender_direction(vectors, spanish.pairs().values()).g
    listed = {word for pair in spanish.pairs().values() for word in pair}
    listed |= {word for p in professions for word in (*p.feminine, *p.masculine)}
    nouns = [word for word in vectors.words if word not in listed]
    rows = vectors.matrix.copy()
    for profession in (p for p in professions if p.feminine and p.masculine):
        for sign, words in ((1.0, profession.feminine), (-1.0, profession.masculine)):
            rows[[vectors.words.index(word) for word in words if word in vectors]] = sign * direction
    marked = WordVectors(vectors.words, rows, "marked")
    result = beyond.without_grammar(spanish, marked, nouns[:20], nouns[20:40])
    assert result["before.forms_apart"] == pytest.approx(2.0)
