"""The workflows: no job without a limit, no more rights than it needs, no action on a runtime that is being removed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# First version of each action that runs on a Node that stays.
AT_LEAST = {
    "actions/checkout": 6, "actions/setup-python": 6, "actions/upload-artifact": 6,
    "actions/upload-pages-artifact": 5, "actions/deploy-pages": 5,
}  # fmt: skip
MAY_WRITE = {("pages", "publish"), ("pages", "colab"), ("release", "release"), ("newest", "verify")}


def jobs() -> list[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    read = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in WORKFLOWS}
    return [(name, job, flow, flow["jobs"][job]) for name, flow in read.items() for job in flow["jobs"]]


@pytest.mark.parametrize(("name", "job", "flow", "entry"), jobs(), ids=lambda value: str(value)[:20])
def test_a_job_has_a_limit_and_only_the_rights_it_needs(
    name: str, job: str, flow: dict[str, Any], entry: dict[str, Any]
) -> None:
    assert 0 < entry["timeout-minutes"] <= 350
    rights = entry.get("permissions", flow["permissions"])
    assert ("write" in rights.values()) == ((name, job) in MAY_WRITE)
    for step in entry["steps"]:
        if "uses" in step:
            action, version = step["uses"].split("@v")
            assert int(version) >= AT_LEAST[action], step["uses"]
        # What others may name (branches, titles, tags) is never pasted into a script.
        assert "${{" not in step.get("run", "")


def test_a_step_is_a_script_of_ours_which_is_run_here_too() -> None:
    """What makes the place ready stands in the workflow; all else is `make`, a file of .ci or a command of ours."""
    free = ("sudo apt-get", "python -m venv", "brought/bin", "gh release create")
    free += (".venv/bin/python -m pip", ".venv/bin/pytest")
    ours = ("make ", ".ci/", ".venv/bin/trustnlp ", "TRUSTNLP_COLAB_PYTHON=")
    steps = [step["run"] for *_, entry in jobs() for step in entry["steps"] if "run" in step]
    assert not [run for run in steps if not run.startswith((*free, *ours))]
    for name in {word for run in steps for word in run.split() if word.startswith(".ci/")}:
        assert (ROOT / name).stat().st_mode & 0o100, name


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A clone of nothing but the scripts, with programs that only say what they were asked for."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    for name in ("newest/bin/python", "newest/bin/trustnlp", "bin/python3", "bin/gh"):
        program = tmp_path / name
        program.parent.mkdir(parents=True, exist_ok=True)
        told = "$(basename $0) $*"
        program.write_text(f'#!/bin/sh\necho "{told}" >>"$CALLS"\ncase "{told}" in *"$FAILS"*) exit "$CODE";; esac\n')
        program.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("fails", "code", "title"),
    [
        ("python3 -m venv", 1, "they cannot be installed"),
        ("trustnlp verify", 2, "the re-run could not take place"),
        ("trustnlp verdicts", 1, "a verdict is another, or a record is no evidence"),
        ("nothing", 1, None),
    ],
)
def test_the_issue_says_what_failed(house: Path, fails: str, code: int, title: str | None) -> None:
    calls = house / "calls"
    there = {"PATH": f"{house / 'bin'}:/usr/bin:/bin", "GH_TOKEN": "x"}
    there |= {"CALLS": str(calls), "FAILS": fails, "CODE": str(code)}
    done = subprocess.run([house / ".ci" / "newest"], env=there, capture_output=True, text=True, check=False)
    asked = calls.read_text()
    assert (done.returncode, "gh issue create" in asked) == ((1, True) if title else (0, False)), done.stderr
    assert title is None or f"gh issue create --title Newest packages: {title} --body-file" in asked
    assert title is None or asked.split("gh issue list")[0].splitlines()[-2].startswith(fails)


def test_actionlint_finds_nothing() -> None:
    beside = Path(sys.executable).parent
    actionlint = shutil.which("actionlint") or shutil.which("actionlint", path=beside)
    if actionlint is None:
        pytest.skip("actionlint is not installed (pip install -r .github/actionlint.txt)")
    done = subprocess.run([actionlint, *map(str, WORKFLOWS)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_folder_of_tests_is_run() -> None:
    told = "".join((ROOT / ".ci" / name).read_text("utf-8") for name in ("run", "stranger"))
    folders = {path.relative_to(ROOT).parts[1] for path in (ROOT / "tests").glob("*/**/test_*.py")}
    assert {name for name in folders if f"tests/{name}" not in told} == set()
