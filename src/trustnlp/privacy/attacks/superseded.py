"""How this package released vectors before, for the attacks that undid it. Never release anything with them.

Each takes an ε per unit of Euclidean distance and returns a release from `(n, d)` to `(n, d)`. Today noise comes from
`trustnlp.privacy.noise.secure_random` and sums are rounded by `trustnlp.privacy.noise.grid`.
"""

from __future__ import annotations

import os
from functools import partial

import numpy as np
import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import check_epsilon
from trustnlp.privacy.attacks.twister import generator_at
from trustnlp.privacy.audits.broken import Release, added
from trustnlp.privacy.noise import samplers as noise


def unrounded(epsilon: float) -> Release:
    """The right noise, and the sum as floating-point numbers give it: last digits exclude inputs (Mironov 2012).

    `trustnlp.privacy.audits.excluded_inputs` reads them.
    """
    return added(partial(noise.multivariate_laplace, scale=1 / check_epsilon(epsilon)))


def twister_noise(epsilon: float) -> Release:
    """The right noise, drawn in float64 from a Mersenne Twister. Its whole state comes from the operating system.

    `trustnlp.privacy.attacks.state_recovery` computes that state from some released rows whose originals are known.
    """
    scale = 1 / check_epsilon(epsilon)

    def release(vectors: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        n, d = vectors.shape
        source = generator or generator_at(np.frombuffer(os.urandom(4 * 624), dtype=np.uint32))
        drawn = noise.multivariate_laplace(n, d, scale, generator=source, dtype=torch.float64)
        return (vectors.double() + drawn).to(vectors.dtype)

    return release
