"""Pages from verdicts: well-formed, complete, escaped, and readable without colour."""

import dataclasses
from typing import Any

import pytest
from judged import Page, judged

from trustnlp.data.registry import dataset, load_registry
from trustnlp.reproduce.data_availability import Availability
from trustnlp.reproduce.pages.tables import (
    data_card_html,
    paper_data_html,
    record_log_html,
    run_banner_html,
    size_text,
    value_text,
)
from trustnlp.reproduce.project import UserError

METRIC = {"values": [0.1], "mean": 0.123456, "low": None, "high": None, "n": 1, "interval": "t", "unit": None}


def test_values_for_sentences() -> None:
    found = judged()
    texts = {what: value_text(found, what) for what in ("ours", "paper", "verdict", "interval", "why", "n")}
    assert texts == {
        "ours": "1.54", "paper": "1.54", "verdict": "reproduced", "interval": "(1.52 to 1.56)",
        "why": "because 1 < 2", "n": "5",
    }  # fmt: skip
    assert [value_text(METRIC, what) for what in ("mean", "interval", "n", "unit")] == ["0.123", "–", "1", ""]
    between = METRIC | {"low": -0.4, "high": 0.1, "mean": -0.123, "unit": "difference of shares"}
    assert value_text(between, "full") == "−10 points (−40 to 10)"
    assert value_text(between, "full", magnitude=True) == "10 points (−10 to 40)"
    assert value_text(found, "ours", magnitude=True) == "1.54"


def test_both_sides_of_a_claim_on_a_share_are_per_cent() -> None:
    found = dataclasses.replace(judged(), unit="share of pairs")
    assert [value_text(found, what) for what in ("ours", "interval", "paper")] == ["154 %", "(152 to 156)", "154 %"]
    unmeasured = dataclasses.replace(judged(), ours=None, interval=None)
    assert [value_text(unmeasured, what) for what in ("ours", "interval", "full", "paper")] == ["–", "–", "–", "1.54"]


def test_an_unknown_value_is_refused() -> None:
    with pytest.raises(UserError, match=r"no value 'our'.*did you mean 'ours'\?"):
        value_text(judged(), "our")


RECORD: dict[str, Any] = {
    "profile": "paper", "git_commit": "0123456789abcdef" * 2, "git_dirty": True, "seconds": 200.4, "seeds": [0, 1],
    "hardware": {"cpu": "Chip <X>", "cores": 2, "memory_gb": 8.2, "gpu": None}, "peak_memory_mb": 512.3,
    "started": "2021-08-01T12:00:00+00:00", "deviations": [{"text": "t", "keys": []}],
    "device": "cpu", "precision": "float32", "instructions": None, "threads": 2, "verified": None, "metrics": {"a": {}},
}  # fmt: skip


def test_the_banner_says_what_the_run_was() -> None:
    page = Page(run_banner_html(RECORD, "Committed run"))
    for words in (
        "Committed run", "paper (the evidence)", "Chip <X>, 2 cores, 8.2 GB, no GPU", "3 min 20 s, 512 MB at most",
        "0123456789", "with uncommitted changes", "2021-08-01 12:00 UTC", "Deviations1", "cpu, float32, 2 threads",
    ):  # fmt: skip
        assert words in page.text
    assert "Verified" not in page.text
    other = Page(run_banner_html(RECORD | {"profile": "smoke", "git_commit": None}, "This build"))
    assert "judges nothing" in other.text and "not from a repository" in other.text
    assert Page(run_banner_html(None, "Committed run")).text == "Committed run: not made yet."
    lesson = Page(run_banner_html(RECORD | {"metrics": {}}, "This build's run")).text
    assert "Deviations" in page.text and "Deviations" not in lesson and "Seeds" not in lesson


def test_the_banner_tells_a_verification_and_each_doubt() -> None:
    stamp = {"started": "2022-02-03T04:05:06+00:00", "compared": 1, "cpu": "Other <Y>"}
    page = Page(run_banner_html(RECORD | {"verified": stamp}, "Committed run", ["code changed: <a>", "data changed"]))
    for words in ("Verified2022-02-03 04:05 UTC, 1 metric, Other <Y>", "Code changed: <a>.", "Data changed."):
        assert words in page.text
    assert list(page.values("class")).count("tn-doubt") == 2
    assert "tn-doubt" not in run_banner_html(RECORD, "Committed run")


def test_the_log_tells_who_ran_what_and_checked_it() -> None:
    stamp = {"started": "2022-02-03T04:05:06+00:00", "compared": 3, "cpu": "Other <Y>"}
    named = RECORD | {"chapter": "aec", "notebook": "critique"}
    page = Page(record_log_html([named, named | {"notebook": "method", "verified": stamp}], base="../"))
    assert [link["href"] for link in page.named("a")] == [
        "../chapters/aec/critique.html", "../chapters/aec/method.html",
    ]  # fmt: skip
    for words in ("2021-08-01 12:00 UTC, 3 min 20 s", "Chip <X>, no GPU", "not since", "3 metrics, Other <Y>"):
        assert words in page.text


def test_the_table_of_paper_data_says_from_where_and_leads_to_the_cards() -> None:
    rows = [Availability("a/b", "index", 0, ()), Availability("a/c", "publisher", 1, ("minilm", "kbp37"))]
    page = Page(paper_data_html(rows, "../"))
    for words in ("anyone can get those of 1 of 2 notebooks", "none", "ask the publisher of kbp37; package index"):
        assert words in page.text
    assert [link["href"] for link in page.named("a")][-1] == "../book/data.html#data-kbp37"


@pytest.mark.parametrize(("size", "text"), [(812, "812 B"), (16_843_925, "16.8 MB"), (5_646_239_625, "5.6 GB")])
def test_sizes(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize("name", sorted(load_registry()))
def test_every_data_set_has_a_card(name: str) -> None:
    entry = dataset(name)
    page = Page(data_card_html(entry))
    for words in (entry.title, entry.licence, entry.terms, entry.citation, *(file.sha256 for file in entry.files)):
        assert words in page.text
    assert "stand-in for" not in page.text
    stand_in = dataclasses.replace(entry, stands_for="the whole corpus")
    assert "stand-in for the whole corpus" in Page(data_card_html(stand_in)).text
