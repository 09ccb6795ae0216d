"""Verdicts as marks: a word each, never colour alone."""

import re
from typing import Any

import pytest
from judged import EACH, Page

from trustnlp.reproduce.claims.ledgers import Verdict
from trustnlp.reproduce.claims.tallies import Group
from trustnlp.reproduce.claims.verdicts import Judgement
from trustnlp.reproduce.pages.dashboard import dashboard_html
from trustnlp.reproduce.pages.ledger_page import headlines_html, ledger_html
from trustnlp.reproduce.project import project_root
from trustnlp.reproduce.verdict_marks import SYMBOLS, anchor, chip, verdict_class


def dashboard(found: list[Judgement]) -> str:
    return dashboard_html({"aec": found}, [])


@pytest.mark.parametrize("render", [dashboard, ledger_html])
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


@pytest.mark.parametrize("render", [ledger_html, lambda found: headlines_html(found, "ledger.html")])
def test_no_claims_is_said(render: Any) -> None:
    assert "No claims yet" in Page(render([])).text


def test_each_verdict_has_its_symbol_and_its_colours_by_day_and_by_night() -> None:
    style = (project_root() / "book" / "_assets" / "custom.css").read_text("utf-8")
    for verdict in Verdict:
        name = verdict_class(verdict)
        assert f'a.tn-verdict-value.{name}::before {{ content: "{SYMBOLS[verdict]} " / ""; }}' in style
        rule = re.search(rf"^\.{name} *\{{ *--bg: var\((--tn-\w+)-bg\)", style, re.MULTILINE)
        assert rule, f"no colours for {verdict}"
        assert style.count(f"{rule[1]}-bg: #") == 2, "light and dark"


def test_the_page_that_explains_verdicts_shows_each_as_pages_do() -> None:
    page = (project_root() / "book" / "how-to-read.md").read_text("utf-8")
    for verdict in Verdict:
        assert f"<li>{chip(verdict)}</li>" in page and f"\n{verdict}\n: " in page
    for group in Group:
        assert f"\n{group.lower()}\n: " in page
