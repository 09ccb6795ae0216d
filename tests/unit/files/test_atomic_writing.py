"""Files that are written whole or not at all: what stood there, who may read them, and what an error leaves."""

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

from trustnlp.files import atomic_writing
from trustnlp.files.atomic_writing import check_own, is_scratch, open_private, replacing, replacing_by_name, write_bytes

PLANTED = ".trustnlp-" + "0" * 32 + ".tmp"


def write_by_stream(path: Path, content: bytes) -> None:
    with replacing(path) as stream:
        stream.write(content)


def write_by_name(path: Path, content: bytes) -> None:
    with replacing_by_name(path) as part:
        part.write_bytes(content)


def write_private(path: Path, content: bytes) -> None:
    write_bytes(path, content, private=True)


Writer = Callable[[Path, bytes], None]
every_writer = pytest.mark.parametrize("write", [write_by_stream, write_by_name, write_private])


@pytest.fixture(params=[0o022, 0o000, 0o077], ids=oct)
def umask(request) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@every_writer
def test_a_new_file_its_folders_and_nothing_else(write, tmp_path):
    path = tmp_path / "new" / "deep" / "file.txt"
    write(path, b"one")
    write(path, b"two")
    assert path.read_bytes() == b"two" and list(path.parent.iterdir()) == [path]


# --- who may read them -----------------------------------------------------------------------------------------------


def test_the_umask_decides_on_public_files_alone(umask, tmp_path):
    for write, wanted in ((write_by_stream, 0o666 & ~umask), (write_by_name, 0o666 & ~umask), (write_private, 0o600)):
        write(tmp_path / write.__name__, b"x")
        assert mode(tmp_path / write.__name__) == wanted
    assert os.umask(umask) == umask, "nobody else's umask is changed"


@pytest.mark.parametrize("private", [True, False])
def test_no_moment_at_which_a_file_can_be_read_by_more_people(private, tmp_path, umask):
    """Also while it is written, and also in the place of a file that only its owner could read."""
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(0o644 if private else 0o600)
    with replacing(tmp_path / "file", private=private) as stream:
        stream.write(b"secret")
        stream.flush()
        [scratch] = [path for path in tmp_path.iterdir() if is_scratch(path)]
        assert mode(scratch) == 0o600
    assert mode(tmp_path / "file") == 0o600


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    for write, kept in product((write_by_stream, write_by_name), (0o664, 0o400)):
        path = tmp_path / f"{write.__name__}-{kept}"
        path.write_bytes(b"old")
        path.chmod(kept)
        write(path, b"new")
        assert (mode(path), path.read_bytes()) == (kept, b"new")


# --- what stood there ------------------------------------------------------------------------------------------------


