"""From a claim and a record to one of nine verdicts, with the sentence that says why.

The rules, in order, for a claim about a number (`paper` is the paper's value, `rounding` half a unit of its last
printed digit, `ours` the mean of the record's metric, [low, high] its 95 % interval, (high - low) / 2 its half width):

1. random and fewer than five values → undetermined
2. the interval holds both the paper's value and the reference, and the two differ → undetermined
3. paper in [low - rounding, high + rounding], or |ours - paper| ≤ tolerance; half width ≤ tolerance → reproduced
4. |ours - paper| ≤ 2 · tolerance and half width ≤ 2 · tolerance → close
   (neither of the two where ours and the paper's value lie on opposite sides of the reference)
5. paper and the whole interval on the same side of the reference, and |ours - reference| at least half of
   |paper - reference| and at most twice of it → direction only
6. paper in [low - rounding, high + rounding], but 3 and 4 do not apply (the interval is too wide, or a cap keeps them
   out) → undetermined
7. otherwise → not reproduced; an effect on the paper's side and more than twice the paper's is "far above print"

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

from collections.abc import Callable, Mapping, Sequence

from trustnlp.reproduce.claims.claim_types import Cap, Claim, Evidence, Verdict
from trustnlp.reproduce.claims.judgements import Judgement
from trustnlp.reproduce.records.numerals import interval_text, number_text

Rule = Callable[[Claim, Sequence[Cap], float, float, float], tuple[Verdict, str]]
# Direction only: our effect, distance from the reference, is at least and at most this multiple of the paper's.
LEAST_EFFECT, MOST_EFFECT = 0.5, 2.0
# What a cap can be at best, best first: each is lowered to any that comes later.
_LADDER = (Verdict.REPRODUCED, Verdict.CLOSE, Verdict.DIRECTION, Verdict.UNDETERMINED)


def _judge_value(claim: Claim, caps: Sequence[Cap], ours: float, low: float, high: float) -> tuple[Verdict, str]:
    assert claim.value is not None  # the schema requires it of this kind
    paper = abs(claim.value) if claim.absolute else claim.value
    # Decimal fractions such as 1.545 - 1.54 are not exact in binary: a hair decides nothing.
    hair = 1e-9 * max(1.0, abs(paper))
    gap, half_width, line = abs(ours - paper), (high - low) / 2, claim.reference
    sides = _sides(claim, ours, low, high)
    apart = f"{number_text(gap, claim.rounding, extra_digits=1)} apart"
    holds_paper = low - claim.rounding - hair <= paper <= high + claim.rounding + hair
    if line is not None and low <= paper <= high and low <= line <= high and abs(paper - line) > hair:
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
        least, most = (multiple * abs(paper - line) for multiple in (LEAST_EFFECT, MOST_EFFECT))
        if least - hair <= abs(ours - line) <= most + hair:
            return Verdict.DIRECTION, f"{sides}: {apart}, both {where}"
        if not (holds_paper and low < high):
            return Verdict.NOT_REPRODUCED, f"{sides}: both {where}, but {_other_size(claim, ours, paper, line)}"
    if holds_paper and (low < high or not opposite):
        if low == high:  # a cap kept it out of 3 and 4
            return Verdict.UNDETERMINED, f"{sides}: equal, but a direction asks for a line that the paper is not on"
        width = number_text(half_width, claim.rounding, extra_digits=1)
        return Verdict.UNDETERMINED, f"{sides}: the interval, ± {width}, is too wide to tell"
    if line is not None:
        apart += f", and not on the same side of {number_text(line)}"
    return Verdict.NOT_REPRODUCED, f"{sides}: {apart}"


def _other_size(claim: Claim, ours: float, paper: float, line: float) -> str:
    """Both effects, where ours is too small or too large to be the paper's."""
    effects = (abs(number - line) for number in (ours, paper))
    ours_effect, papers_effect = (number_text(effect, claim.rounding, extra_digits=1) for effect in effects)
    if abs(ours - line) < abs(paper - line):
        return f"ours by {ours_effect}, less than half of the paper's {papers_effect}"
    return f"ours by {ours_effect}, more than twice the paper's {papers_effect}: far above print"


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


def judge_print(claim: Claim) -> Judgement:
    """An ordering that the paper asserts and its own numbers contradict: judged by the ledger's cells alone."""
    least = min(order.against for order in claim.order)
    orders = "; ".join(order.text for order in claim.order)
    verdict = Verdict.INCONSISTENT if least > 0 else Verdict.UNDETERMINED
    ending = "is not what is printed" if least > 0 else "may be what is printed, the roundings granted"
    why = f"{claim.reason} ({orders} {ending})"
    return Judgement(claim, verdict, why, least, (least, least), 1, evidence=claim.evidence or Evidence.PRINT)


RULES: Mapping[str, Rule] = {
    "value": _judge_value, "statement": _judge_statement, "inconsistent": _judge_check, "differs": _judge_check,
}  # fmt: skip


def capped(caps: Sequence[Cap], verdict: Verdict, why: str) -> tuple[Verdict, str]:
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
