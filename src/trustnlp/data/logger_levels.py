"""Loggers of other packages, kept quiet for as long as we call them: the level is the caller's to choose."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_level(logger: logging.Logger, level: int) -> Iterator[None]:
    """Let a logger tell nothing below `level` within; afterwards it has the level that it had."""
    before = logger.level
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.setLevel(before)
