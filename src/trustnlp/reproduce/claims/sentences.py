"""One verdict per sentence or table of the paper: its cells are evidence under it, and are not counted themselves.

A claim of kind `cells` names the claims that it is judged by; a grid that is one table of the paper carries its own
sentence. The rule: *tried* are the cells that are reproduced, close, direction only, not reproduced or undetermined.
Those that a cap keeps from *not reproduced* stay open: they count in the number that "most" and "all" are taken of.
With `holds_in: all` a sentence is

- reproduced, if all tried cells are; close, if they are with close ones counted in
- direction only, if they are with those counted in that keep the direction
- not reproduced, if at least one tried cell is

and with `holds_in: most`

- reproduced, if more than half of the tried cells are; close, if they are with close ones counted in
- direction only, if more than half are with those counted in that keep the direction
- not reproduced, if at least half of the tried cells are

else undetermined. Where no cell was tried, it is not measured if one of them is; inconsistent, or other than the
released files, if all of them are; else not testable here.
"""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from trustnlp.reproduce.claims.claim_types import Claim, Evidence, Verdict
from trustnlp.reproduce.claims.judgements import Judgement
from trustnlp.reproduce.project import UserError, nearest
from trustnlp.reproduce.schemas import SchemaError

GOOD = (Verdict.REPRODUCED, Verdict.CLOSE)
TRIED = (*GOOD, Verdict.DIRECTION, Verdict.NOT_REPRODUCED, Verdict.UNDETERMINED)


