"""Columns that speak of the same things, by their labels: position counts only where there are none.

A Series, a DataFrame and a dict say which thing each value is of. Two of them in another order, compared by position,
score a perfect answer 0. So they are brought into one order here, or refused. A call of
a check that only refuses counts for no number (`trustnlp.reproduce.code.targets.REFUSALS`).
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd


def in_one_order(**columns: Any) -> tuple[Any, ...]:
    """The columns as given, those with labels in the order of the first of them; None stays None.

    What has no labels, a list or an array, is taken by position; beside a dict it is refused, since a dict is no row.

    Raises
    ------
    ValueError
        If given labels that are not the same, or stand twice in another order; a dict beside a column without labels.

    >>> truth, found = in_one_order(truth=pd.Series([0, 1], ["a", "b"]), found={"b": 7, "a": 5})
    >>> truth.tolist(), found.tolist()
    ([0, 1], [5, 7])
    """
    ordered = {
        name: pd.Series(list(column.values()), pd.Index(list(column), tupleize_cols=False), dtype=object)
        if isinstance(column, Mapping)
        else column
        for name, column in columns.items()
    }
    labelled = {name: column for name, column in ordered.items() if isinstance(column, pd.Series | pd.DataFrame)}
    for name, column in columns.items():
        bare = [other for other in ordered if ordered[other] is not None and other not in labelled]
        if isinstance(column, Mapping) and bare:
            raise ValueError(f"`{name}` is a dict and `{bare[0]}` has no labels; give both as dicts or Series")
    if len(labelled) > 1:
        first, *others = labelled
        for other in others:
            ordered[other] = _ordered(first, labelled[first].index, other, labelled[other])
    return tuple(ordered.values())


def check_one_order(**columns: Any) -> None:
    """Refuse columns that position would match wrongly: those with labels of their own have the same, in one order.

    For functions that go by position. None and what has no labels, a list or an array, pass.

    Raises
    ------
    ValueError
        If given a table, a dict or a set, or Series whose labels are not the same in the same order.

    >>> check_one_order(texts=pd.Series(["a", "b"], [7, 3]), labels=pd.Series([0, 1], [3, 7]))
    Traceback (most recent call last):
    ...
    ValueError: `labels` has its labels in another order than `texts`; give `labels.loc[texts.index]`
    """
    for name, column in columns.items():
        if isinstance(column, pd.DataFrame | Mapping | Set):
            raise ValueError(f"`{name}` is a {type(column).__name__}; give one value each, in order: a list or Series")
    labelled = {name: column.index for name, column in columns.items() if isinstance(column, pd.Series)}
    for first, name in pairwise(labelled):
        if not labelled[first].equals(labelled[name]):
            same = labelled[first].is_unique and set(labelled[first]) == set(labelled[name])
            raise ValueError(
                f"`{name}` has its labels in another order than `{first}`; give `{name}.loc[{first}.index]`"
                if same
                else f"`{name}` has other labels than `{first}`; give both one index, or lists in one order"
            )


def check_positions(**columns: Any) -> None:
    """Refuse what `check_one_order` does, and a Series whose `[0]` is not its first value.

    Raises
    ------
    ValueError
        If `check_one_order` would raise it, or given a Series with labels other than 0, 1, 2, … in order.
    """
    check_one_order(**columns)
    for name, column in columns.items():
        if isinstance(column, pd.Series) and not column.index.equals(pd.RangeIndex(len(column))):
            raise ValueError(f"`{name}` has labels other than 0, 1, 2, …, and goes by position; give `{name}.tolist()`")


def check_no_tensors(**columns: Any) -> None:
    """Refuse tensors where elements are compared as objects: no two elements of a tensor are equal then.

    Raises
    ------
    ValueError
        If given one.
    """
    for name, column in columns.items():
        if hasattr(column, "detach"):
            raise ValueError(f"`{name}` is a tensor; give `{name}.tolist()`")


def check_lists(**columns: Any) -> None:
    """Refuse a Series, too, for functions that can take none; None passes.

    Raises
    ------
    ValueError
        If given a table, a dict, a set or a Series.
    """
    check_one_order(**columns)
    for name, column in columns.items():
        if isinstance(column, pd.Series):
            raise ValueError(f"`{name}` is a Series and goes by position; give `{name}.tolist()`")


def _ordered(first: str, labels: pd.Index, name: str, column: Any) -> Any:
    if len(labels) != len(column) or np.array_equal(np.asarray(labels, object), np.asarray(column.index, object)):
        return column  # the caller refuses another length
    twice = labels.has_duplicates or column.index.has_duplicates
    if twice or len(labels.difference(column.index, sort=False)):
        why = "with labels that stand twice, in another order" if twice else "with other labels"
        raise ValueError(
            f"`{name}` comes {why} than `{first}`, so that nobody knows which value is of which; give both one index, "
            "or arrays in one order"
        )
    return column.loc[labels]
