"""Build the book: run the notebooks, stage, render, check the pages; each step says how long it took.

Nothing is done twice: a run whose cache key stands is not repeated, a page whose content stands is not rendered, and
when neither pages nor records nor the code behind them changed, Sphinx is not even started.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.address import own_address
from trustnlp.reproduce.bytecode import child_environment
from trustnlp.reproduce.kept_answers import content_hash
from trustnlp.reproduce.pages.built.page_checks import check_pages
from trustnlp.reproduce.pages.built.redirects import read_redirects, write_redirects
from trustnlp.reproduce.pages.staging import notebook_pages, stage
from trustnlp.reproduce.project import ROOT_VARIABLE, git_commit, project_root, shown, write_atomic
from trustnlp.reproduce.runs.execution import ANSI
from trustnlp.reproduce.runs.run_states import OnEvent
from trustnlp.reproduce.runs.runner import plan, run_many

Echo = Callable[[str], None]
RENDERERS = ("jupyter-book", "sphinx", "myst-nb", "sphinx-book-theme", "pydata-sphinx-theme", "sphinx-mathjax-offline")


def build_book(*, workers: int = 2, on_event: OnEvent | None = None, echo: Echo = print) -> int:
    """Bring `_build/html` up to date and return the exit status: 0, or 1 when a notebook, Sphinx or a page failed.

    Parameters
    ----------
    workers
        Notebooks that run at once.
    on_event
        Told what each notebook does, for a progress bar.
    echo
        Told, line by line, what happens.

    Raises
    ------
    UserError
        If data are missing, or a page has no source: one line that says what to do.
    """
    root = project_root()
    redirects = read_redirects(root)
    pages = notebook_pages(yaml.safe_load(read_text(root / "_toc.yml")), root)
    specs = {page: plan(chapter, notebook)[0] for page, (chapter, notebook) in pages.items()}

    with _step(echo, f"Notebooks ({len(specs)}, profile smoke)") as done:
        results = run_many(specs.values(), workers=workers, resume=True, on_event=on_event)
        failed = [result for result in results if result.status == "failed"]
        ran = sum(result.status == "done" for result in results)
        done(f"{ran} run, {len(results) - ran - len(failed)} unchanged" + (f", {len(failed)} failed" if failed else ""))
    for result in failed:
        echo(result.error or f"{result.spec.name} failed")
    if failed:
        return 1

    stage_dir, html = root / "_build" / "stage", root / "_build" / "html"
    executed = {page: spec.out_notebook for page, spec in specs.items()}
    with _step(echo, "Staging") as done:
        address = own_address(root)
        staged = stage(root, stage_dir, executed, commit=git_commit(root), address=address)
        done(f"{len(staged.written)} files new or changed, {len(staged.removed)} removed")
    if address is None:
        echo("Repository: no address (set repository.url in _config.yml, or git's remote); pages have no Colab button")

    stamp = root / "_build" / "book.stamp.json"
    state = {"tree": staged.digest, "inputs": _inputs(root)}
    last = _read(stamp)
    if last == state and (html / "index.html").is_file():
        echo("Pages: nothing changed")
    else:
        # Unless the last build was good, Sphinx must read everything: a page that warned then would be silent now.
        if last is None or staged.removed:
            shutil.rmtree(root / "_build" / ".doctrees", ignore_errors=True)
            shutil.rmtree(html, ignore_errors=True)
        stamp.unlink(missing_ok=True)
        with _step(echo, "Pages (Sphinx)") as done:
            status, said = _render(root, stage_dir)
            done("" if status == 0 else "failed")
        for line in said:
            echo(f"  {line}")
        if status:
            return 1
        write_redirects(redirects, html)
        with _step(echo, "Checking pages") as done:
            findings = check_pages(html, private=str(root))
            done(f"{len(findings)} findings" if findings else "no findings")
        for finding in findings:
            echo(f"  {finding}")
        if findings:
            return 1
        write_atomic(stamp, json.dumps(state))
    echo(f"The book: {shown(html / 'index.html')}")
    return 0


# Whoever reads from a pipe that we hold learns that we are gone, however we ended.
WATCHED = (
    "import os, threading\n"
    "threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()\n"
)  # fmt: skip


def _render(root: Path, stage_dir: Path) -> tuple[int, list[str]]:
    """Run Jupyter Book on the staged tree; its exit status and what it complained about."""
    # The package has no __main__, and its script may lie outside PATH.
    program = f"{WATCHED}from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", program, "build", str(stage_dir)]
    command += ["--path-output", str(root), "--keep-going", "-q", "-n", "-W"]
    environment = {**child_environment(), ROOT_VARIABLE: str(root), "PYTHONWARNINGS": "ignore"}
    watched, held = os.pipe()
    try:
        done = subprocess.run(command, stdin=watched, capture_output=True, text=True, check=False, env=environment)
    finally:
        os.close(watched)
        os.close(held)
    plain = ANSI.sub("", done.stderr.replace(f"{stage_dir}/", ""))
    said = [line for line in plain.splitlines() if line.strip()]
    complaints = [line for line in said if "WARNING" in line or "ERROR" in line]
    # Jupyter Book ends every failed build with its own traceback, which says nothing when pages were at fault.
    if done.returncode and complaints:
        said = complaints
    return done.returncode, said


def _inputs(root: Path) -> str:
    """Hash of what pages are made from besides the staged tree: ledgers, records, registry, templates, tools."""
    patterns = ("chapters/*/*.yaml", "chapters/*/results/*.json", "_build/runs/*/*.smoke.json")
    code = ("src/trustnlp/**/*.toml", "src/trustnlp/**/*.j2")
    files = content_hash(path for pattern in (*patterns, *code) for path in sorted(root.glob(pattern)))
    return files.hex() + " ".join(f"{name}=={metadata.version(name)}" for name in RENDERERS)


def _read(stamp: Path) -> Any:
    try:
        return json.loads(read_text(stamp))
    except (OSError, ValueError):
        return None


@contextmanager
def _step(echo: Echo, name: str) -> Iterator[Callable[[str], None]]:
    started, outcome = time.perf_counter(), [""]

    def done(text: str) -> None:
        outcome[0] = f": {text}" if text else ""

    yield done
    echo(f"{name}{outcome[0]} ({time.perf_counter() - started:.1f} s)")
