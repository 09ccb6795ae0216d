"""A notebook refuses a parameter that papermill injected and nobody declared."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.recording import Record
from trustnlp.reproduce.runs.injected_parameters import check_injected, injected

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Cells of a running notebook, to be filled."""
    cells: list[str] = ["", "import os"]
    shell = SimpleNamespace(
        user_ns={"In": cells}, events=SimpleNamespace(register=lambda *_: None, unregister=lambda *_: None)
    )
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setenv("TRUSTNLP_ROOT", str(ROOT))
    return cells


def test_a_misspelt_parameter_is_refused_in_one_line_with_the_nearest_name(notebook: list[str]) -> None:
    notebook.append('# Parameters\nprofile = "smoke"\nn_pair = 30\n')
    with pytest.raises(UserError, match="_template/method has no parameter 'n_pair'; did you mean 'n_pairs'") as told:
        Record("_template", "method", profile="smoke")
    assert "\n" not in str(told.value)


def test_declared_parameters_and_no_notebook_pass(notebook: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    Record("_template", "method", profile="smoke")
    notebook.append('# Parameters\nprofile = "smoke"\nn_pairs = 30\n')
    Record("_template", "method", profile="smoke")
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    check_injected("no such chapter", "none")


def test_without_a_clone_of_the_book_nothing_is_checked(
    notebook: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook.append("# Parameters\nx = 1\n")
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    check_injected("_template", "method")


def test_only_assignments_are_injected() -> None:
    assert injected(["x = 1", "# Parameters\nalpha = 3"]) == ["alpha"]
    with pytest.raises(UserError, match="more than assignments"):
        injected(["# Parameters\nimport os"])
