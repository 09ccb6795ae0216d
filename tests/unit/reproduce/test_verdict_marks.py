"""Verdicts as marks: a word each, never colour alone."""

import re
from typing import Any

import pytest
from judged import EACH, Page, judged

from trustnlp.reproduce.claims import Evidence, Verdict
from trustnlp.reproduce.dashboard import Chapter, dashboard_html
from trustnlp.reproduce.ledger_page import headlines_html, ledger_html
from trustnlp.reproduce.project import project_root
from trustnlp.reproduce.tallies import Group
from trustnlp.reproduce.verdict_marks import SYMBOLS, anchor, chip, verdict_class, verdict_strip_html
from trustnlp.reproduce.verdicts import Judgement


def dashboard(found: list[Judgement]) -> str:
    return dashboard_html({"aec": Chapter(found, None, None)}, [])


def test_each_verdict_has_its_own_symbol_and_class() -> None:
    assert len(set(SYMBOLS.values())) == len({verdict_class(v) for v in Verdict}) == len(Verdict)
    assert verdict_class(Verdict.INCONSISTENT) == "tn-inconsistent-in-the-paper"


@pytest.mark.parametrize("render", [verdict_strip_html, dashboard, ledger_html])
def test_every_verdict_stands_there_in_words(render: Any) -> None:
    page = Page(render(EACH))
    for verdict in Verdict:
        assert verdict.value in page.text
        assert any(verdict_class(verdict) in value.split() for value in page.values("class"))
    assert all(name.startswith("tn-") for value in page.values("class") for name in value.split())
    assert not page.named("script") and not page.named("link")


def test_anchors_can_be_read_as_css_selectors() -> None:
    """A dot in `#claim-t2-0.05` would start a class, and the theme's script fail on it."""
    assert anchor("t2-released-0.05") == "claim-t2-released-0-05"


@pytest.mark.parametrize(
    "render", [verdict_strip_html, ledger_html, lambda found: headlines_html(found, "ledger.html")]
)
def test_no_claims_is_said(render: Any) -> None:
    assert "No claims yet" in Page(render([])).text


def test_a_strip_leads_into_the_ledger() -> None:
    page = Page(verdict_strip_html(EACH, "../a/ledger.html"))
    assert [link["href"] for link in page.named("a")] == [f"../a/ledger.html#{verdict_class(v)}" for v in Verdict]


def test_each_verdict_has_colours_by_day_and_by_night() -> None:
    style = (project_root() / "book" / "_assets" / "custom.css").read_text("utf-8")
    for verdict in Verdict:
        rule = re.search(rf"^\.{verdict_class(verdict)} *\{{ *--bg: var\((--tn-\w+)-bg\)", style, re.MULTILINE)
        assert rule, f"no colours for {verdict}"
        assert style.count(f"{rule[1]}-bg: #") == 2, "light and dark"


def test_the_page_that_explains_verdicts_shows_each_as_pages_do() -> None:
    page = (project_root() / "book" / "how-to-read.md").read_text("utf-8")
    for verdict in Verdict:
        assert f"<li>{chip(verdict)}</li>" in page and f"\n{verdict}\n: " in page
    for group in Group:
        assert f"\n{group.lower()}\n: " in page


def test_a_strip_shows_what_was_run_on_real_data_as_chips_and_the_rest_in_words() -> None:
    found = [
        judged(),
        judged(Verdict.INCONSISTENT, "sum", evidence=Evidence.PRINT),
        judged(Verdict.NOT_REPRODUCED, "question", our_question=True),
    ]
    page = Page(verdict_strip_html(found, "ledger.html"))
    assert [link["href"] for link in page.named("a")] == ["ledger.html#tn-reproduced"]
    assert "Print only: 1 (1 inconsistent in the paper)" in page.text
    assert page.text.index("Run on real data: 1") < page.text.index("Print only") < page.text.index("Our questions: 1")
