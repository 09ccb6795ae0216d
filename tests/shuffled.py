"""Tests in a random order: which file comes first, and which test of a file.

Tests of a file stay together, since they share what is expensive. The order follows from the seed alone, so that all
workers of pytest-xdist have the same one.
"""

from __future__ import annotations

import random
import secrets
from typing import Any

import pytest

OPTION = "--shuffle"


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, metavar="SEED", help="run tests in the order that SEED gives; 'random' draws a seed")


def draw_seed(config: pytest.Config) -> None:
    """Put a number in the place of 'random': drawn here, or the one that `tell_worker` has handed on."""
    config.option.shuffle = getattr(config, "workerinput", {}).get("shuffle", config.option.shuffle)
    if config.option.shuffle == "random":
        config.option.shuffle = str(secrets.randbelow(1_000_000))
    if config.option.shuffle is not None and not config.option.shuffle.isdecimal():
        raise pytest.UsageError(f"{OPTION} is a whole number or 'random', got {config.option.shuffle!r}")


@pytest.hookimpl(optionalhook=True)
def tell_worker(node: Any) -> None:
    """Hand the seed to a worker of pytest-xdist, which reads the command line anew."""
    node.workerinput["shuffle"] = node.config.option.shuffle


def tell_seed(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end how to have the same order again."""
    if seed := terminalreporter.config.option.shuffle:
        terminalreporter.write_line(f"These tests ran in a random order; for the same one again: {OPTION} {seed}")


def shuffle(items: list[pytest.Item], seed: str) -> None:
    """Put files, and the tests of each, in the order that the seed gives."""
    by_file: dict[str, list[pytest.Item]] = {}
    for item in items:
        by_file.setdefault(item.nodeid.partition("::")[0], []).append(item)
    rng = random.Random(int(seed))
    files = list(by_file.values())
    rng.shuffle(files)
    for tests in files:
        rng.shuffle(tests)
    items[:] = [item for tests in files for item in tests]
