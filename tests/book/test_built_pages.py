"""The checker of built pages finds what it should, and the built book has none of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from built_book import HTML, ROOT, absent

from trustnlp.reproduce.pages.built.page_checks import check_pages
from trustnlp.reproduce.project import papers


def found(folder: Path, body: str, **options: Any) -> list[str]:
    """What the checker says of a book whose first page has this body."""
    (folder / "sub").mkdir(exist_ok=True)
    (folder / "index.html").write_text(f"<html><head><title>t</title></head><body>{body}</body></html>")
    (folder / "sub" / "page.html").write_text('<html><body><h1 id="there">x</h1></body></html>')
    (folder / "picture.png").write_bytes(b"x")
    return [str(finding) for finding in check_pages(folder, **options)]


@pytest.mark.parametrize(
    "body",
    [
        '<a href="sub/page.html#there">in</a> <a href="#">top</a>',
        '<img src="picture.png" alt="A rising line.">',
        '<svg role="img" aria-label="A rising line."><defs><path id="f1-m" /></defs><use href="#f1-m" /></svg>',
        '<svg aria-hidden="true"><path d="M0 0" /></svg>',
        '<a href="mailto:somebody@example.org">mail</a>',
        '<p style="background: url(picture.png)">x</p>',
        "<p>a set {a} and <code>{metric}`a`</code></p>",
        "<pre>img src=https://example.org/x.png in text</pre>",
    ],
)
def test_good_pages_have_no_findings(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, body) == []


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ('<script src="//cdn.example.org/x.js"></script>', "fetches //cdn.example.org/x.js"),
        ('<img srcset="picture.png 1x, https://example.org/x.png 2x" alt="x">', "fetches https://example.org/x.png"),
        ('<form action="https://example.org/find"></form>', "fetches https://example.org/find"),
        ('<p style="background: url(https://example.org/x.png)">x</p>', "fetches https://example.org/x.png"),
        ('<img src="picture.png">', "has no alternative text"),
        ('<img src="picture.png" alt="_images/picture.png">', "has a file name as alternative text"),
        ('<svg role="img"><path d="M0 0" /></svg>', "picture within the page (svg) has no alternative text"),
        ('<svg role="img" aria-label="x"><use href="#f1-m" /></svg>', "links to #f1-m, but there is no such place"),
        ('<a href="sub/missing.html">x</a>', "links to sub/missing.html, which does not exist"),
        ('<a href="sub/page.html#nowhere">x</a>', "there is no such place in sub/page.html"),
        ('<a href="#nowhere">x</a>', "there is no such place in index.html"),
        ("<td>costs {metric}`a.paper:b</td><td>n` points</td>", "shows markup: costs {metric}`a.paper:b"),
        ("<td>{ours}<code>a</code></td>", "shows markup: {ours}"),
        ('<div class="output stderr highlight">Warning</div>', "shows standard error"),
    ],
)
def test_each_fault_is_found(tmp_path: Path, body: str, what: str) -> None:
    findings = found(tmp_path, body)
    assert len(findings) == 1
    assert findings[0].startswith("index.html: ")
    assert what in findings[0]


def test_a_path_of_this_machine_is_found_and_styles_in_files_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "x.css").write_text("p { background: url('https://example.org/x.png') }")
    assert found(tmp_path, "<p>/somewhere/checkout/x</p>", private="/somewhere/checkout") == [
        "index.html: contains /somewhere/checkout, a path of this machine",
        "x.css: fetches https://example.org/x.png from another host",
    ]


def test_links_are_resolved_from_the_page_they_stand_on(tmp_path: Path) -> None:
    assert found(tmp_path, "") == []
    (tmp_path / "sub" / "page.html").write_text('<a href="../index.html">up</a><a href="index.html">beside</a>')
    findings = [str(finding) for finding in check_pages(tmp_path)]
    assert findings == ["sub/page.html: links to index.html, which does not exist"]


def test_a_folder_without_a_book_says_how_to_build_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="run 'trustnlp book' first"):
        check_pages(tmp_path)


def test_the_built_book_has_no_findings() -> None:
    if absent():
        pytest.skip(absent())
    findings = check_pages(HTML, private=str(ROOT))
    assert not findings, "\n".join(map(str, findings))


@pytest.mark.skipif(bool(absent()), reason=absent() or "there is a built book")
def test_all_claims_lie_beside_the_pages() -> None:
    claims = pd.read_csv(HTML / "claims.csv")
    assert set(claims["chapter"]) == set(papers()) and claims["verdict"].notna().all()
    page = (HTML / "book" / "claims.html").read_text("utf-8")
    assert 'href="../claims.csv"' in page and f"{len(claims):,}: one for each claim" in page
