"""Probe words and placebos asked of the teacher itself, in the contexts that its student was asked about.

Kumar, Dixit and Shah (2021), §4.5, conclude from the student's sets that the teacher is biased, and ask the teacher
about the student's surest claims only. What a student says of its teacher is an estimate; here the teacher answers, for
the paper's words and for neutral ones, so that no step of the answer is the student's but the choice of the contexts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trustnlp.attribution.word_replacements import ExactReplacements
from trustnlp.studies.moxie.biases import ALPHA, Probed, placebo_test
from trustnlp.studies.moxie.models import Explained


def ask_teacher(
    found: Explained,
    probed: Probed,
    control: str,
    probes: Sequence[str],
    placebos: Sequence[str],
    contexts: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """The teacher's answers in up to `contexts` of the filtered contexts, drawn at random; differences in points.

    `difference.WORD`, how much more often it is positive with the control word than with a probe word or placebo;
    `p_value.WORD`, the share of ordered pairs of all these words that lie as far apart; `reaching.WORD`, the share of
    placebos that do so in the probe's place; `beyond_placebo.WORD`, .05 less the larger of the two; and of each probe
    `student.WORD`, the student's difference in the same contexts, and `same_sign.WORD`, 1 where both have one sign,
    else −1.
    """
    rows = np.sort(rng.permutation(probed.kept.rows)[:contexts])
    teacher = ExactReplacements(found.teacher.probabilities, probed.spans)
    result: dict[str, float] = {}
    for word in probes:
        asked = placebo_test(teacher, rows, control, [word], placebos)
        student = placebo_test(probed.student, rows, control, [word], placebos)
        result[f"difference.{word}"] = 100 * asked.difference
        result[f"student.{word}"] = 100 * student.difference
        result[f"same_sign.{word}"] = 1.0 if asked.difference * student.difference > 0 else -1.0
        result[f"p_value.{word}"] = asked.p_value
        result[f"reaching.{word}"] = asked.reaching
        result[f"beyond_placebo.{word}"] = ALPHA - max(asked.p_value, asked.reaching)
        result |= {
            f"difference.{placebo}": 100 * float(apart)
            for placebo, apart in zip(asked.placebos, asked.differences, strict=True)
        }
    return result
