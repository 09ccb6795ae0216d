"""Maps of representations, and agreement of neighbours on them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trustnlp.studies.dpnr.blogs import neighbour_agreement, tsne_map


def test_agreement_is_that_of_all_distances() -> None:
    rng = np.random.default_rng(0)
    points, groups = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    np.fill_diagonal(apart, np.inf)
    expected = 100 * np.mean([groups[row.argmin()] == group for row, group in zip(apart, groups, strict=True)])
    assert neighbour_agreement(points, groups) == pytest.approx(expected)


def test_a_map_keeps_two_clusters_apart() -> None:
    vectors = torch.randn(60, 5, generator=torch.Generator().manual_seed(0))
    vectors[30:] += 20
    groups = np.repeat([0, 1], 30)
    coordinates = tsne_map(vectors, seed=0)
    assert coordinates.shape == (60, 2)
    assert neighbour_agreement(coordinates, groups) == 100
