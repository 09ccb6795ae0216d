"""Equations as printed against equation (2), lengths, and sentences that the student is sure of."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from on_gpu import assert_trains_alike, needs_gpu

from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.studies.moxie import critique
from trustnlp.studies.moxie.critique import AdditiveCombine
from trustnlp.studies.moxie.models import Explained, other_student


def test_labels_apart_are_shares(found: Explained, reviews: Reviews) -> None:
    result = critique.compared(found, reviews, 10, 0)
    assert set(result) == {"residual.labels_apart", "algorithm2.labels_apart", "algorithm1.ascending_loss"}
    assert all(0 <= result[f"{name}.labels_apart"] <= 100 for name in ("residual", "algorithm2"))


def test_all_sentences_kept_have_the_accuracy_of_all_and_slopes_their_difference(
    found: Explained, reviews: Reviews
) -> None:
    predictions = critique.predictions_of(found, found.student, reviews, 20)
    kept, slopes = critique.kept_by_confidence(predictions), critique.length_slopes(predictions, 0)
    assert list(kept) == list(critique.SHARES) and kept[100] == pytest.approx(critique.accuracy_of(predictions))
    assert slopes["difference"] == pytest.approx(slopes["slope"] - slopes["power_slope"])


def test_an_additive_student_has_no_interaction(found: Explained, reviews: Reviews) -> None:
    student = other_student(found, reviews, 0, pairs=30, combine=AdditiveCombine)
    assert isinstance(student.combine, AdditiveCombine)
    contexts, tokens = (torch.randn(3, student.width, generator=torch.Generator().manual_seed(n)) for n in (0, 1))
    with torch.no_grad():
        a, b, c, d = (student.combine(contexts[i : i + 1], tokens[j : j + 1]) for i in (0, 1) for j in (0, 1))
        own = [found.student.combine(contexts[i : i + 1], tokens[j : j + 1]) for i in (0, 1) for j in (0, 1)]
    assert torch.allclose(a - b, c - d, atol=1e-5)
    assert not torch.allclose(own[0] - own[1], own[2] - own[3], atol=1e-5)
    assert torch.equal(AdditiveCombine(4, 2)(torch.ones(1, 4), torch.ones(1, 4)), torch.zeros(1, 2))


def test_the_surest_sentences_are_kept_first() -> None:
    unsure, sure = (
        SimpleNamespace(logits=np.array([[logit, 0.0]]), labels=np.array([0]), teacher_labels=np.array([teacher]))
        for logit, teacher in ((0.1, 1), (5.0, 0))
    )
    kept = critique.kept_by_confidence([unsure, sure])  # type: ignore[list-item]
    assert (kept[20], kept[100]) == (100, 50)


@pytest.mark.gpu
@needs_gpu
def test_on_a_gpu_the_additive_module_learns_the_same() -> None:
    contexts, tokens = torch.randn(2, 12, 5, generator=torch.Generator().manual_seed(0))
    assert_trains_alike(AdditiveCombine(5, 3), lambda model, device: model(contexts.to(device), tokens.to(device)))
