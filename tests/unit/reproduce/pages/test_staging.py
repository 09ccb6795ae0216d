"""Staging: what Sphinx sees is the executed notebook, made fit for a page; untouched files stay untouched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trustnlp.reproduce.notebooks.twins import bootstrap_source
from trustnlp.reproduce.pages import staging
from trustnlp.reproduce.pages.published import Page
from trustnlp.reproduce.project import UserError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
BOOTSTRAP = bootstrap_source("https://github.com/OWNER/trustnlp", "weat/method")


def code(source: str, outputs: list[Any] | None = None, tags: tuple[str, ...] = ()) -> dict[str, Any]:
    metadata = {"tags": list(tags), "papermill": {"start_time": "2026-11-21T03:00:00"}, "execution": {"x": 1}}
    metadata |= {"trustnlp": {"source": "record"}}  # of what is printed
    return {"cell_type": "code", "source": source, "outputs": outputs or [], "metadata": metadata, "id": "c"}


def text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source, "metadata": {}, "id": "t"}


def figure(alt: str | None = "A line that rises.") -> dict[str, Any]:
    metadata = {"trustnlp": {"source": "record", **({"alt": alt} if alt else {})}}
    return {"output_type": "display_data", "data": {"image/svg+xml": "<svg/>"}, "metadata": metadata}


def notebook(*cells: dict[str, Any], title: str = "# A title\n\nAnd its text.") -> dict[str, Any]:
    metadata = {"kernelspec": {"name": "python3"}, "papermill": {"input_path": "/home/somebody/book/x.ipynb"}}
    return {"cells": [text(title), *cells], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def prepare(book: dict[str, Any], root: str = "/home/somebody/book", commit: str | None = COMMIT) -> dict[str, Any]:
    return staging.prepare_notebook(
        book, Page("weat", "critique", True, "made-up data", "none"), root=Path(root), commit=commit
    )


def test_the_banner_follows_the_first_title_and_the_text_follows_the_banner() -> None:
    first, second = prepare(notebook(text("# Another")))["cells"]
    banner = "# A title\n\n```{run-banner} weat/critique\n```\n\n"
    assert first["source"] == f"{banner}[Data](../../book/data.md) of the `paper` profile: none.\n\nAnd its text."
    assert second["source"] == "# Another"


def test_a_notebook_without_a_title_is_refused() -> None:
    with pytest.raises(UserError, match=r"chapters/weat/critique\.py: no cell begins with a title"):
        prepare(notebook(title="## Only a section"))


def test_alternative_text_moves_to_the_cell_and_keeps_its_caption() -> None:
    cell = code("show(fig, alt)", [figure()])
    cell["metadata"]["mystnb"] = {"figure": {"caption": "What to see."}}
    staged = prepare(notebook(cell))["cells"][1]
    settings = {"figure": {"caption": "What to see."}, "image": {"alt": "A line that rises."}}
    assert staged["metadata"]["mystnb"] == settings
    assert staged["outputs"] == [figure(alt=None)]


def test_two_figures_in_one_cell_are_refused() -> None:
    with pytest.raises(UserError, match="one cell shows 2 figures"):
        prepare(notebook(code("both()", [figure("One."), figure("Two.")])))


def test_clock_times_folders_of_the_machine_and_standard_error_are_gone() -> None:
    printed = {"output_type": "stream", "name": "stdout", "text": ["/home/somebody/book/_build/runs/x.json\n"]}
    result = {"output_type": "execute_result", "data": {"text/plain": ["'/home/somebody/book/data'"]}}
    result["metadata"] = {"trustnlp": {"source": "record"}}
    staged = prepare(notebook(code("x", [printed, {**printed, "name": "stderr"}, result])))
    assert not any(word in json.dumps(staged) for word in ("somebody", "papermill", "start_time"))
    assert [output.get("name") for output in staged["cells"][1]["outputs"]] == ["stdout", None]
    assert staged["cells"][1]["outputs"][0]["text"] == "_build/runs/x.json\n"


def test_injected_parameters_are_folded_and_declared_ones_shown() -> None:
    cells = (code("n = 1", tags=("parameters",)), code("n = 2", tags=("injected-parameters",)))
    _, declared, injected = prepare(notebook(*cells))["cells"]
    assert declared["metadata"]["tags"] == ["parameters"]
    assert injected["metadata"]["tags"] == ["injected-parameters", "hide-input"]


@pytest.mark.parametrize(("commit", "revision"), [(COMMIT, COMMIT), (None, "main")])
def test_the_bootstrap_names_the_commit_of_the_build(commit: str | None, revision: str) -> None:
    cell = prepare(notebook(code(BOOTSTRAP)), commit=commit)["cells"][1]
    assert cell["source"] == BOOTSTRAP.replace('"main"', f'"{revision}"')


def test_preparing_leaves_the_executed_notebook_alone() -> None:
    book = notebook(code(BOOTSTRAP, [figure()]))
    before = json.dumps(book)
    prepare(book)
    assert json.dumps(book) == before


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    monkeypatch.setenv("TRUSTNLP_ROOT", str(root))
    for place, content in {
        "_config.yml": "title: Test\n",
        "_toc.yml": "root: book/intro\nchapters:\n  - file: chapters/a/index\n  - file: chapters/a/method\n",
        "book/intro.md": "# Intro\n",
        "chapters/a/index.md": "# A\n",
        "chapters/a/method.py": "# %%\n",
        "chapters/a/claims.yaml": "",
        "chapters/a/params.yaml": "notebooks: {method: {parameters: {}}}\n",
        "src/trustnlp/one.py": "ONE = 1\n",
        "src/trustnlp/__pycache__/one.py": "stale",
        "runs/method.ipynb": json.dumps(notebook()),
    }.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(content)
    return root


def bring(root: Path) -> staging.Staged:
    return staging.stage(root, root / "_build" / "stage", {"chapters/a/method": root / "runs" / "method.ipynb"})


def test_the_executed_notebook_lies_where_its_twin_lies(project: Path) -> None:
    staged = bring(project)
    target = project / "_build" / "stage"
    assert {"_config.yml", "_toc.yml", "book/intro.md", "chapters/a/index.md"} <= set(staged.written)
    assert "run-banner" in (target / "chapters/a/method.ipynb").read_text()
    assert not (target / "chapters/a/method.py").exists()
    assert (target / "src/trustnlp/one.py").exists()
    assert not (target / "src/trustnlp/__pycache__").exists()


def test_mathjax_comes_from_the_installed_package_with_its_fonts(project: Path) -> None:
    bring(project)
    folder = project / "_build" / "stage" / staging.MATHJAX_PLACE
    assert (folder / "tex-mml-chtml.js").stat().st_size > 500_000
    assert (folder / "output/chtml/fonts/woff-v2/MathJax_Main-Regular.woff").is_file()
    assert not (folder / "tex-svg.js").exists()


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging.metadata, "files", lambda name: [])
    with pytest.raises(UserError, match="pip install 'sphinx-mathjax-offline"):
        staging.mathjax_files()


def test_staging_again_writes_what_changed_and_keeps_the_times_of_the_rest(project: Path) -> None:
    first = bring(project)
    before = {path: path.stat().st_mtime_ns for path in (project / "_build").rglob("*")}
    second = bring(project)
    assert (second.written, second.removed, second.digest) == ((), (), first.digest)
    assert before == {path: path.stat().st_mtime_ns for path in (project / "_build").rglob("*")}
    (project / "book" / "intro.md").write_text("# Another\n")
    (project / "src/trustnlp/one.py").unlink()
    third = bring(project)
    assert (third.written, third.removed) == (("book/intro.md",), ("src/trustnlp/one.py",))
    assert third.digest != first.digest and not (project / "_build/stage/src/trustnlp/one.py").exists()


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        ("runs/method.ipynb", "chapters/a/method has no executed notebook; run: trustnlp run a/method"),
        ("chapters/a/index.md", r"_toc\.yml names chapters/a/index"),
    ],
)
def test_a_page_without_what_it_is_made_of_is_named(project: Path, missing: str, told: str) -> None:
    (project / missing).unlink()
    with pytest.raises(UserError, match=told):
        bring(project)
