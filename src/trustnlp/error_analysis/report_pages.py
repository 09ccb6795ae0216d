"""The report of a characterisation as one HTML page that can be opened without a network, now or in ten years.

No script, no picture, no font, no link to another host. Colours are the browser's own, light or dark, as the reader has
set it; wide tables scroll inside themselves, so that the page fits 400 pixels. Directions are written as words, and not
in colour. No text of the data is shown.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from trustnlp.error_analysis.error_reports import Characterisation
from trustnlp.evaluation.intervals import wilson_interval

_STRATEGIES = {
    "least_confidence": "least confidence",
    "margin": "margin",
    "entropy": "entropy",
    "aec": "error classifier",
    "aec_with_probabilities": "error classifier with probabilities",
    "probabilities": "probabilities, learned from",
    "confidence": "confidence, learned from",
    "predicted_class": "error rate of the predicted label",
}


def report_page(report: Characterisation) -> str:
    """The page, from `<!doctype html>` on."""
    return _page().render(report=report, strategies=_STRATEGIES, first=[f"first {k}" for k in report.ks]).strip() + "\n"


@cache
def _page() -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    page = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    page.filters |= {"percent": _percent, "points": _points, "signed": _signed, "interval": _interval}
    return page.get_template("report_page.j2")


def _interval(errors: int, support: int) -> tuple[float, float]:
    low, high = wilson_interval(np.array([errors]), np.array([support]))
    return float(low[0]), float(high[0])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _points(difference: float) -> str:
    return f"{_signed(100 * difference, 1)} points"


def _signed(number: float, digits: int) -> str:
    return f"{number:+.{digits}f}".replace("-", "−")
