"""The `.py` percent file is a notebook's source; the `.ipynb` beside it is its output-free twin.

Papermill and Colab need the `.ipynb`; people and diffs need the `.py`. A twin is a function of its source alone:
same cells, same ids (a hash of the cell and of how often it stood before), no output, one kernelspec. So writing
it twice changes nothing, and a changed cell changes one cell of the diff.
"""

import hashlib
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.address import PLACEHOLDER, own_address
from trustnlp.reproduce.project import UserError, chapter_dir, first_line, project_root, shown, write_atomic

if TYPE_CHECKING:
    from nbformat import NotebookNode

KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
# Line that opens a bootstrap cell; in the copies that are published it names the commit.
BOOTSTRAP = re.compile(r'^REPOSITORY, REVISION, NOTEBOOK = "https?://[^\s"]+"', re.MULTILINE)


def repository_url() -> str:
    """Where the book lives: `repository.url` of `_config.yml`, or while that is `PLACEHOLDER` this copy's address."""
    return own_address(project_root()) or PLACEHOLDER


def bootstrap_source(url: str, notebook: str, revision: str = "main") -> str:
    """The first code cell of every notebook: on Colab, clone this book, then `trustnlp.reproduce.colab` does the rest.

    It clones, because notebooks also read the ledgers and parameters in `chapters/`, which no wheel carries. Nothing is
    left half done: the folder gets its name when the clone is complete.
    """
    return f'''REPOSITORY, REVISION, NOTEBOOK = "{url}", "{revision}", "{notebook}"
if "google.colab" in __import__("sys").modules:  # fetch the book, add what this notebook imports, look for a GPU
    import os
    import runpy
    assert not os.system(f"test -d trustnlp-book || (rm -rf b; git clone -q {{REPOSITORY}} b && git -C b checkout -q {{REVISION}} && mv b trustnlp-book)"), "the book cannot be cloned, see above; run this cell again"
    runpy.run_path("trustnlp-book/src/trustnlp/reproduce/colab.py", {{"NOTEBOOK": NOTEBOOK}}, "__main__")'''  # noqa: E501


def pinned(cell: str, url: str | None, revision: str | None) -> str:
    """A bootstrap cell with another address and revision (None: those that it has); any other code as it is."""
    if not cell.startswith("REPOSITORY, REVISION, NOTEBOOK = "):
        return cell
    _, address, _, now, _, notebook, *_ = cell.split('"')
    return bootstrap_source(url or address, notebook, revision or now)


def with_bootstrap(text: str, url: str, notebook: str) -> str:
    """A `.py` source whose bootstrap cell, if it has one, is today's for this address and notebook."""
    match = BOOTSTRAP.search(text)
    if match is None:
        return text
    start = text.index("\n", text.rfind("\n# %%", 0, match.start()) + 1) + 1
    end = text.find("\n# %%", match.end())
    return f"{text[:start]}{bootstrap_source(url, notebook)}\n{text[end:] if end >= 0 else ''}"


_MARKDOWN = (".md", ".Rmd", ".qmd", ".markdown")


def sources(chapter: str) -> list[Path]:
    """The notebook sources of a chapter: every `.py` in its folder."""
    return sorted(chapter_dir(chapter).glob("*.py"))


def to_notebook(text: str) -> "NotebookNode":
    """Build the twin of a `.py` percent source."""
    import jupytext

    notebook: NotebookNode = jupytext.reads(text, fmt="py:percent")
    notebook.metadata = type(notebook.metadata)({"kernelspec": dict(KERNELSPEC)})
    seen: Counter[str] = Counter()
    for cell in notebook.cells:
        content = f"{cell.cell_type}\0{cell.source}"
        seen[content] += 1
        cell["id"] = hashlib.sha256(f"{content}\0{seen[content]}".encode()).hexdigest()[:12]
        if cell.cell_type == "code":
            cell["outputs"], cell["execution_count"] = [], None
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def _notebook_of(source: Path, text: str) -> "NotebookNode":
    """`to_notebook`; a source that is none, or holds what no file can, is a `UserError`."""
    try:
        notebook = to_notebook(text)
        write_text(notebook).encode()
    except Exception as error:  # jupytext fails with whatever it meets in a damaged header
        raise UserError(f"{shown(source)} cannot be read as a notebook: {first_line(error):.300}") from None
    return notebook


