"""Whole records for tests: what the runner would add to what a notebook has recorded."""

from __future__ import annotations

import copy
from typing import Any

from trustnlp.reproduce.records.recording import Record, complete

PROVENANCE: dict[str, Any] = {
    "git_commit": None,
    "git_dirty": None,
    "sources": {"chapters/aec/reproduction.py": "0" * 12},
    "cache_key": "k",
    "environment": {"python": "3.11"},
    "hardware": {"cpu": "test", "cores": 2, "memory_gb": 8.0, "gpu": None},
    "device": "cpu",
    "precision": None,
    "threads": 1,
    "seconds": 1.5,
    "peak_memory_mb": 100.0,
    "started": "2021-08-01T12:00:00+00:00",
}


def whole(record: Record, **provenance: Any) -> dict[str, Any]:
    """The record as it would be committed."""
    return complete(copy.deepcopy(record.to_json()), **{**copy.deepcopy(PROVENANCE), **provenance})
