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

from trustnlp.reproduce.claims import rules
from trustnlp.reproduce.claims.ledgers import Cap, Claim, Evidence, Paper, Verdict
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


def metric(mean: float, low: float | None, high: float | None, n: int, interval: str) -> dict[str, Any]:
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

VALUE_EXAMPLES = [
    # within the rounding; at its very edge, which is not exact in binary; beside it
    (exact(1.539), {}, Verdict.REPRODUCED, "ours 1.539, paper 1.54 ± 0.005: within the paper's rounding"),
    (exact(1.545), {}, Verdict.REPRODUCED, "ours 1.545, paper 1.54 ± 0.005: within the paper's rounding"),
    (exact(1.549), {}, Verdict.CLOSE,
     "ours 1.549, paper 1.54 ± 0.005: 0.009 apart, within twice the tolerance of 0.005"),
    (exact(1.551), {}, Verdict.NOT_REPRODUCED,
     "ours 1.551, paper 1.54 ± 0.005: 0.011 apart, beyond twice the tolerance of 0.005"),
    # a stated tolerance
    (exact(1.56), {"tolerance": 0.02, "tolerance_why": "another vocabulary"}, Verdict.REPRODUCED,
     "ours 1.560, paper 1.54 ± 0.005: 0.020 apart, within the tolerance of 0.02 (another vocabulary)"),
    (exact(1.58), {"tolerance": 0.02}, Verdict.CLOSE,
     "ours 1.580, paper 1.54 ± 0.005: 0.040 apart, within twice the tolerance of 0.02"),
    # the interval of five runs; its own width; too few runs
    (metric(1.539, 1.534, 1.544, 5, "t"), {}, Verdict.REPRODUCED,
     "ours 1.539 [1.534, 1.544], paper 1.54 ± 0.005: within our interval, widened by the paper's rounding"),
    (metric(1.529, 1.524, 1.535, 5, "t"), {"tolerance": 0.006}, Verdict.REPRODUCED,
     "ours 1.529 [1.524, 1.535], paper 1.54 ± 0.005: within our interval, widened by the paper's rounding"),
    (metric(1.529, 1.524, 1.534, 5, "t"), {}, Verdict.NOT_REPRODUCED,
     "ours 1.529 [1.524, 1.534], paper 1.54 ± 0.005: 0.011 apart, beyond twice the tolerance of 0.005"),
    (metric(1.54, 1.531, 1.549, 5, "t"), {}, Verdict.CLOSE,
     "ours 1.540 [1.531, 1.549], paper 1.54 ± 0.005: 0.000 apart, within twice the tolerance of 0.005"),
    (metric(1.54, 1.529, 1.551, 5, "t"), {}, Verdict.UNDETERMINED,
     "ours 1.540 [1.529, 1.551], paper 1.54 ± 0.005: the interval, ± 0.011, is too wide to tell"),
    (metric(1.5, 1.45, 1.535, 5, "t"), {"tolerance": 0.05, "tolerance_why": "w"}, Verdict.REPRODUCED,
     "ours 1.500 [1.450, 1.535], paper 1.54 ± 0.005: within our interval, widened by the paper's rounding"),
    (metric(1.5, 1.45, 1.53, 5, "t"), {}, Verdict.NOT_REPRODUCED,
     "ours 1.500 [1.450, 1.530], paper 1.54 ± 0.005: 0.040 apart, beyond twice the tolerance of 0.005"),
    (metric(1.5, 0.7, 2.3, 5, "bootstrap"), {}, Verdict.UNDETERMINED,
     "ours 1.500 [0.700, 2.300], paper 1.54 ± 0.005: the interval, ± 0.800, is too wide to tell"),
    (metric(1.54, 1.53, 1.55, 4, "t"), {}, Verdict.UNDETERMINED, "ours 1.540 rests on 4 runs; a verdict needs 5"),
    (metric(1.54, None, None, 1, "t"), {}, Verdict.UNDETERMINED, "ours 1.540 rests on one run; a verdict needs 5"),
    (metric(1.538, 1.536, 1.545, 1, "given"), {}, Verdict.REPRODUCED,
     "ours 1.538 [1.536, 1.545], paper 1.54 ± 0.005: within our interval, widened by the paper's rounding"),
    # near 0 a wide interval tells by the reference, not by the size of the paper's value
    (metric(0.01, -0.03, 0.05, 5, "t"), {"value": 0.02, "tolerance": 0.05}, Verdict.REPRODUCED,
     "ours 0.010 [−0.030, 0.050], paper 0.02 ± 0.005: within our interval, widened by the paper's rounding"),
    (metric(0.01, -0.03, 0.05, 5, "t"), {"value": 0.02, "tolerance": 0.05, "reference": 0.0}, Verdict.UNDETERMINED,
     "ours 0.010 [−0.030, 0.050], paper 0.02 ± 0.005: the interval holds both the paper's value and 0"),
    (metric(0.02, -0.03, 0.07, 5, "t"), {"value": 0.0, "tolerance": 0.05, "reference": 0.0}, Verdict.REPRODUCED,
     "ours 0.020 [−0.030, 0.070], paper 0.00 ± 0.005: within our interval, widened by the paper's rounding"),
    # direction: the whole interval counts, and the reference itself is on no side
    (exact(1.2), {"reference": 0.8}, Verdict.DIRECTION,
     "ours 1.200, paper 1.54 ± 0.005: 0.340 apart, beyond twice the tolerance of 0.005, both above 0.8"),
    (metric(0.9, 0.7, 1.1, 5, "t"), {"reference": 0.8}, Verdict.NOT_REPRODUCED,
     "ours 0.900 [0.700, 1.100], paper 1.54 ± 0.005: 0.640 apart, beyond twice the tolerance of 0.005, "
     "and not on the same side of 0.8"),
    (exact(1.17), {"reference": 0.8}, Verdict.DIRECTION,
     "ours 1.170, paper 1.54 ± 0.005: 0.370 apart, beyond twice the tolerance of 0.005, both above 0.8"),
    (exact(1.169), {"reference": 0.8}, Verdict.NOT_REPRODUCED,
     "ours 1.169, paper 1.54 ± 0.005: both above 0.8, but ours by 0.369, less than half of the paper's 0.740"),
    # … and an effect far above the paper's is not the paper's: every count lies above 0
    (exact(2.28), {"reference": 0.8}, Verdict.DIRECTION,
     "ours 2.280, paper 1.54 ± 0.005: 0.740 apart, beyond twice the tolerance of 0.005, both above 0.8"),
    (exact(2.281), {"reference": 0.8}, Verdict.NOT_REPRODUCED,
     "ours 2.281, paper 1.54 ± 0.005: both above 0.8, but ours by 1.481, more than twice the paper's 0.740: "
     "far above print"),
    (exact(9.0), {"reference": 0}, Verdict.NOT_REPRODUCED,
     "ours 9.000, paper 1.54 ± 0.005: both above 0, but ours by 9.000, more than twice the paper's 1.540: "
     "far above print"),
    (exact(1.0), {"reference": 2.0}, Verdict.NOT_REPRODUCED,
     "ours 1.000, paper 1.54 ± 0.005: both below 2, but ours by 1.000, more than twice the paper's 0.460: "
     "far above print"),
    (exact(9.0), {"reference": 0, "caps": (WORST,)}, Verdict.UNTESTABLE,
     "another encoder; without that, our numbers would say 'not reproduced' (ours 9.000, paper 1.54 ± 0.005: "
     "both above 0, but ours by 9.000, more than twice the paper's 1.540: far above print)"),
    # an interval that holds the paper's value does not say that our effect is another
    (metric(3.5, 1.5, 9.0, 5, "t"), {"reference": 0}, Verdict.UNDETERMINED,
     "ours 3.500 [1.500, 9.000], paper 1.54 ± 0.005: the interval, ± 3.750, is too wide to tell"),
    (metric(0.5, 0.1, 1.6, 5, "t"), {"reference": 0}, Verdict.UNDETERMINED,
     "ours 0.500 [0.100, 1.600], paper 1.54 ± 0.005: the interval, ± 0.750, is too wide to tell"),
    (metric(1.3, 1.0, 1.6, 5, "t"), {"reference": 0.8}, Verdict.DIRECTION,
     "ours 1.300 [1.000, 1.600], paper 1.54 ± 0.005: 0.240 apart, both above 0.8"),
    (exact(0.8), {"reference": 0.8}, Verdict.NOT_REPRODUCED,
     "ours 0.800, paper 1.54 ± 0.005: 0.740 apart, beyond twice the tolerance of 0.005, "
     "and not on the same side of 0.8"),
    (exact(1.2), {"reference": 2.0}, Verdict.DIRECTION,
     "ours 1.200, paper 1.54 ± 0.005: 0.340 apart, beyond twice the tolerance of 0.005, both below 2"),
    # sign and magnitude
    (exact(-1.54), {}, Verdict.NOT_REPRODUCED,
     "ours −1.540, paper 1.54 ± 0.005: 3.080 apart, beyond twice the tolerance of 0.005"),
    (exact(-1.54), {"absolute": True}, Verdict.REPRODUCED,
     "|ours| 1.540, paper 1.54 ± 0.005: within the paper's rounding"),
    (metric(0.1, -1.0, 1.2, 5, "t"), {"absolute": True}, Verdict.NOT_REPRODUCED,
     "|ours| 0.100 [0.000, 1.200], paper 1.54 ± 0.005: 1.440 apart, beyond twice the tolerance of 0.005"),
    # caps
    (exact(1.54), {"caps": (CLOSE,)}, Verdict.CLOSE,
     "ours 1.540, paper 1.54 ± 0.005: within the paper's rounding; close at best: another encoder"),
    (exact(9.0), {"caps": (CLOSE,)}, Verdict.NOT_REPRODUCED,
     "ours 9.000, paper 1.54 ± 0.005: 7.460 apart, beyond twice the tolerance of 0.005"),
    (exact(1.54), {"caps": (DIRECTION,), "reference": 0.8}, Verdict.DIRECTION,
     "ours 1.540, paper 1.54 ± 0.005: 0.000 apart, both above 0.8; direction only at best: another encoder"),
    (exact(1.54), {"caps": (DIRECTION,), "reference": 1.54}, Verdict.UNDETERMINED,
     "ours 1.540, paper 1.54 ± 0.005: equal, but a direction asks for a line that the paper is not on"),
    (exact(1.60), {"caps": (DIRECTION,), "reference": 1.54}, Verdict.NOT_REPRODUCED,
     "ours 1.600, paper 1.54 ± 0.005: 0.060 apart, and not on the same side of 1.54"),
    (exact(9.0), {"caps": (WORST,)}, Verdict.UNTESTABLE,
     "another encoder; without that, our numbers would say 'not reproduced' "
     "(ours 9.000, paper 1.54 ± 0.005: 7.460 apart, beyond twice the tolerance of 0.005)"),
    (exact(1.54), {"caps": (WORST,)}, Verdict.REPRODUCED,
     "ours 1.540, paper 1.54 ± 0.005: within the paper's rounding"),
    (exact(1.54), {"caps": (CLOSE, DIRECTION), "reference": 0.8}, Verdict.DIRECTION,
     "ours 1.540, paper 1.54 ± 0.005: 0.000 apart, both above 0.8; direction only at best: another encoder"),
]  # fmt: skip


