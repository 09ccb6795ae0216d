"""Fields and habits of the models of the book's files, and pydantic's errors in words for whoever wrote the file."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from operator import getitem
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from trustnlp.reproduce.project import UserError, nearest

_TYPES = {
    "string_type": "text", "int_type": "a whole number", "float_type": "a number", "bool_type": "true or false",
    "none_required": "nothing", "list_type": "a list", "tuple_type": "a list",
    "dict_type": "a mapping", "model_type": "a mapping",
}  # fmt: skip
_SIGNS = {"greater_than_equal": "≥ {ge}", "greater_than": "> {gt}"}
# Pattern → what it asks for, in words.
_MEANT: dict[str, str] = {}
Place = tuple[str | int, ...]
USELESS = "is not used by this kind of entry; remove it, or change 'kind' or 'type'"


class Misfit(UserError, ValueError):  # noqa: N818 - it reads as what is wrong
    """A fault that a model's own check sees, at a place within it."""

    def __init__(self, text: str, *place: str | int) -> None:
        super().__init__(text)
        self.place = place


class Model(BaseModel):
    """A mapping of a file: its fields and no others, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _only_known(cls, given: Any) -> Any:
        if isinstance(given, dict) and cls.model_config.get("extra") == "forbid":
            known = [name for name, field in cls.model_fields.items() if not field.exclude]
            for name in given:
                if name not in known:
                    raise Misfit(f"unknown field '{name}'{nearest(name, known) or '; known are ' + ', '.join(known)}")
        return given

    def has(self, name: str) -> bool:
        """Whether the file says a field; of a field of a field (`paper.text`), `paper` has to be said."""
        first, _, rest = name.partition(".")
        return first in self.model_fields_set and (not rest or getattr(self, first).has(rest))

    def one_of(self, *names: str) -> Self:
        """Refuse what has none of these fields."""
        if not any(map(self.has, names)):
            raise Misfit(f"lacks {' or '.join(map(repr, names))}")
        return self

    def together(self, *pairs: tuple[str, str]) -> Self:
        """Refuse the first of a pair without the second."""
        for name, other in pairs:
            if self.has(name) and not self.has(other):
                raise Misfit(f"'{name}' needs '{other}' beside it")
        return self

    def fits(self, needs: str, useless: str) -> Self:
        """Refuse what lacks a field that it needs, or has one that says nothing there.

        Of a field that an entry may leave out (`paper.text`), the inner one is needed only where the outer one is.
        """
        for name in useless.split():
            if self.has(name):
                raise Misfit(USELESS, *name.split("."))
        for name in needs.split():
            outer, _, inner = name.rpartition(".")
            if not self.has(name) and (not outer or self.has(outer)):
                raise Misfit(f"lacks '{inner}'", *filter(None, [outer]))
        return self


def like(pattern: str, meant: str) -> Any:
    """Text of a pattern, which messages put in words."""
    _MEANT[pattern] = meant
    return Field(pattern=pattern)


def _once(values: list[Any]) -> list[Any]:
    if len({json.dumps(value) for value in values}) < len(values):
        raise Misfit(f"expected no entry twice, got {_short(values)}")
    return values


OUT: Any = None  # of a field that may be left out, but not be null
Text = Annotated[str, Field(min_length=1)]
Id = Annotated[str, like("^[A-Za-z0-9][A-Za-z0-9._-]*$", "an id of letters, digits, dot, dash and underscore")]
Two = Annotated[list[Text], Field(min_length=2, max_length=2)]
Number = int | float
Once = AfterValidator(_once)
Sha256 = Annotated[str, like("^[0-9a-f]{64}$", "a sha256 of 64 hexadecimal digits")]


def most_telling(document: Any, error: ValidationError) -> str:
    """Place of an error and what was expected there, of the one nearest to the top, and how many there are besides."""
    by_place: dict[Place, list[Mapping[str, Any]]] = {}
    for one in error.errors(include_url=False, include_input=False):
        by_place.setdefault(_place(document, one), []).append(one)
    # Of a choice (text, or a mapping) an error within says that this was chosen.
    ways = {place: errors for place, errors in by_place.items() if not _only_other_type(place, errors, by_place)}
    place = min(ways, key=len)
    more = f" (and {len(ways) - 1} more)" if len(ways) > 1 else ""
    return f"{_in_words(document, place)}: {_expected(ways[place], reduce(getitem, place, document))}{more}"


def _only_other_type(place: Place, errors: Sequence[Mapping[str, Any]], found: Collection[Place]) -> bool:
    within = any(len(other) > len(place) and other[: len(place)] == place for other in found)
    return within and all(error["type"] in _TYPES for error in errors)


def _place(document: Any, error: Mapping[str, Any]) -> Place:
    """Where in the document: without the names of choices, and of fields that are not there."""
    place: list[str | int] = []
    for step in (*error["loc"], *getattr(error.get("ctx", {}).get("error"), "place", ())):
        if step == "[key]":
            return tuple(place[:-1])
        if (isinstance(document, dict) and step in document) or (isinstance(document, list) and isinstance(step, int)):
            place.append(step)
            document = document[step]
    return tuple(place)


def _in_words(document: Any, place: Place) -> str:
    """JSON path such as `claims[3].paper.value`, with the id of the entry it stands in where there is one."""
    text, entry = "", ""
    for step in place:
        document = document[step]
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
        if isinstance(document, dict) and isinstance(document.get("id"), str):
            entry = f" (id {document['id']})"
    return (text.lstrip(".") or "top level") + entry


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _expected(errors: Sequence[Mapping[str, Any]], given: Any) -> str:
    """The errors at one place in words for the person who wrote the file."""
    types = dict.fromkeys(_TYPES[error["type"]] for error in errors if error["type"] in _TYPES)
    error = next((error for error in errors if error["type"] not in _TYPES), None)
    if error is None:
        if len(types) > 1 and "a number" in types:
            types.pop("a whole number", None)
        return f"expected {' or '.join(types)}, got {_short(given)}"
    context = error.get("ctx", {})
    match error["type"]:
        case "missing":
            return f"lacks '{error['loc'][-1]}'"
        case "literal_error" | "enum":
            choices = re.findall(r"'([^']*)'", context["expected"])
            if not choices:  # one value that is no text
                return f"expected {context['expected'].lower()}, got {_short(given)}"
            hint = nearest(given, choices) if isinstance(given, str) else ""
            return f"expected one of {', '.join(map(_short, choices))}; got {_short(given)}{hint}"
        case "string_pattern_mismatch":
            bad = error["loc"][-2] if error["loc"][-1] == "[key]" else given
            return f"expected {_MEANT[context['pattern']]}, got {_short(bad)}"
        case "too_short" | "string_too_short":
            return "must not be empty"
        case kind if kind in _SIGNS:
            return f"expected a number {_SIGNS[kind].format(**context)}, got {_short(given)}"
        case _:
            return " ".join(str(context.get("error", error["msg"])).split())[:200]
