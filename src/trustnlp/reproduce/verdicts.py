"""From a claim and a record to one of nine verdicts, with the sentence that says why.

The rules, in order, for a claim about a number (`paper` is the paper's value, `rounding` half a unit of its last
printed digit, `ours` the mean of the record's metric, [low, high] its 95 % interval, (high - low) / 2 its half width):

1. random and fewer than five values → undetermined
2. the interval holds both the paper's value and the reference → undetermined
3. paper in [low - rounding, high + rounding], or |ours - paper| ≤ tolerance; half width ≤ tolerance → reproduced
4. |ours - paper| ≤ 2 · tolerance and half width ≤ 2 · tolerance → close
   (neither of the two where ours and the paper's value lie on opposite sides of the reference)
5. paper and the whole interval on the same side of the reference, and |ours - reference| at least half of
   |paper - reference| → direction only
6. paper in the interval, which was too wide for 3 and 4 → undetermined
7. otherwise → not reproduced

A statement is a margin: whole interval above 0 → reproduced, at or below 0 → not reproduced, else undetermined.
A check of the paper against itself must be above 0 to say "inconsistent in the paper", one against files that were
released with it to say "paper and its released files differ".

Where a record lacks what the paper had, caps of the ledger apply, both ways: `at_best` lowers a verdict, `at_worst`
stands in the place of "not reproduced". A number capped to "direction only" is judged by rules 1, 2, 5, 6 and 7, since
3 and 4 compare what cannot be compared. A cap at "undetermined" says that agreement would mean nothing either. A metric
that the record says it lacks the means for is not testable here.

Only a `paper` record judges. Without record or metric a claim is not measured, or not testable here where we lack what
would measure it. The ledger must know which: if it does not, that is a fault, not a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trustnlp.reproduce.claims import Cap, Claim, Evidence, Verdict, load_claims
from trustnlp.reproduce.evidence import evidence_of
from trustnlp.reproduce.measured_text import Measured
from trustnlp.reproduce.measurement import covers
from trustnlp.reproduce.numerals import interval_text, number_text
from trustnlp.reproduce.project import UserError, chapter_dir, chapters, nearest, shown
from trustnlp.reproduce.records import load_record

MIN_VALUES = 5
# What a cap can be at best, best first: each is lowered to any that comes later.
_LADDER = (Verdict.REPRODUCED, Verdict.CLOSE, Verdict.DIRECTION, Verdict.UNDETERMINED)


@dataclass(frozen=True)
class Judgement:
    """The verdict on one claim, with what it rests on.

    `ours` and `interval` are as compared (magnitudes for an `absolute` claim); None without a measurement. `fault` says
    what is wrong with the ledger where there can be no verdict: a record or a metric that is not there. `reading` is
    our number with its unit and what it means, where the bare number would not tell. `unit` is the metric's; `evidence`
    is what it was measured on.
    """

    claim: Claim
    verdict: Verdict
    why: str
    ours: float | None = None
    interval: tuple[float, float] | None = None
    n: int | None = None
    profile: str | None = None
    deviations: tuple[str, ...] = ()
    fault: str | None = None
    reading: str | None = None
    unit: str | None = None
    evidence: Evidence = Evidence.NONE

    @property
    def chapter(self) -> str:
        """Slug of the chapter the claim belongs to."""
        return self.claim.chapter

    @property
    def as_expected(self) -> bool:
        """Whether the ledger expects this verdict, and is sound."""
        return self.verdict is self.claim.expect and self.fault is None

    def to_json(self) -> dict[str, Any]:
        """The judgement as `trustnlp verdicts --json` prints it."""
        claim = self.claim
        return {
            "chapter": claim.chapter,
            "claim": claim.id,
            "text": claim.text,
            "where": claim.where,
            "paper": claim.quote if claim.value is None else claim.value,
            "ours": self.ours,
            "interval": None if self.interval is None else list(self.interval),
            "n": self.n,
            "question": "ours" if claim.ours else "paper",
            "evidence": self.evidence.value,
            "same_cell_as": claim.same_cell_as,
            "verdict": self.verdict.value,
            "expected": claim.expect.value,
            "profile": self.profile,
            "deviations": list(self.deviations),
            "record": claim.record,
            "why": self.why,
        }


def judge(claim: Claim, record: Mapping[str, Any] | None) -> Judgement:
    """Judge one claim by the record it names (None where there is none yet)."""
    if claim.kind == "untestable":
        return Judgement(claim, Verdict.UNTESTABLE, claim.reason or "")
    if claim.kind == "inconsistent" and claim.record is None:
        return _judge_print(claim)
    key = claim.key or ""
    if record is None:
        return _unmeasured(claim, f"there is no record {claim.record} yet")
    if record["profile"] != "paper":
        return _unmeasured(claim, "a smoke run says nothing about the paper", record["profile"])
    if key not in record["metrics"]:
        hint = _nearest_metric(key, record["metrics"])
        return _unmeasured(claim, f"the record {claim.record} has no metric '{key}'{hint}", record["profile"])
    metric = record["metrics"][key]
    ours, interval = _compared(metric, claim.absolute)
    touching = [item for item in record["deviations"] if _concerns(item["keys"], key)]
    lacking = [item["text"] for item in touching if item["lacks"]]
    random = metric["interval"] not in ("deterministic", "given")
    if lacking:
        verdict, why = Verdict.UNTESTABLE, lacking[0]
    elif interval is None or (random and metric["n"] < MIN_VALUES):
        shown_ours = number_text(ours, claim.rounding, extra_digits=1)
        verdict = Verdict.UNDETERMINED
        why = f"ours {shown_ours} rests on {_runs(metric['n'])}; a verdict needs {MIN_VALUES}"
    else:
        caps = [cap for cap in claim.caps if _applies(cap, record)]
        verdict, why = _RULES[claim.kind](claim, caps, ours, *interval)
        verdict, why = _capped(caps, verdict, why)
    deviations = tuple(dict.fromkeys(item["text"] for item in touching))
    low, high = interval or (None, None)
    number = Measured(ours, metric["unit"], low, high, claim.rounding)
    return Judgement(
        claim, verdict, why, ours, interval, metric["n"], record["profile"], deviations,
        reading=_reading(claim, number, record["metrics"]), unit=metric["unit"], evidence=evidence_of(claim, record),
    )  # fmt: skip


def _reading(claim: Claim, ours: Measured, metrics: Mapping[str, Any]) -> str | None:
    """What our number means: by the ledger's template, else a margin with its unit, else None.

    Raises
    ------
    UserError
        The template asks for a metric that the record has not.
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
        The record has no such condition or parameter: a misspelt name would hold the cap for ever.
    """
    known = {**record["parameters"], **record["conditions"]}
    for name in cap.unless:
        if name not in known:
            raise UserError(
                f"cap '{cap.name}' looks at '{name}', which {record['chapter']}/{record['notebook']} does not record"
                f"{nearest(name, known)} (it records {', '.join(known) or 'nothing'})"
            )
        if isinstance(known[name], list | dict):
            raise UserError(
                f"cap '{cap.name}' looks at '{name}', which is {known[name]!s:.60} in "
                f"{record['chapter']}/{record['notebook']}; a cap compares single values: record a condition that says "
                "whether it was met"
            )
    return any(known[name] not in values for name, values in cap.unless.items())


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


def _concerns(prefixes: list[str], key: str) -> bool:
    return not prefixes or any(covers(prefix, key) for prefix in prefixes)


def _compared(metric: Mapping[str, Any], absolute: bool) -> tuple[float, tuple[float, float] | None]:
    """Mean and interval of a metric; of its magnitude for an `absolute` claim."""
    mean, low, high = metric["mean"], metric["low"], metric["high"]
    if not absolute:
        return mean, None if low is None else (low, high)
    if low is None:
        return abs(mean), None
    ends = sorted((abs(low), abs(high)))
    return abs(mean), (0.0 if low <= 0 <= high else ends[0], ends[1])


def _judge_value(claim: Claim, caps: Sequence[Cap], ours: float, low: float, high: float) -> tuple[Verdict, str]:
    assert claim.value is not None  # the schema requires it of this kind
    paper = abs(claim.value) if claim.absolute else claim.value
    # Decimal fractions such as 1.545 - 1.54 are not exact in binary: a hair decides nothing.
    hair = 1e-9 * max(1.0, abs(paper))
    gap, half_width, line = abs(ours - paper), (high - low) / 2, claim.reference
    sides = _sides(claim, ours, low, high)
    apart = f"{number_text(gap, claim.rounding, extra_digits=1)} apart"
    holds_paper = low - claim.rounding - hair <= paper <= high + claim.rounding + hair
    if line is not None and low < high and low <= paper <= high and low <= line <= high and abs(paper - line) > hair:
        return Verdict.UNDETERMINED, f"{sides}: the interval holds both the paper's value and {number_text(line)}"
    opposite = line is not None and (ours - line) * (paper - line) < 0
    if not opposite and not any(cap.at_best is Verdict.DIRECTION for cap in caps):
        limit = number_text(claim.tolerance)
        if holds_paper and half_width <= claim.tolerance + hair:
            within = "the paper's rounding" if low == high else "our interval, widened by the paper's rounding"
            return Verdict.REPRODUCED, f"{sides}: within {within}"
        if max(gap, half_width) <= claim.tolerance + hair:
            reason = f" ({claim.tolerance_why})" if claim.tolerance_why else ""
            return Verdict.REPRODUCED, f"{sides}: {apart}, within the tolerance of {limit}{reason}"
        if max(gap, half_width) <= 2 * claim.tolerance + hair:
            return Verdict.CLOSE, f"{sides}: {apart}, within twice the tolerance of {limit}"
        if not holds_paper:
            apart += f", beyond twice the tolerance of {limit}"
    if line is not None and (min(low, paper) > line or max(high, paper) < line):
        where = f"{'above' if low > line else 'below'} {number_text(line)}"
        effects = (abs(number - line) for number in (ours, paper))
        ours_effect, papers_effect = (number_text(effect, claim.rounding, extra_digits=1) for effect in effects)
        if abs(ours - line) >= abs(paper - line) / 2 - hair:
            return Verdict.DIRECTION, f"{sides}: {apart}, both {where}"
        small = f"both {where}, but ours by {ours_effect}, less than half of the paper's {papers_effect}"
        return Verdict.NOT_REPRODUCED, f"{sides}: {small}"
    if holds_paper and low < high:
        width = number_text(half_width, claim.rounding, extra_digits=1)
        return Verdict.UNDETERMINED, f"{sides}: the interval, ± {width}, is too wide to tell"
    if line is not None:
        apart += f", and not on the same side of {number_text(line)}"
    return Verdict.NOT_REPRODUCED, f"{sides}: {apart}"


def _judge_statement(claim: Claim, caps: Sequence[Cap], ours: float, low: float, high: float) -> tuple[Verdict, str]:
    margin = f"the margin is {_with_interval(ours, low, high)}"
    if low > 0:
        return Verdict.REPRODUCED, f"{margin}, above 0"
    if high <= 0:
        return Verdict.NOT_REPRODUCED, f"{margin}, not above 0"
    return Verdict.UNDETERMINED, f"{margin}, which 0 divides"


def _judge_check(claim: Claim, caps: Sequence[Cap], ours: float, low: float, high: float) -> tuple[Verdict, str]:
    check = f"the check gives {_with_interval(ours, low, high)}"
    if low > 0:
        shown_by_it = Verdict.DIFFERS if claim.kind == "differs" else Verdict.INCONSISTENT
        return shown_by_it, f"{claim.reason} ({check}, above 0)"
    return Verdict.UNDETERMINED, f"{check}, not above 0, so it does not show that {claim.reason}"


def _judge_print(claim: Claim) -> Judgement:
    """An ordering that the paper asserts and its own numbers contradict: judged by the ledger's cells alone."""
    least = min(order.against for order in claim.order)
    told = "; ".join(order.text for order in claim.order)
    verdict = Verdict.INCONSISTENT if least > 0 else Verdict.UNDETERMINED
    found = "is not what is printed" if least > 0 else "may be what is printed, the roundings granted"
    why = f"{claim.reason} ({told} {found})"
    return Judgement(claim, verdict, why, least, (least, least), 1, evidence=claim.evidence or Evidence.PRINT)


