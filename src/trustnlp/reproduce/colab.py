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
    "cryptography": "fast-noise", "dp_accounting": "privacy", "duckdb": "embeddings", "gensim": "embeddings",
    "nltk": "explain", "numba": "senses", "ortools": "graphs", "spacy": "text",
}  # fmt: skip
# Packages that work without it ask for this one too: it only makes them faster.
_NEVER = frozenset({"fast-noise"})
KEPT = ("torch", "torchvision", "torchaudio", "numpy", "protobuf")


def main(notebook: str) -> int:
    """Install for `CHAPTER/NOTEBOOK`; the exit status of pip, after one line that says what to do if it failed."""
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
        print("trustnlp: pip failed, see above; run this cell again, or restart the session", file=sys.stderr)
        return status
    done.write_text(state, encoding="utf-8")
    print(f"trustnlp is installed; {_device()}")
    return 0


def extras_of(source: Path) -> list[str]:
    """The extras that a notebook needs by its imports and by those of the package's modules it reaches."""
    package, seen, found = ROOT / "src" / "trustnlp", set(), set()
    todo = [source]
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in _imports(path):
            if name.split(".")[0] == "trustnlp":
                todo += _files(package, name)
            else:
                found.add(EXTRAS.get(name.split(".")[0], ""))
    return sorted(found - {""} - _NEVER)


def constraints() -> list[str]:
    """What is installed of `KEPT`, as pins."""
    pins = []
    for name in KEPT:
        try:
            pins.append(f"{name}=={metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return pins


def _imports(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def _files(package: Path, name: str) -> list[Path]:
    """The module of a dotted name, and the packages above it."""
    parts = name.split(".")[1:]
    places = [package.joinpath(*parts[:depth]) for depth in range(len(parts) + 1)]
    candidates = [path for place in places for path in (place / "__init__.py", place.with_suffix(".py"))]
    return [path for path in candidates if path.is_file()]


def _device() -> str:
    if shutil.which("nvidia-smi") is None:
        return "this session has no graphics card"
    return "this session has a graphics card: where the parameters have a device, set it to cuda"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
