"""Scores of how much a word matters: MOXIE's influence scores and unlike ratios.

Kumar, Dixit and Shah (2021), §3.2.1, equations (4) and (5). Both work on spans as on words; of the teacher's own
z - z' in the place of r, `influence_scores` gives what the student's scores should be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from trustnlp.attribution.students.combination import FoldedTokens
from trustnlp.attribution.students.influence_student import InfluenceStudent, check_student
from trustnlp.attribution.students.masked_spans import MaskedPairs
from trustnlp.attribution.students.text_teacher import Teacher
from trustnlp.training.loop import Precision

AddedTo = Literal["full", "masked"]


def influence_scores(
    teacher: Teacher, influence: Tensor, *, positive: int = 1, with_bias: bool = True
) -> NDArray[np.float64]:
    """s = 2 softmax(C(r))[positive] - 1, `(n,)` in [-1, 1]: the sign is that of the influence (equation 4).

    Deviation: the paper prints 2ŝ + 1, which lies in [1, 3].

    Parameters
    ----------
    influence
        r `(n, d)` of words or spans, from a student, or z - z' from the teacher.
    with_bias
        As in the paper, C adds its bias to r, so that a word without any influence (r = 0) has the score of C's bias
        and not 0. Without it r = 0 gives 0.

    Raises
    ------
    ValueError
        If there are more than two labels, a width that is not the teacher's, or numbers that are not finite.
    """
    if len(teacher.weight) != 2 or positive not in (0, 1):
        raise ValueError(
            f"equation (4) maps the scores of two labels, 0 and 1; this teacher has {len(teacher.weight)}, and label "
            f"{positive} was to be the positive one"
        )
    if influence.ndim != 2 or influence.shape[1] != teacher.width or not bool(torch.isfinite(influence).all()):
        raise ValueError(f"expected finite rows of {teacher.width} numbers, got shape {tuple(influence.shape)}")
    logits = teacher.logits(influence.to(teacher.weight)) - (0 if with_bias else teacher.bias)
    shares: NDArray[np.float64] = logits.double().softmax(dim=1)[:, positive].cpu().numpy()
    return 2 * shares - 1


def unlike_ratios(
    teacher: Teacher,
    student: InfluenceStudent,
    pairs: MaskedPairs,
    tags: Sequence[str],
    dictionary: Mapping[str, Tensor],
    *,
    residual_to: AddedTo = "full",
    precision: Precision = "float32",
) -> NDArray[np.float64]:
    """Share of the words of the same tag that would turn the teacher's label, `(n,)`; NaN for a tag without words.

    Parameters
    ----------
    tags
        Part of speech of each span.
    dictionary
        Tag → A_T's vectors `(v, d)` of its words, from `InfluenceStudent.tokens`.
    residual_to
        What r is added to: `full`, z, as equation (5) is printed, or `masked`, z', as equation (2) says. With z the
        masked word's own influence is still in the sum.
    precision
        See `trustnlp.attribution.students.combination.FoldedContexts`.

    Raises
    ------
    ValueError
        If there is not one tag for each span, another name of what r is added to, or another teacher's student or
        pairs.
    """
    check_student(student, teacher)
    pairs.check_teacher(teacher)
    if len(tags) != len(pairs):
        raise ValueError(f"one tag for each of the {len(pairs)} spans is needed, got {len(tags)}")
    if residual_to not in get_args(AddedTo):
        raise ValueError(f"r is added to {' or '.join(map(repr, get_args(AddedTo)))}, got {residual_to!r}")
    folded = {
        tag: FoldedTokens(student.combine, teacher, words, precision) for tag, words in dictionary.items() if len(words)
    }
    contexts = student.contexts(pairs.spans)
    bases = pairs.full if residual_to == "full" else pairs.masked
    labels = teacher.logits(pairs.full).argmax(dim=1)
    ratios = np.full(len(pairs), np.nan)
    for at in tqdm(range(len(pairs)), desc="unlike ratios", disable=None, delay=3, leave=False):
        if tags[at] in folded:
            turned = folded[tags[at]].logits(contexts[at], bases[at]).argmax(dim=1) != labels[at]
            ratios[at] = float(turned.double().mean())
    return ratios
