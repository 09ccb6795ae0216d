"""The verdicts of a chapter: each claim held against the record that it names, by `rules`; sentences by their cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from trustnlp.reproduce.claims.claim_types import Cap, Claim, Verdict
from trustnlp.reproduce.claims.evidence import evidence_of
from trustnlp.reproduce.claims.judgements import Judgement
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.claims.rules import RULES, capped, judge_print
from trustnlp.reproduce.claims.sentences import judge_sentence
from trustnlp.reproduce.pages.measured_text import Measured
from trustnlp.reproduce.project import UserError, chapter_dir, chapters, nearest, shown
from trustnlp.reproduce.records.derived_metrics import committed_record
from trustnlp.reproduce.records.measurement import covers
from trustnlp.reproduce.records.numerals import number_text

__all__ = ["MIN_VALUES", "Judgement", "judge", "judge_all", "judge_chapter", "unexpected"]

MIN_VALUES = 5


def judge(claim: Claim, record: Mapping[str, Any] | None) -> Judgement:
    """Judge one claim by the record it names (None where there is none yet)."""
    if claim.kind == "untestable":
        return Judgement(claim, Verdict.UNTESTABLE, claim.reason or "")
    if claim.kind == "inconsistent" and claim.record is None:
        return judge_print(claim)
    key = claim.key or ""
    if record is None:
        return _unmeasured(claim, f"there is no record {claim.record} yet")
    if record["profile"] != "paper":
        return _unmeasured(claim, "a smoke run says nothing about the paper", record["profile"])
    if key not in record["metrics"]:
        if few := _too_few(claim, record["metrics"]):
            return Judgement(claim, Verdict.UNDETERMINED, few, profile=record["profile"])
        hint = "" if claim.lacking or claim.not_measured else _nearest_metric(key, record["metrics"])
        return _unmeasured(claim, f"the record {claim.record} has no metric '{key}'{hint}", record["profile"])
    metric = record["metrics"][key]
    ours, interval = _compared(metric, claim.absolute)
    touching = [d for d in record["deviations"] if any(covers(prefix, key) for prefix in d["keys"] or ("",))]
    lacking = [item["text"] for item in touching if item["lacks"]]
    random = metric["interval"] not in ("deterministic", "given")
    held_back = False
    if lacking:
        verdict, why = Verdict.UNTESTABLE, lacking[0]
    elif interval is None or (random and metric["n"] < MIN_VALUES):
        shown_ours = number_text(ours, claim.rounding, extra_digits=1)
        verdict = Verdict.UNDETERMINED
        why = f"ours {shown_ours} rests on {_runs(metric['n'])}; a verdict needs {MIN_VALUES}"
    else:
        caps = [cap for cap in claim.caps if _applies(cap, record)]
        plain, why = RULES[claim.kind](claim, caps, ours, *interval)
        verdict, why = capped(caps, plain, why)
        held_back = plain is Verdict.NOT_REPRODUCED and verdict is not plain
    deviations = tuple(dict.fromkeys(item["text"] for item in touching))
    low, high = interval or (None, None)
    number = Measured(ours, metric["unit"], low, high, claim.rounding)
    return Judgement(
        claim, verdict, why, ours, interval, metric["n"], record["profile"], deviations,
        reading=_reading(claim, number, record["metrics"]), unit=metric["unit"], evidence=evidence_of(claim, record),
        held_back=held_back,
    )  # fmt: skip


def _reading(claim: Claim, ours: Measured, metrics: Mapping[str, Any]) -> str | None:
    """Our number in words: by the ledger's template, else a margin with its unit, else None.

    Raises
    ------
    UserError
        If the template asks for a metric that the record has not.
    """
    number = ours.mean()
    if claim.reads is None:
        return number if claim.kind == "statement" else None

    def fill(match: re.Match[str]) -> str:
        name = match[1]
        if name == "ours":
            return number
        if name not in metrics:
            where = f"{claim.chapter}: headline {claim.id}"
            raise UserError(f"{where}: '{{{name}}}' is no metric of {claim.record}{_nearest_metric(name, metrics)}")
        metric = metrics[name]
        return Measured(metric["mean"], metric["unit"], metric["low"], metric["high"]).mean()

    # A template may say its unit itself.
    return re.sub(r"( points?) points\b|( %) %", r"\1\2", re.sub(r"\{([^{}]+)\}", fill, claim.reads))


def _too_few(claim: Claim, metrics: Mapping[str, Any]) -> str | None:
    """Why a number that does not exist in every run is undetermined; None if it does in enough of them."""
    values = metrics.get(claim.exists_where or "", {"values": []})["values"]
    there = sum(value != 0 for value in values)
    if not values or there >= MIN_VALUES:
        return None
    where = f"{claim.exists_where} is 0 in the others"
    return f"it exists in {there} of {_runs(len(values))} ({where}); a verdict needs {MIN_VALUES}"


def _unmeasured(claim: Claim, what: str, profile: str | None = None) -> Judgement:
    """Nobody ran it: a verdict by what the ledger says stands in the way, else a fault of the ledger."""
    if claim.lacking:
        return Judgement(claim, Verdict.UNTESTABLE, claim.lacking, profile=profile)
    fault = None
    if not claim.not_measured:
        fault = f"{what}; mend the ledger's 'measure', run it, or say why not in 'not_measured' or 'lacking'"
    return Judgement(claim, Verdict.NOT_MEASURED, claim.not_measured or what, profile=profile, fault=fault)


def _applies(cap: Cap, record: Mapping[str, Any]) -> bool:
    """Whether the run fell short of a condition that lifts the cap.

    Raises
    ------
    UserError
        If the record has no such condition or parameter: a misspelt name would hold the cap for ever.
    """
    known = {**record["parameters"], **record["conditions"]}
    for name in cap.unless:
        if name not in known:
            raise UserError(
                f"cap '{cap.name}' looks at '{name}', which {record['chapter']}/{record['notebook']} does not record"
                f"{nearest(name, known)} (it records {', '.join(known) or 'nothing'})"
            )
        if isinstance(known[name], dict):
            raise UserError(
                f"cap '{cap.name}' looks at '{name}', which is {known[name]!s:.60} in "
                f"{record['chapter']}/{record['notebook']}; a cap compares single values: record a condition that says "
                "whether it was met"
            )
    return any(not _all_among(known[name], values) for name, values in cap.unless.items())


def _all_among(told: Any, values: tuple[Any, ...]) -> bool:
    """Whether a value is one of `values`; of a list each item has to be, since a claim's key may name any."""
    return bool(told) and all(item in values for item in told) if isinstance(told, list) else told in values


