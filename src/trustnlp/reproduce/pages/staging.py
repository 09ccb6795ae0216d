"""Stage the book for Sphinx: prose as it stands, notebooks as papermill executed them, in one tree of their own.

Sphinx reads `_build/stage`, never the sources: the executed notebook lies there under the same name as its
output-free twin, so page addresses and Colab links are those of the repository and no source is ever
rewritten. A file is copied only when its content differs, so that Sphinx renders again only the pages that
changed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.address import PLACEHOLDER, addressed_config, addressed_text
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.notebooks.output_sources import source_of
from trustnlp.reproduce.notebooks.twins import pinned
from trustnlp.reproduce.pages.published import Page, lesson_line, page_of, publish
from trustnlp.reproduce.project import UserError

PROSE = (".md", ".bib", ".css", ".js", ".svg", ".png", ".ico", ".py", ".html", ".csv", ".yaml")
# MathJax asks for nothing else with the menu off: the component, and the fonts its stylesheet names.
MATHJAX_FILES = re.compile(r"static/mathjax/(tex-mml-chtml\.js|output/chtml/fonts/woff-v2/[\w-]+\.woff)$")
MATHJAX_PLACE = "book/_assets/mathjax"
# Of a cell's metadata: papermill's clock times are another in each build.
KEPT = ("tags", "mystnb", "trustnlp")
LABEL = re.compile(r'^(?:# )?\(([\w-]+)\)=$|:(?:name|label): ([\w-]+)|"name": "([\w-]+)"', re.MULTILINE)
# Pages on the package, or on all chapters: a book of a few chapters lacks most of what they link to.
OF_THE_WHOLE = frozenset({"book/own-data", "book/findings", "book/errors-in-print", "book/api", "book/add-a-chapter"})


@dataclass(frozen=True)
class Staged:
    """The files that one staging wrote and removed, and the hash of the whole tree afterwards."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    digest: str


def notebook_pages(toc: Mapping[str, Any], root: Path) -> dict[str, tuple[str, str]]:
    """Pages of the table of contents that are notebooks: docname → (chapter, notebook).

    >>> notebook_pages({"root": "book/intro"}, Path("."))
    {}
    """
    notebooks = (docname for docname in documents(toc) if docname.startswith("chapters/"))
    return {
        docname: (docname.split("/")[1], docname.rpartition("/")[2])
        for docname in notebooks
        if (root / f"{docname}.py").is_file()
    }


def documents(toc: Any) -> Iterator[str]:
    """Docnames of a table of contents in reading order."""
    if isinstance(toc, Mapping):
        for key, value in toc.items():
            if key in ("root", "file"):
                yield re.sub(r"\.(md|ipynb)$", "", value)
            else:
                yield from documents(value)
    elif isinstance(toc, list):
        for entry in toc:
            yield from documents(entry)


def limit_toc(toc: Mapping[str, Any], chapters: Collection[str]) -> dict[str, Any]:
    """The same table of contents with no other chapters than these, and without the pages `OF_THE_WHOLE`; a part left
    empty goes too.
    """

    def kept(entries: Iterable[Any]) -> list[Any]:
        return [entry for entry in entries if keep(next(documents(entry)))]

    def keep(docname: str) -> bool:
        folder, name = docname.split("/")[:2]
        return name in chapters if folder == "chapters" else docname not in OF_THE_WHOLE

    limited = dict(toc)
    if "chapters" in toc:
        limited["chapters"] = kept(toc["chapters"])
    if "parts" in toc:
        parts = [{**part, "chapters": kept(part["chapters"])} for part in toc["parts"]]
        limited["parts"] = [part for part in parts if part["chapters"]]
    return limited


def left_out(toc: Mapping[str, Any], part: Mapping[str, Any], root: Path) -> set[str]:
    """Links that may be vain in a partial book: pages (docnames) that only the whole has, and the labels on them."""
    absent = set(documents(toc)) - set(documents(part))
    sources = (root / f"{docname}{suffix}" for docname in absent for suffix in (".md", ".py"))
    labels = (LABEL.findall(read_text(source)) for source in sources if source.is_file())
    return absent | {name for groups in labels for names in groups for name in names if name}


