"""Hidden files and folders: what counts as hidden, and how much is told of it."""

from pathlib import PurePosixPath

import pytest

from trustnlp.files.hidden_files import hidden_part, without_hidden


@pytest.mark.parametrize(
    ("path", "hidden"),
    [
        (".git/config", ".git"),
        ("a/.git/.lock", "a/.git"),
        ("a/.x.txt", "a/.x.txt"),
        ("__MACOSX/a/1.txt", "__MACOSX"),
        ("a/__pycache__/1.pyc", "a/__pycache__"),
        ("a/thumbs.DB", "a/thumbs.DB"),
        ("a/desktop.ini", "a/desktop.ini"),
        ("lost+found/1.txt", "lost+found"),
        ("#recycle/a/1.txt", "#recycle"),
        ("a/b.txt", None),
        ("a.b/c.d.txt", None),
        ("_a/__b/~c.txt", None),
        ("../a.txt", None),
    ],
)
def test_what_is_hidden(path, hidden):
    found = hidden_part(PurePosixPath(path))
    assert found == (None if hidden is None else PurePosixPath(hidden))


def test_a_hidden_folder_is_told_once(tmp_path):
    for name in ("a/1.txt", ".git/1", ".git/b/2", "a/.DS_Store"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    seen, told = without_hidden(tmp_path, sorted(path for path in tmp_path.rglob("*") if path.is_file()))
    assert seen == [tmp_path / "a/1.txt"]
    assert sorted(told) == [".git: hidden, with 2 files in it", "a/.DS_Store: hidden"]
