"""What models are asked about decoys: values by hand, planted truth recovered, moved words, each text asked once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from made_searches import Says, made_parts
from numpy.typing import ArrayLike
from tiny_bert import tiny_encoder

from trustnlp.attribution.students.text_teacher import BertTeacher
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.data.texts.review_standins import VOCABULARY
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.studies.decoys import adoption, models
from trustnlp.studies.decoys.adoption import Answers, Asked

MINILM = {
    "encoder": "tiny", "device": "cpu", "precision": "float32", "epochs": 1, "learning_rate": 0.01, "batch_size": 32,
}  # fmt: skip


def asked(labels: ArrayLike, buggy: ArrayLike, clean: ArrayLike) -> Asked:
    one, other = (np.atleast_2d(given).astype(np.int64) for given in (buggy, clean))
    return Asked(np.asarray(labels, dtype=np.int64), one, other)


def answers(
    buggy: Sequence[float], clean: Sequence[float], *, original: Asked | None = None, like: Asked | None = None
) -> Answers:
    """By the shares of 40 texts of class 0 that follow the decoy of class 1, one for each seed."""
    some = asked([0, 1], [[0, 1]] * len(buggy), [[0, 1]] * len(buggy))
    one, other = (np.arange(40) < 40 * np.array(shares)[:, None] for shares in (buggy, clean))
    return Answers(
        asked([0] * 40, one, other), original or some, like or some, np.ones(40, dtype=np.int64), dev_texts=1
    )


def test_values_for_each_seed_by_hand() -> None:
    original = asked([0, 0, 1, 1], [[0, 1, 1, 0], [0, 0, 1, 1]], [[0, 0, 1, 0], [0, 0, 1, 1]])
    like = asked([0, 1], [[0, 1], [0, 1]], [[1, 1], [0, 1]])
    found = adoption.per_seed(answers([1.0, 0.9], [0.2, 0.2], original=original, like=like))
    expected = {
        "rate": [100, 87.5], "effect": [80, 70], "drop": [25, 0], "iid": [50, 0], "clean_accuracy": [75, 100],
        "drop_margin": [20, -5], "iid_margin": [51, 1],
    }  # fmt: skip
    assert list(found) == list(expected)
    for key, values in expected.items():
        assert found[key] == pytest.approx(values), key


@pytest.mark.parametrize(
    ("buggy", "clean", "margins"),
    [([1.0], [0.2], True), ([0.5], [0.1], True), ([0.2], [0.2], False), ([0.3], [0.15], False)],
)
def test_margins_are_for_adopted_decoys_only(buggy: list[float], clean: list[float], margins: bool) -> None:
    found = answers(buggy, clean)
    verdicts = {"adopted", "partly adopted"} if margins else {"not adopted", "undetermined"}
    assert found.adoption.verdict in verdicts and found.is_adopted == margins
    assert ("drop_margin" in adoption.per_seed(found)) == ("iid_margin" in adoption.per_seed(found)) == margins


def test_without_anything_to_win_there_is_no_rate() -> None:
    found = answers([1.0, 1.0], [1.0, 0.5])
    assert "rate" not in adoption.per_seed(found) and adoption.per_seed(found)["effect"] == [0, 50]


def test_planted_truth_is_recovered_and_places_are_not_seen() -> None:
    parts, seeds = made_parts(600), [3, 5]
    decoys = [recipe("video_text"), recipe("position"), recipe("movie")]
    found = adoption.ask("presence", decoys, parts, {}, seeds)
    assert found["video_text"].adoption.verdict == "adopted"
    assert found["position"].adoption.verdict == "not adopted"
    assert adoption.per_seed(found["position"])["effect"] == [0, 0]
    own, held = found["movie"], parts.held_out
    assert own.dev_texts == len(parts.dev) and np.array_equal(own.original.labels, held.labels)
    wrong, like = (
        plant(held.texts, held.labels, np.random.default_rng(0))
        for plant in (decoys[2].contradict, decoys[2].planted_like)
    )
    for row, seed in enumerate(seeds):
        buggy = models.planted_model("presence", decoys[2], parts.train, parts.dev, {}, seed)
        clean = models.trained_model("presence", parts.train, parts.dev, {}, seed)
        for one, texts in ((own.wrong, wrong), (own.original, held), (own.like, like)):
            assert np.array_equal(one.buggy[row], buggy.predict(texts.texts))
            assert np.array_equal(one.clean[row], clean.predict(texts.texts))


def test_decoys_need_their_own_names() -> None:
    with pytest.raises(ValueError, match="two decoys are called 'movie'; give each its own name"):
        adoption.ask("presence", [recipe("movie"), recipe("film"), recipe("movie")], made_parts(600), {}, [0])


def test_answers_of_an_encoder_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run reads them; each distinct text is asked once."""
    words = sorted({word for own in VOCABULARY.values() for word in own} | {"video", "text"})
    monkeypatch.setattr(models, "load_encoder", lambda name, device: tiny_encoder(words))
    monkeypatch.setattr(models, "results_of", lambda name: tmp_path)
    given: list[str] = []
    plain = BertTeacher.representations
    monkeypatch.setattr(
        BertTeacher, "representations", lambda teacher, texts: given.extend(texts) or plain(teacher, texts)
    )
    parts, decoys = made_parts(300), [recipe("video_text"), recipe("movie")]
    first, held = adoption.ask("minilm", decoys, parts, {**MINILM, "profile": "paper"}, [0]), len(parts.held_out)
    # The clean model reads the originals and two ways of planting words; movie's sets are among the originals.
    assert len(given) == 3 * held + 3 * held + held
    given.clear()
    second = adoption.ask("minilm", decoys, parts, {**MINILM, "profile": "paper"}, [0])
    assert not given
    unkept = adoption.ask("minilm", decoys, parts, {**MINILM, "profile": "smoke"}, [0])
    assert given
    for name, one in first.items():
        for again in (second[name], unkept[name]):
            assert np.array_equal(one.wrong.buggy, again.wrong.buggy)
            assert np.array_equal(one.original.clean, again.original.clean)
            assert np.array_equal(one.like.buggy, again.like.buggy)


