"""Printed numbers of a ledger: read by table, referred to by claims, orderings, quotations, shared quantities."""

from __future__ import annotations

import ast
import copy
from typing import Any

import pytest
from quotations import flow, misquoted, occurs, plain

from trustnlp.reproduce.claims.ledger_lints import contradictions, printed_twice, unsaid
from trustnlp.reproduce.claims.ledger_tables import printed_tables, read_by
from trustnlp.reproduce.claims.ledgers import Verdict, parse_claims
from trustnlp.reproduce.claims.shared_quantities import Shared, disagreements
from trustnlp.reproduce.claims.verdicts import judge
from trustnlp.reproduce.code.reach import PACKAGE
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.schemas import SchemaError, parse_yaml

LEDGER = parse_yaml(
    """
paper: {key: k, title: T, authors: A, venue: V, year: 2020, url: "https://example.org"}
printed:
  table4: {ours: {3: [82.67, 100.0], 4: [80.25, 9.6]}, n: 1457}
claims:
  - {id: one, where: Table 4, text: A number., kind: value, paper: {value: =table4/ours/3/0, rounding: 0.005},
     measure: {record: r.paper, key: k}, direction: {reference: =table4/ours/4/0}, expect: reproduced}
  - {id: two, where: Table 4, text: An order., kind: statement, order: [[=table4/ours/4/0, <, "#one"]],
     paper: {text: "{=table4/ours/3/1:.2f} for {=table4/ours/4/1}"}, measure: {record: r.paper, key: k},
     expect: reproduced}
""",
    "claims.yaml",
)


def changed(**claim: Any) -> dict[str, Any]:
    """The ledger with fields of its second claim replaced; None takes one away."""
    document = copy.deepcopy(LEDGER)
    replaced = document["claims"][1] | claim
    document["claims"][1] = {name: value for name, value in replaced.items() if value is not None}
    return document


def test_references_become_numbers_and_their_digits() -> None:
    one, two = parse_claims(LEDGER, "c", "c").claims
    assert (one.value, one.reference, two.quote) == (82.67, 80.25, "100.00 for 9.6")
    assert [order.text for order in two.order] == ["80.25 < 82.67"]


@pytest.mark.parametrize("reference", ["=table5/ours/3/0", "=table4/ours/3/7", "=table4/ours/3"])
def test_a_reference_to_nothing_or_to_no_number_is_refused(reference: str) -> None:
    document = copy.deepcopy(LEDGER)
    document["claims"][0]["paper"]["value"] = reference
    with pytest.raises(SchemaError, match=r"claims\[0\].paper.value.*" + reference):
        parse_claims(document, "c", "c")


@pytest.mark.parametrize(
    ("order", "against"),
    [
        (["=table4/ours/4/0", "<", "=table4/ours/3/0"], False),
        (["=table4/ours/4/0", ">", "=table4/ours/3/0"], True),
        (["=table4/ours/4/0", ">", ["=table4/ours/3/0", -2.415]], False),  # within the roundings
        (["=table4/ours/4/0", ">", ["=table4/ours/3/0", -2.4]], True),
        ([["=table4/ours/4/0", 5], ">", "#one"], False),
        ([-9, "|>|", "=table4/ours/4/1"], True),
    ],
)
def test_an_ordering_against_the_print_is_a_fault_of_a_statement_and_the_finding_of_an_inconsistency(
    order: list[Any], against: bool
) -> None:
    statement = parse_claims(changed(order=[order]), "c", "c").claims
    assert bool(contradictions(statement)) is against
    entered = changed(order=[order], kind="inconsistent", reason="so it is", measure=None)
    found = judge(parse_claims(entered, "c", "c").claims[1], None)
    assert (found.verdict is Verdict.INCONSISTENT) is against
    assert (found.verdict is Verdict.UNDETERMINED) is not against and "so it is" in found.why


@pytest.mark.parametrize(("side", "told"), [("#three", "no claim 'three'"), ("table4", "a cell such as")])
def test_an_ordering_of_what_is_not_there_is_refused(side: str, told: str) -> None:
    with pytest.raises(SchemaError, match=told):
        parse_claims(changed(order=[[side, "<", 1]]), "c", "c")


def test_a_claim_with_nothing_of_the_paper_is_ours() -> None:
    nothing = {"paper": None, "order": None, "where": "§4"}
    for changes, at_fault in (
        (nothing, True),
        (nothing | {"ours": True}, False),
        (nothing | {"where": "Table 4"}, False),
        (nothing | {"paper": {"text": "grows"}}, False),
        (nothing | {"kind": "cells", "cells": ["one"], "measure": None}, False),  # its cells say it
    ):
        found = unsaid(parse_claims(changed(**changes), "c", "c").claims)
        assert [line.partition(":")[0] for line in found] == ["two"] * at_fault


