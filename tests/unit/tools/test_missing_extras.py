"""Without an extra, a command says in one line what to install."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from typer.testing import CliRunner

from trustnlp.tools.cli import app
from trustnlp.tools.missing_extras import missing_extra


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModuleNotFoundError("No module named 'gensim'", name="gensim.models"), "pip install 'trustnlp[embeddings]'"),
        (ModuleNotFoundError("No module named 'papermill'", name="papermill"), "pip install 'trustnlp[run]'"),
        (ImportError("x needs numba:\npip install 'trustnlp[senses]'"), "x needs numba: pip install"),
        (ModuleNotFoundError("No module named 'torch'", name="torch"), "pip install torch; `trustnlp doctor`"),
        (ModuleNotFoundError("No module named 'sklearn'", name="sklearn.svm"), "pip install scikit-learn;"),
        (ModuleNotFoundError("No module named 'trustnlp.typo'", name="trustnlp.typo"), None),
    ],
)
def test_the_extra_is_named(error: ImportError, told: str | None) -> None:
    found = missing_extra(error)
    assert found is None if told is None else (told in (found or "") and "\n" not in (found or ""))


def test_a_run_without_its_extra_is_one_line(monkeypatch: pytest.MonkeyPatch, forget: Callable[[str], None]) -> None:
    for name in ("runner", "workers", "kernel", "execution"):
        forget(f"trustnlp.reproduce.runs.{name}")
    monkeypatch.setitem(sys.modules, "jupyter_client.kernelspec", None)
    done = CliRunner().invoke(app, ["run", "aec"])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "jupyter_client" in done.stderr and "pip install 'trustnlp[run]'" in done.stderr
