"""Answers that take long, kept under `_build/kept` beside a hash of all that they rest on: content and code.

An answer is one file by its name, so that nothing piles up; where the hash is another, it is worked out again. The
folder may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from trustnlp.reproduce.project import ProjectError, project_root, write_atomic

_FRAME = Path(__file__).parent
_CHECKS = (_FRAME, _FRAME.parent / "evaluation")  # which computes the intervals of records again
_CODE = (".py", ".toml", ".json", ".yaml")
# What files are read, and intervals computed, with.
_LIBRARIES = ("numpy", "pydantic", "pyyaml", "scipy")


def kept(name: str, content: Callable[[], bytes], make: Callable[[], Any], *, code: Sequence[Path] = _CHECKS) -> Any:
    """The answer of `make`, as JSON: anew only where the hash of the content, or of the folders `code`, has changed.

    A name that is a place outside the project keeps nothing.
    """

    def key(*, now: bool = False) -> str:
        return hashlib.sha256(_libraries() + _code_hash(tuple(code), now=now) + content()).hexdigest()

    if Path(name).is_absolute():
        return make()
    try:
        place = project_root() / "_build" / "kept" / f"{name}.json"
    except ProjectError:
        return make()
    asked = key()
    with suppress(OSError, ValueError, TypeError):
        asked_before, answer = json.loads(place.read_text(encoding="utf-8"))
        if asked_before == asked:
            return answer
    answer = make()
    with suppress(OSError):  # a checkout that is only read
        if key(now=True) == asked:  # and nobody edited anything meanwhile
            write_atomic(place, json.dumps([asked, answer], ensure_ascii=False, allow_nan=False))
    return answer


@cache
def _libraries() -> bytes:
    return " ".join([sys.version, *(f"{name} {metadata.version(name)}" for name in _LIBRARIES)]).encode()


@contextmanager
def at_once() -> Iterator[None]:
    """Within it code is looked at once, for a command that takes seconds; before an answer is kept, once more."""
    _SEEN[()] = b""
    try:
        yield
    finally:
        _SEEN.clear()


_SEEN: dict[tuple[Path, ...], bytes] = {}


def _code_hash(folders: tuple[Path, ...], *, now: bool) -> bytes:
    if folders in _SEEN and not now:
        return _SEEN[folders]
    digest = content_hash(path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in _CODE)
    if _SEEN:
        _SEEN.setdefault(folders, digest)
    return digest


def content_hash(paths: Iterable[Path]) -> bytes:
    """Hash of files, by place and content."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.digest()
