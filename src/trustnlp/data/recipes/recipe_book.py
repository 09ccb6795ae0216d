"""Data sets that are made of public files: fetched, each set of them hash-checked, made, and checked as any other.

`recipes.toml` names for each such data set the files of public repositories, pinned to commits, one sha256 over all of
them in their order, and the function that makes the data set's files. What it makes must hash to what the registry
pins, so a recipe either gives the file that every record rests on, or nothing.

[recipe.ted_ur]
make = "corpora:as_published"     # a function of this package
packed = "xz"                     # how its results are compressed: xz (preset 9, extreme), xz9, xz6, or not at all
sha256 = "…"                      # over the bytes of all files in their order
bytes = 1328704
[[recipe.ted_ur.source]]
repository = "ajinkyakulkarni14/TED-Multilingual-Parallel-Corpus"
commit = "53a9087f62daa95840fc81f42d47dec18702e1f3"
files = ["Monolingual_data/Urdu.txt"]         # or "COMMIT:PATH", where each has its own
archive = false                   # whether they are taken out of the repository's zip: for some thousand files
"""

from __future__ import annotations

import fnmatch
import functools
import hashlib
import itertools
import logging
import lzma
import shutil
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from urllib.parse import quote

from tqdm import tqdm

from trustnlp.data import joined_archives, store
from trustnlp.data.logger_levels import at_level
from trustnlp.data.recipes import corpora, tables, vectors
from trustnlp.data.recipes.corpora import SourceFile
from trustnlp.data.registry import DataError, dataset
from trustnlp.files.atomic_writing import write_bytes

__all__ = ["Recipe", "Source", "bring", "places", "recipes"]

logger = logging.getLogger(__name__)
RAW = "https://raw.githubusercontent.com"
ARCHIVES = "https://codeload.github.com"
_TOGETHER = 8  # downloads at once
_MAKERS = {"corpora": corpora, "tables": tables, "vectors": vectors}
_PRESETS = {"xz": 9 | lzma.PRESET_EXTREME, "xz9": 9, "xz6": 6}


@dataclass(frozen=True)
class Source:
    """Files of a public repository. `commit` may be empty where each file names its own: `COMMIT:PATH`."""

    repository: str
    files: tuple[str, ...]
    commit: str = ""
    archive: bool = False

    def pinned(self) -> Iterator[tuple[str, str]]:
        """Commit and path of each file, in their order."""
        for file in self.files:
            commit, _, path = file.partition(":") if not self.commit else (self.commit, "", file)
            yield commit, path


@dataclass(frozen=True)
class Recipe:
    """How the files of a data set are made of those of public repositories; see the head of the module."""

    make: str
    sha256: str
    bytes: int
    sources: tuple[Source, ...]
    packed: str = ""
    options: Mapping[str, str | float] = field(default_factory=dict)


@functools.cache
def recipes() -> dict[str, Recipe]:
    """Data set → its recipe, for those that have one."""
    text = resources.files("trustnlp.data.recipes").joinpath("recipes.toml").read_text(encoding="utf-8")
    book = {}
    for name, fields in tomllib.loads(text)["recipe"].items():
        sources = tuple(Source(**{**each, "files": tuple(each["files"])}) for each in fields.pop("source"))
        book[name] = Recipe(**fields, sources=sources)
    return book


def bring(name: str) -> dict[str, Path]:
    """Fetch any data set into the cache, as `trustnlp.data.store.fetch`; joined or made by its recipe, if need be.

    Raises
    ------
    DataError
        If `fetch` would raise it; or a source cannot be downloaded, is not the pinned one, or gives another file than
        the registry's.
    """
    if name in recipes() and "missing" in store.where(name).values():
        try:
            _make(name, recipes()[name])
        except OSError as error:
            raise DataError(
                f"cannot make {name} in the data cache {store.cache_root()} ({error.strerror or error}); free or "
                f"unlock it, or set TRUSTNLP_CACHE to a folder you can write to"
            ) from error
    return joined_archives.bring(name)


def places(name: str) -> dict[str, str]:
    """As `trustnlp.data.store.where`; a file that is joined or made comes from where its pieces come from."""
    there = joined_archives.places(name)
    return {key: "recipe" if place == "missing" and name in recipes() else place for key, place in there.items()}


