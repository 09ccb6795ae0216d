"""Numbers that follow from numbers of a record, stated in the ledger (`derived`) and computed whenever it is read.

A record says what a run measured. What only adds, compares or counts its metrics, seed by seed, needs no other run.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.kept_answers import kept
from trustnlp.reproduce.project import nearest, shown
from trustnlp.reproduce.records.measurement import summary
from trustnlp.reproduce.records.record_files import load_record
from trustnlp.reproduce.schemas import SchemaError, load_yaml

WAYS = ("sum", "product", "opposite", "within", "apart")


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
        named = next(entry[way] for way in WAYS if way in entry)
        names = [named] if isinstance(named, str) else list(named)
        for name in names:
            if name not in metrics:
                raise SchemaError(f"{place}: no metric '{name}'{nearest(name, metrics)}")
        parts = [metrics[name] for name in names]
        if len({metric["n"] for metric in parts}) > 1:
            raise SchemaError(f"{place}: its metrics have different numbers of values; they are taken seed by seed")
        values, interval = _values(entry, parts)
        metrics[key] = summary(values, interval, unit=entry["unit"], seeds=record["seeds"])
    return {entry["key"]: metrics[entry["key"]] for entry in entries}


def _values(entry: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> tuple[list[float], Any]:
    """The values of a derived metric, and the kind or the ends of their interval."""
    by, plus = entry.get("by", 1), entry.get("plus", 0)
    rows = zip(*(metric["values"] for metric in parts), strict=True)
    if "opposite" in entry:  # a count of what was run
        return [sum(one * other < 0 for one, other in rows) * by + plus], "deterministic"
    if "within" in entry:  # above zero if the mean lies within ±limit
        [metric], limit = parts, entry["limit"]
        ends = abs(metric["low"]), abs(metric["high"])
        smallest = 0.0 if metric["low"] <= 0 <= metric["high"] else min(ends)
        return [limit - abs(metric["mean"])], (limit - max(ends), limit - smallest)
    if "apart" in entry:  # from end to far end, the widest interval
        one, other = parts
        ends = one["low"] - other["high"] + plus, one["high"] - other["low"] + plus
        return [one["mean"] - other["mean"] + plus], ends
    if "sum" in entry:
        weights = entry["sum"].values()
        values = [math.fsum(w * x for w, x in zip(weights, row, strict=True)) + plus for row in rows]
    else:
        values = [math.prod(row) * by + plus for row in rows]
    # Made of metrics without chance it has none either.
    return values, "deterministic" if all(metric["interval"] == "deterministic" for metric in parts) else "t"
