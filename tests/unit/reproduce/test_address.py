"""A copy that nobody has edited finds its own address; where it has none, no page links to a repository."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml

from trustnlp.reproduce.address import (
    COLAB_BRANCH,
    PLACEHOLDER,
    addressed_config,
    own_address,
    web_address,
)
from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.pages.staging import stage
from trustnlp.reproduce.project import UserError

ROOT = Path(__file__).resolve().parents[3]
_OWN = (ROOT / "_config.yml").read_text("utf-8")
CONFIG = _OWN.replace(yaml.safe_load(_OWN)["repository"]["url"], PLACEHOLDER)
FORK, OWN = "https://github.com/someone/book", "https://git.example.org/a/b"


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with the placeholder and one notebook."""
    for name in ("GITHUB_REPOSITORY", "GITHUB_SERVER_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    folder = tmp_path / "chapters" / "tiny"
    folder.mkdir(parents=True)
    (tmp_path / "_config.yml").write_text(CONFIG)
    (tmp_path / "_toc.yml").write_text("root: book/intro\nchapters:\n  - file: chapters/tiny/one\n")
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "intro.md").write_text(
        f"# Intro\n\nSee the [tracker]({PLACEHOLDER}/issues).\nurl = {PLACEHOLDER}\n"
    )
    (folder / "claims.yaml").write_text("{}")
    (folder / "params.yaml").write_text("notebooks: {one: {parameters: {}}}\n")
    (folder / "one.py").write_text(
        f"# %% [markdown]\n# # Title\n\n# %%\n{twins.bootstrap_source(PLACEHOLDER, 'tiny/one')}\n"
    )
    git(tmp_path, "init", "--quiet")
    return tmp_path


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("https://github.com/someone/book.git", FORK),
        ("https://user:secret@github.com/someone/book.git", FORK),
        ("git@github.com:someone/book.git", FORK),
        ("ssh://git@github.com:22/someone/book.git", FORK),
        ("git@git.example.org:group/team/book.git", "https://git.example.org/group/team/book"),
        ("/srv/git/book.git", None),
        ("C:/git/book", None),
        ("https://[broken/book", None),
        ('https://github.com/a/b"; import os #', None),
        ("", None),
    ],
)
def test_a_remote_becomes_what_a_browser_opens(remote: str, expected: str | None) -> None:
    assert web_address(remote) == expected


UPSTREAM = {"upstream": "https://github.com/first/book", "origin": "git@github.com:someone/book.git"}
ENTERPRISE = {"GITHUB_REPOSITORY": "a/b", "GITHUB_SERVER_URL": "https://git.example.org"}


@pytest.mark.parametrize(
    ("remotes", "variables", "expected"),
    [
        ({}, {}, None),
        (UPSTREAM, {}, FORK),
        (UPSTREAM, {"GITHUB_REPOSITORY": "fork/of-it"}, "https://github.com/fork/of-it"),
        (UPSTREAM, ENTERPRISE, "https://git.example.org/a/b"),
    ],
)
def test_the_remote_and_the_workflow_name_the_address(
    copy: Path, remotes: dict[str, str], variables: dict[str, str], expected: str | None
) -> None:
    for name, remote in remotes.items():
        git(copy, "remote", "add", name, remote)
    assert own_address(copy, variables) == expected
    inner = copy / "inner"  # a book unpacked inside another repository does not take its address
    inner.mkdir()
    (inner / "_config.yml").write_text(CONFIG)
    assert own_address(inner, {}) is None
    (copy / "_config.yml").write_text("repository: {url: https://github.com/stated/book/}\n")
    assert own_address(copy, variables) == "https://github.com/stated/book"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"title: x\n", b"repository: []\n"])
def test_a_config_that_cannot_be_read_is_one_line(copy: Path, content: bytes) -> None:
    (copy / "_config.yml").write_bytes(content)
    with pytest.raises(UserError, match=r"_config\.yml") as told:
        own_address(copy, {})
    assert "\n" not in str(told.value)


