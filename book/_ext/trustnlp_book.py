"""Sphinx extension of the book: pages ask for verdicts, records and data cards, and never hold a number themselves.

Directives
    verdict-dashboard               every chapter with a square for each claim, and the works of book/in-work.yaml
    headlines CHAPTER               its headline claims: paper | ours | verdict
    ledger CHAPTER                  all its claims: where | paper | ours | verdict | why, then the deviations
    record-table CHAPTER/NOTEBOOK   what its record says of the paper's tables that the heading in the content names
    run-banner CHAPTER/NOTEBOOK     this build's smoke run beside the committed paper record
    data-card NAME, data-cards      one registered data set, or all of them
    paper-data [CHAPTER]            where the data of each notebook's paper profile come from without a mirror
    record-log                      when and on what each committed record was made and verified
    rule-errors                     how often the rules of verdicts are wrong where the truth is known

The HTML comes from `trustnlp.reproduce.pages.tables`; here is only what needs Sphinx: places, warnings, dependencies.
An unknown claim, record or data set is a Sphinx warning that names the nearest one, so a build with `-W` fails.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from trustnlp_reader import Html, Reader, directive, ledger_address, up

from trustnlp.data import registry
from trustnlp.reproduce import data_availability, verdict_marks
from trustnlp.reproduce.checks import rule_errors, standing
from trustnlp.reproduce.claims.verdicts import Judgement
from trustnlp.reproduce.kept_answers import content_hash
from trustnlp.reproduce.pages import dashboard, ledger_page, tables
from trustnlp.reproduce.project import UserError, chapters, papers, project_root
from trustnlp.reproduce.schemas import parse_yaml

PROCESSES = min(4, os.cpu_count() or 1)


def _committed(slug: str) -> list[Path]:
    return sorted((project_root() / "chapters" / slug / "results").glob("*.paper.json"))


def _judgements(page: Html, reader: Reader) -> list[Judgement]:
    """Those of the chapter that the first argument names, alone or before a slash."""
    return list(reader.judgements(page.arguments[0].partition("/")[0]).values())


def _dashboard(page: Html, reader: Reader) -> str:
    toc = (project_root() / "_toc.yml").read_text("utf-8")
    in_order = sorted(papers(), key=lambda slug: toc.find(f"chapters/{slug}/"))
    rows = {slug: list(reader.judgements(slug).values()) for slug in in_order}
    path = project_root() / "book" / "in-work.yaml"
    reader.depend([path])
    titles = [work["title"] for work in parse_yaml(path.read_text("utf-8"), path) if work["slug"] not in rows]
    return dashboard.dashboard_html(rows, titles, base=up(page.env.docname))


def _headlines(page: Html, reader: Reader) -> str:
    ledger = ledger_address(page.env.docname, page.arguments[0])
    return ledger_page.headlines_html(_judgements(page, reader), ledger)


def _ledger(page: Html, reader: Reader) -> str:
    return ledger_page.ledger_html(_judgements(page, reader))


def _record_table(page: Html, reader: Reader) -> str:
    slug, _, notebook = page.arguments[0].partition("/")
    ledger = ledger_address(page.env.docname, slug)
    rows = ledger_page.placed_html(_judgements(page, reader), notebook, " ".join(page.content), ledger)
    return rows or f'<p>Its record is committed: <a href="{ledger}">every claim</a> says what it holds.</p>'


def _run_banner(page: Html, reader: Reader) -> str:
    slug, slash, notebook = page.arguments[0].partition("/")
    if not slash:
        raise UserError(f"'{slug}': expected CHAPTER/NOTEBOOK")
    root = project_root()
    smoke = reader.record(root / "_build" / "runs" / slug / f"{notebook}.smoke.json")
    paper = reader.record(root / "chapters" / slug / "results" / f"{notebook}.paper.json")
    if smoke and not smoke["metrics"]:  # a lesson's
        return tables.run_banner_html(smoke, "This build's run")
    doubts = standing.doubts(paper) if paper else ()
    return tables.run_banner_html(smoke, "This build's smoke run") + tables.run_banner_html(
        paper, "Committed paper record", doubts
    )


def _data_cards(page: Html, reader: Reader) -> str:
    reader.depend([Path(registry.__file__).with_name("registry.toml")])
    named = [registry.dataset(name) for name in page.arguments]
    return "\n".join(map(tables.data_card_html, named or registry.load_registry().values()))


def _paper_data(page: Html, reader: Reader) -> str:
    folder = Path(registry.__file__).parent
    named = page.arguments or papers()
    reader.depend([folder / "registry.toml", folder / "recipes" / "recipes.toml"])
    reader.depend(project_root() / "chapters" / slug / "params.yaml" for slug in named)
    rows = [row for slug in named for row in data_availability.availability(slug)]
    return tables.paper_data_html(rows, up(page.env.docname))


def _record_log(page: Html, reader: Reader) -> str:
    paths = [path for slug in chapters() for path in _committed(slug)]
    return tables.record_log_html(filter(None, map(reader.record, paths)), base=up(page.env.docname))


def _rule_errors(page: Html, reader: Reader) -> str:
    return rule_errors.rule_errors_html(list(rule_errors.trials(np.random.default_rng(0))))


# Name → what makes its HTML, and how many arguments it has.
DIRECTIVES: dict[str, tuple[Callable[[Html, Reader], str], int]] = {
    "verdict-dashboard": (_dashboard, 0),
    "headlines": (_headlines, 1),
    "ledger": (_ledger, 1),
    "record-table": (_record_table, 1),
    "run-banner": (_run_banner, 1),
    "data-card": (_data_cards, 1),
    "data-cards": (_data_cards, 0),
    "paper-data": (_paper_data, 0),
    "record-log": (_record_log, 0),
    "rule-errors": (_rule_errors, 0),
}


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


def short_sidebar(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Let the sidebar, which names pages alone, be made from their titles.

    Sphinx copies every heading and every documented name of the book for it, page by page, and throws them away again:
    a third of its time.
    """
    whole = context.get("toctree")
    if whole is None:
        return

    def toctree(**how: Any) -> Any:
        if not how.get("titles_only"):
            return whole(**how)
        env = app.env
        tocs, env.tocs = env.tocs, _titles(env)
        try:
            return whole(**how)
        finally:
            env.tocs = tocs

    context["toctree"] = toctree


