"""MOXIE's student as a `ReplacementModel`: contexts and words are read once, and asked of each other at will."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.attribution.model_calls import Floats
from trustnlp.attribution.students.combination import FoldedContexts, FoldedTokens
from trustnlp.attribution.students.influence_student import InfluenceStudent, check_student
from trustnlp.attribution.students.text_teacher import Teacher
from trustnlp.training.loop import Precision


class StudentReplacements:
    """Probabilities softmax(C(z' + A_M(c, t))) of stored contexts and any words (equation 2).

    Few words in many contexts go one word at a time, many words in few contexts one context at a time, whichever takes
    fewer products (`trustnlp.attribution.students.combination`). The vector of a word is computed once.

    Parameters
    ----------
    contexts
        A_C's vectors `(m, d)`, from `InfluenceStudent.contexts`.
    masked
        The teacher's z' `(m, out)` of the same contexts.
    precision
        See `FoldedContexts`.

    Raises
    ------
    ValueError
        If given a student of another teacher, or not as many contexts as z'.
    """

    def __init__(
        self,
        teacher: Teacher,
        student: InfluenceStudent,
        contexts: Tensor,
        masked: Tensor,
        *,
        precision: Precision = "float32",
    ) -> None:
        check_student(student, teacher)
        if len(contexts) != len(masked):
            raise ValueError(f"{len(contexts)} contexts need as many z' of the teacher, got {len(masked)}")
        self._teacher, self._student, self._precision = teacher, student, precision
        self._contexts, self._masked = contexts.to(student.device), masked.to(student.device)
        self._vectors: dict[str, Tensor] = {}

    def __len__(self) -> int:
        return len(self._contexts)

    def __call__(self, rows: NDArray[np.int64], words: Sequence[str], /) -> Floats:
        if not len(rows) or not len(words):
            return np.empty((len(rows), len(words), len(self._teacher.weight)))
        tokens = self._tokens(words)
        if len(words) < len(rows):
            of_contexts = self._folded(rows)
            logits = torch.stack([of_contexts.logits(token) for token in tokens], dim=1)
        else:
            places = torch.as_tensor(rows, device=self._student.device)
            of_tokens = FoldedTokens(self._student.combine, self._teacher, tokens, self._precision)
            pairs = zip(self._contexts[places], self._masked[places], strict=True)
            logits = torch.stack([of_tokens.logits(*pair) for pair in pairs])
        found: Floats = logits.double().softmax(dim=2).cpu().numpy()
        return found

    @cached_property
    def _all_folded(self) -> FoldedContexts:
        return FoldedContexts(self._student.combine, self._teacher, self._contexts, self._masked, self._precision)

    def _folded(self, rows: NDArray[np.int64]) -> FoldedContexts:
        """Some of the contexts; all of them, the common case, are prepared once and not copied."""
        if np.array_equal(rows, np.arange(len(self))):
            return self._all_folded
        places = torch.as_tensor(rows, device=self._student.device)
        return FoldedContexts(
            self._student.combine, self._teacher, self._contexts[places], self._masked[places], self._precision
        )

    def _tokens(self, words: Sequence[str]) -> Tensor:
        new = [word for word in dict.fromkeys(words) if word not in self._vectors]
        if new:
            self._vectors |= zip(new, self._student.tokens(new), strict=True)
        return torch.stack([self._vectors[word] for word in words])
