"""Notebooks as they are published for Colab: plain Markdown, absolute links, and the commit that they came from.

Colab and GitHub know none of the book's roles and directives, and a relative link leads nowhere in Colab. What is
checked in keeps them, for Sphinx; these copies lie on a branch of their own (`trustnlp.reproduce.address`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.address import COLAB_BRANCH, on_github, own_address
from trustnlp.reproduce.claims.verdicts import Judgement, judge_chapter
from trustnlp.reproduce.notebooks.twins import pinned, read_notebook, sources, write_text
from trustnlp.reproduce.pages.tables import value_text
from trustnlp.reproduce.project import UserError, chapters, git_commit, project_root, write_atomic
from trustnlp.reproduce.records.derived_metrics import committed_record
from trustnlp.reproduce.runs.durations import last_took

_ROLE = re.compile(r"\{([\w:]+)\}`([^`]+)`")
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)([\w./-]*)(#[\w-]+)?\)")
_FOLDED = re.compile(r"^:::\{dropdown\} ([^\n]+)\n(.*?)^:::$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(^```.*?^```$|(?<!`)`[^`\n]+`)", re.MULTILINE | re.DOTALL)


def write_copies(target: Path) -> list[Path]:
    """Write the copy of each chapter's notebooks below `target`, as `chapters/SLUG/NAME.ipynb`.

    Raises
    ------
    UserError
        If this copy of the book has no address on GitHub, `target` is the book itself, or a role names what no ledger
        and no record has.
    """
    if target.resolve() == project_root().resolve():
        raise UserError(f"{target} is the book itself, whose notebooks keep their roles; name another folder")
    address, commit = own_address(project_root()), git_commit(project_root())
    if address is None or not on_github(address) or commit is None:
        raise UserError("Colab opens repositories on GitHub, and this copy of the book has no address there")
    written = []
    for slug in chapters():
        for source in sources(slug):
            notebook = read_notebook(source.with_suffix(".ipynb"))
            for cell in notebook.cells:
                if cell.cell_type == "markdown":
                    cell.source = plain(cell.source, slug, address, commit)
                else:
                    cell.source = pinned(cell.source, address, commit)
            written.append(target / "chapters" / slug / f"{source.stem}.ipynb")
            written[-1].parent.mkdir(parents=True, exist_ok=True)
            write_atomic(written[-1], write_text(notebook))
    return written


def plain(text: str, slug: str, address: str, commit: str) -> str:
    """Markdown of a notebook of chapter `slug` without roles and directives, its links absolute."""
    text = _ROLE.sub(lambda match: _spoken(match[1], match[2], slug), text)
    text = _FOLDED.sub(r"<details><summary>\1</summary>\n\n\2\n</details>", text)
    parts = _CODE.split(text)
    parts[::2] = [_LINK.sub(lambda match: _linked(match, slug, address, commit), part) for part in parts[::2]]
    return "".join(parts)


def _spoken(role: str, content: str, slug: str) -> str:
    words = content.rstrip(">").rpartition(" <")[0]
    if role == "holds":
        return ""
    if role in ("term", "claim"):
        return words or content
    if role.startswith("cite"):
        return ("{} ({})" if role == "cite:t" else "({} {})").format(*_author_and_year(content))
    if role in ("func", "class", "mod", "py:mod", "py:func", "py:class"):
        return f"`{content.removeprefix('~')}`"
    if role == "duration":
        place, _, profile = content.rpartition(".")
        chapter, _, notebook = place.rpartition("/")
        return last_took(chapter or slug, notebook, profile) or "not run yet"
    if role not in ("ours", "paper", "verdict", "metric"):
        raise UserError(f"{{{role}}}`{content}` has no plain form; add it to {Path(__file__).name}")
    target, *bars = (part.strip() for part in content.replace("\\|", "|").split("|"))
    place, slash, rest = target.partition("/")
    chapter, name = (place, rest) if slash else (slug, target)
    asked = next((bar for bar in bars if bar != "abs"), "mean" if role == "metric" else role)
    record, _, key = name.partition(":")
    source = _metrics(chapter, record).get(key) if role == "metric" else _judgements(chapter).get(name)
    if source is None:
        raise UserError(f"{{{role}}}`{content}`: chapter '{chapter}' has no such entry")
    return value_text(source, asked, magnitude="abs" in bars)


def _linked(match: re.Match[str], slug: str, address: str, commit: str) -> str:
    words, target, part = match[1], match[2], match[3] or ""
    root = project_root()
    place = (root / "chapters" / slug / target).resolve().relative_to(root.resolve()).with_suffix("")
    source = next((each for end in (".py", ".md") if (root / (each := place.with_suffix(end))).is_file()), None)
    if source is None and place.name == "ledger":
        source, words = place.with_name("claims.yaml"), words or "every claim"
    if source is None or not target:
        raise UserError(f"{match[0]} in a notebook of '{slug}' leads to no page")
    title = re.search(r"^# # (.+)$" if source.suffix == ".py" else r"^# (.+)$", read_text(root / source), re.MULTILINE)
    words = words or (title[1] if title else source.stem)
    if source.suffix != ".py":
        return f"[{words}]({address}/blob/{commit}/{source.as_posix()}{part})"
    repository = address.removeprefix("https://github.com/")
    notebook = source.with_suffix(".ipynb").as_posix()
    return f"[{words}](https://colab.research.google.com/github/{repository}/blob/{COLAB_BRANCH}/{notebook})"


@cache
def _judgements(slug: str) -> Mapping[str, Judgement]:
    return {judgement.claim.id: judgement for judgement in judge_chapter(slug)}


@cache
def _metrics(slug: str, record: str) -> Mapping[str, Mapping[str, Any]]:
    path = project_root() / "chapters" / slug / "results" / f"{record}.json"
    return committed_record(path)["metrics"] if path.is_file() else {}


def _author_and_year(key: str) -> tuple[str, str]:
    entry = read_text(project_root() / "book" / "references.bib").partition(f"{{{key},")[2].partition("\n}")[0]
    fields = dict(re.findall(r"^\s*(author|year)\s*=\s*\{(.*)\}", entry, re.MULTILINE))
    if len(fields) < 2:
        raise UserError(f"{key} is not in book/references.bib")
    names = [name.partition(",")[0] for name in fields["author"].replace("{", "").replace("}", "").split(" and ")]
    return " and ".join(names) if len(names) < 3 else f"{names[0]} et al.", fields["year"]
