"""Notebook twins: a function of their source, without output, with ids that stay."""

import json

import pytest

from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.project import UserError

SOURCE = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Title
#
# Text with $x^2$.

# %% tags=["parameters"]
profile = "smoke"

# %% mystnb={"figure": {"caption": "A caption, with commas", "name": "fig-a"}} tags=["hide-input"]
x = 1

# %%
x

# %%
x
"""


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    folder = tmp_path / "chapters" / "tiny"
    folder.mkdir(parents=True)
    (tmp_path / "_config.yml").write_text("repository: {url: https://github.com/someone/book}\n")
    (folder / "claims.yaml").write_text("{}")
    (folder / "one.py").write_text(SOURCE)
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    return folder


def test_the_twin_is_a_function_of_its_source():
    first, second = (twins.write_text(twins.to_notebook(SOURCE)) for _ in range(2))
    assert first == second and first.endswith("}\n")
    notebook = json.loads(first)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids) == 5  # two cells of the same text among them
    assert notebook["metadata"] == {"kernelspec": twins.KERNELSPEC}
    assert notebook["cells"][1]["metadata"] == {"tags": ["parameters"]}
    assert notebook["cells"][2]["metadata"]["mystnb"]["figure"]["name"] == "fig-a"
    assert all(cell.get("outputs", []) == [] for cell in notebook["cells"])


def test_a_changed_cell_changes_one_id():
    before = [cell["id"] for cell in twins.to_notebook(SOURCE).cells]
    after = [cell["id"] for cell in twins.to_notebook(SOURCE.replace("x = 1", "x = 2")).cells]
    assert [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [2]
    longer = [cell["id"] for cell in twins.to_notebook(SOURCE.replace("# %%\nx\n", "# %%\ny\n\n# %%\nx\n", 1)).cells]
    assert [identity for identity in longer if identity in before] == before


def test_sync_writes_what_changed_and_nothing_else(chapter):
    assert twins.check("tiny") == ["chapters/tiny/one.ipynb is missing; `trustnlp twins` writes it"]
    assert twins.sync("tiny") == [chapter / "one.ipynb"]
    assert twins.check("tiny") == [] and twins.sync("tiny") == []
    (chapter / "one.py").write_text(SOURCE.replace("x = 1", "x = 2"))
    [problem] = twins.check("tiny")
    assert "chapters/tiny/one.ipynb differs from one.py" in problem and "trustnlp twins" in problem
    assert twins.sync("tiny") == [chapter / "one.ipynb"]
    assert twins.check("tiny") == []


def renumbered(cells):
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (renumbered, None),
        (lambda cells: cells[2].update(source="x = 3"), "differs"),
        (lambda cells: cells.pop(), "differs"),
        (lambda cells: cells[1]["metadata"].update(tags=[]), "differs"),
        (lambda cells: cells[2].update(outputs=[{"output_type": "stream", "name": "out", "text": "1"}]), "holds"),
    ],
)
def test_every_drift_of_content_is_seen_and_none_of_ids(chapter, change, expected):
    twins.sync("tiny")
    notebook = json.loads((chapter / "one.ipynb").read_text())
    change(notebook["cells"])
    (chapter / "one.ipynb").write_text(json.dumps(notebook))
    problems = twins.check("tiny")
    assert len(problems) == (expected is not None) and all(expected in problem for problem in problems)


def test_a_twin_without_source_and_a_file_that_is_no_notebook(chapter):
    twins.sync("tiny")
    (chapter / "stray.ipynb").write_text((chapter / "one.ipynb").read_text())
    (chapter / "one.ipynb").write_text("{")
    problems = twins.check("tiny")
    assert len(problems) == 2
    assert "cannot be read as a notebook" in problems[0] and "stray.ipynb has no source" in problems[1]


def test_a_copy_in_markdown_is_seen(chapter):
    twins.sync("tiny")
    for name in ("index.md", "one.Rmd", "Copy_of_one.md"):
        (chapter / name).write_text("# Title\n", encoding="utf-8")
    told = [problem.partition(" is a copy")[0].rpartition("/")[2] for problem in twins.check("tiny")]
    assert sorted(told) == ["Copy_of_one.md", "one.Rmd"]


def test_the_bootstrap_follows_the_repository(chapter):
    old = twins.bootstrap_source("https://github.com/OWNER/trustnlp", "other/name")
    (chapter / "one.py").write_text(SOURCE + "\n# %%\n" + old + "\n")
    assert twins.sync("tiny") == [chapter / "one.py", chapter / "one.ipynb"]
    new = twins.bootstrap_source("https://github.com/someone/book", "tiny/one")
    assert new in (chapter / "one.py").read_text() and old not in (chapter / "one.py").read_text()
    compile(new, "bootstrap", "exec")


@pytest.mark.parametrize("after", ["", "\n# %%\ny = 1\n"])
def test_a_bootstrap_cell_is_replaced_whole_and_nothing_else(after):
    old = 'import os\n\nREPOSITORY, REVISION, NOTEBOOK = "https://github.com/OWNER/trustnlp", "main", "x/y"\nprint(1)'
    text = SOURCE + '\n# %% tags=["remove-input"]\n' + old + "\n" + after
    new = twins.bootstrap_source("https://github.com/a/b", "c/d")
    assert twins.with_bootstrap(text, "https://github.com/a/b", "c/d") == text.replace(old, new)
    assert twins.with_bootstrap(SOURCE, "https://github.com/a/b", "c/d") == SOURCE


def test_a_config_without_repository_is_one_line(chapter):
    (chapter.parent.parent / "_config.yml").write_text("title: x\n")
    with pytest.raises(UserError, match=r"repository\.url"):
        twins.repository_url()
