"""The ridge student: its closed form, what it can and cannot find, and its place beside the trained student."""

from __future__ import annotations

import numpy as np
import torch
from planted_films import BAG, NEGATING, film_texts, word_by_word
from refusals import assert_refused

from trustnlp.attribution.students.masked_spans import MaskedPairs, MaskedSpan, masked_pairs
from trustnlp.attribution.students.ridge_student import PENALTIES, fit_ridge_student
from trustnlp.attribution.students.span_predictions import all_correct, predict_spans, predict_words

TRAIN, DEV, TEST = film_texts(120, 0), film_texts(30, 1), film_texts(60, 2)


def pairs_of(teacher: object, texts: list[tuple[str, ...]]) -> MaskedPairs:
    return masked_pairs(teacher, word_by_word(texts))  # type: ignore[arg-type]


def test_it_is_the_minimum_of_the_penalised_error() -> None:
    """Against the normal equations with an unpenalised intercept, solved as they stand."""
    pairs, dev = pairs_of(NEGATING, TRAIN), pairs_of(NEGATING, DEV)
    student = fit_ridge_student(NEGATING, pairs, dev, [0.1])
    t = NEGATING.representations([span.token for span in pairs.spans])
    x = torch.cat([pairs.masked, t, pairs.masked * t], 1).double().numpy()
    unit = x.var(axis=0).mean()
    ones = np.hstack([x, np.ones((len(x), 1))])
    penalty = np.diag([*np.full(24, 0.1 * unit * len(x)), 0.0])
    solved = np.linalg.solve(ones.T @ ones + penalty, ones.T @ pairs.influence.double().numpy())
    np.testing.assert_allclose(student.span_influences(pairs.spans, pairs.masked), ones @ solved, atol=1e-5)


def test_it_finds_a_bag_of_words_and_misses_what_not_does() -> None:
    """Where words add up, the word alone tells all. What "not" does depends on the word that follows."""
    found = {}
    for name, teacher in (("bag", BAG), ("negating", NEGATING)):
        student = fit_ridge_student(teacher, pairs_of(teacher, TRAIN), pairs_of(teacher, DEV))
        texts = predict_words(teacher, student, TEST)
        reference = [text.teacher_labels[0] for text in texts]
        found[name] = all_correct([text.labels for text in texts], reference).mean()
        alone = all_correct([text.context_labels for text in texts], reference).mean()
        assert alone < found[name]
        assert student.dev_errors[student.penalty] == min(student.dev_errors.values()) < 1
        assert tuple(student.dev_errors) == PENALTIES
    assert found["bag"] == 1.0 and found["negating"] < 0.8


def test_one_word_for_many_contexts() -> None:
    pairs = pairs_of(BAG, TRAIN)
    student = fit_ridge_student(BAG, pairs, pairs_of(BAG, DEV))
    word = student.tokens(["good"])[0]
    many = [MaskedSpan(span.replaced("good"), span.start, span.stop) for span in pairs.spans[:20]]
    expected = predict_spans(BAG, student, masked_pairs(BAG, many)).influence
    torch.testing.assert_close(student.influence(pairs.masked[:20], word), expected, atol=1e-6, rtol=1e-5)


def test_bad_input_is_explained() -> None:
    pairs, dev = pairs_of(BAG, TRAIN[:5]), pairs_of(BAG, DEV)
    silent = masked_pairs(BAG, word_by_word([("the", "film")]))
    assert_refused(
        fit_ridge_student,
        [
            (NEGATING, pairs, dev, "representations of another teacher"),
            (BAG, pairs, dev, [0.0], r"penalties above 0, got \d+ pairs and penalties \[0.0\]"),
            (BAG, masked_pairs(BAG, pairs.spans[:1]), dev, "at least two pairs.*got 1 pairs"),
            (BAG, silent, silent, "on dev no span has any influence"),
        ],
    )
