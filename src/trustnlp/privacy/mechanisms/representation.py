"""The privacy layer of DPNR: a text's representation is scaled to [0, 1] and gets noise before it leaves the device.

Lyu, He and Li (2020), §3.3, Algorithms 1 and 2. Word dropout comes before the encoder (`drop_words`), the other two
steps after it: min–max scaling of each text's vector (`normalise`) and Laplace noise (`noise_layer`).

The scale of the noise is what the book looks into. Two scaled vectors can differ by 1 in every coordinate, so the L1
sensitivity of a vector is its dimension k, not 1 (§3.3.1: "Δf = 1" for "each element"). Hence the variants:

`released`
    What the released code draws: *one* value of Lap(1/ε) for each text, added to all of its coordinates. Differences of
    coordinates go out as they are; no ε holds.
`as_written`
    Algorithm 2: an independent value of Lap(1/ε) for each coordinate. The vector is kε-differentially private.
`calibrated`
    Independent values of Lap(k/ε): the vector is ε-differentially private.
`none`
    The scaled vector as it is.
"""

from __future__ import annotations

from typing import Literal, get_args

import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import L1Sensitivity, Relation, check_epsilon
from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.audits.broken import shared_noise
from trustnlp.privacy.mechanisms.additive_noise import Laplace
from trustnlp.privacy.noise.randomness import source_of

Variant = Literal["released", "as_written", "calibrated", "none"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)


def normalise(vectors: Tensor) -> Tensor:
    """Scale each row `(n, k)` by its own minimum and maximum to [0, 1]. Algorithms 1 and 2, "Normalisation".

    The algorithms print `x - min(x) / (max(x) - min(x))`; the brackets that the text calls for are put in. Gradients
    pass through the minimum and maximum, as in the released code.

    Raises
    ------
    ValueError
        If not `(n, k)`, or a row whose values are all equal or not finite: the released code divides by zero there.

    Examples
    --------
    >>> import torch
    >>> normalise(torch.tensor([[2.0, 4.0, 3.0], [-1.0, 0.0, 1.0]]))
    tensor([[0.0000, 1.0000, 0.5000],
            [0.0000, 0.5000, 1.0000]])
    """
    if vectors.ndim != 2 or 0 in vectors.shape:
        raise ValueError(f"representations have shape (n, k), at least one row and column, got {tuple(vectors.shape)}")
    low, high = vectors.amin(dim=1, keepdim=True), vectors.amax(dim=1, keepdim=True)
    spread = high - low
    if not bool((spread > 0).all() and torch.isfinite(spread).all()):
        rows = (~((spread > 0) & torch.isfinite(spread)))[:, 0].nonzero()[:, 0].tolist()
        raise ValueError(
            f"representations {rows[:5]} of {len(vectors)} are constant or not finite: min–max scaling is undefined; "
            "leave these texts out, or look for what made the encoder return them"
        )
    return (vectors - low) / spread


def noise_layer(variant: Variant, epsilon: float, dim: int) -> BlackBox:
    """The step on scaled representations `(n, dim)` before they leave: `layer(vectors, generator=…)`; see the head.

    Parameters
    ----------
    epsilon
        The ε of the paper's tables; what it promises depends on the variant. Not used by `none`.
    dim
        Width k of the representation.

    Raises
    ------
    ValueError
        If given an unknown variant, ε not positive and finite, or `dim` below 1. When called: another width.
    """
    if variant not in VARIANTS:
        raise ValueError(f"unknown noise variant {variant!r}; choose from {', '.join(VARIANTS)}")
    if dim < 1:
        raise ValueError(f"a representation has at least 1 coordinate, got {dim}")
    if variant == "none":
        return lambda vectors, /, *, generator: vectors
    if variant == "released":
        return shared_noise(epsilon)
    sensitivity = L1Sensitivity(float(dim), Relation.LOCAL)
    return Laplace(check_epsilon(epsilon) * (dim if variant == "as_written" else 1), sensitivity)


def drop_words(attended: Tensor, rate: float, *, generator: torch.Generator | None = None) -> Tensor:
    """Attention mask `(n, T)` with each position kept with probability 1 - `rate`. §3.3.2, as in the released code.

    Word pieces are dropped, not words, each on its own, so their number varies (the paper's text: exactly d·μ words).
    A dropped piece stays in its place and is only not attended to. Unlike in the released code the first position,
    [CLS], always stays, so that no text is left without anything to attend to.

    Raises
    ------
    ValueError
        If the rate lies outside [0, 1), or the mask is not `(n, T)`.
    """
    if not 0 <= rate < 1:
        raise ValueError(f"the rate is the share of word pieces dropped, at least 0 and below 1, got {rate}")
    if attended.ndim != 2:
        raise ValueError(f"an attention mask has shape (n, T), got {tuple(attended.shape)}")
    if rate == 0:
        return attended
    kept = source_of(generator, attended.device).uniform(tuple(attended.shape), torch.float32) >= rate
    kept[:, 0] = True
    return attended * kept
