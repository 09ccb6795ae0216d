"""The values that a record can hold: finite numbers, distinct seeds, plain values that JSON has words for."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from trustnlp.reproduce.project import nearest
from trustnlp.reproduce.records.measurement import EXACTNESS, RecordError


def exactness_by_name(asked: str | Mapping[str, str]) -> dict[str, str]:
    """The mapping of prefixes to exactness, with an entry for all other keys."""
    if not isinstance(asked, str | Mapping):
        raise RecordError(f"repeats {asked!r}: expected one of {', '.join(EXACTNESS)}, or a mapping by names of keys")
    by_name = {"": "float64", **({"": asked} if isinstance(asked, str) else asked)}
    for prefix, exact in by_name.items():
        if not isinstance(prefix, str):
            raise RecordError(f"repeats has the name {prefix!r}; expected the first names of keys, as text")
        if exact not in EXACTNESS:
            raise RecordError(
                f"repeats['{prefix}'] is '{exact}': expected {', '.join(EXACTNESS)}{nearest(str(exact), EXACTNESS)}"
            )
    return by_name


def whole_seeds(asked: Sequence[int]) -> list[int]:
    try:
        seeds = [operator.index(seed) for seed in asked]
    except TypeError:
        raise RecordError(f"seeds {asked!r}: expected a list of whole numbers") from None
    if not seeds or min(seeds) < 0 or len(set(seeds)) < len(seeds):
        raise RecordError(f"seeds {seeds}: expected at least one, none negative, none twice")
    return seeds


def finite_numbers(key: str, values: Any) -> list[float]:
    """A number or a flat collection of numbers as a list of finite floats."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf" or array.ndim > 1 or array.size == 0:
        raise RecordError(f"metric '{key}': expected a number or a flat list of numbers, got {values!r:.80}")
    numbers = [float(number) for number in np.atleast_1d(array)]
    if not all(map(math.isfinite, numbers)):
        raise RecordError(
            f"metric '{key}': {numbers!r:.80} holds NaN or infinity; mend the computation, or leave it out"
        )
    return numbers


def plain(value: Any, where: str) -> Any:
    """`value` as JSON can hold it: numpy arrays and tuples as lists, numpy numbers as Python's.

    Raises
    ------
    RecordError
        If there is something JSON has no word for, with its place in the value.
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise RecordError(f"{where} holds {value}; use None for a missing number")
        return value
    if isinstance(value, list | tuple):
        return [plain(item, f"{where}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise RecordError(f"{where} has the key {key!r}; JSON keys are text, use '{key}'")
        return {key: plain(item, f"{where}['{key}']") for key, item in value.items()}
    raise RecordError(f"{where} holds a {type(value).__name__}; use numbers, text, lists, dicts or numpy arrays")
