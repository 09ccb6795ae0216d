"""Write a file whole or not at all, wherever its name leads.

What is written goes to a new file with a random name in the folder of the target, and takes the target's place when it
is complete and on disk. So a reader sees the old file or the new one, an error or an interrupt leaves the old one and
nothing beside it, and nobody can plant a link at a name known in advance.

What stands at the name already decides the rest:

- Nothing, or a regular file: it is replaced, and keeps its permissions and, where that is allowed, its owner.
- A link: it stays, and the file that it leads to is replaced, or made where it leads to nothing.
- A device, a pipe, a socket, a descriptor of a process (`/dev/stdout`): written through, in one go at the end.

A private file can be read by its owner alone from the moment it exists, whatever the umask and whatever stood there.
Others follow the umask.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

PRIVATE = 0o600
_SCRATCH = re.compile(r"\.trustnlp-[0-9a-f]{32}\.tmp")
_DESCRIPTOR = re.compile(r"/(?:proc/(?P<process>\d+)(?:/task/\d+)?|dev)/fd/(?P<number>\d+)")
# A file system that has no hard links, or not this one.
_NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV)
_MOST_LINKS = 40  # one that leads to another, as Linux counts them


def write_bytes(path: str | os.PathLike[str], content: bytes, *, private: bool = False, new: bool = False) -> None:
    """Write a whole file; parameters and errors as for `replacing`."""
    with replacing(path, private=private, new=new) as stream:
        stream.write(content)


@contextmanager
def replacing(path: str | os.PathLike[str], *, private: bool = False, new: bool = False) -> Iterator[IO[bytes]]:
    """A stream whose content becomes the file at `path` when the block ends well.

    Parameters
    ----------
    path
        Missing folders above it are made, but for those that a link leads to.
    private
        For its owner alone.
    new
        Fail rather than replace a file, also one that appears meanwhile.

    Raises
    ------
    FileExistsError
        If a file is there, and `new` was asked for.
    PermissionError
        If a private file would go through a device or pipe of somebody else.
    OSError
        If it cannot be written: a folder, a link to a folder that is not there, a full disk.
    """
    with naming(path):
        if leads_through(path):
            content = io.BytesIO()
            yield content
            _write_through(Path(path), content.getvalue(), private)
            return
        target, before = _target(path)
        scratch = target.with_name(_scratch_name())
        try:
            with os.fdopen(_create(scratch, before, private), "wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            put_in_place(scratch, target, new=new)
        finally:
            scratch.unlink(missing_ok=True)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """An error that names no file, as that of a full disk, or one that nobody knows, gets the name of this one."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and (error.filename is None or is_scratch(Path(os.fsdecode(error.filename)))):
            error.filename, error.filename2 = os.fspath(path), None
        raise


