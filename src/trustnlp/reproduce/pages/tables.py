"""Runs, data sets and single values as HTML: pure functions from values to text.

The HTML needs no script and no other host; its classes begin with `tn-`. Styles are in book/_assets/custom.css.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from rich.filesize import decimal

from trustnlp.data.origins import facts, source
from trustnlp.data.registry import Dataset
from trustnlp.reproduce.claims.verdicts import Judgement
from trustnlp.reproduce.data_availability import Availability
from trustnlp.reproduce.pages.html_parts import macros
from trustnlp.reproduce.pages.measured_text import Measured
from trustnlp.reproduce.project import UserError, nearest
from trustnlp.reproduce.records.numerals import number_text
from trustnlp.reproduce.records.units import kind_of
from trustnlp.reproduce.runs.durations import duration_text

NO_VALUE = "–"


def value_text(source: Judgement | Mapping[str, Any], what: str, *, magnitude: bool = False) -> str:
    """One number or word for a sentence of a page; a missing one is a dash.

    Of a judgement: `ours`, `interval`, `full`, `paper`, `verdict`, `why`, `n`, `reading`. Of a record's metric: `mean`,
    `interval`, `full`, `n`, `unit`. Numbers are as `measured_text` says them, without their sign if `magnitude`.

    Raises
    ------
    UserError
        If `what` is none of these.
    """
    if isinstance(source, Judgement):
        texts = _judgement_texts(source, magnitude)
    else:
        texts = _number_texts(measured(source), magnitude, "mean") | {
            "n": str(source["n"]),
            "unit": source["unit"] or "",
        }
    if what not in texts:
        raise UserError(f"no value '{what}'; expected one of {', '.join(texts)}{nearest(what, texts)}")
    return texts[what]


def measured(source: Judgement | Mapping[str, Any]) -> Measured | None:
    """The number of a judgement or of a record's metric; None where nothing was measured."""
    if not isinstance(source, Judgement):
        n = source["n"] if source["interval"] in ("t", "bootstrap") else None
        return Measured(source["mean"], source["unit"], source["low"], source["high"], n=n)
    if source.ours is None:
        return None
    low, high = source.interval or (None, None)
    # An interval with a single value is known otherwise, or of no width.
    n = source.n if source.interval is None or source.n != 1 else None
    return Measured(source.ours, source.unit, low, high, source.claim.rounding, n)


def _judgement_texts(judgement: Judgement, magnitude: bool) -> dict[str, str]:
    claim, number = judgement.claim, measured(judgement)
    printed = claim.quote or NO_VALUE
    if claim.value is not None:
        kind = kind_of(judgement.unit)
        value = abs(claim.value) if magnitude else claim.value
        printed = f"{number_text(value, claim.rounding, factor=kind.factor)}{kind.sign}"
    return {
        **_number_texts(number, magnitude, "ours"),
        "paper": printed,
        "verdict": judgement.verdict.value,
        "why": judgement.why,
        "n": NO_VALUE if judgement.n is None else str(judgement.n),
        "reading": judgement.reading or NO_VALUE,
    }


def _number_texts(number: Measured | None, magnitude: bool, name: str) -> dict[str, str]:
    if number is None:
        return dict.fromkeys((name, "interval", "full"), NO_VALUE)
    number = number.magnitude() if magnitude else number
    return {name: number.mean(), "interval": number.interval(), "full": number.full()}


def run_banner_html(record: Mapping[str, Any] | None, label: str, doubts: Sequence[str] = ()) -> str:
    """Facts of a run: profile, hardware, duration, commit, time, deviations. None: the run has not been made yet.

    `doubts` say why the record is no evidence for today's code, until it is run or verified again.
    """
    run_facts = _facts(record) if record else {}
    return str(_html().run_banner(record, label, run_facts, doubts))


def _facts(record: Mapping[str, Any]) -> dict[str, str]:
    purpose = {"smoke": "smoke (shows that the code runs; judges nothing)", "paper": "paper (the evidence)"}
    hardware = record["hardware"]
    memory = number_text(round(hardware["memory_gb"], 1))
    facts = {
        "Profile": purpose[record["profile"]],
        "Machine": f"{hardware['cpu']}, {_many(hardware['cores'], 'core')}, {memory} GB, {hardware['gpu'] or 'no GPU'}",
        "Computed": _computed(record),
        "Took": f"{duration_text(record['seconds'])}, {record['peak_memory_mb']:.0f} MB at most",
        "Commit": _html().commit(record),
        "When": _html().time(record["started"]),
    }
    if record["metrics"]:  # a lesson measures nothing
        facts["Seeds"] = ", ".join(map(str, record["seeds"]))
        facts["Deviations"] = str(len(record["deviations"]))
    return facts | ({"Verified": _html().verified(record["verified"])} if record["verified"] else {})


def _computed(record: Mapping[str, Any]) -> str:
    """Device, precision, instructions and threads of a run, as far as they are known."""
    parts = [record["device"], record["precision"], record["instructions"], _many(record["threads"], "thread")]
    return ", ".join(part for part in parts if part)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _time_text(started: str) -> str:
    try:
        return datetime.fromisoformat(started).strftime("%Y-%m-%d %H:%M %Z").strip()
    except ValueError:
        return started


def record_log_html(records: Iterable[Mapping[str, Any]], base: str = "") -> str:
    """Which committed records were made when, on what, in how long; and the last verification of each."""
    return str(_html().record_log(list(records), base))


def data_card_html(dataset: Dataset) -> str:
    """A data set: its title, the terms on which it comes, and the hashes of its files."""
    terms = {
        **facts(dataset.name),
        "Licence": dataset.licence,
        "Terms": dataset.terms,
        "Redistribution": dataset.redistribution,
        "Citation": dataset.citation,
        "Read by": dataset.reader,
    }
    return str(_html().data_card(dataset, terms, [(file, source(dataset.name, file)) for file in dataset.files]))


def paper_data_html(rows: Sequence[Availability], base: str) -> str:
    """Where the data of notebooks' `paper` profiles come from; `base` leads from the page to the top of the book."""
    asked = sum(row.origin == "publisher" for row in rows)
    return str(_html().paper_data(rows, asked, base))


def size_text(size: int) -> str:
    """A file size in decimal units: `812 B`, `16.8 MB`."""
    return decimal(size).replace("bytes", "B").replace("byte", "B")


@cache
def _html() -> Any:
    return macros("tables.j2", duration_text, size_text, _computed, _many, _time_text)
