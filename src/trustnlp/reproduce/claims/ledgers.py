"""The claims ledger: sentences and table cells of a paper, made checkable.

`claims.yaml` lists claims one by one and, for whole tables, as grids with one claim per cell. `load_claims` checks
the file against its schema, expands the grids, puts cells under the sentences that they are evidence for, and returns
one flat list of claims.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from trustnlp.reproduce.claims.claim_types import LETTERS, Cap, Claim, Evidence, GridCell, Ledger, Paper, Plan, Verdict
from trustnlp.reproduce.claims.grids import expanded
from trustnlp.reproduce.claims.ledger_tables import filled
from trustnlp.reproduce.claims.printed_orders import read_order
from trustnlp.reproduce.claims.sentences import sentence_of, under_sentences
from trustnlp.reproduce.claims.shared_quantities import Shared
from trustnlp.reproduce.project import chapter_dir, nearest, shown
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.reproduce.schemas import SchemaError, load_yaml, validate

__all__ = [
    "LETTERS", "Cap", "Claim", "Evidence", "GridCell", "Ledger", "Paper", "Verdict",
    "load_claims", "parse_claims", "printed_values",
]  # fmt: skip


def load_claims(chapter: str) -> Ledger:
    """Read the ledger of a chapter.

    Raises
    ------
    UserError
        If given an unknown chapter (nearest suggested); or, as `SchemaError`, a ledger that does not follow its schema,
        an id that stands twice, a grid with ragged rows, a cell without an expectation, an unknown placeholder, a cell
        under no sentence of this ledger or under two, or a claim that wants to be judged by a smoke run.
    """
    path = chapter_dir(chapter) / "claims.yaml"
    return _ledger(load_yaml(path, "claims"), chapter, path)


def printed_values(chapter: str, notebook: str, *, tables: bool = False) -> Metrics:
    """The paper's numbers by the metric they are held against, as `Metrics` whose one part is `value`.

    Parameters
    ----------
    notebook
        Only claims that this notebook measures.
    tables
        Only cells of tables (the ledger's grids).

    Raises
    ------
    UserError
        If `load_claims` would raise it.
    """
    return Metrics(
        {
            claim.key: {"value": claim.value}
            for claim in load_claims(chapter).claims
            if claim.record == f"{notebook}.paper" and claim.key and claim.value is not None
            if claim.cell or not tables
        }
    )


def parse_claims(document: Any, chapter: str, source: Path | str) -> Ledger:
    """Turn a ledger's content into claims; `source` names the file in errors, which are those of `load_claims`."""
    validate(document, "claims", source)
    return _ledger(document, chapter, source)


def _ledger(document: Any, chapter: str, source: Path | str) -> Ledger:
    """The claims of a checked ledger."""
    where = shown(source) if isinstance(source, Path) else source
    document = filled(document, where)
    paper = Paper(**document["paper"]) if "paper" in document else None
    caps = {name: _cap(name, entry) for name, entry in document.get("caps", {}).items()}
    claims: list[Claim] = []
    orders: dict[str, Any] = {}
    for index, entry in enumerate(document.get("claims", ())):
        orders[entry["id"]] = entry.get("order")
        claims.append(_claim(entry, chapter, paper, caps, f"{where}: claims[{index}] (id {entry['id']})"))
    for index, grid in enumerate(document.get("grids", ())):
        place = f"{where}: grids[{index}] (id {grid['id']})"
        if "sentence" in grid:
            claims.append(_claim(sentence_of(grid), chapter, paper, caps, place))
        for entry, cell in expanded(grid, place):
            orders[entry["id"]] = entry.get("order")
            claims.append(_claim(entry, chapter, paper, caps, f"{place} cell {cell.column}, row {cell.row}", cell))
    [(name, number)] = Counter(claim.id for claim in claims).most_common(1) or [("", 0)]
    if number > 1:
        raise SchemaError(f"{where}: id '{name}' stands twice; ids are anchors and must be unique")
    _check_cells(claims, where)
    known = {claim.id: (claim.value, claim.rounding) for claim in claims if claim.value is not None}
    tables = document.get("printed", {})

    def ordered(claim: Claim) -> Claim:
        place = f"{where}: {claim.id}"
        return replace(claim, order=tuple(read_order(order, tables, known, place) for order in orders[claim.id]))

    claims = under_sentences([ordered(claim) if orders.get(claim.id) else claim for claim in claims], where)
    every = _with_headlines(claims, document.get("headlines", ()), where)
    return Ledger(paper, every, document.get("data"), tuple(Shared(**entry) for entry in document.get("shared", ())))


def _check_cells(claims: Sequence[Claim], where: str) -> None:
    """Every claim on a printed cell that another claim counts for names a claim that counts, on the same number."""
    known = {claim.id: claim for claim in claims}
    for claim in claims:
        if claim.same_cell_as is None:
            continue
        place = f"{where}: {claim.id}: same_cell_as '{claim.same_cell_as}'"
        counting = known.get(claim.same_cell_as)
        if counting is None:
            raise SchemaError(f"{place}: no such claim{nearest(claim.same_cell_as, known)}")
        if counting.same_cell_as is not None:
            raise SchemaError(f"{place}: it does not count itself; name '{counting.same_cell_as}', which does")
        if claim.value is not None and counting.value is not None and claim.value != counting.value:
            raise SchemaError(f"{place}: the printed numbers are {claim.value:g} and {counting.value:g}, not one cell")


def _with_headlines(claims: list[Claim], headlines: Sequence[Mapping[str, Any]], where: str) -> tuple[Claim, ...]:
    """The claims, those that readers take home marked as such."""
    known = {claim.id: claim for claim in claims}
    for place, entry in enumerate(headlines):
        claim = known.get(entry["claim"])
        if claim is None:
            raise SchemaError(f"{where}: headlines: no claim '{entry['claim']}'{nearest(entry['claim'], known)}")
        if claim.headline is not None:
            raise SchemaError(f"{where}: headlines: a claim stands twice")
        known[claim.id] = replace(claim, headline=place, says=entry.get("says"), reads=entry.get("reads"))
    return tuple(known.values())


def _cap(name: str, entry: Mapping[str, Any]) -> Cap:
    unless = {condition: tuple(values) for condition, values in entry["unless"].items()}
    ends = {end: Verdict(entry[end]) for end in ("at_best", "at_worst") if end in entry}
    return Cap(name, unless, entry["why"], **ends)


_AS_TYPED = ("id", "where", "text", "kind", "not_measured", "lacking", "ours", "same_cell_as", "reason", "holds_in")


def _claim(
    entry: Mapping[str, Any],
    chapter: str,
    paper: Paper | None,
    known: Mapping[str, Cap],
    place: str,
    cell: GridCell | None = None,
) -> Claim:
    """One entry of the list `claims`, or one expanded cell of a grid."""
    printed, measure = entry.get("paper", {}), entry.get("measure", {})
    tolerance, reference = entry.get("tolerance", {}), entry.get("direction", {}).get("reference")
    record = measure.get("record")
    if record and record.endswith(".smoke"):
        raise SchemaError(
            f"{place}: record '{record}': a smoke run says nothing about the paper; expected '{record[:-6]}.paper'"
        )
    named = entry.get("caps", ())
    for name in named:
        if name not in known:
            raise SchemaError(
                f"{place}: unknown cap '{name}'{nearest(name, known)} (caps: {', '.join(known) or 'none'})"
            )
    caps = tuple(known[name] for name in named)
    if entry["kind"] == "value" and reference is None and any(cap.at_best is Verdict.DIRECTION for cap in caps):
        raise SchemaError(f"{place}: 'at_best: direction only' needs 'direction: {{reference: ...}}' to be tested by")
    rounding = float(printed.get("rounding", 0.0))
    return Claim(
        chapter=chapter,
        paper=paper,
        **{name: entry[name] for name in _AS_TYPED if name in entry},
        expect=Verdict(entry.get("expect", Verdict.UNTESTABLE)),
        value=printed.get("value"),
        rounding=rounding,
        quote=printed.get("text"),
        record=record,
        key=measure.get("key"),
        absolute=measure.get("absolute", False),
        exists_where=measure.get("exists_where"),
        tolerance=tolerance.get("absolute", rounding),
        tolerance_why=tolerance.get("why"),
        reference=reference,
        caps=caps,
        evidence=Evidence(entry["evidence"]) if "evidence" in entry else None,
        cell=cell,
        cells=tuple(entry.get("cells", ())),
        plan=Plan(**entry["plan"]) if "plan" in entry else None,
    )
