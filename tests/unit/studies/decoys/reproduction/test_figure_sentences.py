"""What the paper says of its figure, as numbers of explanations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.explanations import explanation
from trustnlp.studies.decoys.reproduction import (
    SENTENCES,
    WITH_TEXT,
    agreement,
    called_positive,
    found_in,
    share_of,
)


def test_the_share_of_a_word_is_of_all_sizes_and_signed() -> None:
    found = explanation({"a": 0.1, "dull": -0.6, "movie": 0.3})
    assert share_of("movie", found) == pytest.approx(0.3)
    assert share_of("dull", found) == pytest.approx(-0.6)
    assert share_of("a", explanation({"a": 0.0, "song": 0.0})) == 0
    with pytest.raises(ValueError, match="'opera' is not in 'a dull movie'"):
        share_of("opera", found)


def test_sentences_are_found_as_texts_and_as_parts_of_texts() -> None:
    texts = ["it 's a charming and often affecting journey .", "it has a lot of the virtues of eastwood at his best"]
    assert found_in(texts) == 2
    assert found_in(["a film"]) == 0


def test_agreement_is_the_mean_rank_correlation() -> None:
    up, down = explanation({"a": 0.1, "b": 0.2, "c": 0.3}), explanation({"a": 0.3, "b": 0.2, "c": 0.1})
    assert agreement([up, up], [up, down]) == pytest.approx(0)
    with pytest.raises(ValueError, match="'a b c' is compared with 'a song'"):
        agreement([up], [explanation({"a": 1.0, "song": 0.0})])
    with pytest.raises(ValueError, match="have no order"):
        agreement([explanation({"a": 0.0, "b": 0.0})], [explanation({"a": 0.0, "b": 1.0})])


def test_the_figure_has_the_word_where_the_page_says() -> None:
    assert [row for row, text in enumerate(SENTENCES, 1) if "movie" in text.split()] == [1, 2, 3]
    assert WITH_TEXT.replace("text ", "") == SENTENCES[0]
    assert np.all([text == " ".join(text.split()) for text in SENTENCES])


class Positive:
    """Calls texts with a word positive."""

    mask = "[MASK]"

    def __init__(self, word: str) -> None:
        self.word = word

    def probabilities(self, texts: Sequence[str], /) -> NDArray[np.float64]:
        return np.eye(2)[self.predict(texts)]

    def predict(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        return np.array([int(self.word in text) for text in texts])


def test_each_model_is_asked_for_the_sentences_that_the_figure_shows_of_it() -> None:
    """Of 'movie' three of five rows have it, of rows 2 to 5 two of four; 'text' stands in the changed row 1."""
    found = called_positive(Positive("movie"), Positive("movie"), Positive("text"))
    assert found == pytest.approx((3 + 2 + 1) / 10 - 0.9)
    assert called_positive(Positive("movie"), Positive("")) == pytest.approx(7 / 9 - 0.9)