@pytest.mark.parametrize(("found", "changes", "verdict", "why"), VALUE_EXAMPLES)
def test_value_rules(found: dict[str, Any], changes: dict[str, Any], verdict: Verdict, why: str) -> None:
    judgement = verdict_of(found, **changes)
    assert judgement.verdict is verdict
    assert judgement.why == why


@pytest.mark.parametrize(
    ("found", "verdict", "why"),
    [
        (metric(0.2, 0.1, 0.3, 5, "t"), Verdict.REPRODUCED, "the margin is 0.2 [0.1, 0.3], above 0"),
        (metric(-0.2, -0.3, 0.0, 5, "t"), Verdict.NOT_REPRODUCED, "the margin is −0.2 [−0.3, 0], not above 0"),
        (metric(0.2, -0.1, 0.5, 5, "t"), Verdict.UNDETERMINED, "the margin is 0.2 [−0.1, 0.5], which 0 divides"),
        (metric(0.2, 0.0, 0.5, 5, "t"), Verdict.UNDETERMINED, "the margin is 0.2 [0, 0.5], which 0 divides"),
        (metric(0.2, 0.1, 0.3, 4, "t"), Verdict.UNDETERMINED, "ours 0.2 rests on 4 runs; a verdict needs 5"),
        (exact(0.01), Verdict.REPRODUCED, "the margin is 0.01, above 0"),
        (exact(0.0), Verdict.NOT_REPRODUCED, "the margin is 0, not above 0"),
    ],
)
def test_statement_rules(found: dict[str, Any], verdict: Verdict, why: str) -> None:
    judgement = judge(MARGIN, run(found))
    assert (judgement.verdict, judgement.why) == (verdict, why)


