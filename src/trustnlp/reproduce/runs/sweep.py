"""Many runs of one notebook over a grid of parameters: in this machine's processes, or on a Dask cluster.

Each run is `execution.execute`, its result a record. On Dask, whose scheduler is named by its address, runs of lost
workers go to others, and finished ones are not repeated.
"""

import json
import logging
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from trustnlp.reproduce.project import ROOT_VARIABLE, UserError, first_line, nearest, project_root, write_atomic
from trustnlp.reproduce.runs.cachekey import short_hash
from trustnlp.reproduce.runs.execution import execute
from trustnlp.reproduce.runs.params import ChapterParams, Sweep, load_params, make_sweep
from trustnlp.reproduce.runs.run_states import Event, NotebookFailed, OnEvent, RunResult, RunSpec
from trustnlp.reproduce.runs.runner import plan, relocate, run_many
from trustnlp.reproduce.runs.workers import run_in_workers

RETRIES = 2  # for a run whose worker was lost or whose disk failed; a notebook that fails is not tried again
CONNECT_SECONDS = 15
_LOST = "the Dask scheduler was lost; start it again, and the same command with --resume does what is missing"
_TALKATIVE = (
    "distributed", "distributed.client", "distributed.core", "distributed.utils", "distributed.comm", "asyncio",
    "tornado.application",
)  # fmt: skip


def read_grid(chapter: str, texts: Sequence[str], notebook: str | None = None, profile: str | None = None) -> Sweep:
    """The sweep that `--grid` asks for.

    texts    : `k=a,b,c` (several make a product), or one sweep of `params.yaml`
    notebook : needed when more than one notebook of the chapter has the parameters
    profile  : whose values the grid is laid over; of a named sweep its own, else smoke
    """
    declared = load_params(chapter)
    if len(texts) == 1 and (named := declared.sweeps.get(texts[0])):
        entry = declared.notebook(notebook or named.notebook)
        sweep = make_sweep(named.name, entry, profile or named.profile, named.grid)
        as_declared = (sweep.notebook, sweep.profile) == (named.notebook, named.profile)
        return sweep.model_copy(update={"completes": named.completes and as_declared})
    grid: dict[str, Any] = {}
    for text in texts:
        key, given, values = text.partition("=")
        if not given:
            known = f"known: {', '.join(declared.sweeps)}" if declared.sweeps else "it has none"
            hint = nearest(text, declared.sweeps)
            raise UserError(f"--grid {text!r} is no k=a,b,c and no one sweep of {chapter!r}{hint} ({known})")
        if key in grid:
            raise UserError(f"--grid names {key!r} twice; give all its values at once, as in {key}=a,b")
        grid[key.strip()] = [value.strip() for value in values.split(",") if value.strip()]
    entry = declared.notebook(notebook or _only_notebook(declared, grid))
    return make_sweep("command line", entry, profile or "smoke", grid)


def _only_notebook(declared: ChapterParams, grid: Mapping[str, Any]) -> str:
    having = [name for name, entry in declared.notebooks.items() if all(key in entry.parameters for key in grid)]
    if len(having) == 1:
        return having[0]
    if having:
        notebooks = f"several notebooks have it ({', '.join(having)})"
        raise UserError(f"{', '.join(grid)}: {notebooks}; name one, as {declared.chapter}/{having[0]}")
    entries = declared.notebooks.values()
    for key in grid:
        if not any(key in entry.parameters for entry in entries):
            raise declared.unknown(key, entries)
    raise UserError(f"no one notebook of {declared.chapter!r} has all of {', '.join(grid)}")


def sweep_folder(chapter: str, notebook: str) -> Path:
    return project_root() / "_build" / "sweeps" / chapter / notebook


def sweep_specs(chapter: str, sweep: Sweep) -> list[RunSpec]:
    """One run per point of the grid, named by a hash of its profile and parameters."""
    folder = sweep_folder(chapter, sweep.notebook)
    specs = []
    for point in sweep.points():
        [spec] = plan(chapter, sweep.notebook, sweep.profile, point)
        specs.append(relocate(spec, folder, short_hash(spec.injected)))
    return specs


def run_sweep(
    chapter: str,
    sweep: Sweep,
    *,
    workers: int = 2,
    scheduler: str | None = None,
    resume: bool = False,
    on_event: OnEvent | None = None,
) -> list[RunResult]:
    """Run every point and write `index.csv` beside the records; one result per point, in order.

    workers   : processes on this machine, if no `scheduler` is given
    scheduler : address of a Dask scheduler, such as `tcp://head:8786`; its workers must have trustnlp installed and
                see the project under the same path
    """
    run = run_in_workers if scheduler is None else partial(_run_on_dask, scheduler)
    results = run_many(sweep_specs(chapter, sweep), workers, resume, on_event, run)
    write_index(sweep_folder(chapter, sweep.notebook))
    return results


def _run_on_dask(scheduler: str, specs: Sequence[RunSpec], _workers: int, tell: OnEvent) -> list[RunResult]:
    from distributed import Client, as_completed

    results: dict[Any, RunResult] = {}
    for name in _TALKATIVE:  # a lost scheduler is told once, and not as a traceback of each of Dask's coroutines
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(scheduler, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise UserError(
            f"no Dask scheduler answers at {scheduler} ({first_line(error)}); start one with `dask scheduler`"
        ) from None
    with client:
        futures = {
            client.submit(run_point, spec, str(project_root()), pure=False, retries=RETRIES): spec for spec in specs
        }
        for future in as_completed(futures):
            if future.status == "finished":
                ended = future.result()
            else:
                lost = future.status in ("lost", "cancelled") or client.status != "running"
                why = f"{_LOST} (Dask: {future.status})" if lost else first_line(future.exception())
                ended = RunResult.failed(futures[future], f"{futures[future].name} failed: {why}")
            results[future] = ended
            tell(Event(ended.status, ended.spec, seconds=ended.seconds, message=ended.error or ""))
        return [results[future] for future in futures]


def run_point(spec: RunSpec, root: str) -> RunResult:
    """Execute one run on a Dask worker. Only what another worker could do better is left to raise."""
    from trustnlp.data.registry import DataError

    if not (Path(root) / "_config.yml").is_file():
        return RunResult.failed(spec, f"this worker does not see the project at {root}; share that folder with it")
    os.environ[ROOT_VARIABLE] = root
    try:
        return execute(spec)
    except (NotebookFailed, UserError, DataError) as error:
        return RunResult.failed(spec, str(error))


def write_index(folder: Path) -> None:
    """Table of every record in `folder`, one row a run with its parameters and the means: `index.csv`.

    Runs of earlier sweeps of this notebook stay in it as long as their records do.
    """
    import pandas as pd

    from trustnlp.reproduce.records.record_files import load_record

    rows = []
    for path in sorted(folder.glob("*.json")):
        if ".part." not in path.name:
            record = load_record(path)
            run = {"record": path.name, "profile": record["profile"], "seconds": record["seconds"]}
            given = {name: json.dumps(v) if isinstance(v, list) else v for name, v in record["parameters"].items()}
            rows.append({**run, **given, **{key: metric["mean"] for key, metric in record["metrics"].items()}})
    write_atomic(folder / "index.csv", pd.DataFrame(rows, dtype=object).to_csv(index=False))
