"""A list worked through by this process and, beside it, a second one.

The second process is a fresh Python that takes items from the same list as this process. It is not forked, as a lock
that another thread holds would stay locked in it for ever, and not started by `multiprocessing`, which runs the script
that called us once more where that has no ``if __name__ == "__main__"``. Items and results are pickled and go through
its standard input and output, one at a time.

Nothing waits for it. What it has taken and not finished when nothing else is left is done here again, so a second
process that is slow to start, killed or stuck costs time, and never the result.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, TypeVar

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

logger = logging.getLogger(__name__)


def share(start: Callable[[], Callable[[_Item], _Result]], items: Sequence[_Item]) -> Iterator[_Result]:
    """Results of `start()` for each item, in the order of the items.

    Parameters
    ----------
    start
        Called once in each of the two processes; what it returns is called with one item at a time, and gives the same
        in both. It can be pickled: a function of a module, or a `functools.partial` of one.
    items
        What can be pickled, as can the results.

    Raises
    ------
    Exception
        If the work raises it here. An item on which the second process fails is tried here.
    """
    todo = deque(range(len(items)))
    done: dict[int, _Result] = {}
    with tempfile.TemporaryFile() as errors, _python(errors) as process:
        given = (process, start, items, todo, done)
        feeder = threading.Thread(target=_feed, args=given, name="second process", daemon=True)
        feeder.start()
        try:
            work = start()
            for position in range(len(items)):
                while position not in done:
                    mine = _take(todo)
                    if mine is None:  # the second process has taken this one: do not wait for it
                        mine = position
                    done[mine] = work(items[mine])
                yield done.pop(position)
            if process.poll() is not None:
                logger.warning("%s; the first did the rest alone", _end_of(process.returncode, errors))
        finally:
            process.kill()
            feeder.join()
            with contextlib.suppress(OSError):  # what it did not read
                process.stdin.close()  # type: ignore[union-attr]


def _python(errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """A Python that finds the modules this one finds."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import _serve; _serve()"
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-u", "-P", "-c", code], stdin=pipe, stdout=pipe, stderr=errors)


def _take(todo: deque[int]) -> int | None:
    try:
        return todo.popleft()
    except IndexError:
        return None


def _feed(
    process: subprocess.Popen[bytes],
    start: Callable[[], Any],
    items: Sequence[Any],
    todo: deque[int],
    done: dict[int, Any],
) -> None:
    """Keep the second process at work until nothing is left, or it has ended."""
    taken = None

    def ask(message: object) -> Any:
        pickle.dump(message, process.stdin)  # type: ignore[arg-type]
        process.stdin.flush()  # type: ignore[union-attr]
        return pickle.load(process.stdout)  # type: ignore[arg-type]

    try:
        ask(start)  # it takes nothing before it is ready
        while (taken := _take(todo)) is not None:
            done[taken] = ask(items[taken])
    except (OSError, EOFError, pickle.UnpicklingError):  # it has ended, perhaps in the middle of an answer
        if taken is not None:
            todo.appendleft(taken)
        process.wait()


def _end_of(code: int, errors: IO[bytes]) -> str:
    if code < 0:
        return f"the second process was killed by signal {-code}; one that is killed has often run out of memory"
    errors.seek(0)
    last = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
    return f"the second process ended with status {code} ({last})"


def _serve() -> None:
    """The second process: answer what comes from the first, until that ends it or is itself at an end."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints here shall not speak in between

    def answer(result: object) -> None:
        pickle.dump(result, answers)
        answers.flush()

    work = pickle.load(sys.stdin.buffer)()
    answer("ready")
    while True:
        try:
            item = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        answer(work(item))
