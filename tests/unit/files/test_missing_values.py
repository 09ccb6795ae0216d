"""What is missing in a user's records: null, NaN and "", in every type that tables give, and nothing else."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from trustnlp.files.missing_values import is_missing, missing_rows, text_or_none

MISSING = [
    None, float("nan"), np.float32("nan"), Decimal("NaN"), np.datetime64("NaT"), pd.NA, pd.NaT, "", np.str_(""),
]  # fmt: skip
PRESENT = [
    0, 0.0, -0.0, False, np.int8(0), np.float16(0), np.bool_(False), Decimal(0), pd.Timedelta(0), " ", "0", "nan",
    "None", "<NA>", b"", float("inf"), (), [], {},
]  # fmt: skip


@pytest.mark.parametrize("value", MISSING, ids=repr)
def test_missing(value):
    assert is_missing(value) and text_or_none(value) is None
    assert missing_rows(pd.Series([value, "a"], dtype=object)).tolist() == [True, False]


@pytest.mark.parametrize("value", PRESENT, ids=repr)
def test_present(value):
    assert not is_missing(value) and text_or_none(value) is not None


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((0, 0.0, -0.0, "0", np.int8(0), np.float16(0)), "0"),
        ((1, 1.0, 1e0, "1", np.float32(1), np.uint8(1)), "1"),
        ((True, "true", np.bool_(True)), "true"),
        ((False, "false"), "false"),
        ((1.5, "1.5", np.float64(1.5)), "1.5"),
        (("\u00e9", "e\u0301"), "\u00e9"),
        (("1.0",), "1.0"),
        (("True",), "True"),
        ((" ",), " "),
        ((float("inf"),), "inf"),
        ((2**80, 2.0**80), str(2**80)),
    ],
)  # fmt: skip
def test_one_value_however_it_is_written(values, text):
    assert {text_or_none(value) for value in values} == {text}


def test_columns_of_every_kind():
    hashable = [value for value in PRESENT if not isinstance(value, list | dict)]
    assert not missing_rows(pd.Series(hashable, dtype=object)).any()
    for kind in ("string", "category", object):
        assert missing_rows(pd.Series(["a", "", None, " "], dtype=kind)).tolist() == [False, True, True, False]
    for kind in ("Int64", "boolean", "Float64", "float64"):
        assert missing_rows(pd.Series([0, 1, None], dtype=kind)).tolist() == [False, False, True]
    assert missing_rows(pd.Series([pd.Timestamp(0), pd.NaT])).tolist() == [False, True]
    assert missing_rows(pd.Series([], dtype=object)).tolist() == []
