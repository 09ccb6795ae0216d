"""Make a chapter from `chapters/_template`, which is itself a chapter: executed, tested, and part of the book."""

import os
import re
import shutil
from pathlib import Path
from uuid import uuid4

import yaml

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.project import TEMPLATE, UserError, project_root, write_atomic

SLUG = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
COPIED = (".md", ".py", ".yaml")
UNMEASURED = """
```{note}
Nothing is measured yet: numbers are dashes, and the picture is of this build's smoke run.
`trustnlp run SLUG --profile paper` makes the records; then delete this note.
```
"""


def new_chapter(slug: str) -> list[Path]:
    """Copy the template under a new name and enter it in `_toc.yml`, before the template; returns what was written.

    Names of the chapter, its figures and its equations become the new one's. Its claims expect "not measured" and say
    so, which is what they are until it has records of its own; its front page says the same. Nothing is written when
    the slug is unfit or taken, or `_toc.yml` cannot take it.
    """
    if not SLUG.fullmatch(slug):
        raise UserError(f"slug {slug!r}: expected lower-case words joined by underscores, as in weat_measures")
    root = project_root()
    target = root / "chapters" / slug
    if target.exists():
        raise UserError(f"chapters/{slug} is there already; choose another slug, or edit that chapter")
    toc_file = root / "_toc.yml"
    toc = _entered(read_text(toc_file), slug)
    scratch = root / "chapters" / f".{slug}.{uuid4().hex}"
    try:
        scratch.mkdir()
        for source in sorted((root / "chapters" / TEMPLATE).iterdir()):
            if source.suffix in COPIED:
                text = _renamed(read_text(source), source.name, slug)
                (scratch / source.name).write_text(text, encoding="utf-8")
        (scratch / "results").mkdir()
        os.rename(scratch, target)  # noqa: PTH104 - fails, and is meant to, when the target has appeared meanwhile
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    write_atomic(toc_file, toc)
    twins.sync(slug)
    return [*sorted(path for path in target.iterdir() if path.is_file()), toc_file]


def _renamed(text: str, name: str, slug: str) -> str:
    """A file of the template as one of the new chapter."""
    text = re.sub(rf"(?<![A-Za-z0-9_]){TEMPLATE}(?![A-Za-z0-9_])", slug, text)
    text = re.sub(r"\b(fig|eq)-template-", rf"\1-{slug.replace('_', '-')}-", text)
    if name == "claims.yaml":
        command = f"trustnlp run {slug} --profile paper"
        waiting = rf"\1expect: not measured\n\1not_measured: Not run yet; `{command}` measures it in minutes."
        text = re.sub(r"^( *)expect: (?!not testable here).*$", waiting, text, flags=re.MULTILINE)
    if name in ("index.md", "conditions.md"):
        named = slug.replace("_", " ").capitalize()
        title = f"# {named}" if name == "index.md" else f"# Data and choices: {named}"
        text = re.sub(r"^# .*$", title, text, count=1, flags=re.MULTILINE)
    if name == "index.md":
        text = text.replace("\n> **Verdict.**", f"{UNMEASURED.replace('SLUG', slug)}\n> **Verdict.**", 1)
        text = re.sub(r"\{holds\}`[^`]*`", "", text)  # nothing is measured yet that could hold
    return text


def _entered(toc: str, slug: str) -> str:
    """`_toc.yml` with the chapter before the template. Text is inserted, so that comments and spacing stay."""
    # Its front page, and the sections indented below it.
    pattern = rf"^(?P<indent> *)- file: chapters/{TEMPLATE}/index *\n(?:(?P=indent) +.*\n?)*"
    block = re.search(pattern, toc, re.MULTILINE)
    if block is None:
        raise UserError(
            "_toc.yml does not list chapters/_template/index; put it back, new chapters are entered before it"
        )
    entry = block.group().replace(f"chapters/{TEMPLATE}/", f"chapters/{slug}/")
    entered = toc[: block.start()] + entry.rstrip("\n") + "\n" + toc[block.start() :]
    if f"chapters/{slug}/index" not in str(yaml.safe_load(entered)):
        raise UserError("_toc.yml could not take the new chapter; enter it by hand in the way the template is entered")
    return entered