def test_encoders_repeat_as_float32_does() -> None:
    found = adoption.repeats(["presence", "minilm"], ["movie"])
    assert found[""] == "float64" and found["movie.minilm"] == found["graded.minilm"] == "float32"
    assert "movie.presence" not in found and set(adoption.repeats(["presence"], ["movie"])) == {"", "properties"}


TEXTS = Phrases(("a dull film .", "a warm film .", "no plot", "a joy"), np.array([0, 1, 0, 1]))


def test_texts_of_a_smaller_share_are_among_those_of_a_larger_one() -> None:
    texts, labels = [f"film {number}" for number in range(200)], np.arange(200) % 2
    planted = [decoy.plant(texts, labels, np.random.default_rng(4)) for decoy in adoption.graded([5, 50, 100])]
    assert [int(one.carries.sum()) for one in planted] == [10, 100, 200]
    for less, more in pairwise(planted):
        rows = np.flatnonzero(less.carries)
        assert more.carries[rows].all() and all(less.texts[row] == more.texts[row] for row in rows)
    whole = recipe("video_text").plant(texts, labels, np.random.default_rng(4))
    assert planted[-1].texts == whole.texts


def test_slopes_by_hand() -> None:
    effects = [[1, 5, 2, 0], [2, 3, 2, 0], [3, 1, 5, 0]]
    rising, falling, tied, flat = adoption.slopes([2, 10, 50], effects)
    assert (rising, falling) == pytest.approx((1, -1)) and np.isnan(flat)
    assert tied == pytest.approx(2 / np.sqrt(3 * 2))  # two of three pairs rise, one is tied


def test_a_model_that_sees_the_first_word_is_moved_and_a_bag_is_not() -> None:
    position = recipe("position")
    sees, half = (Says(lambda words, end=end: words[0] == "anyway" and end in words) for end in ("a", "."))
    changed = [adoption.changed_by_moving(one, position, TEXTS) for one in (sees, half, Says("joy"))]
    assert changed == [75, 50, 0]


def test_of_words_only_texts_that_take_both_count() -> None:
    by_word = Says(lambda words: "!" in words)
    assert adoption.changed_by_moving(by_word, recipe("punctuation"), TEXTS) == 100  # two texts end in a full stop
    with pytest.raises(ValueError, match=r"decoy 'film': no text can take it for its own class and for another"):
        adoption.changed_by_moving(by_word, recipe("film"), TEXTS)


def test_effects_are_compared_seed_by_seed() -> None:
    one, other = answers([1.0, 0.5], [0, 0]), answers([0.1, 0.2, 0.3], [0, 0, 0])
    assert adoption.effect_ahead(one, [2, 0], other, [0, 1, 2]) == pytest.approx([70, 40])
    assert adoption.effect_ahead(one, [7, 1], other, [0, 1, 2]) == pytest.approx([30])


PLOTS = Phrases(
    ("a plot", "a bad movie .", "a video game", "a warm movie .", "a good text", "fine video movies"),
    np.array([0, 0, 0, 1, 1, 1]),
)


def test_properties_by_hand() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = adoption.properties([recipe("video_text"), recipe("movie")], PLOTS, np.random.default_rng(0))
    expected = {
        "video_text.class0.productivity": 100,
        "video_text.class0.coverage": 50,
        "video_text.word_productivity": 75,  # 'video' is in a positive text too
        "movie.class1.coverage": 40,
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected)
    assert "movie.class0.coverage" not in found


def test_a_word_in_texts_of_both_classes_says_little_by_itself() -> None:
    decoys = [recipe("position"), replace(recipe("length"), longest=2)]
    found = adoption.properties(decoys, PLOTS, np.random.default_rng(0))
    assert found["position.class0.productivity"] == 100 and found["position.word_productivity"] == 50
    assert "length.word_productivity" not in found and found["length.class0.productivity"] == 100
