"""The book or a chapter as PDF: each built page printed by Chromium, by the rules for print of `custom.css`."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from trustnlp.files.atomic_writing import replacing_by_name
from trustnlp.files.user_text import read_text
from trustnlp.reproduce.pages.staging import documents
from trustnlp.reproduce.project import UserError, chapter_dir, project_root, shown

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 300  # a page takes a few; a busy machine many
# No address is looked up, mathematics is typeset before the page is printed, and no line of the browser is added.
FLAGS = (
    "--headless",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--virtual-time-budget=30000",
    "--no-pdf-header-footer",
)


def print_pages(chapter: str | None, folder: Path) -> Iterator[Path]:
    """Print the pages of a chapter, or of the whole book, to `folder`: a PDF each, in the order of the contents.

    Raises
    ------
    UserError
        If there is no such chapter, no Chromium, a page that has not been built, or one that could not be printed.
    """
    if chapter is not None:
        chapter_dir(chapter)  # raises and names the nearest
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        raise UserError(f"no Chromium found ({', '.join(NAMES)}): install one (Debian: apt-get install chromium)")
    root = project_root()
    listed = documents(yaml.safe_load(read_text(root / "_toc.yml")))
    chosen = [name for name in listed if chapter is None or name.startswith(f"chapters/{chapter}/")]
    pages = [root / "_build" / "html" / f"{name}.html" for name in chosen]
    if not pages:
        raise UserError(f"_toc.yml names no page of {chapter}: enter the chapter there")
    for page in pages:
        if not page.is_file():
            raise UserError(f"{shown(page)} has not been built; run 'trustnlp book' first")
    folder.mkdir(parents=True, exist_ok=True)
    width = max(2, len(str(len(pages))))
    for number, page in enumerate(pages, start=1):
        out = folder / f"{number:0{width}}-{page.stem}.pdf"
        _print(browser, page, out.resolve())
        yield out


def join_pdfs(parts: Sequence[Path], out: Path) -> int:
    """Join PDFs to one, with a bookmark for each, named by its title; the number of pages.

    Raises
    ------
    ImportError
        If pypdf is not installed.
    """
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter()
    for part in parts:
        reader = PdfReader(part)
        title = (reader.metadata and reader.metadata.title) or part.stem.partition("-")[2]
        writer.append(reader, outline_item=title.partition(" \u2014 ")[0], import_outline=False)
    with replacing_by_name(out) as place:
        writer.write(place)
    return len(writer.pages)


def _print(browser: str, page: Path, out: Path) -> None:
    with tempfile.TemporaryDirectory() as profile, replacing_by_name(out) as part:
        command = [browser, *FLAGS, f"--user-data-dir={profile}", f"--print-to-pdf={part}", page.as_uri()]
        if os.geteuid() == 0:  # Chromium's sandbox refuses root
            command.insert(1, "--no-sandbox")
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise UserError(f"{shown(page)}: Chromium did not finish within {SECONDS} s") from None
        # Chromium exits with 0 when it could not write, too.
        if not part.is_file():
            said = done.stderr.strip().splitlines() or ["it said nothing"]
            raise UserError(f"{shown(page)}: Chromium made no PDF: {said[-1]}")
