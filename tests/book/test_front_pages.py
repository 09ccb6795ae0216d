"""A chapter's front page can be read in ten minutes, shows its finding, and leads to the evidence for each sentence."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from built_book import HTML, ROOT, absent

from trustnlp.reproduce.claims import load_claims
from trustnlp.reproduce.project import chapters

PAPERS = [slug for slug in chapters() if not slug.startswith("_")]
MOST_WORDS = 1800
built = pytest.mark.skipif(bool(absent()), reason=absent() or "there is a built book")


class Article(HTMLParser):
    """Words of a built page's article, as a reader sees them: no scripts, no formulas' sources, no pictures."""

    SKIPPED = ("script", "style", "svg")
    VOID = ("img", "br", "hr", "input", "meta", "link", "source", "col", "wbr")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.depth = self.skipped = 0
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.VOID:
            return
        starts = tag == "article" and "bd-article" in (dict(attrs).get("class") or "")
        self.depth += 1 if self.depth or starts else 0
        self.skipped += 1 if self.skipped or tag in self.SKIPPED else 0

    def handle_endtag(self, tag: str) -> None:
        self.depth -= 1 if self.depth else 0
        self.skipped -= 1 if self.skipped else 0

    def handle_data(self, data: str) -> None:
        if self.depth and not self.skipped:
            self.text += data


def front(slug: str) -> str:
    return (ROOT / "chapters" / slug / "index.md").read_text("utf-8")


def section(text: str, title: str) -> str:
    found = re.search(rf"^## {title}\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert found, f"no section '{title}'"
    return found[1]


@built
@pytest.mark.parametrize("slug", PAPERS)
def test_a_front_page_is_short_enough_to_be_read(slug: str) -> None:
    words = Article((HTML / "chapters" / slug / "index.html").read_text("utf-8")).text.split()
    assert 500 < len(words) <= MOST_WORDS


@built
@pytest.mark.parametrize("slug", PAPERS)
def test_a_front_page_has_one_picture_and_it_is_in_the_page(slug: str) -> None:
    html = (HTML / "chapters" / slug / "index.html").read_text("utf-8")
    article = html[html.index("bd-article") :]
    assert len(re.findall(r'<svg[^>]*role="img"', article)) == 1


@pytest.mark.parametrize("slug", chapters())
def test_a_front_page_keeps_the_order_of_the_template(slug: str) -> None:
    text = front(slug)
    parts = [
        f"{{verdict-strip}} {slug}", "{finding-figure}", "## In one minute", f"{{headlines}} {slug}",
        "## If you want to use it", "```python", "## Symbols", "## The idea", "```{literalinclude}",
        "## The evidence, notebook by notebook", "(ledger.md)", "(conditions.md)", "## Run it yourself",
    ]  # fmt: skip
    places = [text.find(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places == sorted(places)


@pytest.mark.parametrize("slug", chapters())
def test_every_take_away_leads_to_a_claim_or_to_the_notebook_that_found_it(slug: str) -> None:
    minute = section(front(slug), "In one minute").partition("```{headlines}")[0]
    bullets = re.findall(r"^- (.*?)(?=^- |\Z)", minute, re.MULTILINE | re.DOTALL)
    assert len(bullets) >= 3
    assert not [bullet[:60] for bullet in bullets if not re.search(r"\{verdict\}`|\]\(", bullet)]


@pytest.mark.parametrize("slug", PAPERS)
def test_eight_to_twelve_claims_are_headlines_and_tell_what_their_number_means(slug: str) -> None:
    ledger = load_claims(slug)
    headlines = [claim for claim in ledger.claims if claim.headline is not None]
    assert 8 <= len(headlines) <= 12
    assert ledger.data and len(ledger.data.split()) <= 15
    assert not [claim.id for claim in headlines if len((claim.says or claim.text).split()) > 20]
    assert not [claim.id for claim in headlines if claim.kind == "statement" and claim.reads is None]