def _nearest_metric(key: str, known: Iterable[str]) -> str:
    """Hint at a metric that differs in one name. All keys would take minutes: a typo in a grid is in each cell."""
    names = key.split(".")
    split = ((other, other.split(".")) for other in known)
    one_apart = [
        other
        for other, parts in split
        if len(parts) == len(names) and sum(mine != theirs for mine, theirs in zip(names, parts, strict=True)) == 1
    ]
    return nearest(key, one_apart)


def _runs(n: int) -> str:
    return "one run" if n == 1 else f"{n} runs"


def _compared(metric: Mapping[str, Any], absolute: bool) -> tuple[float, tuple[float, float] | None]:
    """Mean and interval of a metric; of its magnitude for an `absolute` claim."""
    mean, low, high = metric["mean"], metric["low"], metric["high"]
    if not absolute:
        return mean, None if low is None else (low, high)
    if low is None:
        return abs(mean), None
    ends = sorted((abs(low), abs(high)))
    return abs(mean), (0.0 if low <= 0 <= high else ends[0], ends[1])


def judge_chapter(slug: str) -> list[Judgement]:
    """Judge every claim of a chapter by its committed records (`results/NOTEBOOK.paper.json`), in ledger order.

    Raises
    ------
    UserError
        If given an unknown chapter, a malformed ledger or record, or a smoke run among the committed records.
    """
    claims = load_claims(slug).claims
    records = {name: _committed(slug, name) for name in sorted({claim.record for claim in claims if claim.record})}
    single = {claim.id: judge(claim, records.get(claim.record or "")) for claim in claims if claim.kind != "cells"}
    return [single.get(claim.id) or judge_sentence(claim, [single[cell] for cell in claim.cells]) for claim in claims]


def _committed(slug: str, name: str) -> dict[str, Any] | None:
    """A committed record by its name in the ledger; None where it has not been made yet."""
    path = chapter_dir(slug) / "results" / f"{name}.json"
    if not path.exists():
        return None
    record = committed_record(path)
    content = f"{record['profile']} run of {record['chapter']}/{record['notebook']}"
    expected = f"paper run of {slug}/{name.removesuffix('.paper')}"
    if content != expected:
        raise UserError(f"{shown(path)}: holds a {content}; expected the {expected}")
    return record


def judge_all() -> list[Judgement]:
    """Judge every claim of every chapter, chapter by chapter."""
    return [judgement for slug in chapters() for judgement in judge_chapter(slug)]


def unexpected(found: Judgement) -> str:
    """The verdict that the ledger expects beside the one that came out, and why."""
    return f"expected '{found.claim.expect}', got '{found.verdict}': {found.why}"
