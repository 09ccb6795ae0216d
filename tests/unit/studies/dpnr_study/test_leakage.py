"""The ways of attack: what is planted is found by those that should find it, and by no other."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.data.texts.everyday_text import distinct_sentences
from trustnlp.embeddings.train import start_vectors
from trustnlp.studies.dpnr_study.leakage import WAYS, Leak, measure_leak
from trustnlp.studies.dpnr_study.standins import walked_columns


@pytest.fixture(scope="module")
def corpora() -> list[list[list[str]]]:
    pytest.importorskip("gensim", reason="training needs the extra 'embeddings'")
    drawn = walked_columns("quora_pairs", np.random.default_rng(0), rows=1500, words=120)
    return [distinct_sentences(texts) for texts in drawn.values()]


@pytest.fixture(scope="module")
def leak(corpora) -> Leak:
    ways = ["aligned", "untrained", "one_seed", "two_seeds"]
    return measure_leak(*corpora, seed=3, dim=20, epochs=20, anchors=25, ways=ways)


def test_a_common_start_or_an_alignment_recovers_and_two_starts_do_not(leak):
    within = {way: leak.recovery(way, 5)[-1] for way in leak.ranks}
    assert list(within) == [way for way in WAYS if way in within]
    assert within["untrained"] == leak.recovery("untrained", 1)[0] == pytest.approx(leak.shared(), abs=0.02)
    assert within["two_seeds"] < 3 * leak.chance(5)
    assert min(within["one_seed"], within["aligned"]) > 5 * leak.chance(5)


def test_words_written_are_counted_in_the_users_text(leak, corpora):
    written = [word for sentence in corpora[0] for word in sentence]
    assert leak.counts.tolist() == [written.count(word) for word in leak.words]
    assert (np.diff(leak.counts) <= 0).all(), "the most frequent word first"


def test_scores_by_hand():
    ranks, counts = {"one_seed": np.array([1, 6, 0, 2, 1, 7])}, np.array([90, 40, 30, 20, 10, 10])
    leak = Leak(("the", "a", "b", "c", "d", "e"), 50, frozenset({"the", "a"}), ranks, counts)
    assert leak.shared() == 5 / 6 and leak.chance(5) == pytest.approx(5 / 6 * 0.1)
    assert leak.recovery("one_seed", 2).tolist() == [0.25, 0.5]
    assert leak.recovery("one_seed", 6, all_words=True)[-1] == 4 / 6
    assert leak.by_frequency("one_seed", 5, 2).tolist() == [0.5, 0.5]
    assert leak.written("one_seed", 1) == (90 + 10) / 200 and leak.written("one_seed", 6) == (90 + 40 + 20 + 10) / 200
    assert leak.sentence("one_seed", ["the", "d", "c", "the"]) == 0.75
    assert leak.sentence("one_seed", ["the", "unknown"]) is None


def test_the_seed_decides(corpora):
    settings = {"dim": 5, "epochs": 1, "anchors": 5, "ways": ["one_seed", "rank_seeded"]}
    first, again, other = (measure_leak(*corpora, seed=seed, **settings) for seed in (1, 1, 2))
    for way in first.ranks:
        np.testing.assert_array_equal(first.ranks[way], again.ranks[way])
        assert (first.ranks[way] != other.ranks[way]).any()


def test_first_vectors_depend_on_word_and_seed_alone():
    first = start_vectors(["a", "b"], dim=50, seed=1)
    np.testing.assert_array_equal(first[::-1], start_vectors(["b", "a"], dim=50, seed=1))
    assert (first != start_vectors(["a", "b"], dim=50, seed=2)).all() and (first[0] != first[1]).all()
    many = start_vectors([str(number) for number in range(400)], dim=50, seed=0) * 50
    assert -0.5 <= many.min() < -0.49 < 0.49 < many.max() <= 0.5 and abs(many.mean()) < 0.01
    assert start_vectors([], dim=3, seed=0).shape == (0, 3)
    with pytest.raises(ValueError, match="dim must be at least 1"):
        start_vectors(["a"], dim=0, seed=0)


def test_unusable_settings_are_refused(corpora):
    with pytest.raises(ValueError, match="expected anchors from 1 to"):
        measure_leak(*corpora, seed=0, dim=2, epochs=1, anchors=5000)
