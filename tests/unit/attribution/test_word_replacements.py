"""Other words in marked places: the model itself and MOXIE's student answer the same question in the same form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from refusals import assert_refused
from tiny_bert import tiny_encoder

from trustnlp.attribution import word_replacements
from trustnlp.attribution.students.influence_student import InfluenceStudent
from trustnlp.attribution.students.masked_spans import MaskedSpan
from trustnlp.attribution.students.student_replacements import StudentReplacements
from trustnlp.attribution.word_replacements import (
    ExactReplacements,
    check_vocabulary,
    portions,
    replaced_text,
    replacement_labels,
    replacement_probabilities,
)
from trustnlp.studies.moxie.planted import PlantedTeacher

CONTEXTS = [
    MaskedSpan(("a", "good", "film"), 1, 2),
    MaskedSpan(("so", "very", "dull"), 1, 3),
    MaskedSpan(("dull",), 0, 1),
]
VOCABULARY = ["good", "dull", "film", "so", "a"]


def shares(texts: Sequence[str]) -> NDArray[np.float64]:
    """The more letters, the more positive."""
    p = np.array([len(text) / 40 for text in texts])
    return np.stack([1 - p, p], axis=1)


def test_the_model_itself_answers_by_row_and_word() -> None:
    model = ExactReplacements(shares, CONTEXTS)
    rows = np.array([2, 0])
    found = replacement_probabilities(model, rows, ["odd", "wonderful"])
    assert found.shape == (2, 2, 2)
    for i, row in enumerate(rows):
        for j, word in enumerate(["odd", "wonderful"]):
            assert found[i, j].tolist() == shares([replaced_text(CONTEXTS[row], word)])[0].tolist()
    none = np.array([], dtype=np.int64)
    assert replacement_probabilities(model, none, ["odd"]).shape == (0, 1, 2)
    assert replacement_labels(model, none, ["odd"]).shape == (0, 1)


def test_portions_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model, rows = ExactReplacements(shares, CONTEXTS), np.arange(3)
    words = ["x" * n for n in range(1, 30)]
    whole = replacement_labels(model, rows, words)
    assert 0 < whole.mean() < 1
    monkeypatch.setattr(word_replacements, "VALUES_AT_ONCE", 4)
    assert len(list(portions(3, len(words)))) == 3
    assert (replacement_labels(model, rows, words) == whole).all()


@pytest.fixture(scope="module")
def student() -> tuple[PlantedTeacher, InfluenceStudent]:
    """One with random weights in its combine module, too, so that words and contexts matter."""
    teacher = PlantedTeacher({"good": 1.0, "dull": -1.0, "film": 0.5, "so": 0.2})
    made = InfluenceStudent(tiny_encoder(["a", "good", "film", "so", "very", "dull", "odd"]), teacher)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        made.combine.output.weight.normal_(generator=generator)
        made.combine.output.bias.normal_(generator=generator)
    return teacher, made


@pytest.mark.parametrize(("chosen", "words"), [([2, 0], VOCABULARY), ([0, 1, 2], VOCABULARY[:1])])
def test_the_student_answers_as_equation_2(
    student: tuple[PlantedTeacher, InfluenceStudent], chosen: list[int], words: list[str]
) -> None:
    """By one word in many contexts and by one context with many words."""
    teacher, made = student
    masked = teacher.representations([span.masked_text(teacher.mask) for span in CONTEXTS])
    contexts = made.contexts(CONTEXTS)
    model = StudentReplacements(teacher, made, contexts, masked)
    rows = np.array(chosen)
    found = replacement_probabilities(model, rows, words)
    for i, row in enumerate(rows):
        for j, word in enumerate(words):
            r = made.influence(contexts[[row]], made.tokens([word]))
            expected = teacher.logits(masked[[row]] + r).double().softmax(dim=1)[0]
            assert found[i, j] == pytest.approx(expected.numpy(), abs=1e-5)
    assert len(model) == 3 and len(np.unique(found)) > 2
    assert model(np.array([], dtype=np.int64), words).shape == (0, len(words), 2)


def test_a_student_of_another_teacher_or_other_contexts_are_refused(
    student: tuple[PlantedTeacher, InfluenceStudent],
) -> None:
    teacher, made = student
    masked, contexts = teacher.representations(["a film"] * 3), made.contexts(CONTEXTS)
    other = PlantedTeacher({"good": 3.0})
    assert_refused(
        StudentReplacements,
        [
            (other, made, contexts, masked, "learned from another teacher"),
            (teacher, made, contexts, masked[:2], "3 contexts need as many z' of the teacher, got 2"),
        ],
    )


def test_what_a_replacement_model_returns_is_checked() -> None:
    rows = np.arange(2)
    assert_refused(
        lambda answer: replacement_probabilities(lambda rows, words: answer, rows, ["x", "y", "z"]),
        [
            (np.full((2, 3), 0.5), r"replacement model returned the shape \(2, 3\); expected \(2, 3, c\)"),
            (np.full((2, 3, 2), 0.4), "no probabilities; apply a softmax"),
        ],
    )


def test_a_vocabulary_is_a_list_of_different_words() -> None:
    check_vocabulary(["a", "b"], "the list")
    assert_refused(
        lambda words: check_vocabulary(words, "the list"),
        [
            (["a", ""], "holds '', which is an empty word"),
            (["a", "b", "a"], "holds 'a' more than once"),
        ],
    )
