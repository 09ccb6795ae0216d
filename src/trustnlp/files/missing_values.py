"""Which values of a user's records are missing: null, NaN and the empty string, and nothing else.

A number 0, `False` and a blank are values. A truth test takes them for nothing, and what belongs to owner 0 is then
nobody's; text made of NaN, on the other hand, is a value called "nan" that nobody wrote.
"""

from __future__ import annotations

import math
import unicodedata
from typing import Any

import numpy as np
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
    """A value of a record as the text by which it is compared with others; None where it is missing.

    A whole number has no point, since a table with one missing value makes 7.0 of each 7; truth values are written as
    in JSON; text is composed (NFC), since file systems differ in how they write é. So 7, 7.0 and "7" are one owner.

    >>> text_or_none(0), text_or_none(7.0), text_or_none(7.5), text_or_none(False), text_or_none(pd.NA)
    ('0', '7', '7.5', 'false', None)
    """
    if is_missing(value):
        return None
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return unicodedata.normalize("NFC", str(value))
