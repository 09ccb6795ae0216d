"""A gate where notebooks wait until a test lets them through: what a test interrupts is under way because it said so.

No outcome depends on a clock. That a notebook has begun is a line it writes, that it goes on is a byte the test
gives, and the end of a process is told by the system. `BACKSTOP` bounds each wait; to reach it is a failure.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

BACKSTOP = 600.0  # seconds; a sweep took half of that at a load of 23 on two cores

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="waits for processes by their pidfd")

# Lines of a cell. Only runs that a gate has started see the variable; all others walk past.
AT_THE_GATE = """
import os
if gate := os.environ.get("TINY_GATE"):
    with open(f"{gate}/arrived", "w") as arrived:
        print(os.getpid(), os.getppid(), file=arrived)
    with open(f"{gate}/passes", "rb", buffering=0) as passes:
        assert passes.read(1), "the test has ended"
"""


@dataclass(frozen=True)
class Arrival:
    """A notebook that waits at the gate: its kernel, and the worker process that executes it."""

    kernel: int
    worker: int
    ends: tuple[int, int]  # their pidfds, opened while both were alive: no other process can be taken for them

    def wait_for_end(self) -> None:
        """Return when the kernel and its worker have both ended."""
        for name, end in zip(("kernel", "worker"), self.ends, strict=True):
            _wait_for([end], f"the end of the {name} of a notebook that was interrupted")


class Gate:
    """Starts commands whose notebooks wait at the gate, and lets them through one by one."""

    def __init__(self, folder: Path) -> None:
        self._environment = {**os.environ, "TINY_GATE": str(folder)}
        self._started: list[subprocess.Popen[str]] = []
        for name in ("arrived", "passes"):
            os.mkfifo(folder / name)
        # For reading and writing: a FIFO opened so does not wait for its other end, nor is it at its end while none is.
        self._arrived, self._passes = (os.open(folder / name, os.O_RDWR) for name in ("arrived", "passes"))
        self._pidfds: list[int] = []

    def start(self, command: Sequence[str]) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell that runs pytest in the background has it ignore Ctrl-C, and that is inherited.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self._started.append(process)
        return process

    def arrival(self, command: subprocess.Popen[str]) -> Arrival:
        """Wait for the next notebook of `command` to reach the gate, where it stays."""
        ended = self._pidfd(command.pid)
        if self._arrived not in _wait_for([self._arrived, ended], "the next notebook at the gate"):
            out, errors = command.communicate()
            pytest.fail(f"the command ended ({command.returncode}) with no notebook at the gate:\n{out}\n{errors}")
        line = b""
        while not line.endswith(b"\n"):
            line += os.read(self._arrived, 1)
        kernel, worker = map(int, line.split())
        return Arrival(kernel, worker, (self._pidfd(kernel), self._pidfd(worker)))

    def let_through(self) -> None:
        """Let one notebook through, of those that wait or the next that comes."""
        os.write(self._passes, b".")

    def close(self) -> None:
        """Kill what a test that failed has left running."""
        for pidfd in self._pidfds:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        for process in self._started:
            process.kill()
            process.communicate()
        for descriptor in (self._arrived, self._passes, *self._pidfds):
            os.close(descriptor)

    def _pidfd(self, pid: int) -> int:
        self._pidfds.append(os.pidfd_open(pid))
        return self._pidfds[-1]


def _wait_for(descriptors: list[int], what: str) -> list[int]:
    ready, _, _ = select.select(descriptors, [], [], BACKSTOP)
    if not ready:
        pytest.fail(f"waited {BACKSTOP:g} seconds in vain for {what}")
    return ready
