"""The files that a command's parameters read and write, and the one check over all of them before it begins.

A parameter says so beside its `typer.Option`: `Annotated[Path, typer.Option(…), Writes((".json",), "the report")]`.
`CheckedTyper` checks the paths of every command before its first line runs: no output is an input, no two outputs are
one file, none lies in a folder that is read, none has the ending of a format that is not written, and what is never
written over is not there yet.
"""

from __future__ import annotations

import inspect
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import typer

_Command = TypeVar("_Command", bound=Callable[..., Any])
TABLES = frozenset({".csv", ".tsv", ".json", ".jsonl", ".html", ".htm", ".xml", ".yaml", ".yml", ".toml"})
NOT_TEXT = frozenset(
    {
        ".7z", ".arrow", ".bin", ".bz2", ".db", ".doc", ".docx", ".feather", ".gz", ".h5", ".hdf5", ".jpg", ".npy",
        ".npz", ".odt", ".ods", ".parquet", ".pdf", ".pickle", ".pkl", ".png", ".pq", ".pt", ".pth", ".rar",
        ".safetensors", ".sqlite", ".tar", ".tgz", ".xls", ".xlsx", ".xz", ".zip", ".zst",
    }
)  # fmt: skip
"""Endings of what no writer of plain text writes."""


def vectors_file(given: str | Path) -> Path | None:
    """The file of word vectors, where it is not the name of a registered set."""
    path = Path(given)
    return path if path.is_file() or path.suffix or len(path.parts) > 1 else None


def module_file(given: str | Path) -> Path | None:
    """The file of MODULE:FUNCTION, where the module is not an installed one."""
    place = str(given).rpartition(":")[0]
    return Path(place) if place.endswith(".py") else None


@dataclass(frozen=True)
class Reads:
    """A parameter that names a file or folder to read; `path_in` finds it in what was given."""

    path_in: Callable[[str | Path], Path | None] = Path


@dataclass(frozen=True)
class Writes:
    """A parameter that names a file or folder to write.

    Attributes
    ----------
    endings
        Of the formats that are written; empty where every name will do.
    what
        What is written, in the words of the message that refuses another ending.
    never
        Endings of what is certainly not written, where `endings` is empty; `like` names the input whose ending is
        allowed nevertheless.
    once
        Why an existing file is never written over; empty where it may be.
    folder
        Whether it is a folder.
    beside
        What is written besides, name → path, by the path of this output.
    unnamed
        Where it is written if the parameter is not given, by what is given.
    """

    endings: tuple[str, ...] = ()
    what: str = "the file"
    never: frozenset[str] = frozenset()
    like: str = ""
    once: str = ""
    folder: bool = False
    beside: Callable[[Path], Mapping[str, Path]] | None = None
    unnamed: Callable[[Mapping[str, Any]], Path] | None = None


REPORT = Writes((".json", ".html"), "the report")
PAGE = Writes((".html",), "the page")


class CheckedTyper(typer.Typer):
    """A `Typer` that checks the paths of each of its commands before it begins."""

    def command(self, *args: Any, **kwargs: Any) -> Callable[[_Command], _Command]:
        register = super().command(*args, **kwargs)

        def registered(command: _Command) -> _Command:
            register(_checked(command))
            return command

        return registered


@cache
def roles_of(command: Callable[..., Any]) -> Mapping[str, Reads | Writes]:
    """Parameter → what it has to do with files, for those that say so."""
    hints = get_type_hints(command, include_extras=True)
    return {name: role for name, hint in hints.items() for role in get_args(hint) if isinstance(role, Reads | Writes)}


