"""Pruned dependency trees: the path between two entities and what hangs on it.

Zhang, Qi and Manning (2018), "Graph Convolution over Pruned Dependency Trees", §3.2. Tang and Surdeanu (2021), §3.1,
follow them with distance 1: "the shortest dependency path between two entities enhanced with all tokens that are
directly attached to the path".

Left open there, and taken from the released code of Zhang et al. (qipeng/gcn-over-pruned-trees, `model/tree.py`, commit
49c848fd): an entity of several tokens has a path from each of them, and all paths end in the lowest common ancestor of
all tokens of both entities; a token is attached to the path from below, so that nothing above that ancestor is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class PrunedTree:
    """The part that is left of a sentence's tree of `T` tokens.

    Attributes
    ----------
    kept
        `(T,)` whether a token is left.
    parents
        `(T,)` the head of a token that is left, -1 for the top one and for tokens that are not left.
    """

    kept: tuple[bool, ...]
    parents: tuple[int, ...]


def pruned_tree(heads: Sequence[int], entities: Iterable[int], distance: int | None) -> PrunedTree:
    """The part of a tree that the path between two entities reaches.

    Parameters
    ----------
    heads
        `(T,)` the number of each token's head, -1 for the root; a tree.
    entities
        The tokens of both entities.
    distance
        How far below the path a token may be: 0 keeps the path alone, None the whole tree.

    Raises
    ------
    ValueError
        If given a distance below 0.
    """
    if distance is None:
        return PrunedTree((True,) * len(heads), tuple(heads))
    if distance < 0:
        raise ValueError(f"the distance from the path is at least 0, or None for the whole tree, got {distance}")
    above = [_ancestors(heads, token) for token in entities]
    common = set(above[0]).intersection(*above[1:])
    top = next(token for token in above[0] if token in common)
    path = {token for chain in above for token in chain if token not in common} | {top}
    kept = tuple(_within(heads, token, path, distance) for token in range(len(heads)))
    parents = (
        head if left and token != top else -1 for token, (head, left) in enumerate(zip(heads, kept, strict=True))
    )
    return PrunedTree(kept, tuple(parents))


def _ancestors(heads: Sequence[int], token: int) -> list[int]:
    """The token, its head, the head of that, up to the root."""
    chain = [token]
    while (token := heads[token]) != -1:
        chain.append(token)
    return chain


def _within(heads: Sequence[int], token: int, path: set[int], distance: int) -> bool:
    for _ in range(distance):
        if token in path:
            return True
        token = heads[token]
        if token == -1:
            return False
    return token in path
