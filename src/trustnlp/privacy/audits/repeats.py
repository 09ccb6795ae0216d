"""Noise that comes again: releases of one input that are equal to the last bit.

Rows of continuous noise are all different, but for rounding. Noise from a small seed is not: among n rows with a seed
of 16 bits each, about n² / 2¹⁷ pairs are equal, and whoever sees two equal rows of noise on different inputs subtracts
one from the other. Rows that share their noise, and calls that set a seed again, are the extreme.

A release is a multiple of a resolution g at least: its grid, or the spacing of floating-point numbers of its size. So
no value has a probability above p = gᵈ times the largest density of the stated law, and the j-th release repeats one of
those before it with probability (j - 1) p at most, whatever they were. The number of repeats is therefore
stochastically smaller than a Poisson number with mean Σ -ln(1 - (j - 1) p), which gives a p-value that is right by
construction.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from scipy import stats
from torch import Tensor

from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.audits.low_bits import common_grid
from trustnlp.privacy.audits.noise_law import Fit, NoiseLaw

_ROWS_OF_A_CALL = 2


def repeated_rows(releases: Tensor, law: NoiseLaw) -> Fit:
    """How many of `(n, m)` releases of one input equal an earlier one to the last bit, against what rounding explains.

    The resolution is read off the releases, and taken to be the scale where they are coarser.

    Raises
    ------
    ValueError
        If given releases that are not `(n, m)`, n ≥ 2, and finite.
    """
    if releases.ndim != 2 or len(releases) < 2 or releases.shape[1] == 0:
        raise ValueError(f"repeats are counted among two or more releases (n, m), got {tuple(releases.shape)}")
    values = releases.detach().cpu().numpy()
    if not np.isfinite(values).all():
        raise ValueError("a release holds NaN or infinity; find out where the mechanism overflows")
    n, dim = values.shape
    repeated = n - len(np.unique(values, axis=0))
    spacing = float(np.spacing(np.abs(values).max()))
    resolution = min(max(common_grid(values.astype(np.float64)), spacing), law.scale)
    likeliest = math.exp(min(0.0, dim * math.log(resolution / law.scale) + law.log_peak(dim)))
    hits = np.arange(n) * likeliest
    mean = float(-np.log1p(-hits).sum()) if hits[-1] < 1 else math.inf
    p_value = 1.0 if repeated == 0 or mean == math.inf else float(stats.poisson.sf(repeated - 1, mean))
    return Fit("repeated noise", p_value, f"{repeated} of {n} releases equal an earlier one")


def many_calls(mechanism: BlackBox, value: Tensor, rows: int, generator: torch.Generator | None) -> Tensor:
    """`(rows, m)` releases of one input `(d,)`, two per call, so that noise repeated by rows or by calls shows."""
    calls = math.ceil(rows / _ROWS_OF_A_CALL)
    two = value.repeat(_ROWS_OF_A_CALL, 1)
    return torch.cat([mechanism(two, generator=generator) for _ in range(calls)])[:rows]
