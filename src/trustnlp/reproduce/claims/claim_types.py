"""Claims: the verdicts they can get, what they rest on, and the fields that a ledger gives one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from trustnlp.reproduce.claims.printed_orders import Order
from trustnlp.reproduce.claims.shared_quantities import Shared
from trustnlp.reproduce.schemas.fields import Model, Number, Text


class Verdict(StrEnum):
    """The nine verdicts, in the order in which pages count them."""

    REPRODUCED = "reproduced"
    CLOSE = "close"
    DIRECTION = "direction only"
    NOT_REPRODUCED = "not reproduced"
    UNDETERMINED = "undetermined"
    UNTESTABLE = "not testable here"
    NOT_MEASURED = "not measured"
    INCONSISTENT = "inconsistent in the paper"
    DIFFERS = "paper and its released files differ"


class Evidence(StrEnum):
    """Kinds of evidence for a verdict, in the order in which pages show it."""

    REAL = "real data"
    RELEASED = "released files"
    PRINT = "print only"
    MADE_UP = "made-up data"
    NONE = "not tried"


LETTERS = dict(zip("RCDNUXMIF", Verdict, strict=True))


class Paper(Model):
    """The work that is judged; `key` is its key in book/references.bib."""

    key: Text
    title: Text
    authors: Text
    venue: Text
    year: Annotated[int, Field(ge=1900)]
    url: Text


class Plan(Model):
    """The plan of a question of ours, written before its run; `n` counts seeds, `hours` are those expected."""

    hypothesis: Text
    statistic: Text
    smallest_difference: Text
    n: Annotated[int, Field(ge=1)]
    hours: Annotated[Number, Field(gt=0)]


@dataclass(frozen=True)
class GridCell:
    """Where in a grid a claim stands: ids name it, labels head its row and column."""

    grid: str
    title: str
    row: str
    row_label: str
    column: str
    column_label: str


@dataclass(frozen=True)
class Cap:
    """The best and the worst verdict that a claim can be given, unless the run met the paper's conditions.

    `unless` lists, for each condition (or parameter) of a record, the values that lift the cap; all must be met, and
    of a list by each item.
    """

    name: str
    unless: Mapping[str, tuple[Any, ...]]
    why: str
    at_best: Verdict | None = None
    at_worst: Verdict | None = None


@dataclass(frozen=True)
class Claim:
    """One checkable claim; without a `paper` a question of ours, whose `plan` was written before the run.

    `value` and `rounding` are the paper's number and half a unit of its last printed digit (kind "value"; also an
    untestable or inconsistent number); `quote` is what the paper says where it gives no number. `record` is
    "NOTEBOOK.paper", `key` a metric of it.
    `exists_where` is a metric of the record that is 0 in seeds where what is measured does not exist.
    `tolerance` is the largest difference that counts as reproduced, and the largest half width of an interval that can
    tell: the rounding, unless the ledger argues for more. `reference` is the line both sides must stand on the same
    side of for "direction only". `not_measured` says why there is no measurement yet, and what would make one;
    `lacking` what we lack to make one, and what would make it for whoever has that.
    `ours` marks a question that the paper has no sentence on. `evidence` is stated where it cannot be derived.
    `order` has the orderings of printed numbers that the claim asserts.
    `same_cell_as` is the claim that counts for a printed cell which this one judges once more.
    A sentence (kind "cells") is judged by other claims: `cells` has their ids, `holds_in` says in how many of them it
    must hold ("all" or "most"); `under` is the id of the sentence that a claim is a cell of.
    `headline` is the place among the claims a reader takes home (from 0), `says` its wording there, `reads` a template
    of what our number means.
    """

    chapter: str
    paper: Paper | None
    id: str
    where: str
    text: str
    kind: str
    expect: Verdict
    value: float | None = None
    rounding: float = 0.0
    quote: str | None = None
    record: str | None = None
    key: str | None = None
    absolute: bool = False
    exists_where: str | None = None
    tolerance: float = 0.0
    tolerance_why: str | None = None
    reference: float | None = None
    caps: tuple[Cap, ...] = ()
    not_measured: str | None = None
    lacking: str | None = None
    ours: bool = False
    evidence: Evidence | None = None
    same_cell_as: str | None = None
    reason: str | None = None
    cell: GridCell | None = None
    headline: int | None = None
    says: str | None = None
    reads: str | None = None
    order: tuple[Order, ...] = ()
    cells: tuple[str, ...] = ()
    holds_in: str = "most"
    under: str | None = None
    plan: Plan | None = None


@dataclass(frozen=True)
class Ledger:
    """A chapter's paper (None: all questions are ours) and its claims, grids expanded, in the order of the file.

    `data` says in a few words what data the records rest on, `shared` which metrics two records both have.
    """

    paper: Paper | None
    claims: tuple[Claim, ...]
    data: str | None = None
    shared: tuple[Shared, ...] = ()
