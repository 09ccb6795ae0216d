"""Teachers and students as notebooks ask for them: the parameters that count, spans, and other students."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.reproduce import Record
from trustnlp.studies.moxie import models
from trustnlp.studies.moxie.data import DATA_SETS
from trustnlp.studies.moxie.models import Explained, other_student, reviews_for, training_spans


def test_a_teacher_and_its_student_are_trained_by_the_parameters(found: Explained) -> None:
    assert found.folder is None and len(found.pairs) == 120 and len(found.selection) == 4
    assert len(found.teacher.dev_losses) == 6 and len(found.student.dev_scores) == 12
    assert found.student.teacher_fingerprint == found.teacher.fingerprint


def test_a_record_says_which_data_sets_its_reviews_are(reviews: Reviews, monkeypatch: pytest.MonkeyPatch) -> None:
    smoke, paper = (Record("moxie", "planted", profile=profile) for profile in ("smoke", "paper"))
    assert len(reviews_for(smoke, 60).sst2) == 60 and smoke.to_json()["data"] == {}
    monkeypatch.setattr(models, "read_tagged_reviews", lambda folder: reviews)
    assert reviews_for(paper, 60) is reviews
    assert set(paper.to_json()["data"]) == set(DATA_SETS)


def test_spans_are_nodes_of_trees_or_single_words(reviews: Reviews) -> None:
    spans, again, other = (training_spans(reviews, 50, "spans", np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert all((span.start, span.stop) in reviews.trees[span.text] for span in spans)
    assert any(span.stop - span.start > 1 for span in spans) and spans == again != other
    words = training_spans(reviews, 50, "words", np.random.default_rng(0))
    assert all(span.stop == span.start + 1 for span in words)


def test_other_students_have_the_same_teacher(found: Explained, reviews: Reviews) -> None:
    other = other_student(found, reviews, 0, units="words", pairs=30)
    assert other.teacher_fingerprint == found.teacher.fingerprint and len(other.dev_scores) == 12
    assert other.fingerprint != found.student.fingerprint
