"""The claims of a chapter as HTML: its headline claims, and the ledger of them all.

Both are plain tables that need no script. The page's script adds search, filters and sorting to the ledger; narrow
screens show each row as a card, which is why every cell carries its column's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from itertools import groupby

from trustnlp.reproduce.claims.ledgers import Evidence, Verdict
from trustnlp.reproduce.claims.tallies import Group, count, counting, group_of, in_words, tally
from trustnlp.reproduce.claims.verdicts import Judgement
from trustnlp.reproduce.notebooks.paper_places import places
from trustnlp.reproduce.pages.tables import value_text
from trustnlp.reproduce.verdict_marks import LETTER_OF, anchor, chip, legend, verdict_class

_CODE = re.compile(r"`([^`]+)`")
_EMPHASIS = re.compile(r"(?<![\w*])\*(\S(?:[^*]*\S)?)\*(?![\w*])")
_COLUMNS = ("Claim", "Where", "Paper", "Ours", "Verdict", "Why")
_HEADS = "<tr>" + "".join(f'<th scope="col">{name}</th>' for name in _COLUMNS) + "</tr>"
NONE_YET = '<p class="tn-claims-empty">No claims yet.</p>'


def headlines_html(judgements: Sequence[Judgement], ledger: str) -> str:
    """The headline claims of a chapter, each linked to its row on the page `ledger`."""
    chosen = [judgement for judgement in judgements if judgement.claim.headline is not None]
    if not chosen:
        return NONE_YET
    return _claims_table(sorted(chosen, key=lambda found: found.claim.headline or 0), "Headline claims", ledger)


def _claims_table(judgements: Sequence[Judgement], caption: str, ledger: str) -> str:
    """Claims with the paper's number, ours and the verdict, each linked to its row on the page `ledger`."""
    rows = ""
    for judgement in judgements:
        claim = judgement.claim
        link = f'<a href="{escape(ledger)}#{anchor(claim.id)}">{chip(judgement.verdict)}</a>'
        rows += (
            f'<tr><th scope="row">{_marked(claim.says or claim.text)}{_whose(judgement)}</th>'
            f'<td data-label="Paper" class="tn-number">{escape(value_text(judgement, "paper"))}</td>'
            f'<td data-label="Ours" class="tn-number"><div>{_ours(judgement)}</div></td>'
            f'<td data-label="Verdict">{link}</td></tr>'
        )
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Claim", "Paper", "Ours", "Verdict"))
    return (
        '<div class="tn-scroll"><table class="tn-claims tn-headlines">'
        f"<caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def placed_html(judgements: Sequence[Judgement], notebook: str, heading: str, ledger: str) -> str:
    """What a notebook's record says of the paper's tables and figures that a heading names: paper, ours, verdict.

    Empty where the ledger has no claim on them.
    """
    asked = places(heading)
    there = [found for found in judgements if asked & places(f"{found.claim.where}, {_place(found)}")]
    record = f"{notebook}.paper"
    held_up = {found.claim.under for found in judgements if found.claim.record == record}
    own = [found for found in there if found.claim.record == record or found.claim.id in held_up] or there
    grids = [(title, list(cells)) for (_, title), cells in groupby((f for f in own if f.claim.cell), key=_grid_of)]
    parts = [_matrix(cells, title, ledger) for title, cells in grids]
    told = {found.claim.id for found in own}
    single = [found for found in own if found.claim.cell is None and found.claim.under not in told]
    if single:
        parts.append(_claims_table(single, "Committed record", ledger))
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
    top = [found for found in judgements if found.claim.under is None]
    rows = "".join(
        _row(found, numbers) + _folded([cell for cell in judgements if cell.claim.under == found.claim.id], numbers)
        for found in sorted(top, key=lambda found: order.index(group_of(found)))
    )
    listed = "".join(f'<li id="deviation-{number}">{_marked(text)}</li>' for text, number in numbers.items())
    said = f'<section class="tn-notes"><p>Deviations from the paper:</p><ol>{listed}</ol></section>' if notes else ""
    return (
        f"{_tally(judgements)}{_grids(judgements)}"
        f'<section class="tn-ledger" aria-label="All claims">{_controls(top)}'
        '<div class="tn-scroll"><table class="tn-claims"><caption>All claims</caption>'
        f"<thead>{_HEADS}</thead><tbody>{rows}</tbody></table></div></section>{said}"
    )


def _folded(cells: Sequence[Judgement], numbers: dict[str, int]) -> str:
    """The cells of a sentence as a folded table below its row; nothing for other claims."""
    if not cells:
        return ""
    rows = "".join(_row(cell, numbers) for cell in cells)
    return (
        '<tr class="tn-under"><td colspan="6"><details><summary>'
        f"{len(cells)} cells: {in_words(count(cells))}</summary>"
        f'<table class="tn-claims"><thead>{_HEADS}</thead><tbody>{rows}</tbody></table></details></td></tr>'
    )


def _tally(judgements: Sequence[Judgement]) -> str:
    """How many claims of which group got which verdict, and how many judge a cell that is counted elsewhere."""
    rows = "".join(
        f'<tr><th scope="row">{group}</th><td data-label="Claims" class="tn-number">{sum(numbers.values())}</td>'
        f'<td data-label="Verdicts">{in_words(numbers)}</td></tr>'
        for group, numbers in tally(judgements).items()
    )
    cells = sum(found.claim.under is not None for found in judgements)
    again, note = len(judgements) - len(counting(judgements)) - cells, ""
    if cells:
        note = f'<p class="tn-counts">{cells} cells are evidence under these claims, and are not counted.</p>'
    if again:
        note += f'<p class="tn-counts">{again} more judge a printed number once again, and are not counted.</p>'
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("What was tried", "Claims", "Verdicts"))
    return (
        '<div class="tn-scroll"><table class="tn-tally"><caption>The claims by what was tried</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{note}</div>"
    )


