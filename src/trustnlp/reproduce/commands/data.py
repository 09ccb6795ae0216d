"""`trustnlp data`: what the notebooks read, where it comes from and on what terms."""

from typing import Annotated

import typer

from trustnlp.reproduce.command_paths import CheckedTyper

data_app = CheckedTyper(
    help="The data sets: where they come from, on what terms.", no_args_is_help=True, rich_markup_mode=None
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A data set of `trustnlp data list`.")]


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
        table.add_row(name, ", ".join(sorted(set(places(name).values()))), f"{size:.1f}", entry.licence)
    Console().print(table)


@data_app.command()
def fetch(name: Name) -> None:
    """Bring a data set into the cache; its hashes are checked."""
    from trustnlp.data.origins import publishers
    from trustnlp.data.recipes.recipe_book import bring, places
    from trustnlp.data.registry import DataError, dataset

    entry = dataset(name)
    print(f"{name}: licence {entry.licence}")
    print(f"terms: {entry.terms}")
    if "missing" in places(name).values() and (whom := publishers().get(name)):
        hashes = ", ".join(f"{file.mirror} has sha256 {file.sha256}" for file in entry.files)
        raise DataError(
            f"{name} comes from its publisher alone, {whom.page} {whom.steps} You have it if {hashes}; put it there in "
            f"a folder with a MANIFEST.tsv and set TRUSTNLP_MIRROR"
        )
    for key, path in bring(name).items():
        print(f"{key}: {path}")


@data_app.command()
def verify(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One data set; all of them without it.")] = None,
) -> None:
    """Check cached files against the registry; fails on a damaged one, and on an absent one of a named data set."""
    from trustnlp.data.registry import dataset, load_registry
    from trustnlp.data.store import cache_root, where

    failed = False
    for each in [name] if name else list(load_registry()):
        places = where(each)
        absent = [file for file in dataset(each).files if places[file.key] != "cache"]
        damaged = [file.key for file in absent if (cache_root() / each / file.filename).exists()]
        failed = failed or bool(damaged) or bool(absent and name)
        if damaged:
            print(f"{each}: damaged: {', '.join(damaged)}; `trustnlp data fetch {each}` replaces it")
        elif absent:
            print(f"{each}: not in the cache: {', '.join(file.key for file in absent)}")
        else:
            print(f"{each}: {len(places)} files as registered")
    if failed:
        raise typer.Exit(1)


@data_app.command()
def card(name: Name) -> None:
    """Source, hashes, licence, terms and caveats of a data set."""
    from trustnlp.data.joined_archives import archives
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
        *(("caveat", caveat) for caveat in entry.caveats),
    ):
        if text:
            print(f"{label + ':':<16}{text}")
    for file in entry.files:
        source = f"{file.wheel.requirement}: {file.wheel.member}" if file.wheel else file.url or "mirror only"
        if name in archives():
            archive = archives()[name]
            source = f"{archive.folder}/{file.filename} of the zip that {archive.pieces} is"
        print(f"file {file.key}: {file.bytes:,} bytes, sha256 {file.sha256}\n    from {source}")


@data_app.command("availability")
def show_availability(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> None:
    """Each notebook's `paper` profile: whether the index, a download or a publisher brings its data, and how much."""
    import json
    from collections import Counter

    from rich.console import Console
    from rich.table import Table

    from trustnlp.reproduce.data_availability import availability

    rows = availability()
    if as_json:
        print(json.dumps([row.as_json() for row in rows], indent=1))
        return
    table = Table("notebook", "from", "MB", "data sets", box=None)
    for row in rows:
        table.add_row(row.notebook, row.origin, f"{row.bytes / 1e6:.1f}", ", ".join(row.data_sets))
    Console().print(table)
    counts = Counter(row.origin for row in rows)
    print(f"{len(rows)} notebooks: " + ", ".join(f"{counts[each]} from {each}" for each in counts))
