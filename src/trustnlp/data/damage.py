"""One way to tell that a file of a data set is damaged, or is not what its registry entry says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from trustnlp.data.registry import DataError
from trustnlp.files.damage import PARSED


@contextmanager
def as_described(name: str, paths: Mapping[str, Path]) -> Iterator[None]:
    """Run a reader of the data set `name`; what its parsers complain about becomes one kind of error.

    Raises
    ------
    DataError
        If the block raised what parsers raise on a damaged file. A DataError of its own passes unchanged.
    """
    try:
        yield
    except PARSED as error:
        files = ", ".join(path.name for path in paths.values())
        raise DataError(
            f"{name}: {files} cannot be read as the registry describes it ({type(error).__name__}: {error}); delete it "
            f"from the cache and run `trustnlp data fetch {name}`"
        ) from error
