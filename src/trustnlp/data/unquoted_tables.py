"""Tables whose cells are parted by tabs and never quoted, read as they stand.

A reader that takes quotation marks for quoting joins lines where a cell begins with one, and loses rows without a word:
189 pairs of the Microsoft paraphrase corpus, which has such cells.
"""

from __future__ import annotations

from pathlib import Path

_MARK = "\ufeff"


def read_unquoted(
    path: Path, columns: int, *, header: str | None = None, marked: bool = False, ended: bool = True
) -> list[list[str]]:
    """The rows below the header, each a list of its cells.

    Only a line feed ends a line (a carriage return before it is dropped): signs of Unicode that do elsewhere occur
    inside texts.

    Parameters
    ----------
    columns
        Cells of every row.
    header
        The first line, where the table has one.
    marked
        Whether the file starts with a byte order mark.
    ended
        Whether the last line has an end.

    Raises
    ------
    ValueError
        If not UTF-8, a byte order mark too many, cut off, without rows, or a line of another form; names file and line.
    """
    content = path.read_bytes().decode("utf-8")
    if marked:
        content = content.removeprefix(_MARK)
    if content.startswith(_MARK):
        raise ValueError(f"{path.name} starts with a byte order mark, which would become part of its first cell")
    if ended and not content.endswith("\n"):
        raise ValueError(f"{path.name} ends in the middle of a line")
    lines = [line.removesuffix("\r") for line in content.removesuffix("\n").split("\n")]
    if header is not None and lines[0] != header:
        raise ValueError(f"{path.name} has the header {lines[0]!r}, expected {header!r}")
    first = 0 if header is None else 1
    rows = [line.split("\t") for line in lines[first:]]
    if not rows:
        raise ValueError(f"{path.name} has no rows")
    for number, row in enumerate(rows, start=first + 1):
        if len(row) != columns:
            raise ValueError(f"{path.name}, line {number}: {len(row)} columns, expected {columns}")
    return rows
