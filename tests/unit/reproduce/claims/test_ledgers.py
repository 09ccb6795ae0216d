"""The ledger: single claims, grids, and mistakes told in one line."""

import re
from pathlib import Path

import pytest

from trustnlp.reproduce.claims.ledgers import LETTERS, Cap, Evidence, Ledger, Verdict, load_claims, parse_claims
from trustnlp.reproduce.schemas import SchemaError, parse_yaml

PAPER = """
paper: {key: doe2020x, title: A title, authors: J. Doe, venue: Somewhere, year: 2020, url: "https://example.org"}
"""
CAPS = """
caps:
  encoder: {unless: {encoder: [bert, 1], layers: [0]}, at_best: direction only, at_worst: undetermined, why: "another"}
  case: {unless: {lower: [false]}, at_best: close, why: "lower-cased"}
"""
VALUE = """
claims:
  - id: one
    where: "Table 1"
    text: "The first."
    kind: value
    paper: {value: 1.54, rounding: 0.005}
    measure: {record: reproduction.paper, key: a.b, absolute: true}
    tolerance: {absolute: 2e-2, why: "because"}
    direction: {reference: 0.8}
    caps: [encoder, case]
    expect: reproduced
"""
GRID = """
grids:
  - id: t4
    where: "Table 4, WEAT {row}, {label}"
    text: "Effect size of WEAT {row} with {label}, $x_{{i}}$"
    kind: value
    record: reproduction.paper
    key: "word2vec.{measure}.{statistic}.weat{row}.effect_size"
    absolute: true
    rounding: 0.005
    columns:
      - {id: cosine-mean, label: "cosine, mean", measure: cosine, statistic: mean}
      - {id: cosine-max, label: "cosine, max", measure: cosine, statistic: max}
    paper:
      1: [1.54, null]
      2: [1.63, -0.2]
    expect:
      1: [R, null]
      2: [C, N]
"""


def parse(text: str) -> Ledger:
    return parse_claims(parse_yaml(PAPER + CAPS + text, "claims.yaml"), "weat_measures", "claims.yaml")


