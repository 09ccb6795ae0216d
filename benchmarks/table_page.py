"""The page "How fast is it?": what `make bench` measured, between its markers, and a picture of the ratios."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[1] / "book" / "how-fast.md"
BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"
WIDTH, NAMES, LINE = 640, 270, 24  # of the picture, of the words in it, of one of its lines


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}".removeprefix("0")


def seconds(value: float) -> str:
    """With a unit, in two or three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.1e} s"


def picture(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """A bar for each row on a scale of powers of ten; to the right of the line ours is the faster."""
    ordered = sorted(rows.values(), key=lambda row: -row["ratio"])
    low, high = (edge(math.log10(row["ratio"]) for row in ordered) for edge in (min, max))
    first, last = math.floor(min(low, 0)), math.ceil(max(high, 0))
    room = WIDTH - NAMES - 60

    def at(power: float) -> float:
        return round(NAMES + room * (power - first) / (last - first), 1)

    said = "; ".join(f"{row['peer']}: {number(row['ratio'])}" for row in ordered)
    height, parts = LINE * (len(ordered) + 1), []
    for power in range(first, last + 1):
        style = 'stroke="currentColor"' + ("" if power == 0 else ' stroke-opacity=".2"')
        parts.append(f'<line x1="{at(power)}" x2="{at(power)}" y1="0" y2="{height - LINE}" {style}/>')
        parts.append(f'<text x="{at(power)}" y="{height - 6}" text-anchor="middle">{number(10.0**power)} ×</text>')
    for place, row in enumerate(ordered):
        begin, end = sorted((at(0), at(math.log10(row["ratio"]))))
        y = LINE * place
        colour = "#0072b2" if row["ratio"] >= 1 else "#d55e00"
        parts += [
            f'<text x="{NAMES - 8}" y="{y + 16}" text-anchor="end">{escape(row["peer"])}</text>',
            f'<rect x="{begin}" y="{y + 4}" width="{max(end - begin, 1):.1f}" height="16" fill="{colour}"/>',
            f'<text x="{end + 6}" y="{y + 16}">{number(row["ratio"])}</text>',
        ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="100%" role="img" fill="currentColor" font-size="14" '
        f'aria-label="How many times our CPU seconds each peer takes. {escape(said)}">{"".join(parts)}</svg>'
    )


def table(rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = ["| work | peer | ours | peer | ratio | answers |", "|---|---|--:|--:|--:|---|"]
    for row in rows.values():
        ratio = f"{number(row['ratio'])} ({number(row['low'])} to {number(row['high'])})"
        doubt = " (disturbed)" if row["doubt"] else ""
        lines.append(
            f"| {row['work']} | {row['peer']} | {seconds(row['ours'])} | {seconds(row['theirs'])} | {ratio}{doubt} "
            f"| {row['equal']} |"
        )
    return lines


def growth_table(curves: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = [
        "| kernel | sizes | CPU seconds | memory, MB | time grows as | 24 GiB end at |",
        "|---|---|---|---|---|---|",
    ]
    for curve in curves.values():
        sizes = ", ".join(f"{size:,}" for size in curve["sizes"])
        taken = ", ".join(f"{value:.2g}" for value in curve["seconds"])
        held = ", ".join(f"{value:,.0f}" for value in curve["megabytes"])
        ends = f"{curve['ends']:,.0f} {curve['unit']}" if curve["ends"] else "no size: memory does not grow with it"
        lines.append(
            f"| {curve['work']} | {sizes} {curve['unit']} | {taken} | {held} | size^{curve['exponent']:g} | {ends} |"
        )
    return lines


def machines(found: Mapping[str, Mapping[str, Any]]) -> str:
    told = {
        f"{m['cores']} cores of {m['cpu']}, {m['gigabytes']} GB, on {m['day']}"
        + (f", numpy's products with the kernels of {m['kernels']}" if m["kernels"] else "")
        for m in (row["machine"] for part in found.values() for row in part.values())
    }
    return "; ".join(sorted(told))


def write_page(found: Mapping[str, Mapping[str, Any]]) -> None:
    """Put the figures between the markers of the page."""
    head, begin, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise SystemExit(f"{PAGE.name} has no markers for the benchmarks")
    lines = [
        begin, "", f"Measured with {machines(found)}.", "", "```{raw} html", picture(found["rows"]), "```", "",
        *table(found["rows"]), "", "## How the cost grows", "", *growth_table(found["growth"]), "", end,
    ]  # fmt: skip
    PAGE.write_text(head + "\n".join(lines) + tail, "utf-8")
