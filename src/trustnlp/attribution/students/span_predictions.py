"""A student's predictions for every masked word, beside those of the teacher for the context alone.

Kumar, Dixit and Shah (2021), equation (2) and §4.2. A text counts as right if the predictions for all of its words have
the reference label (all-correct accuracy); the baseline predicts from the teacher's z' alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from trustnlp.attribution.students.influence_student import check_student
from trustnlp.attribution.students.masked_spans import MaskedPairs, MaskedSpan, Words, every_word, masked_pairs
from trustnlp.attribution.students.text_teacher import Teacher


class Student(Protocol):
    """A model that predicts the influence of a span on the teacher's representation."""

    teacher_fingerprint: str

    def span_influences(self, spans: Sequence[MaskedSpan], masked: Tensor) -> Tensor:
        """r `(n, d)` of the spans, given the teacher's z' `(n, d)`."""


@dataclass(frozen=True, eq=False)
class SpanPredictions:
    """Predictions for masked spans; `found[2:5]` is those for some of them.

    Attributes
    ----------
    influence
        r `(n, d)`.
    logits
        C(z' + r) `(n, c)`: with the student.
    context_logits
        C(z') `(n, c)`: from the context alone, the baseline.
    teacher_labels
        `(n,)` labels argmax C(z) that the teacher gives the whole texts.
    """

    spans: tuple[MaskedSpan, ...]
    influence: Tensor
    logits: NDArray[np.float64]
    context_logits: NDArray[np.float64]
    teacher_labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.spans)

    def __getitem__(self, rows: slice) -> SpanPredictions:
        return SpanPredictions(
            self.spans[rows],
            self.influence[rows],
            self.logits[rows],
            self.context_logits[rows],
            self.teacher_labels[rows],
        )

    @property
    def labels(self) -> NDArray[np.int64]:
        """`(n,)`, with the student."""
        found: NDArray[np.int64] = self.logits.argmax(axis=1)
        return found

    @property
    def context_labels(self) -> NDArray[np.int64]:
        """`(n,)`, from the context alone."""
        found: NDArray[np.int64] = self.context_logits.argmax(axis=1)
        return found


def predict_spans(teacher: Teacher, student: Student, pairs: MaskedPairs) -> SpanPredictions:
    """A student's predictions for masked spans.

    Raises
    ------
    ValueError
        If the student or the pairs belong to another teacher.
    """
    check_student(student, teacher)
    pairs.check_teacher(teacher)
    influence = student.span_influences(pairs.spans, pairs.masked).to(pairs.masked.device)

    def scores(representations: Tensor) -> NDArray[np.float64]:
        found: NDArray[np.float64] = teacher.logits(representations).double().cpu().numpy()
        return found

    return SpanPredictions(
        pairs.spans,
        influence,
        scores(pairs.masked + influence),
        scores(pairs.masked),
        scores(pairs.full).argmax(axis=1),
    )


def predict_words(
    teacher: Teacher, student: Student, texts: Sequence[Words], *, folder: Path | None = None
) -> list[SpanPredictions]:
    """For each text what a student predicts for each of its words, masked in turn.

    Parameters
    ----------
    folder
        Where the teacher's representations are kept.

    Raises
    ------
    ValueError
        If there are no texts, a text without words, or a student of another teacher.
    """
    check_student(student, teacher)
    return by_text(predict_spans(teacher, student, masked_pairs(teacher, every_word(texts), folder=folder)), texts)


def by_text(found: SpanPredictions, texts: Sequence[Words]) -> list[SpanPredictions]:
    """Predictions for `every_word(texts)`, cut into those of each text."""
    edges = np.cumsum([0, *map(len, texts)]).tolist()
    return [found[start:stop] for start, stop in pairwise(edges)]


def all_correct(predicted: Sequence[ArrayLike], reference: ArrayLike) -> NDArray[np.bool_]:
    """Whether all predictions for a text are its reference label, `(n,)`. Their mean is the all-correct accuracy.

    Parameters
    ----------
    predicted
        Of each text the labels that were predicted for its words.
    reference
        `(n,)` labels of the texts: the teacher's in §4.2, the gold labels in appendix B.

    Raises
    ------
    ValueError
        If there is not one reference for each text, or a text without predictions.

    Examples
    --------
    >>> all_correct([[1, 1], [0, 1]], [1, 0])
    array([ True, False])
    """
    labels = np.asarray(reference)
    if labels.shape != (len(predicted),) or any(np.size(found) == 0 for found in predicted):
        raise ValueError(
            f"{len(predicted)} texts, each with at least one prediction, need as many reference labels, got labels of "
            f"shape {labels.shape}"
        )
    return np.array([np.all(found == label) for found, label in zip(map(np.asarray, predicted), labels, strict=True)])
