"""One Jupyter kernel per run: this Python, one thread, no TCP port, and its memory measured before it ends."""

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

from trustnlp.reproduce.bytecode import child_environment
from trustnlp.reproduce.runs import warm_kernels

# A run gets one thread per library: two notebooks run at once, and torch's threads spin at barriers,
# which makes two runs of two threads up to ten times slower than two runs of one.
# TRUSTNLP_THREADS gives it more, to show that no number hangs on it; those sleep at barriers.
THREADS_EACH = int(os.environ.get("TRUSTNLP_THREADS", "1"))
THREADS = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"),
    str(THREADS_EACH),
)
# What libraries look at when they are imported.
READ_AT_IMPORT = {"MPLBACKEND": "module://matplotlib_inline.backend_inline", "PYTHONHASHSEED": "0",
                  "OMP_WAIT_POLICY": "passive", **THREADS}  # fmt: skip


_FOLDER = "trustnlp-kernel-"


class RunKernel(AsyncKernelManager):
    """A kernel of the Python that runs us, whatever kernels the user's Jupyter folders name `python3`."""

    @property
    def kernel_spec(self) -> KernelSpec:
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, display_name="Python 3", language="python")

    def client(self, **options: Any) -> Any:
        """A client as always; the last one is kept, because papermill leaves its sockets to whoever owns the kernel."""
        self.last_client = super().client(**options)
        return self.last_client

    @property
    def pid(self) -> int | None:
        return getattr(self.provisioner, "pid", None)


class WarmKernel(RunKernel):
    """A kernel forked from a process that has imported what most notebooks import."""

    async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
        local: Any = self.provisioner
        local.process = warm_kernels.fork(kernel_cmd[3:], options["cwd"], options["env"], READ_AT_IMPORT)
        local.pid = local.pgid = local.process.pid
        self._reconcile_connection_info(local.connection_info)


def make_kernel(*, warm: bool = False) -> RunKernel:
    """A kernel manager that talks over socket files in a private folder, where the system has them, else over TCP."""
    clear_leftovers()
    folder = Path(tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-"))
    # A socket's path has about a hundred characters at most.
    transport = "tcp" if sys.platform == "win32" or len(str(folder)) > 80 else "ipc"
    kind = WarmKernel if warm and warm_kernels.AVAILABLE else RunKernel
    return kind(kernel_name="python3", transport=transport, connection_file=str(folder / "kernel.json"))


def clear_leftovers() -> None:
    """Remove the folders of runs that were killed before they could do it: their names hold a process that is gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*-*"):
        owner = folder.name.removeprefix(_FOLDER).partition("-")[0]
        if owner.isdecimal() and not psutil.pid_exists(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)  # another user's stays


def start(kernel: RunKernel, folder: Path, variables: dict[str, str]) -> None:
    """Start the kernel in `folder`, with `variables` on top of this process's environment."""
    environment = {**child_environment(), **READ_AT_IMPORT, **variables}
    _wait(kernel.start_kernel(cwd=str(folder), env=environment, extra_arguments=["--HistoryManager.enabled=False"]))


def stop(kernel: RunKernel) -> None:
    """Close the client's sockets, end the kernel at once (its notebook is finished), remove its connection files."""
    client = getattr(kernel, "last_client", None)
    if client is not None:
        client.stop_channels()
    with contextlib.suppress(Exception):  # a kernel that died by itself has nothing left to stop
        _wait(kernel.shutdown_kernel(now=True))
    shutil.rmtree(Path(kernel.connection_file).parent, ignore_errors=True)


def peak_memory_mb(kernel: RunKernel) -> float:
    """Largest resident memory of the kernel process so far, in MB (0.0 if it has ended).

    Linux keeps the high-water mark; elsewhere the memory at this moment stands in for it.
    """
    if kernel.pid is None:
        return 0.0
    try:
        status = Path(f"/proc/{kernel.pid}/status").read_text(encoding="ascii", errors="replace")
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        pass
    try:
        return float(psutil.Process(kernel.pid).memory_info().rss) / 2**20
    except psutil.Error:
        return 0.0


def _wait(awaitable: Any) -> Any:
    """Run to completion whether the manager's method came back as a coroutine or as a future."""

    async def finish() -> Any:
        return await awaitable

    return asyncio.run(finish())
