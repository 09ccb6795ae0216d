"""Each verdict by example, the rules as properties, and the sentence beside each verdict."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import made_records
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.reproduce.claims.ledgers import LETTERS, Cap, Claim, Evidence, Paper, Verdict
from trustnlp.reproduce.claims.verdicts import Judgement, judge, judge_all, judge_chapter, unexpected
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.numerals import number_text
from trustnlp.reproduce.records.recording import Record, write_record

PAPER = Paper(
    key="doe2020x", title="A title", authors="J. Doe", venue="Somewhere", year=2020, url="https://example.org"
)
VALUE = Claim(
    chapter="c", paper=PAPER, id="one", where="Table 1", text="The first.", kind="value", expect=Verdict.REPRODUCED,
    value=1.54, rounding=0.005, record="reproduction.paper", key="a.b", tolerance=0.005,
)  # fmt: skip
MARGIN = dataclasses.replace(VALUE, kind="statement", value=None, rounding=0.0, quote="mean is best")
SCALE = [Verdict.NOT_REPRODUCED, Verdict.DIRECTION, Verdict.CLOSE, Verdict.REPRODUCED]


def metric(mean: float, low: float | None, high: float | None, n: int = 5, interval: str = "t") -> dict[str, Any]:
    return {
        "values": [mean] * n, "mean": mean, "low": low, "high": high, "n": n, "interval": interval, "unit": None,
    }  # fmt: skip


def exact(value: float) -> dict[str, Any]:
    return metric(value, value, value, 1, "deterministic")


def run(found: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "chapter": "c", "notebook": "reproduction", "profile": "paper", "parameters": {"layers": 1, "by_set": {"a": 1}},
        "conditions": {"encoder": "small"}, "metrics": {"a.b": found}, "deviations": [], **fields,
    }  # fmt: skip


def verdict_of(found: dict[str, Any], **changes: Any) -> Judgement:
    return judge(dataclasses.replace(VALUE, **changes), run(found))


def capped(verdict: Verdict | None = None, at_worst: Verdict | None = None, **unless: tuple[Any, ...]) -> Cap:
    """A cap that applies to `run()` unless `unless` says otherwise."""
    return Cap("encoder", unless or {"encoder": ("large",)}, "another encoder", verdict, at_worst)


CLOSE, DIRECTION = (capped(verdict) for verdict in (Verdict.CLOSE, Verdict.DIRECTION))
WORST = capped(at_worst=Verdict.UNTESTABLE)
BEYOND = "beyond twice the tolerance of 0.005"
WIDENED = "within our interval, widened by the paper's rounding"
ABOVE_PRINT = "more than twice the paper's 0.740: far above print"

# What we measured, fields of the claim, the verdict's letter, and how the reason ends. The paper prints 1.54 ± 0.005.
VALUE_EXAMPLES: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
    # within the rounding; at its very edge, which is not exact in binary; beside it
    (exact(1.539), {}, "R", "ours 1.539, paper 1.54 ± 0.005: within the paper's rounding"),
    (exact(1.545), {}, "R", "within the paper's rounding"),
    (exact(1.549), {}, "C", "0.009 apart, within twice the tolerance of 0.005"),
    (exact(1.551), {}, "N", f"0.011 apart, {BEYOND}"),
    # a stated tolerance
    (exact(1.56), {"tolerance": 0.02, "tolerance_why": "w"}, "R", "0.020 apart, within the tolerance of 0.02 (w)"),
    # the interval of five runs; its own width; too few runs
    (metric(1.539, 1.534, 1.544), {}, "R", f"ours 1.539 [1.534, 1.544], paper 1.54 ± 0.005: {WIDENED}"),
    (metric(1.529, 1.524, 1.535), {"tolerance": 0.006}, "R", WIDENED),
    (metric(1.529, 1.524, 1.534), {}, "N", f"0.011 apart, {BEYOND}"),
    (metric(1.54, 1.531, 1.549), {}, "C", "0.000 apart, within twice the tolerance of 0.005"),
    (metric(1.54, 1.529, 1.551), {}, "U", "the interval, ± 0.011, is too wide to tell"),
    (metric(1.5, 1.45, 1.535), {"tolerance": 0.05, "tolerance_why": "w"}, "R", WIDENED),
    (metric(1.54, 1.53, 1.55, 4), {}, "U", "ours 1.540 rests on 4 runs; a verdict needs 5"),
    (metric(1.54, None, None, 1), {}, "U", "ours 1.540 rests on one run; a verdict needs 5"),
    (metric(1.538, 1.536, 1.545, 1, "given"), {}, "R", WIDENED),
    # near 0 a wide interval tells by the reference, not by the size of the paper's value
    (metric(0.01, -0.03, 0.05), {"value": 0.02, "tolerance": 0.05}, "R", WIDENED),
    (metric(0.01, -0.03, 0.05), {"value": 0.02, "tolerance": 0.05, "reference": 0.0}, "U",
     "ours 0.010 [−0.030, 0.050], paper 0.02 ± 0.005: the interval holds both the paper's value and 0"),
    (metric(0.02, -0.03, 0.07), {"value": 0.0, "tolerance": 0.05, "reference": 0.0}, "R", WIDENED),
    # direction: the whole interval counts, and the reference itself is on no side
    (exact(1.2), {"reference": 0.8}, "D", f"0.340 apart, {BEYOND}, both above 0.8"),
    (exact(1.2), {"reference": 2.0}, "D", f"{BEYOND}, both below 2"),
    (exact(0.8), {"reference": 0.8}, "N", f"{BEYOND}, and not on the same side of 0.8"),
    (metric(0.9, 0.7, 1.1), {"reference": 0.8}, "N", f"{BEYOND}, and not on the same side of 0.8"),
    # … an effect of less than half of the paper's, or far above it, is another: every count lies above 0
    (exact(1.17), {"reference": 0.8}, "D", "both above 0.8"),
    (exact(1.169), {"reference": 0.8}, "N",
     "both above 0.8, but ours by 0.369, less than half of the paper's 0.740"),
    (exact(2.28), {"reference": 0.8}, "D", "both above 0.8"),
    (exact(2.281), {"reference": 0.8}, "N", f"both above 0.8, but ours by 1.481, {ABOVE_PRINT}"),
    (exact(9.0), {"reference": 0}, "N", "both above 0, but ours by 9.000, more than twice the paper's 1.540: "
     "far above print"),
    # an interval that holds the paper's value does not say that our effect is another
    (metric(3.5, 1.5, 9.0), {"reference": 0}, "U", "the interval, ± 3.750, is too wide to tell"),
    # sign and magnitude
    (exact(-1.54), {}, "N", f"ours −1.540, paper 1.54 ± 0.005: 3.080 apart, {BEYOND}"),
    (exact(-1.54), {"absolute": True}, "R", "|ours| 1.540, paper 1.54 ± 0.005: within the paper's rounding"),
    (metric(0.1, -1.0, 1.2), {"absolute": True}, "N",
     f"|ours| 0.100 [0.000, 1.200], paper 1.54 ± 0.005: 1.440 apart, {BEYOND}"),
    # caps
    (exact(1.54), {"caps": (CLOSE,)}, "C", "within the paper's rounding; close at best: another encoder"),
    (exact(9.0), {"caps": (CLOSE,)}, "N", f"7.460 apart, {BEYOND}"),
    (exact(1.54), {"caps": (DIRECTION,), "reference": 0.8}, "D",
     "0.000 apart, both above 0.8; direction only at best: another encoder"),
    (exact(1.54), {"caps": (CLOSE, DIRECTION), "reference": 0.8}, "D", "direction only at best: another encoder"),
    (exact(1.54), {"caps": (DIRECTION,), "reference": 1.54}, "U",
     "equal, but a direction asks for a line that the paper is not on"),
    (exact(1.60), {"caps": (DIRECTION,), "reference": 1.54}, "N", "0.060 apart, and not on the same side of 1.54"),
    (exact(9.0), {"caps": (WORST,)}, "X", "another encoder; without that, our numbers would say 'not reproduced' "
     f"(ours 9.000, paper 1.54 ± 0.005: 7.460 apart, {BEYOND})"),
    (exact(1.54), {"caps": (WORST,)}, "R", "within the paper's rounding"),
]  # fmt: skip


@pytest.mark.parametrize(("found", "changes", "letter", "why"), VALUE_EXAMPLES)
def test_value_rules(found: dict[str, Any], changes: dict[str, Any], letter: str, why: str) -> None:
    judgement = verdict_of(found, **changes)
    assert judgement.verdict is LETTERS[letter] and judgement.why.endswith(why)


@pytest.mark.parametrize(
    ("found", "verdict", "why"),
    [
        (metric(0.2, 0.1, 0.3), Verdict.REPRODUCED, "the margin is 0.2 [0.1, 0.3], above 0"),
        (metric(-0.2, -0.3, 0.0), Verdict.NOT_REPRODUCED, "the margin is −0.2 [−0.3, 0], not above 0"),
        (metric(0.2, -0.1, 0.5), Verdict.UNDETERMINED, "the margin is 0.2 [−0.1, 0.5], which 0 divides"),
        (metric(0.2, 0.1, 0.3, 4), Verdict.UNDETERMINED, "ours 0.2 rests on 4 runs; a verdict needs 5"),
        (exact(0.0), Verdict.NOT_REPRODUCED, "the margin is 0, not above 0"),
    ],
)
def test_statement_rules(found: dict[str, Any], verdict: Verdict, why: str) -> None:
    judgement = judge(MARGIN, run(found))
    assert (judgement.verdict, judgement.why) == (verdict, why)


@pytest.mark.parametrize(
    ("cap", "margin", "verdict"),
    [(DIRECTION, 1.0, Verdict.DIRECTION), (DIRECTION, -1.0, Verdict.NOT_REPRODUCED), (WORST, -1.0, Verdict.UNTESTABLE)],
)
def test_a_statement_can_be_capped(cap: Cap, margin: float, verdict: Verdict) -> None:
    assert judge(dataclasses.replace(MARGIN, caps=(cap,)), run(exact(margin))).verdict is verdict


@pytest.mark.parametrize(
    ("parameters", "conditions", "lifted"),
    [
        ({"layers": 1}, {"encoder": "small"}, True),
        ({"layers": 2}, {"encoder": "small"}, False),
        ({"layers": 1}, {"encoder": "tiny"}, False),
        ({"encoder": "tiny"}, {"layers": 1, "encoder": "large"}, True),  # the run's own word counts
        ({"layers": 1, "encoder": ["small", "tiny"]}, {}, False),
        ({"layers": 1, "encoder": []}, {}, False),
    ],
)
def test_a_cap_looks_at_conditions_and_parameters_and_all_of_them_must_be_met(
    parameters: dict[str, Any], conditions: dict[str, Any], lifted: bool
) -> None:
    both = capped(Verdict.CLOSE, encoder=("small", "large"), layers=(0, 1))
    record = run(exact(1.54), parameters=parameters, conditions=conditions)
    verdict = judge(dataclasses.replace(VALUE, caps=(both,)), record).verdict
    assert verdict is (Verdict.REPRODUCED if lifted else Verdict.CLOSE)


def test_a_cap_on_what_no_record_says_is_refused() -> None:
    """A misspelt name would hold the cap for ever."""
    rows: list[tuple[Any, ...]] = [
        ("encodr", r"cap 'encoder' looks at 'encodr', which c/reproduction does not record; did you mean 'encoder'\?"),
        ("by_set", "which is \\{'a': 1\\} in c/reproduction; a cap compares single values"),
    ]
    assert_refused(lambda name: verdict_of(exact(9.0), caps=(capped(Verdict.CLOSE, **{name: (1,)}),)), rows, UserError)


def test_what_a_metric_lacks_makes_its_claims_untestable_whatever_the_numbers_are() -> None:
    lacking = {"text": "WEAT 1 lacks a word.", "keys": ["a.b"], "lacks": True}
    other = {"text": "WEAT 10 lacks a word.", "keys": ["a.bb"], "lacks": True}
    for value in (1.54, 9.0):
        judgement = judge(VALUE, run(exact(value), deviations=[other, lacking]))
        assert (judgement.verdict, judgement.why) == (Verdict.UNTESTABLE, "WEAT 1 lacks a word.")
        assert judgement.deviations == ("WEAT 1 lacks a word.",) and judgement.ours == value
        assert judge(VALUE, run(exact(value), deviations=[other])).verdict is not Verdict.UNTESTABLE


@pytest.mark.parametrize(
    ("kind", "found", "verdict"),
    [
        ("inconsistent", exact(3.0), Verdict.INCONSISTENT),
        ("inconsistent", exact(0.0), Verdict.UNDETERMINED),
        ("inconsistent", metric(1.0, 0.5, 1.5, 4), Verdict.UNDETERMINED),
        ("differs", exact(3.0), Verdict.DIFFERS),
        ("differs", exact(0.0), Verdict.UNDETERMINED),
    ],
)
def test_what_is_said_against_a_paper_must_be_shown_by_its_check(
    kind: str, found: dict[str, Any], verdict: Verdict
) -> None:
    judgement = judge(dataclasses.replace(VALUE, kind=kind, reason="the legends differ"), run(found))
    assert judgement.verdict is verdict
    assert judgement.evidence is (Evidence.PRINT if kind == "inconsistent" else Evidence.RELEASED)
    assert judgement.why.startswith("the legends differ (the check gives") == (verdict is not Verdict.UNDETERMINED)


@pytest.mark.parametrize(
    ("field", "verdict"), [("lacking", Verdict.UNTESTABLE), ("not_measured", Verdict.NOT_MEASURED)]
)
def test_what_the_ledger_says_stands_in_the_way_is_the_verdict_until_somebody_measured_it(
    field: str, verdict: Verdict
) -> None:
    claim = dataclasses.replace(VALUE, expect=verdict, **{field: "`trustnlp run x` has them"})
    for record in (None, run(exact(1.54), metrics={})):
        judgement = judge(claim, record)
        assert (judgement.verdict, judgement.why) == (verdict, "`trustnlp run x` has them")
        assert judgement.as_expected and judgement.fault is None and judgement.evidence is Evidence.NONE
    measured = judge(claim, run(exact(1.54)))
    assert measured.verdict is Verdict.REPRODUCED and not measured.as_expected, "once measured, the ledger must follow"


def test_untestable_gives_its_reason_whatever_was_measured() -> None:
    claim = dataclasses.replace(VALUE, kind="untestable", reason="no weights")
    for record in (None, run(exact(1.54))):
        judgement = judge(claim, record)
        assert (judgement.verdict, judgement.why, judgement.ours) == (Verdict.UNTESTABLE, "no weights", None)


@pytest.mark.parametrize(
    ("record", "key", "why"),
    [
        (None, "a.b", "there is no record reproduction.paper yet"),
        (run(exact(1.54)), "a.c", "the record reproduction.paper has no metric 'a.c'; did you mean 'a.b'?"),
    ],
)
def test_what_nobody_measured_is_a_fault_unless_the_ledger_says_so(record: Any, key: str, why: str) -> None:
    for expect in (Verdict.REPRODUCED, Verdict.NOT_MEASURED):  # to expect it is not to say why
        judgement = judge(dataclasses.replace(VALUE, key=key, expect=expect), record)
        assert (judgement.verdict, judgement.why) == (Verdict.NOT_MEASURED, why)
        assert judgement.fault == (
            f"{why}; mend the ledger's 'measure', run it, or say why not in 'not_measured' or 'lacking'"
        )
        assert not judgement.as_expected


def test_what_exists_in_few_runs_is_undetermined() -> None:
    claim = dataclasses.replace(VALUE, key="lead", exists_where="leads")
    for leads, why in ([1, 0, 2, 0, 0], "it exists in 2 of 5 runs (leads is 0 in the others)"), ([1] * 5, None):
        judgement = judge(claim, run(exact(1.54), metrics={"leads": {"values": leads}}))
        assert judgement.verdict is (Verdict.UNDETERMINED if why else Verdict.NOT_MEASURED)
        assert why is None or judgement.why.startswith(why)


def test_deviations_are_those_that_touch_the_metric() -> None:
    deviations = [
        {"text": "all", "keys": [], "lacks": False},
        {"text": "word2vec", "keys": ["glove", "w"], "lacks": False},
        {"text": "other", "keys": ["w.weat1"], "lacks": False},
        {"text": "all", "keys": ["w.weat10"], "lacks": False},
    ]
    record = run(exact(1.54), metrics={"w.weat10.d": exact(1.54)}, deviations=deviations)
    judgement = judge(dataclasses.replace(VALUE, key="w.weat10.d"), record)
    assert judgement.deviations == ("all", "word2vec")


def test_json_form_has_the_published_fields() -> None:
    deviations = [{"text": "Our synonyms.", "keys": [], "lacks": False}]
    record = run(metric(1.538, 1.536, 1.542), deviations=deviations)
    found = judge(VALUE, record).to_json()
    assert json.loads(json.dumps(found)) == {
        "chapter": "c", "claim": "one", "text": "The first.", "where": "Table 1", "paper": 1.54, "ours": 1.538,
        "interval": [1.536, 1.542], "n": 5, "question": "paper", "evidence": "made-up data", "same_cell_as": None,
        "under": None, "cells": [], "verdict": "reproduced", "expected": "reproduced", "profile": "paper",
        "deviations": ["Our synonyms."], "record": "reproduction.paper",
        "why": "ours 1.538 [1.536, 1.542], paper 1.54 ± 0.005: within our interval, widened by the paper's rounding",
    }  # fmt: skip
    nothing = judge(MARGIN, None).to_json()
    assert (nothing["paper"], nothing["ours"], nothing["interval"]) == ("mean is best", None, None)


@pytest.mark.parametrize(
    ("value", "rounding", "extra", "text"),
    [
        (1.5387, 0.005, 1, "1.539"),
        (-0.001, 0.005, 0, "0.00"),
        (0.123456, 0, 1, "0.1235"),
        (0.0000777, 0, 0, "7.77×10⁻⁵"),
        (-2.5e8, 0, 0, "−2.5×10⁸"),
        (1.005, 0.005, 0, "1.01"),
        (12345.6, 0, 0, "12350"),
        (0.0002, 0.005, 1, "0.0002"),  # ours is not nought
        (1e-17, 0.005, 1, "0.000"),  # but for floating point
        (-0.0, 0, 0, "0"),
    ],
)
def test_numbers_are_shown_as_the_paper_would(value: float, rounding: float, extra: int, text: str) -> None:
    assert number_text(value, rounding, extra_digits=extra) == text


# Properties ------------------------------------------------------------------------------------------------------

numbers = st.floats(-3, 3, allow_nan=False)


@st.composite
def metrics(draw: st.DrawFn) -> dict[str, Any]:
    mean, n = draw(numbers), draw(st.integers(1, 8))
    interval = draw(st.sampled_from(["deterministic", "given", "t", "bootstrap"]))
    if interval == "deterministic":
        return exact(mean)
    if interval != "given" and n == 1:
        return metric(mean, None, None, 1, interval)
    below, above = draw(st.floats(0, 2)), draw(st.floats(0, 2))
    return metric(mean, mean - below, mean + above, n, interval)


claims = st.builds(
    lambda value, rounding, tolerance, reference, absolute: dataclasses.replace(
        VALUE, value=value, rounding=rounding, tolerance=tolerance, reference=reference, absolute=absolute
    ),
    value=numbers,
    rounding=st.sampled_from([0.0, 0.0005, 0.005, 0.05, 0.5]),
    tolerance=st.floats(0, 1),
    reference=st.none() | numbers,
    absolute=st.booleans(),
)


@settings(max_examples=200)
@given(claims, metrics(), st.floats(0, 2))
def test_more_tolerance_never_makes_a_verdict_worse(claim: Claim, found: dict[str, Any], more: float) -> None:
    before = judge(claim, run(found)).verdict
    after = judge(dataclasses.replace(claim, tolerance=claim.tolerance + more), run(found)).verdict
    if before in SCALE:
        assert after in SCALE and SCALE.index(after) >= SCALE.index(before)
    else:
        assert before is Verdict.UNDETERMINED
        assert after in (Verdict.UNDETERMINED, Verdict.CLOSE, Verdict.REPRODUCED)


def half_width(judgement: Judgement) -> float:
    assert judgement.interval is not None
    return (judgement.interval[1] - judgement.interval[0]) / 2


HAIR = 1e-8


@settings(max_examples=200)
@given(claims, metrics())
def test_what_each_verdict_promises(claim: Claim, found: dict[str, Any]) -> None:
    """The rules, said from their outcome: what a reader may conclude from a verdict about a number."""
    judgement = judge(claim, run(found))
    assert claim.value is not None
    paper, line = abs(claim.value) if claim.absolute else claim.value, claim.reference
    if judgement.interval is None or (found["interval"] in ("t", "bootstrap") and found["n"] < 5):
        assert judgement.verdict is Verdict.UNDETERMINED
        return
    assert judgement.ours is not None
    ours, (low, high) = judgement.ours, judgement.interval
    gap = abs(ours - paper)
    opposite = line is not None and (ours - line) * (paper - line) < 0
    assert not (opposite and judgement.verdict in (Verdict.REPRODUCED, Verdict.CLOSE)), "a line lies between the two"
    match judgement.verdict:
        case Verdict.REPRODUCED:
            assert half_width(judgement) <= claim.tolerance + HAIR or (gap <= claim.tolerance + HAIR and low == high)
            holds = low - claim.rounding - HAIR <= paper <= high + claim.rounding + HAIR
            assert holds or gap <= claim.tolerance + HAIR
        case Verdict.CLOSE:
            assert max(gap, half_width(judgement)) <= 2 * claim.tolerance + HAIR
        case Verdict.DIRECTION:
            assert line is not None
            assert min(low, ours, paper) > line or max(high, ours, paper) < line
            assert abs(ours - line) >= abs(paper - line) / 2 - HAIR
        case Verdict.UNDETERMINED:
            widened = low - claim.rounding - HAIR <= paper <= high + claim.rounding + HAIR
            both = line is not None and low <= paper <= high and low <= line <= high
            assert low < high, "a number without chance decides"
            too_wide = max(gap, half_width(judgement)) > 2 * claim.tolerance - HAIR
            assert both or (widened and (too_wide or opposite))
        case Verdict.NOT_REPRODUCED:
            assert opposite or max(gap, half_width(judgement)) > 2 * claim.tolerance - HAIR
        case other:
            pytest.fail(f"{other} is no verdict about a number")


@settings(max_examples=200)
@given(metrics(), numbers, st.floats(0.01, 2), st.booleans(), st.floats(0, 0.5), st.floats(0, 0.49))
def test_a_number_and_its_opposite_never_both_pass(
    found: dict[str, Any], line: float, effect: float, below: bool, tolerance: float, rounding: float
) -> None:
    """The opposite lies as far on the other side of the reference. A tolerance as large as the effect tells nothing."""
    effect = -effect if below else effect
    pair = set()
    for value in (line + effect, line - effect):
        claim = dataclasses.replace(
            VALUE, value=value, reference=line, tolerance=tolerance * abs(effect), rounding=rounding * abs(effect)
        )
        pair.add(judge(claim, run(found)).verdict)
    assert not pair <= {Verdict.REPRODUCED, Verdict.DIRECTION}


@given(claims, metrics())
def test_a_smoke_run_is_never_judged(claim: Claim, found: dict[str, Any]) -> None:
    judgement = judge(claim, run(found, profile="smoke"))
    assert judgement.verdict is Verdict.NOT_MEASURED and judgement.ours is None and judgement.fault
    assert judgement.why == "a smoke run says nothing about the paper"


def mirrored(found: dict[str, Any]) -> dict[str, Any]:
    low, high = (None if end is None else -end for end in (found["high"], found["low"]))
    return found | {"mean": -found["mean"], "low": low, "high": high}


@given(claims, metrics())
def test_turning_everything_round_changes_no_verdict(claim: Claim, found: dict[str, Any]) -> None:
    assume(not claim.absolute and claim.value is not None)
    turned = dataclasses.replace(
        claim, value=-(claim.value or 0.0), reference=None if claim.reference is None else -claim.reference
    )
    assert judge(claim, run(found)).verdict is judge(turned, run(mirrored(found))).verdict


@given(claims)
def test_the_papers_own_value_is_always_reproduced(claim: Claim) -> None:
    assert judge(claim, run(exact(claim.value or 0.0))).verdict is Verdict.REPRODUCED


ENDS = [
    (best, worst)
    for best in (None, Verdict.CLOSE, Verdict.DIRECTION, Verdict.UNDETERMINED)
    for worst in (None, Verdict.UNTESTABLE, Verdict.UNDETERMINED)
    if best or worst
]
some_caps = st.lists(
    st.builds(
        lambda ends, lifted_by: Cap("c", {"encoder": (lifted_by,)}, "why", *ends),
        st.sampled_from(ENDS),
        st.sampled_from(["small", "large"]),
    ),
    max_size=3,
)


@settings(max_examples=200)
@given(claims, metrics(), some_caps)
def test_caps_hold_a_verdict_between_their_ends(claim: Claim, found: dict[str, Any], caps: list[Cap]) -> None:
    free = judge(claim, run(found)).verdict
    held = judge(dataclasses.replace(claim, caps=tuple(caps)), run(found)).verdict
    applying = [cap for cap in caps if cap.unless["encoder"] == ("large",)]
    best = [SCALE.index(cap.at_best) for cap in applying if cap.at_best in SCALE]
    worst = [cap.at_worst for cap in applying if cap.at_worst]
    if held in SCALE and free in SCALE:
        assert SCALE.index(held) <= min([*best, SCALE.index(free)])
    if any(cap.at_best is Verdict.UNDETERMINED for cap in applying):
        assert held not in (Verdict.REPRODUCED, Verdict.CLOSE, Verdict.DIRECTION)
    if worst:
        assert held is not Verdict.NOT_REPRODUCED
        if free is Verdict.NOT_REPRODUCED:
            assert held is worst[0]
    else:
        assert held is not Verdict.UNTESTABLE
    if not applying:
        assert held is free


# Chapters --------------------------------------------------------------------------------------------------------

LEDGER = """
paper: {key: doe2020x, title: A title, authors: J. Doe, venue: Somewhere, year: 2020, url: "https://example.org"}
claims:
  - {id: one, where: T1, text: First., kind: value, paper: {value: 1.54, rounding: 0.005},
     measure: {record: reproduction.paper, key: a}, expect: reproduced}
  - {id: two, where: T1, text: Second., kind: value, paper: {value: 1.0, rounding: 0.005},
     measure: {record: reproduction.paper, key: b}, expect: reproduced}
  - {id: three, where: T1, text: Third., kind: statement,
     measure: {record: critique.paper, key: c}, not_measured: "not run yet", expect: not measured}
