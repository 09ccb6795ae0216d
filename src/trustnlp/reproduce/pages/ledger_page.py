"""The claims of a chapter as HTML: its headline claims, and the ledger of them all.

Both are plain tables that need no script. The page's script adds search, filters and sorting to the ledger; narrow
screens show each row as a card, which is why every cell carries its column's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from html import escape
from itertools import groupby
from typing import Any

from markupsafe import Markup

from trustnlp.reproduce.claims.claim_types import Plan
from trustnlp.reproduce.claims.ledgers import Evidence, Verdict
from trustnlp.reproduce.claims.tallies import Group, count, counting, group_of, tally, tally_in_words
from trustnlp.reproduce.claims.verdicts import Judgement
from trustnlp.reproduce.notebooks.paper_places import named_places
from trustnlp.reproduce.pages.html_parts import macros
from trustnlp.reproduce.pages.tables import value_text
from trustnlp.reproduce.verdict_marks import LETTER_OF, anchor, chip, legend, verdict_class

_CODE = re.compile(r"`([^`]+)`")
_EMPHASIS = re.compile(r"(?<![\w*])\*(\S(?:[^*]*\S)?)\*(?![\w*])")
NONE_YET = '<p class="tn-claims-empty">No claims yet.</p>'


def headlines_html(judgements: Sequence[Judgement], ledger: str) -> str:
    """The headline claims of a chapter, each linked to its row on the page `ledger`."""
    chosen = [judgement for judgement in judgements if judgement.claim.headline is not None]
    if not chosen:
        return NONE_YET
    ordered = sorted(chosen, key=lambda found: found.claim.headline or 0)
    return str(_html().claims(ordered, "Headline claims", ledger))


def placed_html(judgements: Sequence[Judgement], notebook: str, heading: str, ledger: str) -> str:
    """The part of a record on the tables and figures of the paper that a heading names: paper, ours, verdict.

    Empty where the ledger has no claim on them.
    """
    asked = named_places(heading)
    there = [one for one in judgements if asked & named_places(f"{one.claim.where}, {_placed(one)}")]
    record = f"{notebook}.paper"
    held_up = {one.claim.under for one in judgements if one.claim.record == record}
    own = [one for one in there if one.claim.record == record or one.claim.id in held_up] or there
    parts = [str(_html().matrix(cells, title, ledger)) for title, cells in _grids_of(own)]
    shown = {one.claim.id for one in own}
    single = [one for one in own if one.claim.cell is None and one.claim.under not in shown]
    if single:
        parts.append(str(_html().claims(single, "Committed record", ledger)))
    return "".join(parts)


def ledger_html(judgements: Sequence[Judgement]) -> str:
    """Every claim of a chapter: the tally, the paper's tables as folded grids, all claims, then the deviations.

    Claims of the paper that were run on real data come first, questions of ours last; cells are folded under the
    sentence that they are evidence for.
    """
    if not judgements:
        return NONE_YET
    notes = list(dict.fromkeys(text for judgement in judgements for text in judgement.deviations))
    numbers = {text: number for number, text in enumerate(notes, start=1)}
    order = list(Group)
    top = [one for one in judgements if one.claim.under is None]
    under = {one.claim.id: [(cell, ()) for cell in judgements if cell.claim.under == one.claim.id] for one in top}
    cells = sum(map(len, under.values()))
    again = len(judgements) - len(counting(judgements)) - cells
    pairs = [(one, under[one.claim.id]) for one in sorted(top, key=lambda one: order.index(group_of(one)))]
    return str(_html().ledger(top, pairs, tally(judgements), cells, again, list(_grids(judgements)), numbers))


@cache
def _html() -> Any:
    return macros(
        "ledger.j2", value_text, anchor, chip, legend, verdict_class, group_of, tally_in_words, count, _marked, _marks,
        _placed, _plan_of, _shows_interval, _grid_of, Verdict=Verdict, Group=Group, LETTER_OF=LETTER_OF,
    )  # fmt: skip


def _marks(judgement: Judgement) -> list[str]:
    """Words that say whose question it is, and what was tried where that was not real data."""
    ours = ["our question"] if judgement.claim.ours else []
    return ours + ([] if judgement.evidence in (Evidence.REAL, Evidence.NONE) else [judgement.evidence.value])


def _placed(judgement: Judgement) -> str:
    """The part of the paper a claim is listed under: its grid, else the first place that it names."""
    claim = judgement.claim
    if claim.cell is not None:
        return claim.cell.title
    return claim.where.partition(",")[0].partition(";")[0].partition(" and ")[0].strip()


def _plan_of(plan: Plan) -> dict[str, Any]:
    """The plan that was written before a run, by its name in words."""
    return {name.replace("_", " "): value for name, value in plan.model_dump().items()}


def _marked(text: str) -> Markup:
    """Text of a ledger or a record as HTML: `code` and *emphasis* as Markdown has them, nothing else."""
    return Markup(_EMPHASIS.sub(r"<em>\1</em>", _CODE.sub(r"<code>\1</code>", escape(text))))


def _shows_interval(judgement: Judgement) -> bool:
    """Whether our number has an interval, and is what is read."""
    of_another = judgement.claim.reads is not None and "{ours}" not in judgement.claim.reads
    return judgement.interval is not None and judgement.interval[0] != judgement.interval[1] and not of_another


def _grids(judgements: Sequence[Judgement]) -> Iterator[tuple[str, list[Judgement], str]]:
    """The paper's tables in its own layout: counts in words, cells and title of each."""
    for title, cells in _grids_of(judgements):
        numbers = [cell for cell in cells if cell.claim.same_cell_as is None]
        on = "" if len(numbers) == len(cells) else f" on {len(numbers)} printed numbers that count"
        what = "cells" if all(cell.claim.under for cell in cells) else "claims"
        yield f"{title}: {len(cells)} {what}{on} ({tally_in_words(count(numbers))})", cells, title


def _grids_of(judgements: Iterable[Judgement]) -> Iterator[tuple[str, list[Judgement]]]:
    """The title of each grid, and its cells; two grids may share a title."""
    cells = [(one.claim.cell, one) for one in judgements if one.claim.cell]
    for (_, title), members in groupby(cells, key=lambda pair: (pair[0].grid, pair[0].title)):
        yield title, [one for _, one in members]


def _grid_of(judgements: Sequence[Judgement]) -> tuple[dict[Any, Judgement], dict[str, str], dict[str, str]]:
    """A grid as the paper lays it out: its cells by row and column, and what heads rows and columns."""
    placed = [(one, one.claim.cell) for one in judgements if one.claim.cell is not None]
    by_place = {(cell.row, cell.column): one for one, cell in placed}
    rows = {cell.row: cell.row_label for _, cell in placed}
    return by_place, rows, {cell.column: cell.column_label for _, cell in placed}
