"""Processes that we start keep compiled modules, and only under `_build` where Python may not keep them itself."""

import subprocess
import sys

import pytest

from trustnlp.reproduce import bytecode

IMPORT = "import sys; sys.path.insert(0, {folder!r}); import heavy; print(heavy.__cached__, sys.dont_write_bytecode)"


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "_config.yml").touch()
    (tmp_path / "chapters").mkdir()
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    monkeypatch.delenv(bytecode.NO_BYTECODE, raising=False)
    monkeypatch.delenv(bytecode.PREFIX, raising=False)
    monkeypatch.setattr(bytecode.os, "access", lambda *_, **__: True)
    return tmp_path


def imported(folder):
    """Import a module from `folder` in a child; what it says and the bytecode it leaves anywhere below."""
    (folder / "libraries").mkdir()
    (folder / "libraries" / "heavy.py").write_text("answer = 42\n")
    command = [sys.executable, "-S", "-c", IMPORT.format(folder=str(folder / "libraries"))]
    done = subprocess.run(command, env=bytecode.child_environment(), capture_output=True, text=True, check=True)
    return done.stdout, list(folder.rglob("heavy.*.pyc"))


@pytest.mark.parametrize("forbidden", [True, False])
def test_where_none_may_be_kept_it_lies_under_build_and_nowhere_else(project, monkeypatch, forbidden):
    if forbidden:
        monkeypatch.setenv(bytecode.NO_BYTECODE, "1")
    monkeypatch.setattr(bytecode.os, "access", lambda *_, **__: forbidden)
    said, files = imported(project)
    (file,) = files
    assert file.is_relative_to(project / "_build" / "pycache")
    assert said.split() == [str(file), "False"]
    assert not list(project.rglob("__pycache__"))


def test_where_python_keeps_it_by_itself_nothing_is_hidden(project):
    """A prefix would hide what an installer compiled beside the modules."""
    environment = bytecode.child_environment()
    assert bytecode.PREFIX not in environment and bytecode.NO_BYTECODE not in environment
    _, files = imported(project)
    assert [file.parent.name for file in files] == ["__pycache__"]


def test_a_folder_that_the_user_chose_stands(project, monkeypatch):
    monkeypatch.setenv(bytecode.PREFIX, "/somewhere")
    monkeypatch.setattr(bytecode.os, "access", lambda *_, **__: False)
    assert bytecode.child_environment()[bytecode.PREFIX] == "/somewhere"
