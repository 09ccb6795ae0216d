"""The table of chapters: complete, linked, described in words."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged import EACH, Page, judged

from trustnlp.reproduce.claims.ledgers import Evidence, Verdict
from trustnlp.reproduce.claims.tallies import count, tally_in_words
from trustnlp.reproduce.pages.dashboard import BEGIN, END, dashboard_html, readme_table, replace_between_markers
from trustnlp.reproduce.project import UserError


def test_the_dashboard_draws_a_linked_square_for_each_claim_of_the_paper_that_counts() -> None:
    found = [
        *EACH,
        judged(name="cell", same_cell_as="claim0"),
        judged(name="sum", evidence=Evidence.PRINT),
        judged(Verdict.NOT_REPRODUCED, name="question", our_question=True),
    ]
    page = Page(dashboard_html({"aec": found, "moxie": [judged()]}, ["A work to come"], base="../"))
    squares = [link for link in page.named("a") if "tn-square" in link.get("class", "")]
    assert len(squares) == len(Verdict) + 1 + 1
    assert [square["href"] for square in squares[-2:]] == [
        "../chapters/aec/ledger.html#claim-sum", "../chapters/moxie/ledger.html#claim-one",
    ]  # fmt: skip
    assert {square["tabindex"] for square in squares} == {"-1"}  # read out as numbers, not one by one
    for words in (tally_in_words(count(EACH)), "1 reproduced", "Bias & <measures> | pipes", "A work to come"):
        assert words in page.text
    chapters = [link["href"] for link in page.named("a") if "tn-square" not in link.get("class", "")]
    assert chapters == ["../chapters/aec/index.html", "../chapters/moxie/index.html"]
    assert page.named("caption") and {head["scope"] for head in page.named("th")} == {"row", "col"}


def test_the_readme_shows_what_was_run_on_real_data_first_and_ours_apart() -> None:
    across = judged(chapter="across", our_question=True)
    found = [
        *EACH,
        judged(name="again", same_cell_as="claim0"),
        judged(name="sum", evidence=Evidence.PRINT),
        judged(Verdict.NOT_REPRODUCED, name="question", our_question=True),
        judged(chapter="_template"),
        dataclasses.replace(across, claim=dataclasses.replace(across.claim, paper=None)),
    ]
    real, others, ours = [block.splitlines() for block in readme_table(found).split("\n\n")[1::2]]
    title = "[Bias & <measures> \\| pipes](chapters/aec/index.md)"
    assert real[0] == f"| Chapter | Claims | {' | '.join(Verdict)} |"
    assert real[2:] == [f"| {name} | 9 |{' 1 |' * 9}" for name in (title, "**All**")]
    assert others[0] == "| Chapter | Released files | Print only | Made-up data | Not tried here |"
    assert others[2:] == [f"| {name} | 0 | 1 (1 reproduced) | 0 | 0 |" for name in (title, "**All**")]
    assert ours[2:] == [f"| {name} | 1 (1 not reproduced) |" for name in (title, "**All**")]
    for table in (real, others, ours):
        assert len({line.replace("\\|", "").count("|") for line in table}) == 1


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