@every_writer
def test_a_link_stays_and_its_target_is_written(write, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to("elsewhere/target")
    (tmp_path / "second").symlink_to(link)
    write(tmp_path / "second", b"new")
    assert (tmp_path / "second").is_symlink() and link.is_symlink() and target.read_bytes() == b"new"
    assert list(target.parent.iterdir()) == [target]


@every_writer
def test_a_link_to_nothing_gets_its_file_but_no_folder(write, tmp_path):
    link, far = tmp_path / "link", tmp_path / "far"
    link.symlink_to(tmp_path / "target")
    write(link, b"new")
    assert link.is_symlink() and (tmp_path / "target").read_bytes() == b"new"
    far.symlink_to(tmp_path / "no disk" / "target")
    with pytest.raises(FileNotFoundError, match="whose folder is not there"):
        write(far, b"new")
    assert not (tmp_path / "no disk").exists()
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    with pytest.raises(OSError, match=r"circle|symbolic links"):
        write(circle, b"new")


@every_writer
def test_a_second_hard_link_keeps_the_old_file(write, tmp_path):
    (tmp_path / "one").write_bytes(b"old")
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    write(tmp_path / "one", b"new")
    assert (tmp_path / "two").read_bytes() == b"old"


@every_writer
def test_a_pipe_is_written_through(write, tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        got: list[bytes] = []
        reader = threading.Thread(target=lambda got=got: got.append(pipe.read_bytes()), daemon=True)
        reader.start()
        write(path, b"new")
        reader.join(timeout=30)
        assert got == [b"new"]
        assert stat.S_ISFIFO(pipe.stat().st_mode) and link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [link, pipe]


@every_writer
def test_a_device_stays_a_device(write, tmp_path):
    node = tmp_path / "node"
    try:
        os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        node.write_bytes(b"")
    except PermissionError:  # only root makes nodes, and not everywhere
        node.unlink(missing_ok=True)
        node.symlink_to(os.devnull)
    write(node, b"new")
    assert stat.S_ISCHR(node.stat().st_mode) and list(tmp_path.iterdir()) == [node]


@pytest.mark.parametrize("name", ["/dev/stdout", "/proc/self/fd/1", "/dev/fd/1", "link"])
def test_standard_output_is_written_after_what_was_printed_before(name, tmp_path):
    """Also where it is a file, which a rename would tear from the shell that opened it."""
    code = (
        "import sys; from trustnlp.files.atomic_writing import write_bytes; print('before'); "
        "write_bytes(sys.argv[1], b'through\\n'); print('after')"
    )
    link, out = tmp_path / "link", tmp_path / "out"
    link.symlink_to("/dev/stdout")
    with out.open("wb") as stream:
        subprocess.run([sys.executable, "-c", code, str(link) if name == "link" else name], stdout=stream, check=True)
    assert out.read_bytes() == b"before\nthrough\nafter\n"
    assert sorted(tmp_path.iterdir()) == [link, out]


@every_writer
def test_a_folder_is_no_file(write, tmp_path):
    with pytest.raises(IsADirectoryError):
        write(tmp_path, b"new")
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        write(tmp_path / "file" / "below", b"new")


@pytest.mark.parametrize("linked", [True, False], ids=["hard links", "without hard links"])
def test_a_new_file_replaces_none_that_appears_meanwhile(linked, tmp_path, monkeypatch):
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(1, "no hard links here")

    if not linked:
        monkeypatch.setattr(os, "link", refused)
    path = tmp_path / "file"
    with pytest.raises(FileExistsError), replacing(path, new=True) as stream:
        stream.write(b"new")
        path.write_bytes(b"somebody else's")
    assert path.read_bytes() == b"somebody else's" and list(tmp_path.iterdir()) == [path]
    write_bytes(tmp_path / "other", b"new", new=True)
    assert (tmp_path / "other").read_bytes() == b"new"


# --- what somebody may have planted ----------------------------------------------------------------------------------


def test_no_name_is_known_before(tmp_path):
    seen: set[str] = set()
    for _ in range(50):
        with replacing(tmp_path / "file"):
            seen |= {path.name for path in tmp_path.iterdir() if is_scratch(path)}
    assert len(seen) == 50


@pytest.mark.parametrize("way", ["symlink", "hardlink", "file"])
def test_a_name_that_was_guessed_is_not_opened(way, tmp_path, monkeypatch):
    """Even somebody who knows the random name gets no more than an error."""
    victim, planted = tmp_path / "victim", tmp_path / PLANTED
    victim.write_bytes(b"mine")
    if way == "file":
        planted.write_bytes(b"")
    else:
        getattr(planted, f"{way}_to")(victim)
    monkeypatch.setattr(atomic_writing, "_scratch_name", lambda: PLANTED)
    with pytest.raises(FileExistsError):
        write_private(tmp_path / "file", b"secret")
    assert victim.read_bytes() == b"mine" and not (tmp_path / "file").exists()


@pytest.mark.parametrize("way", ["symlink", "dangling", "hardlink", "pipe", "folder"])
def test_a_file_with_a_known_name_has_to_be_ours(way, tmp_path):
    victim, place = tmp_path / "victim", tmp_path / "place"
    victim.write_bytes(b"mine")
    {
        "symlink": lambda: place.symlink_to(victim),
        "dangling": lambda: place.symlink_to(tmp_path / "nothing"),
        "hardlink": lambda: place.hardlink_to(victim),
        "pipe": lambda: os.mkfifo(place),
        "folder": lambda: place.mkdir(),
    }[way]()
    with pytest.raises(PermissionError):
        check_own(place)
    with pytest.raises(OSError, match="place"):
        open_private(place, os.O_WRONLY | os.O_CREAT)
    assert victim.read_bytes() == b"mine" and not (tmp_path / "nothing").exists()


def test_a_file_of_an_earlier_run_becomes_private(tmp_path):
    (tmp_path / "place").write_bytes(b"old")
    (tmp_path / "place").chmod(0o644)
    check_own(tmp_path / "place")
    check_own(tmp_path / "nothing")
    os.close(open_private(tmp_path / "place", os.O_RDWR))
    assert mode(tmp_path / "place") == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a pipe somebody else's")
def test_a_private_file_goes_through_no_pipe_of_somebody_else(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    os.chown(tmp_path / "pipe", 65534, 65534)
    listening = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(PermissionError, match="somebody else"):
            write_private(tmp_path / "pipe", b"secret")
        assert os.read(listening, 10) == b""
    finally:
        os.close(listening)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_does_not_take_a_public_file_from_its_owner_nor_give_a_private_one(tmp_path):
    for name, write in (("public", write_by_stream), ("private", write_private)):
        (tmp_path / name).touch()
        os.chown(tmp_path / name, 65534, 65534)
        write(tmp_path / name, b"new")
    assert (tmp_path / "public").stat().st_uid == 65534 and (tmp_path / "private").stat().st_uid == 0


# --- errors ----------------------------------------------------------------------------------------------------------


@every_writer
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("at", ["fsync", "replace"])
def test_an_error_keeps_the_old_file_and_leaves_nothing_else(write, error, at, tmp_path, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise error

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, at, full)
    monkeypatch.setattr(Path, "replace" if at == "replace" else "absent", full, raising=False)
    with pytest.raises(type(error)):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("private", [True, False])
def test_an_error_of_a_full_disk_names_the_file(private, tmp_path, monkeypatch):
    with pytest.raises(OSError, match="/dev/full"):
        write_bytes("/dev/full", b"x" * 10**6, private=private)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for at in ("fsync", "open"):
        with monkeypatch.context() as patch:
            patch.setattr(os, at, full)
            with pytest.raises(OSError, match=r"No space left on device: '.*file\.json'"):
                write_bytes(tmp_path / "file.json", b"x", private=private)
    assert list(tmp_path.iterdir()) == []


def test_a_private_file_that_a_shell_opened_is_private(tmp_path):
    """As in `trustnlp anonymise … --out /dev/fd/3 3>removed.json`."""
    with (tmp_path / "shared").open("wb") as stream:
        for private, wanted in ((False, 0o644), (True, 0o600)):
            (tmp_path / "shared").chmod(0o644)
            write_bytes(f"/dev/fd/{stream.fileno()}", b"x", private=private)
            assert mode(tmp_path / "shared") == wanted
