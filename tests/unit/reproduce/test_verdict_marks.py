"""Verdicts as marks: a word each, never colour alone."""

from typing import Any

import pytest
from judged import EACH, Page

from trustnlp.reproduce.claims import Verdict
from trustnlp.reproduce.dashboard import Chapter, dashboard_html
from trustnlp.reproduce.ledger_page import headlines_html, ledger_html
from trustnlp.reproduce.verdict_marks import SYMBOLS, anchor, verdict_class, verdict_strip_html
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
