"""Sensitivities, guarantees and clipping."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.privacy.accounting.guarantee import (
    Guarantee,
    L1Sensitivity,
    L2Sensitivity,
    Relation,
    check_delta,
    check_epsilon,
    check_vectors,
    clip_l1,
    clip_l2,
)


def test_loss_bounds_depend_on_the_relation() -> None:
    local = Guarantee(3.0, 0.0, L1Sensitivity(1.0, Relation.LOCAL))
    metric = Guarantee(3.0, 1e-6, L2Sensitivity(1.0, Relation.METRIC))
    assert (local.relation, metric.relation) == (Relation.LOCAL, Relation.METRIC)
    assert [local.loss_bound(d) for d in (0.5, 10.0)] == [3.0, 3.0]
    assert [metric.loss_bound(d) for d in (0.0, 0.5, 10.0)] == [0.0, 1.5, 30.0]
    assert str(local) == "(3, 0)-differential privacy, any two inputs, L1 sensitivity 1"
    assert str(metric) == "(3, 1e-06)-differential privacy, per unit of distance, L2 sensitivity 1"


def test_norms_are_types() -> None:
    assert L1Sensitivity(1.0, Relation.LOCAL).norm == "L1"
    assert L2Sensitivity(1.0, Relation.LOCAL).norm == "L2"
    assert L1Sensitivity(1.0, Relation.LOCAL) != L2Sensitivity(1.0, Relation.LOCAL)
    with pytest.raises(TypeError, match=r"the relation is Relation.LOCAL or Relation.METRIC, got 'metric'"):
        L1Sensitivity(1.0, "metric")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a sensitivity is one number, got str"):
        L2Sensitivity("1", Relation.LOCAL)  # type: ignore[arg-type]


def test_numbers_out_of_range() -> None:
    sensitivity = L2Sensitivity(1.0, Relation.LOCAL)
    values = [0.0, -1.0, math.nan, math.inf]
    for build in (
        lambda value: L1Sensitivity(value, Relation.LOCAL),
        lambda value: Guarantee(value, 0.0, sensitivity),
        check_epsilon,
        lambda value: clip_l1(torch.ones(1, 1), value),
        lambda value: clip_l2(torch.ones(1, 1), value),
    ):
        assert_refused(build, [(value, "positive and finite") for value in values])
    assert_refused(check_delta, [(value, "strictly between 0 and 1") for value in values])
    for delta in (1.0, -1e-9, math.nan):
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            Guarantee(1.0, delta, sensitivity)


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), min_size=2, max_size=5), st.floats(1e-3, 1e3))
def test_clipped_rows_lie_within_the_sensitivity(rows: list[list[float]], radius: float) -> None:
    vectors = torch.tensor(rows, dtype=torch.float64)
    for clip, order, kind in ((clip_l1, 1, L1Sensitivity), (clip_l2, 2, L2Sensitivity)):
        clipped, sensitivity = clip(vectors, radius)
        assert sensitivity == kind(2 * radius, Relation.LOCAL)
        assert torch.cdist(clipped, clipped, p=order).max() <= sensitivity.value * (1 + 1e-12)
        lengths = torch.linalg.vector_norm(vectors, ord=order, dim=1)
        inside = lengths <= radius
        assert torch.allclose(clipped[inside], vectors[inside], rtol=1e-12, atol=0)
        outside = torch.linalg.vector_norm(clipped[~inside], ord=order, dim=1)
        assert np.allclose(outside, radius, rtol=1e-12)
        # Directions stay.
        assert torch.allclose(clipped * lengths[:, None], vectors * lengths.clamp(max=radius)[:, None], rtol=1e-9)


def test_vectors_that_are_none() -> None:
    assert_refused(
        check_vectors,
        [
            (np.ones((1, 1)), TypeError, "vectors are"),
            (torch.ones(1, 1, dtype=torch.bfloat16), TypeError, "vectors are"),
            (torch.eye(3).to_sparse(), TypeError, "vectors are a dense tensor"),
            (torch.ones(2, 2, device="meta"), TypeError, "vectors are a dense tensor"),
            (torch.ones(3), "have shape"),
            (torch.ones(0, 3), "have shape"),
            (torch.tensor([[1.0, math.inf]]), "NaN or infinity"),
        ],
    )
    with pytest.raises(ValueError, match="NaN or infinity"):
        clip_l2(torch.tensor([[1.0, math.nan]]), 1.0)


def test_huge_and_tiny_rows_are_clipped_to_the_radius_and_not_beyond() -> None:
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(200, 50, generator=generator) * torch.logspace(-30, 30, 200)[:, None]
    for clip, order in ((clip_l1, 1), (clip_l2, 2)):
        lengths = torch.linalg.vector_norm(clip(rows, 1.0)[0].double(), ord=order, dim=1)
        assert lengths.max() <= 1.0
        assert lengths[-1] == pytest.approx(1.0, abs=1e-6)
