"""Equations as printed against equation (2), lengths, and sentences that the student is sure of."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.studies.moxie.checks import equation_checks
from trustnlp.studies.moxie.data import Reviews
from trustnlp.studies.moxie.models import Explained


def test_labels_apart_are_shares(found: Explained, reviews: Reviews) -> None:
    result = equation_checks.compared(found, reviews, 10, 0)
    assert set(result) == {"residual.labels_apart", "algorithm2.labels_apart", "algorithm1.ascending_loss"}
    assert all(0 <= result[f"{name}.labels_apart"] <= 100 for name in ("residual", "algorithm2"))


def test_all_sentences_kept_have_the_accuracy_of_all(found: Explained, reviews: Reviews) -> None:
    predictions = equation_checks.predictions_of(found, found.student, reviews, 20)
    kept = equation_checks.kept_by_confidence(predictions)
    assert kept[100] == pytest.approx(equation_checks.accuracy_of(predictions))
    assert list(kept) == list(equation_checks.SHARES)


def test_slopes_differ_by_their_difference(found: Explained, reviews: Reviews) -> None:
    predictions = equation_checks.predictions_of(found, found.student, reviews, 20)
    slopes = equation_checks.length_slopes(predictions, 0)
    assert slopes["difference"] == pytest.approx(slopes["slope"] - slopes["power_slope"])
    assert np.isfinite(list(slopes.values())).all()
