"""The published JSON Schemas (draft 2020-12), and readers whose errors are one line: file, place, what was expected."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NoReturn

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from trustnlp.files.user_text import TextFileError, parse_json, read_text
from trustnlp.reproduce.project import UserError, nearest, shown
from trustnlp.reproduce.records.plain_values import MOST_LEVELS, unfit

_TYPES = {
    "object": "a mapping", "array": "a list", "string": "text", "number": "a number",
    "integer": "a whole number", "boolean": "true or false", "null": "nothing",
}  # fmt: skip


class SchemaError(UserError):
    """A record, ledger or parameter file does not follow its schema; the message is one line of a bearable length."""

    def __init__(self, message: str) -> None:
        super().__init__(message if len(message) <= 900 else f"{message[:600]} … {message[-200:]}")


@cache
def _validator(name: str) -> Draft202012Validator:
    text = resources.files(__name__).joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def validate(document: Any, name: str, source: Path | str) -> None:
    """Check a document against the schema `name` ("record", "claims" or "params").

    Raises
    ------
    SchemaError
        `source: place: what was expected, what was given`, for the most telling of the errors.
    """
    errors = list(_validator(name).iter_errors(document))
    if not errors:
        return
    error = best_match(errors)
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    where = shown(source) if isinstance(source, Path) else source
    raise SchemaError(f"{where}: {_place(document, error.absolute_path)}: {_expectation(error)}{more}")


def _place(document: Any, path: Sequence[str | int]) -> str:
    """JSON path such as `claims[3].paper.value`, with the id of the entry it stands in where there is one."""
    text, entry = "", ""
    for step in path:
        document = document[step]
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
        if isinstance(document, dict) and isinstance(document.get("id"), str):
            entry = f" (id {document['id']})"
    return (text.lstrip(".") or "top level") + entry


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def _expectation(error: ValidationError) -> str:
    """What one schema error means to the person who wrote the file."""
    wanted, given = error.validator_value, error.instance
    match error.validator:
        case "type":
            names = [wanted] if isinstance(wanted, str) else wanted
            return f"expected {' or '.join(_TYPES[name] for name in names)}, got {_short(given)}"
        case "required":
            missing = next(field for field in wanted if field not in given)
            return f"lacks '{missing}'"
        case "additionalProperties":
            known = error.schema.get("properties", {})
            extra = next(field for field in given if field not in known)
            return f"unknown field '{extra}'{nearest(extra, known) or '; known are ' + ', '.join(known)}"
        case "enum":
            hint = nearest(given, [str(choice) for choice in wanted]) if isinstance(given, str) else ""
            return f"expected one of {', '.join(map(_short, wanted))}; got {_short(given)}{hint}"
        case "const":
            return f"expected {_short(wanted)}, got {_short(given)}"
        case "pattern":
            return f"expected {error.schema.get('$comment', f'text like {wanted}')}, got {_short(given)}"
        case "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum":
            sign = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
            return f"expected a number {sign[error.validator]} {wanted}, got {_short(given)}"
        case "minItems" | "minLength" | "minProperties":
            return "must not be empty"
        case "uniqueItems":
            return f"expected no entry twice, got {_short(given)}"
        case "dependentRequired":
            field, missing = next((f, m) for f, ms in wanted.items() if f in given for m in ms if m not in given)
            return f"'{field}' needs '{missing}' beside it"
        case "not":  # `{"not": {}}` allows nothing: a field of another kind. (`false` would lose the field's name.)
            return "is not used by this kind of entry; remove it, or change 'kind' or 'type'"
        case _:
            return " ".join(error.message.split())[:200]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe YAML whose mapping keys stay the text that was typed (row `1` is "1"), each at most once."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.constructor.ConstructorError(None, None, "a key must be plain text", key.start_mark)
        if key.value in seen:
            raise yaml.constructor.ConstructorError(None, None, f"key '{key.value}' stands twice", key.start_mark)
        seen.add(key.value)
    loader.flatten_mapping(node)  # merges `<<: *anchor`
    return {key.value: loader.construct_object(value, deep=True) for key, value in node.value}


def _float(loader: _Loader, node: yaml.ScalarNode) -> float:
    value = float(loader.construct_yaml_float(node))
    if not math.isfinite(value):
        raise yaml.constructor.ConstructorError(None, None, "expected a finite number", node.start_mark)
    return value


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_constructor("tag:yaml.org,2002:float", _float)
# YAML 1.1 reads 1e-3 as text; everybody who types it means the number.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789")
)


def load_yaml(path: Path, schema: str) -> Any:
    """Read a YAML file and check it against a schema; every error is one `SchemaError` line."""
    document = parse_yaml(_text(path), path)
    validate(document, schema, path)
    return document


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except FileNotFoundError:
        raise SchemaError(f"{shown(path)}: no such file") from None
    except TextFileError as error:
        raise SchemaError(str(error).replace(str(path), shown(path))) from None
    except OSError as error:
        raise SchemaError(f"{shown(path)}: cannot be read: {error.strerror or error}") from None


def parse_yaml(text: str, source: Path | str) -> Any:
    """YAML text to plain Python values; duplicate keys, NaN and syntax errors are refused with their line."""
    where = shown(source) if isinstance(source, Path) else source
    try:
        line = _too_deep(text)
        document = None if line else yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise SchemaError(f"{where}: line {line}: {error.problem or 'not valid YAML'}") from None
    except yaml.reader.ReaderError as error:
        raise SchemaError(f"{where}: character {error.position}: {error.reason}; expected plain text") from None
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        raise SchemaError(f"{where}: not valid YAML: {_reason(error)}") from None
    if line:
        raise SchemaError(f"{where}: line {line}: nested deeper than {MOST_LEVELS} levels")
    return _plain(document, where)


def _too_deep(text: str) -> int | None:
    """Line where YAML text nests too deeply: libyaml's loader would end the process on a few thousand levels."""
    level = 0
    for event in yaml.parse(text, Loader=_Loader):
        level += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if level > MOST_LEVELS:
            return event.start_mark.line + 1 if event.start_mark else 1
    return None


def _plain(document: Any, where: str) -> Any:
    if problem := unfit(document):
        raise SchemaError(f"{where}: {problem}")
    return document


def _reason(error: Exception) -> str:
    """What Python says of a file it cannot read, on one line."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if "integer string conversion" in str(error):
        return "a whole number has thousands of digits; expected at most 19"
    return " ".join(str(error).split()) or type(error).__name__


def load_json(path: Path, schema: str) -> Any:
    """Read a JSON file strictly (no NaN, no infinity) and check it against a schema."""

    def refuse(constant: str) -> NoReturn:
        raise SchemaError(f"{shown(path)}: holds {constant}; expected finite numbers only")

    def finite(digits: str) -> float:
        return number if math.isfinite(number := float(digits)) else refuse(digits)

    try:
        document = parse_json(_text(path), parse_constant=refuse, parse_float=finite)
    except json.JSONDecodeError as error:
        raise SchemaError(f"{shown(path)}: line {error.lineno}: not valid JSON ({error.msg})") from None
    except (RecursionError, ValueError) as error:
        raise SchemaError(f"{shown(path)}: not valid JSON: {_reason(error)}") from None
    validate(_plain(document, shown(path)), schema, path)
    return document
