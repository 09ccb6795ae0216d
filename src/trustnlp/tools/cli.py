"""The command `trustnlp`. Only what a command needs is imported, when it runs: `trustnlp --help` is instant."""

import csv
import os
import sys
import traceback
import zlib
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from trustnlp.reproduce.command_paths import CheckedTyper, Writes
from trustnlp.reproduce.commands.chapters import new_chapter
from trustnlp.reproduce.commands.data import data_app
from trustnlp.reproduce.commands.judgements import verdicts, verify
from trustnlp.reproduce.commands.pages import crate, links, pdf
from trustnlp.reproduce.commands.records import records_app
from trustnlp.reproduce.commands.runs import join, run, sweep
from trustnlp.reproduce.terminal import PLAIN, Workers, console, fail
from trustnlp.tools.cli_attack import reidentify
from trustnlp.tools.cli_bias import weat
from trustnlp.tools.cli_explain import errors, explain, plant
from trustnlp.tools.cli_graphs import partition
from trustnlp.tools.cli_privacy import audit
from trustnlp.tools.cli_release import release
from trustnlp.tools.cli_senses import senses
from trustnlp.tools.cli_text import anonymise, privatise

# Commands whose exit status 1 says what they found: an error of theirs must have another.
_FINDERS = ("audit", "doctor", "twins", "verdicts", "verify")
_RESUMABLE = ("run", "sweep")
_NO_MEMORY = "this machine has not enough memory for it: give fewer rows, words or dimensions"
_CRASH, _NO_READER = 70, 141  # EX_SOFTWARE; 128 + SIGPIPE
# Typer brings a click of its own, or takes that of the environment.
_USAGE = next(each for each in typer.BadParameter.__mro__ if each.__name__ == "ClickException")


class _OneLineErrors(TyperGroup):
    """A group that tells mistakes of the person at the keyboard in one line on stderr, without a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):  # a terminal of cp1252 or ASCII has no ε
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        return super().main(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        try:
            return self._invoke_told(ctx)
        except Exception as error:
            if isinstance(error, typer.Exit | typer.Abort | _USAGE):
                raise
            traceback.print_exc()
            raise SystemExit(_CRASH) from None

    def _invoke_told(self, ctx: Any) -> Any:
        from trustnlp.data.registry import DataError
        from trustnlp.files.user_text import TextFileError
        from trustnlp.reproduce.project import UserError
        from trustnlp.tools.unreadable_files import fetch_problem, unreadable

        try:
            return super().invoke(ctx)
        except (UserError, TextFileError) as error:
            fail(str(error), 2)
        except DataError as error:
            fail(fetch_problem(error), 2 if str(error).startswith("unknown data set") else _code(ctx))
        except OSError as error:
            if isinstance(error, BrokenPipeError):  # the reader of our output has seen enough
                sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115  # for what is left of it, when Python ends
                raise SystemExit(_NO_READER) from None
            place = error.filename or ("cannot write" if error.errno else "cannot go on")  # no number: a library
            fail(unreadable(error) or f"{place}: {error.strerror or error}", _code(ctx))
        except (ValueError, RuntimeError, csv.Error, EOFError, zlib.error) as error:  # click takes EOFError for ^D
            if (problem := unreadable(error)) is None:
                if "allocate memory" not in str(error):  # torch's own words for a MemoryError
                    raise
                problem = _NO_MEMORY
            fail(problem, _code(ctx))
        except MemoryError:
            fail(_NO_MEMORY, _code(ctx))
        except ImportError as error:
            from trustnlp.tools.missing_extras import missing_extra as missing

            if (problem := missing(error)) is None:
                raise
            fail(problem, 2)
        except KeyboardInterrupt:
            resumes = ctx.invoked_subcommand in _RESUMABLE
            fail("interrupted" + ("; finished runs are kept, `--resume` goes on from there" if resumes else ""), 130)


def _code(ctx: Any) -> int:
    return 2 if ctx.invoked_subcommand in _FINDERS else 1


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


@app.command("list")
def list_chapters() -> None:
    """Chapters, their notebooks, how long the last runs took, where the paper profile's data come from, and sweeps."""
    from rich.table import Table

    from trustnlp.data.origins import origins_in_words
    from trustnlp.reproduce.claims.ledgers import load_claims
    from trustnlp.reproduce.project import chapters
    from trustnlp.reproduce.runs.durations import last_took
    from trustnlp.reproduce.runs.params import PROFILES, load_params

    table = Table(box=None, padding=(0, 1, 0, 0))
    for name in ("chapter, notebook", "smoke took", "paper took"):
        table.add_column(name, no_wrap=True)
    table.add_column("paper data", overflow="fold")
    table.add_column("claims, sweeps", overflow="fold")
    for slug in chapters():
        ledger, declared = load_claims(slug), load_params(slug)
        asked = "questions of ours"
        if paper := ledger.paper:
            author = paper.authors.partition(",")[0].split(" and ")[0].split()[-1]
            asked = f"claims of {author} {paper.year}"
        table.add_row(
            slug,
            "",
            "",
            "",
            f"{sum(claim.under is None for claim in ledger.claims)} {asked}",
        )
        for name, notebook in declared.notebooks.items():
            sweeps = ", ".join(sweep.name for sweep in declared.sweeps.values() if sweep.notebook == name)
            took = (last_took(slug, name, profile) or "–" for profile in PROFILES)
            data = "a lesson, no record" if notebook.lesson else origins_in_words(notebook.data["paper"])
            table.add_row(f"  {name}", *took, data, sweeps)
    console().print(table)


