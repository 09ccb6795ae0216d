"""`.ci/setup`, which `make book` and `make test` call first, fails with one line that says what to do."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("path", ["chapters/aec/claims.yaml", "src/trustnlp/data/registry.toml", "Makefile"])
def test_a_clone_has_the_same_line_ends_whatever_git_is_set_to(path):
    """Records stand on the bytes of such files, and a shell reads others."""
    told = subprocess.run(["git", "check-attr", "eol", path], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.strip().endswith("eol: lf")


@pytest.fixture
def project(tmp_path):
    """A copy of what the set-up reads, and a folder whose programs come first on the path."""
    (tmp_path / ".ci").mkdir()
    (tmp_path / "bin").mkdir()
    shutil.copy(ROOT / ".ci" / "setup", tmp_path / ".ci" / "setup")
    for name in ("requirements.lock", "requirements-cuda.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def program(project, name, script):
    path = project / "bin" / name
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return path


def set_up(project, **environment):
    path = f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        [project / ".ci" / "setup"],
        env={**os.environ, "PATH": path, "PYTHON": sys.executable, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return run.returncode, run.stderr.splitlines()


OLD = 'case "$2" in *print*) echo 3.9;; *) exit 1;; esac\n'
FULL = "echo header; echo /dev/x 100 99 1048576 99% /\n"


@pytest.mark.parametrize(
    ("name", "script", "python", "told"),
    [
        ("old", OLD, "old", ["3.11 or newer is needed", "is 3.9", "PYTHON="]),
        ("other", "", "no-such-python", ["no 'no-such-python' found"]),
        ("df", FULL, sys.executable, ["the disk is full: 1 GB free here, 4 GB needed"]),
    ],
)
def test_what_is_missing_is_told_before_anything_is_installed(project, name, script, python, told):
    program(project, name, script)
    code, lines = set_up(project, PYTHON=python)
    assert code == 1 and len(lines) == 1 and all(words in lines[0] for words in told)
    assert not (project / ".venv").exists()


def test_a_path_that_the_locale_cannot_write_is_told(project):
    there = project / "mö"
    there.mkdir()
    for name in (".ci", "bin", "requirements.lock", "requirements-cuda.lock", "pyproject.toml"):
        (project / name).rename(there / name)
    code, lines = set_up(there, LC_ALL="C")
    assert code == 1 and len(lines) == 1 and "export LC_ALL=C.UTF-8, or move the folder" in lines[0]


@pytest.mark.slow
def test_an_index_out_of_reach_is_one_line(project):
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}
    code, lines = set_up(project, **nowhere, PIP_RETRIES="0", PIP_DEFAULT_TIMEOUT="1", PIP_EXTRA_INDEX_URL="")
    assert code == 1 and len(lines) == 1
    assert "package index cannot be reached" in lines[0]
    assert not (project / ".venv" / ".installed").exists()


UV = """error: Failed to build `affinegap==1.12`
  cause: The build backend returned an error
  cause: Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)
         error: command 'cc' failed: No such file or directory
"""
PIP_WHEEL = """Collecting filelock==4.2.11 (from -r requirements.lock (line 2))
  Building wheel for affinegap (pyproject.toml): finished with status 'error'
  ERROR: Failed building wheel for affinegap
Failed to build affinegap
ERROR: Could not build wheels for affinegap, which is required to install pyproject.toml-based projects
"""
PIP_METADATA = """Collecting filelock==4.2.11 (from -r requirements.lock (line 2))
Collecting affinegap==1.12 (from -r requirements.lock (line 1))
  Preparing metadata (pyproject.toml): finished with status 'error'
  × Preparing metadata (pyproject.toml) did not run successfully.
error: metadata-generation-failed
"""
PIP_OFFLINE = """Collecting affinegap==1.12 (from -r requirements.lock (line 1))
  × pip subprocess to install build dependencies did not run successfully.
      ERROR: Could not find a version that satisfies the requirement setuptools (from versions: none)
"""


@pytest.mark.parametrize(
    ("uv", "pip", "line"),
    [
        (UV, PIP_WHEEL, "setup: affinegap==1.12 has no wheel"),
        ("", PIP_WHEEL, "setup: affinegap has no wheel"),
        ("", PIP_METADATA, "setup: affinegap==1.12 has no wheel"),
        ("", PIP_OFFLINE, "setup: the package index cannot be reached"),
    ],
    ids=["uv", "pip", "pip, before a wheel", "what builds it cannot be fetched"],
)
def test_a_package_that_cannot_be_built_is_named_with_the_remedy(project, uv, pip, line):
    """The programs in .venv are stand-ins that say what the real ones say when there is no compiler, or no network."""
    (project / ".venv" / "bin").mkdir(parents=True)
    for name, said in (("uv", uv), ("python", pip)):
        script = f"case \"$*\" in *uv.txt*) exit 0;; esac\ncat <<'END'\n{said}END\nexit 1\n"
        program(project, name, script).rename(project / ".venv" / "bin" / name)
    code, lines = set_up(project)
    assert code == 1 and len(lines) == 1 and lines[0].startswith(line)
    assert ("build-essential python3-dev" in lines[0]) == ("no wheel" in line)


def test_a_finished_set_up_is_not_repeated(project):
    """The stamp of this checkout fits the copy when lock, project and script are the same bytes."""
    stamp = ROOT / ".venv" / ".installed"
    if not stamp.is_file():
        pytest.skip("this environment was not made by `make setup`")
    (project / ".venv").mkdir()
    shutil.copy(stamp, project / ".venv" / ".installed")
    code, lines = set_up(project)
    assert code == 0 and not lines and not (project / ".venv" / "bin").exists()
