"""Finding the project and its chapters, git facts."""

import subprocess
from pathlib import Path

import pytest

from trustnlp.reproduce import project
from trustnlp.reproduce.project import (
    ProjectError,
    UserError,
    chapter_dir,
    chapters,
    git_commit,
    git_dirty,
    nearest,
    papers,
    project_root,
    shown,
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "_config.yml").write_text("title: test\n")
    for slug in ("moxie", "_template", "aec"):
        (tmp_path / "chapters" / slug).mkdir(parents=True)
        (tmp_path / "chapters" / slug / "claims.yaml").write_text("paper: {}\n")
    (tmp_path / "chapters" / "draft").mkdir()
    monkeypatch.delenv("TRUSTNLP_ROOT", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path.resolve()


def test_root_is_found_upward_from_a_chapter_unless_the_variable_names_one(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "chapters" / "moxie")
    assert project_root() == root
    other = tmp_path_factory.mktemp("other")
    (other / "chapters").mkdir()
    (other / "_config.yml").touch()
    monkeypatch.setenv("TRUSTNLP_ROOT", str(other))
    assert project_root() == other.resolve()


def test_variable_that_names_no_project_is_an_error(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUSTNLP_ROOT", str(root / "chapters"))
    with pytest.raises(ProjectError, match=r"TRUSTNLP_ROOT is '.*chapters'.*unset it"):
        project_root()


def test_outside_any_project_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUSTNLP_ROOT", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(project, "__file__", str(tmp_path / "installed" / "project.py"))
    with pytest.raises(ProjectError, match="change into a clone of the book"):
        project_root()


def test_chapters_are_those_with_a_ledger_and_the_template_is_last(root: Path) -> None:
    assert chapters() == ["aec", "moxie", "_template"]


def test_a_chapter_is_on_a_paper_where_its_ledger_names_one(root: Path) -> None:
    ours = root / "chapters" / "across" / "claims.yaml"
    ours.parent.mkdir()
    ours.write_text("claims:\n  - {id: a, paper: no field of the ledger}\n")
    assert chapters() == ["across", "aec", "moxie", "_template"] and papers() == ["aec", "moxie"]


@pytest.mark.parametrize("slug", ["draft", "../chapters/moxie", ""])
def test_what_is_no_chapter_is_refused(root: Path, slug: str) -> None:
    with pytest.raises(UserError, match=f"unknown chapter '{slug}'"):
        chapter_dir(slug)


def test_nearest_forgives_case_and_is_silent_when_nothing_is_near() -> None:
    assert nearest("PAPER", ["smoke", "paper"]) == "; did you mean 'paper'?"
    assert nearest("zebra", ["smoke", "paper"]) == ""


def test_shown_hides_the_machine_inside_the_project_only(root: Path) -> None:
    assert shown(root / "chapters" / "aec" / "claims.yaml") == "chapters/aec/claims.yaml"
    assert shown(Path("/elsewhere/x.json")) == "/elsewhere/x.json"


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def test_git_facts_of_a_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    assert git_commit(tmp_path) is None  # before the first commit
    (tmp_path / "a.py").write_text("1\n")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    commit = git_commit(tmp_path)
    assert commit is not None and len(commit) == 40
    assert git_dirty(tmp_path) is False
    record = tmp_path / "chapters" / "aec" / "results" / "method.paper.json"
    record.parent.mkdir(parents=True)
    record.write_text("{}")
    assert git_dirty(tmp_path) is False, "a record written by the run before does not make the next one dirty"
    (tmp_path / "a.py").write_text("2\n")
    assert git_dirty(tmp_path) is True


def test_git_facts_outside_a_repository_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert git_commit(tmp_path) is None and git_dirty(tmp_path) is None
    monkeypatch.setenv("PATH", str(tmp_path))  # no git at all
    assert git_commit(tmp_path) is None and git_dirty(tmp_path) is None
