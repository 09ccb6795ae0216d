"""From a claim and a record to one of seven verdicts, with the sentence that says why.

The rules, in order, for a claim about a number (`paper` is the paper's value, `rounding` half a unit of its last
printed digit, `ours` the mean of the record's metric, [low, high] its 95 % interval):

1. random and fewer than five values → undetermined
2. the interval is wider than |paper| → undetermined
3. paper in [low - rounding, high + rounding], or |ours - paper| ≤ tolerance → reproduced
4. |ours - paper| ≤ 2 · tolerance → close
5. paper and the whole interval on the same side of the reference → direction only
6. otherwise → not reproduced

A statement is a margin: whole interval above 0 → reproduced, at or below 0 → not reproduced, else undetermined.
A check of the paper against itself must be above 0 to say "inconsistent in the paper". `at_best` lowers a verdict;
capped to "direction only", a number is judged by rule 5 alone, because the rules before it compare what the ledger
says cannot be compared. Only a `paper` record judges; without record or metric a claim is undetermined.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from trustnlp.reproduce.claims import Claim, Verdict, load_claims
from trustnlp.reproduce.project import UserError, chapter_dir, chapters, nearest, shown
from trustnlp.reproduce.records import covers, load_record

MIN_VALUES = 5
# Best first; the other verdicts are not on this scale.
_SCALE = (Verdict.REPRODUCED, Verdict.CLOSE, Verdict.DIRECTION, Verdict.NOT_REPRODUCED)


@dataclass(frozen=True)
class Judgement:
    """The verdict on one claim, with what it rests on.

    `ours` and `interval` are as compared (magnitudes for an `absolute` claim); None without a measurement.
    """

    claim: Claim
    verdict: Verdict
    why: str
    ours: float | None = None
    interval: tuple[float, float] | None = None
    n: int | None = None
    profile: str | None = None
    deviations: tuple[str, ...] = ()

    @property
    def chapter(self) -> str:
        """Slug of the chapter the claim belongs to."""
        return self.claim.chapter

    @property
    def as_expected(self) -> bool:
        """Whether the ledger expects this verdict."""
        return self.verdict is self.claim.expect

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
    if record is None:
        return Judgement(claim, Verdict.UNDETERMINED, f"there is no record {claim.record} yet")
    if record["profile"] != "paper":
        return Judgement(
            claim, Verdict.UNDETERMINED, "a smoke run says nothing about the paper", profile=record["profile"]
        )
    key = claim.key or ""
    if key not in record["metrics"]:
        why = f"the record {claim.record} has no metric '{key}'{_nearest_metric(key, record['metrics'])}"
        return Judgement(claim, Verdict.UNDETERMINED, why, profile=record["profile"])
    metric = record["metrics"][key]
    ours, interval = _compared(metric, claim.absolute)
    random = metric["interval"] not in ("deterministic", "given")
    if interval is None or (random and metric["n"] < MIN_VALUES):
        verdict = Verdict.UNDETERMINED
        shown_ours = number_text(ours, claim.rounding, extra_digits=1)
        why = f"ours {shown_ours} rests on {_runs(metric['n'])}; a verdict needs {MIN_VALUES}"
    else:
        verdict, why = _RULES[claim.kind](claim, ours, *interval)
        verdict, why = _capped(claim, verdict, why)
    texts = [item["text"] for item in record["deviations"] if _concerns(item["keys"], key)]
    deviations = tuple(dict.fromkeys(texts))
    return Judgement(claim, verdict, why, ours, interval, metric["n"], record["profile"], deviations)


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


def _judge_value(claim: Claim, ours: float, low: float, high: float) -> tuple[Verdict, str]:
    """Rules 2 to 6 of the module's docstring."""
    assert claim.value is not None  # the schema's `required` for this kind
    paper = abs(claim.value) if claim.absolute else claim.value
    # Decimal fractions such as 1.545 - 1.54 are not exact in binary: a hair decides nothing.
    hair = 1e-9 * max(1.0, abs(paper))
    gap = abs(ours - paper)
    digits = claim.rounding
    apart = f"{number_text(gap, digits, extra_digits=1)} apart"
    sides = _sides(claim, ours, low, high)
    if high - low > abs(paper):
        return Verdict.UNDETERMINED, f"{sides}: the interval is wider than the paper's value"
    same_side = claim.reference is not None and (
        min(low, paper) > claim.reference or max(high, paper) < claim.reference
    )
    if claim.at_best is not Verdict.DIRECTION:
        if low - claim.rounding - hair <= paper <= high + claim.rounding + hair:
            within = "the paper's rounding" if low == high else "our interval, widened by the paper's rounding"
            return Verdict.REPRODUCED, f"{sides}: within {within}"
        limit = number_text(claim.tolerance)
        if gap <= claim.tolerance + hair:
            reason = f" ({claim.tolerance_why})" if claim.tolerance_why else ""
            return Verdict.REPRODUCED, f"{sides}: {apart}, within the tolerance of {limit}{reason}"
        if gap <= 2 * claim.tolerance + hair:
            return Verdict.CLOSE, f"{sides}: {apart}, within twice the tolerance of {limit}"
        apart += f", beyond twice the tolerance of {limit}"
    if claim.reference is None:
        return Verdict.NOT_REPRODUCED, f"{sides}: {apart}"
    line = number_text(claim.reference)
    if same_side:
        where = "above" if low > claim.reference else "below"
        return Verdict.DIRECTION, f"{sides}: {apart}, both {where} {line}"
    return Verdict.NOT_REPRODUCED, f"{sides}: {apart}, and not on the same side of {line}"


