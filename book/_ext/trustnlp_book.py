"""Sphinx extension of the book: pages ask for verdicts, records and data cards, and never hold a number themselves.

Directives
    verdict-dashboard               every chapter with its count of verdicts, and the works of book/in-work.yaml
    verdict-strip CHAPTER           one chapter's verdicts in a line
    headlines CHAPTER               its headline claims: paper | ours | verdict
    ledger CHAPTER                  all its claims: where | paper | ours | verdict | why, then the deviations
    record-table CHAPTER/NOTEBOOK   what its record says of the paper's tables that the heading in the content names
    run-banner CHAPTER/NOTEBOOK     this build's smoke run beside the committed paper record
    data-card NAME, data-cards      one registered data set, or all of them
    record-log                      when and on what each committed record was made and verified
    rule-errors                     how often the rules of verdicts are wrong where the truth is known

Roles (inside a chapter its slug may be left out)
    {ours}`[CHAPTER/]CLAIM`, {paper}`…`, {verdict}`…`
    {metric}`[CHAPTER/]RECORD:KEY`  for example {metric}`reproduction.paper:word2vec.cosine.mean.weat1.effect_size`
    {duration}`[CHAPTER/]RECORD`    how long the run of a record took; {duration}`CHAPTER | paper`: a chapter's together
    A bar asks for something else of the same claim or metric: {ours}`CLAIM | interval`, {metric}`RECORD:KEY | n`, or
    `full`, number and interval; `abs` leaves the sign out, as in {ours}`CLAIM | abs | full`. In a table of Markdown it
    is written with a backslash before it. A verdict is a link to its claim on the ledger page.
    {holds}`TARGET above 0`, {holds}`TARGET between 7 9`, {holds}`3 of 9 CLAIMS above 0`
                                    prints nothing, and stops the build when the sentence beside it is no longer true
                                    (`trustnlp.reproduce.assertions`)

The HTML comes from `trustnlp.reproduce.tables`; here is only what needs Sphinx: places, warnings, dependencies. An
unknown claim, record or data set is a Sphinx warning that names the nearest one, so a build with `-W` fails.
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from trustnlp.data import registry
from trustnlp.reproduce import (
    assertions,
    claims,
    dashboard,
    evidence,
    ledger_page,
    measured_text,
    numerals,
    rule_errors,
    standing,
    tables,
    tallies,
    units,
    verdict_marks,
    verdicts,
)
from trustnlp.reproduce.derived_metrics import committed_record
from trustnlp.reproduce.durations import duration_text
from trustnlp.reproduce.measured_text import Measured
from trustnlp.reproduce.params import load_params
from trustnlp.reproduce.project import UserError, chapters, nearest, project_root
from trustnlp.reproduce.schemas import parse_yaml

LOGGER = logging.getLogger(__name__)
PROCESSES = min(4, os.cpu_count() or 1)
Judged = dict[str, verdicts.Judgement]


class _Reader:
    """Judgements and records of one build, read once; every page that asks depends on the files behind them."""

    def __init__(self, app: Sphinx) -> None:
        self.app = app
        self._judged: dict[str, Judged] = {}
        self._records: dict[Path, dict[str, Any] | None] = {}

    def depend(self, paths: Iterable[Path]) -> None:
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
            return assertions.of_record(record, self.named(slug, record))
        return assertions.of_claims(self.judgements(slug))

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


def _reader(app: Sphinx) -> _Reader:
    if not hasattr(app, "trustnlp_reader"):
        app.trustnlp_reader = _Reader(app)  # type: ignore[attr-defined]
    return app.trustnlp_reader  # type: ignore[attr-defined, no-any-return]


def _up(docname: str) -> str:
    """From a page to the root of the built book, for links in ready-made HTML."""
    return "../" * docname.count("/")


def _ledger_page(docname: str, slug: str) -> str:
    """From a page to the ledger page of a chapter."""
    return f"{_up(docname)}chapters/{slug}/ledger.html"


def _committed(slug: str) -> list[Path]:
    return sorted((project_root() / "chapters" / slug / "results").glob("*.paper.json"))


class _Html(SphinxDirective, ABC):
    """A directive that becomes ready-made HTML; what it cannot make is a warning."""

    @abstractmethod
    def html(self, reader: _Reader) -> str:
        """The page's piece of HTML; `UserError` for what does not exist."""

    def run(self) -> list[nodes.Node]:
        try:
            html = self.html(_reader(self.env.app))
        except (UserError, registry.DataError) as error:
            LOGGER.warning("%s: %s", self.name, error, location=self.get_location(), type="trustnlp")
            return []
        return [nodes.raw("", html, format="html")]


