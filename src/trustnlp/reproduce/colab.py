"""A notebook's first cell in Colab, once the book is cloned: it lets this session import the book and finds the GPU.

The cell runs this file by its path, in its own process, before anything of ours can be imported. The package is not
built: its folder goes on the path, and pip adds what Colab lacks of the packages that it needs, and of the optional
ones that the notebook, or a module it imports, asks for; none of them needs a compiler. Colab's own torch, numpy and
protobuf are held where they are by constraints. After a failed installation the cell can be run again.
"""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys
import sysconfig
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


def main(notebook: str) -> None:
    """Make `CHAPTER/NOTEBOOK` run in this session.

    Raises
    ------
    SystemExit
        If there is no such notebook, or pip failed; the message says what to do.
    """
    source = ROOT / "chapters" / f"{notebook}.py"
    if not source.is_file():
        sys.exit(f"trustnlp: there is no notebook {notebook} in {ROOT.name}")
    os.environ["TRUSTNLP_ROOT"] = str(ROOT)
    # Threads that wait for each other sleep. By default they spin, and where another process has a core, a step of a
    # small network took more than ten times as long. Read when torch is loaded, which is after this cell.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    _put_on_the_path(ROOT / "src")
    if lacking := missing(extras_of(source)):
        kept = constraints()
        print(f"trustnlp: installing {', '.join(lacking)} beside {', '.join(kept)}, which stay")
        held = ROOT / "_build" / "colab.constraints"
        held.parent.mkdir(exist_ok=True)
        held.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "install", "-q", "--no-input", "--constraint", str(held), *lacking]
        if subprocess.run(command, check=False).returncode:
            sys.exit("trustnlp: the installation failed, see above; run this cell again")
        importlib.invalidate_caches()
    print(f"trustnlp is ready; {_device()}")


def missing(extras: list[str]) -> list[str]:
    """The requirements of the package and of these extras that nothing installed here fulfils."""
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    lacking = {}
    for text in (text for group in groups for text in group):
        wanted = Requirement(text)
        try:
            if wanted.specifier.contains(metadata.version(wanted.name), prereleases=True):
                continue
        except metadata.PackageNotFoundError:
            pass
        lacking[wanted.name] = text
    return list(lacking.values())


def _put_on_the_path(package: Path) -> None:
    """Let this process, its children and the command `trustnlp` import from `package`."""
    if str(package) not in sys.path:
        sys.path.insert(0, str(package))
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))
    command = Path(sysconfig.get_path("scripts")) / "trustnlp"
    if not command.exists() and os.access(command.parent, os.W_OK):
        command.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(package)!r})\n"
            "from trustnlp.tools.cli import app\napp()\n"
        )
        command.chmod(0o755)


def extras_of(source: Path) -> list[str]:
    """The extras that a notebook needs by its imports and by those of the package's modules it reaches."""
    package = ROOT / "src" / "trustnlp"
    seen: set[Path] = set()
    extras, todo = set(), [source]
    while todo:
        path = todo.pop()
        seen.add(path)
        for name in imported_names(ast.parse(path.read_text(encoding="utf-8"))):
            if name.split(".")[0] != "trustnlp":
                extras.add(EXTRAS.get(name, ""))
            elif (module := module_file(name, package)) is not None and module not in seen:
                todo.append(module)
    return sorted(extras - {""} - _NEVER)


def imported_names(tree: ast.AST) -> set[str]:
    """Dotted names that code imports, with the packages above them.

    What is imported from a module counts as a name below it, since it may be one.
    """
    names = [f"{module}.{name}" if name else module for module, name in imports_of(tree)]
    return {".".join(name.split(".")[:depth]) for name in names for depth in range(1, name.count(".") + 2)}


def imports_of(tree: ast.AST) -> set[tuple[str, str]]:
    """The imports of some code: the module, and the names taken from it (none by a plain import).

    Also inside functions, but not for type checkers.
    """
    imports: set[tuple[str, str]] = set()
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            todo += node.orelse
            continue
        # No expression holds an import.
        todo += (child for child in ast.iter_child_nodes(node) if isinstance(child, _HOLDS_STATEMENTS))
        if isinstance(node, ast.Import):
            imports |= {(alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imports |= {(node.module, alias.name) for alias in node.names}
    return imports


def module_file(name: str, package: Path) -> Path | None:
    """The file of a module or package below `package`; None for a name that is neither, such as a function."""
    place = package.joinpath(*name.split(".")[1:])
    candidates = (place.with_suffix(".py"), place / "__init__.py") if place != package else (place / "__init__.py",)
    return next((path for path in candidates if path.is_file()), None)


def constraints() -> list[str]:
    """The installed versions of `KEPT`, as pins."""
    pins = []
    for name in KEPT:
        try:
            pins.append(f"{name}=={metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return pins


def _device() -> str:
    """The device of this session in words; where parameters are settled, the GPU is known from here."""
    from trustnlp.reproduce.records.provenance import gpu_name
    from trustnlp.reproduce.runs import injected_parameters

    injected_parameters.gpu = gpu_name()
    if injected_parameters.gpu is None:
        return 'this session has no GPU: device = "cpu"'
    return f'this session has a GPU, {injected_parameters.gpu}: device = "cuda"'


if __name__ == "__main__":
    main(globals()["NOTEBOOK"])
