"""Sphinx extension for the API pages: every module of a package, its docstrings turned into reStructuredText.

A page asks for a package with an `api-modules` fence and gets a section for each module, so a new module needs no new
line anywhere.

The package's docstrings are plain text in numpydoc's outline, readable in an editor: single backticks for code,
aligned `name : meaning` lines, Greek letters and asterisks as they come. Read as reStructuredText they would warn or
lose their shape, so they are translated here, paragraph by paragraph. Each module also says which chapters use it.
"""

from __future__ import annotations

import ast
import importlib.util
import pkgutil
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

from trustnlp.reproduce.colab import imports_of
from trustnlp.reproduce.project import project_root

FENCE = re.compile(r"^```\{api-modules\} (trustnlp[\w.]*)\n```$", re.MULTILINE)
UNDERLINE = re.compile(r"-{3,}\s*$")
LISTED = {"Parameters", "Other Parameters", "Returns", "Yields", "Raises", "Attributes", "Warns"}
BULLET = re.compile(r"([-*•]|\d+[.)])\s+")
ALIGNED = re.compile(r"(\S(?:.{0,38}\S)?)\s+: (\S.*)")
RULE = re.compile(r"[=+|-]{3}[=+| -]*$")
CODE = re.compile(r"(?<!`)(?::math:)?`+([^`]+)`+")


def escape(text: str) -> str:
    """One paragraph of plain text as reStructuredText: backticks are code, all else is what it looks like."""
    pieces, end = [], 0
    for match in CODE.finditer(text):
        pieces.append(_plain(text[end : match.start()]))
        code = " ".join(match[1].split())
        raw = match[0] if match[0].startswith(":math:") else f"``{code}``"
        # Markup must stand apart from letters around it; an escaped blank parts them and shows nothing.
        pieces.append(rf"\ {raw}\ " if code else "")
        end = match.end()
    return "".join(pieces) + _plain(text[end:])


def _plain(text: str) -> str:
    return re.sub(r"([\\*|_`])", r"\\\1", text)


def to_rst(lines: Iterable[str]) -> list[str]:
    """A docstring (without its common indentation) as reStructuredText."""
    lines = [line.rstrip() for line in lines]
    heads = [i for i in range(len(lines) - 1) if lines[i].strip() and UNDERLINE.match(lines[i + 1])]
    out = list(_blocks(lines[: heads[0]] if heads else lines))
    for start, stop in pairwise([*heads, len(lines)]):
        title, body = lines[start].strip(), lines[start + 2 : stop]
        out += [f".. rubric:: {title}", ""]
        example = next((i for i, line in enumerate(body) if line.startswith(">>>")), len(body))
        listed = body[:example] if title in LISTED else []
        out += [*_definitions(_entries(listed)), *_blocks(body[len(listed) :])]
    return out


def _blocks(lines: list[str]) -> Iterator[str]:
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            yield from _block(block)
            yield ""
            block = []


def _block(block: list[str]) -> Iterator[str]:
    first, rest = block[0], block[1:]
    if first.lstrip().startswith(">>>"):
        yield from block
    elif RULE.match(first) or first.startswith((" ", "\t")):  # a table drawn with characters keeps its columns
        yield from ["::", "", *(f"    {line}" for line in block)]
    elif BULLET.match(first):
        for line in block:
            mark = BULLET.match(line)
            text = escape(line[mark.end() :] if mark else line.strip())
            if mark and line is not first:
                yield ""
            yield f"* {text}" if mark else f"  {text}"
    elif ALIGNED.fullmatch(first) and all(line.startswith(" ") or ALIGNED.fullmatch(line) for line in rest):
        entries: list[tuple[str, list[str]]] = []
        for line in block:
            if line.startswith(" "):
                entries[-1][1].append(line.strip())
            elif match := ALIGNED.fullmatch(line):
                entries.append((match[1], [match[2]]))
        yield from _definitions(entries)
    elif rest and rest[0].startswith(" ") and all(len(line) <= 40 for line in block if not line.startswith(" ")):
        yield from _definitions(_entries(block))
    else:
        yield escape(" ".join(line.strip() for line in block).removesuffix("::"))


def _entries(lines: list[str]) -> list[tuple[str, list[str]]]:
    entries: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.strip() and not line.startswith(" "):
            entries.append((line.strip(), []))
        elif entries:
            entries[-1][1].append(line.removeprefix("    "))
    return entries


def _definitions(entries: list[tuple[str, list[str]]]) -> Iterator[str]:
    for term, body in entries:
        name, colon, kind = term.partition(" : ")
        yield (f"``{name.strip('`').strip()}``" if "`" not in name.strip("`") else escape(name)) + (
            f" : {escape(kind)}" if colon else ""
        )
        described = list(_blocks(body))
        yield from (f"    {line}" if line else "" for line in described or ["\\ "])
        yield ""


def users(module: str, root: Path) -> list[str]:
    """Docnames of the chapters' notebooks that import `module` or something from it."""
    found = []
    for source in sorted((root / "chapters").glob("*/*.py")):
        if any(name == module or name.startswith(f"{module}.") for name in _imports(source, source.stat().st_mtime_ns)):
            found.append(source.relative_to(root).with_suffix("").as_posix())
    return found


@cache
def _imports(source: Path, _changed: int) -> frozenset[str]:
    imported = imports_of(ast.parse(source.read_text("utf-8")))
    return frozenset(f"{module}.{name}" if name else module for module, name in imported)


def modules(package: str) -> list[str]:
    """Dotted names of a package's public modules and of those of the packages in it, sorted."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ExtensionError(f"api-modules: there is no package {package}")
    found: list[str] = []
    for module in sorted(pkgutil.iter_modules(spec.submodule_search_locations), key=lambda module: module.name):
        name = f"{package}.{module.name}"
        if not module.name.startswith("_"):
            found += (module.ispkg and modules(name)) or [name]
    return found


def expand_packages(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put a section for each module in the place of an `api-modules` fence."""

    def section(name: str) -> str:
        # The functions of a command line are for typer; people call the commands.
        members = "" if name.rpartition(".")[2].startswith("cli") else "   :members:\n   :ignore-module-all:\n"
        return f"## `{name}`\n\n```{{eval-rst}}\n.. automodule:: {name}\n{members}```"

    def sections(match: re.Match[str]) -> str:
        return "\n\n".join(section(name) for name in modules(match[1]))

    source[0] = FENCE.sub(sections, source[0])


def outdated(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Read the API pages again when a module came or went; changes within a module autodoc notices itself."""
    pages = sorted(name for name in env.found_docs if name.startswith("book/api/"))
    known = {page: modules(f"trustnlp.{page.rpartition('/')[2]}") for page in pages}
    before, env.trustnlp_modules = getattr(env, "trustnlp_modules", None), known  # type: ignore[attr-defined]
    return [] if before in (None, known) else pages


def process_docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Translate one docstring; a module's also names the notebooks that use it."""
    root = project_root()
    lines[:] = to_rst(lines)
    if what == "module":
        for source in (root / "chapters").glob("*/*.py"):
            app.env.note_dependency(str(source))
        pages = [page for page in users(name, root) if page in app.env.found_docs]
        if pages:
            lines += ["", "Used in " + ", ".join(f":doc:`/{page}`" for page in pages) + ".", ""]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", expand_packages)
    app.connect("env-get-outdated", outdated)
    app.connect("autodoc-process-docstring", process_docstring)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
