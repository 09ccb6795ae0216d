"""`trustnlp data`: what the notebooks read, where it comes from and on what terms."""

import logging
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from trustnlp.reproduce.command_paths import CheckedTyper

data_app = CheckedTyper(
    help="The data sets: where they come from, on what terms.", no_args_is_help=True, rich_markup_mode=None
)

_WAITS = (2, 10)  # seconds before a download is tried again
Name = Annotated[str, typer.Argument(metavar="NAME", help="A data set of `trustnlp data list`.")]
Names = Annotated[
    list[str], typer.Argument(metavar="NAME...", help="Data sets, or CHAPTER[/NOTEBOOK]: all of the paper profile.")
]


@data_app.command("list")
def list_data() -> None:
    """Every data set, where it would come from now, its size and licence."""
    from rich.console import Console
    from rich.table import Table

    from trustnlp.data.recipes.recipe_book import places
    from trustnlp.data.registry import load_registry

    table = Table("data set", "from", "MB", "licence", box=None)
    for name, entry in load_registry().items():
        size = sum(file.bytes for file in entry.files) / 1e6
        origins = ", ".join(sorted(set(places(name).values()))).replace("missing", "publisher")
        table.add_row(name, origins, f"{size:.1f}", entry.licence)
    Console().print(table)


@data_app.command()
def fetch(names: Names) -> None:
    """Bring data sets into the cache; their hashes are checked."""
    from trustnlp.data.registry import DataError
    from trustnlp.reproduce.terminal import fail

    wanted = dict.fromkeys(each for name in names for each in _data_sets(name))
    failures = []
    for name in wanted:
        try:
            with _progress_on_stderr():
                _fetch(name)
        except DataError as error:
            if len(wanted) == 1:
                raise
            failures.append(str(error))
    if failures:
        fail("\ntrustnlp: ".join(failures), 1)


def _data_sets(name: str) -> Iterable[str]:
    """The data sets behind a name of `fetch`: one, or those of notebooks' `paper` profiles."""
    from trustnlp.data.registry import load_registry
    from trustnlp.reproduce.project import UserError, chapters
    from trustnlp.reproduce.runs.params import load_params

    chapter, _, notebook = name.partition("/")
    try:
        if name in load_registry() or chapter not in chapters():
            return [name]
    except UserError:  # the package alone, without the book
        return [name]
    declared = load_params(chapter)
    chosen = [declared.notebook(notebook)] if notebook else declared.notebooks.values()
    return [each for entry in chosen for each in entry.data["paper"]]


@contextmanager
def _progress_on_stderr() -> Iterator[None]:
    """A line for whatever is downloaded, made or compressed."""
    from trustnlp.data.logger_levels import at_level

    logger, handler = logging.getLogger("trustnlp.data"), logging.StreamHandler(sys.stderr)
    logger.addHandler(handler)
    try:
        with at_level(logger, logging.INFO):
            yield
    finally:
        logger.removeHandler(handler)


def _fetch(name: str) -> None:
    from trustnlp.data.origins import publishers
    from trustnlp.data.recipes.recipe_book import places
    from trustnlp.data.registry import DataError, dataset

    entry = dataset(name)
    print(f"{name}: licence {entry.licence}")
    print(f"terms: {entry.terms}")
    if (whom := publishers().get(name)) and "missing" in places(name).values():
        hashes = ", ".join(f"{file.mirror} has sha256 {file.sha256}" for file in entry.files)
        raise DataError(
            f"{name} comes from its publisher alone, {whom.page} {whom.steps} You have it if {hashes}; put it there in "
            f"a folder with a MANIFEST.tsv and set TRUSTNLP_MIRROR"
        )
    for key, path in _brought(name).items():
        print(f"{key}: {path}")


def _brought(name: str) -> dict[str, Path]:
    """The files of a data set; a download that breaks off, or that the server puts off, is tried again, twice."""
    from trustnlp.data.recipes.recipe_book import bring
    from trustnlp.data.registry import DataError

    for wait in _WAITS:
        try:
            return bring(name)
        except DataError as error:
            if not _may_pass(error.__cause__):
                raise
            logging.getLogger("trustnlp.data").warning("%s; once more in %d s", error, wait)
            time.sleep(wait)
    return bring(name)


def _may_pass(cause: BaseException | None) -> bool:
    """Whether a download failed on its way: a server that cannot be reached at all, or lacks the file, stays so."""
    import requests
    from urllib3.exceptions import MaxRetryError

    if isinstance(cause, requests.HTTPError) and cause.response is not None:
        return cause.response.status_code in (429, 500, 502, 503, 504)
    return isinstance(cause, requests.RequestException) and not isinstance(next(iter(cause.args), None), MaxRetryError)


@data_app.command()
def card(name: Name) -> None:
    """Source, hashes, licence, terms and caveats of a data set."""
    from trustnlp.data.origins import facts, source
    from trustnlp.data.registry import dataset

    entry = dataset(name)
    print(f"{entry.name}: {entry.title}")
    for label, text in (
        ("licence", entry.licence),
        ("terms", entry.terms),
        ("redistribution", entry.redistribution),
        ("citation", entry.citation),
        ("reader", entry.reader),
        ("stands for", entry.stands_for),
        *((label.lower(), text) for label, text in facts(name).items()),
        *(("caveat", caveat) for caveat in entry.caveats),
    ):
        if text:
            print(f"{label + ':':<16}{text}")
    for file in entry.files:
        print(f"file {file.key}: {file.bytes:,} bytes, sha256 {file.sha256}\n    from {source(name, file)}")


@data_app.command("availability")
def show_availability(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> None:
    """Where the data of each notebook's `paper` profile come from without a mirror, and how much they are."""
    import json
    from collections import Counter

    from rich.console import Console
    from rich.table import Table

    from trustnlp.reproduce.data_availability import availability

    rows = availability()
    if as_json:
        print(json.dumps([row.as_json() for row in rows], indent=1))
        return
    table = Table("notebook", "data", "data sets", box=None)
    for row in rows:
        table.add_row(row.notebook, row.words, ", ".join(row.data_sets))
    Console().print(table)
    counts = Counter(row.origin for row in rows)
    print(f"{len(rows)} notebooks: " + ", ".join(f"{counts[each]} from {each}" for each in counts))
