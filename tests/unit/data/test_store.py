"""Fetching: the order of places, every check, and nothing half written, on small files and a wheel made here."""

import functools
import hashlib
import http.server
import logging
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from refusals import assert_refused

from trustnlp.data import store, wheels
from trustnlp.data.registry import DataError, DataFile, Dataset, WheelMember
from trustnlp.data.store import cache_root, fetch, hashes, mirror_root, where

ONE, TWO = b"one " * 1000, b"two " * 500


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def data_file(key: str, content: bytes, **sources: object) -> DataFile:
    return DataFile(key, sha256(content), len(content), **sources)


A_IN_MIRROR = data_file("a", ONE, mirror="toy/one.txt")


@pytest.fixture
def register(monkeypatch, cache) -> Callable[..., None]:
    """Put data sets, each a name with its files, in place of the shipped registry."""

    def put(**sets: tuple[DataFile, ...]) -> None:
        known = {
            name: Dataset(name, "title", files, "a licence", "terms", "citation", "a.b", (), "none")
            for name, files in sets.items()
        }
        monkeypatch.setattr(store, "dataset", known.__getitem__)
        monkeypatch.setattr(store, "load_registry", lambda: known)

    return put


@pytest.fixture
def toy_mirror(tmp_path, monkeypatch, cache) -> Path:
    root = tmp_path / "mirror"
    (root / "toy").mkdir(parents=True)
    (root / "toy" / "one.txt").write_bytes(ONE)
    (root / "toy" / "two.txt").write_bytes(TWO)
    rows = [f"toy/one.txt\t{len(ONE)}\t{sha256(ONE)}", f"toy/two.txt\t{len(TWO)}\t{sha256(TWO)}"]
    (root / "MANIFEST.tsv").write_text("\n".join(["path\tbytes\tsha256", *rows, ""]))
    monkeypatch.setenv("TRUSTNLP_MIRROR", str(root))
    return root


def assert_nothing_half_written(cache: Path, name: str) -> None:
    assert not (cache / name).exists()
    assert [path for path in (cache / ".parts").rglob("*") if path.is_file()] == []


# --- the order of places ---------------------------------------------------------------------------------------------


def test_mirror_then_cache(register, toy_mirror, cache):
    register(toy=(A_IN_MIRROR, data_file("b", TWO, mirror="toy/two.txt")))
    assert where("toy") == {"a": "mirror", "b": "mirror"}
    assert not cache.exists(), "where() must not write"
    paths = fetch("toy")
    assert paths == {"a": cache / "toy" / "one.txt", "b": cache / "toy" / "two.txt"}
    assert (paths["a"].read_bytes(), paths["b"].read_bytes()) == (ONE, TWO)
    assert where("toy") == {"a": "cache", "b": "cache"}
    assert hashes("toy") == {"a": sha256(ONE), "b": sha256(TWO)}
    shutil.rmtree(toy_mirror)  # the cache is complete: nothing else is looked at
    assert fetch("toy") == paths


def test_where_names_the_source(register):
    in_wheel = data_file("w", ONE, wheel=WheelMember("pkg", "1.0", "pkg/one.txt", "0" * 64, 1), mirror="toy/one.txt")
    at_url = data_file("u", TWO, url="https://example.org/two.txt")
    register(toy=(in_wheel, at_url, data_file("m", b"x", mirror="toy/x")))
    assert where("toy") == {"w": "wheel", "u": "url", "m": "missing"}


