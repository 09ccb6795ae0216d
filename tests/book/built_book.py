"""Where the built book is, and why there is none to test."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"


def absent() -> str:
    """The reason to skip a test of the built book; empty when one stands."""
    stamp = ROOT / "_build" / "book.stamp.json"  # written when all pages have passed their checks
    stands = stamp.is_file() and (HTML / "index.html").is_file()
    return "" if stands else "no built book in _build/html; run 'make book'"
