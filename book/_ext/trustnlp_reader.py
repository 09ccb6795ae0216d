"""Judgements and records of one build of the book, read once; every page that asks depends on the files behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from trustnlp.data.registry import DataError
from trustnlp.reproduce.claims import verdicts
from trustnlp.reproduce.pages import assertions
from trustnlp.reproduce.pages.measured_text import Measured
from trustnlp.reproduce.project import UserError, chapters, nearest, project_root
from trustnlp.reproduce.records.derived_metrics import committed_record

LOGGER = logging.getLogger(__name__)
Judged = dict[str, verdicts.Judgement]


class Html(SphinxDirective):
    """A directive that becomes ready-made HTML; what it cannot make is a warning."""

    make: ClassVar[Callable[[Any, Reader], str]]  # `UserError` for what does not exist

    def run(self) -> list[nodes.Node]:
        try:
            html = self.make(reader_of(self.env.app))
        except (UserError, DataError) as error:
            LOGGER.warning("%s: %s", self.name, error, location=self.get_location(), type="trustnlp")
            return []
        return [nodes.raw("", html, format="html")]


def directive(
    make: Callable[[Html, Reader], str], arguments: int = 0, *, optional: int = 0, content: bool = False
) -> type[Html]:
    """The directive whose HTML `make` gives."""
    fields = {"required_arguments": arguments, "optional_arguments": optional, "has_content": content}
    return type(make.__name__, (Html,), {"make": make, **fields})


class Reader:
    """Judgements and records by the names that pages ask for; `UserError` names the nearest of an unknown one."""

    def __init__(self, app: Sphinx) -> None:
        self.app = app
        self._judged: dict[str, Judged] = {}
        self._records: dict[Path, dict[str, Any] | None] = {}

    def depend(self, paths: Iterable[Path]) -> None:
        if "docname" in self.app.env.temp_data:  # when all pages are read, none depends on anything
            for path in paths:
                self.app.env.note_dependency(str(path))

    def judgements(self, slug: str) -> Judged:
        """Claim id → judgement of a chapter; `UserError` for an unknown chapter or a faulty ledger."""
        if slug not in chapters():
            raise UserError(f"unknown chapter '{slug}'{nearest(slug, chapters())}")
        folder = project_root() / "chapters" / slug
        self.depend([folder / "claims.yaml", *sorted((folder / "results").glob("*.json"))])
        if slug not in self._judged:
            self._judged[slug] = {found.claim.id: found for found in verdicts.judge_chapter(slug)}
        return self._judged[slug]

    def judgement(self, slug: str, name: str) -> verdicts.Judgement:
        """That of one claim; `UserError` for one that the chapter has not."""
        judged = self.judgements(slug)
        if name not in judged:
            raise UserError(f"chapter '{slug}' has no claim '{name}'{nearest(name, judged)}")
        return judged[name]

    def record(self, path: Path) -> dict[str, Any] | None:
        self.depend([path] if path.is_file() else [])
        if path not in self._records:
            self._records[path] = committed_record(path) if path.is_file() else None
        return self._records[path]

    def metric(self, slug: str, target: str) -> Mapping[str, Any]:
        """One metric of a committed record, `RECORD:KEY`."""
        name, colon, key = target.partition(":")
        if not colon:
            raise UserError(f"'{target}': expected RECORD:KEY, such as reproduction.paper:word2vec.effect_size")
        record = self.named(slug, name)
        if key not in record["metrics"]:
            raise UserError(f"record '{slug}/{name}' has no metric '{key}'{nearest(key, record['metrics'])}")
        metric: Mapping[str, Any] = record["metrics"][key]
        return metric

    def numbers(self, slug: str, target: str) -> dict[str, Measured]:
        """The numbers among which an assertion's target is: a record's as `RECORD:KEY`, or those of all claims."""
        record, colon, _ = target.partition(":")
        if colon:
            return assertions.numbers_of(self.named(slug, record)["metrics"], f"{record}:")
        return assertions.numbers_of(self.judgements(slug))

    def named(self, slug: str, name: str) -> dict[str, Any]:
        """A chapter's record `NOTEBOOK.paper` or `NOTEBOOK.smoke`."""
        folder = project_root() / "chapters" / slug / "results"
        if name.endswith(".smoke"):  # what needs no real data is measured anew in every build
            folder = project_root() / "_build" / "runs" / slug
        record = self.record(folder / f"{name}.json")
        if record is None:
            known = [path.stem for path in folder.glob("*.json")]
            raise UserError(f"chapter '{slug}' has no record '{name}'{nearest(name, known)}")
        return record


def reader_of(app: Sphinx) -> Reader:
    if not hasattr(app, "trustnlp_reader"):
        app.trustnlp_reader = Reader(app)  # type: ignore[attr-defined]
    return app.trustnlp_reader  # type: ignore[attr-defined, no-any-return]


def up(docname: str) -> str:
    """From a page to the root of the built book, for links in ready-made HTML."""
    return "../" * docname.count("/")


def ledger_address(docname: str, slug: str) -> str:
    """From a page to the ledger page of a chapter."""
    return f"{up(docname)}chapters/{slug}/ledger.html"
