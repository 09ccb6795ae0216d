"""Maps of representations in the plane, and how well two groups can be told apart on them.

Lyu, He and Li (2020), §4.6, Figure 4, compares such maps by eye. A map is drawn by t-SNE (van der Maaten and Hinton
2008), which keeps neighbourhoods and nothing else; so the number beside it is about neighbours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors
from torch import Tensor


def tsne_map(vectors: Tensor, *, seed: int) -> NDArray[np.float64]:
    """Coordinates `(n, 2)` of vectors `(n, k)`, sklearn's t-SNE with its own settings, started from two components."""
    coordinates: NDArray[np.float64] = TSNE(init="pca", random_state=seed).fit_transform(vectors.cpu().numpy())
    return coordinates


def neighbour_agreement(coordinates: NDArray[np.float64], groups: NDArray[np.int64]) -> float:
    """Share of points, in per cent, whose nearest other point `(n, 2)` is of the same group `(n,)`.

    Two groups of equal size that are mixed at random give one half.
    """
    nearest = NearestNeighbors(n_neighbors=1).fit(coordinates).kneighbors(return_distance=False)[:, 0]
    return 100 * float(np.mean(groups == groups[nearest]))
