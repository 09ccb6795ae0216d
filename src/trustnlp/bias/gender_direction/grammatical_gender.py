"""Grammatical gender taken out of a gender direction.

Zhou, Shi, Zhao, Huang, Chen, Cotterell and Chang (2019), §3: in languages whose nouns have a grammatical gender, the
direction from pairs of words mixes it with social gender. They find the direction `d_g` that tells feminine from
masculine nouns by linear discriminant analysis, and use `d_s = d_PCA - <d_PCA, d_g> d_g`.

Deviation: the covariance of the analysis is shrunk (Ledoit and Wolf), as there may be fewer nouns than dimensions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from trustnlp.bias.association_tests.stimuli import Vectors
from trustnlp.bias.gender_direction.pair_directions import stacked

FEWEST_NOUNS = 10


def grammatical_direction(vectors: Vectors, feminine: Sequence[str], masculine: Sequence[str]) -> NDArray[np.float64]:
    """`(d,)` unit vector from masculine to feminine nouns; nouns without a vector are left out.

    Raises
    ------
    ValueError
        If fewer than ten nouns of a gender have vectors, or a noun is on both lists.
    """
    if both := set(feminine) & set(masculine):
        raise ValueError(f"{len(both)} nouns are on both lists, first {min(both)!r}; leave them out")
    groups = [[word for word in dict.fromkeys(words) if word in vectors] for words in (feminine, masculine)]
    if min(map(len, groups)) < FEWEST_NOUNS:
        sizes = " and ".join(str(len(group)) for group in groups)
        raise ValueError(f"{sizes} nouns have vectors; at least {FEWEST_NOUNS} of each gender are needed")
    rows = np.concatenate([stacked(vectors, group, unit=True) for group in groups])
    labels = np.repeat([1, 0], [len(group) for group in groups])
    normal = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(rows, labels).coef_[0]
    direction: NDArray[np.float64] = normal / np.linalg.norm(normal)
    return direction


def without_direction(g: ArrayLike, other: ArrayLike) -> NDArray[np.float64]:
    """`g` with its part along `other` taken out, at unit length; both `(d,)`.

    Raises
    ------
    ValueError
        If the shapes differ, `other` is zero, or nothing is left.

    Examples
    --------
    >>> without_direction([0.6, 0.8], [1.0, 0.0])
    array([0., 1.])
    """
    first, second = (np.asarray(x, dtype=np.float64) for x in (g, other))
    if first.shape != second.shape or first.ndim != 1 or not second.any():
        raise ValueError(f"expected two directions of one dimension, got shapes {first.shape} and {second.shape}")
    unit = second / np.linalg.norm(second)
    left = first - (first @ unit) * unit
    length = float(np.linalg.norm(left))
    if length < 1e-9 * float(np.linalg.norm(first)):
        raise ValueError("the two directions are the same, so that nothing is left")
    rest: NDArray[np.float64] = left / length
    return rest
