"""Files of a training that are there as a whole or not at all, and that say what is wrong with them in one line."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.files.damage import ARRAYS


@contextmanager
def scratch_for(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to, moved to `path` when the block ends and removed when it fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part.{os.getpid()}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Read `path`; whatever its readers raise on a damaged file becomes one line that says what to do.

    Raises
    ------
    ValueError
        If the file is damaged.
    """
    try:
        yield
    except ARRAYS as error:
        said = str(error).strip().split("\n", 1)[0][:120]
        raise ValueError(
            f"{path} cannot be read ({type(error).__name__}: {said}): it is damaged or was written by something else; "
            "delete it, and what it held is computed again"
        ) from None


def check_zip(path: Path) -> None:
    """Compare every byte with the checksums of a zip, which `.npz` and torch's files are; torch itself does not.

    Raises
    ------
    zipfile.BadZipFile
        If it is no zip, or a member that is not what was written.
    """
    with zipfile.ZipFile(path) as members:
        if (wrong := members.testzip()) is not None:
            raise zipfile.BadZipFile(f"wrong checksum of {wrong}")


def check_settings(path: Path, found: str, wanted: Mapping[str, Any]) -> None:
    """Refuse a file that was written under other settings.

    Parameters
    ----------
    found
        The settings in the file, as JSON.

    Raises
    ------
    ValueError
        If they differ: with the first setting that does.
    """
    with reading(path):
        given = dict(json.loads(found))
    wanted = json.loads(json.dumps(wanted))
    other = [name for name in wanted if given.get(name) != wanted[name]]
    if other:
        raise ValueError(
            f"{path.name} belongs to another training: its {other[0]} is {given.get(other[0])!r}, this one's is "
            f"{wanted[other[0]]!r}; delete the file or use another folder"
        )


def fingerprint(*arrays: NDArray[Any]) -> str:
    """Sixteen hexadecimal digits that change with any value."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]
