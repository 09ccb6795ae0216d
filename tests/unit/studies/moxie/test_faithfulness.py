"""Explainers side by side: every one scores every word, exact ones agree with themselves, tweets and shuffled texts."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.data.texts.film_reviews import Phrases, Reviews
from trustnlp.studies.moxie import faithfulness
from trustnlp.studies.moxie.models import Explained


def test_short_texts_have_different_words(reviews: Reviews) -> None:
    texts, again, other = (faithfulness.short_texts(reviews, 4, 7, seed) for seed in (0, 0, 1))
    assert len(texts) == 4 and all(4 <= len(set(text.words)) == len(text.words) <= 7 for text in texts)
    assert texts == again != other


def test_every_explainer_is_measured(found: Explained, reviews: Reviews) -> None:
    texts = faithfulness.short_texts(reviews, 2, 6, 0)
    scores, costs = faithfulness.all_scores(found, reviews, texts, 60, 4, 0)
    assert set(scores) == set(costs) == set(faithfulness.METHODS)
    for own in scores.values():
        assert [len(values) for values in own] == [len(text.words) for text in texts]
    measured = faithfulness.measured(found, texts, scores, costs, 10, 0)
    assert measured["occlusion"]["occlusion"] == pytest.approx(1.0, abs=1e-6)
    assert measured["occlusion"]["cost.passes"] == pytest.approx(np.mean([len(text.words) + 1 for text in texts]))


def test_two_samplings_of_few_differ_more_than_none(found: Explained, reviews: Reviews) -> None:
    texts = faithfulness.short_texts(reviews, 3, 6, 0)
    result = faithfulness.disagreements(found, texts, [10, 2000], 0)
    assert result["lime.s10.order"] >= result["lime.s2000.order"]
    assert result["lime.order_differs_margin"] == pytest.approx(result["lime.s2000.order"] - 5)


def test_other_text_is_tweets_or_shuffled_sentences(
    found: Explained, reviews: Reviews, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = faithfulness.accuracies(found, reviews, 5, "smoke", 0)
    assert near["gain"] == pytest.approx(near["student"] - near["context"]) and 0 <= near["positive"] <= 100
    tweets = Phrases(("good film this is", "dull", "bad film this was", "the plot is good"), np.array([1, 0, 0, 1]))
    monkeypatch.setattr(faithfulness, "read_airline_tweets", lambda: tweets)
    monkeypatch.setattr(faithfulness, "treebank_words", lambda text: tuple(text.split()))
    far = faithfulness.accuracies(found, reviews, 3, "paper", 0)
    assert any(far["positive"] == pytest.approx(100 * k / 3) for k in range(4))


def test_the_top_word_is_that_of_the_largest_magnitude() -> None:
    one, other = [np.array([-0.9, 0.1])], [np.array([0.9, 0.1])]
    assert faithfulness._differing("k", one, other) == {"k.top": 0.0, "k.order": 100.0}
    assert faithfulness._differing("k", one, [np.array([-0.1, 0.9])])["k.top"] == 100.0