def test_a_statement_can_be_capped() -> None:
    claim = dataclasses.replace(MARGIN, caps=(DIRECTION,))
    assert judge(claim, run(exact(1.0))).verdict is Verdict.DIRECTION
    assert judge(claim, run(exact(-1.0))).verdict is Verdict.NOT_REPRODUCED
    assert judge(dataclasses.replace(MARGIN, caps=(WORST,)), run(exact(-1.0))).verdict is Verdict.UNTESTABLE


def test_a_cap_looks_at_conditions_and_parameters_and_all_of_them_must_be_met() -> None:
    both = capped(Verdict.CLOSE, encoder=("small", "large"), layers=(0, 1))
    claim = dataclasses.replace(VALUE, caps=(both,))
    for parameters, conditions, verdict in [
        ({"layers": 1}, {"encoder": "small"}, Verdict.REPRODUCED),
        ({"layers": 2}, {"encoder": "small"}, Verdict.CLOSE),
        ({"layers": 1}, {"encoder": "tiny"}, Verdict.CLOSE),
        ({"encoder": "tiny"}, {"layers": 1, "encoder": "large"}, Verdict.REPRODUCED),  # the run's own word counts
    ]:
        record = run(exact(1.54), parameters=parameters, conditions=conditions)
        assert judge(claim, record).verdict is verdict


