"""How long runs took: read from their records, since nobody keeps a declared time true."""

from __future__ import annotations

import json

from trustnlp.reproduce.project import project_root
from trustnlp.reproduce.runs.params import committed


def last_took(chapter: str, notebook: str, profile: str) -> str | None:
    """How long the run behind the record of a profile took; None where there is no such record.

    The committed record speaks for `paper`, the last run on this machine for `smoke`.
    """
    smoke = project_root() / "_build" / "runs" / chapter / f"{notebook}.smoke.json"
    record = committed(chapter, notebook) if profile == "paper" else smoke
    try:
        return duration_text(float(json.loads(record.read_text(encoding="utf-8"))["seconds"]))
    except (OSError, ValueError, KeyError, TypeError):  # a damaged record is named by what judges it
        return None


def duration_text(seconds: float) -> str:
    """A duration in the two units a reader needs: `0.8 s`, `41 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min"
