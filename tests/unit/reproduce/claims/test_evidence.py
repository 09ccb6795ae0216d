"""What a verdict rests on follows from claim and record, and is one thing for each claim of the book."""

import dataclasses
from functools import cache
from typing import Any

import pytest
from judged import judged

from trustnlp.data.registry import load_registry
from trustnlp.reproduce.claims.evidence import RELEASED, TOOLS, evidence_of, of_data
from trustnlp.reproduce.claims.ledgers import Evidence
from trustnlp.reproduce.claims.verdicts import Judgement, judge_all
from trustnlp.reproduce.project import chapter_dir
from trustnlp.reproduce.records.recording import load_record

CLAIM = judged().claim


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ([], Evidence.MADE_UP),
        (["minilm", "en_core_web_sm"], Evidence.MADE_UP),
        (["minilm", "kbp37"], Evidence.REAL),
        (["edin_rules"], Evidence.RELEASED),
        (["edin_rules", "kbp37"], Evidence.REAL),
    ],
)
def test_data_tell_the_kind_of_a_run(data: list[str], kind: Evidence) -> None:
    assert of_data(data) is kind
    assert evidence_of(CLAIM, {"data": {name: {} for name in data}}) is kind


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"kind": "inconsistent"}, Evidence.PRINT),
        ({"kind": "differs"}, Evidence.RELEASED),
        ({"key": "printed.table1.sum"}, Evidence.PRINT),
        ({"key": "policies.printed.area"}, Evidence.PRINT),
        ({"key": "fingerprinted.area"}, Evidence.REAL),
        ({"kind": "inconsistent", "evidence": Evidence.REAL}, Evidence.REAL),
    ],
)
def test_kind_and_key_go_before_the_data_and_the_ledgers_word_before_all(
    changes: dict[str, Any], kind: Evidence
) -> None:
    assert evidence_of(dataclasses.replace(CLAIM, **changes), {"data": {"kbp37": {}}}) is kind


def test_tools_and_released_files_are_registered() -> None:
    assert set(load_registry()) >= TOOLS | RELEASED and not TOOLS & RELEASED


@pytest.fixture(scope="module")
def everything() -> list[Judgement]:
    return judge_all()


def test_what_was_not_tried_has_no_evidence(everything: list[Judgement]) -> None:
    for found in everything:
        if found.claim.kind != "cells":  # a sentence without a cell that decides has the evidence of its cells
            assert (found.evidence is Evidence.NONE) == (found.ours is None), found.claim.id


def test_the_ledgers_state_only_what_does_not_follow(everything: list[Judgement]) -> None:
    data = cache(lambda slug, name: {"data": load_record(chapter_dir(slug) / "results" / f"{name}.json")["data"]})
    told = [
        f"{claim.chapter} {claim.id}"
        for claim in (found.claim for found in everything if found.claim.evidence and found.ours is not None)
        if evidence_of(dataclasses.replace(claim, evidence=None), data(claim.chapter, claim.record)) is claim.evidence
    ]
    assert told == [], "drop 'evidence' from these: it follows from the record and the key"