class VerdictDashboard(_Html):
    def html(self, reader: _Reader) -> str:
        rows = {}
        for slug in chapters():
            if not slug.startswith("_"):
                judged = list(reader.judgements(slug).values())
                records = filter(None, map(reader.record, _committed(slug)))
                days = [(record["verified"] or record)["started"][:10] for record in records]
                data = claims.load_claims(slug).data
                rows[slug] = dashboard.Chapter(judged, data, max(days, default=None))
        path = project_root() / "book" / "in-work.yaml"
        reader.depend([path])
        in_work = parse_yaml(path.read_text("utf-8"), path)
        titles = [work["title"] for work in in_work if work["slug"] not in rows]
        return dashboard.dashboard_html(rows, titles, base=_up(self.env.docname))


class VerdictStrip(_Html):
    required_arguments = 1

    def html(self, reader: _Reader) -> str:
        slug = self.arguments[0]
        found = list(reader.judgements(slug).values())
        return verdict_marks.verdict_strip_html(found, _ledger_page(self.env.docname, slug))


class Headlines(_Html):
    required_arguments = 1

    def html(self, reader: _Reader) -> str:
        slug = self.arguments[0]
        found = list(reader.judgements(slug).values())
        return ledger_page.headlines_html(found, _ledger_page(self.env.docname, slug))


class LedgerOfClaims(_Html):
    required_arguments = 1

    def html(self, reader: _Reader) -> str:
        return ledger_page.ledger_html(list(reader.judgements(self.arguments[0]).values()))


class RecordTable(_Html):
    required_arguments = 1
    has_content = True

    def html(self, reader: _Reader) -> str:
        slug, _, notebook = self.arguments[0].partition("/")
        heading, ledger = " ".join(self.content), _ledger_page(self.env.docname, slug)
        rows = ledger_page.placed_html(list(reader.judgements(slug).values()), notebook, heading, ledger)
        return rows or f'<p>Its record is committed: <a href="{ledger}">every claim</a> says what it holds.</p>'


class RunBanner(_Html):
    required_arguments = 1

    def html(self, reader: _Reader) -> str:
        slug, slash, notebook = self.arguments[0].partition("/")
        if not slash:
            raise UserError(f"'{slug}': expected CHAPTER/NOTEBOOK")
        root = project_root()
        smoke = reader.record(root / "_build" / "runs" / slug / f"{notebook}.smoke.json")
        paper = reader.record(root / "chapters" / slug / "results" / f"{notebook}.paper.json")
        return tables.run_banner_html(smoke, "This build's smoke run") + tables.run_banner_html(
            paper, "Committed paper record", standing.doubts(paper) if paper else ()
        )


class DataCard(_Html):
    required_arguments = 1

    def html(self, reader: _Reader) -> str:
        reader.depend([Path(registry.__file__).with_name("registry.toml")])
        return tables.data_card_html(registry.dataset(self.arguments[0]))


class DataCards(_Html):
    def html(self, reader: _Reader) -> str:
        reader.depend([Path(registry.__file__).with_name("registry.toml")])
        return "\n".join(tables.data_card_html(dataset) for dataset in registry.load_registry().values())


class RecordLog(_Html):
    def html(self, reader: _Reader) -> str:
        paths = [path for slug in chapters() for path in _committed(slug)]
        return tables.record_log_html(filter(None, map(reader.record, paths)), base=_up(self.env.docname))


class RuleErrors(_Html):
    def html(self, reader: _Reader) -> str:
        return rule_errors.rule_errors_html(list(rule_errors.trials(np.random.default_rng(0))))


