"""Where the built book is, and why there is none to test."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"


def absent() -> str:
    """The reason to skip a test of the built book; empty when a whole book stands."""
    stamp = ROOT / "_build" / "book.stamp.json"  # written when all pages have passed their checks
    if not stamp.is_file() or not (HTML / "index.html").is_file():
        return "no built book in _build/html; run 'make book'"
    partial = json.loads(stamp.read_text("utf-8"))["partial"]
    return f"_build/html has only {', '.join(partial)}; run 'make book'" if partial is not None else ""
