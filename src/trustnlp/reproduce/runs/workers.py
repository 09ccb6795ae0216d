"""Worker processes that execute notebooks, one at a time each: specs go in, events come out, a line of JSON each.

Separate processes and not a pool: when one is killed (out of memory is the usual cause) only its run is lost, and when
we are killed the pipe to it closes and it ends itself and its kernel, so that no orphan goes on writing.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Sequence
from typing import IO, Any

from trustnlp.files.disk_space import full_disk
from trustnlp.reproduce.bytecode import child_environment
from trustnlp.reproduce.project import project_root
from trustnlp.reproduce.runs.execution import execute
from trustnlp.reproduce.runs.kernel import THREADS
from trustnlp.reproduce.runs.run_states import Event, NotebookFailed, OnEvent, RunResult, RunSpec

# A process to fork kernels from imports everything once: for a few notebooks that takes longer than it saves.
WORTH_WARMING = 6
WARM = "--warm"


class _Worker:
    """One worker process, started anew when it has died."""

    def __init__(self, *, warm: bool) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        environment = {**child_environment(), **THREADS, "TRUSTNLP_ROOT": str(project_root())}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "trustnlp.reproduce.runs.workers", *([WARM] if warm else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            start_new_session=True,  # Ctrl-C is for us; the worker ends when its pipe closes
        )

    def run(self, spec: RunSpec, tell: OnEvent) -> RunResult:
        """Execute one spec there; a worker that dies gives a failed result, not an exception."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(spec.to_json()).encode() + b"\n")
            self._process.stdin.flush()
            for line in self._process.stdout:
                message = json.loads(line)
                if "cell" in message:
                    tell(Event("cell", spec, cell=message["cell"], cells=message["cells"]))
                elif "error" in message:
                    return RunResult.failed(spec, message["error"])
                else:
                    return RunResult(spec, message["seconds"], spec.out_record)
        except BrokenPipeError:
            pass
        return RunResult.failed(spec, self._last_words(spec))

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        """End the process at once, and with it `run` in the thread that serves it; for any thread."""
        self._process.kill()

    def close(self) -> None:
        """Let the process end and close its files; for the thread that serves it, as no other may then read them."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    def _last_words(self, spec: RunSpec) -> str:
        code = self._process.wait()
        how = f"was killed by signal {-code} ({signal.strsignal(-code)})" if code < 0 else f"ended with status {code}"
        hint = "; a killed process has often run out of memory" if code == -signal.SIGKILL else ""
        self._errors.seek(0)
        tail = self._errors.read().decode(errors="replace").strip()[-2000:]
        if full := full_disk(spec.part_notebook, told=tail):
            hint = f"; {full}"
        if "marshal data too short" in tail:  # Python keeps the part of a compiled file that a full disk took
            hint += f"; then delete {child_environment().get('PYTHONPYCACHEPREFIX', '__pycache__')}"
        return f"{spec.name} ({spec.profile}) failed: its process {how}{hint}" + (f"\n{tail}" if tail else "")


def run_in_workers(specs: Sequence[RunSpec], workers: int, tell: OnEvent) -> list[RunResult]:
    """Share `specs` among `workers` processes; results in the order of `specs`."""
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for position in range(len(specs)):
        todo.put(position)
    results: dict[int, RunResult] = {}
    speaking = threading.Lock()
    open_workers: set[_Worker] = set()
    stopped = threading.Event()

    def tell_in_turn(event: Event) -> None:
        with speaking:
            tell(event)

    def serve(end: threading.Event) -> None:
        with contextlib.ExitStack() as closing:
            closing.callback(end.set)  # after all workers of this thread are closed
            worker: _Worker | None = None
            while not stopped.is_set():
                try:
                    position = todo.get_nowait()
                except queue.Empty:
                    break
                if worker is None or not worker.alive:
                    worker = _Worker(warm=len(specs) >= WORTH_WARMING)
                    closing.callback(worker.close)
                    open_workers.add(worker)
                    if stopped.is_set():  # too late for the other thread to have killed it
                        break
                spec = specs[position]
                tell_in_turn(Event("start", spec))
                result = worker.run(spec, tell_in_turn)
                if stopped.is_set():
                    break
                results[position] = result
                tell_in_turn(Event(result.status, spec, seconds=result.seconds, message=result.error or ""))

    # Events, as Python 3.11 takes a thread for ended once its join() was interrupted.
    ends = [threading.Event() for _ in range(min(max(workers, 1), len(specs)))]
    for end in ends:
        threading.Thread(target=serve, args=(end,), daemon=True).start()
    try:
        for end in ends:
            end.wait()
    except BaseException:
        stopped.set()
        for worker in list(open_workers):
            worker.kill()
        for end in ends:
            end.wait()
        raise
    return [results[position] for position in range(len(specs))]


def _serve_stdin() -> None:
    """The worker's side: read specs from stdin until it closes."""
    # The kernel inherits our standard output; keep the protocol's channel to ourselves.
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_read_jobs, args=(jobs,), daemon=True).start()

    def say(message: dict[str, Any]) -> None:
        channel.write(json.dumps(message) + "\n")
        channel.flush()

    while True:
        spec = RunSpec.from_json(jobs.get())
        try:
            result = execute(spec, lambda cell, cells: say({"cell": cell, "cells": cells}), warm=WARM in sys.argv)
            say({"seconds": result.seconds})
        except NotebookFailed as error:
            say({"error": str(error)})
        except Exception as error:  # reported to the parent, which shows it and goes on
            trace = "" if type(error).__name__ in {"UserError", "DataError"} else "\n" + traceback.format_exc()
            say({"error": f"{spec.name} ({spec.profile}) failed: {error}{trace}"})


def _read_jobs(jobs: "queue.SimpleQueue[dict[str, Any]]") -> None:
    for line in sys.stdin.buffer:
        jobs.put(json.loads(line))
    # End of input: the parent is done with us, or gone. A running kernel sees its parent end and follows.
    os._exit(0)


if __name__ == "__main__":
    _serve_stdin()
