"""Whether paper runs are parts of one whole: the same run but for the lists that they divide, and each cell once.

Every check raises a `UserError` that names the part, and what was expected of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.runs.params import SEEDS, NotebookParams, question

Parts = Mapping[str, Mapping[str, Any]]
# Fields that must be the same in all parts, in the words of the person who has to mend it.
_SAME = {
    "sources": "code",
    "data": "data",
    "environment": "versions",
    "device": "device",
    "precision": "precision",
    "repeats": "declared exactness",
    "conditions": "conditions",
}


def other_parameters(given: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Parameters of a part that are not those of the whole; a list may hold a part of the whole's, in its order."""
    names = [*asked, *(name for name in given if name not in asked)]
    return [name for name in names if not (name in given and name in asked and _within(given[name], asked[name]))]


def _within(given: Any, asked: Any) -> bool:
    if given == asked or not (given and isinstance(asked, list)):
        return bool(given == asked)
    return bool(given == [item for item in asked if item in given])


def check_part(name: str, part: Mapping[str, Any], entry: NotebookParams, asked: Mapping[str, Any]) -> None:
    """Refuse what is no clean paper run of the notebook, or was given what the whole is not."""
    if (part["chapter"], part["notebook"]) != (entry.chapter, entry.name):
        raise UserError(
            f"{name}: is a run of {part['chapter']}/{part['notebook']}, not of {entry.chapter}/{entry.name}"
        )
    if part["profile"] != "paper":
        raise UserError(f"{name}: is a smoke run; only runs with `--profile paper` are evidence")
    if part["git_dirty"]:
        raise UserError(f"{name}: was made with uncommitted changes; commit them and run it again")
    given = question(part["parameters"])
    other = other_parameters(given, asked)
    if other:
        differences = "; ".join(f"{key} is {given.get(key)!r}, the whole has {asked.get(key)!r}" for key in other)
        raise UserError(f"{name}: is no part of this: {differences}")


def check_same(parts: Parts, split: Sequence[str]) -> None:
    """Refuse parts of which one was made in another way than the first.

    Parts that divide another list than the seeds, such as corpora, may have read different data, but no two versions
    of any.
    """
    (first, model), *others = parts.items()
    for name, part in others:
        for field, word in _SAME.items():
            mine, theirs = part[field], model[field]
            if field == "data" and set(split) - {SEEDS}:
                both = mine.keys() & theirs.keys()
                mine, theirs = ({key: read[key] for key in both} for read in (mine, theirs))
            if mine == theirs:
                continue
            difference = f"{mine!r} and {theirs!r}"
            if isinstance(mine, dict):
                keys = sorted(mine.keys() | theirs.keys())
                difference = ", ".join(key or "all" for key in keys if mine.get(key) != theirs.get(key))
            raise UserError(f"{name}: was made with other {word} than {first} ({difference}); run one of them again")


def check_cells(parts: Parts, split: Sequence[str], asked: Mapping[str, Any]) -> None:
    """Each cell of the whole must be in one part, and in no other."""
    holder: dict[tuple[Any, ...], str] = {}
    for name, part in parts.items():
        for cell in product(*(part["parameters"][key] for key in split)):
            if cell in holder:
                raise UserError(f"{holder[cell]} and {name} both hold {_cell(split, cell)}; leave one of them out")
            holder[cell] = name
    missing = [cell for cell in product(*(asked[key] for key in split)) if cell not in holder]
    if missing:
        examples = "; ".join(_cell(split, cell) for cell in missing[:3])
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise UserError(f"no part holds {examples}{more}; run what is missing and join again")


def _cell(split: Sequence[str], cell: tuple[Any, ...]) -> str:
    return ", ".join(f"{name} {value}" for name, value in zip(split, cell, strict=True)) or "the whole"


def check_declared(entry: NotebookParams, split: Sequence[str]) -> None:
    """Refuse to divide by a list of which nobody said which metrics need all of it."""
    for name in split:
        if name not in entry.parts:
            raise UserError(
                f"params.yaml does not say that runs of {entry.chapter}/{entry.name} may be divided by '{name}' (it "
                f"says: {', '.join(entry.parts) or 'none'}): which metrics need all of it? "
                f"Declare them as `parts: {{{name}: [first names]}}`, or [] if none does"
            )


def check_seeds(parts: Parts, split: Sequence[str]) -> None:
    """Refuse values of other seeds than the part was given."""
    first = next(iter(parts.values()))
    for name, part in parts.items():
        expected = part["parameters"][SEEDS] if SEEDS in split else first[SEEDS]
        if part[SEEDS] != expected:
            raise UserError(f"{name}: its values are of the seeds {part[SEEDS]}, expected {expected}")
