"""The table of chapters: complete, linked, described in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged import EACH, Page, judged

from trustnlp.reproduce.dashboard import BEGIN, END, Chapter, dashboard_html, readme_table, replace_between_markers
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.verdict_marks import counts_text


def test_the_dashboard_counts_links_and_describes_its_bars() -> None:
    chapters = {"aec": Chapter(EACH, "real <texts>", "2021-08-01"), "moxie": Chapter([judged()], None, None)}
    page = Page(dashboard_html(chapters, ["A work to come"], base="../"))
    assert [link["href"] for link in page.named("a")] == [
        "../chapters/aec/index.html", "../chapters/moxie/index.html",
    ]  # fmt: skip
    bars = [tag for tag in page.named("div") if tag.get("role") == "img"]
    assert [bar["aria-label"] for bar in bars] == [counts_text(EACH), "1 reproduced"]
    for words in (
        "2 chapters, 1 in work",
        "Bias & <measures> | pipes",
        "real <texts>",
        "2021-08-01",
        "not yet",
        "A work to come",
    ):
        assert words in page.text
    assert page.named("caption") and {head["scope"] for head in page.named("th")} == {"row", "col"}


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
