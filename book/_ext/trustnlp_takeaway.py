"""Sphinx extension: what readers take along. All claims as a file, BibTeX of a chapter, and what has changed.

Directives
    claims-file       a link to `claims.csv`, which stands beside the built pages, and its data card
    cite-chapter      BibTeX of the chapter on whose front page it stands, and of the paper
    verdict-changes   the verdicts that differ from those of `book/verdict-history.csv`
    moving-picture NOTEBOOK   a picture with a slider, of committed records: `trustnlp.reproduce.pages.moving_pictures`
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx
from trustnlp_reader import Html, Reader, directive, reader_of, up

from trustnlp.reproduce.address import own_address
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.claims.verdicts import Judgement
from trustnlp.reproduce.pages.html_parts import macros
from trustnlp.reproduce.pages.moving_pictures import moving_picture
from trustnlp.reproduce.pages.take_away import all_claims
from trustnlp.reproduce.pages.take_away.bibtex import chapter_entry, citation, entries
from trustnlp.reproduce.project import papers, project_root
from trustnlp.reproduce.verdict_marks import anchor

FILE = "claims.csv"


def _all_judgements(reader: Reader) -> list[Judgement]:
    return [judgement for slug in papers() for judgement in reader.judgements(slug).values()]


def _claims_file(page: Html, reader: Reader) -> str:
    table = all_claims.claims_table(_all_judgements(reader))
    address = up(page.env.docname) + FILE
    return str(macros("take_away.j2").claims_file(address, all_claims.data_card(table), all_claims.COLUMNS))


def _cite_chapter(page: Html, reader: Reader) -> str:
    slug, root = Path(page.env.docname).parent.name, project_root()
    bib, front = root / "book" / "references.bib", root / "chapters" / slug / "index.md"
    reader.depend([bib, front, root / "CITATION.cff"])
    title = re.search(r"^# (.+)$", front.read_text("utf-8"), re.MULTILINE)
    chapter = chapter_entry(slug, title[1] if title else slug, citation(root), own_address(root))
    paper = load_claims(slug).paper
    entry = paper and entries(bib.read_text("utf-8")).get(paper.key)  # a new chapter's may not be entered yet
    return str(macros("take_away.j2").cite([chapter, *([entry] if entry else [])]))


def _verdict_changes(page: Html, reader: Reader) -> str:
    history = project_root() / "book" / "verdict-history.csv"
    reader.depend([history])
    changed = all_claims.changed_verdicts(history, _all_judgements(reader))
    rows = changed[changed["before"] != ""].to_dict("records")
    return str(macros("take_away.j2", anchor).changes(rows, len(changed) - len(rows), up(page.env.docname)))


def _moving_picture(page: Html, reader: Reader) -> str:
    def record_of(name: str) -> Mapping[str, Any]:
        slug, _, record = name.partition("/")
        return reader.named(slug, record)

    name = page.arguments[0]
    picture = moving_picture(yaml.safe_load("\n".join(page.content)), record_of)
    return picture.html(f"moving-{name.replace('/', '-')}", f"{up(page.env.docname)}chapters/{name}.html")


def write_claims(app: Sphinx, error: Exception | None) -> None:
    """Put the table of all claims beside the built pages."""
    if app.builder.format == "html":
        table = all_claims.claims_table(_all_judgements(reader_of(app)))
        table.to_csv(Path(app.outdir) / FILE, index=False)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("claims-file", directive(_claims_file))
    app.add_directive("cite-chapter", directive(_cite_chapter))
    app.add_directive("verdict-changes", directive(_verdict_changes))
    app.add_directive("moving-picture", directive(_moving_picture, 1, content=True))
    app.connect("build-finished", write_claims)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
