"""Drawings of methods: a case travels from left to right through boxes, texts, vectors, noise and people.

One small vocabulary for all chapters. Things are put into the cells of a grid and joined by arrows; widths of columns
and heights of rows follow from what is in them. The picture is an SVG in the page's own colours, light or dark, with
a description in words; on a screen of 400 pixels its smallest letters are 8 pixels high.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path

from trustnlp.plots.drawing_shapes import (
    FAMILY,
    SMALL,
    SMALL_LINE,
    WIDTH,
    Kind,
    Thing,
    Tone,
    drawn_thing,
    letters,
    paint,
    text_width,
)

_GAP, _ROW_GAP = 34, 26  # what an arrow needs


@dataclass(frozen=True)
class _Arrow:
    start: Thing
    end: Thing
    says: str
    tone: Tone
    dashed: bool


@dataclass
class Drawing:
    """A drawing with a title and, in words, what it shows.

    >>> drawing = Drawing("A sentence becomes a vector", "The sentence goes into an encoder; a vector comes out.")
    >>> sentence = drawing.text("“Mary tested positive”", at=(0, 0))
    >>> encoder = drawing.box("encoder", at=(1, 0))
    >>> vector = drawing.vector([0.2, 0.9, 0.4], "three numbers", at=(2, 0))
    >>> drawing.arrow(sentence, encoder)
    >>> drawing.arrow(encoder, vector)
    >>> drawing.svg().startswith("<svg")
    True
    """

    title: str
    describes: str
    caption: str = ""
    _things: list[Thing] = field(default_factory=list)
    _arrows: list[_Arrow] = field(default_factory=list)

    def box(self, says: str, note: str = "", *, at: tuple[int, int], tone: Tone = "ink", span: int = 1) -> Thing:
        """A step of a method. Lines are broken where `says` breaks them; `note` is in small letters below."""
        return self._add("box", says, note, at, tone, span)

    def text(self, says: str, note: str = "", *, at: tuple[int, int], tone: Tone = "ink", span: int = 1) -> Thing:
        """A text that somebody wrote: a sheet with a folded corner."""
        return self._add("text", says, note, at, tone, span)

    def words(self, says: str, note: str = "", *, at: tuple[int, int], tone: Tone = "ink", span: int = 1) -> Thing:
        """Words without a frame: a result, a remark."""
        return self._add("words", says, note, at, tone, span)

    def label(self, says: str, note: str = "", *, at: tuple[int, int], tone: Tone = "orange", span: int = 1) -> Thing:
        """A label of a text, or a class that a model answers: a tag with a tip."""
        return self._add("label", says, note, at, tone, span)

    def vector(
        self, values: Sequence[float], says: str = "", note: str = "", *, at: tuple[int, int], tone: Tone = "blue",
        span: int = 1,
    ) -> Thing:  # fmt: skip
        """A row of numbers between 0 and 1, the higher the darker."""
        if not values or not all(0 <= value <= 1 for value in values):
            raise ValueError(f"a vector is drawn from numbers between 0 and 1, got {list(values)}")
        return self._add("vector", says, note, at, tone, span, tuple(values))

    def noise(self, says: str = "noise", note: str = "", *, at: tuple[int, int], tone: Tone = "vermilion") -> Thing:
        """Noise that is added: a bell in a circle."""
        return self._add("noise", says, note, at, tone, 1)

    def person(self, says: str, note: str = "", *, at: tuple[int, int], tone: Tone = "ink") -> Thing:
        """Somebody who reads, writes or attacks."""
        return self._add("person", says, note, at, tone, 1)

    def arrow(self, start: Thing, end: Thing, says: str = "", *, tone: Tone = "ink", dashed: bool = False) -> None:
        """From one thing to another of the same row, the same column, or a later column."""
        self._arrows.append(_Arrow(start, end, says, tone, dashed))

    def _add(
        self, kind: Kind, says: str, note: str, at: tuple[int, int], tone: Tone, span: int,
        values: tuple[float, ...] = (),
    ) -> Thing:  # fmt: skip
        lines, notes = (tuple(text.split("\n")) if text else () for text in (says, note))
        thing = Thing(kind, lines, notes, *at, span, tone, values)
        self._things.append(thing)
        return thing

    def svg(self) -> str:
        """The picture, as a part of an HTML page.

        Raises
        ------
        ValueError
            If it is wider than the page, two things share a cell, or an arrow crosses a thing.
        """
        places = self._places()
        height = max(y + thing.height for thing, (_, y) in places.items()) + 6
        parts = [drawn_thing(thing, *place) for thing, place in places.items()]
        parts += [self._drawn_arrow(arrow, places) for arrow in self._arrows]
        for line in _wrapped(self.caption, WIDTH - 8, SMALL):
            height += SMALL_LINE
            parts.append(letters(line, WIDTH / 2, height, SMALL, "grey"))
        height += 8 if self.caption else 0
        return (
            f'<svg class="tn-drawing" role="img" aria-label="{escape(f"{self.title}. {self.describes}")}" '
            f'viewBox="0 0 {WIDTH} {height:.0f}" font-family="{FAMILY}">{"".join(parts)}</svg>'
        )

    def _places(self) -> dict[Thing, tuple[float, float]]:
        """Thing → its middle and its top."""
        cells = [(column, thing.row) for thing in self._things for column in _columns(thing)]
        if twice := {cell for cell in cells if cells.count(cell) > 1}:
            raise ValueError(f"drawing '{self.title}': two things in cell {sorted(twice)[0]}")
        columns = max(column for column, _ in cells) + 1
        widths = [
            max((thing.width for thing in self._things if thing.column == at and thing.span == 1), default=0.0)
            for at in range(columns)
        ]
        needed = sum(widths) + _GAP * (columns - 1) + 8
        if needed > WIDTH:
            raise ValueError(f"drawing '{self.title}' is {needed - WIDTH:.0f} too wide: {[round(w) for w in widths]}")
        gap = min((WIDTH - 8 - sum(widths)) / max(1, columns - 1), 90.0)
        start = (WIDTH - sum(widths) - gap * (columns - 1)) / 2
        left = [start + sum(widths[:at]) + gap * at for at in range(columns)]
        tops, top = {}, 6.0
        for row in range(max(thing.row for thing in self._things) + 1):
            tops[row] = top
            top += max((thing.height for thing in self._things if thing.row == row), default=0.0) + _ROW_GAP
        bodies = {row: max((t.body[1] for t in self._things if t.row == row), default=0.0) for row in tops}
        places = {}
        for thing in self._things:
            last = thing.column + thing.span - 1
            middle = (left[thing.column] + left[last] + widths[last]) / 2
            if thing.width > left[last] + widths[last] - left[thing.column] + 1:
                raise ValueError(f"drawing '{self.title}': {thing.lines} needs more columns than its {thing.span}")
            places[thing] = (middle, tops[thing.row] + (bodies[thing.row] - thing.body[1]) / 2)
        return places

    def _drawn_arrow(self, arrow: _Arrow, places: dict[Thing, tuple[float, float]]) -> str:
        (x1, y1), (x2, y2) = places[arrow.start], places[arrow.end]
        (w1, h1), (w2, h2) = arrow.start.body, arrow.end.body
        below = arrow.start.row != arrow.end.row and set(_columns(arrow.start)) & set(_columns(arrow.end))
        if below:
            x1 = x2 = x1 if arrow.start.span <= arrow.end.span else x2
            y1, y2 = (y1 + arrow.start.height + 3, y2 - 5) if y2 > y1 else (y1 - 3, y2 + arrow.end.height + 5)
            path = f"M{x1:.0f} {y1:.0f}V{y2:.0f}"
        else:
            sign = 1 if x2 > x1 else -1
            x1, x2 = x1 + sign * (w1 / 2 + 3), x2 - sign * (w2 / 2 + 5)
            y1, y2 = y1 + h1 / 2, y2 + h2 / 2
            middle, last = (x1 + x2) / 2, x2 - sign * 4
            bent = f"C{middle:.0f} {y1:.0f} {middle:.0f} {y2:.0f} {last:.0f} {y2:.0f}" if y1 != y2 else ""
            path = f"M{x1:.0f} {y1:.0f}{bent}H{x2:.0f}"
        self._crosses(arrow, (x1, y1), (x2, y2), places)
        dash = ' stroke-dasharray="7 5"' if arrow.dashed else ""
        drawn = f'<path d="{path}" style="fill: none; stroke: {paint(arrow.tone)}" stroke-width="2"{dash}/>'
        drawn += _head((x1, y1), (x2, y2), vertical=bool(below), tone=arrow.tone)
        if arrow.says:
            drawn += letters(arrow.says, (x1 + x2) / 2, (y1 + y2) / 2 - 8, SMALL)
        return drawn

    def _crosses(
        self, arrow: _Arrow, start: tuple[float, float], end: tuple[float, float],
        places: dict[Thing, tuple[float, float]],
    ) -> None:  # fmt: skip
        for thing, (x, y) in places.items():
            if thing in (arrow.start, arrow.end):
                continue
            for step in range(1, 20):
                at = step / 20
                # The curve's ends are level, so it is steepest in the middle: smoothstep follows it.
                eased = at if start[0] == end[0] else at * at * (3 - 2 * at)
                px, py = start[0] + at * (end[0] - start[0]), start[1] + eased * (end[1] - start[1])
                if abs(px - x) < thing.width / 2 and y < py < y + thing.height:
                    raise ValueError(
                        f"drawing '{self.title}': the arrow from {arrow.start.lines} to {arrow.end.lines} crosses "
                        f"{thing.lines}"
                    )


def read_drawing(path: Path) -> Drawing:
    """The drawing that a TOML file describes: `title`, `describes`, `caption`, `things` by name, and `arrows`.

    A thing has the `kind` of a method of `Drawing` and its arguments, an arrow the `path` of names that it leads along.

    Raises
    ------
    ValueError
        If it is no TOML, or lacks an entry or names a thing, kind or argument that there is not.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        drawing = Drawing(table["title"], table["describes"], table.get("caption", ""))
        things = {name: getattr(drawing, entry.pop("kind"))(**entry) for name, entry in table["things"].items()}
        for arrow in table["arrows"]:
            for start, end in pairwise(arrow.pop("path")):
                drawing.arrow(things[start], things[end], **arrow)
    except (AttributeError, KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise ValueError(f"{path.parent.name}/{path.name}: {error}") from error
    return drawing


def _columns(thing: Thing) -> range:
    return range(thing.column, thing.column + thing.span)


def _head(start: tuple[float, float], end: tuple[float, float], *, vertical: bool, tone: Tone) -> str:
    x, y = end
    if vertical:
        back = 9 if end[1] > start[1] else -9
        points = f"{x:.0f},{y:.0f} {x - 5:.0f},{y - back:.0f} {x + 5:.0f},{y - back:.0f}"
    else:
        back = 9 if end[0] > start[0] else -9
        points = f"{x:.0f},{y:.0f} {x - back:.0f},{y - 5:.0f} {x - back:.0f},{y + 5:.0f}"
    return f'<polygon points="{points}" style="fill: {paint(tone)}"/>'


def _wrapped(text: str, width: float, size: float) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
