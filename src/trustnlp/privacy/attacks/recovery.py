"""Recovery of words from their private releases: the nearest vector of the public vocabulary is the guess.

PrivEmb releases one vector per word. Whoever knows the vocabulary's vectors, and for a projected release the public
matrix, compares the release with all of them. With equally likely words this guess is the most likely one for every
noise whose density falls with the Euclidean distance, multivariate Laplace and Gaussian noise among them.

Distances come from a single-precision matrix product, half the squared length less the product, block after block of
the vocabulary. Its rounding error is bounded (Higham 2002, §3.1); all vectors that are within the bound of the smallest
value are compared again in double precision. So the answer is that of comparing all distances in double precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import check_vectors
from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.noise.randomness import check_generator

_BLOCK = {"cpu": 4096, "cuda": 16384}
_QUERIES = 1024
_VALUES_AT_ONCE = 1 << 22
# More than products too small for single precision can add up to.
_UNDERFLOW = 1e-34


@dataclass(frozen=True)
class Recovery:
    """How often the nearest vector was the released one.

    Attributes
    ----------
    rate
        Share of releases whose word was recovered, over all words.
    by_word
        `(n,)` the same for each released word.
    draws
        Releases of each word.
    chance
        What guessing at random would recover, one over the size of the vocabulary.
    """

    rate: float
    by_word: Tensor
    draws: int
    chance: float


def recovery_rate(
    mechanism: BlackBox,
    vocabulary: Tensor,
    rows: Tensor,
    *,
    reference: Tensor | None = None,
    draws: int = 1,
    generator: torch.Generator | None = None,
) -> Recovery:
    """Release words `draws` times each and guess them by the nearest vector.

    Parameters
    ----------
    mechanism
        `(n, d)` to `(n, m)`.
    vocabulary
        `(V, d)` all words that could have been released.
    rows
        `(n,)` integers, the rows of the vocabulary that are released.
    reference
        `(V, m)` the vocabulary as the attacker expects it: without noise, under the public projection if there is one.
        By default the vocabulary itself. Of equal vectors the attacker guesses the first.
    draws
        Releases of each word.
    generator
        Randomness of the mechanism, on the device of the vocabulary; None takes a fresh one.

    Raises
    ------
    TypeError
        If given rows that are not integers, or vectors that are not floating-point.
    ValueError
        If there are no rows or draws, a row outside the vocabulary, or shapes that do not fit.
    """
    check_vectors(vocabulary)
    reference = vocabulary if reference is None else check_vectors(reference)
    if len(reference) != len(vocabulary):
        raise ValueError(f"the reference has {len(reference)} vectors for the {len(vocabulary)} of the vocabulary")
    if rows.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"rows are integers, got {rows.dtype}")
    if rows.ndim != 1 or len(rows) == 0 or int(rows.min()) < 0 or int(rows.max()) >= len(vocabulary):
        raise ValueError(f"rows are a list (n,) of numbers from 0 to {len(vocabulary) - 1}, got {rows}")
    if draws < 1:
        raise ValueError(f"every word is released at least once, got draws={draws}")
    generator = check_generator(generator, vocabulary.device)
    released = rows.to(device=vocabulary.device, dtype=torch.int64).repeat_interleave(draws)
    hits = torch.cat(
        [
            nearest(mechanism(vocabulary[part], generator=generator), reference) == part
            for part in torch.split(released, 4 * _QUERIES)
        ]
    )
    by_word = hits.view(len(rows), draws).double().mean(dim=1)
    return Recovery(float(by_word.mean()), by_word, draws, 1 / len(vocabulary))


def nearest(queries: Tensor, vocabulary: Tensor, *, block: int | None = None) -> Tensor:
    """`(q,)` the row of the vocabulary `(V, d)` that is nearest to each query `(q, d)` by Euclidean distance; exact.

    Parameters
    ----------
    queries, vocabulary
        float32 or float64, on one device.
    block
        Vectors compared at a time; memory is about `4 · 1024 · block` bytes. By default 4,096, or 16,384 on a GPU.

    Raises
    ------
    TypeError, ValueError
        If given vectors that are not floating-point or not finite, two devices or dimensions, or a block below 1.

    Examples
    --------
    >>> nearest(torch.tensor([[0.9, 0.2], [0.5, 0.5]]), torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]))
    tensor([1, 0])
    """
    largest = max(_largest(queries), _largest(vocabulary))
    queries, vocabulary = queries.detach(), vocabulary.detach()
    if queries.shape[1:] != vocabulary.shape[1:] or queries.device != vocabulary.device:
        raise ValueError(
            f"queries of shape {tuple(queries.shape)} on {queries.device} cannot be compared with a vocabulary of "
            f"shape {tuple(vocabulary.shape)} on {vocabulary.device}"
        )
    block = _BLOCK.get(queries.device.type, _BLOCK["cpu"]) if block is None else block
    if block < 1:
        raise ValueError(f"a block holds at least one vector, got {block}")
    # Distances do not change when all vectors are moved and scaled, rounding errors do. Powers of two scale exactly.
    scale = 2.0 ** -max(math.frexp(largest)[1], -1000) if not 1e-9 < largest < 1e9 else 1.0
    centre = (vocabulary[:: 1 + len(vocabulary) // 1000].double() * scale).mean(dim=0).to(vocabulary.dtype)
    search = _Search(queries, centre, scale)
    for start in range(0, len(vocabulary), block):
        search.compare(vocabulary[start : start + block], start)
    return search.index


class _Search:
    """The nearest vectors so far, while the vocabulary passes by block after block."""

    def __init__(self, queries: Tensor, centre: Tensor, scale: float) -> None:
        self.queries, self.centre, self.scale = queries, centre, scale
        self.moved, lengths = self._move(queries)
        self.lengths = lengths
        self.moved[:, -1] = 1
        self.longest = 0.0
        self.largest = torch.full_like(lengths, -torch.inf)
        self.distance = torch.full(lengths.shape, torch.inf, dtype=torch.float64, device=queries.device)
        self.index = torch.zeros(lengths.shape, dtype=torch.int64, device=queries.device)
        # Unit round-off, times the roundings that an inner product and its inputs go through.
        exact = not queries.is_cuda or torch.get_float32_matmul_precision() == "highest"
        self.rounding = (len(centre) + 12) * 2.0**-24 + (0.0 if exact else 2.0**-9)

    def compare(self, block: Tensor, start: int) -> None:
        """Take over what is nearer in the block, which begins at row `start`."""
        moved, lengths = self._move(block)
        moved[:, -1] = -lengths.square() / 2
        self.longest = max(self.longest, float(lengths.max()))
        # Half the squared length of the query less half the squared distance.
        for rows in torch.arange(len(self.queries), device=block.device).split(_QUERIES):
            part = slice(int(rows[0]), int(rows[-1]) + 1)
            values, best = _product(self.moved[part], moved)
            # Twice the error bound: the largest value may be too large, and that of the nearest vector too small.
            window = 2 * self.rounding * self.longest * (self.lengths[part] + self.longest) + _UNDERFLOW
            close = torch.nonzero(best >= self.largest[part] - window).squeeze(1)
            self.largest[part] = torch.maximum(self.largest[part], best)
            lowest = (self.largest[part] - window)[close, None]
            at, columns = torch.nonzero(values[close] >= lowest, as_tuple=True)
            candidates = torch.arange(len(at), device=block.device).split(max(1, _VALUES_AT_ONCE // block.shape[1]))
            for some in candidates:
                self._decide(rows[close[at[some]]], columns[some], block, start)

    def _move(self, vectors: Tensor) -> tuple[Tensor, Tensor]:
        """Centred and scaled vectors `(n, d + 1)` in single precision, the last column free, and their lengths."""
        moved = torch.empty((len(vectors), len(self.centre) + 1), dtype=torch.float32, device=vectors.device)
        inside = moved[:, :-1]
        if self.scale == 1 and vectors.dtype == torch.float32:
            _subtract(vectors, self.centre, out=inside)
        else:
            inside.copy_(vectors.double() * self.scale - self.centre.double())
        return moved, _lengths(inside)

    def _decide(self, rows: Tensor, columns: Tensor, block: Tensor, start: int) -> None:
        """Compare candidate pairs in double precision; of equal distances the first vector's counts."""
        away = (self.queries[rows].double() - block[columns].double()).mul_(self.scale)
        distances = away.square_().sum(dim=1)
        # Rows come in order. A stable sort by distance, then by row, puts each row's first nearest in front.
        order = torch.argsort(distances, stable=True)
        order = order[torch.argsort(rows[order], stable=True)]
        rows, columns, distances = rows[order], columns[order], distances[order]
        lead = torch.ones_like(rows, dtype=torch.bool)
        lead[1:] = rows[1:] != rows[:-1]
        rows, columns, distances = rows[lead], columns[lead], distances[lead]
        nearer = distances < self.distance[rows]
        self.distance[rows[nearer]] = distances[nearer]
        self.index[rows[nearer]] = start + columns[nearer]


