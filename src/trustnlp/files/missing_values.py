"""Which values of a user's records are missing: null, NaN and the empty string, and nothing else.

A number 0, `False` and a blank are values. A truth test takes them for nothing, and what belongs to owner 0 is then
nobody's; text made of NaN, on the other hand, is a value called "nan" that nobody wrote.
"""

from __future__ import annotations

from typing import Any

import pandas as pd


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN of any kind (pandas' NA and NaT, too) or an empty string.

    >>> [is_missing(value) for value in (None, float("nan"), pd.NA, pd.NaT, "")]
    [True, True, True, True, True]
    >>> [is_missing(value) for value in (0, 0.0, False, " ", "0", "nan", [])]
    [False, False, False, False, False, False, False]
    """
    if isinstance(value, str):
        return not value
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def missing_rows(column: pd.Series) -> pd.Series:
    """`is_missing` for every value of a column.

    >>> missing_rows(pd.Series([0, False, "", None, "nan"], dtype=object)).tolist()
    [False, False, True, True, False]
    """
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.isna()
    return column.isna() | column.astype(object).isin([""])


def text_or_none(value: Any) -> str | None:
    """A value of a record as text, such as the owner 7 as "7"; None where it is missing.

    >>> text_or_none(0), text_or_none(False), text_or_none(pd.NA)
    ('0', 'False', None)
    """
    return None if is_missing(value) else str(value)
