"""Hashes of what could change a run's numbers; `execution.key_of` makes one key of them."""

import hashlib
import json
from pathlib import Path
from typing import Any

from trustnlp.reproduce.project import UserError, project_root, shown


def hash_of(value: Any) -> str:
    """sha256 of a value as JSON with one spelling: sorted keys, no spaces."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def short_hash(value: Any) -> str:
    """Eight hex digits that name a set of parameters in a file name."""
    return hash_of(value)[:8]


def lock_hash() -> str:
    """sha256 of `requirements.lock`, or "" where the project has none."""
    lock = project_root() / "requirements.lock"
    return hashlib.sha256(lock.read_bytes()).hexdigest() if lock.is_file() else ""


def chapter_files(folder: Path) -> dict[str, str]:
    """Hashes of a chapter's ledgers and committed records, by name; parameters have their own place in the key.

    A record counts by what it measured, so that a verification stamped into it makes no page again.
    """
    ledgers = [path for path in folder.glob("*.yaml") if path.name != "params.yaml"]
    hashes = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(ledgers)}
    for path in sorted(folder.glob("results/*.json")):
        try:
            hashes[path.name] = json.loads(path.read_text(encoding="utf-8"))["digest"]
        except (ValueError, KeyError, TypeError):
            raise UserError(f"{shown(path)}: not a record; restore it, or delete it and run its notebook") from None
    return hashes
