"""Whether a failure of another program comes from a full disk, of which that program says something else."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path

_LEAST = 2**20  # bytes; with less, next to nothing can be written
_WORDS = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT), f"Errno {errno.ENOSPC}")


def full_disk(*places: Path, told: str = "", needed: int = _LEAST) -> str | None:
    """A sentence that names the full disk, or None.

    Parameters
    ----------
    places
        Files or folders that were to be written, beside those for temporary files.
    told
        What the other program said: it may have made room again when it failed.
    needed
        Bytes that were to be written.
    """
    for place in (*places, Path(tempfile.gettempdir())):
        standing = next(each for each in (place.absolute(), *place.absolute().parents) if each.exists())
        if (free := shutil.disk_usage(standing).free) < needed:
            room = f" ({free / 1e6:.1f} MB are free, {needed / 1e6:.1f} needed)" if needed > _LEAST else ""
            return f"the disk that holds {standing} is full{room}; make room, or name another place"
    if any(words in told for words in _WORDS):
        named = " or ".join(dict.fromkeys(str(place) for place in (*places, Path(tempfile.gettempdir()))))
        return f"the disk that holds {named} is full; make room, or name another place"
    return None
