"""pyproject.toml (ranges), environment.yml (ranges for conda) and requirements.lock (pins) agree."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[3]
CONDA_NAMES = {"pytorch": "torch", "python-duckdb": "duckdb"}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements(lines: list[str]) -> dict[str, Requirement]:
    parsed = [Requirement(line) for line in lines]
    return {canonical(CONDA_NAMES.get(r.name, r.name)): r for r in parsed}


@pytest.fixture(scope="module")
def locked_extras() -> list[str]:
    """The extras that `make lock` resolves."""
    (line,) = re.findall(r"^LOCKED_EXTRAS := (.*)$", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    return str(line).split()


@pytest.fixture(scope="module")
def pyproject(locked_extras) -> dict[str, Requirement]:
    """What the package needs, with the locked extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for extra in locked_extras for line in project["optional-dependencies"][extra]]
    return requirements(project["dependencies"] + extras)


@pytest.fixture(scope="module")
def conda() -> dict[str, Requirement]:
    listed = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    plain = [entry for entry in listed if isinstance(entry, str)]
    by_pip = [line for entry in listed if isinstance(entry, dict) for line in entry["pip"]]
    return requirements(plain + [line for line in by_pip if not line.startswith("-e")])


@pytest.fixture(scope="module")
def lock() -> dict[str, Version]:
    pins = re.findall(r"^(\S+)==(\S+)", (ROOT / "requirements.lock").read_text(), flags=re.MULTILINE)
    return {canonical(name): Version(version) for name, version in pins}


def test_conda_and_pyproject_hold_the_same_ranges(conda, pyproject):
    ranges = {name: str(r.specifier) for name, r in conda.items() if name not in ("python", "pip")}
    assert ranges == {name: str(r.specifier) for name, r in pyproject.items()}


def test_every_range_admits_the_locked_version(pyproject, lock):
    outside = {
        name: str(lock.get(name)) for name, r in pyproject.items() if name not in lock or lock[name] not in r.specifier
    }
    assert not outside


def test_the_lock_asks_for_no_compiler(locked_extras, lock):
    """dedupe's affinegap comes as source code only. `fast-noise` only speeds up what runs without it, and `zh` is for
    another cut of one language."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(project["optional-dependencies"]) - set(locked_extras) == {"records", "fast-noise", "zh"}
    assert not {"dedupe", "affinegap", "cryptography"} & lock.keys()


def test_the_lock_names_no_index_and_no_gpu_build_and_colab_keeps_its_own_torch_and_numpy(pyproject):
    text = (ROOT / "requirements.lock").read_text()
    entries = re.split(r"^(?=\S)", text + (ROOT / "requirements-cuda.lock").read_text(), flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in entry for entry in entries)
    assert not [word for word in ("://", "+cpu", "nvidia") if word in text]
    assert {s.operator for name in ("torch", "numpy") for s in pyproject[name].specifier} == {">="}


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "torch"),
    [
        ("x86_64-manylinux_2_28", "+cpu"),
        ("x86_64-manylinux_2_28", ""),
        ("aarch64-manylinux_2_28", ""),
        ("aarch64-apple-darwin", ""),
        ("x86_64-pc-windows-msvc", ""),
    ],
)
@pytest.mark.parametrize("python", ["3.11", "3.13"])
def test_the_lock_has_a_wheel_with_its_hash_for_each_system(tmp_path, system, torch, python):
    """Nothing is built, no version chosen. The build without CUDA is tried where its wheel is at hand."""
    links = os.environ.get("PIP_FIND_LINKS", "").split()
    wheel = f"torch-*{torch}-cp{python.replace('.', '')}-*"
    if torch and not [each for link in links for each in Path(link).glob(wheel)]:
        pytest.skip(f"no wheel of torch{torch} for Python {python} lies here (PIP_FIND_LINKS)")
    locks = [(ROOT / name).read_text() for name in ("requirements.lock", "requirements-cuda.lock")[: 1 if torch else 2]]
    lock = tmp_path / "lock.txt"
    lock.write_text(re.sub(r"^torch==[\d.]+", rf"\g<0>{torch}", "".join(locks), flags=re.MULTILINE))
    uv = Path(sys.executable).with_name("uv")
    command = [uv, "pip", "install", "-q", "--dry-run", "--require-hashes", "--no-build"]
    command += ["--target", tmp_path / "x", "--python-platform", system, "--python-version", python, "-r", lock]
    command += [word for link in links if torch for word in ("--find-links", link)]
    environment = {**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