app.command()(run)
app.command()(sweep)
app.command()(join)


@app.command()
def book(
    chapters: Annotated[list[str] | None, typer.Option(help="Only these chapters; repeatable, or a,b.")] = None,
    workers: Workers = 2,
) -> None:
    """Run what changed, render the pages, check them."""
    from trustnlp.reproduce.pages.book import build_book
    from trustnlp.reproduce.project import chapters as all_chapters
    from trustnlp.reproduce.runs.params import load_params
    from trustnlp.reproduce.runs.progress import reporter

    only = [slug.strip() for text in chapters for slug in text.split(",") if slug.strip()] if chapters else None
    total = sum(len(load_params(slug).notebooks) for slug in (only or all_chapters()))
    terminal = console()
    with reporter(total, terminal) as tell:
        status = build_book(only, workers=workers, on_event=tell, echo=lambda line: terminal.print(line, **PLAIN))
    raise typer.Exit(status)


app.command()(verdicts)
app.command()(verify)


@app.command()
def doctor() -> None:
    """Installed packages, the device, and the places of data."""
    from trustnlp.reproduce.doctor import examine

    bad = 0
    for finding in examine():
        bad += finding.state == "bad"
        mark = {"ok": "ok  ", "note": "note", "bad": "BAD "}[finding.state]
        print(f"{mark}  {finding.topic:<22} {finding.text}", flush=True)
    if bad:
        fail(f"{bad} problem{'s keep' if bad > 1 else ' keeps'} notebooks from running", 1)


@app.command()
def twins(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail when a twin differs.")] = False,
    colab: Annotated[
        Path | None, typer.Option("--colab", help="A folder for copies with plain Markdown."), Writes(folder=True)
    ] = None,
) -> None:
    """Write each notebook's .ipynb twin from its .py source, or what is published for Colab."""
    from trustnlp.reproduce.notebooks import twins as pairs
    from trustnlp.reproduce.project import chapters, shown

    if colab is not None:
        from trustnlp.reproduce.pages.colab_copies import write_copies

        print(f"{len(write_copies(colab))} notebooks are in {colab}, as Colab opens them")
        return

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
for command in (
    weat, release, audit, senses, privatise, anonymise, reidentify, explain, errors, plant, partition, pdf, crate,
    links,
):  # fmt: skip
    app.command()(command)

if __name__ == "__main__":
    app()
