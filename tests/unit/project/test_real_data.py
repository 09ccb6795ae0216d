"""Real data are read under the mark `mirror` alone, which skips by itself; a random order can be had again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from real_data import mirror_folder

from trustnlp.data.registry import DataError
from trustnlp.data.relations.kbp37 import read_kbp37
from trustnlp.data.store import fetch, where

TESTS = Path(__file__).parents[2]
INI = "[pytest]\npythonpath = .\naddopts = --import-mode=importlib --strict-markers\nmarkers =\n  mirror\n  network\n"
MARKED = """
import os
import pytest

@pytest.fixture(scope="module")
def documents():
    raise OSError("no data here")

@pytest.mark.mirror
def test_mark_alone():
    assert os.environ["TRUSTNLP_MIRROR"]

@pytest.mark.mirror
def test_mark_and_a_fixture_that_reads(documents):
    pass

@pytest.mark.parametrize("n", [1, 2])
def test_fixture_alone(mirror, n):
    assert str(mirror) == os.environ["TRUSTNLP_MIRROR"]

def test_neither():
    assert "TRUSTNLP_MIRROR" not in os.environ
"""
COUNTED = "import pytest\n@pytest.mark.parametrize('n', range(6))\ndef test_it(n):\n    pass\n"


def run(folder: Path, files: dict[str, str], *options: str, mirror: str | None = None) -> list[str]:
    """What pytest prints of tests in a folder of their own, with our conftest; nothing lies beside that folder."""
    project = folder / "project" / "tests"
    project.mkdir(parents=True, exist_ok=True)
    for name in ("conftest.py", "offline.py", "real_data.py", "shuffled.py"):
        shutil.copy(TESTS / name, project / name)
    (project / "pytest.ini").write_text(INI)
    for name, text in files.items():
        (project / name).write_text(text)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TRUSTNLP_", "PYTEST_"))}
    if mirror is not None:
        environment["TRUSTNLP_MIRROR"] = mirror
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", *options]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()


def test_the_mark_or_the_fixture_alone_skips_where_there_is_no_mirror_and_is_enough_where_there_is(
    tmp_path: Path,
) -> None:
    said = run(tmp_path, {"test_marked.py": MARKED}, "-q")
    assert any("SKIPPED [4]" in line and "no mirror of the real data" in line for line in said), said
    assert said[-1].startswith("1 passed, 4 skipped"), said
    said = run(tmp_path, {"test_marked.py": MARKED}, "-q", mirror=str(tmp_path))
    assert said[-1].startswith("4 passed, 1 error"), said


def test_an_order_can_be_had_again_and_keeps_files_together(tmp_path: Path) -> None:
    files = {f"test_{name}.py": COUNTED for name in "abcd"}
    first, again, other = (
        [line for line in run(tmp_path, files, "--collect-only", "-q", "--shuffle", seed) if "::" in line]
        for seed in ("1", "1", "2")
    )
    assert first == again != other and len(set(first)) == 24
    in_files = [line.partition("::")[0] for line in first]
    assert in_files == sorted(in_files, key=in_files.index), "the tests of a file stay together"
    drawn = "\n".join(run(tmp_path, files, "-q", "--shuffle", "random", "-n", "2"))
    assert "These tests ran in a random order; for the same one again: --shuffle " in drawn
    assert "whole number or 'random'" in "\n".join(run(tmp_path, files, "--shuffle", "often"))


def test_a_test_without_the_mark_fails_by_name_when_it_reads_real_data() -> None:
    assert "TRUSTNLP_MIRROR" not in os.environ
    told = "test_a_test_without_the_mark.* reads the data set 'kbp37', which no wheel holds: mark the test `mirror`"
    for reads in (lambda: fetch("kbp37"), lambda: read_kbp37("dev")):
        with pytest.raises(pytest.fail.Exception, match=told):
            reads()


def test_wheels_a_cache_of_ones_own_and_the_place_of_data_are_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fetch("wefe_weat_lists")["lists"].is_file()
    assert where("kbp37")
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path))
    with pytest.raises(DataError):
        fetch("nrc_emotion")


@pytest.mark.mirror
def test_under_the_mark_the_mirror_is_set() -> None:
    assert os.environ["TRUSTNLP_MIRROR"] == str(mirror_folder())
