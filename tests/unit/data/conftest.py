"""What the tests of data share: files in place of fetched ones, a cache of one's own, and a pip."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from trustnlp.data import wheels


@pytest.fixture
def offer(tmp_path, monkeypatch) -> Callable[..., Path]:
    """Put files, by key, in the place of those that a reader's module fetches; gives the folder that they are in."""

    def put(module: ModuleType, **contents: str | bytes) -> Path:
        for key, content in contents.items():
            (tmp_path / key).write_bytes(content.encode() if isinstance(content, str) else content)
        monkeypatch.setattr(module, "fetch", lambda name: {key: tmp_path / key for key in contents})
        return tmp_path

    return put


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TRUSTNLP_MIRROR", raising=False)
    return tmp_path / "cache"


class FakePip:
    """Stands for pip: a real process that copies NAME-VERSION.whl from its folder to --dest, or fails in its words."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.words = folder, folder / "words"
        self.words.write_text("ERROR: no matching distribution")
        (folder / "log").touch()
        (folder / "pip.py").write_text(
            "import pathlib, shutil, sys\n"
            f"folder = pathlib.Path({str(folder)!r})\n"
            "with (folder / 'log').open('a') as log: print(sys.argv[-1], file=log)\n"
            "wheel = folder / (sys.argv[-1].replace('==', '-') + '.whl')\n"
            "if not wheel.exists(): sys.exit((folder / 'words').read_text())\n"
            "shutil.copy(wheel, sys.argv[sys.argv.index('--dest') + 1])\n"
        )

    def asked(self) -> list[str]:
        return (self.folder / "log").read_text().split()


@pytest.fixture
def pip(tmp_path, monkeypatch) -> FakePip:
    (tmp_path / "pip").mkdir()
    monkeypatch.setattr(wheels, "_pip", lambda: [sys.executable, str(tmp_path / "pip" / "pip.py")])
    return FakePip(tmp_path / "pip")
