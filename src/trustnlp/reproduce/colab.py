"""What a notebook's first cell does in Colab: install what this notebook imports, beside what Colab brings itself.

Run by its path, before anything of the package is installed: `python -P …/colab.py CHAPTER/NOTEBOOK`. Of the optional
packages only those are installed that the notebook, or a module it imports, asks for; none of them needs a compiler.
Colab's own torch, numpy and protobuf are held where they are by constraints. After a failed installation the cell can
be run again; after a good one it does nothing.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# Import name → the extra that brings it. Not dedupe, which needs a compiler: only one paper profile asks for it.
EXTRAS = {
    "cryptography": "fast-noise", "duckdb": "embeddings", "gensim": "embeddings", "nltk": "explain",
    "numba": "senses", "ortools": "graphs", "spacy": "text",
}  # fmt: skip
# Packages that work without it ask for this one too: it only makes them faster.
_NEVER = frozenset({"fast-noise"})
_HOLDS_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
KEPT = ("torch", "torchvision", "torchaudio", "numpy", "protobuf")


def main(notebook: str) -> int:
    """Install for `CHAPTER/NOTEBOOK`; the exit status of pip. What to do where it failed is said by the cell."""
    source = ROOT / "chapters" / f"{notebook}.py"
    if not source.is_file():
        print(f"trustnlp: there is no notebook {notebook} in {ROOT.name}", file=sys.stderr)
        return 2
    extras, kept = extras_of(source), constraints()
    wanted = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    done = ROOT / "_build" / f"colab-{notebook.replace('/', '-')}.txt"
    state = "\n".join([wanted, *kept])
    if done.is_file() and done.read_text(encoding="utf-8") == state:
        print("trustnlp is installed already")
        return 0
    beside = f" beside {', '.join(kept)}, which stay" if kept else ""
    print(f"trustnlp: installing the package{' with ' + ', '.join(extras) if extras else ''}{beside}; about a minute")
    done.parent.mkdir(exist_ok=True)
    held = done.with_suffix(".constraints")
    held.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-input", "--constraint", str(held), wanted]
    status = subprocess.run(command, check=False).returncode
    if status:
        return status
    done.write_text(state, encoding="utf-8")
    print(f"trustnlp is installed; {_device()}")
    return 0


def extras_of(source: Path) -> list[str]:
    """The extras that a notebook needs by its imports and by those of the package's modules it reaches."""
    package = ROOT / "src" / "trustnlp"
    seen: set[Path] = set()
    found, todo = set(), [source]
    while todo:
        path = todo.pop()
        seen.add(path)
        for name in imported_names(ast.parse(path.read_text(encoding="utf-8"))):
            if name.split(".")[0] != "trustnlp":
                found.add(EXTRAS.get(name, ""))
            elif (module := module_file(name, package)) is not None and module not in seen:
                todo.append(module)
    return sorted(found - {""} - _NEVER)


def imported_names(tree: ast.AST) -> set[str]:
    """Dotted names that code imports, with the packages above them.

    What is imported from a module counts as a name below it, since it may be one.
    """
    found = [f"{module}.{name}" if name else module for module, name in imports_of(tree)]
    return {".".join(name.split(".")[:depth]) for name in found for depth in range(1, name.count(".") + 2)}


def imports_of(tree: ast.AST) -> set[tuple[str, str]]:
    """What code imports: the module, and what is named of it (nothing by a plain import).

    Also inside functions, but not for type checkers.
    """
    found: set[tuple[str, str]] = set()
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            todo += node.orelse
            continue
        # No expression holds an import.
        todo += (child for child in ast.iter_child_nodes(node) if isinstance(child, _HOLDS_STATEMENTS))
        if isinstance(node, ast.Import):
            found |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {(node.module, alias.name) for alias in node.names}
    return found


def module_file(name: str, package: Path) -> Path | None:
    """The file of a module or package below `package`; None for a name that is neither, such as a function."""
    place = package.joinpath(*name.split(".")[1:])
    candidates = (place.with_suffix(".py"), place / "__init__.py") if place != package else (place / "__init__.py",)
    return next((path for path in candidates if path.is_file()), None)


def constraints() -> list[str]:
    """What is installed of `KEPT`, as pins."""
    pins = []
    for name in KEPT:
        try:
            pins.append(f"{name}=={metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return pins


def _device() -> str:
    if shutil.which("nvidia-smi") is None:
        return "this session has no graphics card"
    return "this session has a graphics card: where the parameters have a device, set it to cuda"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
