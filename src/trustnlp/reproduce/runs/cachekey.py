"""When is a finished run still valid? One key over everything that could change its numbers.

jupyter-cache looks at the cells alone: a changed function in `src/` would leave the old page standing.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from trustnlp.reproduce.project import UserError, project_root, shown


def canonical(value: Any) -> str:
    """JSON with one spelling per value: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def short_hash(value: Any) -> str:
    """Eight hex digits that name a set of parameters in a file name."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:8]


def lock_hash() -> str:
    """sha256 of `requirements.lock`, or "" where the project has none."""
    lock = project_root() / "requirements.lock"
    return hashlib.sha256(lock.read_bytes()).hexdigest() if lock.is_file() else ""


def chapter_files(folder: Path) -> dict[str, str]:
    """Hashes of a chapter's ledgers and committed records, by name; parameters have their own place in the key.

    A record counts by what it measured, so that a verification stamped into it makes no page again.
    """
    ledgers = [path for path in folder.glob("*.yaml") if path.name != "params.yaml"]
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(ledgers)}
    for path in sorted(folder.glob("results/*.json")):
        try:
            found[path.name] = json.loads(path.read_text(encoding="utf-8"))["digest"]
        except (ValueError, KeyError, TypeError):
            raise UserError(f"{shown(path)}: not a record; restore it, or delete it and run its notebook") from None
    return found


def cache_key(
    cells: Iterable[tuple[str, str]],
    parameters: Mapping[str, Any],
    data: Mapping[str, Mapping[str, str]],
    *,
    source: str,
    lock: str,
) -> str:
    """The key of one run.

    cells       : (cell type, source) in order
    parameters  : what papermill injects, `profile` among them
    data        : data set → file key → sha256, as declared for the profile
    source      : hash of everything that the cells import (`sources.combined(sources.closure(…))`)
    lock        : `lock_hash()`
    returns     : sha256 as 64 hex digits
    """
    everything = {
        "cells": [list(cell) for cell in cells],
        "parameters": dict(parameters),
        "data": {name: dict(files) for name, files in data.items()},
        "source": source,
        "lock": lock,
    }
    return hashlib.sha256(canonical(everything).encode()).hexdigest()
