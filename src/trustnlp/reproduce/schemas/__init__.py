"""Readers of the book's files, whose errors are one line: file, place, what was expected. Models: the modules here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, NoReturn

import yaml
from pydantic_core import ValidationError

from trustnlp.files.user_text import TextFileError, parse_json, read_text
from trustnlp.reproduce.kept_answers import kept
from trustnlp.reproduce.project import UserError, shown
from trustnlp.reproduce.records.plain_values import MOST_LEVELS, unfit
from trustnlp.reproduce.schemas.fields import Model, most_telling


class SchemaError(UserError):
    """A record, ledger or parameter file does not follow its schema; the message is one line of a bearable length."""

    def __init__(self, message: str) -> None:
        super().__init__(message if len(message) <= 900 else f"{message[:600]} … {message[-200:]}")


@cache
def _models() -> dict[str, type[Model]]:
    from trustnlp.reproduce.runs.params import ChapterParams
    from trustnlp.reproduce.schemas.ledger import Ledger
    from trustnlp.reproduce.schemas.record import Record

    return {"record": Record, "claims": Ledger, "params": ChapterParams}


def validate(document: Any, name: str, source: Path | str, **context: Any) -> Model:
    """A document as the model of `name` ("record", "claims" or "params"); `context` is for the model's checks.

    Raises
    ------
    SchemaError
        If anything does not fit: `source: place: what was expected, what was given`, for the most telling of the
        errors.
    """
    try:
        return _models()[name].model_validate(document, context=context)
    except ValidationError as error:
        raise SchemaError(f"{_named(source)}: {most_telling(document, error)}") from None


def _named(source: Path | str) -> str:
    return shown(source) if isinstance(source, Path) else source


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


def load_yaml(path: Path, schema: str | None = None) -> Any:
    """Read a YAML file, and check it against a schema; every error is one `SchemaError` line. Nobody may change it."""
    return _document(path, schema, _text(path))


@lru_cache(maxsize=64)
def _document(path: Path, schema: str | None, text: str) -> Any:
    # A short file is parsed as soon as what was kept of it is found.
    parse = partial(parse_yaml, text, path)
    document = parse() if len(text) < 5_000 else kept(shown(path), text.encode, parse)
    if schema:
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
    where = _named(source)
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
    """Python's reason why it cannot read a file, on one line."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if "integer string conversion" in str(error):
        return "a whole number has thousands of digits; expected at most 19"
    return " ".join(str(error).split()) or type(error).__name__


def load_json(path: Path, check: Callable[[Any], object]) -> Any:
    """Read a JSON file strictly (no NaN, no infinity); `check` is asked of each content once."""

    def refuse(constant: str) -> NoReturn:
        raise SchemaError(f"{shown(path)}: holds {constant}; expected finite numbers only")

    def finite(digits: str) -> float:
        return number if math.isfinite(number := float(digits)) else refuse(digits)

    def checked() -> bool:
        try:
            read = parse_json(text, parse_constant=refuse, parse_float=finite)
        except json.JSONDecodeError as error:
            raise SchemaError(f"{shown(path)}: line {error.lineno}: not valid JSON ({error.msg})") from None
        except (RecursionError, ValueError) as error:
            raise SchemaError(f"{shown(path)}: not valid JSON: {_reason(error)}") from None
        check(_plain(read, shown(path)))
        return True

    text = _text(path)
    kept(shown(path), text.encode, checked)
    return json.loads(text)