_RULES = {
    "value": _judge_value, "statement": _judge_statement, "inconsistent": _judge_check, "differs": _judge_check,
}  # fmt: skip


def _capped(caps: Sequence[Cap], verdict: Verdict, why: str) -> tuple[Verdict, str]:
    """Bring a verdict into what the caps that apply allow, and say so wherever one of them is reached."""
    for cap in caps:
        if cap.at_worst is not None and verdict is Verdict.NOT_REPRODUCED:
            return cap.at_worst, f"{cap.why}; without that, our numbers would say 'not reproduced' ({why})"
        if cap.at_best is not None and verdict in _LADDER and _LADDER.index(verdict) <= _LADDER.index(cap.at_best):
            verdict, why = cap.at_best, f"{why}; {cap.at_best} at best: {cap.why}"
    return verdict, why


def _sides(claim: Claim, ours: float, low: float, high: float) -> str:
    """Both numbers of a comparison: `ours 1.539, paper 1.54 ± 0.005`."""
    bars = "|" if claim.absolute else ""
    rounding = f" ± {number_text(claim.rounding)}" if claim.rounding else ""
    paper = number_text(claim.value or 0.0, claim.rounding)
    return f"{bars}ours{bars} {_with_interval(ours, low, high, claim.rounding)}, paper {paper}{rounding}"


