"""Columns that speak of the same things, by their labels: position counts only where there are none.

A Series, a DataFrame and a dict say which thing each value is of. Two of them in another order, compared by position,
score a perfect answer 0. So they are brought into one order here, or refused.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    given = {
        name: pd.Series(list(column.values()), pd.Index(list(column), tupleize_cols=False), dtype=object)
        if isinstance(column, Mapping)
        else column
        for name, column in columns.items()
    }
    labelled = {name: column for name, column in given.items() if isinstance(column, pd.Series | pd.DataFrame)}
    for name, column in columns.items():
        bare = [other for other in given if given[other] is not None and other not in labelled]
        if isinstance(column, Mapping) and bare:
            raise ValueError(f"`{name}` is a dict and `{bare[0]}` has no labels; give both as dicts or Series")
    if len(labelled) > 1:
        first, *others = labelled
        for other in others:
            given[other] = _ordered(first, labelled[first].index, other, labelled[other])
    return tuple(given.values())


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
