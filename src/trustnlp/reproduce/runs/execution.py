"""Execute one notebook with papermill in this process's own kernel.

A run leaves two files, the executed notebook and its record; of a lesson, which measures nothing, the second says only
which run it was. Both are made under `*.part.*` names and moved into
place when the notebook has finished, the record last: a record that exists belongs to a run that ended well.
"""

import json
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from trustnlp.files.disk_space import full_disk
from trustnlp.reproduce.checks.standing import sources_of
from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.notebooks.output_sources import LESSONS, mark_outputs
from trustnlp.reproduce.notebooks.sources import closure, combined
from trustnlp.reproduce.project import UserError, chapter_dir, git_commit, git_dirty, project_root, shown
from trustnlp.reproduce.records.page_evidence import PART_VARIABLE
from trustnlp.reproduce.runs.cachekey import chapter_files, hash_of, lock_hash
from trustnlp.reproduce.runs.params import load_params
from trustnlp.reproduce.runs.run_states import NotebookFailed, RunResult, RunSpec

# Seconds for a kernel to start or to tell what it printed: a busy machine is no failure.
PATIENCE = 600
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def key_of(spec: RunSpec) -> str:
    """The cache key of a run as things stand now: a hash of everything that could change its numbers.

    jupyter-cache looks at the cells alone: a changed function in `src/` would leave the old page standing.
    """
    from trustnlp.data.store import hashes

    notebook = twins.read_notebook(spec.twin)
    cells = [(cell.cell_type, cell.source) for cell in notebook.cells]
    declared = load_params(spec.chapter).notebook(spec.notebook).data[spec.profile]
    data = {name: hashes(name) for name in declared}
    if spec.profile == "smoke":
        # Pages are made of smoke runs, which read the ledger and draw figures from the committed records.
        data["the chapter's ledger and records"] = chapter_files(chapter_dir(spec.chapter))
    data["how outputs are marked"] = closure(["import trustnlp.reproduce.notebooks.output_sources"])
    code = combined(closure(source for kind, source in cells if kind == "code"))
    return hash_of({"cells": cells, "parameters": spec.injected, "data": data, "source": code, "lock": lock_hash()})


def execute(spec: RunSpec, on_cell: Callable[[int, int], None] | None = None, *, warm: bool = False) -> RunResult:
    """Run one notebook in this process's own kernel and put its two files in place.

    `warm` forks the kernel of a smoke run from a process that has imported most libraries.

    Raises
    ------
    NotebookFailed
        If a cell raised, the kernel died, the notebook saved no record, or a lesson did. Nothing but `*.failed.ipynb`
        is left.
    """
    # Before the run: what is edited while it lasts is not what it was made with.
    key, sources = key_of(spec), sources_of(spec.chapter, spec.notebook)
    spec.out_notebook.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(spec.out_notebook.with_suffix(".lock")):
        clear_leftovers(spec.out_notebook.parent)
        _remove_parts(spec)
        spec.failed_notebook.unlink(missing_ok=True)
        started, clock = datetime.now(UTC), time.perf_counter()
        try:
            peak = _run_notebook(spec, on_cell, warm=warm)
            seconds = time.perf_counter() - clock
            record = _complete(spec, key, sources, started, seconds, peak)
            _move_into_place(spec, record)
        finally:
            _remove_parts(spec)
    return RunResult(spec, seconds, spec.out_record)


def _run_notebook(spec: RunSpec, on_cell: Callable[[int, int], None] | None, *, warm: bool) -> float:
    """Execute the twin into the part files; returns the kernel's peak memory in MB."""
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    from trustnlp.reproduce.runs import kernel as kernels

    source = twins.read_notebook(spec.twin)
    cells = len(source.cells) + bool(spec.injected)  # papermill adds the cell of parameters

    def told(cell_index: int, **_: Any) -> None:
        if on_cell is not None:
            on_cell(cell_index + 1, cells)

    kernel = kernels.make_kernel(warm=warm and spec.profile == "smoke")
    variables = {
        "TRUSTNLP_RECORD": str(spec.part_record),
        "TRUSTNLP_HOLDS": shown(spec.out_record),
        "TRUSTNLP_ROOT": str(project_root()),
        **({} if spec.is_record else {PART_VARIABLE: "1"}),
    }
    try:
        kernels.start(kernel, chapter_dir(spec.chapter), variables)
        papermill.execute_notebook(
            str(spec.twin),
            str(spec.part_notebook),
            parameters=spec.injected,
            kernel_name="python3",
            km=kernel,
            progress_bar=False,
            request_save_on_cell_execute=False,
            start_timeout=PATIENCE,
            iopub_timeout=PATIENCE,
            on_cell_complete=told,
        )
        return kernels.peak_memory_mb(kernel)
    except PapermillExecutionError as error:
        spec.part_notebook.replace(spec.failed_notebook)
        traceback = ANSI.sub("", "\n".join(error.traceback))
        cell = _source_cell(source, error.cell_index) if spec.injected else error.cell_index + 1
        raise NotebookFailed(spec, f"{error.ename}: {error.evalue}", cell, error.source, traceback) from None
    except (DeadKernelError, RuntimeError) as error:  # RuntimeError: it died before it answered
        if not isinstance(error, DeadKernelError) and "ernel" not in str(error):
            raise
        why = full_disk(spec.part_notebook) or "a process killed like this has often run out of memory"
        raise NotebookFailed(spec, f"its kernel died; {why}") from None
    except OSError as error:
        if (full := full_disk(spec.part_notebook, told=str(error))) is None:
            raise
        raise NotebookFailed(spec, full) from None
    finally:
        kernels.stop(kernel)


