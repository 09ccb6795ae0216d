"""The first cell in Colab: a clone, then an installation that can fail and be repeated, with Colab's packages held."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trustnlp.reproduce import colab
from trustnlp.reproduce.notebooks.twins import bootstrap_source

ROOT = Path(__file__).resolve().parents[3]
# Stands for pip: writes down how it was called, and fails as often as a file says.
PIP = """
import json, pathlib, sys
folder = pathlib.Path(__file__).parent
held = sys.argv[sys.argv.index("--constraint") + 1]
with (folder / "calls.jsonl").open("a") as file:
    file.write(json.dumps([sys.argv[1:], pathlib.Path(held).read_text()]) + "\\n")
left = folder / "failures"
if left.exists():
    left.unlink()
    sys.exit("no network")
"""


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A bare folder, a repository on this disk, and a `pip` that only notes what it was asked."""
    origin = tmp_path / "origin"
    (origin / "chapters" / "tiny").mkdir(parents=True)
    (origin / "chapters" / "tiny" / "one.py").write_text("import gensim\nfrom trustnlp.graphs import a\nimport json\n")
    package = origin / "src" / "trustnlp"
    for name in ("files", "reproduce"):
        shutil.copytree(ROOT / "src" / "trustnlp" / name, package / name)
    for name in ("__init__.py", "moved.py"):
        shutil.copy(ROOT / "src" / "trustnlp" / name, package)
    (package / "graphs.py").write_text("def a():\n    import ortools.sat\n    import cryptography\n")
    (origin / "pyproject.toml").write_text(
        '[project]\ndependencies = ["numpy>=1", "pandas>=999"]\n[project.optional-dependencies]\n'
        'embeddings = ["no-such-gensim>=4"]\ngraphs = ["no-such-ortools", "numpy>=1"]\n'
    )
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run(["git", "-C", str(origin), *identity, *command], check=True)
    (tmp_path / "fake" / "pip").mkdir(parents=True)
    (tmp_path / "fake" / "pip" / "__init__.py").touch()  # else the real one comes first
    (tmp_path / "fake" / "pip" / "__main__.py").write_text(PIP)
    (tmp_path / "content").mkdir()
    return tmp_path


def first_cell(session: Path, *, gpu: str = "") -> subprocess.CompletedProcess[str]:
    cell = bootstrap_source("https://github.com/OWNER/trustnlp", "tiny/one")
    cell = cell.replace("https://github.com/OWNER/trustnlp", (session / "origin").as_uri())
    after = "import os, trustnlp.reproduce.runs.injected_parameters as p\nprint(p.gpu, os.environ['TRUSTNLP_ROOT'])"
    code = f"import sys, types\nsys.modules['google.colab'] = types.ModuleType('google.colab')\n{cell}\n{after}"
    card = session / "fake" / "nvidia-smi"
    card.write_text(f"#!/bin/sh\necho {gpu}\n")
    card.chmod(0o755 if gpu else 0o644)
    path = f"{session / 'fake'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PYTHONPATH": str(session / "fake"), "PATH": path}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=session / "content", env=environment, capture_output=True, text=True
    )


def calls(session: Path) -> list[tuple[list[str], str]]:
    lines = (session / "fake" / "pip" / "calls.jsonl").read_text().splitlines()
    return [tuple(json.loads(line)) for line in lines]


def test_the_cell_installs_what_is_lacking_and_holds_colabs_packages(session: Path) -> None:
    done = first_cell(session)
    assert done.returncode == 0, done.stderr
    [(arguments, held)] = calls(session)
    assert arguments[0] == "install" and "--upgrade" not in arguments
    assert arguments[-3:] == ["pandas>=999", "no-such-gensim>=4", "no-such-ortools"]
    assert held.splitlines() == colab.constraints() and "torch==" in held and "numpy==" in held
    assert "this session has no GPU" in done.stdout
    assert done.stdout.splitlines()[-1] == f"None {session / 'content' / 'trustnlp-book'}"


def test_it_names_the_gpu_and_can_be_repeated_after_a_failed_installation(session: Path) -> None:
    (session / "fake" / "pip" / "failures").touch()
    failed = first_cell(session)
    ours = "trustnlp: the installation failed, see above; run this cell again"
    assert failed.returncode != 0 and failed.stderr.splitlines() == ["no network", ours]
    again = first_cell(session, gpu="Tesla T4")
    assert again.returncode == 0 and 'has a GPU, Tesla T4: device = "cuda"' in again.stdout
    assert again.stdout.splitlines()[-1].startswith("Tesla T4 ")


def test_where_nothing_is_lacking_pip_is_not_called() -> None:
    assert colab.missing(["embeddings"]) == []


@pytest.mark.slow
def test_the_first_cell_of_a_notebook_of_each_chapter_runs_in_colab(tmp_path: Path) -> None:
    """Each notebook has this cell, as tests/chapters/test_chapters.py says."""
    (tmp_path / "trustnlp-book").symlink_to(ROOT)
    twins = sorted((ROOT / "chapters").glob("*/method.ipynb"))
    code = f"""
import json, sys, types
sys.modules["google.colab"] = types.ModuleType("google.colab")
for path in {[str(path) for path in twins]!r}:
    cells = [cell for cell in json.load(open(path))["cells"] if cell["cell_type"] == "code"]
    source = "".join(cells[0]["source"])
    assert len(source.splitlines()) <= 6 and "google.colab" in source
    exec(source, {{}})
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("trustnlp is ready") == len(twins)


def test_a_clone_that_was_cut_off_is_made_anew(session: Path) -> None:
    (session / "content" / "b" / ".git").mkdir(parents=True)
    assert first_cell(session).returncode == 0
    assert sorted(path.name for path in (session / "content").iterdir()) == ["trustnlp-book"]


def test_a_repository_out_of_reach_is_one_line_and_leaves_nothing(session: Path) -> None:
    (session / "origin").rename(session / "elsewhere")
    failed = first_cell(session)
    assert failed.returncode != 0
    assert failed.stderr.splitlines()[-1].endswith("cannot be cloned, see above; run this cell again")
    (session / "elsewhere").rename(session / "origin")
    assert first_cell(session).returncode == 0


def test_imports_for_type_checkers_ask_for_no_extra(tmp_path: Path) -> None:
    source = tmp_path / "one.py"
    source.write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import gensim\ndef f():\n    import nltk\n"
    )
    assert colab.extras_of(source) == ["explain"]


def test_the_cell_does_nothing_elsewhere(tmp_path: Path) -> None:
    code = bootstrap_source("https://github.com/OWNER/trustnlp", "tiny/one")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert list(tmp_path.iterdir()) == []


def test_each_notebook_asks_only_for_extras_that_exist_and_for_no_compiler() -> None:
    import tomllib

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert set(colab.EXTRAS.values()) <= set(declared)
    asked = {path.stem: set(colab.extras_of(path)) for path in (ROOT / "chapters" / "xer").glob("*.py")}
    assert all(extras <= set(declared) - {"records", "run", "book", "test"} for extras in asked.values())
    assert "graphs" not in colab.extras_of(ROOT / "chapters" / "_template" / "method.py")
