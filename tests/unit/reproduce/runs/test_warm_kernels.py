"""A forked kernel does what a fresh one does: its own folder, variables and figures, and an end that is seen."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError

from trustnlp.reproduce.runs import kernel as kernels
from trustnlp.reproduce.runs import warm_kernels

pytestmark = pytest.mark.skipif(not warm_kernels.AVAILABLE, reason="kernels are forked on Linux only")

TOLD = """
import os, random, sys, numpy
print(os.getcwd(), os.environ.get("MARK"), "torch" in sys.modules, sys.argv[0], numpy.random.default_rng().random())
seen = globals().get("seen", 0) + 1
print(seen)
"""
DRAWN = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()"


def outputs(folder: Path, *cells: str, warm: bool = True, **variables: str) -> list[list[Any]]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    kernel = kernels.make_kernel(warm=warm)
    kernels.start(kernel, folder, variables)
    try:
        NotebookClient(notebook, km=kernel, kernel_name="python3", startup_timeout=300).execute()
        assert kernels.peak_memory_mb(kernel) > 10
    finally:
        kernels.stop(kernel)
        kernel.context.destroy()
    return [cell.outputs for cell in notebook.cells]


def test_two_forked_kernels_know_nothing_of_each_other(tmp_path: Path) -> None:
    draws = []
    for mark in ("one", "two"):
        folder = tmp_path / mark
        folder.mkdir()
        [[printed]] = outputs(folder, TOLD, MARK=mark)
        *told, draw, seen = printed.text.split()
        assert told == [str(folder), mark, "True", "ipykernel_launcher"] and seen == "1"
        draws.append(draw)
    assert draws[0] != draws[1]


def test_figures_and_errors_come_out_as_from_a_fresh_kernel(tmp_path: Path) -> None:
    kinds = []
    for warm in (True, False):
        _, [figure], [divided] = outputs(
            tmp_path, TOLD, DRAWN, "print(1 // 3, file=__import__('sys').stderr)", warm=warm
        )
        kinds.append((figure.output_type, sorted(figure.data), divided.name))
    assert kinds[0] == kinds[1]
    assert "image/png" in kinds[0][1]


def test_a_kernel_that_is_killed_is_seen_to_be_dead(tmp_path: Path) -> None:
    with pytest.raises(DeadKernelError):
        outputs(tmp_path, f"import os; os.kill(os.getpid(), {int(signal.SIGKILL)})")


def test_kernels_end_with_the_process_that_had_them_started(tmp_path: Path) -> None:
    """The pipe closes, the process that is forked ends, and its kernels follow."""
    script = f"""
from pathlib import Path
from trustnlp.reproduce.runs import kernel as kernels
kernel = kernels.make_kernel(warm=True)
kernels.start(kernel, Path({str(tmp_path)!r}), {{}})
print(kernel.pid, flush=True)
import os, signal
os.kill(os.getpid(), signal.SIGKILL)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    pid, deadline = int(ran.stdout), time.monotonic() + 60
    while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes():
        assert time.monotonic() < deadline, "the kernel goes on without its parent"
        time.sleep(0.2)