def test_a_cap_on_a_list_is_lifted_by_a_run_in_which_each_item_lifts_it() -> None:
    claim = dataclasses.replace(VALUE, caps=(capped(Verdict.CLOSE, encoders=("small", "large")),))
    for encoders, verdict in [
        (["small"], Verdict.REPRODUCED),
        (["large", "small"], Verdict.REPRODUCED),
        (["small", "tiny"], Verdict.CLOSE),
        ([], Verdict.CLOSE),
    ]:
        assert judge(claim, run(exact(1.54), parameters={"encoders": encoders})).verdict is verdict


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
    ("found", "verdict"),
    [
        (exact(3.0), Verdict.INCONSISTENT),
        (exact(0.0), Verdict.UNDETERMINED),
        (metric(1.0, -0.1, 2.1, 5, "t"), Verdict.UNDETERMINED),
        (metric(1.0, 0.5, 1.5, 4, "t"), Verdict.UNDETERMINED),
    ],
)
def test_inconsistency_must_be_shown_by_its_check(found: dict[str, Any], verdict: Verdict) -> None:
    claim = dataclasses.replace(VALUE, kind="inconsistent", reason="the legends differ")
    judgement = judge(claim, run(found))
    assert judgement.verdict is verdict
    assert judgement.why.startswith("the legends differ (the check gives") == (verdict is Verdict.INCONSISTENT)


@pytest.mark.parametrize(("value", "verdict"), [(3.0, Verdict.DIFFERS), (0.0, Verdict.UNDETERMINED)])
def test_a_difference_from_released_files_must_be_shown_by_its_check(value: float, verdict: Verdict) -> None:
    claim = dataclasses.replace(VALUE, kind="differs", reason="the code has one layer")
    judgement = judge(claim, run(exact(value)))
    assert (judgement.verdict, judgement.evidence) == (verdict, Evidence.RELEASED)
    assert judgement.why.startswith("the code has one layer (the check gives") == (verdict is Verdict.DIFFERS)


def test_what_we_lack_to_measure_is_untestable_until_somebody_measured_it() -> None:
    lacking = dataclasses.replace(VALUE, lacking="no weights: `trustnlp run x` has them", expect=Verdict.UNTESTABLE)
    for record in (None, run(exact(1.54), metrics={})):
        judgement = judge(lacking, record)
        assert (judgement.verdict, judgement.why) == (Verdict.UNTESTABLE, "no weights: `trustnlp run x` has them")
        assert judgement.as_expected and judgement.evidence is Evidence.NONE
    measured = judge(lacking, run(exact(1.54)))
    assert measured.verdict is Verdict.REPRODUCED and not measured.as_expected, "once measured, the ledger must follow"


def test_untestable_gives_its_reason_whatever_was_measured() -> None:
    claim = dataclasses.replace(VALUE, kind="untestable", reason="no weights")
    for record in (None, run(exact(1.54))):
        judgement = judge(claim, record)
        assert (judgement.verdict, judgement.why, judgement.ours) == (Verdict.UNTESTABLE, "no weights", None)


