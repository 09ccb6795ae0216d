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
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from trustnlp_reader import reader_of, up

from trustnlp.reproduce.address import own_address
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.claims.verdicts import Judgement, judge_chapter
from trustnlp.reproduce.pages import all_claims
from trustnlp.reproduce.pages.bibtex import chapter_entry, entries
from trustnlp.reproduce.pages.html_parts import macros
from trustnlp.reproduce.pages.moving_pictures import moving_picture
from trustnlp.reproduce.project import UserError, papers, project_root
from trustnlp.reproduce.verdict_marks import anchor, chip

LOGGER = logging.getLogger(__name__)
FILE = "claims.csv"


def _all_judgements(app: Sphinx) -> list[Judgement]:
    reader = reader_of(app)
    return [judgement for slug in papers() for judgement in reader.judgements(slug).values()]


class _Html(SphinxDirective):
    def html(self) -> str:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        try:
            return [nodes.raw("", self.html(), format="html")]
        except UserError as error:
            LOGGER.warning("%s: %s", self.name, error, location=self.get_location(), type="trustnlp")
            return []


class ClaimsFile(_Html):
    """A link to the table of all claims, and its data card."""

    def html(self) -> str:
        table = all_claims.claims_table(_all_judgements(self.env.app))
        told = macros("take_away.j2")
        address = up(self.env.docname) + FILE
        return str(told.claims_file(address, all_claims.data_card(table), all_claims.COLUMNS))


class CiteChapter(_Html):
    """BibTeX of a chapter and of its paper, folded."""

    def html(self) -> str:
        slug = Path(self.env.docname).parent.name
        root = project_root()
        paths = [root / "book" / "references.bib", root / "CITATION.cff", root / "chapters" / slug / "index.md"]
        for path in paths:
            self.env.note_dependency(str(path))
        bib, cff, front = (path.read_text("utf-8") for path in paths)
        title = re.search(r"^# (.+)$", front, re.MULTILINE)
        chapter = chapter_entry(slug, title[1] if title else slug, yaml.safe_load(cff), own_address(root))
        paper = entries(bib).get(load_claims(slug).paper.key)  # that of a new chapter may not be entered yet
        return str(macros("take_away.j2").cite([chapter, *([paper] if paper else [])]))


class VerdictChanges(_Html):
    """Claims whose verdict is another one than the one that was kept, and how many claims are new."""

    def html(self) -> str:
        history = project_root() / "book" / "verdict-history.csv"
        self.env.note_dependency(str(history))
        changed = all_claims.changed_verdicts(history, _all_judgements(self.env.app))
        rows = changed[changed["before"] != ""].to_dict("records")
        html = macros("take_away.j2", anchor, chip)
        return str(html.changes(rows, int((changed["before"] == "").sum()), up(self.env.docname)))


class MovingPicture(_Html):
    """Bars that follow a slider; the argument names the notebook that made them, `CHAPTER/NOTEBOOK`."""

    required_arguments = 1
    has_content = True

    def html(self) -> str:
        reader = reader_of(self.env.app)

        def record_of(name: str) -> Mapping[str, Any]:
            slug, _, record = name.partition("/")
            return reader.named(slug, record)

        asked = yaml.safe_load("\n".join(self.content))
        name = self.arguments[0]
        evidence = f"{up(self.env.docname)}chapters/{name}.html"
        return moving_picture(asked, record_of).html(f"moving-{name.replace('/', '-')}", evidence)


def write_claims(app: Sphinx, error: Exception | None) -> None:
    """Put the table of all claims beside the built pages."""
    if app.builder.format == "html":
        table = all_claims.claims_table(found for slug in papers() for found in judge_chapter(slug))
        table.to_csv(Path(app.outdir) / FILE, index=False)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("claims-file", ClaimsFile)
    app.add_directive("cite-chapter", CiteChapter)
    app.add_directive("verdict-changes", VerdictChanges)
    app.add_directive("moving-picture", MovingPicture)
    app.connect("build-finished", write_claims)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
