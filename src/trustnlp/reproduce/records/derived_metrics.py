"""Numbers that follow from numbers of a record, stated in the ledger (`derived`) and computed whenever it is read.

A record says what a run measured. What only adds, compares or counts its metrics, seed by seed, needs no other run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.kept_answers import kept
from trustnlp.reproduce.project import nearest, shown
from trustnlp.reproduce.records.measurement import summary
from trustnlp.reproduce.records.record_files import load_record
from trustnlp.reproduce.schemas import SchemaError, load_yaml

Values = list[float]


def committed_record(path: Path) -> dict[str, Any]:
    """A committed record (`chapters/SLUG/results/NAME.json`) with the numbers that its ledger derives from it.

    Raises
    ------
    SchemaError
        If there is no such file, not a record, or a ledger that derives a number from what the record has not.
    """
    record = load_record(path)
    ledger = path.parent.parent / "claims.yaml"
    if not ledger.is_file() or "\nderived:" not in read_text(ledger):
        return record
    entries = [entry for entry in load_yaml(ledger, "claims").get("derived", ()) if entry["record"] == path.stem]
    if not entries:
        return record
    content = f"{record['digest']} {json.dumps(entries)}"
    more = kept(f"{shown(path)}.derived", content.encode, lambda: derived(record, entries, shown(ledger)))
    return {**record, "metrics": record["metrics"] | more}


def derived(record: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], where: str) -> dict[str, Any]:
    """One metric for each entry, by key; an entry may use those before it.

    Raises
    ------
    SchemaError
        If a metric that an entry names is not there, has another number of values, or stands under the new key.
    """
    metrics = dict(record["metrics"])
    for entry in entries:
        key, place = entry["key"], f"{where}: derived: {entry['key']}"
        if key in metrics:
            raise SchemaError(f"{place}: the record {entry['record']} has a metric of this key; give another one")
        name = next(name for name in _WAYS if name in entry)
        found = [_metric(metrics, one, place) for one in _named(entry[name])]
        if len({metric["n"] for metric in found}) > 1:
            raise SchemaError(f"{place}: its metrics have different numbers of values; they are taken seed by seed")
        values, interval = _WAYS[name](entry, found)
        metrics[key] = summary(values, interval, unit=entry["unit"], seeds=record["seeds"])
    return {entry["key"]: metrics[entry["key"]] for entry in entries}


def _named(told: str | Sequence[str] | Mapping[str, float]) -> list[str]:
    return [told] if isinstance(told, str) else list(told)


def _metric(metrics: Mapping[str, Any], key: str, place: str) -> Mapping[str, Any]:
    if key not in metrics:
        raise SchemaError(f"{place}: no metric '{key}'{nearest(key, metrics)}")
    metric: Mapping[str, Any] = metrics[key]
    return metric


def _sum(entry: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> tuple[Values, Any]:
    """Weighted sum and `plus`, seed by seed."""
    weights = entry["sum"].values()
    return _seed_by_seed(entry, found, lambda row: math.fsum(w * x for w, x in zip(weights, row, strict=True)))


def _product(entry: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> tuple[Values, Any]:
    """Product, times `by`, and `plus`, seed by seed."""
    return _seed_by_seed(entry, found, lambda row: math.prod(row) * entry.get("by", 1))


def _seed_by_seed(
    entry: Mapping[str, Any], found: Sequence[Mapping[str, Any]], combined: Callable[[Sequence[float]], float]
) -> tuple[Values, Any]:
    """The weighted sum of each seed's numbers, and `plus`; made of metrics without chance it has none either."""
    rows = zip(*(metric["values"] for metric in found), strict=True)
    certain = all(metric["interval"] == "deterministic" for metric in found)
    return [combined(row) + entry.get("plus", 0) for row in rows], "deterministic" if certain else "t"


def _opposite(entry: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> tuple[Values, Any]:
    """In how many seeds two numbers have opposite signs, times `by`, and `plus`; a count of what was run."""
    count = sum(one * other < 0 for one, other in zip(*(metric["values"] for metric in found), strict=True))
    return [count * entry.get("by", 1) + entry.get("plus", 0)], "deterministic"


def _within(entry: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> tuple[Values, Any]:
    """`limit` less the magnitude of a mean, with the interval that follows: above zero if it lies within ±limit."""
    (metric,), limit = found, entry["limit"]
    low, high = metric["low"], metric["high"]
    smallest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return [limit - abs(metric["mean"])], (limit - max(abs(low), abs(high)), limit - smallest)


def _apart(entry: Mapping[str, Any], found: Sequence[Mapping[str, Any]]) -> tuple[Values, Any]:
    """One mean less the other, and `plus`; the interval goes from end to far end, the widest."""
    (one, other), plus = found, entry.get("plus", 0)
    return [one["mean"] - other["mean"] + plus], (one["low"] - other["high"] + plus, one["high"] - other["low"] + plus)


_WAYS: Mapping[str, Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], tuple[Values, Any]]] = {
    "sum": _sum, "product": _product, "opposite": _opposite, "within": _within, "apart": _apart,
}  # fmt: skip
