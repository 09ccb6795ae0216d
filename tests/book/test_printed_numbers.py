"""Numbers that pages print: no digit that the interval does not bear, shares as %, no −0.

Run as a script it prints the counts, of front pages, findings and errors in print:

    python tests/book/test_printed_numbers.py
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from trustnlp.reproduce.claims.verdicts import judge_chapter
from trustnlp.reproduce.pages.measured_text import Measured
from trustnlp.reproduce.pages.tables import measured, value_text
from trustnlp.reproduce.project import TEMPLATE, chapter_dir, chapters, project_root
from trustnlp.reproduce.records.derived_metrics import committed_record

ROLE = re.compile(r"\{(metric|ours|paper)\}`([^`]+)`")
NUMBER = re.compile(r"([-−]?\d[\d,]*)(?:\.(\d+))?(?:×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
NUMERIC = ("ours", "mean", "interval", "full", "paper")


class Printed(NamedTuple):
    """One number of a page: where it stands, what is asked for, as it is printed, and what was measured."""

    page: str
    asked: str
    text: str
    number: Measured | None


def pages() -> list[tuple[str | None, Path]]:
    """Front pages, findings and errors in print."""
    fronts: list[tuple[str | None, Path]] = [
        (slug, chapter_dir(slug) / "index.md") for slug in chapters() if slug != TEMPLATE
    ]
    return fronts + [(None, project_root() / "book" / name) for name in ("findings.md", "errors-in-print.md")]


@functools.cache
def judged(slug: str):
    return {found.claim.id: found for found in judge_chapter(slug)}


@functools.cache
def record(slug: str, name: str):
    return committed_record(chapter_dir(slug) / "results" / f"{name}.json")


def printed(path: Path, chapter: str | None) -> Iterator[Printed]:
    for role, text in ROLE.findall(path.read_text("utf-8")):
        target, *bars = (part.strip() for part in text.replace("\\|", "|").split("|"))
        slug, slash, name = target.rpartition("/")
        slug = slug if slash else str(chapter)
        if role == "metric":
            run, _, key = name.partition(":")
            if run.endswith(".smoke"):
                continue
            source = record(slug, run)["metrics"][key]
        else:
            source = judged(slug)[name]
        asked = next((bar for bar in bars if bar != "abs"), "mean" if role == "metric" else role)
        if asked in NUMERIC:
            place = f"{path.parent.name}/{path.name}"
            yield Printed(place, asked, value_text(source, asked, magnitude="abs" in bars), measured(source))


ALL = [one for chapter, path in pages() for one in printed(path, chapter)]


def too_fine(one: Printed) -> bool:
    """Whether a digit is finer than a twentieth of the interval's half-width."""
    if one.asked == "paper" or one.number is None or not one.number.random:
        return False
    return any(_place(match) < one.number.half_width / 20 * (1 - 1e-9) for match in NUMBER.finditer(one.text))


def _place(match: re.Match[str]) -> float:
    """The place of the last digit; of a whole number that ends in zeros, of the last one that is no zero."""
    whole, decimals, power = match[1], match[2], match[3]
    zeros = len(whole) - len(whole.rstrip("0")) if decimals is None else -len(decimals)
    if float(whole.replace("−", "-").replace(",", "")) == 0 and decimals is None:
        return float("inf")  # a nought says no place
    return 10.0 ** (zeros + int((power or "0").translate(RAISED)))


def is_bare(one: Printed) -> bool:
    """Whether a share is printed without its %."""
    return one.number is not None and one.number.kind.sign == " %" and one.asked != "interval" and " %" not in one.text


def has_minus_nought(one: Printed) -> bool:
    """Whether −0 is printed."""
    return any(match[0][0] in "-−" and not match[0].strip("-−0.") for match in NUMBER.finditer(one.text))


def test_pages_print_numbers() -> None:
    assert len(ALL) > 150 and sum(one.number is not None and one.number.random for one in ALL) > 80


@pytest.mark.parametrize("fault", [too_fine, is_bare, has_minus_nought])
def test_no_number_is_printed_so(fault) -> None:
    assert not [one for one in ALL if fault(one)]


@pytest.mark.parametrize(
    ("one", "fault"),
    [
        (Printed("", "mean", "34.16 %", Measured(0.34, "share", 0.28, 0.4)), too_fine),
        (Printed("", "full", "30 points (9.4 to 58)", Measured(34, "points", 9.4, 58)), too_fine),
        (Printed("", "mean", "0.3416", Measured(0.34, "share", 0.28, 0.4)), is_bare),
        (Printed("", "mean", "−0.0 points", Measured(0, "points")), has_minus_nought),
        (Printed("", "full", "1 (−0 to 3)", Measured(0, "points")), has_minus_nought),
    ],
)
def test_each_fault_is_seen(one: Printed, fault) -> None:
    assert fault(one)
    assert not fault(one._replace(text="30 % (20 to 40)"))


if __name__ == "__main__":
    told = ", ".join(f"{fault.__name__}: {sum(map(fault, ALL))}" for fault in (too_fine, is_bare, has_minus_nought))
    print(f"{len(ALL)} numbers; {told}")
