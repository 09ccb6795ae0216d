"""Does a committed record still stand? It is evidence for the code, data and question it was made with, and no other.

A record names the code its numbers come from (`sources`), the data by their hashes, and its parameters. Where one of
them is another today, the record waits for a new run, or for `trustnlp verify --stamp`, which runs a part of it again
and, when all agrees, renews its `sources`.
"""

from __future__ import annotations

import ast
import gc
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trustnlp.reproduce.claims.ledger_tables import printed_tables, read_by
from trustnlp.reproduce.code.code_closure import changes, evidence_of
from trustnlp.reproduce.code.definitions import syntax_tree
from trustnlp.reproduce.code.reach import PACKAGE, package_at, short, with_line_feeds
from trustnlp.reproduce.kept_answers import content_hash, kept
from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.notebooks.notebook_slice import CodeCell, without_units
from trustnlp.reproduce.project import chapter_dir, chapters
from trustnlp.reproduce.runs.params import NotebookParams, committed, load_params, question


def sources_of(chapter: str, notebook: str, *, package: Path = PACKAGE, folder: Path | None = None) -> dict[str, str]:
    """The sources of a notebook's numbers, by label: definition, part of the notebook, file of the chapter.

    The notebook counts by the statements on which its record depends. Of a ledger only the printed tables and values
    that it reads count.

    Parameters
    ----------
    package, folder
        Where the package stands and where the chapter does, if not here.
    """
    from trustnlp.reproduce.claims.ledgers import printed_values

    if folder is None and package == PACKAGE:
        here = chapter_dir(chapter)
        return kept(  # type: ignore[no-any-return]
            f"sources/{chapter}/{notebook}",
            lambda: content_hash(_read_for(here)),
            lambda: sources_of(chapter, notebook, folder=here),
            code=(PACKAGE,),
        )
    folder = folder or chapter_dir(chapter)
    sources, kept_code = evidence_of(cells_of(chapter, notebook, folder), package_at(package))
    sources[f"chapters/{chapter}/{notebook}.py"] = sources.pop("cells")
    for named, table in sorted(read_by(kept_code) | _read_by_studies(sources, package)):
        content = json.dumps(printed_tables(named, table), sort_keys=True)
        sources[f"chapters/{named}/claims.yaml: printed {table}"] = short(content.encode())
    for named, measured in sorted(read_by(kept_code, "printed_values")):
        content = json.dumps(dict(printed_values(named, measured)), sort_keys=True)
        sources[f"chapters/{named}/claims.yaml: printed values of {measured}"] = short(content.encode())
    texts = {n.value for n in ast.walk(kept_code) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    for text in sorted(texts & _files(folder)):
        sources[f"chapters/{chapter}/{text}"] = short(with_line_feeds((folder / text).read_bytes()))
    return dict(sorted(sources.items()))


def _read_for(folder: Path) -> list[Path]:
    """All that the sources of a chapter's notebooks may rest on beside the package."""
    own = {path for path in folder.iterdir() if path.is_file()}
    return sorted(own | {chapter_dir(slug) / "claims.yaml" for slug in chapters()})


def _files(folder: Path) -> set[str]:
    """Names of a chapter's files that a notebook may read, other than its ledger and tables, of which a part counts."""
    return {path.name for path in folder.iterdir() if path.is_file()} - {"claims.yaml", "params.yaml", "units.yaml"}


def _read_by_studies(labels: Mapping[str, str], package: Path) -> set[tuple[str, str]]:
    """Printed tables that the files of the studies ask for in which something is reached."""
    modules = {label.partition(":")[0] for label in labels if label.startswith("trustnlp.studies.")}
    files = [package.joinpath(*module.split(".")[1:]).with_suffix(".py") for module in modules]
    texts = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    return {read for text in texts if "printed_tables" in text for read in read_by(text)}


def cells_of(chapter: str, notebook: str, folder: Path | None = None) -> list[CodeCell]:
    """The code cells of a notebook, taken apart; without the bootstrap of Colab, which computes nothing."""
    return [
        CodeCell(
            without_units(syntax_tree(cell.source, f"code cell '{cell.source:.40}'")).body,
            "parameters" in cell.metadata.get("tags", []),
        )
        for cell in twins.read_notebook((folder or chapter_dir(chapter)) / f"{notebook}.ipynb").cells
        if cell.cell_type == "code" and not twins.BOOTSTRAP.search(cell.source)
    ]


def doubts(record: Mapping[str, Any]) -> list[str]:
    """Why a paper record is no evidence for what stands here today; empty when it is."""
    from trustnlp.data.registry import load_registry
    from trustnlp.reproduce.records.recording import ENCODER_PREFIX

    chapter, notebook = record["chapter"], record["notebook"]
    entry = load_params(chapter).notebook(notebook)
    reasons = []
    if record["git_dirty"]:
        reasons.append("it was made with uncommitted changes")
    now = sources_of(chapter, notebook)
    changed = changes(record["sources"], now)
    if changed:
        reasons.append(f"code changed since this record: {_some(changed)}")
    asked = questions(entry)
    if question(record["parameters"]) not in asked:
        other = [name for name, value in asked[0].items() if record["parameters"].get(name) != value]
        reasons.append(
            f"it was run with other parameters than today's paper profile: {_some(other or ['one too many'])}"
        )
    known = load_registry()
    for name, files in record["data"].items():
        if name.startswith(ENCODER_PREFIX):  # weights of the hub or of a folder: the hashes say which
            continue
        today = {file.key: file.sha256 for file in known[name].files} if name in known else {}
        if files != today:
            reasons.append(f"its data are not today's: {name}")
    return reasons


def questions(entry: NotebookParams) -> list[dict[str, Any]]:
    """The questions that a notebook's paper record may answer: the profile, and what a sweep that completes it adds."""
    asked = [question(entry.resolve("paper"))]
    for sweep in load_params(entry.chapter).sweeps.values():
        if sweep.completes and sweep.notebook == entry.name:
            asked.append(question(entry.resolve("paper", sweep.whole())))
    return asked


def _some(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def standings() -> dict[str, list[str]]:
    """Doubts about each committed record of the book, by `chapter/notebook`; records without doubts are left out."""
    from trustnlp.reproduce.records.recording import load_record

    paths = [committed(chapter, notebook) for chapter in chapters() for notebook in load_params(chapter).notebooks]
    gc.disable()  # millions of nodes of syntax trees live to the end, and would be looked at again and again
    try:
        doubts_of = {path: doubts(load_record(path)) for path in paths if path.is_file()}
    finally:
        gc.enable()
    names = {path: f"{path.parts[-3]}/{path.name.removesuffix('.paper.json')}" for path in doubts_of}
    return {names[path]: why for path, why in doubts_of.items() if why}
