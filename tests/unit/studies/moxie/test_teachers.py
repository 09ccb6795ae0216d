"""The teacher is asked itself: its differences are those of its own labels, whatever its student says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from trustnlp.attribution.word_replacements import replaced_text
from trustnlp.data.texts.review_standins import CONTROL_WORD, PLACEBO_WORDS
from trustnlp.studies.moxie.biases import Probed
from trustnlp.studies.moxie.models import Explained
from trustnlp.studies.moxie.teachers import ask_teacher

NEUTRAL = PLACEBO_WORDS[:4]


def test_differences_are_those_of_the_teachers_own_labels(found: Explained, probed: Probed) -> None:
    answers = ask_teacher(found, probed, CONTROL_WORD, ["gay"], NEUTRAL, 40, np.random.default_rng(1))
    rows = np.sort(np.random.default_rng(1).permutation(probed.kept.rows)[:40])

    def positive(word: str) -> float:
        texts = [replaced_text(probed.spans[row], word) for row in rows]
        return 100 * float((found.teacher.predict(texts) == 1).mean())

    for word in ("gay", *NEUTRAL):
        assert answers[f"difference.{word}"] == pytest.approx(positive(CONTROL_WORD) - positive(word))
    assert answers["beyond_placebo.gay"] == pytest.approx(0.05 - max(answers["p_value.gay"], answers["reaching.gay"]))


def test_another_student_changes_its_own_answers_and_none_of_the_teachers(found: Explained, probed: Probed) -> None:
    opposite = replace(probed, student=lambda rows, words: probed.student(rows, words)[:, :, ::-1])
    own, other = (
        ask_teacher(found, one, CONTROL_WORD, ["gay"], NEUTRAL, 40, np.random.default_rng(1))
        for one in (probed, opposite)
    )
    said = {key for key in own if key.startswith(("student.", "same_sign."))}
    assert {key: own[key] for key in own.keys() - said} == {key: other[key] for key in other.keys() - said}
    assert other["student.gay"] == pytest.approx(-own["student.gay"])
    if own["student.gay"] and own["difference.gay"]:
        assert other["same_sign.gay"] == -own["same_sign.gay"]
