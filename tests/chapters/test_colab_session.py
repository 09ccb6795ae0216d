"""Notebooks run in a session of Colab from a bare folder."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from colab_session import Session

PYTHON = "TRUSTNLP_COLAB_PYTHON"
FIVE = (
    "_template/method", "weat_measures/method", "privemb/planted", "xer/explanation", "sense_privatization/planted",
)  # fmt: skip
NOWHERE = {
    "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": "",
    "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0", "PIP_DEFAULT_TIMEOUT": "1",
}  # fmt: skip


@pytest.mark.slow
def test_a_notebook_runs_where_nothing_is_lacking_without_an_index(tmp_path: Path) -> None:
    session = Session(tmp_path, Path(sys.executable))
    before = session.versions()
    for _ in range(2):
        done = session.run("_template/method", **NOWHERE)
        assert done.returncode == 0, done.stderr[-3000:]
        assert "trustnlp is ready; this session has no GPU" in done.stdout and "installing" not in done.stdout
    assert session.versions() == before


@pytest.mark.slow
@pytest.mark.network
def test_five_notebooks_run_with_colabs_own_versions(tmp_path: Path) -> None:
    given = os.environ.get(PYTHON)
    if not given or shutil.which(given) is None:
        pytest.skip(f"{PYTHON} names no Python 3.12 with tests/chapters/checkers/colab_packages.txt installed")
    session = Session(tmp_path, Path(given))
    before, wrong = session.versions(), {}
    for notebook in FIVE:
        done = session.run(notebook)
        if done.returncode:
            wrong[notebook] = done.stderr[-3000:]
        shutil.rmtree(session.content / "trustnlp-book", ignore_errors=True)  # each from a bare folder
    assert not wrong, "\n\n".join(f"{name}: {said}" for name, said in wrong.items())
    assert session.versions() == before
