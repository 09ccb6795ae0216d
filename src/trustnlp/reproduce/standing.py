"""Does a committed record still stand? It is evidence for the code, data and question it was made with, and no other.

A record names the code its numbers come from (`sources`), the data by their hashes, and its parameters. Where one of
them is another today, the record waits for a new run, or for `trustnlp verify --stamp`, which runs a part of it again
and, when all agrees, renews its `sources`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from trustnlp.reproduce import twins
from trustnlp.reproduce.params import NotebookParams, committed, load_params, question
from trustnlp.reproduce.project import chapter_dir, chapters
from trustnlp.reproduce.sources import changes, closure, code_hash

_LEDGER = "trustnlp.reproduce.claims"


def sources_of(chapter: str, notebook: str) -> dict[str, str]:
    """What a notebook's numbers come from: its code cells, what they import, what they read of the chapter; by file.

    Of the ledger only what the paper prints counts, and only for a notebook that reads it.
    """
    folder = chapter_dir(chapter)
    cells = [
        cell.source
        for cell in twins.read_notebook(folder / f"{notebook}.ipynb").cells
        # The bootstrap of Colab computes nothing, and changes with the repository's address.
        if cell.cell_type == "code" and not twins.BOOTSTRAP_ADDRESS.search(cell.source)
    ]
    text = "\n".join(cells)
    found = closure(cells, frame=False, passed=False)
    found[f"chapters/{chapter}/{notebook}.py"] = code_hash(text)
    for path in sorted(folder.glob("*.yaml")):
        if path.name in text:
            found[f"chapters/{chapter}/{path.name}"] = _short(path.read_bytes())
    if _LEDGER in text:
        found[f"chapters/{chapter}/claims.yaml"] = _short(_printed(chapter))
    return dict(sorted(found.items()))


def _printed(chapter: str) -> bytes:
    """The ledger's numbers and words of the paper, and which metric each belongs to."""
    from trustnlp.reproduce.claims import load_claims

    told = [[c.id, c.where, c.value, c.rounding, c.quote, c.record, c.key] for c in load_claims(chapter).claims]
    return json.dumps(told).encode()


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def doubts(record: Mapping[str, Any]) -> list[str]:
    """Why a paper record is no evidence for what stands here today; empty when it is."""
    from trustnlp.data.registry import load_registry

    chapter, notebook = record["chapter"], record["notebook"]
    entry = load_params(chapter).notebook(notebook)
    found = []
    if record["git_dirty"]:
        found.append("it was made with uncommitted changes")
    now = sources_of(chapter, notebook)
    # What no longer feeds the notebook is no reason: where an import went, the file that had it changed.
    changed = changes({name: digest for name, digest in record["sources"].items() if name in now}, now)
    if changed:
        found.append(f"code changed since this record: {_some(changed)}")
    asked = questions(entry)
    if question(record["parameters"]) not in asked:
        other = [name for name, value in asked[0].items() if record["parameters"].get(name) != value]
        found.append(f"it was run with other parameters than today's paper profile: {_some(other or ['one too many'])}")
    known = load_registry()
    for name, files in record["data"].items():
        today = {file.key: file.sha256 for file in known[name].files} if name in known else {}
        if files != today:
            found.append(f"its data are not today's: {name}")
    return found


def questions(entry: NotebookParams) -> list[dict[str, Any]]:
    """What a notebook's paper record may have been asked: the profile, and what a sweep that completes it adds."""
    found = [question(entry.resolve("paper"))]
    for sweep in load_params(entry.chapter).sweeps.values():
        if sweep.completes and sweep.notebook == entry.name:
            found.append(question(entry.resolve("paper", sweep.whole())))
    return found


def _some(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def standings() -> dict[str, list[str]]:
    """Doubts about each committed record of the book, by `chapter/notebook`; records without doubts are left out."""
    from trustnlp.reproduce.records import load_record

    found = {}
    for chapter in chapters():
        for notebook in load_params(chapter).notebooks:
            path = committed(chapter, notebook)
            if path.is_file() and (why := doubts(load_record(path))):
                found[f"{chapter}/{notebook}"] = why
    return found
