"""Pages from verdicts: well-formed, complete, escaped, and readable without colour."""

import dataclasses
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.data.registry import dataset, load_registry
from trustnlp.reproduce.claims import Cell, Claim, Paper, Verdict
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.tables import (
    BEGIN,
    END,
    SYMBOLS,
    _anchor,
    claims_table_html,
    counts_text,
    dashboard_html,
    data_card_html,
    duration_text,
    readme_table,
    replace_between_markers,
    run_banner_html,
    size_text,
    value_text,
    verdict_class,
    verdict_strip_html,
)
from trustnlp.reproduce.verdicts import Judgement

VOID = {"br", "img", "hr"}


class Page(HTMLParser):
    """Checks that tags nest, and keeps ids, links, classes and visible text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def values(self, attribute: str) -> Iterator[str]:
        return (attributes[attribute] for _, attributes in self.tags if attribute in attributes)

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


PAPER = Paper("doe2020x", "Bias & <measures> | pipes", "J. Doe", "Somewhere", 2020, "https://example.org")


def judged(
    verdict: Verdict = Verdict.REPRODUCED,
    name: str = "one",
    chapter: str = "aec",
    cell: Cell | None = None,
    **more: Any,
) -> Judgement:
    claim = Claim(
        chapter=chapter, paper=PAPER, id=name, where="§4 <p>", text="Mean > max.", kind="value", expect=verdict,
        value=1.54, rounding=0.005, cell=cell,
    )  # fmt: skip
    found = {"ours": 1.5387, "interval": (1.52, 1.56), "n": 5, "profile": "paper", **more}
    return Judgement(claim, verdict, "because 1 < 2", **found)


def in_grid(row: str, column: str, verdict: Verdict) -> Judgement:
    cell = Cell("t4", "Table 4", row, f"WEAT {row}", column, f"cosine, {column}")
    return judged(verdict, f"t4-{column}-{row}", cell=cell)


EACH = [judged(verdict, f"claim{number}") for number, verdict in enumerate(Verdict)]


def test_each_verdict_has_its_own_symbol_and_class() -> None:
    assert len(set(SYMBOLS.values())) == len({verdict_class(v) for v in Verdict}) == len(Verdict)
    assert verdict_class(Verdict.INCONSISTENT) == "tn-inconsistent-in-the-paper"


@pytest.mark.parametrize("render", [verdict_strip_html, dashboard_html, claims_table_html])
def test_every_verdict_stands_there_in_words(render: Any) -> None:
    page = Page(render(EACH))
    for verdict in Verdict:
        assert verdict.value in page.text
        assert any(verdict_class(verdict) in value.split() for value in page.values("class"))
    assert all(name.startswith("tn-") for value in page.values("class") for name in value.split())
    assert not page.named("script") and not page.named("link")


def test_the_dashboard_counts_links_and_describes_its_bars() -> None:
    page = Page(dashboard_html([*EACH, judged(chapter="moxie"), judged(chapter="_template")], base="../"))
    assert [link["href"] for link in page.named("a")] == [
        "../chapters/aec/index.html", "../chapters/moxie/index.html",
    ]  # fmt: skip
    bars = [tag for tag in page.named("div") if tag.get("role") == "img"]
    assert [bar["aria-label"] for bar in bars] == [counts_text(EACH), "1 reproduced"]
    assert "Bias & <measures> | pipes" in page.text
    assert page.named("caption") and {head["scope"] for head in page.named("th")} == {"row", "col"}


def test_a_claim_row_tells_paper_ours_interval_why_and_deviations() -> None:
    page = Page(claims_table_html([judged(name="text-mean", deviations=("Ours are < theirs.",))]))
    for words in (
        "1.54", "1.539", "[1.520, 1.560]", "reproduced", "because 1 < 2", "Deviation: Ours are < theirs.", "§4 <p>",
        "Mean > max.",
    ):  # fmt: skip
        assert words in page.text
    assert "claim-text-mean" in set(page.values("id"))
    assert {"href": "#claim-text-mean", "class": "tn-claim-id"} in page.named("a")


def test_an_unexpected_verdict_is_marked() -> None:
    found = judged()
    surprise = dataclasses.replace(found, verdict=Verdict.CLOSE)
    assert "The ledger expects: reproduced." in Page(claims_table_html([surprise])).text
    assert "The ledger expects" not in Page(claims_table_html([found])).text


def test_a_missing_measurement_is_a_dash_never_a_zero() -> None:
    nothing = judged(Verdict.UNDETERMINED, ours=None, interval=None, n=None)
    assert [value_text(nothing, what) for what in ("ours", "interval", "n")] == ["–"] * 3
    assert '<td class="tn-number">–</td>' in claims_table_html([nothing])


def test_a_grid_is_a_matrix_with_its_claims_folded_below() -> None:
    cells = [
        in_grid("1", "mean", Verdict.REPRODUCED),
        in_grid("1", "max", Verdict.CLOSE),
        in_grid("2", "max", Verdict.NOT_REPRODUCED),
    ]
    html = claims_table_html([judged(name="alone"), *cells])
    page = Page(html)
    assert html.index("claim-alone") < html.index("tn-matrix") < html.index("<details") < html.index('id="claim-t4-')
    assert "Table 4: 3 claims (1 reproduced, 1 close, 1 not reproduced)" in page.text
    anchors = list(page.values("id"))
    assert len(anchors) == len(set(anchors)) == 4
    links = [tag["href"] for tag in page.named("a")]
    assert all(link.removeprefix("#") in anchors for link in links)
    tips = [tag["title"] for tag in page.named("a") if "title" in tag]
    assert tips[0] == "Mean > max.: reproduced; paper 1.54, ours 1.539"
    assert "1.54 | 1.539" in page.text
    empty = [tag for tag in page.named("td") if tag.get("class") == "tn-cell-empty"]
    assert len(empty) == 1, "the cell the paper leaves out"


def test_grids_that_share_a_title_stay_apart() -> None:
    one, other = in_grid("1", "mean", Verdict.REPRODUCED), in_grid("1", "mean", Verdict.CLOSE)
    assert other.claim.cell is not None
    claim = dataclasses.replace(other.claim, id="t5-mean-1", cell=dataclasses.replace(other.claim.cell, grid="t5"))
    page = Page(claims_table_html([one, dataclasses.replace(other, claim=claim)]))
    assert len(page.named("details")) == 2
    assert {"claim-t4-mean-1", "claim-t5-mean-1"} <= set(page.values("id"))


@pytest.mark.parametrize("render", [verdict_strip_html, claims_table_html])
def test_no_claims_is_said(render: Any) -> None:
    assert "No claims yet" in Page(render([])).text


METRIC = {"values": [0.1], "mean": 0.123456, "low": None, "high": None, "n": 1, "interval": "t", "unit": None}


def test_values_for_sentences() -> None:
    found = judged()
    texts = {what: value_text(found, what) for what in ("ours", "paper", "verdict", "interval", "why", "n")}
    assert texts == {
        "ours": "1.539", "paper": "1.54", "verdict": "reproduced", "interval": "[1.520, 1.560]",
        "why": "because 1 < 2", "n": "5",
    }  # fmt: skip
    assert [value_text(METRIC, what) for what in ("mean", "interval", "n", "unit")] == ["0.1235", "–", "1", ""]
    assert value_text(METRIC | {"low": 0.1, "high": 0.2}, "interval") == "[0.1, 0.2]"
    with pytest.raises(UserError, match=r"no value 'our'.*did you mean 'ours'\?"):
        value_text(found, "our")


RECORD: dict[str, Any] = {
    "profile": "paper", "git_commit": "0123456789abcdef" * 2, "git_dirty": True, "seconds": 200.4, "seeds": [0, 1],
    "hardware": {"cpu": "Chip <X>", "cores": 2, "memory_gb": 8.2, "gpu": None}, "peak_memory_mb": 512.3,
    "started": "2021-08-01T12:00:00+00:00", "deviations": [{"text": "t", "keys": []}],
    "device": "cpu", "precision": "float32", "instructions": None, "threads": 2, "verified": None,
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


def test_the_banner_tells_a_verification_and_each_doubt() -> None:
    stamp = {"started": "2022-02-03T04:05:06+00:00", "compared": 1, "cpu": "Other <Y>"}
    page = Page(run_banner_html(RECORD | {"verified": stamp}, "Committed run", ["code changed: <a>", "data changed"]))
    for words in ("Verified2022-02-03 04:05 UTC, 1 metric, Other <Y>", "Code changed: <a>.", "Data changed."):
        assert words in page.text
    assert list(page.values("class")).count("tn-doubt") == 2
    assert "tn-doubt" not in run_banner_html(RECORD, "Committed run")


def test_a_fault_is_told_beside_its_claim_in_the_place_of_an_expectation() -> None:
    faulty = judged(Verdict.NOT_MEASURED, ours=None, interval=None, n=None, fault="no metric <x>")
    page = Page(claims_table_html([dataclasses.replace(faulty, verdict=Verdict.NOT_MEASURED)]))
    assert "Fault: no metric <x>." in page.text and "The ledger expects" not in page.text
    assert not faulty.as_expected


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.84, "0.8 s"), (9.96, "10 s"), (41.2, "41 s"), (59.7, "1 min 0 s"), (200.4, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(("size", "text"), [(812, "812 B"), (16_843_925, "16.8 MB"), (5_646_239_625, "5.6 GB")])
def test_sizes(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize("name", sorted(load_registry()))
def test_every_data_set_has_a_card(name: str) -> None:
    entry = dataset(name)
    page = Page(data_card_html(entry))
    for words in (entry.title, entry.licence, entry.terms, entry.citation, *(file.sha256 for file in entry.files)):
        assert words in page.text
    assert ("stand-in for" in page.text) == (entry.stands_for is not None)


def test_a_stand_in_says_so() -> None:
    entry = dataclasses.replace(dataset("wefe_googlenews"), stands_for="the whole corpus")
    assert "stand-in for the whole corpus" in Page(data_card_html(entry)).text


def test_the_readme_table_counts_and_leaves_the_template_out() -> None:
    table = readme_table([*EACH, judged(name="more"), judged(chapter="_template")])
    head, rule, row = table.splitlines()
    assert head.count("|") == rule.count("|") == row.replace("\\|", "").count("|") == 11
    assert row == "| [Bias & <measures> \\| pipes](chapters/aec/index.md) | 9 | 2 | 1 | 1 | 1 | 1 | 1 | 1 | 1 |"


plain_text = st.text().filter(lambda text: BEGIN not in text and END not in text)


@given(plain_text, plain_text, plain_text, plain_text)
def test_replacing_the_table_is_idempotent_and_leaves_the_rest(before: str, old: str, new: str, after: str) -> None:
    once = replace_between_markers(f"{before}{BEGIN}{old}{END}{after}", new)
    assert replace_between_markers(once, new) == once
    assert once.startswith(before + BEGIN) and once.endswith(END + after) and new.strip() in once


@pytest.mark.parametrize("text", ["", BEGIN, END, f"{END} {BEGIN}", f"{BEGIN}{END}{BEGIN}{END}"])
def test_misplaced_markers_are_an_error(text: str) -> None:
    with pytest.raises(UserError, match="once"):
        replace_between_markers(text, "table")


def test_anchors_can_be_read_as_css_selectors() -> None:
    """A dot in `#claim-t2-0.05` would start a class, and the theme's script fail on it."""
    assert _anchor("t2-released-0.05") == "claim-t2-released-0-05"