def test_a_number_that_stands_in_a_table_is_not_typed_again() -> None:
    document = copy.deepcopy(LEDGER)
    assert printed_twice(document) == []
    document["claims"][0]["paper"]["value"] = 82.67
    document["claims"][0]["direction"]["reference"] = 80.25
    told = printed_twice(document)
    assert len(told) == 2 and "=table4/ours/3/0" in told[0] and "=table4/ours/4/0" in told[1]
    document["claims"][0]["where"] = "Table 5"
    assert len(printed_twice(document)) == 1  # the line may be of any table


def test_tables_are_read_by_name_with_numbers_as_keys() -> None:
    assert printed_tables("dpnr", "table7")["table7"]["dpnr"][3][0] == 83.6
    with pytest.raises(UserError, match="did you mean 'table7'"):
        printed_tables("dpnr", "tabel7")
    with pytest.raises(UserError, match="name the tables"):
        printed_tables("dpnr")


def test_what_a_program_reads_can_be_told_from_its_text() -> None:
    assert read_by('a = printed_tables("x", "t1", "t2")\nb = other("y")') == {("x", "t1"), ("x", "t2")}
    for code in ("printed_tables(slug, 't')", "printed_tables('x', *names)", "printed_tables('x', t)"):
        with pytest.raises(ValueError, match="plain texts"):
            read_by(code)


SCAN = """The “robust” strat-
egy helps only with $\\epsilon$ rather high. It is composed of 5, 428 pairs and 638

Figure 5: a caption.

text-pairs for the ﬁrst part, where $\\mathbf{r} = \\{r_1, \\dots\\}$ are i.i.d."""


@pytest.mark.parametrize(
    ("quotation", "there"),
    [
        ("the robust strategy helps only with ε rather high", True),
        ("the first part … strategy helps", False),
        ("638 text-pairs for the first part", True),
        ("r = {r1, …} are i.i.d.", True),
        ("robust helps", False),
    ],
)
def test_quotations_are_found_through_what_scans_do_to_text(quotation: str, there: bool) -> None:
    assert occurs(quotation, plain(flow(SCAN))) is there


def test_only_words_of_the_paper_are_quotations() -> None:
    assert misquoted(LEDGER, SCAN) == []  # put together from printed numbers
    assert misquoted(changed(paper={"text": "robust helps"}), SCAN)[0].startswith("two: ")
    assert misquoted(changed(paper={"text": "[the paper has no sentence on it]"}), SCAN) == []


def metric(mean: float, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    return {"mean": mean, "low": mean if low is None else low, "high": mean if high is None else high}


def records(**gaps: dict[str, Any]) -> dict[str, Any]:
    return {name: {"metrics": {"gap": gap, f"{name}.gap": gap}} for name, gap in gaps.items()}


APART, MEETING = records(a=metric(124.5), b=metric(0.0)), records(a=metric(2, 1, 3), b=metric(4, 2.5, 5))


def shared(records: str, same: bool, **more: Any) -> Shared:
    return Shared(records=list(records), same=same, **more)


OTHER = shared("ab", False, keys=["gap"], why="other data")


@pytest.mark.parametrize(
    ("shared", "measured", "faults"),
    [
        ([], APART, 1),  # nobody says what the common key is
        ([shared("ab", True, keys=["gap"])], APART, 1),
        ([shared("ab", True, keys=["gap"], uses="b", why="it was proven")], APART, 0),
        ([shared("ab", True, keys=["gap"], uses="b", why="it was proven")], MEETING, 1),  # no longer needed
        ([OTHER, shared("ab", True, pairs=[["a.gap", "b.gap"]])], APART, 1),
        ([OTHER, shared("ab", True, pairs=[["a.gap", "gone"]])], APART, 1),
        ([OTHER, shared("ac", True, keys=["gap"])], APART, 1),
        ([shared("ab", False, keys=["gap", "seconds"], why="other data")], APART, 1),
    ],
)
def test_two_records_of_one_quantity_agree_or_the_ledger_says_which_is_used(
    shared: list[Shared], measured: dict[str, Any], faults: int
) -> None:
    assert len(disagreements(shared, measured)) == faults


def test_printed_numbers_enter_closures_wherever_the_package_reads_them() -> None:
    """Of the package only studies are searched for the tables that they read, and for nothing else of a ledger."""
    readers = {"printed_tables", "printed_values", "load_claims"}
    for path in (file for file in PACKAGE.rglob("*.py") if not {"reproduce", "tools"} & set(file.parts)):
        names = {n.name for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.alias)}
        allowed = {"printed_tables"} if "studies" in path.parts else set()
        assert names & readers <= allowed, f"{path} reads a ledger in a way that no record's closure sees"
