"""A renamed page is found at its old address, and a redirect that cannot work is refused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from trustnlp.reproduce.pages.built.page_checks import check_pages
from trustnlp.reproduce.pages.built.redirects import read_redirects, write_redirects
from trustnlp.reproduce.project import UserError

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
TOC = {"root": "book/intro", "chapters": [{"file": "chapters/one/new"}, {"file": "book/methods"}]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "book").mkdir()
    (tmp_path / "_toc.yml").write_text(yaml.safe_dump(TOC))
    for page in ("index", "book/intro", "book/methods", "chapters/one/new"):
        place = tmp_path / "html" / f"{page}.html"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text('<p id="there">x</p><script>document.body.append("at " + location.hash)</script>')
    return tmp_path


def redirect(root: Path, text: str) -> Path:
    (root / "book" / "redirects.yaml").write_text(text)
    write_redirects(read_redirects(root), root / "html")
    return root / "html"


def test_an_old_page_leads_to_the_new_one(root: Path) -> None:
    html = redirect(root, "chapters/old/page: chapters/one/new\nchapters/one/old: chapters/one/new\n")
    for old, address in {"chapters/old/page": "../one/new.html", "chapters/one/old": "new.html"}.items():
        page = (html / f"{old}.html").read_text()
        assert f'<a href="{address}">' in page and f'content="0; url={address}">' in page
    assert check_pages(html) == []


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_the_place_within_the_page_is_kept(root: Path) -> None:
    html = redirect(root, "chapters/old/page: chapters/one/new\n")
    address = (html / "chapters" / "old" / "page.html").as_uri() + "#there"
    command = [str(CHROMIUM), "--headless", "--no-sandbox", f"--user-data-dir={root / 'profile'}"]
    command += ["--virtual-time-budget=5000", "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    assert "at #there" in done.stdout


def test_there_need_be_none(root: Path) -> None:
    assert read_redirects(root) == {}
    (root / "book" / "redirects.yaml").write_text("")
    assert read_redirects(root) == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- book/old\n", "expected lines 'old/page: new/page'"),
        ("book/old: [a]\n", "is no docname"),
        ("book/old: chapters/one/new.html\n", "'chapters/one/new.html' is no docname"),
        ("book/../old: book/methods\n", "'book/../old' is no docname"),
        ("book/methods: book/intro\n", "book/methods is still a page"),
        ("book/old: book/method\n", r"book/method, which is no page of _toc.yml; did you mean 'book/methods'\?"),
        ("book/a: book/b\nbook/b: book/a\n", "book/a leads to book/b, which has moved itself"),
    ],
)
def test_what_cannot_work_is_refused(root: Path, text: str, told: str) -> None:
    with pytest.raises(UserError, match=rf"^book/redirects.yaml: .*{told}"):
        redirect(root, text)
