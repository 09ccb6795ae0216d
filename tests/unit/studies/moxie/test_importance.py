"""Figure 2: errors, scores that support them, and the claims' margins."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from trustnlp.attribution.masking_budget import MaskedCounts
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.studies.moxie import importance
from trustnlp.studies.moxie.models import Explained


def test_errors_are_those_of_the_teacher(found: Explained, reviews: Reviews) -> None:
    texts, gold = reviews.tagged["train"], reviews.sst2.train.labels
    said = [found.teacher.predict([" ".join(text.words)])[0] for text in texts]
    expected = [text for text, own, label in zip(texts, said, gold, strict=True) if own != label]
    for most in (1000, 1):
        assert list(importance.errors_of(found, reviews, "train", most)) == expected[:most]


def test_every_kind_of_score_has_a_number_a_word(found: Explained, reviews: Reviews) -> None:
    texts = reviews.tagged["test"][:3]
    scores, again, other = (importance.scores_of(found, reviews, texts, 50, 2, seed) for seed in (0, 0, 1))
    kinds = "influence unlike unlike_printed lime lime_masked occlusion occlusion_masked hybrid random0 random1"
    assert set(scores) == set(kinds.split())
    for own in scores.values():
        assert [len(values) for values in own] == [len(text.words) for text in texts]
    assert all(np.array_equal(a, b) for a, b in zip(scores["lime"], again["lime"], strict=True))
    assert not np.array_equal(scores["random0"][0], other["random0"][0])
    counts = importance.masked(found, texts, scores, 3)
    assert len(counts["random"].counts) == 2 * len(texts) and "random0" not in counts
    assert all(own.coverage() <= 100 for own in counts.values())


def test_margins_are_against_random_and_lime() -> None:
    def counts(*found: int) -> MaskedCounts:
        return MaskedCounts(np.array(found), 2)

    names = ("influence", "unlike", "unlike_printed", "hybrid", "occlusion", "occlusion_masked", "lime_masked")
    random = counts(2, -1, 2, 1)  # two orders of both sentences
    result = importance.compared({**dict.fromkeys(names, counts(1, -1)), "lime": counts(1, 2), "random": random})
    assert result["coverage.lime"] == pytest.approx(75) and result["coverage.random"] == pytest.approx(50)
    assert result["coverage.influence_above_random"] == pytest.approx(0)
    assert result["length.influence_above_random"] == pytest.approx(1.0)  # by the first sentence alone
    assert result["length.lime_above_random"] == pytest.approx((1 + 1 - 1) / 3)
    assert result["coverage.lime_above_influence"] == pytest.approx(25)
    assert result["coverage.hybrid_competes"] == pytest.approx(importance.COMPETITIVE - 25)


def test_masking_one_word_no_order_beats_occlusion_that_masks(found: Explained, reviews: Reviews) -> None:
    """With two classes the word whose mask lowers the label most is the one that turns it, if any does."""
    texts = reviews.tagged["test"][:20]
    counts = importance.masked(found, texts, importance.scores_of(found, reviews, texts, 20, 1, 0), 1)
    turned = {name: own.coverage(1) for name, own in counts.items() if name != "fewest"}
    assert turned["occlusion_masked"] == max(turned.values()) > min(turned.values())


def test_table_3_takes_the_printed_sign_and_the_largest_other_word(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = {("bad", "but", "fine"): [-0.5, 0.1, 0.2], ("allows", "b", "wide"): [0.4, 0.3, 0.6]}
    monkeypatch.setattr(importance, "TABLE_3", [(0, {"bad": -1, "fine": -1}), (1, {"allows": 1, "wide": 1})])
    monkeypatch.setattr(importance, "each_word", lambda words: words)
    monkeypatch.setattr(importance, "masked_pairs", lambda teacher, words, folder: words)
    monkeypatch.setattr(importance, "predict_spans", lambda teacher, student, words: SimpleNamespace(influence=words))
    monkeypatch.setattr(importance, "influence_scores", lambda teacher, words: np.array(scores[words]))
    reviews = SimpleNamespace(tagged={"dev": [SimpleNamespace(words=words) for words in scores]})
    found = importance.table3(SimpleNamespace(teacher=None, student=None, folder=None), reviews)  # type: ignore[arg-type]
    expected = {"bad": 0.5 - -0.1, "fine": -0.2 - -0.1, "allows": 0.4 - 0.3}
    assert found == pytest.approx({f"table3.{word}": value for word, value in expected.items()})
