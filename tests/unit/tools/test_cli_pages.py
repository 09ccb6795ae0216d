"""`trustnlp pdf` and `trustnlp links`: what they write and say, and that every mistake is one line."""

from __future__ import annotations

import http.server
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from pypdf import PdfReader
from typer.testing import CliRunner, Result

from trustnlp.tools.cli import app

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
TOC = {
    "root": "book/intro",
    "chapters": [{"file": "chapters/one/index", "sections": [{"file": "chapters/one/b"}, {"file": "chapters/one/a"}]}],
}


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one chapter, and its built pages."""
    (tmp_path / "chapters" / "one").mkdir(parents=True)
    (tmp_path / "chapters" / "one" / "claims.yaml").touch()
    (tmp_path / "_config.yml").write_text("repository: {url: https://github.com/someone/book}\n")
    (tmp_path / "_toc.yml").write_text(yaml.safe_dump(TOC, sort_keys=False))
    html = tmp_path / "_build" / "html"
    (html / "chapters" / "one").mkdir(parents=True)
    for page in ("index", "chapters/one/index", "chapters/one/b", "chapters/one/a"):
        (html / f"{page}.html").write_text(f"<title>{page}</title><p>x</p>")
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


# --- pdf -------------------------------------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_every_page_of_a_chapter_is_printed_in_the_order_of_the_book(book: Path) -> None:
    result = run("pdf", "one", "--out", book / "here")
    assert (result.exit_code, result.stderr) == (0, "")
    pages = ("01-index", "02-b", "03-a")
    told = [*(f"wrote here/{page}.pdf" for page in pages), "wrote here/one.pdf: 3 pages"]
    assert result.stdout.splitlines() == told
    whole = PdfReader(book / "here" / "one.pdf")
    assert [mark.title for mark in whole.outline] == [f"chapters/one/{page}" for page in ("index", "b", "a")]
    assert [page.extract_text().strip() for page in whole.pages] == ["x"] * 3


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_the_whole_book_begins_with_its_first_page(book: Path) -> None:
    (book / "_build" / "html" / "book").mkdir()
    (book / "_build" / "html" / "book" / "intro.html").write_text("<title>Book \u2014 of us</title><p>y</p>")
    result = run("pdf")
    assert result.stdout.splitlines()[-1] == "wrote _build/pdf/book/book.pdf: 4 pages", result.stderr
    assert PdfReader(book / "_build" / "pdf" / "book" / "book.pdf").outline[0].title == "Book"


def test_what_is_missing_is_one_line(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "unknown chapter 'ome'; did you mean 'one'?" in run("pdf", "ome").stderr
    (book / "chapters" / "two").mkdir()
    (book / "chapters" / "two" / "claims.yaml").touch()
    monkeypatch.setattr("trustnlp.reproduce.pages.built.printing.shutil.which", lambda name: f"/nowhere/{name}")
    assert "_toc.yml names no page of two" in run("pdf", "two").stderr
    (book / "_build" / "html" / "chapters" / "one" / "a.html").unlink()
    result = run("pdf", "one")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "_build/html/chapters/one/a.html has not been built; run 'trustnlp book' first" in result.stderr
    assert not (book / "_build" / "pdf").exists()
    monkeypatch.setattr("trustnlp.reproduce.pages.built.printing.shutil.which", lambda name: None)
    result = run("pdf", "one")
    assert result.exit_code == 2 and "no Chromium found" in result.stderr


def test_a_browser_that_prints_nothing_is_told(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = book / "browser"
    browser.write_text("#!/bin/sh\necho 'no space' >&2\n")
    browser.chmod(0o755)
    monkeypatch.setattr("trustnlp.reproduce.pages.built.printing.shutil.which", lambda name: str(browser))
    out = book / "_build" / "pdf" / "one" / "01-index.pdf"
    out.parent.mkdir(parents=True)
    out.write_text("an older one")
    result = run("pdf", "one")
    assert result.exit_code == 2
    assert "_build/html/chapters/one/index.html: Chromium made no PDF: no space" in result.stderr


# --- links -----------------------------------------------------------------------------------------------------------


class Host(http.server.BaseHTTPRequestHandler):
    """Answers with the status that the path names; /get/N only to GET, /to/N with a redirect to /N."""

    asked: list[str]

    def do_HEAD(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        *how, status = self.path.strip("/").split("/")
        if how == ["get"] and self.command == "HEAD":
            status = "405"
        self.send_response(301 if how == ["to"] else int(status))
        if how == ["to"]:
            self.send_header("Location", f"/{status}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_HEAD  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr("trustnlp.reproduce.pages.built.external_links.PAUSE", 0)
    monkeypatch.setattr(Host, "asked", [], raising=False)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def link(book: Path, page: str, *addresses: str) -> None:
    links = "".join(f'<a href="{address}">x</a>' for address in addresses)
    (book / "_build" / "html" / f"{page}.html").write_text(links)


def test_each_address_is_asked_once_and_shown_with_its_pages(book: Path, host: str) -> None:
    link(book, "index", f"{host}/200#a", f"{host}/200#b", "chapters/one/a.html", "mailto:a@example.org", "#top")
    link(book, "chapters/one/a", f"{host}/200", f"{host}/to/200", f"{host}/get/200", f"{host}/403")
    link(book, "chapters/one/b", "https://github.com/someone/book/issues/new", "https://x.example/someone/book/blob")
    result = run("links", "--timeout", "60")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        f"200  {host}/200",
        "      in chapters/one/a.html, index.html",
        f"403  {host}/403 (Forbidden)",
        "      in chapters/one/a.html",
        f"200  {host}/get/200",
        "      in chapters/one/a.html",
        f"200  {host}/to/200",
        "      in chapters/one/a.html",
        "4 addresses: 0 gone, 0 without an answer; 2 of someone/book were not asked",
    ]
    *asked, redirected = Host.asked
    assert asked == ["HEAD /200", "HEAD /403", "GET /403", "HEAD /get/200", "GET /get/200", "HEAD /to/200"]
    assert redirected in ("HEAD /200", "GET /200")  # Python 3.13 follows as it asked, older ones with GET


def test_an_address_that_is_gone_fails(book: Path, host: str) -> None:
    link(book, "index", f"{host}/200", f"{host}/404", f"{host}/410")
    result = run("links", "--timeout", "60")
    assert result.exit_code == 1 and f"404  {host}/404 (" in result.stdout and f"410  {host}/410 (" in result.stdout
    assert "3 addresses: 2 gone, 0 without an answer" in result.stdout


def closed() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_a_host_that_does_not_answer_is_shown_and_does_not_fail(book: Path, host: str) -> None:
    silent = closed()
    link(book, "index", f"{host}/200", f"{silent}/x", f"{host}/a b")
    result = run("links", "--timeout", "60")
    assert result.exit_code == 0
    assert f"none  {silent}/x ([Errno" in result.stdout
    assert f"none  {host}/a b (URL can't contain control characters" in result.stdout
    assert "0 gone, 2 without an answer" in result.stdout


def test_no_network_is_told(book: Path) -> None:
    link(book, "index", f"{closed()}/x")
    result = run("links")
    assert result.exit_code == 2
    assert result.stderr.startswith("trustnlp: none of 1 addresses answered (the first: [Errno")
    assert result.stderr.endswith("is there a network?\n")


def test_a_book_that_is_not_built_is_told(book: Path) -> None:
    shutil.rmtree(book / "_build")
    result = run("links")
    assert result.exit_code == 2 and "run 'trustnlp book' first" in result.stderr


def test_a_book_without_external_links_is_fine(book: Path) -> None:
    result = run("links")
    assert result.exit_code == 0 and result.stdout.startswith("0 addresses: 0 gone, 0 without an answer; 0 of")
