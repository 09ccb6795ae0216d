"""Files of the user that a reader deep below cannot read: told in one line, where it would end in a traceback."""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from pathlib import Path


def explained(error: Exception) -> str | None:
    """What is wrong with a mirror's manifest or an archive that made a reader raise `error`; None if it is neither."""
    if isinstance(error, EOFError | zlib.error | gzip.BadGzipFile):
        return f"a compressed file is damaged ({error}); get or pack it again"
    if isinstance(error, UnicodeDecodeError | csv.Error):
        return manifest_problem()
    if isinstance(error, RuntimeError) and "encrypted" in str(error):  # all that zipfile says of a password
        return f"an archive cannot be read without a password; unpack it, and give what it holds ({error})"
    if isinstance(error, NotImplementedError) and "compression" in str(error):
        return f"an archive cannot be unpacked here; pack it again as an ordinary zip file ({error})"
    return None


def manifest_problem() -> str | None:
    """What is wrong with the manifest of TRUSTNLP_MIRROR, or None where it can be read."""
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
