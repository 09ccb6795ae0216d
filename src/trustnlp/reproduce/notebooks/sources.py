"""Which files stand behind a page: the notebook's cells and everything of `trustnlp` that they import, directly or not.

The closure is static: import statements are followed, also those inside functions, save those for type checkers. Each
file counts by its code, so that a comment or a docstring can be mended without making any page again. What a *record*
stands on is found definition by definition (`reproduce.code.code_closure`).
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from trustnlp.data.store import cache_root
from trustnlp.files.user_text import read_text
from trustnlp.reproduce.code.definitions import syntax_tree
from trustnlp.reproduce.code.reach import DATA_SUFFIXES, NOT_DATA, PACKAGE, package_at, short
from trustnlp.reproduce.code.targets import Target
from trustnlp.reproduce.colab import imports_of, module_file
from trustnlp.reproduce.project import UserError

_HAS_DOCSTRING = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def closure(code: Iterable[str], *, package: Path = PACKAGE) -> dict[str, str]:
    """File of the package → hash of its code, for everything that `code` imports.

    Parameters
    ----------
    code
        Source of a notebook's code cells.
    package
        Folder of the package `trustnlp`.

    Raises
    ------
    UserError
        If a cell or file is not plain Python, so that its imports cannot be followed.
    """
    cells = [_imported(syntax_tree(cell, f"code cell '{cell:.40}'")) for cell in code]
    todo = [name for names in cells for name in _asked(names, package)]
    seen: set[str] = set()
    files: dict[str, str] = {}
    while todo:
        name = todo.pop()
        path = None if name in seen else module_file(name, package)
        seen.add(name)
        if path is not None:
            imports, files[path.relative_to(package).as_posix()], _ = _read(path, path.stat().st_mtime_ns)
            todo += _asked(imports, package)
            files |= {data.relative_to(package).as_posix(): short(data.read_bytes()) for data in _data_of(path)}
    return dict(sorted(files.items()))


def combined(files: dict[str, str]) -> str:
    """sha256 over the names and hashes of a closure."""
    return hashlib.sha256("".join(f"{name}\0{digest}\n" for name, digest in sorted(files.items())).encode()).hexdigest()


def results_of(what: str | Callable[..., Any]) -> Path:
    """Folder of the cache for what is computed at length (trainings); another one when code that it reaches changes.

    The folder does not change where code moves or gets other names.

    Parameters
    ----------
    what
        The function or class that computes it, or its name as `module:name`; or a module, which counts as a whole.

    Raises
    ------
    UserError
        If there is no such module or definition in the package.
    """
    named = what if isinstance(what, str) else f"{what.__module__}:{what.__qualname__.partition('.')[0]}"
    module, _, name = named.partition(":")
    package = package_at()
    held = package.module(module)
    if held is None or (name and name not in held.statements):
        raise UserError(f"results of '{named}': expected a module of the package, or `module:definition`")
    return cache_root() / "results" / package.deep(Target("unit", named) if name else Target("module", module))


def code_hash(text: str) -> str:
    """Hash of what Python source does: without comments, docstrings and layout."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, _HAS_DOCSTRING) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return short(ast.dump(tree))


def _asked(imported: Iterable[tuple[str, str]], package: Path) -> list[str]:
    """The modules whose code an import asks for, with the packages above them."""
    asked: set[str] = set()
    for module, name in imported:
        inner = f"{module}.{name}" if name else module
        asked |= {inner} if not name or module_file(inner, package) is not None else {module, inner}
        # The top of the package loads what it offers when asked, so it is passed by all and counts for none.
        asked |= {inner.rsplit(".", depth)[0] for depth in range(1, inner.count("."))}
    return sorted(asked)


def _imported(tree: ast.AST) -> list[tuple[str, str]]:
    """The imports of `trustnlp` in code: the module, and what is named of it (nothing by a plain import)."""
    return sorted((module, name) for module, name in imports_of(tree) if f"{module}.".startswith("trustnlp."))


def _data_of(path: Path) -> list[Path]:
    """Data files that a module brings: those beside it that its code names; a package, those that no module names."""
    beside = sorted(p for p in path.parent.iterdir() if p.suffix in DATA_SUFFIXES and p.name not in NOT_DATA)
    if not beside:
        return []
    is_package = path.name == "__init__.py"
    readers = path.parent.glob("*.py") if is_package else [path]
    code = [_read(reader, reader.stat().st_mtime_ns)[2] for reader in readers]
    return [data for data in beside if any(data.name in text for text in code) != is_package]


@lru_cache(maxsize=1024)
def _read(path: Path, _changed: int) -> tuple[list[tuple[str, str]], str, str]:
    """The imports of a file, the hash of its code, and its text."""
    text = read_text(path)
    return _imported(syntax_tree(text, path.name)), code_hash(text), text
