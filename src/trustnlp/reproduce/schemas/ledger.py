"""A claims ledger: sentences and table cells of a paper made checkable.

Where each stands, what the paper says, which metric measures it, by which rule, and the verdict that is expected.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from trustnlp.reproduce.claims.claim_types import Paper, Plan, Verdict
from trustnlp.reproduce.claims.shared_quantities import Shared
from trustnlp.reproduce.schemas.fields import OUT, Id, Misfit, Model, Number, Once, Text, Two, like

_REFERENCE = like(r"^=\S", "a number, or the place of a printed one such as =table4/dpnr/0")
_SIDE = like(r"^[=#]\S", "a cell such as =table4/dpnr/0, a claim's number such as #t4-main, a number, or a list")
RecordName = Annotated[str, like(r"^[A-Za-z0-9_]+\.(paper|smoke)$", "NOTEBOOK.paper")]
_Printed = Number | Annotated[str, _REFERENCE]
_Term = Number | Annotated[str, _SIDE]
_Sum = _Term | list[_Term]
_Comparison = Annotated[tuple[_Sum, Literal["<", ">", "|<|", "|>|"], _Sum], Field(strict=False)]
_Order = Annotated[list[_Comparison], Field(min_length=1)]
_Cell = Annotated[str, like("^[A-Za-z0-9*][A-Za-z0-9._*-]*$", "the id of a claim or grid, or a pattern with `*`")]
_Cells = Annotated[list[_Cell], Field(min_length=1), Once]
_Half = Annotated[Number, Field(ge=0)]
_Caps = Annotated[list[Id], Field(min_length=1), Once]
_Expect = Annotated[Verdict, Field(strict=False)]
_Evidence = Literal["real data", "released files", "print only", "made-up data"]


class Cap(Model):
    """The best and the worst verdict that claims can be given while our runs lack something the paper had.

    `unless` has, by condition or parameter of a record, the values that lift the cap: all must be met, and of a list by
    each item. `at_worst` stands in the place of *not reproduced*. `why` says what the run lacks.
    """

    unless: Annotated[dict[str, Annotated[list[str | Number | bool], Field(min_length=1)]], Field(min_length=1)]
    at_best: Literal["close", "direction only", "undetermined"] = OUT
    at_worst: Literal["not testable here", "undetermined"] = OUT
    why: Text

    @model_validator(mode="after")
    def _caps(self) -> Self:
        return self.one_of("at_best", "at_worst")


class Headline(Model):
    """A claim that readers take home, with a shorter wording and what our number means: `{ours}`, or `{KEY}`."""

    claim: Id
    says: Text = OUT
    reads: Text = OUT


class Derived(Model):
    """A number that follows from those of a record, as if it were recorded (`derived_metrics`).

    One of: the `sum` of metrics with weights, or the `product` of some, seed by seed; `opposite`, in how many seeds two
    signs are; `within`, `limit` less a magnitude; `apart`, one mean less the other. `by` is a factor, `plus` is added.
    """

    record: RecordName
    key: Text
    unit: Text
    sum: Annotated[dict[str, Number], Field(min_length=1)] = OUT
    product: Annotated[list[Text], Field(min_length=2)] = OUT
    opposite: Two = OUT
    within: Text = OUT
    apart: Two = OUT
    limit: Annotated[Number, Field(gt=0)] = OUT
    by: Number = OUT
    plus: Number = OUT

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = ("sum", "product", "opposite", "within", "apart")
        if sum(map(self.has, ways)) > 1:
            raise Misfit(f"expected one of {', '.join(ways)}")
        return self.one_of(*ways).together(("within", "limit"))


class Said(Model):
    """The paper's word: the printed number, half a unit of its last digit, or a few words."""

    value: _Printed = OUT
    rounding: _Half = OUT
    text: Text = OUT


class Measure(Model):
    """The metric of a record that measures a claim.

    `absolute` compares magnitudes, for a paper that prints no sign; `exists_where` is a metric that is 0 in seeds where
    what is measured does not exist.
    """

    record: RecordName
    key: Text
    absolute: bool = OUT
    exists_where: Text = OUT


class Tolerance(Model):
    """Largest difference that still counts as reproduced, where the rounding alone would be unfair, and why."""

    absolute: _Half
    why: Text


class Direction(Model):
    """The line that the paper's value and our whole interval must lie on the same side of."""

    reference: _Printed


class Judged(Model):
    """The fields that claims and grids share.

    `order` has orderings of printed numbers that are asserted: [side, sign, side], a list on a side is a sum.
    `not_measured` and `lacking` say why nobody has measured it, and what we lack, with the command that would. `ours`
    marks a question that the paper has no sentence on; `evidence` what the verdict rests on, where claim and record do
    not tell.
    """

    id: Id
    where: Text
    text: Text
    tolerance: Tolerance = OUT
    direction: Direction = OUT
    caps: _Caps = OUT
    not_measured: Text = OUT
    lacking: Text = OUT
    ours: Literal[True] = OUT
    evidence: _Evidence = OUT


class Claim(Judged):
    """A claim; of kind `cells` a sentence or table that is judged by other claims (`sentences`)."""

    kind: Literal["value", "statement", "cells", "untestable", "inconsistent", "differs"]
    cells: _Cells = OUT
    holds_in: Literal["all", "most"] = OUT
    paper: Said = OUT
    measure: Measure = OUT
    order: _Order = OUT
    same_cell_as: Id = OUT
    reason: Text = OUT
    expect: _Expect = OUT
    plan: Plan = OUT

    @model_validator(mode="after")
    def _of_its_kind(self) -> Self:
        self.fits(*_OF_CLAIMS[self.kind])
        if self.kind == "untestable" and self.expect not in (None, Verdict.UNTESTABLE):
            raise Misfit(f'expected "{Verdict.UNTESTABLE}", got "{self.expect}"', "expect")
        return self.one_of("measure", "order") if self.kind in ("inconsistent", "differs") else self


