"""Planted pairs differ along their axis."""

from __future__ import annotations

import numpy as np

from trustnlp.studies.gender_bias_languages.planted import leaning_pairs


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_planted_pairs_differ_along_their_axis() -> None:
    female, male, axis = leaning_pairs(50, lean=1.0, dim=30, noise=0.0, rng=rng())
    np.testing.assert_allclose(female - male, np.tile(2 * axis, (50, 1)), atol=1e-12)