def _with_interval(ours: float, low: float, high: float, rounding: float = 0.0) -> str:
    text = number_text(ours, rounding, extra_digits=1)
    return text if low == high else f"{text} {interval_text(low, high, rounding)}"


def judge_chapter(slug: str) -> list[Judgement]:
    """Judge every claim of a chapter by its committed records (`results/NOTEBOOK.paper.json`), in ledger order.

    Raises
    ------
    UserError
        Unknown chapter, a malformed ledger or record, or a smoke run among the committed records.
    """
    ledger = load_claims(slug)
    records = {
        name: _committed(slug, name) for name in sorted({claim.record for claim in ledger.claims if claim.record})
    }
    return [judge(claim, records.get(claim.record or "")) for claim in ledger.claims]


def _committed(slug: str, name: str) -> dict[str, Any] | None:
    """A committed record by its name in the ledger; None where it has not been made yet."""
    path = chapter_dir(slug) / "results" / f"{name}.json"
    if not path.exists():
        return None
    record = load_record(path)
    notebook = name.removesuffix(".paper")
    given = (record["chapter"], record["notebook"], record["profile"])
    if given != (slug, notebook, "paper"):
        found = f"a {given[2]} run of {given[0]}/{given[1]}"
        raise UserError(f"{shown(path)}: holds {found}; expected the paper run of {slug}/{notebook}")
    return record


def judge_all() -> list[Judgement]:
    """Judge every claim of every chapter, chapter by chapter."""
    return [judgement for slug in chapters() for judgement in judge_chapter(slug)]


def check(chapter: str) -> list[str]:
    """One line for each claim of a chapter that is at fault or has another verdict than its ledger expects."""
    return [
        f"{chapter}: {found.claim.id}: {found.fault or unexpected(found)}"
        for found in judge_chapter(chapter)
        if not found.as_expected
    ]


def unexpected(found: Judgement) -> str:
    """What the ledger expects and what came out."""
    return f"expected '{found.claim.expect}', got '{found.verdict}': {found.why}"
