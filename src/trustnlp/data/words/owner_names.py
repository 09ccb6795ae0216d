"""Names of the owners of documents, from a list whose rule is written above it (`owner_names.toml`)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True)
class OwnerNames:
    """By what an owner can be told.

    >>> OwnerNames("Zynga", ("zynga",)).names
    ('zynga',)

    Attributes
    ----------
    name
        What a reader would search for.
    names
        Names in any case, this one among them unless it is an ordinary word.
    cased
        Names that are also ordinary words, as they are written.

    Raises
    ------
    ValueError
        If there is no name, or one that is empty.
    """

    name: str
    names: tuple[str, ...] = ()
    cased: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.strip() or not all(each.strip() for each in (*self.names, *self.cased)):
            raise ValueError(f"a name is empty; got {self.name!r} with {self.names} and {self.cased}")
        if not (self.names or self.cased):
            raise ValueError(f"{self.name!r} has no name to look for; list at least itself")


def read_owner_names(documents: str) -> dict[str, OwnerNames]:
    """Owner → names, for `policies` or `procurement`.

    Raises
    ------
    ValueError
        If there is no list for such documents.
    """
    listed = tomllib.loads(resources.files("trustnlp.data.words").joinpath("owner_names.toml").read_text("utf-8"))
    if documents not in listed:
        raise ValueError(f"names are listed for {' and '.join(listed)}, got {documents!r}")
    return {
        owner: OwnerNames(entry["name"], tuple(entry.get("names", ())), tuple(entry.get("cased", ())))
        for owner, entry in listed[documents].items()
    }
