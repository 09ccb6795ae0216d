"""What is published for Colab: no role, no directive, no relative link, and the commit in the first cell."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from trustnlp.reproduce.pages.colab_copies import plain, write_copies
from trustnlp.reproduce.project import UserError, project_root
from trustnlp.reproduce.runs.durations import last_took

FORK = "https://github.com/someone/book"
OPENED = "https://colab.research.google.com/github/someone/book/blob/colab/chapters/_template"
TOOK = last_took("_template", "critique", "paper")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a {term}`p-value` and {term}`seeds <seed>`", "a p-value and seeds"),
        ("as {cite:t}`linzen2016issues` asked{holds}`x above 0`.", "as Linzen (2016) asked."),
        ("{func}`~trustnlp.a.b` of", "`trustnlp.a.b` of"),
        (":::{dropdown} Solution\nNo.\n:::", "<details><summary>Solution</summary>\n\nNo.\n\n</details>"),
        ("[it](critique.ipynb#x), `[a](b)`", f"[it]({OPENED}/critique.ipynb), `[a](b)`"),
        ("[all](ledger)", f"[all]({FORK}/blob/abc/chapters/_template/claims.yaml)"),
        ("{duration}`critique.paper`, {duration}`_template/no.paper`", f"{TOOK}, not run yet"),
        ("[front](index)", f"[front]({FORK}/blob/abc/chapters/_template/index.md)"),
    ],
)
def test_markdown_becomes_plain(text: str, expected: str) -> None:
    assert plain(text, "_template", FORK, "abc") == expected


@pytest.mark.parametrize("text", ["[x](nowhere)", "{ours}`no-such-claim`", "{unheard}`x`", "{cite}`nobody2000`"])
def test_what_leads_nowhere_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        plain(text, "_template", FORK, "abc")


@pytest.mark.slow
def test_no_copy_has_a_role_or_a_relative_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/book")
    for path in write_copies(tmp_path):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        said = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        assert not re.findall(r"\{[\w:]+\}`|^(?:```|:::)\{|\]\((?!https://)", said, re.MULTILINE), path
        first = "".join(next(cell["source"] for cell in cells if cell["cell_type"] == "code"))
        assert re.match(rf'REPOSITORY, REVISION, NOTEBOOK = "{FORK}", "[0-9a-f]{{40}}", ', first)


def test_the_books_own_notebooks_are_not_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project_root())
    with pytest.raises(UserError, match="is the book itself"):
        write_copies(Path())
