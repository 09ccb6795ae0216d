"""Scaled representations of two classes for which the best accuracy under noise is known: stand-ins for an encoder.

Robust training (Lyu, He and Li 2020, Algorithm 1) adds to the training vectors the noise of the release. What that is
good for can be planted. Two kinds of coordinates tell the classes apart:

- two *fine* ones: a tiny difference, and a tinier spread from text to text. Without noise they are nearly enough;
  under noise they are worth nothing;
- all others, *broad*: a small difference beside a large spread. One tells little, together they tell the class, and
  noise that is not much larger than their spread leaves some of it.

A classifier trained without noise leans on the fine ones and fails when noise comes; one trained with it learns to
lean on the others. The first two coordinates are always 0 and 1, so min–max scaling changes nothing. The difference of
the classes adds up to 0 over the coordinates, so a number added to all of them hides nothing.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import norm
from torch import Tensor

Floats64 = NDArray[np.float64]

_BROAD_SHIFT, _BROAD_SPREAD = 0.017, 0.08
_FINE_SHIFT, _FINE_SPREAD = 0.01, 0.01


def planted_representations(n: int, dim: int, *, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """`n` vectors `(n, dim)` in [0, 1], float32, and their classes `(n,)` of 0 and 1, equally likely.

    Parameters
    ----------
    dim
        Even, at least 8.
    """
    shift, spread = _class_law(dim)
    labels = rng.integers(0, 2, n)
    # Six spreads from the middle to the ends: clipping touches one value in a billion.
    inner = np.clip(
        0.5 + np.where(labels[:, None] == 1, shift, -shift) + spread * rng.standard_normal((n, dim - 2)), 0, 1
    )
    vectors = np.concatenate([np.zeros((n, 1)), np.ones((n, 1)), inner], axis=1)
    return torch.from_numpy(vectors.astype(np.float32)), torch.from_numpy(labels)


def best_accuracy(dim: int, noise_variance: float = 0.0) -> float:
    """Accuracy of the best linear classifier when independent noise of that variance is on every coordinate.

    Φ(δ/2) with δ² = Σ (2 shift)² / (spread² + variance). Exact for Gaussian noise, and for Laplace noise as good as
    the sum over the coordinates is normal. A number added to *all* coordinates leaves the accuracy of variance 0.
    """
    shift, spread = _class_law(dim)
    return _accuracy(shift / (spread**2 + noise_variance), shift, spread, noise_variance)


def accuracy_without_robustness(dim: int, noise_variance: float) -> float:
    """Accuracy, under that noise, of the classifier that is the best without any."""
    shift, spread = _class_law(dim)
    return _accuracy(shift / spread**2, shift, spread, noise_variance)


def _accuracy(weights: Floats64, shift: Floats64, spread: Floats64, noise_variance: float) -> float:
    deviation = math.sqrt(float(weights**2 @ (spread**2 + noise_variance)))
    return float(norm.cdf(float(weights @ shift) / deviation))


def _class_law(dim: int) -> tuple[Floats64, Floats64]:
    """Half the difference of the classes and the spread `(dim - 2,)`, fine coordinates first, signs alternating."""
    fine = np.arange(dim - 2) < 2
    signs = np.where(np.arange(dim - 2) % 2 == 0, 1.0, -1.0)
    return signs * np.where(fine, _FINE_SHIFT, _BROAD_SHIFT), np.where(fine, _FINE_SPREAD, _BROAD_SPREAD)