def write_text(notebook: "NotebookNode") -> str:
    """The bytes of an `.ipynb`: nbformat's own spelling, one final newline."""
    import nbformat

    return str(nbformat.writes(notebook)).rstrip("\n") + "\n"


def sync(chapter: str) -> list[Path]:
    """Write the twins of a chapter from its sources; returns the files that changed.

    Their bootstrap cells are brought up to date first, with the address that `repository_url()` gives.
    """
    changed = []
    url = repository_url()
    for source in sources(chapter):
        text = read_text(source)
        addressed = with_bootstrap(text, url, f"{chapter}/{source.stem}")
        if addressed != text:
            write_atomic(source, addressed)
            changed.append(source)
        twin, wanted = source.with_suffix(".ipynb"), write_text(_notebook_of(source, addressed))
        if not twin.is_file() or read_text(twin) != wanted:
            write_atomic(twin, wanted)
            changed.append(twin)
    return changed


def check(chapter: str) -> list[str]:
    """Faults of the twins of a chapter, one line each; none when content agrees and no twin has output."""
    folder, known = chapter_dir(chapter), {source.stem: source for source in sources(chapter)}
    problems = [problem for source in known.values() if (problem := difference(source))]
    strays = [twin for twin in sorted(folder.glob("*.ipynb")) if twin.stem not in known]
    problems += [f"{shown(twin)} has no source {twin.stem}.py" for twin in strays]
    copies = tuple(f"copy_of_{name.lower()}" for name in known)
    for page in sorted(each for ending in _MARKDOWN for each in folder.glob(f"*{ending}")):
        stem = page.name.partition(".")[0]
        if stem in known or stem.lower().startswith(copies):
            problems.append(
                f"{shown(page)} is a copy of a notebook in Markdown, which nothing reads; bring its edits into "
                "the .py, and delete it"
            )
    return problems


def difference(source: Path) -> str | None:
    """One line that says how a twin differs from its source, or None."""
    from jupytext.compare import NotebookDifference, compare_notebooks

    twin = source.with_suffix(".ipynb")
    if not twin.is_file():
        return f"{shown(twin)} is missing; `trustnlp twins` writes it"
    try:
        actual = read_notebook(twin)
    except UserError as error:
        return str(error)
    expected = _notebook_of(source, read_text(source))
    try:
        compare_notebooks(actual, expected, fmt="py:percent", allow_expected_differences=True)
    except NotebookDifference as error:
        return (
            f"{shown(twin)} differs from {source.name} ({first_line(error)}); `trustnlp twins` writes the twin "
            f"from the .py, `jupytext --to py:percent {twin.name}` keeps edits made in the notebook"
        )
    for number, cell in enumerate(actual.cells, start=1):
        if cell.cell_type == "code" and (cell.get("outputs") or cell.get("execution_count") is not None):
            return f"{shown(twin)} holds output (cell {number}); `trustnlp twins` writes it without"
    return None


def read_notebook(path: Path) -> Any:
    """Read an `.ipynb`; a file that is none is a `UserError`."""
    import nbformat

    try:
        notebook = nbformat.reads(read_text(path), as_version=4)
        kinds = {(cell.get("cell_type"), type(cell.get("source"))) for cell in notebook.cells}
        if not kinds <= {("code", str), ("markdown", str), ("raw", str)}:
            raise ValueError("a cell has no known type, or no text")
        return notebook
    except Exception as error:  # nbformat fails with whatever it meets in JSON that is no notebook
        raise UserError(f"{shown(path)} cannot be read as a notebook: {first_line(error):.300}") from None
