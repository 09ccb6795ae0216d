"""Tests read real data where they say so, and from a mirror: what one machine's cache happens to hold decides nothing.

A test marked `mirror`, or that asks for the fixture, is skipped where there is no mirror. Any other test sees none, and
fails when it fetches a data set that a stranger's machine could not get from the package index alone.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from trustnlp.data import store

VARIABLE = "TRUSTNLP_MIRROR"
_BESIDE = Path(__file__).parents[2] / "shared" / "data"
_GIVEN = os.environ.get(VARIABLE)
_CACHE = store.cache_root()
_running, _permitted = "the collection of tests", False


def mirror_folder() -> Path | None:
    """The folder that TRUSTNLP_MIRROR names, else the one beside the project, if it is there."""
    if _GIVEN:
        return Path(_GIVEN)
    return _BESIDE.resolve() if _BESIDE.is_dir() else None


@contextmanager
def during(test: str, mirror: Path | None, *, permitted: bool) -> Iterator[None]:
    """Name `test` in messages. If `permitted`, the mirror is set and any data set may be fetched; else neither."""
    global _running, _permitted
    before, given = (_running, _permitted), os.environ.pop(VARIABLE, None)
    _running, _permitted = test, permitted
    if permitted and mirror is not None:
        os.environ[VARIABLE] = str(mirror)
    try:
        yield
    finally:
        _running, _permitted = before
        os.environ.pop(VARIABLE, None)
        if given is not None:
            os.environ[VARIABLE] = given


def guard() -> None:
    """Watch `fetch` in this process. Readers take it by name, so this comes before any of them is imported."""
    fetch = store.fetch

    @functools.wraps(fetch)
    def guarded(name: str) -> dict[str, Path]:
        # A test with a cache of its own has put there what it reads.
        if not _permitted and store.cache_root() == _CACHE:
            entry = store.load_registry().get(name)
            if entry is not None and any(file.wheel is None for file in entry.files):
                # Not an Exception: code that does without missing data must not hide that it asked.
                pytest.fail(f"{_running} reads the data set {name!r}, which no wheel holds: mark the test `mirror`")
        return fetch(name)

    store.fetch = guarded
