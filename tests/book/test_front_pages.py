"""A front page is read to its end: verdict, five findings, a drawing, one picture, what to use when."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup
from built_book import HTML, ROOT, absent

from trustnlp.reproduce.claims.ledgers import Verdict, load_claims
from trustnlp.reproduce.claims.tallies import counting
from trustnlp.reproduce.claims.verdicts import judge_chapter
from trustnlp.reproduce.project import chapters, papers

PAPERS = papers()
WITH_PAPER = [slug for slug in chapters() if load_claims(slug).paper]
MOST_WORDS = 900  # of running text: no code, tables, formulas and pictures
FINDINGS = 5
built = pytest.mark.skipif(bool(absent()), reason=absent() or "there is a built book")


def running_text(html: str) -> str:
    """Running text of a built page's article: no scripts, code, tables, formulas and pictures."""
    article = BeautifulSoup(html, "html.parser").select_one("article.bd-article")
    assert article is not None
    for left_out in article.select("script, style, svg, pre, table, .math"):
        left_out.decompose()
    return article.get_text()


def front(slug: str) -> str:
    return (ROOT / "chapters" / slug / "index.md").read_text("utf-8")


def section(text: str, title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert found, f"no section '{title}'"
    return found[1]


def findings(slug: str) -> list[str]:
    """The numbered findings of a front page, each on one line."""
    part = section(front(slug), "What the paper says, and what holds")
    found = re.findall(r"^\d\. (.*?)(?=^\d\. |^\S|\Z)", part, re.MULTILINE | re.DOTALL)
    return [" ".join(finding.split()) for finding in found]


def words_of(markdown: str) -> int:
    """Words as a reader counts them: a role is what it shows, a number with its interval one result."""
    text = re.sub(r"\{holds\}`[^`]*`|\{verdict\}`[^`]*`", "", markdown)
    text = re.sub(r"\{(?:metric|ours|paper|duration)\}`[^`]*`", "result", text)
    text = re.sub(r"\{[a-z]+\}`([^`<]*)[^`]*`|\[([^\]]*)\]\([^)]*\)", r"\1\2", text)
    return len(re.findall(r"\w[\w’'.-]*", text))


@built
@pytest.mark.parametrize("slug", PAPERS)
def test_a_front_page_is_short_enough_to_be_read(slug: str) -> None:
    words = running_text((HTML / "chapters" / slug / "index.html").read_text("utf-8")).split()
    assert 300 < len(words) <= MOST_WORDS


@built
@pytest.mark.parametrize("slug", PAPERS)
def test_a_front_page_has_a_drawing_and_one_picture_both_in_the_page(slug: str) -> None:
    html = (HTML / "chapters" / slug / "index.html").read_text("utf-8")
    article = html[html.index("bd-article") :]
    assert len(re.findall(r'<svg class="tn-drawing" role="img"', article)) == 1
    assert len(re.findall(r'<svg[^>]*class="tn-figure"[^>]*role="img"', article)) == 1


@pytest.mark.parametrize("slug", WITH_PAPER)
def test_a_front_page_keeps_the_order_of_the_template(slug: str) -> None:
    text = front(slug)
    parts = [
        "> **Verdict.**", *(["```{drawing}"] if slug in PAPERS else []), "## What the paper says, and what holds",
        "{finding-figure}", "**", "## When to use it", "**Use it when**", "**Not when**", "**Instead**", "## Try it",
        "```python", "```text", "## How it works", "```{math}", "```{literalinclude}", "<!-- symbols:begin -->",
        "## Look closer", "(ledger.md)", "(conditions.md)", "```bash",
    ]  # fmt: skip
    place = 0
    for part in parts:
        found = text.find(part, place)
        assert found >= 0, f"'{part}' is missing, or stands too early"
        place = found + len(part)


@pytest.mark.parametrize("slug", WITH_PAPER)
def test_a_finding_is_the_paper_s_sentence_then_the_verdict_then_ours(slug: str) -> None:
    told = findings(slug)
    assert len(told) == FINDINGS or slug not in PAPERS
    our_questions = {claim.id for claim in load_claims(slug).claims if claim.ours}
    for finding in told:
        form = re.fullmatch(r"\*\*(.+?)\*\* \{verdict\}`([^`]+)` (.+)", finding)
        assert form, finding
        assert slug not in PAPERS or form[2] not in our_questions
        assert words_of(form[1]) <= 20, form[1]
        assert words_of(form[3]) <= 40, form[3]
        assert len(re.findall(r"\{(?:metric|ours|paper)\}`", form[3])) <= 2, form[3]
        assert "{verdict}" not in form[3], form[3]
    assert not re.findall(r"\(\{verdict\}`[^`]*`|\{verdict\}`[^`]*`\)", front(slug)), "no badge in brackets"


@pytest.mark.parametrize("slug", PAPERS)
def test_eight_to_twelve_claims_are_headlines_and_tell_what_their_number_means(slug: str) -> None:
    ledger = load_claims(slug)
    headlines = [claim for claim in ledger.claims if claim.headline is not None]
    assert 8 <= len(headlines) <= 12
    assert ledger.data and len(ledger.data.split()) <= 15
    assert not [claim.id for claim in headlines if len((claim.says or claim.text).split()) > 20]
    assert not [claim.id for claim in headlines if claim.kind == "statement" and claim.reads is None]


@pytest.mark.parametrize("slug", PAPERS)
def test_each_error_in_print_is_on_the_page_of_errors(slug: str) -> None:
    page = (ROOT / "book" / "errors-in-print.md").read_text("utf-8").replace(">`", "`")  # a link or a badge
    wrong = {Verdict.INCONSISTENT, Verdict.DIFFERS}
    found = [one for one in counting(judge_chapter(slug)) if one.verdict in wrong and not one.claim.ours]
    missing = [one.claim.id for one in found if f"{slug}/{one.claim.id}`" not in page]
    assert not missing, f"name them on the page: {{claim}}`words <{slug}/…>`"
