"""`trustnlp records units`: say the units of committed records anew, by the chapters' tables; no value is touched."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from trustnlp.reproduce.project import UserError, git_commit, project_root, shown
from trustnlp.reproduce.records.measurement import RecordError, summary
from trustnlp.reproduce.records.record_edits import logged
from trustnlp.reproduce.records.recording import check_digest, write_record
from trustnlp.reproduce.records.units import FILE, units_of
from trustnlp.reproduce.schemas import load_json, validate


def with_units(record: Mapping[str, Any], commit: str | None) -> dict[str, Any]:
    """A record whose metrics have the units that its chapter says today, which is logged; no value is touched.

    An interval ends where the unit does, as in a new run: none of a share goes beyond 1. The same record where all
    units agree already.

    Raises
    ------
    UserError
        A metric that has no unit, or one that its values do not allow.
    """
    name = f"{record['chapter']}/{record['notebook']}"
    table = units_of(record["chapter"], record["notebook"])
    changed, cut = {}, 0
    for key, metric in record["metrics"].items():
        unit = (table and table.unit_of(key)) or metric["unit"]
        if unit is None:
            raise UserError(f"{name}: '{key}' has no unit; add a pattern to chapters/{record['chapter']}/{FILE}")
        if unit != metric["unit"]:
            kind = (metric["low"], metric["high"]) if metric["interval"] == "given" else metric["interval"]
            try:
                again = summary(metric["values"], kind, unit=unit, seeds=record["seeds"])
            except (RecordError, UserError) as error:
                raise UserError(f"{name}: '{key}': {error}") from None
            changed[key] = again
            cut += any(_apart(again[end], metric[end]) for end in ("low", "high"))
    if not changed:
        return dict(record)
    what = f"units said by kind (metrics: {len(changed)}; values touched: 0; intervals cut at the unit's end: {cut})"
    return logged({**record, "metrics": {**record["metrics"], **changed}}, what, commit)


def _apart(one: float | None, other: float | None) -> bool:
    return (one is None) != (other is None) or (one is not None and not math.isclose(one, other or 0.0, abs_tol=1e-12))


def rewrite_units(chapters: list[str]) -> list[str]:
    """Bring the units of the chapters' committed records up to date; one line for each record that changed."""
    commit, made = git_commit(project_root()), {}
    for chapter in chapters:
        for path in sorted((project_root() / "chapters" / chapter / "results").glob("*.json")):
            # Not `load_record`: a unit of old is of no known kind.
            record = load_json(path, partial(validate, name="record", source=path))
            check_digest(record, shown(path))
            again = with_units(record, commit)
            if again["digest"] != record["digest"]:
                made[path] = again
    for path, record in made.items():  # all or none
        write_record(path, record)
    return [f"{shown(path)}: {record['log'][-1]['what']}" for path, record in made.items()]
