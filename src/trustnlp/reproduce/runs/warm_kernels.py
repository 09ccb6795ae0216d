"""Kernels forked from a process that has already imported what most notebooks import.

Importing torch, pandas and matplotlib takes a kernel several seconds of processor time; forked, a tenth of one. The
smoke runs of a whole book start so. A `paper` run and its verification start their kernels from nothing, as a reader's
Jupyter does.

The process that is forked never runs a notebook, opens no socket and starts no thread. It ends when the pipe to it
closes, and its kernels see their parent end and follow.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import random
import select
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from trustnlp.reproduce.bytecode import child_environment

# Not matplotlib_inline: it hooks itself into the shell that exists when it is imported.
MODULES = (
    "numpy",
    "pandas",
    "scipy.stats",
    "matplotlib.pyplot",
    "networkx",
    "sklearn.linear_model",
    "torch",
    "ipykernel.kernelapp",
    "ipykernel.ipkernel",
)
# Forking is safe where a process has one thread and its libraries allow it: not on macOS.
AVAILABLE = sys.platform == "linux" and hasattr(os, "pidfd_open")


class ForkedProcess:
    """The methods of `Popen` that jupyter_client calls, for a process that is not our child but our child's."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._file = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """None while it runs. How it ended is not known, so every end is a 1."""
        ended, _, _ = select.select([self._file], [], [], 0)
        return 1 if ended else None

    def wait(self) -> int:
        """Wait for its end."""
        select.select([self._file], [], [])
        return 1

    def send_signal(self, number: int) -> None:
        """Signal this process and none that has its number later."""
        signal.pidfd_send_signal(self._file, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def __del__(self) -> None:
        with contextlib.suppress(OSError, AttributeError):
            os.close(self._file)


@cache
def _warm_process(variables: tuple[tuple[str, str], ...]) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        [sys.executable, "-m", "trustnlp.reproduce.runs.warm_kernels"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=child_environment() | dict(variables),
    )
    atexit.register(_end, process)
    return process


def _end(process: "subprocess.Popen[bytes]") -> None:
    with process:  # closes the pipes and waits
        pass


def fork(
    arguments: list[str], folder: str, environment: Mapping[str, str], read_at_import: Mapping[str, str]
) -> ForkedProcess:
    """A process that runs ipykernel with `arguments` in `folder`.

    Libraries read some variables when they are imported: what is forked has them from `read_at_import`.

    Raises
    ------
    OSError
        If the process to fork from has ended.
    """
    warm = _warm_process(tuple(sorted(read_at_import.items())))
    assert warm.stdin is not None and warm.stdout is not None
    job = {"arguments": arguments, "folder": folder, "environment": dict(environment)}
    warm.stdin.write(json.dumps(job).encode() + b"\n")
    warm.stdin.flush()
    answer = warm.stdout.readline()
    if not answer:
        raise OSError("the process that kernels are forked from has ended")
    return ForkedProcess(int(answer))


def _serve() -> None:
    # ipykernel reads it when it is imported, and ends its process when that parent is gone.
    os.environ["JPY_PARENT_PID"] = str(os.getpid())
    sys.path.pop(0)  # the folder that we were started in
    for name in MODULES:
        with contextlib.suppress(ImportError):  # an extra that is not installed
            importlib.import_module(name)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended kernels leave no zombies
    for line in sys.stdin.buffer:
        pid = os.fork()
        if pid == 0:
            _become_kernel(json.loads(line))
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


def _become_kernel(job: dict[str, Any]) -> None:
    """In the fork: be what `python -m ipykernel_launcher` would be. Does not return."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(2, 1)
        os.chdir(job["folder"])
        os.environ.clear()
        os.environ.update(job["environment"])
        sys.argv = ["ipykernel_launcher", *job["arguments"]]
        # Forks share the state of the global generators: a fresh process starts each of its own.
        random.seed()
        importlib.import_module("numpy").random.seed()
        kernelapp = importlib.import_module("ipykernel.kernelapp")
        kernelapp.launch_new_instance(argv=job["arguments"])
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    _serve()
