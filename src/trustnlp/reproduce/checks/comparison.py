"""A run beside the paper and the committed record, for whoever executes a notebook.

In an executed notebook (Colab, Jupyter, papermill) the numbers of this run stand in a column of their own, metric by
metric: below each section that is named after the paper's tables or figures, and all of them below the last cell. They
agree with the record by the rule of `trustnlp verify`, differ, or cannot be compared; they give no verdict. No page of
the book shows these tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.checks.agreement import differences
from trustnlp.reproduce.claims.ledgers import Claim, load_claims
from trustnlp.reproduce.notebooks.output_sources import EXECUTED, LESSON, LESSONS, RUN
from trustnlp.reproduce.notebooks.paper_places import headings, named_places
from trustnlp.reproduce.project import UserError, chapter_dir
from trustnlp.reproduce.records.numerals import number_text
from trustnlp.reproduce.records.record_files import load_record
from trustnlp.reproduce.runs.injected_parameters import running_shell
from trustnlp.reproduce.runs.params import NotebookParams, committed, load_params, question

AGREES, DIFFERS, NOT_COMPARABLE = "agrees", "differs", "not comparable"
_NONE = "–"


@dataclass(frozen=True)
class Row:
    """One metric: what the paper prints, the record and this run have, and whether the last two agree."""

    key: str
    paper: str
    record: str
    run: str
    answer: str
    places: frozenset[str]


@dataclass(frozen=True)
class Comparison:
    """The metrics of a run, in the order of the run; `why_not` says why none of them can be compared."""

    rows: tuple[Row, ...]
    record: str | None
    why_not: str | None

    def summary(self) -> str:
        """How many metrics agree, such as "41 of 43 agree"."""
        if self.record is None:
            return "There is no committed record to compare this run with"
        if self.why_not is not None:
            return f"This run cannot be compared with {self.record}: {self.why_not}"
        held = [row for row in self.rows if row.answer in (AGREES, DIFFERS)]
        agree = sum(row.answer == AGREES for row in held)
        return f"This run beside {self.record}: {agree} of {len(held)} agree"

    def at(self, asked: frozenset[str]) -> Comparison:
        """The part that belongs to these tables and figures of the paper."""
        return Comparison(tuple(row for row in self.rows if row.places & asked), self.record, self.why_not)

    def html(self, caption: str) -> str:
        """The table, unfolded; it needs no style sheet."""
        from trustnlp.reproduce.pages.html_parts import macros

        return str(macros("tables.j2").comparison(self.rows, caption, self.summary()))


def compare_run(record: Any, given: Mapping[str, Any]) -> Comparison | None:
    """A run's measurements so far beside the committed record; None outside the book.

    Parameters
    ----------
    record
        The `Record` of the running notebook.
    given
        The notebook's parameters, by name.
    """
    try:
        entry = load_params(record.chapter).notebook(record.notebook)
    except UserError:
        return None
    path = committed(record.chapter, record.notebook)
    old = _loaded(path, path.stat().st_mtime_ns) if path.is_file() else None
    new = {**record.to_json(), "parameters": dict(given)}
    why_not, left_out = _not_comparable(old, new, entry) if old else (None, ())
    claims = claims_by_key(record.chapter, record.notebook)
    compared = differences(old, new, left_out) if old and why_not is None else {}
    answers = {key: DIFFERS if faults else AGREES for key, faults in compared.items()}
    rows = []
    for key, metric in new["metrics"].items():
        known, claim = (old or {"metrics": {}})["metrics"].get(key), claims.get(key)
        answer = NOT_COMPARABLE if why_not else answers.get(key, _NONE)
        where = named_places(f"{claim.where}, {claim.cell.title if claim.cell else ''}") if claim else frozenset()
        rows.append(Row(key, _printed(claim), _text(known), _text(metric), answer, where))
    return Comparison(tuple(rows), f"results/{path.name}" if old else None, why_not)


def _not_comparable(
    old: Mapping[str, Any], new: Mapping[str, Any], entry: NotebookParams
) -> tuple[str | None, tuple[str, ...]]:
    """Why a run is none of the record's question, or None; and which metrics its form of the question alters."""
    if new["data"] != old["data"]:
        lacking = ", ".join(name for name in old["data"] if name not in new["data"]) or "the record's files"
        return f"other or made-up data, not {lacking}", ()
    asked, before = question(new["parameters"]), question(old["parameters"])
    if entry.verify is not None and asked == question(entry.resolve("paper", entry.verify)):
        return None, tuple(entry.verify_except)
    other = [name for name in before if asked.get(name, before[name]) != before[name]]
    return (f"other parameters ({', '.join(other)})" if other else None), ()