def test_the_default_cache_is_in_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("TRUSTNLP_CACHE", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_root() == tmp_path / ".cache" / "trustnlp"


# --- damage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damaged", [ONE[:-1], ONE[:-1] + b"!"])
def test_a_damaged_cached_file_is_fetched_again(register, toy_mirror, damaged, caplog):
    register(toy=(A_IN_MIRROR,))
    fetch("toy")["a"].write_bytes(damaged)
    assert where("toy") == {"a": "mirror"}
    with caplog.at_level(logging.WARNING):
        assert fetch("toy")["a"].read_bytes() == ONE
    assert "one.txt in the cache is damaged" in caplog.text


def test_a_damaged_cached_file_is_discarded_even_when_nothing_replaces_it(register, toy_mirror, monkeypatch):
    register(toy=(A_IN_MIRROR,))
    path = fetch("toy")["a"]
    path.write_bytes(b"junk")
    monkeypatch.delenv("TRUSTNLP_MIRROR")
    with pytest.raises(DataError, match="no public source, and TRUSTNLP_MIRROR is not set"):
        fetch("toy")
    assert not path.exists()


def test_a_damaged_mirror_file(register, toy_mirror, cache):
    register(toy=(A_IN_MIRROR,))
    (toy_mirror / "toy" / "one.txt").write_bytes(ONE[:-1])
    with pytest.raises(DataError, match=r"toy/one.txt in the mirror is damaged.*trustnlp data fetch toy"):
        fetch("toy")
    assert_nothing_half_written(cache, "toy")


def test_a_mirror_that_lacks_the_file(register, toy_mirror):
    def attempt(content: bytes, name: str) -> None:
        register(toy=(data_file("a", content, mirror=f"toy/{name}.txt"),))
        fetch("toy")

    (toy_mirror / "toy" / "two.txt").unlink()
    rows = [
        (ONE, "gone", r"manifest does not list toy/gone.txt.*licence: a licence"),
        (TWO, "two", "lists toy/two.txt, but the file is not there"),
        (b"newer", "one", "the mirror has another version of toy/one.txt"),
    ]
    assert_refused(attempt, rows, error=DataError)


def test_a_mirror_that_is_none(register, tmp_path, monkeypatch):
    register(toy=(A_IN_MIRROR,))
    monkeypatch.setenv("TRUSTNLP_MIRROR", str(tmp_path))
    for call in (fetch, where):
        with pytest.raises(DataError, match=r"has no MANIFEST.tsv; point it at a mirror of the data, or unset it"):
            call("toy")
    (tmp_path / "MANIFEST.tsv").write_text("file\tsize\n")
    with pytest.raises(DataError, match="has no columns 'path' and 'sha256'"):
        fetch("toy")
    monkeypatch.setenv("TRUSTNLP_MIRROR", str(tmp_path / "absent"))
    with pytest.raises(DataError, match="is not a folder"):
        mirror_root()


def test_a_full_disk(register, toy_mirror, cache, monkeypatch):
    register(toy=(A_IN_MIRROR,))

    def full(source: Path, target: Path) -> None:
        target.write_bytes(ONE[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(DataError, match=r"cannot write to the data cache .*No space left on device"):
        fetch("toy")
    assert_nothing_half_written(cache, "toy")


# --- concurrency and interruption ------------------------------------------------------------------------------------

# Run in another process: registers one data set that is in the mirror, then does as its argument says.
PROCESS = """
import hashlib, os, shutil, signal, sys, time
from trustnlp.data import store as module
from trustnlp.data.registry import DataFile, Dataset
sha, size, how = sys.argv[1], int(sys.argv[2]), sys.argv[3]
file = DataFile("a", sha, size, mirror="toy/one.txt")
entry = Dataset("toy", "t", (file,), "l", "t", "c", "a.b", (), "r")
module.dataset, module.load_registry = lambda name: entry, lambda: {"toy": entry}
real = shutil.copyfile
def copy(source, target):
    if how == "die":
        target.write_bytes(source.read_bytes()[:100])
        os.kill(os.getpid(), signal.SIGKILL)
    print("copied", flush=True)
    time.sleep(0.1)
    real(source, target)
shutil.copyfile = copy
path = module.fetch("toy")["a"]
print(hashlib.sha256(path.read_bytes()).hexdigest())
"""


def process(how: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROCESS, sha256(ONE), str(len(ONE)), how]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_processes_that_fetch_at_once_copy_once(toy_mirror):
    running = [process("fetch") for _ in range(4)]
    said = [one.communicate(timeout=60) for one in running]
    assert [one.returncode for one in running] == [0] * 4, said
    lines = [line for out, _ in said for line in out.split()]
    assert lines.count("copied") == 1
    assert lines.count(sha256(ONE)) == 4


def test_a_killed_fetch_leaves_nothing_that_is_used(toy_mirror, cache):
    killed = process("die")
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert not (cache / "toy").exists(), "half a file under its final name"
    out, errors = process("fetch").communicate(timeout=60)
    assert out.split() == ["copied", sha256(ONE)], errors
    assert list((cache / ".parts").rglob("*")) == []


# --- wheels ----------------------------------------------------------------------------------------------------------


def write_wheel(path: Path, **members: bytes) -> bytes:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pkg/__init__.py", "raise RuntimeError('a data wheel must never be imported')")
        for name, content in members.items():
            archive.writestr(f"pkg/data/{name}.txt", content)
    return path.read_bytes()


@pytest.fixture
def wheel(pip) -> Path:
    return pip.folder / "pkg-1.0.whl"


def files_of(wheel: bytes) -> dict[str, tuple[DataFile, ...]]:
    """Two data sets in one wheel, of one and of two files."""
    member = WheelMember("pkg", "1.0", "pkg/data/one.txt", sha256(wheel), len(wheel))
    one = data_file("a", ONE, wheel=member)
    return {"first": (one,), "second": (one, data_file("b", TWO, wheel=replace(member, member="pkg/data/two.txt")))}


def test_a_shared_wheel_is_downloaded_once_and_never_imported(register, pip, wheel, cache):
    register(**files_of(write_wheel(wheel, one=ONE, two=TWO)))
    assert fetch("first")["a"].read_bytes() == ONE
    assert fetch("second")["b"].read_bytes() == TWO
    assert pip.asked() == ["pkg==1.0"]
    assert [path.name for path in (cache / "wheels").iterdir()] == ["pkg-1.0.whl"]
    assert "pkg" not in sys.modules


def test_a_wheel_of_one_data_set_is_not_kept(register, pip, wheel, cache):
    register(second=files_of(write_wheel(wheel, one=ONE, two=TWO))["second"])
    assert set(fetch("second")) == {"a", "b"}
    assert len(pip.asked()) == 1 and list((cache / "wheels").iterdir()) == []


def test_a_truncated_kept_wheel_is_downloaded_again(register, pip, wheel, cache):
    content = write_wheel(wheel, one=ONE, two=TWO)
    register(**files_of(content))
    fetch("first")
    (cache / "wheels" / "pkg-1.0.whl").write_bytes(content[:-10])
    assert fetch("second")["b"].read_bytes() == TWO
    assert len(pip.asked()) == 2


def test_a_truncated_or_foreign_wheel_is_refused(register, wheel, cache):
    content = write_wheel(wheel, one=ONE, two=TWO)
    register(**files_of(content))

    def attempt(served: bytes) -> None:
        wheel.write_bytes(served)
        fetch("first")

    rows = [
        (content[:-10], r"the wheel of pkg==1.0 has .* bytes, expected .*: truncated or another build"),
        (content[:-1] + b"!", "the package index serves another build"),
    ]
    assert_refused(attempt, rows, error=DataError)
    assert_nothing_half_written(cache, "first")
    assert list((cache / "wheels").iterdir()) == []


def test_a_member_with_another_hash_is_refused(register, wheel, cache):
    register(**files_of(write_wheel(wheel, one=ONE[::-1])))
    with pytest.raises(DataError, match=r"one.txt from its source is not 4,000 bytes with sha256 .* was thrown away"):
        fetch("first")
    assert_nothing_half_written(cache, "first")


def test_pip_failures_are_told_without_addresses(register, pip):
    register(**files_of(b""))
    pip.words.write_text(
        "WARNING: retrying\nERROR: Could not find pkg==1.0 at https://user:secret@index.example/simple/pkg/ (none)"
    )
    with pytest.raises(DataError, match=r"pip could not download pkg==1.0 .*Could not find.*<address>") as caught:
        fetch("first")
    assert not any(word in str(caught.value) for word in ("secret", "index.example", "retrying"))


def test_without_pip(monkeypatch):
    monkeypatch.setattr(wheels.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(wheels.shutil, "which", lambda name: "/usr/bin/pip3" if name == "pip3" else None)
    assert wheels._pip() == ["/usr/bin/pip3"]
    monkeypatch.setattr(wheels.shutil, "which", lambda name: None)
    with pytest.raises(DataError, match=r"this Python has no pip module .*python -m ensurepip"):
        wheels._pip()


def test_a_hanging_pip_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(wheels, "_pip", lambda: [sys.executable, "-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(wheels, "_PIP_SECONDS", 0.2)
    with pytest.raises(DataError, match=r"pip was still downloading pkg==1.0"):
        wheels.download_wheel(WheelMember("pkg", "1.0", "pkg/x", "0" * 64, 1), tmp_path)


def with_entry(content: bytes, archive: Path, name: str, mode: int = 0) -> None:
    """The archive, with an entry more whose name is past the constructor, which would tidy it."""
    archive.write_bytes(content)
    entry = zipfile.ZipInfo("x")
    entry.filename, entry.external_attr = name, mode << 16
    with zipfile.ZipFile(archive, "a") as box:
        box.writestr(entry, "/etc/passwd")


def test_path_traversal_and_links_are_refused(tmp_path):
    archive = tmp_path / "box" / "evil.zip"
    archive.parent.mkdir()
    content = write_wheel(archive, one=ONE)

    def attempt(name: str, mode: int) -> None:
        with_entry(content, archive, name, mode)
        wheels.extract_member(archive, "pkg/data/one.txt", tmp_path / "box" / "out", len(ONE))

    names = [("../evil.txt", 0), ("/evil.txt", 0), ("pkg/../../evil.txt", 0), ("pkg\\..\\evil.txt", 0)]
    rows = [(*name, r"unsafe entry .*nothing was unpacked") for name in [*names, ("pkg/link", 0o120777)]]
    assert_refused(attempt, rows, error=DataError)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["box", "evil.zip"]


def test_other_members_and_damaged_archives_are_refused(tmp_path):
    content = write_wheel(tmp_path / "a.zip", one=ONE)

    def attempt(archive: bytes, member: str, size: int) -> None:
        (tmp_path / "a.zip").write_bytes(archive)
        wheels.extract_member(tmp_path / "a.zip", f"pkg/data/{member}.txt", tmp_path / "out", size)

    rows = [
        (content, "two", 1, "has no member 'pkg/data/two.txt'"),
        (content, "one", 3, "has 4,000 bytes, expected 3"),
        (content[:100], "one", len(ONE), "a.zip is damaged"),
        (content.replace(b"one one", b"one 0ne", 1), "one", len(ONE), r"a.zip is damaged \(Bad CRC"),
    ]
    assert_refused(attempt, rows, error=DataError)


# --- urls ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def address(toy_mirror, monkeypatch) -> Iterator[str]:
    """Where a server gives out the files of the mirror."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(toy_mirror / "toy"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_url_is_downloaded_and_checked(register, address, cache):
    register(
        toy=(data_file("a", ONE, url=f"{address}/one.txt"),),
        other=(data_file("a", TWO, url=f"{address}/one.txt"),),
        gone=(data_file("a", TWO, url=f"{address}/gone.txt"),),
        down=(data_file("a", TWO, url="http://127.0.0.1:9/two.txt"),),
    )
    assert fetch("toy")["a"].read_bytes() == ONE
    rows = [
        ("other", r"one.txt is not the pinned file .*it was thrown away"),
        ("gone", r"could not download .*gone.txt \(HTTPError\); check the network, or set"),
        ("down", r"could not download .*ConnectionError"),
    ]
    assert_refused(fetch, rows, error=DataError)
    assert [path.name for path in cache.iterdir() if not path.name.startswith(".")] == ["toy"]
    assert_nothing_half_written(cache, "other")


def test_a_mirror_file_of_another_version_is_no_obstacle_when_there_is_a_source(register, address, caplog):
    register(both=(data_file("a", TWO, url=f"{address}/two.txt", mirror="toy/one.txt"),))
    with caplog.at_level(logging.WARNING):
        assert fetch("both")["a"].read_bytes() == TWO
    assert "the mirror has another version of toy/one.txt" in caplog.text
