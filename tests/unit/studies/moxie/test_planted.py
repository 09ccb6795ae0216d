"""The planted teacher: its scores by hand, and that z and C say the same."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.texts import review_standins as reviews
from trustnlp.studies.moxie.planted import PlantedTeacher

TEACHER = PlantedTeacher({"good": 1.0, "bad": -1.0, "dull": -0.5}, {"not", "never"}, {"very": 2.0}, bias=0.25)


def test_it_is_the_rule_of_the_made_up_reviews() -> None:
    """On whole reviews, and on random words, where negations and intensifiers stand as no grammar puts them."""
    teacher = PlantedTeacher(reviews.WEIGHTS, reviews.NEGATIONS, reviews.INTENSIFIERS, reach=reviews.REACH)
    rng = np.random.default_rng(0)
    words = ["[MASK]", "film", *reviews.NEGATIONS, *reviews.INTENSIFIERS, *list(reviews.WEIGHTS)[::7]]
    texts = [*reviews.planted_reviews(60, rng).sst2.train.texts, *(" ".join(rng.choice(words, 8)) for _ in range(200))]
    scores = np.array([reviews.planted_score(text.split()) for text in texts])
    assert [teacher.score(text) for text in texts] == pytest.approx(scores, abs=1e-5)
    assert teacher.predict(texts).tolist() == (scores > 0).tolist()


def test_other_words_or_numbers_are_another_teacher() -> None:
    same = PlantedTeacher({"good": 1.0, "bad": -1.0, "dull": -0.5}, ["never", "not"], {"very": 2.0}, bias=0.25)
    assert TEACHER.fingerprint == same.fingerprint
    others = [PlantedTeacher({"good": 1.0}), PlantedTeacher({"good": 1.0}, bias=0.1), PlantedTeacher({"good": 1.5})]
    assert len({teacher.fingerprint for teacher in [TEACHER, *others]}) == 4


def test_bad_input_is_explained() -> None:
    two_parts = ({"good": 1.0}, {"good"}, "none of them is also a negation")
    assert_refused(PlantedTeacher, [({}, "at least one word has a weight"), two_parts])
    with pytest.raises(ValueError, match="single text"):
        TEACHER.predict("good film")
