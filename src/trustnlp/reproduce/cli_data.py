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

    from trustnlp.data.joined_archives import places
    from trustnlp.data.registry import load_registry

    table = Table("data set", "from", "MB", "licence", box=None)
    for name, entry in load_registry().items():
        size = sum(file.bytes for file in entry.files) / 1e6
        table.add_row(name, ", ".join(sorted(set(places(name).values()))), f"{size:.1f}", entry.licence)
    Console().print(table)


@data_app.command()
def fetch(name: Name) -> None:
    """Bring a data set into the cache; its hashes are checked."""
    from trustnlp.data.joined_archives import bring
    from trustnlp.data.registry import dataset

    entry = dataset(name)
    print(f"{name}: licence {entry.licence}")
    print(f"terms: {entry.terms}")
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
