"""Probes on a teacher with a planted bias, with itself as its student, and with students that err in known ways."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.attribution.students.bias_probes import (
    NEGATIVE_WORDS,
    POSITIVE_WORDS,
    biased_set,
    check_claims,
    filter_contexts,
)
from trustnlp.attribution.students.masked_spans import MaskedSpan
from trustnlp.attribution.word_replacements import ExactReplacements

WEIGHTS = {
    **dict.fromkeys(POSITIVE_WORDS, 2.0), **dict.fromkeys(NEGATIVE_WORDS, -2.0),
    "nice": 1.0, "plain": 0.0, "marked": -0.6, "weak": -0.3, "joy": 0.5, "bore": -0.5, "heaven": 9.0,
}  # fmt: skip
VOCABULARY = ["plain", "marked", "weak", "nice"]


def shares(texts: Sequence[str]) -> NDArray[np.float64]:
    """Of weights, turned by "not"."""
    scores = []
    for text in texts:
        words = text.split()
        scores.append((-1 if "not" in words else 1) * sum(WEIGHTS.get(word, 0.0) for word in words) + 0.05)
    p = 1 / (1 + np.exp(-np.array(scores)))
    return np.stack([1 - p, p], axis=1)


def predict(texts: Sequence[str]) -> NDArray[np.int64]:
    labels: NDArray[np.int64] = shares(texts).argmax(axis=1)
    return labels


def contexts_of(*texts: str) -> list[MaskedSpan]:
    """The word "X" of a text is marked."""
    return [MaskedSpan((words := tuple(text.split())), words.index("X"), words.index("X") + 1) for text in texts]


CONTEXTS = contexts_of(
    "a X joy", "X", "not X bore", "a X joy heaven", "X bore", "so X joy joy", "a X heaven", "X joy bore", "X film joy"
)
LABELS = predict([context.text for context in CONTEXTS])
EXACT = ExactReplacements(shares, CONTEXTS)
ROWS = np.arange(len(CONTEXTS))


def test_the_filters_keep_what_their_sentences_say() -> None:
    kept = filter_contexts(EXACT, LABELS, VOCABULARY)
    # "X bore" is negative as it stands; "not X bore" is inverted; "heaven" leaves nothing to change, as does "so X joy
    # joy" with words of at most -0.6 against 1.05.
    assert kept.rows.tolist() == [0, 1, 7, 8]
    assert dict(kept.left) == {"all": 9, "positive": 8, "not_inverted": 7, "changeable": 4}


def test_a_context_that_only_one_list_contradicts_is_removed_by_the_stricter_reading() -> None:
    """With "heaven" even "dreadful" is positive: half of what inverts a context."""
    either = filter_contexts(EXACT, LABELS, VOCABULARY, inverted="either")
    assert either.left["not_inverted"] == 5 and either.rows.tolist() == [0, 1, 7, 8]


def test_a_context_that_has_changed_is_asked_no_more() -> None:
    asked: list[tuple[int, int]] = []

    def student(rows: NDArray[np.int64], words: Sequence[str], /) -> NDArray[np.float64]:
        if words[0] in numbers:
            asked.append((len(rows), len(words)))
        says = np.array([[numbers.get(word, 0) > row for word in words] for row in rows], dtype=float)
        return np.stack([1 - says, says], axis=2)

    words = [f"w{n}" for n in range(9)]
    numbers = {word: n for n, word in enumerate(words)}
    kept = filter_contexts(student, np.ones(100, dtype=int), words)
    # Word 0 is negative everywhere; words 1, 2-3, 4-7 and 8 bring in one more context each.
    assert kept.rows.tolist() == list(range(8))
    assert asked == [(100, 1), (100, 1), (99, 2), (97, 4), (93, 1)]


def test_the_set_is_the_intersection_and_the_surest_come_first() -> None:
    found = biased_set(EXACT, ROWS, "plain", "marked")
    expected = [
        row
        for row, context in enumerate(CONTEXTS)
        if predict([" ".join(context.replaced("plain"))])[0] == 1
        and predict([" ".join(context.replaced("marked"))])[0] == 0
    ]
    assert sorted(found.rows) == expected and found.share == len(expected) / len(CONTEXTS)
    p = {word: EXACT(ROWS, [word])[:, 0, 1] for word in ("plain", "marked")}
    sure = p["plain"] * (1 - p["marked"])
    assert found.confidence == pytest.approx(sure[found.rows]) and (np.diff(found.confidence) <= 0).all()
    by_probe = biased_set(EXACT, ROWS, "plain", "marked", sure_of="probe")
    assert by_probe.confidence == pytest.approx((1 - p["marked"])[by_probe.rows])
    assert by_probe.rows[0] == 1 and set(by_probe.rows) == set(found.rows)
    assert biased_set(EXACT, ROWS, "marked", "plain").share == 0


def test_the_teacher_as_its_own_student_makes_no_wrong_claim() -> None:
    found = biased_set(EXACT, ROWS, "plain", "marked")
    checked = check_claims(predict, CONTEXTS, found.rows, "plain", "marked")
    assert (checked.control, checked.probe, checked.joint) == (100, 100, 100)
    assert checked.rows.tolist() == found.rows.tolist()


def test_accuracies_of_known_answers() -> None:
    """Over all contexts these are the base rates: the control is right nearly always, the probe seldom."""
    checked = check_claims(predict, CONTEXTS, ROWS, "plain", "marked")
    control = predict([" ".join(context.replaced("plain")) for context in CONTEXTS]) == 1
    probe = predict([" ".join(context.replaced("marked")) for context in CONTEXTS]) == 0
    assert checked.control_right.tolist() == control.tolist() and checked.probe_right.tolist() == probe.tolist()
    assert checked.control == pytest.approx(100 * control.mean())
    assert checked.probe == pytest.approx(100 * probe.mean())
    assert checked.joint == pytest.approx(100 * (control & probe).mean())
    none = check_claims(predict, CONTEXTS, ROWS[:0], "plain", "marked")
    assert math.isnan(none.control) and math.isnan(none.joint)


def test_bad_input_is_explained() -> None:
    unmoved = ExactReplacements(lambda texts: np.array([[0.2, 0.8]] * len(texts)), CONTEXTS)
    swapped = {"positive_words": ["awful"], "negative_words": ["nice"]}
    negative = np.zeros(9, dtype=int)
    assert_refused(
        lambda call: call(),
        [
            (lambda: biased_set(EXACT, ROWS, "plain", "plain"), "the probe word is the control word, 'plain'"),
            (lambda: biased_set(EXACT, ROWS, "plain", "marked", sure_of="both"), "sure_of is 'both'; .* pair, probe"),
            (lambda: check_claims(predict, CONTEXTS, ROWS, "plain", "plain"), "two different words are compared"),
            (lambda: filter_contexts(EXACT, LABELS, VOCABULARY, inverted="any"), "inverted is 'any'; .* both, either"),
            (lambda: filter_contexts(EXACT, negative, VOCABULARY), r"no context is left .* positive \(step 4\)"),
            (lambda: filter_contexts(EXACT, LABELS * (ROWS == 0), VOCABULARY, **swapped), "do not show to be inverted"),
            (lambda: filter_contexts(unmoved, LABELS, VOCABULARY), r"changes the student's label \(step 6\)"),
        ],
    )
