"""Files of records: completed with what the runner knows, checked against schema and digest, read and written."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trustnlp.reproduce.project import UserError, shown, write_atomic
from trustnlp.reproduce.records.measurement import RecordError, problem
from trustnlp.reproduce.schemas import SchemaError, load_json, validate

# What the notebook itself says; a runner that says otherwise runs the wrong notebook.
_IDENTITY = ("schema_version", "chapter", "notebook", "profile")
_MEASURED = (
    "chapter", "notebook", "profile", "parameters", "seeds", "metrics", "arrays", "deviations", "conditions", "repeats",
    "data",
)  # fmt: skip


def complete(part: Mapping[str, Any], **provenance: Any) -> dict[str, Any]:
    """The whole record: the notebook's part with what the runner knows, checked.

    Parameters
    ----------
    part : mapping
        What `Record.save` wrote.
    **provenance
        git_commit, git_dirty, sources, cache_key, environment, hardware, device, precision, threads, seconds,
        peak_memory_mb, started; also `parameters` (all of them, where the notebook gave none), and chapter, notebook
        and profile as a check.

    Raises
    ------
    RecordError
        If the notebook calls itself by another name or profile than the runner.
    SchemaError
        If a field is missing, unknown or malformed.
    """
    for name in _IDENTITY:
        if name in provenance and provenance[name] != part.get(name):
            raise RecordError(
                f"the notebook's Record says {name} '{part.get(name)}', but it was run as '{provenance[name]}'; "
                "mend the arguments of Record(...) in the notebook"
            )
    record = {"verified": None, "parts": None, **part, **provenance}
    record["digest"] = digest(record)
    check_record(record, f"record of {part.get('chapter')}/{part.get('notebook')}")
    return record


def check_record(record: Any, source: Path | str) -> None:
    """Schema of a record, and what a schema cannot say: its numbers follow from their values, and nobody edited it.

    Raises
    ------
    SchemaError
        If a metric is wrong: one line names the file, the metric and what is wrong with it.
    """
    validate(record, "record", source)
    for key, metric in record["metrics"].items():
        wrong = problem(metric, record["seeds"])
        if wrong:
            raise SchemaError(f"{source}: metrics['{key}']: {wrong}")
    check_digest(record, source)


def check_digest(record: Mapping[str, Any], source: Path | str) -> None:
    """Refuse a record that nobody's run left like this.

    Raises
    ------
    SchemaError
        If its content does not have the digest that it carries, or holds NaN.
    """
    try:
        computed = digest(record)
    except ValueError:
        raise SchemaError(f"{source}: holds NaN or infinity; records hold finite numbers only") from None
    if record["digest"] != computed:
        raise SchemaError(
            f"{source}: its content does not have the digest it carries: it was edited after the run. Restore it, or "
            f"run `trustnlp run {record['chapter']}/{record['notebook']} --profile {record['profile']}`"
        )


def digest(record: Mapping[str, Any]) -> str:
    """sha256 of all that a run measured, of what it was asked, and of what was done to its record since."""
    content = {name: record[name] for name in _MEASURED}
    if record.get("log"):
        content["log"] = record["log"]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def load_record(path: str | Path) -> dict[str, Any]:
    """Read and check a record.

    Raises
    ------
    SchemaError
        If there is no such file, not strict JSON, or not a record; one line that names file and place.
    """
    path = Path(path)
    return load_json(path, lambda record: check_record(record, shown(path)))  # type: ignore[no-any-return]


def write_record(path: str | Path, record: Mapping[str, Any]) -> None:
    """Check a record and write it so that a reader never sees half of it. Keys keep their order, for small diffs."""
    check_record(record, Path(path).name)
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1)
    except ValueError:
        raise UserError(f"{Path(path).name}: holds NaN or infinity; records hold finite numbers only") from None
    write_atomic(Path(path), _compact_numbers(text) + "\n")


def _compact_numbers(text: str) -> str:
    """Put lists of numbers on one line: `indent` alone would give each number of an array its own.

    Matches only across line breaks, which JSON text never holds inside a string.
    """
    return re.sub(r"\[\n\s*((?:[-+0-9.eE]+|null)(?:,\n\s*(?:[-+0-9.eE]+|null))*)\n\s*\]", _one_line, text)


def _one_line(match: re.Match[str]) -> str:
    return "[" + re.sub(r"\s+", " ", match.group(1)) + "]"