@cache
def _titles(env: BuildEnvironment) -> dict[str, nodes.bullet_list]:
    """The contents of each page, cut to its title and the pages under it, as `titles_only` cuts them."""
    cut = {page: contents.deepcopy() for page, contents in env.tocs.items()}
    for contents in cut.values():
        for item in contents.children:
            if len(item) > 1:
                item[1:] = [nodes.bullet_list("", *under)] if (under := list(item.findall(addnodes.toctree))) else []
    return cut


def _code_version() -> int:
    """Changes with the code that turns judgements into HTML: Sphinx then reads every page again."""
    frame = Path(verdict_marks.__file__).parent
    rooms = [path for room in ("claims", "pages", "records") for path in sorted((frame / room).rglob("*.*"))]
    own = [Path(__file__).with_name(f"trustnlp_{name}.py") for name in ("book", "reader", "roles", "takeaway")]
    single = [frame / f"{name}.py" for name in ("data_availability", "verdict_marks", "checks/rule_errors")]
    files = [*rooms, *single, Path(registry.__file__).with_name("origins.py"), *own]
    return int(content_hash(path for path in files if path.suffix in (".py", ".j2")).hex()[:12], 16)


def setup(app: Sphinx) -> dict[str, Any]:
    for name, (make, arguments) in DIRECTIVES.items():
        shape = directive(make, arguments, optional=int(make is _paper_data), content=make is _record_table)
        app.add_directive(name, shape)
    app.connect("html-page-context", drop_scripts, priority=900)
    app.connect("html-page-context", short_sidebar)
    scorer = Path(app.srcdir) / "book" / "_assets" / "search_scorer.js"
    if scorer.is_file():  # Sphinx would look for it where the build was started
        app.config.html_search_scorer = str(scorer)
    # Jupyter Book cannot ask Sphinx for processes. Of its extensions this one alone does not say that it may run in
    # some; it looks at the whole table of contents only when all pages have been read.
    app.parallel = PROCESSES
    if numbering := app.extensions.get("sphinx_multitoc_numbering"):
        numbering.parallel_read_safe = True
    return {"version": "1", "env_version": _code_version(), "parallel_read_safe": True, "parallel_write_safe": True}