def _whose(judgement: Judgement) -> str:
    """Marks that say whose question it is, and what was tried where that was not real data."""
    claim, marks = judgement.claim, []
    if claim.ours:
        marks.append("our question")
    if judgement.evidence not in (Evidence.REAL, Evidence.NONE):
        marks.append(judgement.evidence.value)
    return "".join(f' <span class="tn-mark">{mark}</span>' for mark in marks)


def _controls(judgements: Sequence[Judgement]) -> str:
    """What the page's script brings to life; hidden without one."""
    places = "".join(f"<option>{escape(place)}</option>" for place in dict.fromkeys(map(_place, judgements)))
    verdicts = "".join(  # the ids are the places that a strip's chips lead to
        f'<option id="{verdict_class(verdict)}" value="{verdict_class(verdict)}">{verdict}</option>'
        for verdict in Verdict
        if any(judgement.verdict is verdict for judgement in judgements)
    )
    groups = "".join(f"<option>{group}</option>" for group in Group if group in map(group_of, judgements))
    return (
        '<form class="tn-filter" role="search" hidden>'
        '<label>Search <input type="search" name="text" autocomplete="off"></label>'
        f'<label>Verdict <select name="verdict"><option value="">all</option>{verdicts}</select></label>'
        f'<label>Tried <select name="group"><option value="">all</option>{groups}</select></label>'
        f'<label>Place <select name="place"><option value="">all</option>{places}</select></label>'
        f'<output aria-live="polite">{len(judgements)} claims</output></form>'
    )


def _place(judgement: Judgement) -> str:
    """The part of the paper a claim is listed under: its grid, else the first place that it names."""
    claim = judgement.claim
    if claim.cell is not None:
        return claim.cell.title
    return claim.where.partition(",")[0].partition(";")[0].partition(" and ")[0].strip()


def _row(judgement: Judgement, numbers: dict[str, int]) -> str:
    claim, place = judgement.claim, anchor(judgement.claim.id)
    why = f"<p>{_marked(judgement.why)}</p>"
    if judgement.fault:
        why += f'<p class="tn-doubt">Fault: {escape(judgement.fault)}.</p>'
    elif not judgement.as_expected:
        why += f'<p class="tn-doubt">The ledger expects: {claim.expect}.</p>'
    if judgement.deviations:
        links = ", ".join(f'<a href="#deviation-{numbers[text]}">{numbers[text]}</a>' for text in judgement.deviations)
        why += f'<p class="tn-deviations">Deviations: {links}</p>'
    if claim.same_cell_as:
        other = f'<a href="#{anchor(claim.same_cell_as)}">{escape(claim.same_cell_as)}</a>'
        why += f'<p class="tn-deviations">The printed number counts with {other}.</p>'
    return (
        f'<tr id="{place}" data-verdict="{verdict_class(judgement.verdict)}" data-place="{escape(_place(judgement))}" '
        f'data-group="{group_of(judgement)}">'
        f'<th scope="row">{_marked(claim.text)}{_whose(judgement)} '
        f'<a class="tn-claim-id" href="#{place}">{escape(claim.id)}</a></th>'
        f'<td data-label="Where">{escape(claim.where)}</td>'
        f'<td data-label="Paper" class="tn-number">{escape(value_text(judgement, "paper"))}</td>'
        f'<td data-label="Ours" class="tn-number"><div>{_ours(judgement)}</div></td>'
        f'<td data-label="Verdict">{chip(judgement.verdict)}</td>'
        f'<td data-label="Why"><div>{why}</div></td></tr>'
    )