@lru_cache(maxsize=2)
def _loaded(path: Path, _changed: int) -> dict[str, Any]:
    return load_record(path)


@lru_cache(maxsize=2)
def claims_by_key(chapter: str, notebook: str) -> dict[str, Claim]:
    """The first claim on each metric of a notebook's record, by the metric's key."""
    by_key: dict[str, Claim] = {}
    for claim in load_claims(chapter).claims:
        if claim.record == f"{notebook}.paper" and claim.key:
            by_key.setdefault(claim.key, claim)
    return by_key


def _printed(claim: Claim | None) -> str:
    if claim is None:
        return _NONE
    return (claim.quote or _NONE) if claim.value is None else number_text(claim.value, claim.rounding)


def _text(metric: Mapping[str, Any] | None) -> str:
    """A mean with its interval, where it depends on chance, and its unit."""
    if metric is None:
        return _NONE
    text = number_text(metric["mean"])
    if metric["low"] is not None and metric["low"] < metric["high"]:
        text += f" ({number_text(metric['low'])} to {number_text(metric['high'])})"
    return f"{text} {metric['unit']}" if metric["unit"] else text


def given_parameters(chapter: str, notebook: str) -> dict[str, Any]:
    """The parameters of the running notebook at this moment, whoever set them; empty outside one."""
    running = running_shell()
    try:
        names = load_params(chapter).notebook(notebook).parameters if running is not None else ()
    except UserError:
        return {}
    return {name: running.user_ns[name] for name in names if name in running.user_ns}


def show_comparison(record: Any, held_by: str) -> None:
    """Display all of a run's numbers beside the record's, in a notebook; `held_by` names the file with this run's."""
    if running_shell() is not None and (compared := record.comparison()) is not None:
        _display(record, compared.html(f"{record.notebook}, all metrics; those of this run are in {held_by}"), compared)


def follow_sections(record: Any) -> None:
    """In a notebook: from now on, compare below each section that is named after the paper's tables or figures."""
    running = running_shell()
    if running is None:
        return
    try:
        ends = _section_ends(chapter_dir(record.chapter) / f"{record.notebook}.ipynb")
    except (UserError, OSError):  # a notebook outside the book
        return

    def after(result: Any) -> None:
        heading = ends.get((result.info.raw_cell or "").strip())
        if heading is not None and result.success and (compared := record.comparison(heading)) and compared.rows:
            _display(record, compared.html(", ".join(sorted(named_places(heading)))), compared)

    # One follower at a time: a cell that makes the record is run again by whoever tries things out.
    if (last := getattr(running, "_trustnlp_follower", None)) is not None:
        running.events.unregister("post_run_cell", last)
    running._trustnlp_follower = after
    running.events.register("post_run_cell", after)


def _section_ends(twin: Path) -> dict[str, str]:
    """Source of the last code cell of each section that names the paper's tables → the section's heading."""
    last_of: dict[tuple[int, str], str] = {}
    section = 0, ""
    for number, cell in enumerate(json.loads(read_text(twin))["cells"]):
        source = "".join(cell["source"]).strip()
        if cell["cell_type"] == "markdown":
            section = next(((number, title) for _, title in reversed(list(headings(source)))), section)
        elif source and ".save()" not in source and named_places(section[1]):
            last_of[section] = source
    return {source: heading for (_, heading), source in last_of.items()}


def _display(record: Any, html: str, compared: Comparison) -> None:
    from IPython.display import display

    source = LESSON if record.notebook in LESSONS else RUN
    said = {"trustnlp": {"source": source, "only": EXECUTED}}
    display({"text/html": html, "text/plain": compared.summary()}, raw=True, metadata=said)
