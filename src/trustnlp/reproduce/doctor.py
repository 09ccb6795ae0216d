"""A report on this machine: packages installed, device, and the places of data."""

import platform
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

from packaging.requirements import Requirement

from trustnlp.reproduce.project import UserError, project_root
from trustnlp.reproduce.records.provenance import hardware, installed

NEEDS_COMPILER = {"trustnlp[records]"}  # and is in no lock for that; notebooks use a stand-in under `smoke`
CPU_BUILD = "pip install torch --index-url https://download.pytorch.org/whl/cpu"  # 0.2 GB, where the index has CUDA too
ENOUGH_DISK_GB = 2


@dataclass(frozen=True)
class Finding:
    """One line of the report. Only "bad" keeps notebooks from running."""

    topic: str
    state: Literal["ok", "note", "bad"]
    text: str


def examine() -> Iterator[Finding]:
    """Everything worth knowing before the first run, quickest first."""
    yield Finding("python", "ok", f"{platform.python_version()}, {sys.executable}")
    yield from _project()
    yield from _packages()
    yield from _machine()
    yield from _data()


def _project() -> Iterator[Finding]:
    from trustnlp.reproduce.address import own_address

    try:
        yield Finding("project", "ok", str(project_root()))
        address = own_address(project_root())
    except UserError as error:
        yield Finding("project", "bad", str(error))
        return
    if address is None:
        yield Finding(
            "repository", "note", "no address, so no Colab button: set git's remote, or repository.url in _config.yml"
        )
    else:
        yield Finding("repository", "ok", address)


def _needed() -> dict[str, list[str]]:
    """Packages by the extra that brings them, as the installed package says."""
    needed: dict[str, list[str]] = {}
    for wanted in map(Requirement, metadata.requires("trustnlp") or ()):
        extra = re.search(r"extra == \W(\w[\w-]*)", str(wanted.marker))
        needed.setdefault(f"trustnlp[{extra[1]}]" if extra else "trustnlp", []).append(wanted.name)
    return needed


def _packages() -> Iterator[Finding]:
    for extra, names in _needed().items():
        present = installed(names)
        if present:
            yield Finding(extra, "ok", ", ".join(f"{name} {version}" for name, version in present.items()))
        if absent := [name for name in names if name not in present]:
            state: Literal["note", "bad"] = "bad" if extra in {"trustnlp", "trustnlp[run]"} else "note"
            beware = " (needs a C compiler; only a paper profile asks for it)" if extra in NEEDS_COMPILER else ""
            yield Finding(extra, state, f"missing {', '.join(absent)}: pip install '{extra}'{beware}")


def _machine() -> Iterator[Finding]:
    machine = hardware()
    yield Finding("machine", "ok", f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']:g} GB")
    try:
        yield Finding("device", "ok", _device())
    except (ImportError, OSError) as error:  # a library of the system that is not there, too
        reason = " ".join(str(error).split())
        yield Finding("device", "bad", f"torch cannot be imported ({reason:.200}): {CPU_BUILD}")


def _device() -> str:
    import torch

    if torch.cuda.is_available():
        return f"cuda: {torch.cuda.get_device_name(0)} (torch {torch.__version__})"
    if torch.backends.mps.is_available():
        return f"mps (torch {torch.__version__})"
    unused = f"; its CUDA libraries are of no use here: {CPU_BUILD}" if torch.version.cuda else ""
    return f"cpu (torch {torch.__version__}{unused})"


def _data() -> Iterator[Finding]:
    from trustnlp.data.registry import DataError
    from trustnlp.data.store import cache_root, mirror_root

    cache = cache_root()
    standing = next(folder for folder in (cache, *cache.parents) if folder.exists())
    free = shutil.disk_usage(standing).free / 1e9
    roomy: Literal["ok", "note"] = "ok" if free >= ENOUGH_DISK_GB else "note"
    yield Finding("data cache", roomy, f"{cache} ({free:.0f} GB free)")
    try:
        mirror = mirror_root()
    except DataError as error:
        yield Finding("data mirror", "bad", str(error))
        return
    yield Finding("data mirror", "ok", str(mirror) if mirror else "none (TRUSTNLP_MIRROR is not set)")