class Sentence(Model):
    """Makes a grid one claim, whose id is the grid's: the table of the paper, or the sentence that it shows."""

    where: Text
    text: Text
    paper: Said = OUT
    holds_in: Literal["all", "most"] = OUT
    expect: _Expect

    @model_validator(mode="after")
    def _of_words(self) -> Self:
        if self.has("paper") and (not self.has("paper.text") or self.has("paper.value") or self.has("paper.rounding")):
            raise Misfit("expected 'text' alone: a few words of the paper", "paper")
        return self


class Column(Model, extra="allow"):
    """A column in the paper's order; fields beside these serve the templates."""

    __pydantic_extra__: dict[str, str | Number] = Field(init=False)
    id: Id
    label: Text
    ours: Literal[True] = OUT
    evidence: _Evidence = OUT

    @model_validator(mode="after")
    def _no_row(self) -> Self:
        if "row" in (self.model_extra or {}):
            raise Misfit("is not used by this kind of entry; remove it", "row")
        return self


class Grid(Judged):
    """A table of the paper, one claim per cell (`grids`), whose ids are GRID-COLUMN-ROW.

    `where`, `text`, `key`, `reason`, `same_cell_as` and `row_label` may name {row} and any field of the column.
    `paper` has one list per row, null where a cell cannot be read or is left out; `expect` the verdicts' letters.
    `reason` (why cells that are expected X cannot be tested) and `order` are of the whole grid, or by row.
    """

    kind: Literal["value", "statement", "untestable", "inconsistent", "differs"]
    title: Text = OUT
    row_label: Text = OUT
    sentence: Sentence = OUT
    record: RecordName = OUT
    key: Text = OUT
    absolute: bool = OUT
    exists_where: Text = OUT
    rounding: _Half = OUT
    order: _Order | dict[str, _Order] = OUT
    same_cell_as: Text = OUT
    reason: Text | Annotated[dict[str, Text], Field(min_length=1)] = OUT
    columns: Annotated[list[Column], Field(min_length=1)]
    paper: Annotated[dict[Id, list[Number | str | None]], Field(min_length=1)]
    expect: dict[str, list[Literal["R", "C", "D", "N", "U", "X", "M", "I", "F"] | None]] = OUT

    @model_validator(mode="after")
    def _of_its_kind(self) -> Self:
        if self.kind == "value":
            for row, place, cell in ((row, *cell) for row, cells in self.paper.items() for cell in enumerate(cells)):
                if isinstance(cell, str) and not re.match(r"=\S", cell):
                    wrong = f"expected a number, or the place of a printed one such as =table4/dpnr/0, got {cell!r:.60}"
                    raise Misfit(wrong, "paper", row, place)
        return self.fits(*_OF_GRIDS[self.kind])


class Ledger(Model):
    """The whole file; without a `paper` all questions are ours, and each has the `plan` written before its run.

    `caps` are by name; `data` says what data the records rest on, in a few words. `headlines` are in the order of the
    front page. `printed` has the numbers (and names) that the paper prints and that more than one thing here uses, by
    table: each stands here once; claims refer to it by `=TABLE/KEY/…`, notebooks read it by `printed_tables`.
    """

    paper: Paper = OUT
    caps: dict[Id, Cap] = OUT
    data: Text = OUT
    headlines: Annotated[list[Headline], Field(max_length=12)] = OUT
    printed: dict[Id, Any] = OUT
    shared: list[Shared] = OUT
    derived: list[Derived] = OUT
    claims: list[Claim] = OUT
    grids: list[Grid] = OUT

    @model_validator(mode="after")
    def _questions(self) -> Self:
        if not self.has("paper"):
            if self.has("grids") or self.has("printed"):
                raise Misfit("nothing is printed without a 'paper'; ask each question in 'claims'")
            for place, claim in enumerate(self.claims or ()):
                for name in ("ours", "plan"):
                    if not claim.has(name):
                        raise Misfit(f"lacks '{name}', as the ledger names no paper", "claims", place)
        return self


# Kind → fields that an entry of it needs, and those that say nothing there.
_CHECKS = ("reason expect", "cells holds_in measure.absolute tolerance direction caps")
_OF_CLAIMS = {
    "cells": (
        "cells expect paper.text",
        "paper.value paper.rounding measure tolerance direction caps order not_measured lacking reason same_cell_as",
    ),
    "value": ("paper measure expect paper.value paper.rounding", "cells holds_in paper.text reason"),
    "statement": (
        "measure expect paper.text",
        "cells holds_in paper.value paper.rounding measure.absolute tolerance direction reason",
    ),
    "untestable": ("reason", "cells holds_in measure tolerance direction caps lacking evidence"),
    "inconsistent": _CHECKS,
    "differs": _CHECKS,
}
_GRID_CHECKS = ("record key reason expect", "absolute tolerance direction caps")
_OF_GRIDS = {
    "value": ("record key rounding expect", ""),
    "statement": ("record key expect", "absolute tolerance direction"),
    "untestable": ("reason", "record key absolute tolerance direction caps expect"),
    "inconsistent": _GRID_CHECKS,
    "differs": _GRID_CHECKS,
}