def prepare_notebook(
    notebook: Mapping[str, Any], page: Page, *, root: Path, commit: str | None, address: str | None = None
) -> dict[str, Any]:
    """An executed notebook as the book shows it.

    What its run gave has a band, or is left out (`trustnlp.reproduce.pages.published`). Alternative text moves from the
    outputs (where `trustnlp.plots.display` left it) to the cell, where Sphinx reads it; papermill's clock times, the
    machine's paths and standard error go; injected parameters are folded; the Colab bootstrap names `commit` and
    `address`; a run banner follows the title, a line on the `paper` profile's data, and in a lesson one that says so.

    Raises
    ------
    UserError
        If the notebook has no title, or one cell shows two figures (Sphinx knows one alternative text a cell); or an
        output does not say where it comes from, or a caption says more than its figure shows.
    """
    staged: dict[str, Any] = json.loads(json.dumps(notebook))
    lesson = lesson_line(staged["cells"])
    staged["cells"] = publish(staged["cells"], page)
    staged["metadata"] = {
        key: value for key, value in staged["metadata"].items() if key in ("kernelspec", "language_info")
    }
    titled = False
    for cell in staged["cells"]:
        text = "".join(cell["source"])
        cell["metadata"] = {key: value for key, value in cell["metadata"].items() if key in KEPT}
        if cell["cell_type"] == "code":
            text = pinned(text, address, commit)
            if "injected-parameters" in cell["metadata"].get("tags", []):
                cell["metadata"]["tags"].append("hide-input")
            _prepare_outputs(cell, page.name, root)
        elif cell["cell_type"] == "markdown" and not titled and re.match(r"# \S", text):
            title, _, rest = text.partition("\n")
            data = f"[Data](../../book/data.md) of the `paper` profile: {page.data}." if page.data else ""
            said = "".join(f"\n{line}\n" for line in (data, lesson) if line)
            text = f"{title}\n\n```{{run-banner}} {page.name}\n```\n{said}{rest}"
            titled = True
        cell["source"] = text
    if not titled:
        raise UserError(f"chapters/{page.name}.py: no cell begins with a title; open with '# Title' in Markdown")
    return staged


def _prepare_outputs(cell: dict[str, Any], where: str, root: Path) -> None:
    outputs = [output for output in cell.get("outputs", []) if output.get("name") != "stderr"]
    alts = [alt for output in outputs if (alt := output.get("metadata", {}).get("trustnlp", {}).get("alt"))]
    if len(alts) > 1:
        raise UserError(
            f"{where}: one cell shows {len(alts)} figures (the first: {alts[0]!r}); "
            "give each its own cell, since a cell has one alternative text"
        )
    if alts:
        cell["metadata"].setdefault("mystnb", {}).setdefault("image", {})["alt"] = alts[0]
    for output in outputs:
        if output["output_type"] in ("display_data", "execute_result"):
            output["metadata"] = {"trustnlp": source_of(cell, output)}
        if "text" in output:
            output["text"] = _without_path("".join(output["text"]), root)
        for kind, content in output.get("data", {}).items():
            if kind.startswith("text/") and isinstance(content, str | list):
                output["data"][kind] = _without_path("".join(content), root)
    cell["outputs"] = outputs


def _without_path(text: str, root: Path) -> str:
    return text.replace(f"{root}/", "").replace(str(Path.home()), "~")


def mathjax_files() -> dict[str, Path]:
    """Installed MathJax as the book serves it: place in the staged tree → file of the package.

    Raises
    ------
    UserError
        If the package `sphinx-mathjax-offline` is not installed, or has no such files.
    """
    installed: dict[str, Path] = {}
    with suppress(metadata.PackageNotFoundError):
        for file in metadata.files("sphinx-mathjax-offline") or ():
            if match := MATHJAX_FILES.search(file.as_posix()):
                installed[f"{MATHJAX_PLACE}/{match[1]}"] = Path(str(file.locate()))
    if f"{MATHJAX_PLACE}/tex-mml-chtml.js" not in installed:
        raise UserError(
            "MathJax is not installed, and equations would need the network; "
            "pip install 'sphinx-mathjax-offline>=0.0.2'"
        )
    return installed


