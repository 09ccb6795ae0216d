"""`trustnlp run`, `sweep` and `join`: from notebooks to records."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trustnlp.reproduce.command_paths import Reads, Writes
from trustnlp.reproduce.terminal import Workers, console

if TYPE_CHECKING:
    from trustnlp.reproduce.runs.run_states import OnEvent, RunResult, RunSpec

Profile = Annotated[str, typer.Option(help="smoke (quick, judges nothing) or paper (the evidence).")]
Resume = Annotated[bool, typer.Option("--resume", help="Skip runs that are finished and unchanged.")]


def run(
    target: Annotated[str, typer.Argument(metavar="CHAPTER[/NOTEBOOK]", help="One chapter, or one notebook of it.")],
    profile: Profile = "smoke",
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="K=V", help="Change a parameter; repeatable.")
    ] = None,
    seeds: Annotated[str | None, typer.Option(help="Seeds, as 0-4 or 0,2,5.")] = None,
    device: Annotated[str | None, typer.Option(help="Device, for notebooks that have the parameter.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would run, and stop.")] = False,
    resume: Resume = False,
    workers: Workers = 2,
) -> None:
    """Run notebooks with papermill and keep their records."""
    from trustnlp.reproduce.runs.runner import plan, run_many

    chapter, _, notebook = target.partition("/")
    specs = plan(chapter, notebook or None, profile, _assignments(set_ or []), seeds, device)
    if dry_run:
        _show_plan(specs)
        return
    _report(specs, lambda tell: run_many(specs, workers=workers, resume=resume, on_event=tell))


def sweep(
    target: Annotated[str, typer.Argument(metavar="CHAPTER[/NOTEBOOK]")],
    grid: Annotated[list[str], typer.Option(help="k=a,b,c (repeatable), or a sweep of params.yaml.")],
    profile: Annotated[
        str | None, typer.Option(help="Profile the grid is laid over (smoke, or the sweep's own).")
    ] = None,
    workers: Workers = 2,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, tcp://host:8786.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would run, and stop.")] = False,
    resume: Resume = False,
) -> None:
    """Run a notebook over a grid of parameters, on this machine or on a Dask cluster."""
    from trustnlp.reproduce.project import shown
    from trustnlp.reproduce.runs.sweep import read_grid, run_sweep, sweep_folder, sweep_specs

    chapter, _, notebook = target.partition("/")
    asked = read_grid(chapter, grid, notebook or None, profile)
    specs = sweep_specs(chapter, asked)
    if dry_run:
        _show_plan(specs)
        return
    try:
        _report(
            specs,
            lambda tell: run_sweep(chapter, asked, workers=workers, scheduler=scheduler, resume=resume, on_event=tell),
        )
    finally:
        index = sweep_folder(chapter, asked.notebook) / "index.csv"
        if index.is_file():
            print(f"Table of all runs: {shown(index)}")
    if asked.completes:
        print(f"To make them the record: trustnlp join {chapter}/{asked.notebook} --grid {asked.name}")


def join(
    target: Annotated[str, typer.Argument(metavar="CHAPTER/NOTEBOOK")],
    parts: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PART.json]...", help="Records of the parts; else those in _build."),
        Reads(),
    ] = None,
    grid: Annotated[
        str | None, typer.Option(help="A sweep of params.yaml with `completes`; else the paper profile.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Where to write; else the chapter's committed record."),
        Writes((".json",), "the record"),
    ] = None,
) -> None:
    """Join paper runs made by seed or by cell of a grid into one record, if nothing else differs."""
    from trustnlp.reproduce.project import UserError, shown
    from trustnlp.reproduce.runs.joining import join_files

    chapter, _, notebook = target.partition("/")
    if not notebook:
        raise UserError(f"{target!r}: expected CHAPTER/NOTEBOOK, since a record belongs to one notebook")
    joined, place = join_files(chapter, notebook, parts or [], grid, out)
    for name, why in joined.left_out.items():
        print(f"left out: {name}: {why}")
    parted = "1 part" if joined.parts == 1 else f"{joined.parts} parts"
    print(f"{parted}, {len(joined.record['metrics'])} metrics: record {shown(place)}")
    print("Next: `trustnlp verdicts --check`")


def _assignments(texts: list[str]) -> dict[str, str]:
    """`--set k=v` texts as a mapping; the runner parses the values by their declared types."""
    from trustnlp.reproduce.project import UserError

    given: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UserError(f"--set {text!r}: expected NAME=VALUE")
        if name.strip() in given:
            raise UserError(f"--set names {name.strip()!r} twice")
        given[name.strip()] = value
    return given


def _show_plan(specs: "list[RunSpec]") -> None:
    from trustnlp.reproduce.project import shown
    from trustnlp.reproduce.runs.durations import last_took
    from trustnlp.reproduce.runs.runner import is_finished

    for spec in specs:
        took = last_took(spec.chapter, spec.notebook, spec.profile)
        last = f"the {spec.profile} profile took {took}" if took else f"no run of the {spec.profile} profile yet"
        state = "finished, unchanged" if is_finished(spec) else last
        print(f"{spec.name} ({spec.profile}; {state}) → {shown(spec.out_record)}")
        for name, value in spec.parameters.items():
            print(f"    {name} = {json.dumps(value, ensure_ascii=False)}")


def _report(specs: "list[RunSpec]", work: "Callable[[OnEvent], list[RunResult]]") -> None:
    """Do the work with a progress display, print how each run ended, and exit with 1 if one failed."""
    from trustnlp.reproduce.project import shown
    from trustnlp.reproduce.runs.progress import reporter

    started = time.perf_counter()
    with reporter(len(specs), console()) as tell:
        results = work(tell)
    failed = [result for result in results if result.status == "failed"]
    for result in results:
        if result.record is not None:
            print(f"record {shown(result.record)}")
    for result in failed:
        print(f"\n{result.error}", file=sys.stderr)
    kinds = {status: sum(result.status == status for result in results) for status in ("done", "cached", "failed")}
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
    print(f"{counts} in {time.perf_counter() - started:.1f} s")
    if failed:
        raise typer.Exit(1)