def _make(name: str, recipe: Recipe) -> None:
    """Put the files of a data set that its cache lacks where `fetch` looks for them."""
    with store.workspace(f"recipe-{name}"):
        absent = {key for key, place in store.where(name).items() if place == "missing"}
        if not absent:  # another process has made it while this one waited for the lock
            return
        logger.info("making %s of %.1f MB of public files", name, recipe.bytes / 1e6)
        downloads = store.cache_root() / ".sources" / name
        contents = made_of(name, _downloaded(name, recipe, downloads))
        for file in dataset(name).files:
            if file.key in absent:
                write_bytes(store.cache_root() / name / file.filename, contents[file.key])
        shutil.rmtree(downloads)


def made_of(name: str, files: list[SourceFile]) -> dict[str, bytes]:
    """Key → content of the files of a data set, made of its recipe's files.

    Raises
    ------
    DataError
        If the files are not those that the recipe pins, or what is made of them is not what the registry pins.
    """
    recipe = recipes()[name]
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.content)
    if digest.hexdigest() != recipe.sha256:
        raise DataError(
            f"the {len(files)} public files of {name} have sha256 {digest.hexdigest()} together, expected "
            f"{recipe.sha256}; nothing was made of them"
        )
    module, function = recipe.make.split(":")
    plain = getattr(_MAKERS[module], function)(files, **recipe.options)
    content = {}
    for pinned in dataset(name).files:
        if pinned.key not in plain:
            continue
        content[pinned.key] = _packed(recipe, plain[pinned.key], pinned.filename)
        if hashlib.sha256(content[pinned.key]).hexdigest() != pinned.sha256:
            raise DataError(
                f"{pinned.filename}, made of the pinned files of {name}, has another sha256 than the registry's "
                f"{pinned.sha256}; this machine compresses otherwise, or the recipe is broken: please report it"
            )
    return content


def _packed(recipe: Recipe, content: bytes, filename: str) -> bytes:
    if not filename.endswith(".xz"):
        return content
    logger.info("compressing %s (%.1f MB, some 2 MB a second)", filename, len(content) / 1e6)
    return lzma.compress(content, preset=_PRESETS[recipe.packed])


def _downloaded(name: str, recipe: Recipe, downloads: Path) -> list[SourceFile]:
    """The files of a recipe in their order; what came once is in `kept` and does not come again."""
    downloads.mkdir(parents=True, exist_ok=True)
    raw = [(source.repository, *place) for source in recipe.sources if not source.archive for place in source.pinned()]
    with ThreadPoolExecutor(_TOGETHER) as pool:
        fetched = pool.map(functools.partial(_raw, downloads), raw)
        files = iter(list(tqdm(fetched, name, len(raw), unit="file", disable=None, leave=False)))
    listed: list[SourceFile] = []
    for source in recipe.sources:
        archived = source.archive
        listed += (
            _out_of_archive(source, recipe.bytes, downloads) if archived else itertools.islice(files, len(source.files))
        )
    return listed


def _raw(downloads: Path, place: tuple[str, str, str]) -> SourceFile:
    """A file by its repository, commit and path."""
    repository, commit, path = place
    return SourceFile(*place, _download(f"{RAW}/{repository}/{commit}/{quote(path)}", downloads).read_bytes())


def _out_of_archive(source: Source, most: int, downloads: Path) -> list[SourceFile]:
    """The files of the repository's zip that fit one of the patterns in `files`, in the order of their paths."""
    with zipfile.ZipFile(_download(f"{ARCHIVES}/{source.repository}/zip/{source.commit}", downloads)) as archive:
        members = {member.filename.partition("/")[2]: member for member in archive.infolist()}
        fitting = sorted(path for path in members if any(fnmatch.fnmatchcase(path, each) for each in source.files))
        if sum(members[path].file_size for path in fitting) > most:
            raise DataError(f"the zip of {source.repository} holds more than the {most:,} bytes of the recipe")
        return [SourceFile(source.repository, source.commit, path, archive.read(members[path])) for path in fitting]


def _download(url: str, downloads: Path) -> Path:
    """A file of the web, whole or not at all; its content is checked with that of all others of its recipe."""
    import pooch
    import requests

    name = hashlib.sha256(url.encode()).hexdigest()
    try:
        with at_level(pooch.get_logger(), logging.ERROR):
            return Path(pooch.retrieve(url, known_hash=None, fname=name, path=downloads))
    except requests.RequestException as error:
        raise DataError(
            f"could not download {url} ({type(error).__name__}); check the network and try again: what has come is kept"
        ) from error