def _largest(vectors: Tensor) -> float:
    """Largest magnitude, in one pass that also finds what is not finite; the errors are those of `check_vectors`."""
    if isinstance(vectors, Tensor) and 0 not in vectors.shape and vectors.dtype in (torch.float32, torch.float64):
        low, high = torch.aminmax(vectors)
        largest = max(-float(low), float(high))
        if vectors.ndim == 2 and math.isfinite(largest):
            return largest
    return float(check_vectors(vectors).abs().max())


# On a CPU NumPy multiplies about twice as fast as torch in single precision. The passes in between are NumPy's as
# well: two pools of threads that take turns, each spinning while it waits, cost more than a second core gives.


def _product(queries: Tensor, block: Tensor) -> tuple[Tensor, Tensor]:
    """`(q, b)` inner products, and the largest of each row."""
    if queries.device.type != "cpu":
        values = queries @ block.T
        return values, values.amax(dim=1)
    products = np.matmul(queries.numpy(), block.numpy().T)
    return torch.from_numpy(products), torch.from_numpy(products.max(axis=1))


def _subtract(vectors: Tensor, centre: Tensor, *, out: Tensor) -> None:
    if vectors.device.type != "cpu":
        torch.sub(vectors, centre, out=out)
    else:
        np.subtract(vectors.numpy(), centre.numpy(), out=out.numpy())


def _lengths(vectors: Tensor) -> Tensor:
    if vectors.device.type != "cpu":
        lengths: Tensor = torch.linalg.vector_norm(vectors, dim=1)
        return lengths
    return torch.from_numpy(np.sqrt(np.einsum("ij,ij->i", vectors.numpy(), vectors.numpy())))
