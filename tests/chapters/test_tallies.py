"""Ledgers count what they say: a printed cell once, questions of ours as ours; nothing waits for what we lack."""

import re
from collections import defaultdict
from itertools import combinations, pairwise

import pytest

from trustnlp.reproduce.claims.ledgers import Claim, Verdict, load_claims
from trustnlp.reproduce.claims.tallies import group_of
from trustnlp.reproduce.claims.verdicts import judge_chapter
from trustnlp.reproduce.project import chapters

CLAIMS = {slug: load_claims(slug).claims for slug in chapters()}
EVERY = [claim for claims in CLAIMS.values() for claim in claims]
LEANS = re.compile(r"(The same|So do|And|Or|Nor|Neither|They|It) ")
OF_FILES = re.compile(r"\b(released|stored|saved) (code|decoder|outputs?|files?|list|scores)\b|\b\w+\.py\b")


def test_columns_with_the_same_printed_numbers_count_once() -> None:
    """Two arms of ours that are held against one column of the paper: its cells are no more than they were."""
    columns: dict[tuple[str, str], dict[str, dict[str, Claim]]] = defaultdict(lambda: defaultdict(dict))
    for claim in EVERY:
        if claim.cell is not None and claim.value is not None:
            columns[claim.chapter, claim.cell.grid][claim.cell.column][claim.cell.row] = claim
    told = []
    for place, grid in columns.items():
        for (one, first), (other, second) in combinations(grid.items(), 2):
            if {row: claim.value for row, claim in first.items()} != {row: c.value for row, c in second.items()}:
                continue
            digits = sum(len(re.sub(r"\D", "", f"{claim.value:g}").lstrip("0")) for claim in first.values())
            if digits >= 3 and any(first[row].same_cell_as is None is second[row].same_cell_as for row in first):
                told.append(f"{place}: {one}, {other}")
    assert told == [], "one of the two is 'same_cell_as' the other"


@pytest.mark.parametrize(
    ("slug", "number"),
    [("dpnr", 31.13), ("dpnr", 15.86), ("polarizedtext", 0.96), ("polarizedtext", 0.775), ("edin", 23.2)],
)
def test_a_number_that_is_judged_many_times_counts_once(slug: str, number: float) -> None:
    judging = [claim for claim in CLAIMS[slug] if claim.value == number]
    assert len(judging) > 1 and len([claim for claim in judging if claim.same_cell_as is None]) == 1


@pytest.mark.parametrize("slug", CLAIMS)
def test_questions_of_ours_are_marked_and_not_written_out(slug: str) -> None:
    said = {claim.id: f"{claim.where} {claim.text} {claim.quote} {claim.says}".lower() for claim in CLAIMS[slug]}
    told = [name for name, text in said.items() if "our question" in text]
    assert told == [], "write 'ours: true' in the place of the words"


@pytest.mark.parametrize("slug", CLAIMS)
def test_what_nobody_measured_can_be_run_by_anybody_and_says_in_what_time(slug: str) -> None:
    for claim in CLAIMS[slug]:
        if claim.expect is Verdict.NOT_MEASURED and claim.kind != "cells":  # a sentence's cells say it
            assert claim.not_measured and re.search(r"`trustnlp (run|sweep) [^`]+`", claim.not_measured), claim.id
            assert re.search(r"\b(hours?|minutes)\b", claim.not_measured), claim.id
            assert not re.search(r"licensed|weights|no vectors|not here", claim.not_measured), claim.id
        if claim.lacking and re.search(r"licensed|weights|vectors", claim.lacking):
            assert "trustnlp" in claim.lacking, f"{claim.id}: the command for whoever has it"


def test_the_paper_against_itself_and_against_released_files_are_two_verdicts() -> None:
    told = [
        f"{claim.chapter}/{claim.id}"
        for claim in EVERY
        if claim.kind in ("inconsistent", "differs")
        and bool(OF_FILES.search(f"{claim.text} {claim.reason} {claim.where}")) != (claim.kind == "differs")
    ]
    assert told == []
    assert sum(claim.kind == "differs" for claim in EVERY) >= 7


def test_a_claim_that_leans_on_the_one_before_it_stands_in_its_group() -> None:
    """Pages show claims by group: "The same …" after another claim would say something else."""
    told = []
    for slug in CLAIMS:
        for before, found in pairwise(judge_chapter(slug)):
            if LEANS.match(found.claim.text) and group_of(before) is not group_of(found):
                told.append(f"{slug}/{found.claim.id}: {found.claim.text:.40}")
    assert told == [], "write the sentence out"
