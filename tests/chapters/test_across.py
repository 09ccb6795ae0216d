"""The pages across the papers name claims that exist, and the coding of failures is of today's verdicts."""

import re

import numpy as np
import pytest

from trustnlp.reproduce.claims.ledgers import Verdict
from trustnlp.reproduce.claims.tallies import counting
from trustnlp.reproduce.claims.verdicts import judge_chapter
from trustnlp.reproduce.project import chapter_dir, papers
from trustnlp.reproduce.records.recording import load_record
from trustnlp.studies.across import caught

OPEN = {Verdict.UNTESTABLE, Verdict.NOT_MEASURED}
HELD = {Verdict.REPRODUCED, Verdict.CLOSE}
NAMED = re.compile(r"\{(?:ours|paper|verdict|claim)\}`(?:[^`<]*<)?([a-z_]+)/([\w.-]+)(?: \||>|`)")


def test_every_claim_that_did_not_hold_is_coded_and_no_other() -> None:
    tried = [one for slug in papers() for one in counting(judge_chapter(slug)) if not one.claim.ours]
    today = {(one.chapter, one.claim.id): one.verdict in HELD for one in tried if one.verdict not in OPEN}
    coding = caught.coded()
    kinds = dict(zip(zip(coding["chapter"], coding["claim"], strict=True), coding["kind"] == caught.HELD, strict=True))
    wrong = sorted(claim for claim in today.keys() | kinds.keys() if today.get(claim) is not kinds.get(claim))
    assert not wrong, "mend failures.csv in trustnlp.studies.across, then: trustnlp run across/caught --profile paper"


def test_the_record_is_of_the_committed_coding() -> None:
    metrics = load_record(chapter_dir("across") / "results" / "caught.paper.json")["metrics"]
    found = {key: value for key, value, *_ in caught.numbers(caught.coded(), np.random.default_rng([0]))}
    assert {key: metric["mean"] for key, metric in metrics.items()} == pytest.approx(found)


def test_every_leaf_of_a_chart_ends_with_a_claim_its_verdict_and_a_number() -> None:
    text = (chapter_dir("across") / "charts.md").read_text("utf-8")
    leaves = [line for line in text.splitlines() if line.startswith("  - ")]
    assert len(leaves) > 15
    assert [leaf for leaf in leaves if not re.search(r"\{claim\}`.*\{verdict\}`", leaf)] == []
    assert [leaf for leaf in leaves if not re.search(r"\{(ours|metric)\}`", leaf)] == []


@pytest.mark.parametrize("page", sorted(path.name for path in chapter_dir("across").glob("*.[mp][dy]")))
def test_the_claims_that_a_page_names_exist(page: str) -> None:
    named = set(NAMED.findall((chapter_dir("across") / page).read_text("utf-8")))
    known = {slug: {one.claim.id for one in judge_chapter(slug)} for slug, _ in named}
    assert [f"{slug}/{claim}" for slug, claim in sorted(named) if claim not in known[slug]] == []
