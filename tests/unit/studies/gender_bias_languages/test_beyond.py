"""Repairs: samples repeat, widths, anchors, rotated spaces."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.bias.gender_direction.direct_bias import signed_scores
from trustnlp.bias.gender_direction.pair_directions import gender_direction
from trustnlp.data.words.gender_words import word_list
from trustnlp.embeddings.alignment import centred
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages import beyond
from trustnlp.studies.gender_bias_languages.models import Training, trained

QUICK = Training(dim=20, epochs=2)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_bootstrap_samples_repeat_by_number_and_small_texts_are_counted_out(spanish) -> None:
    first, again, other = (beyond.bootstrap_sample(spanish, QUICK, number) for number in (3, 3, 4))
    assert first is not None and other is not None
    assert first == again and first.professions != other.professions
    assert first.numbers["gap"] != other.numbers["gap"]
    assert first.documents == len(spanish.texts) > first.distinct > first.documents / 2
    tiny = spanish.with_texts([text[:1] for text in spanish.texts[:10]])
    assert beyond.bootstrap_sample(tiny, QUICK, 0) is None and beyond.bootstrap_samples(tiny, QUICK, 2) == []
    with pytest.raises(ValueError, match="over 9 documents"):
        beyond.bootstrap_sample(spanish.with_texts(spanish.texts[:9]), QUICK, 0)


def test_an_interval_needs_the_number_in_several_samples() -> None:
    made = [beyond.BootstrapSample({"gap": value, "pairs": 7.0}, {}, 20, 13) for value in (0.1, 0.2, 0.3)]
    value, ends = beyond.interval_of(made, "gap")
    assert [value, *ends] == pytest.approx([0.2, 0.105, 0.295])
    assert beyond.interval_of([*made, beyond.BootstrapSample({}, {}, 20, 13)], "gap") is None
    assert beyond.interval_of(made[:1], "gap") is None


def test_pairs_that_say_the_same_leave_no_width_when_they_are_resampled(spanish) -> None:
    vectors = trained(spanish.texts, QUICK, 0)
    width = beyond.pair_bootstrap(spanish, vectors, 20, rng())
    assert beyond.can_hold_out(spanish, [vectors]) and width is not None and width > 0.01
    rows = rng(1).standard_normal((len(vectors), 20))
    pairs = spanish.pairs().values()
    for female, male in pairs:
        rows[vectors.words.index(female)] = np.eye(20)[0]
        rows[vectors.words.index(male)] = -np.eye(20)[0]
    alike = WordVectors(vectors.words, rows, "alike")
    assert beyond.pair_bootstrap(spanish, alike, 20, rng()) == pytest.approx(0, abs=1e-9)
    few = vectors.restrict([w for pair in list(pairs)[:3] for w in pair])
    assert not beyond.can_hold_out(spanish, [vectors, few])
    assert beyond.pair_bootstrap(spanish, few, 20, rng()) is None


def test_words_that_translate_each_other_are_anchors() -> None:
    first = [{"the", "cat", "rare"}, {"the", "dog"}, {"the", "cat"}, {"the", "dog"}, {"the", "cat", "dog"}]
    second = [{"die", "katze"}, {"die", "hund"}, {"die", "katze"}, {"die", "hund"}, {"die", "katze", "hund"}]
    assert sorted(beyond.anchors(first, second)) == [("cat", "katze"), ("dog", "hund"), ("the", "die")]
    assert ("cat", "katze") not in beyond.anchors(first, second, exclude=["katze"])
    with pytest.raises(ValueError, match="5 and 2"):
        beyond.anchors(first, second[:2])


def test_a_direction_is_shared_by_a_rotated_space_and_not_by_random_anchors(spanish) -> None:
    vectors = trained(spanish.texts, QUICK, 0)
    turn = np.linalg.qr(rng(5).standard_normal((20, 20)))[0]
    rotated = WordVectors(vectors.words, vectors.matrix @ turn, "rotated")
    words = [(word, word) for word in vectors.words[:200]]
    found = beyond.transferred(spanish, vectors, spanish, rotated, words, rng())
    pairs, own = list(spanish.pairs().values()), centred(vectors)
    scores = [signed_scores(own, pair, gender_direction(own, pairs).g) for pair in pairs]
    assert found["right"] == pytest.approx(np.mean([female > male for female, male in scores]))
    assert found["cosine"] == pytest.approx(1, abs=1e-4) and found["anchors"] == 200
    assert abs(found["random_cosine"]) < 0.9
    with pytest.raises(ValueError, match="19 anchors have vectors; 20 dimensions"):
        beyond.transferred(spanish, vectors, spanish, rotated, words[:19], rng())


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