def refusal(text: str) -> str:
    with pytest.raises(SchemaError) as caught:
        parse(text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_value_claim_is_read_whole() -> None:
    (claim,) = parse(VALUE).claims
    assert (claim.id, claim.where, claim.text, claim.kind) == ("one", "Table 1", "The first.", "value")
    assert (claim.value, claim.rounding, claim.record, claim.key) == (1.54, 0.005, "reproduction.paper", "a.b")
    assert (claim.absolute, claim.tolerance, claim.tolerance_why, claim.reference) == (True, 0.02, "because", 0.8)
    encoder = Cap(
        "encoder", {"encoder": ("bert", 1), "layers": (0,)}, "another", Verdict.DIRECTION, Verdict.UNDETERMINED
    )
    assert claim.caps == (encoder, Cap("case", {"lower": (False,)}, "lower-cased", Verdict.CLOSE))
    assert (claim.chapter, claim.paper.year, claim.expect) == ("weat_measures", 2020, Verdict.REPRODUCED)


def test_the_other_kinds() -> None:
    statement, untestable, inconsistent = parse(
        """
claims:
  - {id: s, where: p. 3, text: Mean is largest., kind: statement, paper: {text: "mean works best"},
     measure: {record: reproduction.paper, key: m}, expect: reproduced}
  - {id: u, where: p. 3, text: ELMo., kind: untestable, reason: "no weights"}
  - {id: i, where: p. 4, text: Two legends., kind: inconsistent, reason: "the legends differ",
     measure: {record: critique.paper, key: c}, expect: inconsistent in the paper}
"""
    ).claims
    assert (statement.expect, statement.quote) == (Verdict.REPRODUCED, "mean works best")
    assert (untestable.expect, untestable.reason, untestable.record) == (Verdict.UNTESTABLE, "no weights", None)
    assert (inconsistent.expect, inconsistent.reason) == (Verdict.INCONSISTENT, "the legends differ")


def test_a_grid_becomes_one_claim_per_cell_and_skips_null() -> None:
    claims = parse(GRID).claims
    assert [claim.id for claim in claims] == ["t4-cosine-mean-1", "t4-cosine-mean-2", "t4-cosine-max-2"]
    first, _, last = claims
    assert first.where == "Table 4, WEAT 1, cosine, mean"
    assert first.text == "Effect size of WEAT 1 with cosine, mean, $x_{i}$"
    assert first.key == "word2vec.cosine.mean.weat1.effect_size"
    assert (last.value, last.rounding, last.tolerance, last.absolute) == (-0.2, 0.005, 0.005, True)
    assert [claim.expect for claim in claims] == [Verdict.REPRODUCED, Verdict.CLOSE, Verdict.NOT_REPRODUCED]
    assert last.cell is not None
    assert (last.cell.row, last.cell.column_label, last.cell.title) == ("2", "cosine, max", "t4")


def test_grid_wide_rules_reach_each_cell() -> None:
    extra = """
    title: Table 4
    row_label: "WEAT {row}"
    tolerance: {absolute: 0.1, why: "another vocabulary"}
    direction: {reference: 0.8}
    caps: [case]
"""
    for claim in parse(GRID + extra).claims:
        assert (claim.tolerance, claim.reference, [cap.name for cap in claim.caps]) == (0.1, 0.8, ["case"])
        assert claim.cell is not None and claim.cell.row_label == f"WEAT {claim.cell.row}"


@pytest.mark.parametrize(
    ("letter", "said", "kind", "reason", "lacking", "not_measured"),
    [
        ("X", 'reason: "a word of WEAT {row} is missing"', "untestable", "a word of WEAT 2 is missing", None, None),
        ("X", 'reason: {2: "WEAT {row} is settled"}', "untestable", "WEAT 2 is settled", None, None),
        ("X", 'lacking: "no vectors of WEAT {row}"', "value", None, "no vectors of WEAT 2", None),
        ("M", 'not_measured: "`run {row}` would"', "value", None, None, "`run 2` would"),
    ],
)
def test_a_cell_that_nobody_measured_says_why_or_leaves_it_to_the_record(
    letter: str, said: str, kind: str, reason: str | None, lacking: str | None, not_measured: str | None
) -> None:
    first, *_, cell = parse(f"{GRID.replace('2: [C, N]', f'2: [C, {letter}]')}    {said}\n").claims
    assert (cell.kind, cell.reason, cell.lacking, cell.not_measured) == (kind, reason, lacking, not_measured)
    assert cell.expect is LETTERS[letter] and cell.value == -0.2
    assert cell.record == (None if kind == "untestable" else "reproduction.paper")
    assert (first.kind, first.lacking, first.not_measured) == ("value", None, None)


def test_reasons_of_some_rows_must_cover_each_cell_that_differs() -> None:
    differs = GRID.replace("kind: value", "kind: differs").replace("    absolute: true\n", "")
    text = differs.replace("[R, null]", "[F, null]").replace("[C, N]", "[F, F]")
    assert "reason has no row 2" in refusal(text + '    reason: {1: "of one row"}\n')


def test_a_claim_says_whose_question_it_is_and_what_it_rests_on() -> None:
    [said] = parse(VALUE + "    ours: true\n    evidence: print only\n").claims
    assert (said.ours, said.evidence) == (True, Evidence.PRINT)
    assert "evidence (id one): expected one of" in refusal(VALUE + "    evidence: hearsay\n")
    assert "ours" in refusal(VALUE + "    ours: false\n"), "the paper's is the rule, and is not said"
    grid = GRID.replace("statistic: mean}", "statistic: mean, evidence: released files}") + "    ours: true\n"
    mean, _, most = parse(grid).claims
    assert (mean.ours, mean.evidence, most.ours, most.evidence) == (True, Evidence.RELEASED, True, None)


OURS = """
claims:
  - id: sees-ten
    where: Planted bias
    text: WEAT sees a bias of 10 %.
    kind: statement
    ours: true
    plan: {hypothesis: It does., statistic: power, smallest_difference: 10 points, n: 5, hours: 0.5}
    measure: {record: planted_bias.paper, key: power.margin}
    expect: reproduced
"""


def test_a_ledger_without_a_paper_asks_questions_of_ours_with_the_plan_of_each() -> None:
    def ours(text: str) -> Ledger:
        return parse_claims(parse_yaml(text, "claims.yaml"), "across", "claims.yaml")

    [claim] = ours(OURS).claims
    assert claim.paper is None and claim.ours and claim.plan is not None
    assert (claim.plan.smallest_difference, claim.plan.n, claim.plan.hours) == ("10 points", 5, 0.5)
    assert parse(OURS).claims[0].plan == claim.plan, "a question of ours beside a paper may have one"
    line = OURS[OURS.index("    plan:") : OURS.index("    measure:")]
    for text, told in [
        (OURS.replace(line, ""), "claims[0] (id sees-ten): lacks 'plan', as the ledger names no paper"),
        (OURS.replace("    ours: true\n", ""), "claims[0] (id sees-ten): lacks 'ours'"),
        (OURS.replace(", n: 5", ""), "claims[0].plan (id sees-ten): lacks 'n'"),
        (OURS.replace("hours: 0.5", "hours: 0"), "claims[0].plan.hours (id sees-ten): expected a number > 0, got 0"),
        (OURS + "printed: {table1: {a: 1}}\n", "nothing is printed without a 'paper'"),
    ]:
        with pytest.raises(SchemaError, match=re.escape(told)):
            ours(text)


def test_a_printed_cell_that_is_judged_again_names_the_claim_that_counts() -> None:
    again = VALUE.replace("claims:\n", "").replace("id: one", "id: two")
    both = VALUE + again
    claims = parse(both + "    same_cell_as: one\n").claims
    assert [claim.same_cell_as for claim in claims] == [None, "one"]
    assert "two: same_cell_as 'onne': no such claim; did you mean 'one'?" in refusal(both + "    same_cell_as: onne\n")
    other = both.replace("1.54", "1.55", 1) + "    same_cell_as: one\n"
    assert "the printed numbers are 1.54 and 1.55, not one cell" in refusal(other)
    third = again.replace("id: two", "id: three")
    chain = both + "    same_cell_as: one\n" + third + "    same_cell_as: two\n"
    assert "three: same_cell_as 'two': it does not count itself; name 'one', which does" in refusal(chain)


def test_cells_of_a_grid_name_the_one_that_counts_by_a_template() -> None:
    text = GRID.replace("2: [1.63, -0.2]", "2: [1.63, 1.63]")
    found = parse(f'{text}    same_cell_as: "t4-cosine-mean-{{row}}"\n').claims
    assert [claim.same_cell_as for claim in found] == [None, None, "t4-cosine-mean-2"]
    assert "no such claim" in refusal(f'{text}    same_cell_as: "t4-cosine-men-{{row}}"\n')


def test_an_untestable_grid_needs_no_expectation() -> None:
    ledger = parse(
        """
grids:
  - id: elmo
    where: Table 4
    text: "ELMo, {label}"
    kind: untestable
    reason: "weights cannot be had"
    rounding: 0.005
    columns: [{id: m, label: mean}]
    paper: {1: [0.5], 2: [null], 3: ["n/a"]}
"""
    )
    assert [(claim.id, claim.value, claim.quote) for claim in ledger.claims] == [
        ("elmo-m-1", 0.5, None), ("elmo-m-3", None, "n/a"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind: value", "kind: valeu", "did you mean 'value'?"),
        ("value: 1.54,", "value: .nan,", "line 13: expected a finite number"),
        ("id: one", "id: 'o n e'", "expected an id of letters, digits, dot, dash and underscore"),
        ("caps: [encoder, case]", "caps: [encodr]", "unknown cap 'encodr'; did you mean 'encoder'?"),
        (', why: "because"', "", "claims[0].tolerance (id one): lacks 'why'"),
        ("    direction: {reference: 0.8}\n", "", "'at_best: direction only' needs 'direction: {reference: ...}'"),
        (
            "reproduction.paper",
            "reproduction.smoke",
            "record 'reproduction.smoke': a smoke run says nothing about the paper; expected 'reproduction.paper'",
        ),
        ("kind: value", "kind: statement", "(id one): is not used by this kind of entry"),
        ("reproduction.paper", "results/r.json", "expected NOTEBOOK.paper"),
        ("    text:", "    text: again\n    text:", "line 12: key 'text' stands twice"),
    ],
)
def test_mistakes_in_a_claim_are_told_in_one_line(old: str, new: str, message: str) -> None:
    assert old in VALUE
    told = refusal(VALUE.replace(old, new))
    assert told.startswith("claims.yaml: ")
    assert message in told


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{measure}", "{mesure}", "unknown placeholder {mesure}; did you mean 'measure'?"),
        ("$x_{{i}}$", "$x_{i$", "write {{ and }} for plain braces"),
        ("1: [1.54, null]", "1: [1.54]", "paper row 1 has 1 cells for 2 columns"),
        ("1: [R, null]", "1: [null, null]", "row 1, column cosine-mean: paper is 1.54, but expect is missing"),
        ("1: [R, null]", "1: [R, R]", "row 1, column cosine-max: expect is R, but paper is null"),
        ("      1: [R, null]\n", "", "expect has no row 1"),
        ("      1: [R, null]\n", "      1: [R, null]\n      3: [R, R]\n", "expect has row 3, but paper has not"),
        ("1.54", "'1.54'", "(id t4): expected a number, or the place of a printed one"),
        ("2: [C, N]", "2: [C, M]", "expect is M, but the grid has no 'not_measured' that says why"),
        ("    rounding", "    reason: {3: x}\n    rounding", "reason has row 3, but paper has not"),
        ("    rounding: 0.005\n", "", "lacks 'rounding'"),
        ("cosine-max", "cosine-mean", "id 't4-cosine-mean-2' stands twice"),
        (
            "measure: cosine, statistic: mean",
            "measure: cosine, row: 3, statistic: mean",
            "grids[0].columns[0].row (id cosine-mean): is not used",
        ),
    ],
)
def test_mistakes_in_a_grid_are_told_in_one_line(old: str, new: str, message: str) -> None:
    assert old in GRID
    told = refusal(GRID.replace(old, new, 1))
    assert told.startswith("claims.yaml: ")
    assert message in told


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("unless: {lower: [false]}", "unless: {lower: [[a]]}", "caps.case.unless.lower[0]: expected text or a number"),
        ("at_best: close", "at_best: reproduced", 'caps.case.at_best: expected one of "close", "direction only"'),
        ("at_worst: undetermined", "at_worst: close", 'caps.encoder.at_worst: expected one of "not testable here"'),
    ],
)
def test_mistakes_in_a_cap_are_told_in_one_line(old: str, new: str, message: str) -> None:
    assert CAPS.count(old) == 1
    with pytest.raises(SchemaError) as caught:
        parse_claims(parse_yaml(PAPER + CAPS.replace(old, new), "claims.yaml"), "weat_measures", "claims.yaml")
    told = str(caught.value)
    assert told.startswith("claims.yaml: ") and message in told and "\n" not in told