def check_paths(command: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse what would lose a file, before anything is computed.

    Raises
    ------
    UserError
        If anything is wrong that the top of this page lists; names the file, and says what to do.
    """
    from trustnlp.files.path_collisions import PathCollisionError, check_distinct
    from trustnlp.reproduce.project import UserError

    inputs: dict[str, Path] = {}
    outputs: dict[str, Path] = {}
    for name, role in roles_of(command).items():
        name_typed = _told(command, name)
        if isinstance(role, Reads):
            if "-" in map(str, _values(given.get(name))):
                raise UserError(f"{name_typed} - is no file; for the standard input give /dev/stdin")
            inputs |= dict(_named(name_typed, filter(None, map(role.path_in, _values(given.get(name))))))
            continue
        if role.unnamed and given.get(name) is None:
            outputs[role.what] = role.unnamed(given)
        for path in _values(given.get(name)):
            _check_ending(Path(path), role, given)
            outputs[name_typed] = Path(path)
            outputs |= role.beside(Path(path)) if role.beside else {}
    try:
        check_distinct(inputs, outputs)
    except PathCollisionError as error:
        raise UserError(str(error)) from None
    for name, role in roles_of(command).items():
        if isinstance(role, Writes):  # after the collisions: nobody is to be told to delete the input
            for path in _values(given.get(name)):
                _check_place(Path(path), role)


def _checked(command: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        given = inspect.signature(command).bind(*args, **kwargs).arguments
        check_paths(command, given)
        writes = any(given.get(name) for name, role in roles_of(command).items() if isinstance(role, Writes))
        if not command.__module__.startswith("trustnlp.tools."):
            return command(*args, **kwargs)
        with _in_options(command), _printed_last() if writes else nullcontext():
            return command(*args, **kwargs)

    return run


@contextmanager
def _in_options(command: Callable[..., Any]) -> Iterator[None]:
    """A message that a function wrote for Python speaks of the command's options."""
    from trustnlp.reproduce.option_names import in_options
    from trustnlp.reproduce.project import UserError

    try:
        yield
    except UserError as error:
        raise UserError(in_options(str(error), inspect.signature(command).parameters)) from None


@contextmanager
def _printed_last() -> Iterator[None]:
    """Hold back what is printed until files are written: a reader that has closed (`| head`) costs none of them."""
    held = io.StringIO()
    try:
        with redirect_stdout(held):
            yield
    finally:
        sys.stdout.write(held.getvalue())


def _values(given: Any) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, list | tuple) else [given]


def _named(told: str, paths: Iterator[Path]) -> Iterator[tuple[str, Path]]:
    several = list(paths)
    for number, path in enumerate(several, start=1):
        yield (told if len(several) == 1 else f"{told} {number}"), path


def _told(command: Callable[..., Any], name: str) -> str:
    """A parameter by the name that a person types: `--out`, or `IN`."""
    for each in get_args(get_type_hints(command, include_extras=True)[name]):
        if isinstance(each, typer.models.ArgumentInfo):
            return str(each.metavar or name).strip("[].")
    return f"--{name.strip('_').replace('_', '-')}"


def _check_ending(path: Path, role: Writes, given: Mapping[str, Any]) -> None:
    from trustnlp.files.atomic_writing import leads_through
    from trustnlp.reproduce.project import UserError

    ending = path.suffix
    if role.endings and ending not in role.endings and (ending or not leads_through(path)):
        raise UserError(f"{path}: {role.what} is written as {' or '.join(role.endings)}, by the ending of its name")
    if ending.lower() in role.never and not (role.like and ending == Path(given[role.like]).suffix):
        raise UserError(f"{path}: {role.what} is not written as {ending}; name a file that ends otherwise")


def _check_place(path: Path, role: Writes) -> None:
    """Whether there is a place to write to, and nothing in it that has to stay."""
    from trustnlp.files.atomic_writing import leads_through
    from trustnlp.reproduce.project import UserError

    if leads_through(path):
        if role.once and path.is_file() and path.stat().st_size:  # a descriptor that is open on a file
            raise UserError(f"{path} leads to a file that holds something; {role.once}")
        return
    if role.once and path.exists():
        raise UserError(f"{path} exists; {role.once}")
    for link in (path, *path.absolute().parents):
        if link.is_symlink() and not link.exists():
            leads_to = Path(os.path.realpath(link))
            if link != path or not leads_to.parent.is_dir() or leads_to.is_symlink():
                raise UserError(f"{path}: {link} is a link that leads nowhere; mend it or name another file")
    if path.is_dir() and not role.folder:
        raise UserError(f"{path} is a folder; name a file")
    if path.is_file() and role.folder:
        raise UserError(f"{path} is a file; name a folder")
    above = next(folder for folder in path.absolute().parents if folder.exists())
    if not above.is_dir():
        raise UserError(f"{path}: {above} is a file, so nothing can be written into it")
