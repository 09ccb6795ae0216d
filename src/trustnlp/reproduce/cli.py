"""The command `trustnlp`. Only what a command needs is imported, when it runs: `trustnlp --help` is instant."""

import csv
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from trustnlp.reproduce.cli_attack import reidentify
from trustnlp.reproduce.cli_bias import weat
from trustnlp.reproduce.cli_chapters import new_chapter, remove_chapter
from trustnlp.reproduce.cli_data import data_app
from trustnlp.reproduce.cli_explain import errors, explain, plant
from trustnlp.reproduce.cli_graphs import partition
from trustnlp.reproduce.cli_pages import links, pdf
from trustnlp.reproduce.cli_privacy import audit
from trustnlp.reproduce.cli_records import records_app
from trustnlp.reproduce.cli_release import release
from trustnlp.reproduce.cli_senses import senses
from trustnlp.reproduce.cli_text import anonymise, privatise
from trustnlp.reproduce.command_paths import CheckedTyper, Reads, Writes, grid_file

if TYPE_CHECKING:
    from rich.console import Console

    from trustnlp.reproduce.runs import OnEvent, RunResult, RunSpec


class _OneLineErrors(TyperGroup):
    """What the person at the keyboard can mend is told in one line on stderr, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        from trustnlp.data.registry import DataError
        from trustnlp.reproduce.project import UserError
        from trustnlp.reproduce.unreadable_files import explained

        try:
            return super().invoke(ctx)
        except UserError as error:
            _fail(str(error), 2)
        except DataError as error:
            _fail(str(error), 2 if str(error).startswith("unknown data set") else 1)
        except OSError as error:
            if isinstance(error, BrokenPipeError):  # the reader of our output has seen enough
                raise
            _fail(f"{error.filename or 'cannot write'}: {error.strerror or error}", 1)
        except (ValueError, RuntimeError, csv.Error) as error:
            if (problem := explained(error)) is None:
                raise
            _fail(problem, 1)
        except ImportError as error:
            from trustnlp.reproduce.missing_extras import explained as missing

            if (problem := missing(error)) is None:
                raise
            _fail(problem, 2)
        except KeyboardInterrupt:
            _fail("interrupted; finished runs are kept, `--resume` goes on from there", 130)


def _fail(message: str, code: int) -> None:
    print(f"trustnlp: {message}", file=sys.stderr)
    raise SystemExit(code)


app = CheckedTyper(
    cls=_OneLineErrors,
    help="Run the book's notebooks, judge the papers' claims, build the pages.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(data_app, name="data")
app.add_typer(records_app, name="records")

Profile = Annotated[str, typer.Option(help="smoke (quick, judges nothing) or paper (the evidence).")]
Workers = Annotated[int, typer.Option(min=1, help="Notebooks that run at once.")]
Resume = Annotated[bool, typer.Option("--resume", help="Skip runs that are finished and unchanged.")]


@app.command("list")
def list_chapters() -> None:
    """Chapters, their notebooks, how long the last runs took, and sweeps."""
    from rich.table import Table

    from trustnlp.reproduce.claims import load_claims
    from trustnlp.reproduce.durations import last_took
    from trustnlp.reproduce.params import PROFILES, load_params
    from trustnlp.reproduce.project import chapters

    table = Table(box=None, padding=(0, 1, 0, 0))
    for name in ("chapter, notebook", "smoke took", "paper took"):
        table.add_column(name, no_wrap=True)
    table.add_column("claims, sweeps", overflow="fold")
    for slug in chapters():
        ledger, declared = load_claims(slug), load_params(slug)
        author = ledger.paper.authors.partition(",")[0].split(" and ")[0].split()[-1]
        table.add_row(
            slug,
            "",
            "",
            f"{sum(claim.under is None for claim in ledger.claims)} claims of {author} {ledger.paper.year}",
        )
        for name in declared.notebooks:
            sweeps = ", ".join(sweep.name for sweep in declared.sweeps.values() if sweep.notebook == name)
            table.add_row(f"  {name}", *(last_took(slug, name, profile) or "–" for profile in PROFILES), sweeps)
    _console().print(table)


@app.command()
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
    from trustnlp.reproduce.runner import plan, run_many

    chapter, _, notebook = target.partition("/")
    specs = plan(chapter, notebook or None, profile, _assignments(set_ or []), seeds, device)
    if dry_run:
        _show_plan(specs)
        return
    _report(specs, lambda tell: run_many(specs, workers=workers, resume=resume, on_event=tell))


@app.command()
def sweep(
    target: Annotated[str, typer.Argument(metavar="CHAPTER[/NOTEBOOK]")],
    grid: Annotated[
        list[str],
        typer.Option(help="k=a,b,c (repeatable), a YAML file, or a sweep of params.yaml."),
        Reads(grid_file),
    ],
    notebook: Annotated[str | None, typer.Option(help="Which notebook, when several have the parameters.")] = None,
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
    from trustnlp.reproduce.sweep import read_grid, run_sweep, sweep_folder, sweep_specs

    chapter, _, named = target.partition("/")
    asked = read_grid(chapter, grid, notebook or named or None, profile)
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
        index = sweep_folder(chapter, asked.notebook) / "index.json"
        if index.is_file():
            print(f"Table of all runs: {shown(index)}")
    if asked.completes:
        print(f"To make them the record: trustnlp join {chapter}/{asked.notebook} --grid {asked.name}")


@app.command()
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
    from trustnlp.reproduce.joining import join_files
    from trustnlp.reproduce.project import UserError, shown

    chapter, _, notebook = target.partition("/")
    if not notebook:
        raise UserError(f"{target!r}: expected CHAPTER/NOTEBOOK, since a record belongs to one notebook")
    joined, place = join_files(chapter, notebook, parts or [], grid, out)
    for name, why in joined.left_out.items():
        print(f"left out: {name}: {why}")
    parted = "1 part" if joined.parts == 1 else f"{joined.parts} parts"
    print(f"{parted}, {len(joined.record['metrics'])} metrics: record {shown(place)}")
    print("Next: `trustnlp verdicts --check`")


@app.command()
def book(
    chapters: Annotated[list[str] | None, typer.Option(help="Only these chapters; repeatable, or a,b.")] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Serve the built book on this machine.")] = False,
    workers: Workers = 2,
) -> None:
    """Run what changed, render the pages, check them."""
    from trustnlp.reproduce.book import build_book, serve_book
    from trustnlp.reproduce.params import load_params
    from trustnlp.reproduce.progress import reporter
    from trustnlp.reproduce.project import chapters as all_chapters

    only = [slug.strip() for text in chapters for slug in text.split(",") if slug.strip()] if chapters else None
    total = sum(len(load_params(slug).notebooks) for slug in (only or all_chapters()))
    console = _console()
    with reporter(total, console) as tell:
        status = build_book(only, workers=workers, on_event=tell, echo=lambda line: console.print(line, **_PLAIN))
    if status == 0 and serve:
        serve_book()
    raise typer.Exit(status)


@app.command()
def verdicts(
    as_json: Annotated[bool, typer.Option("--json", help="Print every judgement as JSON.")] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Fail when a verdict is not the one its ledger expects, or a ledger is at fault."),
    ] = False,
    readme: Annotated[bool, typer.Option("--readme", help="Rewrite the README's table.")] = False,
) -> None:
    """Judge every claim by the committed records."""
    from trustnlp.reproduce.dashboard import readme_table, replace_between_markers
    from trustnlp.reproduce.ledger_lints import lints
    from trustnlp.reproduce.project import chapters, project_root, write_atomic
    from trustnlp.reproduce.standing import standings
    from trustnlp.reproduce.tallies import group_in_words, tally
    from trustnlp.reproduce.verdicts import judge_all, unexpected

    judgements = judge_all()
    surprises = [judgement for judgement in judgements if not judgement.as_expected]
    if as_json:
        print(json.dumps([judgement.to_json() for judgement in judgements], indent=1, ensure_ascii=False))
    if readme:
        path = project_root() / "README.md"
        text = path.read_text(encoding="utf-8")
        renewed = replace_between_markers(text, readme_table(judgements))
        if renewed != text:
            write_atomic(path, renewed)
        print(f"README.md: the table {'was rewritten' if renewed != text else 'is up to date'}", file=sys.stderr)
    if not as_json and not readme:
        for slug in dict.fromkeys(judgement.chapter for judgement in judgements):
            print(slug)
            for group, numbers in tally(j for j in judgements if j.chapter == slug).items():
                print(f"  {group_in_words(group, numbers)}")
    for judgement in surprises:
        claim = judgement.claim
        print(f"{claim.chapter} {claim.id}: {judgement.fault or unexpected(judgement)}", file=sys.stderr)
    if check:
        faults = [line for slug in chapters() for line in lints(slug)]
        doubtful = standings()
        for line in (*faults, *(f"{name}: {'; '.join(why)}" for name, why in doubtful.items())):
            print(line, file=sys.stderr)
        if surprises:
            _fail(f"{len(surprises)} of {len(judgements)} verdicts are not what the ledgers expect", 1)
        if faults:
            _fail(f"{len(faults)} faults within the ledgers", 1)
        if doubtful:
            _fail(
                f"{len(doubtful)} records are no evidence for what stands here: "
                "run `trustnlp verify --stamp`, or the notebooks",
                1,
            )
        print(f"All {len(judgements)} verdicts are as the ledgers expect, and every record stands", file=sys.stderr)


@app.command()
def verify(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CHAPTER[/NOTEBOOK]]...", help="These; else what changed and a quarter."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything that params.yaml marks.")] = False,
    quarter: Annotated[int | None, typer.Option(min=0, max=3, help="Which quarter beside what changed.")] = None,
    stamp: Annotated[
        bool, typer.Option("--stamp", help="Let records that agree stand for today's code from now on.")
    ] = False,
    workers: Workers = 2,
) -> None:
    """Re-run the quick part of the paper profile and compare with the committed records."""
    from trustnlp.reproduce import verification
    from trustnlp.reproduce.progress import reporter

    started = time.perf_counter()
    checks = verification.planned(targets or [], everything=everything, quarter=quarter)
    with reporter(len(checks), _console()) as tell:
        done = verification.verify(checks, workers=workers, stamp=stamp, on_event=tell)
    wrong = 0
    for notebook in done:
        wrong += len(notebook.differences)
        verdict = f"{len(notebook.differences)} differ" if notebook.differences else "all agree"
        stamped = ", record stamped" if notebook.stamped else ""
        print(f"{notebook.name}: {notebook.compared} metrics, {verdict} ({notebook.seconds:.1f} s){stamped}")
        for difference in notebook.differences:
            print(f"  {difference}")
    if not targets:
        for name, reason in verification.passed_over().items():
            print(f"{name}: not verified, as {reason}")
    print(f"verify: {len(done)} notebooks, {time.perf_counter() - started:.1f} s")
    if wrong:
        _fail(f"{wrong} differences from the committed records", 1)


@app.command()
def doctor() -> None:
    """What is installed, which device, and which data resolve from where."""
    from trustnlp.reproduce.doctor import examine

    bad = 0
    for finding in examine():
        bad += finding.state == "bad"
        mark = {"ok": "ok  ", "note": "note", "bad": "BAD "}[finding.state]
        print(f"{mark}  {finding.topic:<22} {finding.text}", flush=True)
    if bad:
        _fail(f"{bad} problems keep notebooks from running", 1)


@app.command()
def twins(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail when a twin differs.")] = False,
) -> None:
    """Write each notebook's .ipynb twin from its .py source."""
    from trustnlp.reproduce import twins as pairs
    from trustnlp.reproduce.project import chapters, shown

    if check:
        problems = [problem for slug in chapters() for problem in pairs.check(slug)]
        for problem in problems:
            print(problem, file=sys.stderr)
        if problems:
            raise typer.Exit(1)
        return
    for path in [path for slug in chapters() for path in pairs.sync(slug)]:
        print(f"wrote {shown(path)}")


