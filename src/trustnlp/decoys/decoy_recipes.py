"""Decoys by name, from declarations: `decoys.toml` beside this module, or a file of the same format.

The format is described at the head of `decoys.toml`. A key of a recipe is a field of the class of its kind, so what the
class refuses is refused here too, with the recipe's name before it.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from importlib import resources
from pathlib import Path
from typing import Any

from trustnlp.decoys.kept_decoys import Length, Removal
from trustnlp.decoys.planted_decoys import Both, Decoy
from trustnlp.decoys.written_decoys import IndicatorWords, Position, Replacement
from trustnlp.files.user_text import TextFileError, check_levels, read_text

KINDS: Mapping[str, type[Decoy]] = {
    "indicator_words": IndicatorWords,
    "position": Position,
    "replacement": Replacement,
    "removal": Removal,
    "length": Length,
    "both": Both,
}
# Lists with an entry for each class. TOML has no null, so "" is a class without one.
_BY_CLASS = ("by_class", "places")


def load_recipes(path: Path | None = None) -> dict[str, Decoy]:
    """Decoys by name, in the order of the file; by default those that come with the package, for SST-2.

    >>> load_recipes()["movie"].words
    ('movie',)

    Raises
    ------
    ValueError
        If the file is no TOML, or a recipe has an unknown kind, an unknown or missing key, a value that its kind
        refuses, or parts that are no recipes. The message names the recipe and the key, and the nearest name that is
        known.
    """
    source = resources.files(__package__).joinpath("decoys.toml") if path is None else Path(path)
    try:
        raw = tomllib.loads(source.read_text(encoding="utf-8"))
        simple = {name: _decoy(name, entry) for name, entry in raw.items() if _kind(name, entry) is not Both}
        both = {
            name: _decoy(name, _with_parts(name, entry, simple)) for name, entry in raw.items() if name not in simple
        }
    except ValueError as error:
        raise ValueError(f"{source.name}: {error}") from None
    return {name: {**simple, **both}[name] for name in raw}


def read_recipes(path: Path) -> dict[str, Decoy]:
    """Decoys by name, of a user's file; see `load_recipes`, whose errors it raises.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    try:
        text = read_text(path)
        try:
            check_levels(text)
            raw = tomllib.loads(text)
        except ValueError as error:
            raise ValueError(f"not a file of recipes: {error}") from None
        simple = {name: _decoy(name, entry) for name, entry in raw.items() if _kind(name, entry) is not Both}
        return {name: simple.get(name) or _decoy(name, _with_parts(name, entry, simple)) for name, entry in raw.items()}
    except TextFileError:
        raise
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def recipe(name: str, recipes: Mapping[str, Decoy] | None = None) -> Decoy:
    """One decoy by name, of those given or else of those that come with the package.

    >>> recipe("movie").name
    'movie'

    Raises
    ------
    ValueError
        If there is no such recipe; the nearest name is suggested.
    """
    known = load_recipes() if recipes is None else recipes
    if name not in known:
        raise ValueError(f"no recipe is called {name!r}{_nearest(name, known)}")
    return known[name]


def _kind(name: str, entry: Any) -> type[Decoy]:
    if not isinstance(entry, dict):
        raise ValueError(f"recipe {name!r} is {entry!r}; a recipe is a table, [{name}], with kind and description")
    if "kind" not in entry:
        raise ValueError(f"recipe {name!r}: key 'kind' is missing; there are {', '.join(sorted(KINDS))}")
    kind = str(entry["kind"])
    if kind not in KINDS:
        raise ValueError(f"recipe {name!r}: kind {kind!r} is unknown{_nearest(kind, KINDS)}")
    return KINDS[kind]


def _decoy(name: str, entry: Mapping[str, Any]) -> Decoy:
    kind = _kind(name, entry)
    known = {field.name: field.default for field in fields(kind) if field.name != "name"}
    settings = {key: value for key, value in entry.items() if key != "kind"}
    for key in settings:
        if key not in known:
            raise ValueError(
                f"recipe {name!r}: key {key!r} is unknown for kind {entry['kind']!r}{_nearest(key, known)}"
            )
    for key, default in known.items():
        if key not in settings and (default is MISSING or key == "description"):
            raise ValueError(f"recipe {name!r}: key {key!r} is missing; kind {entry['kind']!r} needs it")
    description = settings["description"]
    if not isinstance(description, str) or len(description.strip().splitlines()) != 1:
        raise ValueError(f"recipe {name!r}: description is one line of text, got {description!r}")
    try:
        return kind(name=name, **{key: _value(key, value) for key, value in settings.items()})
    except ValueError as error:
        raise ValueError(f"recipe {name!r}: {error}") from None


def _value(key: str, value: Any) -> Any:
    if not isinstance(value, list):
        return value
    return tuple(None if key in _BY_CLASS and entry == "" else entry for entry in value)


def _with_parts(name: str, entry: Mapping[str, Any], known: Mapping[str, Decoy]) -> dict[str, Any]:
    """The recipe of `both` with decoys in place of their names."""
    parts = entry.get("parts", [])
    if not isinstance(parts, list):
        raise ValueError(f"recipe {name!r}: parts is a list of names of recipes, got {parts!r}")
    for part in parts:
        if part not in known:
            raise ValueError(f"recipe {name!r}: part {part!r} is no recipe of another kind{_nearest(str(part), known)}")
    return {**entry, **({"parts": [known[part] for part in parts]} if parts else {})}


def _nearest(name: str, known: Iterable[str]) -> str:
    """Ending of an error message: the known name that is most like the given one, and all of them."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.0)
    return f"; did you mean {near[0]!r}? There are {', '.join(names)}" if near else "; there are none"
