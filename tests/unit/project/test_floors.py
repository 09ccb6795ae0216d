"""The house has floors: an import goes down, never up, and what only one paper needs is above what all may use."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src"
FLOORS = [
    {"files"},
    {"data", "embeddings", "graphs"},
    {"evaluation"},
    {"encoders", "privacy", "bias"},
    {"training", "attribution", "decoys", "error_analysis", "relations"},
    {"plots"},
    {"reproduce"},
    {"tools"},
    {"studies"},
]
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
# What another paper's chapter may take from a study, by name.
DOORS = {
    ("dpnr_study", "trustnlp.studies.dpnr.reproduction.train_and_measure"),
}
# Textbook statistics and pictures, here before a second chapter needs them: nothing in them knows a paper.
TEXTBOOK = {
    "trustnlp.evaluation.calibration",
    "trustnlp.evaluation.extraction_scores",
    "trustnlp.evaluation.multiple_testing",
    "trustnlp.evaluation.reference_overlap",
    "trustnlp.plots.analogies",
    "trustnlp.plots.cluster_graphs",
    "trustnlp.plots.gain_charts",
}
# A reader of what no registry can fetch: a licensed corpus, from the folder of whoever has it.
LICENSED = "trustnlp.data.relations.tacred"


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in sorted((SOURCE / "trustnlp").glob("*/**/*.py"))}
NOTEBOOKS = sorted((ROOT / "chapters").glob("*/*.py"))
EXTENSIONS = sorted((ROOT / "book" / "_ext").glob("*.py"))


@cache
def imported(path: Path) -> list[str]:
    """Full names of what a file takes from the package, wherever in it: modules, and names in them.

    The table of old addresses is under all floors, and is left out.
    """
    return [name for name in _imported(path) if not name.startswith("trustnlp.moved.")]


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("trustnlp."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("trustnlp"):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module_in(name: str) -> str:
    while name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def room(module: str) -> str:
    return module.split(".")[1]


def study(name: str) -> str | None:
    parts = name.split(".")
    return parts[2] if parts[1] == "studies" and len(parts) > 2 else None


@pytest.mark.parametrize("module", list(MODULES))
def test_no_import_goes_up(module: str) -> None:
    for name in imported(MODULES[module]):
        assert LEVEL[room(name)] <= LEVEL[room(module)], f"{module} imports {name}, which is above it"


def test_no_circle_of_modules_or_of_rooms() -> None:
    modules = {m for m, path in MODULES.items() if path.name != "__init__.py"}
    imports = {(m, module_in(name)) for m in modules for name in imported(MODULES[m])}
    rooms = {(room(one), room(other)) for one, other in imports}
    for pairs in ({pair for pair in imports if pair[1] in modules}, rooms):
        graph = nx.DiGraph(pair for pair in pairs if pair[0] != pair[1])
        assert list(nx.simple_cycles(graph)) == []


def test_a_study_is_read_by_its_own_paper_alone_but_for_the_doors() -> None:
    readers = [(study(m), p) for m, p in MODULES.items() if study(m)] + [(p.parent.name, p) for p in NOTEBOOKS]
    passed = set()
    for reader, path in readers:
        for name in imported(path):
            if study(name) not in (None, reader):
                assert (reader, name) in DOORS, f"{path.relative_to(ROOT)} reads another paper's study: {name}"
                passed.add((reader, name))
    assert passed == DOORS


def chapters_that_need(module: str) -> set[str]:
    """Chapters whose notebooks or study import a module, directly or through other methods."""
    users: set[str] = set()
    waiting, seen = [module], {module}
    while waiting:
        wanted = waiting.pop()
        users |= {p.parent.name for p in NOTEBOOKS if wanted in {module_in(n) for n in imported(p)}}
        of_book = (f"{name}." for path in EXTENSIONS for name in imported(path))
        users |= {"the book itself" for name in of_book if name.startswith(f"{wanted}.")}
        for other, path in MODULES.items():
            if other not in seen and wanted in {module_in(n) for n in imported(path)}:
                seen.add(other)
                if owner := study(other):
                    users.add(owner)
                elif room(other) in ("reproduce", "tools"):
                    users.add("the book itself")
                else:
                    waiting.append(other)
    return users


@pytest.mark.parametrize("module", [n for n in MODULES if n.startswith(("trustnlp.evaluation.", "trustnlp.plots."))])
def test_what_only_one_paper_needs_is_in_its_study(module: str) -> None:
    users = chapters_that_need(module)
    assert len(users) > 1 or "the book itself" in users or module in TEXTBOOK, f"only {users} need {module}"


@pytest.mark.parametrize(
    "module", [m for m, p in MODULES.items() if m.startswith("trustnlp.data.") and p.stem != "__init__"]
)
def test_data_holds_readers_of_public_corpora_and_what_several_papers_use(module: str) -> None:
    """A reader gets the files of a registered data set, or helps one that does, or makes a file by a recipe's name."""
    helps = any(room(m) == "data" and module in {module_in(n) for n in imported(p)} for m, p in MODULES.items())
    reads = helps or "trustnlp.data.store.fetch" in imported(MODULES[module])
    users = chapters_that_need(module)
    made = module.startswith("trustnlp.data.recipes.")  # `recipe_book` imports what makes a file by its name
    assert reads or made or len(users) > 1 or "the book itself" in users or module == LICENSED


@pytest.mark.parametrize("module", list(MODULES))
def test_no_function_bears_the_name_of_its_module(module: str) -> None:
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    named = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert module.rpartition(".")[2] not in named
    if MODULES[module].name == "__init__.py":
        shadowed = {n.rpartition(".")[2] for n in imported(MODULES[module])} & {
            m.rpartition(".")[2] for m in MODULES if m.rpartition(".")[0] == module
        }
        assert not shadowed, f"{module} exports what its modules are called: {shadowed}"


def test_every_public_module_stands_on_an_api_page() -> None:
    rooms = {page.stem for page in (ROOT / "book" / "api").glob("*.md")}
    assert rooms == {room(module) for module in MODULES} - {"reproduce", "studies"}
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    assert all(f"file: book/api/{name}\n" in toc for name in rooms)