@contextmanager
def replacing_by_name(path: str | os.PathLike[str]) -> Iterator[Path]:
    """As `replacing`, for a writer that takes no stream: the name of a file to write, in a folder of its own.

    The file ends as `path` does. Nobody else can enter the folder, so it makes no difference how the writer opens it.
    """
    through = leads_through(path)
    target, before = (Path(path), None) if through else _target(path)
    folder = Path(tempfile.mkdtemp(prefix=".trustnlp-", dir=None if through else target.parent))
    part = folder / f"whole{target.suffix}"
    try:
        yield part
        if through:
            _write_through(target, part.read_bytes(), private=False)
            return
        with part.open("rb") as stream:
            os.fsync(stream.fileno())
        part.chmod(public_mode() if before is None else stat.S_IMODE(before.st_mode) & 0o777)
        put_in_place(part, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put_in_place(part: Path, target: Path, *, new: bool = False) -> None:
    """Give a complete file its name, at once; with `new`, only where no file has that name.

    Raises
    ------
    FileExistsError
        If a file is there, and `new` was asked for.
    """
    if not new:
        part.replace(target)
        return
    try:
        os.link(part, target)  # unlike a rename, this fails where a file has appeared
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        part.replace(target)
    else:
        part.unlink()


def leads_through(path: str | os.PathLike[str]) -> bool:
    """Whether what is written to `path` goes through it: a device, a pipe, a socket, a descriptor of a process."""
    if _descriptor(Path(path)) is not None:
        return True
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_scratch(path: Path) -> bool:
    """Whether a name is one that a writer of this module left when its process was killed."""
    return _SCRATCH.fullmatch(path.name) is not None


def public_mode() -> int:
    """Permissions of a new file that is not private, by the umask."""
    # The umask cannot be read without being set, for all threads; a file tells as much.
    with tempfile.TemporaryDirectory() as folder:
        descriptor = os.open(Path(folder, "new"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            return stat.S_IMODE(os.fstat(descriptor).st_mode)
        finally:
            os.close(descriptor)


def open_private(path: Path, flags: int) -> int:
    """Open a file that keeps its name over several runs, for its owner alone; the descriptor.

    Raises
    ------
    OSError
        If a link, a device, a file with a second name or of another owner stands there: somebody may have planted it.
    """
    descriptor = os.open(path, flags | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0), PRIVATE)
    try:
        check_own(path, os.fstat(descriptor))
        os.fchmod(descriptor, PRIVATE)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def check_own(path: Path, status: os.stat_result | None = None) -> None:
    """Refuse what somebody else may have planted at a name that is known in advance; nothing there is fine.

    Raises
    ------
    PermissionError
        If given a link, a device, a file with a second name or of another owner.
    """
    if status is None:
        if not os.path.lexists(path):
            return
        status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1 or status.st_uid != os.geteuid():
        raise PermissionError(errno.EPERM, "a link, a device or somebody else's file stands there", str(path))


def _scratch_name() -> str:
    return f".trustnlp-{secrets.token_hex(16)}.tmp"


def _target(path: str | os.PathLike[str]) -> tuple[Path, os.stat_result | None]:
    """The file that a name leads to, and what is there now."""
    named = Path(path)
    try:
        before = named.stat()
    except FileNotFoundError:
        target = Path(os.path.realpath(named))
        # A link that leads nowhere: a disk that is not mounted, more likely than a folder to be made.
        if any(each.is_symlink() for each in (named, *named.parents) if not each.exists()):
            if not target.parent.is_dir():
                said = f"a link to {target}, whose folder is not there"
                raise FileNotFoundError(errno.ENOENT, said, str(named)) from None
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
        return target, None
    if stat.S_ISDIR(before.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(named))
    return Path(os.path.realpath(named)), before


def _create(scratch: Path, before: os.stat_result | None, private: bool) -> int:
    """Open a new file with the permissions that the target is to have, never wider ones on the way."""
    inherited = None if before is None or private else stat.S_IMODE(before.st_mode) & 0o777
    mode = PRIVATE if private else 0o666 if inherited is None else inherited
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(scratch, flags, mode)
    if private:
        os.fchmod(descriptor, PRIVATE)  # a strange umask takes the owner's rights, too
    elif before is not None and inherited is not None:
        with suppress(PermissionError):  # only root gives files away
            os.fchown(descriptor, before.st_uid, before.st_gid)
        os.fchmod(descriptor, inherited)
    return descriptor


def _descriptor(path: Path) -> tuple[int | None, int] | None:
    """Process, None for this one, and number of the descriptor that a name leads to, as `/dev/stdout` does."""
    for _ in range(_MOST_LINKS):
        # The last link of the way is not followed: it names an open file, which may have no other name.
        place = Path(os.path.realpath(path.parent), path.name)
        if descriptor := _DESCRIPTOR.fullmatch(str(place)):
            process = int(descriptor["process"] or os.getpid())
            return (None if process == os.getpid() else process), int(descriptor["number"])
        if not place.is_symlink():
            return None
        path = place.parent / place.readlink()
    return None


def _write_through(path: Path, content: bytes, private: bool) -> None:
    named = _descriptor(path)
    if named is not None and named[0] is None:
        for stream in (sys.stdout, sys.stderr):  # what was printed before comes before
            with suppress(OSError, ValueError):
                stream.flush()
        handle = os.dup(named[1])
    else:
        handle = os.open(path, os.O_WRONLY | os.O_NOCTTY)
    with os.fdopen(handle, "wb") as out:
        if private:
            status = os.fstat(handle)
            if status.st_uid not in (0, os.geteuid()):
                raise PermissionError(errno.EPERM, "a private file goes through no pipe of somebody else", str(path))
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():  # what a shell opened with `3>file`
                os.fchmod(handle, PRIVATE)
        out.write(content)