def _judge_statement(claim: Claim, ours: float, low: float, high: float) -> tuple[Verdict, str]:
    margin = f"the margin is {_with_interval(ours, low, high)}"
    if low > 0:
        return Verdict.REPRODUCED, f"{margin}, above 0"
    if high <= 0:
        return Verdict.NOT_REPRODUCED, f"{margin}, not above 0"
    return Verdict.UNDETERMINED, f"{margin}, which 0 divides"


def _judge_inconsistent(claim: Claim, ours: float, low: float, high: float) -> tuple[Verdict, str]:
    check = f"the check gives {_with_interval(ours, low, high)}"
    if low > 0:
        return Verdict.INCONSISTENT, f"{claim.reason} ({check}, above 0)"
    return Verdict.UNDETERMINED, f"{check}, not above 0, so it does not show that {claim.reason}"


_RULES = {"value": _judge_value, "statement": _judge_statement, "inconsistent": _judge_inconsistent}


def _capped(claim: Claim, verdict: Verdict, why: str) -> tuple[Verdict, str]:
    """Lower a verdict to the best one the ledger allows, and say so wherever the cap is reached."""
    if claim.at_best is None or verdict not in _SCALE or _SCALE.index(verdict) > _SCALE.index(claim.at_best):
        return verdict, why
    return claim.at_best, f"{why}; {claim.at_best} at best: {claim.at_best_why}"


def _sides(claim: Claim, ours: float, low: float, high: float) -> str:
    """Both numbers of a comparison: `ours 1.539, paper 1.54 ± 0.005`."""
    bars = "|" if claim.absolute else ""
    rounding = f" ± {number_text(claim.rounding)}" if claim.rounding else ""
    paper = number_text(claim.value or 0.0, claim.rounding)
    return f"{bars}ours{bars} {_with_interval(ours, low, high, claim.rounding)}, paper {paper}{rounding}"


def _with_interval(ours: float, low: float, high: float, rounding: float = 0.0) -> str:
    text = number_text(ours, rounding, extra_digits=1)
    return text if low == high else f"{text} {interval_text(low, high, rounding)}"


def interval_text(low: float, high: float, rounding: float = 0.0) -> str:
    """An interval with one digit more than the paper prints: `[1.521, 1.558]`."""
    ends = (number_text(end, rounding, extra_digits=1) for end in (low, high))
    return f"[{', '.join(ends)}]"


def number_text(value: float, rounding: float = 0.0, *, extra_digits: int = 0) -> str:
    """A number as the paper would print it, with a true minus sign.

    `rounding` is half a unit of the paper's last digit; without it, whole numbers are printed whole and others with
    four significant digits. `extra_digits` are decimals beyond the paper's: ours are shown with one, so that a reader
    sees which way the rounding fell.

    >>> number_text(1.5387, 0.005), number_text(1.5387, 0.005, extra_digits=1), number_text(0.000078)
    ('1.54', '1.539', '7.8×10⁻⁵')
    """
    if rounding:
        decimals = max(0, extra_digits - math.floor(math.log10(2 * rounding) + 1e-9))
        text = f"{value:.{decimals}f}"
        if float(text) == 0:  # no "-0.00"
            text = text.lstrip("-")
    elif float(value).is_integer() and abs(value) < 1e6:
        text = str(int(value))
    else:
        text, _, exponent = f"{value:.4g}".partition("e")
        if exponent:
            text += f"×10{str(int(exponent)).translate(_RAISED)}"
    return text.replace("-", "−")


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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
    """One line for each claim of a chapter whose verdict is not the one its ledger expects; empty when all agree."""
    return [
        f"{chapter}: {found.claim.id}: expected '{found.claim.expect}', got '{found.verdict}': {found.why}"
        for found in judge_chapter(chapter)
        if not found.as_expected
    ]
