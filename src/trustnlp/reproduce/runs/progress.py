"""Progress of `run_many` and `sweep`, shown to a person: bars and the time left in a terminal, else a line per run."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from trustnlp.reproduce.runs.run_states import Event, OnEvent


@contextmanager
def reporter(total: int, console: Console) -> Iterator[OnEvent]:
    """Show `total` runs on `console` while the block lasts; call what it yields with each event."""
    if not console.is_terminal:
        yield _line_writer(total, console)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        whole = progress.add_task("notebooks", total=total)
        shown: dict[Path, TaskID] = {}  # by the notebook a run writes, which no two runs share

        def on_event(event: Event) -> None:
            if event.kind == "start":
                shown[event.spec.out_notebook] = progress.add_task(f"  {event.spec.name}", total=None)
            elif event.kind == "cell":
                progress.update(shown[event.spec.out_notebook], completed=event.cell, total=event.cells)
            else:
                task = shown.pop(event.spec.out_notebook, None)
                if task is not None:
                    progress.remove_task(task)
                progress.advance(whole)
                progress.console.print(_ending(event), highlight=False, soft_wrap=True)

        yield on_event


def _line_writer(total: int, console: Console) -> OnEvent:
    ended = 0

    def on_event(event: Event) -> None:
        nonlocal ended
        if event.kind in {"start", "cell"}:
            return
        ended += 1
        console.print(f"[{ended}/{total}] {_ending(event)}", highlight=False, markup=False, soft_wrap=True)

    return on_event


def _ending(event: Event) -> str:
    name = f"{event.spec.name} ({event.spec.profile})"
    if event.kind == "cached":
        return f"{name}: unchanged"
    return f"{name}: {event.kind} in {event.seconds:.1f} s" if event.kind == "done" else f"{name}: failed"
