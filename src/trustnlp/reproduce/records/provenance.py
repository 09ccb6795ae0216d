"""The origin of a run, as its record keeps it: versions and machine."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

# The packages whose versions can change a number.
PACKAGES = (
    "trustnlp", "numpy", "scipy", "torch", "transformers", "tokenizers", "gensim", "scikit-learn", "pandas", "networkx",
    "matplotlib", "papermill",
)  # fmt: skip


@lru_cache(maxsize=1)
def environment() -> dict[str, str]:
    """Versions of Python and of the installed packages of `PACKAGES`."""
    return {"python": platform.python_version(), **installed(PACKAGES)}


def installed(names: Iterable[str]) -> dict[str, str]:
    """Package → version, of those that are installed."""
    versions = {}
    for name in names:
        with suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


@lru_cache(maxsize=1)
def hardware() -> dict[str, Any]:
    """Processor, cores this process may use, memory in GB, and the first GPU's name or None."""
    return {
        "cpu": _cpu_name(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "gpu": gpu_name(),
    }


def gpu_name() -> str | None:
    """Name of the first NVIDIA GPU as its driver gives it. Asking torch would cost seconds of import per run."""
    if shutil.which("nvidia-smi") is None:
        return None
    try:
        answer = subprocess.run(
            ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = answer.stdout.strip().splitlines()
    return lines[0].strip() if lines else None


def _cpu_name() -> str:
    if sys.platform == "linux":
        try:
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
        except OSError:
            pass
    return platform.processor() or platform.machine() or "unknown"
