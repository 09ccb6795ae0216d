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


@pytest.mark.parametrize(
    "needed",
    ["twine check --strict", "alone/bin/python -m pip install", 'alone/bin/python" example.py', "-C _build html",
     "-C _build pdf", "chapters/*/results/*.json"],
)  # fmt: skip
def test_the_released_wheel_is_tried_alone_and_the_records_go_with_it(needed: str) -> None:
    assert needed in (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")


def test_the_newest_packages_are_not_the_locked_ones() -> None:
    text = (ROOT / ".github" / "workflows" / "newest.yml").read_text("utf-8")
    assert "requirements.lock" not in text and "make" not in text.split() and "gh issue create" in text


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