def _source_cell(source: Any, executed_index: int) -> int:
    """Number (from 1) in the twin of the cell at `executed_index` of the executed notebook, which holds one more."""
    tagged = [i for i, cell in enumerate(source.cells) if "parameters" in cell.metadata.get("tags", [])]
    injected_at = tagged[0] + 1 if tagged else 0
    return executed_index + 1 if executed_index < injected_at else executed_index


def _complete(
    spec: RunSpec, key: str, sources: Mapping[str, str], started: datetime, seconds: float, peak: float
) -> dict[str, Any]:
    from trustnlp.reproduce.records import provenance
    from trustnlp.reproduce.records.measurement import RecordError
    from trustnlp.reproduce.records.recording import Record, complete
    from trustnlp.reproduce.runs import kernel as kernels

    if spec.part_record.is_file() == spec.lesson:
        kept = "a lesson keeps no record, but it saved one; take record.save() out"
        none = "it finished but saved no record; end it with record.save()"
        raise NotebookFailed(spec, kept if spec.lesson else none)
    if spec.lesson:
        part = Record(spec.chapter, spec.notebook, profile=spec.profile).to_json()
    else:
        part = json.loads(spec.part_record.read_text(encoding="utf-8"))
    root = project_root()
    try:
        return complete(
            part,
            chapter=spec.chapter,
            notebook=spec.notebook,
            profile=spec.profile,
            parameters=dict(spec.parameters),
            git_commit=git_commit(root),
            git_dirty=git_dirty(root),
            sources=dict(sources),
            cache_key=key,
            device=spec.parameters.get("device", "cpu"),
            precision=spec.parameters.get("precision"),
            threads=kernels.THREADS_EACH,
            environment=provenance.environment(),
            hardware=provenance.hardware(),
            seconds=round(seconds, 3),
            peak_memory_mb=round(peak, 1),
            started=started.isoformat(timespec="seconds"),
        )
    except (RecordError, UserError) as error:
        raise NotebookFailed(spec, str(error)) from None


def _move_into_place(spec: RunSpec, record: Mapping[str, Any]) -> None:
    """Notebook first, record last: the record is what says that the run is finished."""
    from trustnlp.reproduce.records.recording import write_record

    executed = twins.read_notebook(spec.part_notebook)
    for private in ("input_path", "output_path", "environment_variables"):  # folders of this machine
        executed.metadata.get("papermill", {}).pop(private, None)
    mark_outputs(executed, lesson=spec.notebook in LESSONS)
    spec.part_notebook.write_text(twins.write_text(executed), encoding="utf-8")
    spec.out_record.parent.mkdir(parents=True, exist_ok=True)
    spec.part_notebook.replace(spec.out_notebook)
    write_record(spec.out_record, dict(record))


def _remove_parts(spec: RunSpec) -> None:
    for path in (spec.part_notebook, spec.part_record):
        path.unlink(missing_ok=True)


def clear_leftovers(folder: Path) -> list[Path]:
    """Remove the part files of killed runs; those of a run that is under way (its lock is held) stay."""
    removed = []
    for part in sorted(folder.glob("*.part.*")):
        # A leading dot: the scratch file of a part that is being written, which belongs to the same run.
        stem = part.name.lstrip(".").partition(".part.")[0]
        with suppress(Timeout), FileLock(folder / f"{stem}.lock", timeout=0):
            part.unlink(missing_ok=True)
            removed.append(part)
    return removed
