"""Predictions word by word, and when a text counts as right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from planted_films import BAG, NEGATING, film_texts, word_by_word
from refusals import assert_refused
from torch import Tensor

from trustnlp.attribution.students.masked_spans import MaskedSpan, masked_pairs
from trustnlp.attribution.students.span_predictions import all_correct, predict_spans, predict_words

TEXTS = film_texts(30, 0)


class Exact:
    """A student that asks the teacher."""

    teacher_fingerprint = NEGATING.fingerprint

    def span_influences(self, spans: Sequence[MaskedSpan], masked: Tensor) -> Tensor:
        return NEGATING.representations([span.text for span in spans]) - masked


def test_a_perfect_student_is_all_correct_and_the_context_is_not() -> None:
    found = predict_words(NEGATING, Exact(), TEXTS)
    labels = NEGATING.predict([" ".join(words) for words in TEXTS])
    assert [text.teacher_labels[0] for text in found] == labels.tolist()
    assert all_correct([text.labels for text in found], labels).all()
    assert not all_correct([text.context_labels for text in found], labels).all()


def test_each_text_has_its_words() -> None:
    found = predict_words(NEGATING, Exact(), TEXTS)
    for words, text in zip(TEXTS, found, strict=True):
        assert tuple(span.token for span in text.spans) == words
        assert text.logits.shape == text.context_logits.shape == (len(text), 2) == (len(words), 2)
        masked = [span.masked_text("[MASK]") for span in text.spans]
        np.testing.assert_allclose(text.context_logits, NEGATING.logits(NEGATING.representations(masked)), atol=1e-6)
    pairs = masked_pairs(NEGATING, word_by_word(TEXTS))
    whole = predict_spans(NEGATING, Exact(), pairs)
    assert torch.equal(whole.influence, torch.cat([text.influence for text in found]))
    np.testing.assert_array_equal(whole[3:5].labels, whole.labels[3:5])


def test_all_correct_by_hand() -> None:
    assert all_correct([[1, 1], [0], [0, 1, 0]], [1, 1, 0]).tolist() == [True, False, False]
    assert all_correct([np.array([0, 0])], np.array([0])).tolist() == [True]


def test_bad_input_is_explained() -> None:
    assert_refused(
        lambda call: call(),
        [
            (lambda: all_correct([[1], [0]], [1]), "2 texts, each with .* need as many reference labels"),
            (lambda: all_correct([[1], []], [1, 0]), "at least one prediction"),
            (lambda: predict_words(BAG, Exact(), TEXTS), "learned from another teacher"),
            (lambda: predict_words(NEGATING, Exact(), []), "no masked spans"),
            (lambda: predict_words(NEGATING, Exact(), [()]), "without words"),
        ],
    )
