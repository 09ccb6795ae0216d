"""The parts of drawings: boxes, texts, labels, vectors, noise and people, as parts of an SVG in the page's colours.

Letters have two sizes, both at least 8 pixels high where a drawing is 352 pixels wide. Colour is never alone: each kind
of thing has a shape of its own, and letters have the page's colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Literal

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from trustnlp.plots.style import PALETTE

Tone = Literal["ink", "blue", "orange", "vermilion", "green", "grey"]
Kind = Literal["box", "text", "words", "vector", "noise", "person", "label"]

WIDTH = 720
SIZE, SMALL = 18, 16.4  # letters in units of a drawing that is WIDTH wide
LINE, SMALL_LINE = 23, 21
FAMILY = "DejaVu Sans, Helvetica, Arial, sans-serif"
_PAD = 10
_CELL = 17  # one coordinate of a vector
_PICTURES = ("vector", "noise", "person")  # what they say stands below them


@dataclass(frozen=True)
class Thing:
    """One thing of a drawing: where it is, what it says, how large it is."""

    kind: Kind
    lines: tuple[str, ...]
    note: tuple[str, ...]
    column: int
    row: int
    span: int
    tone: Tone
    values: tuple[float, ...] = ()

    @property
    def body(self) -> tuple[float, float]:
        """Width and height of its shape, without the note below."""
        width = max((text_width(line, SIZE) for line in self.lines), default=0.0)
        height = float(LINE * len(self.lines))
        if self.kind == "vector":
            return float(_CELL * len(self.values)), float(_CELL)
        if self.kind in ("noise", "person"):
            return 46.0, 46.0
        padding = 0 if self.kind == "words" else 2 * _PAD
        tip = 14 if self.kind == "label" else 0
        return width + padding + tip, height + (0 if self.kind == "words" else 16)

    @property
    def below(self) -> tuple[tuple[str, float], ...]:
        """Lines under its shape, with their size: what a picture means, then the note."""
        named = self.lines if self.kind in _PICTURES else ()
        return (*((line, SIZE) for line in named), *((line, SMALL) for line in self.note))

    @property
    def width(self) -> float:
        """Width of all."""
        return max(self.body[0], *(text_width(line, size) for line, size in self.below), 0.0)

    @property
    def height(self) -> float:
        """Height of all."""
        return self.body[1] + sum(LINE if size == SIZE else SMALL_LINE for _, size in self.below)


@cache
def text_width(text: str, size: float) -> float:
    """How wide a text is in DejaVu Sans, the widest of the fonts that a page may show it in."""
    font = FontProperties(family="DejaVu Sans", size=size)
    return float(TextToPath().get_text_width_height_descent(text, font, ismath=False)[0])


def paint(tone: Tone) -> str:
    """A tone as a page's style says it: the page's ink, or a colour of its figures."""
    if tone == "ink":
        return "currentColor"
    return f"var(--tn-figure-{tone}, {PALETTE[tone].lower()})"


def letters(text: str, x: float, y: float, size: float, tone: Tone = "ink") -> str:
    """A line of letters around a middle, above its base line; what is grey is the page's colour, thinned."""
    colour = "fill: currentColor; opacity: 0.8" if tone == "grey" else f"fill: {paint(tone)}"
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" text-anchor="middle" style="{colour}">{escape(text)}</text>'
    )


def drawn_thing(thing: Thing, middle: float, top: float) -> str:
    """A thing around its middle, below its top: its shape, what it says, its note."""
    width, height = thing.body
    left = middle - width / 2
    frame = f'style="stroke: {paint(thing.tone)}; fill: none" stroke-width="{2 if thing.tone != "ink" else 1.6}"'
    drawn = {
        "box": f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}" rx="8" {frame}/>',
        "text": _sheet(left, top, width, height, frame),
        "label": _tag(left, top, width, height, frame),
        "vector": _cells(thing, left, top),
        "noise": _bell(middle, top, frame),
        "person": _figure(middle, top, frame),
        "words": "",
    }[thing.kind]
    if thing.kind not in _PICTURES:
        first = top + (0 if thing.kind == "words" else 8) + 17
        shift = -5 if thing.kind == "label" else 0
        tone: Tone = thing.tone if thing.kind == "words" else "ink"
        for at, line in enumerate(thing.lines):
            drawn += letters(line, middle + shift, first + LINE * at, SIZE, tone)
    y = top + height
    for line, size in thing.below:
        y += LINE if size == SIZE else SMALL_LINE
        drawn += letters(line, middle, y - 4, size, "ink" if size == SIZE else "grey")
    return drawn


def _sheet(left: float, top: float, width: float, height: float, frame: str) -> str:
    right, fold = left + width, 11
    return (
        f'<path d="M{left:.0f} {top:.0f}H{right - fold:.0f}L{right:.0f} {top + fold:.0f}V{top + height:.0f}H{left:.0f}Z'
        f'M{right - fold:.0f} {top:.0f}V{top + fold:.0f}H{right:.0f}" stroke-linejoin="round" {frame}/>'
    )


def _tag(left: float, top: float, width: float, height: float, frame: str) -> str:
    tip = left + width
    return (
        f'<path d="M{left:.0f} {top:.0f}H{tip - 14:.0f}L{tip:.0f} {top + height / 2:.0f}L{tip - 14:.0f} '
        f'{top + height:.0f}H{left:.0f}Z" stroke-linejoin="round" {frame}/>'
    )


def _cells(thing: Thing, left: float, top: float) -> str:
    return "".join(
        f'<rect x="{left + _CELL * at:.0f}" y="{top:.0f}" width="{_CELL}" height="{_CELL}" '
        f'style="fill: {paint(thing.tone)}; fill-opacity: {0.08 + 0.9 * value:.2f}; stroke: {paint(thing.tone)}"/>'
        for at, value in enumerate(thing.values)
    )


def _bell(middle: float, top: float, frame: str) -> str:
    y, low = top + 23, top + 32
    return (
        f'<circle cx="{middle:.0f}" cy="{y:.0f}" r="22" {frame}/>'
        f'<path d="M{middle - 17:.0f} {low:.0f}C{middle - 6:.0f} {low:.0f} {middle - 6:.0f} {y - 13:.0f} '
        f'{middle:.0f} {y - 13:.0f}S{middle + 6:.0f} {low:.0f} {middle + 17:.0f} {low:.0f}" {frame}/>'
    )


def _figure(middle: float, top: float, frame: str) -> str:
    return (
        f'<circle cx="{middle:.0f}" cy="{top + 12:.0f}" r="10" {frame}/>'
        f'<path d="M{middle - 20:.0f} {top + 46:.0f}V{top + 42:.0f}C{middle - 20:.0f} {top + 18:.0f} '
        f'{middle + 20:.0f} {top + 18:.0f} {middle + 20:.0f} {top + 42:.0f}V{top + 46:.0f}Z" {frame}/>'
    )
