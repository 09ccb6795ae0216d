"""Releases of word vectors attacked through their random numbers and last digits: this package's, before and now.

None of it concerns PrivEmb's mathematics (Feyisetan and Kasiviswanathan 2021, Algorithm 1), which speaks of real
numbers and of true randomness; it concerns programs that draw the noise from a generator made for simulation, or
release a plain floating-point sum.
"""

from __future__ import annotations

from typing import Literal, get_args

import torch
from torch import Tensor

from trustnlp.privacy.attacks.gf2 import ContradictionError, UnderdeterminedError
from trustnlp.privacy.attacks.recovery import recovery_rate
from trustnlp.privacy.attacks.state_recovery import take_noise_off
from trustnlp.privacy.attacks.superseded import twister_noise, unrounded
from trustnlp.privacy.audits.excluded_inputs import guess, possible
from trustnlp.privacy.mechanisms.projection import PlainRelease
from trustnlp.privacy.noise.grid import grid_of, noisy_on_grid
from trustnlp.studies.privemb.reproduction import Contender, stream

Design = Literal["before", "now"]
DESIGNS: tuple[Design, ...] = get_args(Design)
# A recovered coordinate is right to this part of the noise's scale.
RIGHT = 1e-5


def rows_undone(images: Tensor, known: int, scale: float, design: Design) -> float:
    """Share of the rows `(n, m)` that are not among the first `known` and whose originals come out of the release.

    Parameters
    ----------
    images
        float64, before the noise: vectors, or their public projection.
    known
        How many originals the attacker has.
    scale
        Of the multivariate Laplace noise.
    design
        `before`: a Mersenne Twister whose whole state comes from the operating system, and a plain sum in float32.
        `now`: `PlainRelease` of today, likewise brought to float32.
    """
    if design == "before":
        released, grid = twister_noise(1 / scale)(images), 0.0
    else:
        released, grid = PlainRelease(1 / scale)(images), grid_of(scale)
    try:
        bare = take_noise_off(released.float(), torch.arange(known), images[:known], scale=scale, grid=grid)
    except (UnderdeterminedError, ContradictionError):
        return 0.0
    return float(((bare - images)[known:].abs() < RIGHT * scale).all(dim=1).double().mean())


def words_found(words: Tensor, secret: Tensor, epsilon: float, design: Design) -> dict[str, float]:
    """Guess each of the words `secret` `(k,)` of the vocabulary `(V, d)` from one release of its vector.

    Noise without projection (M1), by `design` as a plain sum in the vectors' dtype or on today's grid.

    Returns
    -------
    dict
        How many words are right by the `nearest` vector and `with_last_digits`, and how many `candidates` the last
        digits leave on average.
    """
    if design == "before":
        released = unrounded(epsilon)(words[secret])
        left = [possible(row, words, noise_dtype=words.dtype) for row in released]
    else:
        released = PlainRelease(epsilon)(words[secret])
        left = [possible(row, words, total=lambda x, z: noisy_on_grid(x, z, 1 / epsilon)) for row in released]
    everything = torch.ones(len(words), dtype=torch.bool)
    runs = list(zip(secret.tolist(), released, left, strict=True))
    return {
        "nearest": sum(guess(row, words, everything) == word for word, row, _ in runs),
        "with_last_digits": sum(guess(row, words, some) == word for word, row, some in runs),
        "candidates": sum(int(some.sum()) for some in left) / len(left),
    }


def recovered_share(contender: Contender, epsilon: float, seed: int, public: Tensor, words: Tensor) -> float:
    """Share of words `(n,)`, rows of the public vectors `(V, d)`, that the nearest vector gives away; one release each.

    The attacker knows the projection, where there is one.
    """
    mechanism = contender(epsilon, stream(seed, epsilon, device=public.device))
    projection: Tensor | None = getattr(mechanism, "projection", None)
    image = public if projection is None else (public.double() @ projection.T).float()
    source = stream(seed, epsilon, 1, device=public.device)
    return recovery_rate(mechanism, public, words, reference=image, generator=source)