def _marked(text: str) -> str:
    """Text of a ledger or a record as HTML: `code` and *emphasis* as Markdown has them, nothing else."""
    return _EMPHASIS.sub(r"<em>\1</em>", _CODE.sub(r"<code>\1</code>", escape(text)))


def _ours(judgement: Judgement) -> str:
    """Our number as it is to be read, with its interval where it has one and is what is read."""
    text = escape(judgement.reading or value_text(judgement, "ours"))
    of_another = judgement.claim.reads is not None and "{ours}" not in judgement.claim.reads
    if judgement.interval is None or judgement.interval[0] == judgement.interval[1] or of_another:
        return text
    return f"{text} <span class='tn-interval'>{value_text(judgement, 'interval')}</span>"


def _grids(judgements: Sequence[Judgement]) -> str:
    """The paper's tables in its own layout, each folded under its counts."""
    in_grids = [judgement for judgement in judgements if judgement.claim.cell is not None]
    parts = []
    for (_, title), cells in groupby(in_grids, key=_grid_of):
        found = list(cells)
        numbers = [cell for cell in found if cell.claim.same_cell_as is None]
        on = "" if len(numbers) == len(found) else f" on {len(numbers)} printed numbers that count"
        what = "cells" if all(cell.claim.under for cell in found) else "claims"
        summary = f"{escape(title)}: {len(found)} {what}{on} ({in_words(count(numbers))})"
        parts.append(f'<details class="tn-grid"><summary>{summary}</summary>{_matrix(found, title)}</details>')
    if not parts:
        return ""
    summary = f"The paper's tables, cell by cell ({len(parts)})"
    return f'<details class="tn-grids"><summary>{summary}</summary>{legend()}{"".join(parts)}</details>'


def _grid_of(judgement: Judgement) -> tuple[str, str]:
    """Id and title of the grid a claim is a cell of; two grids may share a title."""
    return (judgement.claim.cell.grid, judgement.claim.cell.title) if judgement.claim.cell else ("", "")


def _matrix(judgements: Sequence[Judgement], title: str, ledger: str = "") -> str:
    """A grid as the paper lays it out: each cell the verdict's letter over `paper | ours`, linked to its claim."""
    cells, rows, columns = {}, {}, {}
    for judgement in judgements:
        cell = judgement.claim.cell
        assert cell is not None  # the caller's grouping
        rows[cell.row], columns[cell.column] = cell.row_label, cell.column_label
        cells[cell.row, cell.column] = judgement
    head = "".join(f'<th scope="col">{escape(label)}</th>' for label in columns.values())
    body = ""
    for row, label in rows.items():
        filled = "".join(_matrix_cell(cells.get((row, column)), ledger) for column in columns)
        body += f'<tr><th scope="row">{escape(label)}</th>{filled}</tr>'
    return (
        f'<div class="tn-scroll"><table class="tn-matrix"><caption>{escape(title)}: verdict, and paper | ours</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _matrix_cell(judgement: Judgement | None, ledger: str) -> str:
    if judgement is None:
        return '<td class="tn-cell-empty"><span class="tn-sr">no claim</span></td>'
    paper, ours = value_text(judgement, "paper"), value_text(judgement, "ours")
    tip = escape(f"{judgement.claim.text}: {judgement.verdict}; paper {paper}, ours {ours}")
    return (
        f'<td class="tn-cell {verdict_class(judgement.verdict)}">'
        f'<a href="{escape(ledger)}#{anchor(judgement.claim.id)}" title="{tip}">'
        f'<span class="tn-letter" aria-hidden="true">{LETTER_OF[judgement.verdict]}</span>'
        f'<span class="tn-sr">{judgement.verdict}: </span>'
        f'<span class="tn-cell-values">{escape(paper)} | {escape(ours)}</span></a></td>'
    )