class ValueRole(SphinxRole):
    """A number or a verdict in running text: what a claim says or a run measured, and how long it took."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            return [self._node()], []
        except UserError as error:
            LOGGER.warning("%s: %s", self.what, error, location=self.get_location(), type="trustnlp")
            return [nodes.inline(self.rawtext, self.text)], []

    def _node(self) -> nodes.Node:
        target, *bars = (part.strip() for part in self.text.replace("\\|", "|").split("|"))
        magnitude = "abs" in bars
        asked = next((bar for bar in bars if bar != "abs"), "")
        classes = [f"tn-{self.what}-value"]
        if self.what == "duration":
            return nodes.inline(self.rawtext, self._duration(target, asked), classes=classes)
        slug, name = self._place(target)
        if self.what == "metric":
            text = tables.value_text(_reader(self.env.app).metric(slug, name), asked or "mean", magnitude=magnitude)
            return nodes.inline(self.rawtext, text, classes=classes)
        judged = _reader(self.env.app).judgements(slug)
        if name not in judged:
            raise UserError(f"chapter '{slug}' has no claim '{name}'{nearest(name, judged)}")
        text = tables.value_text(judged[name], asked or self.what, magnitude=magnitude)
        if self.what != "verdict":
            return nodes.inline(self.rawtext, text, classes=classes)
        classes += ["tn-verdict", verdict_marks.verdict_class(judged[name].verdict)]
        address = f"{_ledger_page(self.env.docname, slug)}#{verdict_marks.anchor(name)}"
        return nodes.reference(self.rawtext, text, refuri=address, internal=True, classes=classes)

    def _duration(self, target: str, profile: str) -> str:
        slug, name = (target, "") if profile else self._place(target)
        names = [f"{notebook}.{profile}" for notebook in load_params(slug).notebooks] if profile else [name]
        reader = _reader(self.env.app)
        return duration_text(sum(reader.named(slug, name)["seconds"] for name in names))

    def _place(self, target: str) -> tuple[str, str]:
        """Chapter and name; the chapter may be left out on its own pages."""
        return _chapter_and_name(self.env.docname, target)


class HoldsRole(SphinxRole):
    """Nothing on the page; a warning, and so a failed build, when what it asserts does not hold."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            assertion = assertions.parsed(self.text.replace("\\|", "|"))
            slug, name = _chapter_and_name(self.env.docname, assertion.target)
            known = _reader(self.env.app).numbers(slug, name)
            wrong = assertions.failure(assertion, assertions.chosen(replace(assertion, target=name), known))
        except UserError as error:
            wrong = str(error)
        if wrong:
            LOGGER.warning("holds: %s", wrong, location=self.get_location(), type="trustnlp")
        return [], []


def _chapter_and_name(docname: str, target: str) -> tuple[str, str]:
    slug, slash, name = target.partition("/")
    if slash:
        return slug, name
    parts = docname.split("/")
    if parts[0] != "chapters":
        raise UserError(f"'{target}' stands outside a chapter; write CHAPTER/{target}")
    return parts[1], target


def drop_scripts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Keep each inline script once, and none of thebe's.

    Sphinx 7.4 lists the inline scripts of sphinx-thebe and sphinx-togglebutton twice, which is an error in the
    browser's console; thebe is off, and its script would name another host.
    """
    seen: set[str] = set()
    kept = []
    for script in context.get("script_files", []):
        body = getattr(script, "attributes", {}).get("body") or ""
        if "thebe" in str(getattr(script, "filename", "")) or "THEBE" in body or (body and body in seen):
            continue
        seen.add(body)
        kept.append(script)
    context["script_files"] = kept


def _code_version() -> int:
    """Changes with the code that turns judgements into HTML: Sphinx then reads every page again."""
    code = hashlib.sha256()
    for module in (
        assertions, claims, dashboard, evidence, ledger_page, measured_text, numerals, rule_errors, tables, tallies,
        units, verdict_marks, verdicts,
    ):  # fmt: skip
        code.update(Path(module.__file__).read_bytes())
    code.update(Path(__file__).read_bytes())
    return int(code.hexdigest()[:12], 16)


def setup(app: Sphinx) -> dict[str, Any]:
    found: dict[str, type[_Html]] = {
        "verdict-dashboard": VerdictDashboard,
        "verdict-strip": VerdictStrip,
        "headlines": Headlines,
        "ledger": LedgerOfClaims,
        "record-table": RecordTable,
        "run-banner": RunBanner,
        "data-card": DataCard,
        "data-cards": DataCards,
        "record-log": RecordLog,
        "rule-errors": RuleErrors,
    }
    for name, directive in found.items():
        app.add_directive(name, directive)
    for name in ("ours", "paper", "verdict", "metric", "duration"):
        app.add_role(name, ValueRole(name))
    app.add_role("holds", HoldsRole())
    app.connect("html-page-context", drop_scripts, priority=900)
    # Jupyter Book cannot ask Sphinx for processes. Of its extensions this one alone does not say that it may run in
    # some; it looks at the whole table of contents only when all pages have been read.
    app.parallel = PROCESSES
    if numbering := app.extensions.get("sphinx_multitoc_numbering"):
        numbering.parallel_read_safe = True
    return {"version": "1", "env_version": _code_version(), "parallel_read_safe": True, "parallel_write_safe": True}
