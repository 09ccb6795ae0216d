"""Made-up reviews, and a tiny teacher with its student: one of each for all tests of the study."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tiny_bert import tiny_encoder

from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.data.texts.review_standins import planted_reviews
from trustnlp.studies.moxie import biases, models
from trustnlp.studies.moxie.biases import Probed
from trustnlp.studies.moxie.models import Explained, explained

PARAMETERS: dict[str, Any] = {
    "profile": "smoke", "encoder": "tiny", "device": "cpu", "precision": "float32", "max_length": 64, "batch_size": 16,
    "teacher_epochs": 6, "teacher_rate": 0.01, "pairs": 120, "student_epochs": 12, "student_rate": 0.01, "selection": 4,
}  # fmt: skip


@pytest.fixture(scope="session")
def reviews() -> Reviews:
    return planted_reviews(200, np.random.default_rng(0))


@pytest.fixture(scope="session")
def found(reviews: Reviews) -> Iterator[Explained]:
    words = sorted({word for own in reviews.vocabulary.values() for word in own} | {"queer"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "load_encoder", lambda name, device: tiny_encoder(words))
        yield explained(reviews, {**PARAMETERS, "not a parameter": 1}, 0)


@pytest.fixture(scope="session")
def probed(found: Explained, reviews: Reviews) -> Probed:
    return biases.probe(found, reviews, biases.adjective_contexts(reviews), reviews.vocabulary["ADJ"], "paper")