def test_twins_take_the_address_of_the_remote_and_keep_the_placeholder_without_one(copy: Path) -> None:
    assert [path.name for path in twins.sync("tiny")] == ["one.ipynb"]
    assert PLACEHOLDER in (copy / "chapters/tiny/one.ipynb").read_text()
    git(copy, "remote", "add", "origin", "git@github.com:someone/book.git")
    assert [path.name for path in twins.sync("tiny")] == ["one.py", "one.ipynb"]
    for name in ("one.py", "one.ipynb"):
        text = (copy / "chapters/tiny" / name).read_text()
        assert FORK in text and PLACEHOLDER not in text


def staged(copy: Path) -> tuple[Path, dict[str, Any]]:
    """Where the book of a copy is staged, and its configuration."""
    twins.sync("tiny")
    there, ran = copy / "_build/stage", copy / "chapters/tiny/one.ipynb"
    stage(copy, there, {"chapters/tiny/one": ran}, commit="0" * 40, address=own_address(copy))
    return there, yaml.safe_load((there / "_config.yml").read_text())


def test_the_staged_book_of_a_fork_leads_to_the_fork(copy: Path) -> None:
    git(copy, "remote", "add", "origin", "https://github.com/someone/book")
    there, config = staged(copy)
    assert config["repository"] == {"url": FORK, "branch": "main", "path_to_book": ""}
    assert config["launch_buttons"]["colab_url"] == "https://colab.research.google.com"
    assert config["sphinx"]["config"]["colab_branch"] == COLAB_BRANCH
    assert (there / "book/intro.md").read_text() == f"# Intro\n\nSee the [tracker]({FORK}/issues).\nurl = {FORK}\n"
    assert FORK in (there / "chapters/tiny/one.ipynb").read_text()
    assert not [path for path in there.rglob("*") if path.is_file() and PLACEHOLDER.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        (None, "# Intro\n\nSee the tracker.\n"),
        (OWN, f"# Intro\n\nSee the [tracker]({OWN}/issues).\nurl = {OWN}\n"),
    ],
)
def test_the_staged_book_of_no_repository_on_github_has_no_buttons(copy: Path, remote: str | None, page: str) -> None:
    if remote:
        git(copy, "remote", "add", "origin", remote)
    there, config = staged(copy)
    assert "repository" not in config and not config["launch_buttons"]["colab_url"]
    assert not any(value for name, value in config["html"].items() if name.startswith("use_"))
    assert (there / "book/intro.md").read_text() == page


def test_colab_opens_its_own_branch_at_a_stated_address_too() -> None:
    config = yaml.safe_load(addressed_config(CONFIG.replace(PLACEHOLDER, FORK), FORK))
    assert config["sphinx"]["config"]["colab_branch"] == COLAB_BRANCH and config["repository"]["url"] == FORK


def extension() -> ModuleType:
    spec = importlib.util.spec_from_file_location("trustnlp_colab", ROOT / "book" / "_ext" / "trustnlp_colab.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("branch", "opened"), [("", "main"), (COLAB_BRANCH, COLAB_BRANCH)])
def test_colab_opens_the_branch_with_addresses_and_other_links_the_sources(branch: str, opened: str) -> None:
    def buttons(opened: str) -> list[dict[str, object]]:
        notebook = f"https://colab.research.google.com/github/a/b/blob/{opened}/chapters/x/y.ipynb"
        other = {"text": "Edit", "url": "https://github.com/a/b/edit/main/x.py"}
        return [{"buttons": [{"text": "Colab", "url": notebook}, other]}, {"label": "toc"}]

    context = {"header_buttons": buttons("main")}
    app = SimpleNamespace(config=SimpleNamespace(colab_branch=branch, html_theme_options={"repository_branch": "main"}))
    extension().open_from_branch(app, "x", "page.html", context)
    assert context["header_buttons"] == buttons(opened)


@pytest.mark.parametrize("commit", ["", "0123abc"])
def test_an_issue_names_the_page_and_the_commit_of_a_published_book(
    commit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_SHA", commit)
    address = "https://github.com/a/b/issues/new?title=Issue%20on%20page%20%2Fx.html"
    button = {"url": f"{address}&body=Your%20issue%20content%20here."}
    extension().name_the_commit(None, "x", "page.html", {"header_buttons": [{"buttons": [button, {"url": None}]}]})
    assert button["url"].startswith(f"{address}&body=")
    assert ("Page%20x.html%2C%20commit%200123abc" in button["url"]) == bool(commit)
