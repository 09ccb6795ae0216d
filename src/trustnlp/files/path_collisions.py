"""Before a file is written: is it one that is read, or one that is written besides?

Files are compared by what they are, not by how they are spelt: a link, a second hard link, `../folder/file` and another
case, where the file system takes both for one, are the same file. So are files that do not exist yet, by the folder
that will hold them.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trustnlp.files.atomic_writing import leads_through


class PathCollisionError(ValueError):
    """An output would overwrite an input or another output: which, and what to do."""


def check_distinct(inputs: Mapping[str, Path], outputs: Mapping[str, Path]) -> None:
    """Refuse an output that is an input or another output, lies in a folder that is one, or holds an input.

    Parameters
    ----------
    inputs, outputs
        What each is called → where it is; none needs to exist. Devices and pipes are compared with nothing: what is
        written to them overwrites nothing.

    Raises
    ------
    PathCollisionError
        If two of them collide.
    """
    paths = {name: path for name, path in {**inputs, **outputs}.items() if not _holds_nothing(path)}
    lines = {name: _line(path) for name, path in paths.items()}
    names = list(paths)
    for place, second in enumerate(names):
        for first in names[:place]:
            if second in outputs and not (first in outputs and _both_written_through(paths[first], paths[second])):
                _check_two(first, second, paths, lines, read=first in inputs)
    there = {lines[name][0]: name for name in names if name in outputs and paths[name].is_file()}
    for name in names:
        if there and name in inputs and paths[name].is_dir():
            _check_links_in(name, paths[name], there, paths)


def _check_two(first: str, second: str, paths: Mapping[str, Path], lines: Mapping[str, list[Any]], read: bool) -> None:
    one, two = lines[first], lines[second]
    this, other = f"{first} {paths[first]}", f"{second} {paths[second]}"
    if one[0] == two[0]:
        if read:
            raise PathCollisionError(f"{this} would be overwritten, as {other} is the same file; name another file")
        raise PathCollisionError(f"{this} and {other} are one file, and one would overwrite the other; name two files")
    for inner, outer, holder in ((this, other, two[0] in one), (other, this, one[0] in two)):
        if holder:
            raise PathCollisionError(f"{inner} cannot lie in {outer}; name a place elsewhere")


def _check_links_in(name: str, folder: Path, there: Mapping[Any, str], paths: Mapping[str, Path]) -> None:
    """Whether a link in a folder that is read, or a second hard link, is an output elsewhere."""
    for each in folder.rglob("*"):
        try:
            status = each.stat()
        except OSError:
            continue
        if (other := there.get((status.st_dev, status.st_ino))) is not None:
            raise PathCollisionError(
                f"{each} in {name} would be overwritten, as {other} {paths[other]} is the same file; name another file"
            )


def _holds_nothing(path: Path) -> bool:
    """A device, a pipe or a socket; not a descriptor that a shell has opened on a file, as in `3<>file` or `<file`."""
    return leads_through(path) and not path.is_file()


def _both_written_through(first: Path, second: Path) -> bool:
    """Two outputs that go to descriptors, such as /dev/stdout twice, follow one another there."""
    return leads_through(first) and leads_through(second)


def _line(path: Path) -> list[Any]:
    """The identity of a file, then that of each folder above it."""
    whole = Path(os.path.realpath(path))
    known: list[Any] = []
    folds = False
    for each in (*reversed(whole.parents), whole):
        try:
            status = each.stat()
        except OSError:  # it is still to be made: its name in its folder tells it
            folds = folds or _takes_both_cases(each.parent)
            name = unicodedata.normalize("NFC", each.name).casefold() if folds else each.name
            known.append((known[-1] if known else None, name))
        else:
            known.append((status.st_dev, status.st_ino) if status.st_ino else str(each))
    return known[::-1]


def _takes_both_cases(folder: Path) -> bool:
    """Whether `a` and `A` are one file in an existing folder, judged by names that are there."""
    for each in (folder, *folder.parents):
        if (swapped := each.name.swapcase()) != each.name:
            other = each.with_name(swapped)
            return other.exists() and each.samefile(other)
    return False
