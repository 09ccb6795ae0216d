"""A kernel's folder in the temporary directory goes with its run, also where the run was killed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from trustnlp.reproduce.runs import execution, kernel
from trustnlp.reproduce.runs.runner import plan, relocate


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_a_killed_process_left_is_cleared_by_the_next(temporary: Path) -> None:
    killed = subprocess.Popen([sys.executable, "-c", "pass"])
    killed.wait()
    for name in (f"{killed.pid}-a", f"{os.getpid()}-b", "c", "1-d"):
        (temporary / f"trustnlp-kernel-{name}").mkdir()
        (temporary / f"trustnlp-kernel-{name}" / "kernel.json").write_text("{}")
    (temporary / "other").mkdir()
    made = kernel.make_kernel()
    left = {path.name for path in temporary.iterdir()}
    own = Path(made.connection_file).parent.name
    assert left == {f"trustnlp-kernel-{os.getpid()}-b", "trustnlp-kernel-c", "trustnlp-kernel-1-d", "other", own}
    kernel.stop(made)
    assert own not in {path.name for path in temporary.iterdir()}


def test_a_kernel_that_does_not_start_leaves_no_folder(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OSError("no process can be started")

    monkeypatch.setattr(kernel, "start", refuse)
    spec = relocate(plan("_template", "method")[0], temporary / "out", "method")
    with pytest.raises(OSError, match="no process"):
        execution._run_notebook(spec, None, warm=False)
    assert list(temporary.iterdir()) == []
