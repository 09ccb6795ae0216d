"""Hidden files and folders: what counts as hidden, and how much is told of it."""

from pathlib import PurePosixPath

from trustnlp.files.hidden_files import hidden_part, without_hidden


def test_what_is_hidden():
    hidden = [".git/config", ".x.txt", "__MACOSX/a/1.txt", "thumbs.DB", "lost+found/1.txt", "#recycle/a/1.txt"]
    assert [str(hidden_part(PurePosixPath("a", path))) for path in hidden] == [
        f"a/{path.split('/')[0]}" for path in hidden
    ]
    for path in ("a/b.txt", "a.b/c.d.txt", "_a/__b/~c.txt", "../a.txt"):
        assert hidden_part(PurePosixPath(path)) is None


def test_a_hidden_folder_is_told_once(tmp_path):
    for name in ("a/1.txt", ".git/1", ".git/b/2", "a/.DS_Store"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    seen, told = without_hidden(tmp_path, sorted(path for path in tmp_path.rglob("*") if path.is_file()))
    assert seen == [tmp_path / "a/1.txt"]
    assert sorted(told) == [".git: hidden, with 2 files in it", "a/.DS_Store: hidden"]