def stage(
    root: Path,
    target: Path,
    executed: Mapping[str, Path],
    *,
    chapters: Collection[str] | None = None,
    commit: str | None = None,
    address: str | None = None,
) -> Staged:
    """Bring `target` up to date with the sources under `root` and the `executed` notebooks (docname → file).

    Files whose content is already right are left alone, with their modification time; files that no longer
    belong are removed. `chapters` limits the table of contents (a partial book). `address` is that of this copy's
    repository; without one, pages have no links to a repository.

    Raises
    ------
    UserError
        If a page of the table of contents has neither a source nor an executed notebook.
    """
    toc = yaml.safe_load(read_text(root / "_toc.yml"))
    if chapters is not None:
        toc = limit_toc(toc, chapters)
    wanted: dict[str, bytes | Path] = {
        "_config.yml": addressed_config(read_text(root / "_config.yml"), address).encode(),
        "_toc.yml": yaml.safe_dump(toc, sort_keys=False, allow_unicode=True).encode(),
        **mathjax_files(),
    }
    for path in _sources(root):
        prose = path.suffix == ".md" and PLACEHOLDER.encode() in path.read_bytes()
        wanted[path.relative_to(root).as_posix()] = addressed_text(read_text(path), address).encode() if prose else path
    for docname, (chapter, name) in notebook_pages(toc, root).items():
        if docname not in executed or not executed[docname].is_file():
            raise UserError(f"{docname} has no executed notebook; run: trustnlp run {chapter}/{name}")
        raw = json.loads(executed[docname].read_text("utf-8"))
        page = page_of(chapter, name, executed[docname].with_suffix(".json"))
        ready = prepare_notebook(raw, page, root=root, commit=commit, address=address)
        wanted[f"{docname}.ipynb"] = (json.dumps(ready, indent=1, ensure_ascii=False) + "\n").encode()
    for docname in documents(toc):
        if docname.endswith("/ledger"):
            wanted[f"{docname}.md"] = _ledger_page(PurePosixPath(docname).parent.name)
        if f"{docname}.md" not in wanted and f"{docname}.ipynb" not in wanted:
            raise UserError(f"_toc.yml names {docname}, but there is no {docname}.md or {docname}.py")
    return _bring_up_to_date(target, wanted)


def _ledger_page(slug: str) -> bytes:
    """The page that lists every claim of a chapter; search results and the sidebar tell chapters apart by its title."""
    paper = load_claims(slug).paper
    title = "Every claim: " + paper.title.partition(":")[0] if paper else f"Every question: {slug} the papers"
    best = f"```{{headlines}} {slug}\n```\n\n" if paper else ""
    told = f"What {paper.authors} ({paper.year}) say that can be checked, in our words" if paper else "What we asked"
    return f"""# {title}

{told}, beside what we measured. How to read a row:
[](../../book/how-to-read.md); the rules behind the verdicts: [](../../book/methods.md). Each id is an address.

{best}```{{ledger}} {slug}
```
""".encode()


def _sources(root: Path) -> Iterator[Path]:
    """Everything pages are made of or may quote: prose, assets, the extension, and the package for
    `literalinclude`.
    """
    folders = [("book", PROSE), ("chapters", (".md", ".svg", ".png", ".csv", ".yaml")), ("src/trustnlp", (".py",))]
    for folder, suffixes in folders:
        for path in sorted((root / folder).rglob("*")):
            hidden = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(root).parts)
            if path.suffix in suffixes and path.is_file() and not hidden:
                yield path


def _bring_up_to_date(target: Path, wanted: Mapping[str, bytes | Path]) -> Staged:
    written, removed = [], []
    tree = hashlib.sha256()
    for place, source in sorted(wanted.items(), key=lambda item: item[0]):
        content = source.read_bytes() if isinstance(source, Path) else source
        tree.update(f"{place}\0{hashlib.sha256(content).hexdigest()}\n".encode())
        file = target / place
        if not file.is_file() or file.read_bytes() != content:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            written.append(place)
    for file in sorted(target.rglob("*")):
        place = file.relative_to(target).as_posix()
        if file.is_file() and place not in wanted and "__pycache__" not in place:
            file.unlink()
            removed.append(place)
    return Staged(tuple(written), tuple(removed), tree.hexdigest())
