"""Each verdict by example, the rules as properties, and the sentence beside each verdict."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trustnlp.reproduce import verdicts
from trustnlp.reproduce.claims import Claim, Paper, Verdict
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records import Record, complete, write_record
from trustnlp.reproduce.verdicts import Judgement, check, judge, judge_all, judge_chapter, number_text

PAPER = Paper("doe2020x", "A title", "J. Doe", "Somewhere", 2020, "https://example.org")
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
    return {"profile": "paper", "metrics": {"a.b": found}, "deviations": [], **fields}


def verdict_of(found: dict[str, Any], **changes: Any) -> Judgement:
    return judge(dataclasses.replace(VALUE, **changes), run(found))


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
    (metric(1.5, 1.45, 1.535, 5, "t"), {}, Verdict.REPRODUCED,
     "ours 1.500 [1.450, 1.535], paper 1.54 ± 0.005: within our interval, widened by the paper's rounding"),
    (metric(1.5, 1.45, 1.53, 5, "t"), {}, Verdict.NOT_REPRODUCED,
     "ours 1.500 [1.450, 1.530], paper 1.54 ± 0.005: 0.040 apart, beyond twice the tolerance of 0.005"),
    (metric(1.5, 0.7, 2.3, 5, "bootstrap"), {}, Verdict.UNDETERMINED,
     "ours 1.500 [0.700, 2.300], paper 1.54 ± 0.005: the interval is wider than the paper's value"),
    (metric(1.54, 1.53, 1.55, 4, "t"), {}, Verdict.UNDETERMINED, "ours 1.540 rests on 4 runs; a verdict needs 5"),
    (metric(1.54, None, None, 1, "t"), {}, Verdict.UNDETERMINED, "ours 1.540 rests on one run; a verdict needs 5"),
    (metric(1.5, 1.4, 1.6, 1, "given"), {}, Verdict.REPRODUCED,
     "ours 1.500 [1.400, 1.600], paper 1.54 ± 0.005: within our interval, widened by the paper's rounding"),
    # direction: the whole interval counts, and the reference itself is on no side
    (exact(1.2), {"reference": 0.8}, Verdict.DIRECTION,
     "ours 1.200, paper 1.54 ± 0.005: 0.340 apart, beyond twice the tolerance of 0.005, both above 0.8"),
    (metric(0.9, 0.7, 1.1, 5, "t"), {"reference": 0.8}, Verdict.NOT_REPRODUCED,
     "ours 0.900 [0.700, 1.100], paper 1.54 ± 0.005: 0.640 apart, beyond twice the tolerance of 0.005, "
     "and not on the same side of 0.8"),
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
    (exact(1.54), {"at_best": Verdict.CLOSE, "at_best_why": "lower-cased"}, Verdict.CLOSE,
     "ours 1.540, paper 1.54 ± 0.005: within the paper's rounding; close at best: lower-cased"),
    (exact(9.0), {"at_best": Verdict.CLOSE, "at_best_why": "lower-cased"}, Verdict.NOT_REPRODUCED,
     "ours 9.000, paper 1.54 ± 0.005: 7.460 apart, beyond twice the tolerance of 0.005"),
    (exact(1.54), {"at_best": Verdict.DIRECTION, "at_best_why": "another encoder", "reference": 0.8}, Verdict.DIRECTION,
     "ours 1.540, paper 1.54 ± 0.005: 0.000 apart, both above 0.8; direction only at best: another encoder"),
    (exact(1.54), {"at_best": Verdict.DIRECTION, "at_best_why": "another encoder", "reference": 1.54},
     Verdict.NOT_REPRODUCED, "ours 1.540, paper 1.54 ± 0.005: 0.000 apart, and not on the same side of 1.54"),
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
    claim = dataclasses.replace(MARGIN, at_best=Verdict.DIRECTION, at_best_why="another encoder")
    assert judge(claim, run(exact(1.0))).verdict is Verdict.DIRECTION
    assert judge(claim, run(exact(-1.0))).verdict is Verdict.NOT_REPRODUCED


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


def test_untestable_gives_its_reason_whatever_was_measured() -> None:
    claim = dataclasses.replace(VALUE, kind="untestable", reason="no weights")
    for record in (None, run(exact(1.54))):
        judgement = judge(claim, record)
        assert (judgement.verdict, judgement.why, judgement.ours) == (Verdict.UNTESTABLE, "no weights", None)


def test_without_a_measurement_a_claim_is_undetermined() -> None:
    absent = judge(VALUE, None)
    assert (absent.verdict, absent.why) == (Verdict.UNDETERMINED, "there is no record reproduction.paper yet")
    typo = judge(dataclasses.replace(VALUE, key="a.c"), run(exact(1.54)))
    assert typo.verdict is Verdict.UNDETERMINED
    assert typo.why == "the record reproduction.paper has no metric 'a.c'; did you mean 'a.b'?"


def test_deviations_are_those_that_touch_the_metric() -> None:
    deviations = [
        {"text": "all", "keys": []},
        {"text": "word2vec", "keys": ["glove", "w"]},
        {"text": "other", "keys": ["w.weat1"]},
        {"text": "all", "keys": ["w.weat10"]},
    ]
    record = {"profile": "paper", "metrics": {"w.weat10.d": exact(1.54)}, "deviations": deviations}
    judgement = judge(dataclasses.replace(VALUE, key="w.weat10.d"), record)
    assert judgement.deviations == ("all", "word2vec")


def test_json_form_has_the_published_fields() -> None:
    record = run(metric(1.5, 1.45, 1.56, 5, "t"), deviations=[{"text": "Our synonyms.", "keys": []}])
    found = judge(VALUE, record).to_json()
    assert json.loads(json.dumps(found)) == {
        "chapter": "c", "claim": "one", "text": "The first.", "where": "Table 1", "paper": 1.54, "ours": 1.5,
        "interval": [1.45, 1.56], "n": 5, "verdict": "reproduced", "expected": "reproduced", "profile": "paper",
        "deviations": ["Our synonyms."], "record": "reproduction.paper",
        "why": "ours 1.500 [1.450, 1.560], paper 1.54 ± 0.005: within our interval, widened by the paper's rounding",
    }  # fmt: skip
    assert judge(MARGIN, None).to_json() | {"why": ""} == {
        "chapter": "c", "claim": "one", "text": "The first.", "where": "Table 1", "paper": "mean is best", "ours": None,
        "interval": None, "n": None, "verdict": "undetermined", "expected": "reproduced", "profile": None,
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


@given(claims, metrics(), st.floats(0, 2))
def test_more_tolerance_never_makes_a_verdict_worse(claim: Claim, found: dict[str, Any], more: float) -> None:
    before = judge(claim, run(found)).verdict
    after = judge(dataclasses.replace(claim, tolerance=claim.tolerance + more), run(found)).verdict
    if before in SCALE:
        assert SCALE.index(after) >= SCALE.index(before)
    else:
        assert after is before is Verdict.UNDETERMINED


@given(claims, metrics())
def test_a_smoke_run_is_never_judged(claim: Claim, found: dict[str, Any]) -> None:
    judgement = judge(claim, run(found, profile="smoke"))
    assert judgement.verdict is Verdict.UNDETERMINED and judgement.ours is None
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


@given(claims, metrics(), st.sampled_from([Verdict.CLOSE, Verdict.DIRECTION]))
def test_a_cap_is_never_exceeded(claim: Claim, found: dict[str, Any], cap: Verdict) -> None:
    free = judge(claim, run(found)).verdict
    capped = judge(dataclasses.replace(claim, at_best=cap, at_best_why="why"), run(found)).verdict
    if free in SCALE:
        assert SCALE.index(capped) <= min(SCALE.index(cap), SCALE.index(free))
    else:
        assert capped is free


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
     measure: {record: critique.paper, key: c}, expect: undetermined}
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
    whole = complete(
        record.to_json(), git_commit=None, git_dirty=None, source_hash="s", cache_key="k", environment={},
        hardware={"cpu": "test", "cores": 2, "memory_gb": 8.0, "gpu": None}, seconds=1.0, peak_memory_mb=1.0,
        started="2021-08-01T12:00:00+00:00",
    )  # fmt: skip
    write_record(chapter / "results" / "reproduction.paper.json", whole)


def test_a_chapter_is_judged_by_its_committed_records(chapter: Path) -> None:
    assert [found.verdict for found in judge_chapter("aec")] == [Verdict.UNDETERMINED] * 3
    commit_record(chapter)
    assert [found.verdict for found in judge_chapter("aec")] == [
        Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.UNDETERMINED,
    ]  # fmt: skip
    assert judge_all() == judge_chapter("aec")


def test_check_tells_each_verdict_the_ledger_does_not_expect(chapter: Path) -> None:
    commit_record(chapter)
    assert check("aec") == [
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
    assert set(verdicts._RULES) == {"value", "statement", "inconsistent"}
