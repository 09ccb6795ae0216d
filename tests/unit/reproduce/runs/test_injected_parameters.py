"""A notebook refuses a parameter that papermill injected and nobody declared."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.runs import injected_parameters
from trustnlp.reproduce.runs.injected_parameters import injected, settle_parameters
from trustnlp.reproduce.runs.params import load_params


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The variables of a running notebook, with the values of its source."""
    entry = load_params("_template").notebook("method")
    own: dict[str, Any] = {"NOTEBOOK": "_template/method", "profile": "smoke", "In": ["", "import os"]}
    own |= {name: each.smoke for name, each in entry.parameters.items()}
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(user_ns=own)))
    return own


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ('profile = "paper"', {"n_pairs": 100}),
        ('profile = "paper"\nn_pairs = 31', {"n_pairs": 31}),
        ('profile = "paper"\nseeds = "3-4"', {"n_pairs": 100, "seeds": [3, 4]}),
        ("n_pairs = 31", {"n_pairs": 31}),
        ('n_pairs = "abc"', "parameter 'n_pairs': expected int.* got 'abc'"),
        ("n_pairs = 2.5", "parameter 'n_pairs': expected int.* got 2.5"),
        ('profile = "papr"', "unknown profile 'papr'; did you mean 'paper'"),
        ("seeds = []", "parameter 'seeds'.*give one seed at least"),
        ("n_pair = 3", "_template/method has no parameter 'n_pair'; did you mean 'n_pairs'"),
    ],
)
def test_what_nobody_gave_is_of_the_profile_and_the_rest_is_checked(
    cell: str, found: dict[str, object] | str, own: dict[str, Any]
) -> None:
    entry = load_params("_template").notebook("method")
    own["In"].append(f"# Parameters\n{cell}\n")
    exec(cell, own)
    if isinstance(found, str):
        with pytest.raises(UserError, match=found):
            settle_parameters()
        return
    settle_parameters()
    assert {name: own[name] for name in entry.parameters} == entry.resolve(own["profile"]) | found


@pytest.mark.parametrize(("cell", "device"), [("", "cuda"), ('device = "cpu"', "cpu"), ('profile = "paper"', "cuda")])
def test_the_gpu_that_colabs_first_cell_found_is_the_device(
    cell: str, device: str, own: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own |= {"NOTEBOOK": "moxie/planted", "In": [f"# Parameters\n{cell}\n"]}
    for name, each in load_params("moxie").notebook("planted").parameters.items():
        own[name] = each.smoke
    exec(cell, own)
    settle_parameters()
    assert own["device"] == "cpu"
    monkeypatch.setattr(injected_parameters, "gpu", "Tesla T4")
    settle_parameters()
    assert own["device"] == device
    assert ('device = "cuda", since this session has a GPU (Tesla T4)' in capsys.readouterr().out) == (device == "cuda")


def test_without_a_clone_of_the_book_nothing_is_checked(
    own: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own["In"].append("# Parameters\nx = 1\n")
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    settle_parameters()


def test_only_assignments_are_injected() -> None:
    with pytest.raises(UserError, match="more than assignments"):
        injected(["# Parameters\nimport os"])
