"""Make a chapter from `chapters/_template`, which is itself a chapter: executed, tested, and part of the book."""

import os
import re
import shutil
from pathlib import Path
from uuid import uuid4

import yaml

from trustnlp.reproduce import twins
from trustnlp.reproduce.project import TEMPLATE, UserError, project_root, write_atomic

SLUG = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
COPIED = (".md", ".py", ".yaml")


def new_chapter(slug: str) -> list[Path]:
    """Copy the template under a new name and enter it in `_toc.yml`, before the template; returns what was written.

    Names of chapter and figures become the new one's. Its claims expect "not measured" and say so, which is what they
    are until it has records of its own. Nothing is written when the slug is unfit or taken, or `_toc.yml` cannot take
    it.
    """
    if not SLUG.fullmatch(slug):
        raise UserError(f"slug {slug!r}: expected lower-case words joined by underscores, as in weat_measures")
    root = project_root()
    target = root / "chapters" / slug
    if target.exists():
        raise UserError(f"chapters/{slug} is there already; choose another slug, or edit that chapter")
    toc_file = root / "_toc.yml"
    toc = _entered(toc_file.read_text(encoding="utf-8"), slug)
    scratch = root / "chapters" / f".{slug}.{uuid4().hex}"
    try:
        scratch.mkdir()
        for source in sorted((root / "chapters" / TEMPLATE).iterdir()):
            if source.suffix in COPIED:
                text = _renamed(source.read_text(encoding="utf-8"), source.name, slug)
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
    text = text.replace("fig-template-", f"fig-{slug.replace('_', '-')}-")
    if name == "claims.yaml":
        command = f"trustnlp run {slug} --profile paper"
        waiting = rf"\1expect: not measured\n\1not_measured: Not run yet; `{command}` measures it."
        text = re.sub(r"^( *)expect: (?!not testable here).*$", waiting, text, flags=re.MULTILINE)
    if name == "index.md":
        text = re.sub(r"^# .*$", f"# {slug.replace('_', ' ').capitalize()}", text, count=1, flags=re.MULTILINE)
    return text


def _entered(toc: str, slug: str) -> str:
    """`_toc.yml` with the chapter before the template. Text is inserted, so that comments and spacing stay."""
    block = re.search(
        rf"^(?P<indent> *)- file: chapters/{TEMPLATE}/index *\n(?:(?P=indent) +.*\n?)*", toc, re.MULTILINE
    )
    if block is None:
        raise UserError(
            "_toc.yml does not list chapters/_template/index; put it back, new chapters are entered before it"
        )
    entry = block.group().replace(f"chapters/{TEMPLATE}/", f"chapters/{slug}/")
    entered = toc[: block.start()] + entry.rstrip("\n") + "\n" + toc[block.start() :]
    if f"chapters/{slug}/index" not in str(yaml.safe_load(entered)):
        raise UserError("_toc.yml could not take the new chapter; enter it by hand as the template stands there")
    return entered