"""


@pytest.fixture
def chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "chapters" / "aec"
    folder.mkdir(parents=True)
    (tmp_path / "_config.yml").touch()
    (folder / "claims.yaml").write_text(LEDGER, encoding="utf-8")
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    return folder


def commit_record(chapter: Path, *, notebook: str = "reproduction", profile: str = "paper") -> None:
    record = Record("aec", notebook, profile=profile)
    record.metric("a", 1.539)
    record.metric("b", 2.0)
    path = chapter / "results" / "reproduction.paper.json"
    write_record(path, made_records.whole(record))


def test_a_chapter_is_judged_by_its_committed_records_and_what_its_ledger_does_not_expect_is_told(
    chapter: Path,
) -> None:
    before = judge_chapter("aec")
    assert [one.verdict for one in before] == [Verdict.NOT_MEASURED] * 3
    assert [one.claim.id for one in before if one.fault] == ["one", "two"], "`three` says it is not measured"
    commit_record(chapter)
    one, two, three = judge_chapter("aec")
    assert one.as_expected and three.as_expected and judge_all() == [one, two, three]
    assert (one.verdict, three.verdict) == (Verdict.REPRODUCED, Verdict.NOT_MEASURED)
    assert unexpected(two).startswith("expected 'reproduced', got 'not reproduced': ours 2.000, paper 1.00 ± 0.005")


@pytest.mark.parametrize("wrong", [{"profile": "smoke"}, {"notebook": "critique"}])
def test_a_record_under_a_false_name_is_refused(chapter: Path, wrong: dict[str, str]) -> None:
    commit_record(chapter, **wrong)
    with pytest.raises(
        UserError, match=r"^chapters/aec/results/reproduction\.paper\.json: holds a .*; expected the paper run"
    ):
        judge_chapter("aec")
