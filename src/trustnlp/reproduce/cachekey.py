"""When is a finished run still valid? One key over everything that could change its numbers.

jupyter-cache looks at the cells alone: a changed function in `src/` would leave the old page standing.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import trustnlp
from trustnlp.reproduce.project import project_root

# Parts of `reproduce` that steer runs or draw pages and never run inside a notebook: a change in them
# cannot change a number, and must not make every notebook run again.
STEERING = frozenset(
    f"reproduce/{name}.py"
    for name in (
        "book", "built_pages", "cachekey", "cli", "cli_data", "doctor", "kernel", "new_chapter", "params", "progress",
        "provenance", "runner", "staging", "sweep", "tables", "twins", "verify", "workers",
    )
)  # fmt: skip


def canonical(value: Any) -> str:
    """JSON with one spelling per value: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def short_hash(value: Any) -> str:
    """Eight hex digits that name a set of parameters in a file name."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:8]


def hash_tree(root: Path, suffixes: Iterable[str], leave_out: frozenset[str] = frozenset()) -> str:
    """sha256 over the names and contents of the files under `root`, in the order of their names."""
    digest = hashlib.sha256()
    wanted = tuple(suffixes)
    for path in sorted(p for p in root.rglob("*") if p.suffix in wanted and p.is_file()):
        name = path.relative_to(root).as_posix()
        if name in leave_out or "__pycache__" in name:
            continue
        content = path.read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@lru_cache(maxsize=1)
def source_hash() -> str:
    """sha256 of the `trustnlp` source that notebooks can call (its steering parts are left out)."""
    return hash_tree(Path(trustnlp.__file__).parent, (".py", ".toml", ".json"), STEERING)


def lock_hash() -> str:
    """sha256 of `requirements.lock`, or "" where the project has none."""
    lock = project_root() / "requirements.lock"
    return hashlib.sha256(lock.read_bytes()).hexdigest() if lock.is_file() else ""


def chapter_files(folder: Path) -> dict[str, str]:
    """sha256 of a chapter's ledgers and committed records, by name; parameters have their own place in the key."""
    files = [path for path in (*folder.glob("*.yaml"), *folder.glob("results/*.json")) if path.name != "params.yaml"]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(files)}


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
    source      : `source_hash()`
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
