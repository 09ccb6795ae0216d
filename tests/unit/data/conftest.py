"""What the tests of work in two processes share."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

from trustnlp.data.annotation import second_process


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let this process begin when the second one has finished a number of items or has ended, whichever is quicker."""
    here, may_begin = threading.current_thread(), threading.Event()
    take, feed = second_process._take, second_process._feed
    left = 0

    def taken(todo: deque[int]) -> int | None:
        nonlocal left
        if threading.current_thread() is here:
            assert may_begin.wait(240), "the second process has not done its items"
        elif left == 0:
            may_begin.set()
        else:
            left -= 1
        return take(todo)

    def fed(*given: Any) -> None:
        try:
            feed(*given)
        finally:
            may_begin.set()

    def until(finished: int) -> None:
        nonlocal left
        left = finished
        monkeypatch.setattr(second_process, "_take", taken)
        monkeypatch.setattr(second_process, "_feed", fed)

    return until