app.command()(new_chapter)
app.command()(remove_chapter)
for command in (
    weat, release, audit, senses, privatise, anonymise, reidentify, explain, errors, plant, partition, pdf, links,
):  # fmt: skip
    app.command()(command)

_PLAIN: dict[str, Any] = {"highlight": False, "markup": False, "soft_wrap": True}


def _console() -> "Console":
    from rich.console import Console

    return Console()


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
    from trustnlp.reproduce.durations import last_took
    from trustnlp.reproduce.project import shown
    from trustnlp.reproduce.runner import is_finished

    for spec in specs:
        took = last_took(spec.chapter, spec.notebook, spec.profile)
        last = f"the {spec.profile} profile took {took}" if took else f"no run of the {spec.profile} profile yet"
        state = "finished, unchanged" if is_finished(spec) else last
        print(f"{spec.name} ({spec.profile}; {state}) → {shown(spec.out_record)}")
        for name, value in spec.parameters.items():
            print(f"    {name} = {json.dumps(value, ensure_ascii=False)}")


def _report(specs: "list[RunSpec]", work: "Callable[[OnEvent], list[RunResult]]") -> None:
    """Do the work with a progress display, print how each run ended, and exit with 1 if one failed."""
    from trustnlp.reproduce.progress import reporter
    from trustnlp.reproduce.project import shown

    started = time.perf_counter()
    with reporter(len(specs), _console()) as tell:
        results = work(tell)
    failed = [result for result in results if result.status == "failed"]
    for result in results:
        if result.record is not None:
            print(f"record {shown(result.record)}")
    for result in failed:
        print(f"\n{result.error}", file=sys.stderr)
    kinds = {status: sum(result.status == status for result in results) for status in ("done", "cached", "failed")}
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
    print(f"{told} in {time.perf_counter() - started:.1f} s")
    if failed:
        raise typer.Exit(1)


if __name__ == "__main__":
    app()