def test_a_ledger_is_found_by_its_chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "chapters" / "aec" / "claims.yaml"
    file.parent.mkdir(parents=True)
    (tmp_path / "_config.yml").touch()
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    text = PAPER + CAPS + VALUE + GRID
    file.write_text(text, encoding="utf-8")
    assert [claim.chapter for claim in load_claims("aec").claims] == ["aec"] * 4
    for content, told in [
        (text.replace("year: 2020", "year: MMXX").encode(), r"paper\.year: expected a whole number"),
        (text.encode("utf-16"), r"not text in UTF-8 but in UTF-16; [^\n]*$"),
    ]:
        file.write_bytes(content)
        with pytest.raises(SchemaError, match=rf"^chapters/aec/claims\.yaml: {told}"):
            load_claims("aec")


def test_headlines_mark_claims_in_their_own_order() -> None:
    headlines = "headlines: [{claim: t4-cosine-max-2, says: Short}, {claim: one, reads: '{ours} points'}]"
    told = {claim.id: (claim.headline, claim.says, claim.reads) for claim in parse(VALUE + GRID + headlines).claims}
    assert told["t4-cosine-max-2"] == (0, "Short", None) and told["one"] == (1, None, "{ours} points")
    assert told["t4-cosine-mean-1"] == (None, None, None)


@pytest.mark.parametrize(
    ("headlines", "message"),
    [("[{claim: onee}]", "headlines: no claim 'onee'; did you mean 'one'?"), ("[{claim: one}, {claim: one}]", "twice")],
)
def test_headlines_name_claims_once(headlines: str, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        parse(f"{VALUE}headlines: {headlines}")
