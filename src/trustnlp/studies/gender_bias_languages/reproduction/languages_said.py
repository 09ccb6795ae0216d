"""Which languages a number is above zero in, and in which its interval leaves that open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trustnlp.data.words.gender_words import WORD_LANGUAGES

Metric = Mapping[str, Any]


def of_languages(metrics: Mapping[str, Metric], name: str) -> dict[str, Metric]:
    """Language → its metric of a name ("defining.husband"); languages without it are left out."""
    keys = {language: f"{language}.{name}" for language in WORD_LANGUAGES}
    return {language: metrics[key] for language, key in keys.items() if key in metrics}


def by_side(metrics: Mapping[str, Metric]) -> dict[str, list[str]]:
    """Languages whose whole interval is above zero, below zero, or that zero divides: `above`, `below`, `open`."""
    found: dict[str, list[str]] = {"above": [], "below": [], "open": []}
    for language, metric in metrics.items():
        low, high = (metric["mean"] if metric[end] is None else metric[end] for end in ("low", "high"))
        found["above" if low > 0 else "below" if high < 0 else "open"].append(language)
    return found
