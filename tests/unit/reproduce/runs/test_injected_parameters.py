"""A notebook refuses a parameter that papermill injected and nobody declared."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.recording import Record
from trustnlp.reproduce.runs.injected_parameters import check_injected, injected, settle_parameters
from trustnlp.reproduce.runs.params import load_params

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


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ('profile = "paper"', {"n_pairs": 100}),
        ('profile = "paper"\nn_pairs = 31', {"n_pairs": 31}),
        ('profile = "paper"\nseeds = "3-4"', {"n_pairs": 100, "seeds": [3, 4]}),
        ("n_pairs = 31", {"n_pairs": 31}),
        ('n_pairs = "abc"', "parameter 'n_pairs': expected int.* got 'abc'"),
        ("n_pairs = 2.5", "parameter 'n_pairs': expected int.* got 2.5"),
        ("n_pairs = -1", "parameter 'n_pairs': expected int"),
        ('profile = "papr"', "unknown profile 'papr'; did you mean 'paper'"),
        ("seeds = []", "parameter 'seeds'.*give one seed at least"),
        ("n_pair = 3", "did you mean 'n_pairs'"),
    ],
)
def test_what_nobody_gave_is_of_the_profile_and_the_rest_is_checked(
    cell: str, found: dict[str, object] | str, notebook: list[str]
) -> None:
    entry = load_params("_template").notebook("method")
    own: dict[str, object] = {"NOTEBOOK": "_template/method", "profile": "smoke", "In": notebook}
    own |= {name: each.smoke for name, each in entry.parameters.items()}
    notebook.append(f"# Parameters\n{cell}\n")
    exec(cell, own)
    sys.modules["IPython"].get_ipython().user_ns = own
    if isinstance(found, str):
        with pytest.raises(UserError, match=found):
            settle_parameters()
        return
    settle_parameters()
    wanted = entry.resolve(str(own["profile"])) | found
    assert {name: own[name] for name in entry.parameters} == wanted


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
