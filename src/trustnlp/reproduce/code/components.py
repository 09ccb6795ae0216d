"""Strongly connected components of a graph that is given by its successors (Tarjan, 1972), without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

_Node = TypeVar("_Node")


def strongly_connected(
    start: Iterable[_Node], successors: Callable[[_Node], Iterable[_Node]], known: Callable[[_Node], bool]
) -> Iterator[list[_Node]]:
    """Groups of nodes that reach each other, each after all that it reaches; what is `known` is not entered.

    >>> graph = {"a": "b", "b": "cd", "c": "b", "d": ""}
    >>> [sorted(group) for group in strongly_connected("a", graph.__getitem__, lambda node: False)]
    [['d'], ['b', 'c'], ['a']]
    """
    order: dict[_Node, int] = {}
    low: dict[_Node, int] = {}
    stack: list[_Node] = []
    waiting: set[_Node] = set()
    for first in start:
        if first in order or known(first):
            continue
        path = [(first, iter(successors(first)))]
        order[first] = low[first] = len(order)
        stack.append(first)
        waiting.add(first)
        while path:
            node, rest = path[-1]
            for other in rest:
                if other in waiting:
                    low[node] = min(low[node], order[other])
                elif other not in order and not known(other):
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    waiting.add(other)
                    path.append((other, iter(successors(other))))
                    break
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    at = stack.index(node)
                    group = stack[at:]
                    del stack[at:]
                    waiting.difference_update(group)
                    yield group