def sentence_of(grid: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a grid's own sentence, like those of `claims`: its id is the grid's, its cells are the grid's."""
    shared = {name: grid[name] for name in ("ours", "evidence") if name in grid}
    return {**shared, **grid["sentence"], "id": grid["id"], "kind": "cells", "cells": [grid["id"]]}


def under_sentences(claims: Sequence[Claim], where: str) -> list[Claim]:
    """The claims with every sentence's `cells` as ids of claims, and every cell `under` its sentence.

    Raises
    ------
    SchemaError
        If given a name that no claim and no grid has, a cell under two sentences, a sentence as a cell, an id that a
        grid and a claim share, a question of ours under a sentence of the paper or the other way round.
    """
    grids: dict[str, list[str]] = {}
    for claim in claims:
        if claim.cell is not None:
            grids.setdefault(claim.cell.grid, []).append(claim.id)
    known = {claim.id: claim for claim in claims}
    under: dict[str, str] = {}
    cells: dict[str, tuple[str, ...]] = {}
    for claim in claims:
        if claim.kind != "cells":
            continue
        place = f"{where}: {claim.id}: cells"
        names = [name for entry in claim.cells for name in _named(entry, known, grids, place)]
        for name in names:
            _check(claim, known[name], under.get(name), place)
            under[name] = claim.id
        cells[claim.id] = tuple(names)
    return [
        replace(claim, cells=cells[claim.id]) if claim.id in cells else replace(claim, under=under.get(claim.id))
        for claim in claims
    ]


def _named(told: str, known: Mapping[str, Claim], grids: Mapping[str, Sequence[str]], place: str) -> list[str]:
    """The claims that one entry of `cells` names: a grid's cells, one claim, or those that a pattern fits."""
    if told in grids:
        if told in known and known[told].cells != (told,):
            raise SchemaError(f"{place}: '{told}' is a grid's id and a claim's; give one of them another")
        return list(grids[told])
    if "*" in told:
        fitting = [name for name, claim in known.items() if claim.kind != "cells" and fnmatch.fnmatchcase(name, told)]
        if not fitting:
            raise SchemaError(f"{place}: no claim fits '{told}'")
        return fitting
    if told not in known:
        raise SchemaError(f"{place}: this ledger has no claim and no grid '{told}'{nearest(told, [*known, *grids])}")
    return [told]


def _check(sentence: Claim, cell: Claim, before: str | None, place: str) -> None:
    """Whether a claim can be evidence under a sentence."""
    if cell.kind == "cells":
        raise SchemaError(f"{place}: '{cell.id}' is a sentence itself; name its cells")
    if before is not None:
        other = "twice" if before == sentence.id else f"under '{before}', too"
        raise SchemaError(f"{place}: '{cell.id}' stands {other}; a cell counts for one sentence, once")
    if cell.ours != sentence.ours:
        whose = ("ours", "the paper's") if cell.ours else ("the paper's", "ours")
        raise SchemaError(
            f"{place}: '{cell.id}' is a question of {whose[0]}, the sentence is {whose[1]}; mark both 'ours: true', or "
            "take the cell out"
        )


def judge_sentence(claim: Claim, cells: Sequence[Judgement]) -> Judgement:
    """The verdict on a sentence by those on its cells; a copy of a printed number does not count beside the number.

    Raises
    ------
    UserError
        If its `reads` asks for a metric: a sentence has no record.
    """
    ids = {cell.claim.id for cell in cells}
    counting = [cell for cell in cells if cell.claim.same_cell_as not in ids]
    tried = [cell for cell in counting if cell.verdict in TRIED]
    counts = Counter(cell.verdict for cell in counting)
    # A cap takes a disagreement's verdict, and not its place: else those that agree would decide alone.
    held_back = sum(cell.held_back and cell.verdict not in TRIED for cell in counting)
    if not tried:
        verdict = _untried(counts)
        shared = {cell.why for cell in counting if cell.verdict is verdict}
        why = f"{_in_words(counts, len(counting), 0)}{': ' + shared.pop() if len(shared) == 1 else ''}"
        return Judgement(claim, verdict, why, evidence=_evidence(counting))
    good, kept = sum(counts[verdict] for verdict in GOOD), counts[Verdict.DIRECTION]
    verdict = _held(len(tried) + held_back, counts, every=claim.holds_in == "all")
    why = f"{_in_words(counts, len(counting), len(tried))}; the sentence asks for {claim.holds_in} of them"
    if held_back:
        why += f", with {held_back} open that would disagree without their cap"
    return Judgement(
        claim, verdict, why, good / len(tried), n=len(tried), profile="paper", unit="share of cells",
        reading=_reading(claim, good, kept, len(tried)), evidence=claim.evidence or _evidence(tried),
    )  # fmt: skip


def _held(tried: int, counts: Mapping[Verdict, int], *, every: bool) -> Verdict:
    """The best verdict that most cells, or all of them, have or surpass; else whether they contradict it."""
    ladder = (*GOOD, Verdict.DIRECTION)
    for verdict, number in zip(ladder, accumulate(counts[each] for each in ladder), strict=True):
        if number == tried if every else 2 * number > tried:
            return verdict
    failed = counts[Verdict.NOT_REPRODUCED]
    return Verdict.NOT_REPRODUCED if failed and (every or 2 * failed >= tried) else Verdict.UNDETERMINED


def _untried(counts: Counter[Verdict]) -> Verdict:
    if counts[Verdict.NOT_MEASURED]:
        return Verdict.NOT_MEASURED
    shared = set(counts)
    return shared.pop() if len(shared) == 1 else Verdict.UNTESTABLE


def _in_words(counts: Counter[Verdict], total: int, tried: int) -> str:
    """`14 of 16 cells tried (88 %): 12 reproduced, 1 close, 1 not reproduced; not tried: 2 not testable here`."""
    done, left = (
        ", ".join(
            f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict] and (verdict in TRIED) is yes
        )
        for yes in (True, False)
    )
    if not tried:
        return f"none of {total} cells tried: {left}"
    share = 100 * tried / total
    text = f"{tried} of {total} cells tried ({share:.0f} %): {done}"
    return f"{text}; not tried: {left}" if left else text


def _reading(claim: Claim, good: int, kept: int, tried: int) -> str:
    """In how many cells it holds, or the ledger's template with that as `{ours}`."""
    number = f"{good} of {tried} cells" + (f", {kept} more in direction" if kept else "")
    template = claim.reads or "{ours}"
    if other := re.search(r"\{(?!ours\})[^{}]*\}", template):
        raise UserError(f"{claim.chapter}: headline {claim.id}: '{other[0]}': a sentence has no record; write {{ours}}")
    return template.replace("{ours}", number)


def _evidence(cells: Sequence[Judgement]) -> Evidence:
    """The evidence of most of the cells; of two alike the one that pages show later."""
    numbers = Counter(cell.evidence for cell in cells)
    return max(Evidence, key=lambda kind: (numbers[kind], list(Evidence).index(kind)))