def test_what_nobody_measured_is_a_fault_unless_the_ledger_says_so() -> None:
    absent = judge(VALUE, None)
    assert (absent.verdict, absent.why) == (Verdict.NOT_MEASURED, "there is no record reproduction.paper yet")
    typo = judge(dataclasses.replace(VALUE, key="a.c"), run(exact(1.54)))
    assert typo.verdict is Verdict.NOT_MEASURED
    assert typo.why == "the record reproduction.paper has no metric 'a.c'; did you mean 'a.b'?"
    for judgement in (absent, typo):
        assert judgement.fault == (
            f"{judgement.why}; mend the ledger's 'measure', run it, or say why not in 'not_measured' or 'lacking'"
        )
        assert not judgement.as_expected
        expecting = dataclasses.replace(judgement.claim, expect=Verdict.NOT_MEASURED)
        assert not judge(expecting, None).as_expected, "to expect it is not to say why"
    said = dataclasses.replace(VALUE, not_measured="needs a graphics card", expect=Verdict.NOT_MEASURED)
    for record in (None, run(exact(1.54), metrics={})):
        judgement = judge(said, record)
        assert (judgement.verdict, judgement.why) == (Verdict.NOT_MEASURED, "needs a graphics card")
        assert judgement.as_expected and judgement.fault is None
    measured = judge(said, run(exact(1.54)))
    assert measured.verdict is Verdict.REPRODUCED and not measured.as_expected, "once measured, the ledger must follow"


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
    record = run(metric(1.538, 1.536, 1.542, 5, "t"), deviations=deviations)
    found = judge(VALUE, record).to_json()
    assert json.loads(json.dumps(found)) == {
        "chapter": "c", "claim": "one", "text": "The first.", "where": "Table 1", "paper": 1.54, "ours": 1.538,
        "interval": [1.536, 1.542], "n": 5, "question": "paper", "evidence": "made-up data", "same_cell_as": None,
        "under": None, "cells": [],
        "verdict": "reproduced", "expected": "reproduced", "profile": "paper",
        "deviations": ["Our synonyms."], "record": "reproduction.paper",
        "why": "ours 1.538 [1.536, 1.542], paper 1.54 ± 0.005: within our interval, widened by the paper's rounding",
    }  # fmt: skip
    assert judge(MARGIN, None).to_json() | {"why": ""} == {
        "chapter": "c", "claim": "one", "text": "The first.", "where": "Table 1", "paper": "mean is best", "ours": None,
        "interval": None, "n": None, "question": "paper", "evidence": "not tried",
        "same_cell_as": None, "under": None, "cells": [], "verdict": "not measured",
        "expected": "reproduced", "profile": None,
        "deviations": [], "record": "reproduction.paper", "why": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "rounding", "extra", "text"),
    [
        (1.5387, 0.005, 0, "1.54"),
        (1.5387, 0.005, 1, "1.539"),
        (91.26, 0.05, 0, "91.3"),
        (91.26, 0.5, 1, "91.3"),
        (1234.0, 50, 0, "1234"),
        (-0.001, 0.005, 0, "0.00"),
        (-0.198, 0.005, 1, "−0.198"),
        (12345.0, 0, 0, "12345"),
        (0.123456, 0, 1, "0.1235"),
        (0.0000777, 0, 0, "7.77×10⁻⁵"),
        (-2.5e8, 0, 0, "−2.5×10⁸"),
        (2.5, 0.5, 0, "3"),  # half away from zero
        (-0.285, 0.005, 0, "−0.29"),
        (1.005, 0.005, 0, "1.01"),
        (12345.6, 0, 0, "12350"),
        (0.0002, 0.005, 1, "0.0002"),  # ours is not nought
        (1e-6, 0.005, 1, "1×10⁻⁶"),
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
def test_sign_does_not_matter_to_an_absolute_claim(claim: Claim, found: dict[str, Any]) -> None:
    claim = dataclasses.replace(claim, absolute=True)
    one, other = judge(claim, run(found)), judge(claim, run(mirrored(found)))
    assert (one.verdict, one.why, one.ours, one.interval) == (other.verdict, other.why, other.ours, other.interval)


@given(claims, metrics())
def test_turning_everything_round_changes_no_verdict(claim: Claim, found: dict[str, Any]) -> None:
    assume(not claim.absolute and claim.value is not None)
    turned = dataclasses.replace(
        claim, value=-(claim.value or 0.0), reference=None if claim.reference is None else -claim.reference
    )
    assert judge(claim, run(found)).verdict is judge(turned, run(mirrored(found))).verdict


@given(claims, metrics())
def test_few_random_runs_decide_nothing_and_exact_ones_always_do(claim: Claim, found: dict[str, Any]) -> None:
    verdict = judge(claim, run(found)).verdict
    if found["interval"] in ("t", "bootstrap") and found["n"] < 5:
        assert verdict is Verdict.UNDETERMINED
    if found["interval"] == "deterministic":
        assert verdict in SCALE


@given(claims)
def test_the_papers_own_value_is_always_reproduced(claim: Claim) -> None:
    assert judge(claim, run(exact(claim.value or 0.0))).verdict is Verdict.REPRODUCED


some_caps = st.lists(
    st.builds(
        lambda ends, met: Cap("c", {"encoder": ("small" if met else "large",)}, "why", *ends),
        st.sampled_from(
            [
                (best, worst)
                for best in (None, Verdict.CLOSE, Verdict.DIRECTION, Verdict.UNDETERMINED)
                for worst in (None, Verdict.UNTESTABLE, Verdict.UNDETERMINED)
                if best or worst
            ]
        ),
        st.booleans(),
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


@settings(max_examples=200)
@given(claims, metrics(), some_caps)
def test_better_evidence_lifts_both_ends(claim: Claim, found: dict[str, Any], caps: list[Cap]) -> None:
    """The same numbers of a run that met the conditions of some caps: those caps are as if they were not there."""
    claim = dataclasses.replace(claim, caps=tuple(caps))
    left = dataclasses.replace(claim, caps=tuple(cap for cap in caps if cap.unless["encoder"] != ("large",)))
    neither, met = run(found, conditions={"encoder": "tiny"}), run(found, conditions={"encoder": "large"})
    before, after = judge(claim, neither).verdict, judge(claim, met).verdict
    assert after is judge(left, neither).verdict
    if before in SCALE and after in SCALE:
        assert SCALE.index(after) >= SCALE.index(before)


@given(metrics())
def test_a_margin_and_its_opposite_are_never_both_reproduced(found: dict[str, Any]) -> None:
    pair = {judge(MARGIN, run(found)).verdict, judge(MARGIN, run(mirrored(found))).verdict}
    assert pair in (
        {Verdict.REPRODUCED, Verdict.NOT_REPRODUCED}, {Verdict.UNDETERMINED}, {Verdict.NOT_REPRODUCED},
        {Verdict.UNDETERMINED, Verdict.NOT_REPRODUCED},
    )  # fmt: skip


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


def test_a_chapter_is_judged_by_its_committed_records(chapter: Path) -> None:
    assert [found.verdict for found in judge_chapter("aec")] == [Verdict.NOT_MEASURED] * 3
    commit_record(chapter)
    assert [found.verdict for found in judge_chapter("aec")] == [
        Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.NOT_MEASURED,
    ]  # fmt: skip
    assert judge_all() == judge_chapter("aec")


def test_each_verdict_the_ledger_does_not_expect_is_told(chapter: Path) -> None:
    def wrong() -> list[str]:
        judged = [one for one in judge_chapter("aec") if not one.as_expected]
        return [f"aec: {one.claim.id}: {one.fault or unexpected(one)}" for one in judged]

    told = wrong()
    assert [line.partition(": there")[0] for line in told] == ["aec: one", "aec: two"], (
        "`three` says it is not measured"
    )
    commit_record(chapter)
    assert wrong() == [
        "aec: two: expected 'reproduced', got 'not reproduced': "
        "ours 2.000, paper 1.00 ± 0.005: 1.000 apart, beyond twice the tolerance of 0.005"
    ]


@pytest.mark.parametrize("wrong", [{"profile": "smoke"}, {"notebook": "critique"}])
def test_a_record_under_a_false_name_is_refused(chapter: Path, wrong: dict[str, str]) -> None:
    commit_record(chapter, **wrong)
    with pytest.raises(
        UserError, match=r"^chapters/aec/results/reproduction\.paper\.json: holds a .*; expected the paper run"
    ):
        judge_chapter("aec")


def test_the_rules_cover_each_kind_that_is_measured() -> None:
    assert set(rules.RULES) == {"value", "statement", "inconsistent", "differs"}
