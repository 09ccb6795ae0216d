"""`trustnlp records`: what is done to committed records, since nobody edits them by hand."""

from typing import Annotated

import typer

from trustnlp.reproduce.command_paths import CheckedTyper

records_app = CheckedTyper(help="Change committed records so that they stay true; each change is noted in them.")

_NAMES = typer.Argument(metavar="KEY… CHAPTER/NOTEBOOK", help="Keys of metrics, or first names of them.")


@records_app.command()
def drop(names: Annotated[list[str], _NAMES]) -> None:
    """Take metrics out of a record."""
    from trustnlp.reproduce.records.record_edits import drop as dropped

    *keys, target = names
    print(f"{target}: dropped {', '.join(dropped(keys, target))}")


@records_app.command()
def rename(
    target: Annotated[str, typer.Argument(metavar="CHAPTER/NOTEBOOK", help="The record, by its notebook's old name.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the notebook is called now.")],
) -> None:
    """Give a record to its notebook's new name, after `trustnlp twins`; no value is touched."""
    from trustnlp.reproduce.records.record_edits import rename as renamed

    renamed(target, name)
    print(f"{target}: its record is that of {name} now")


@records_app.command()
def units(
    only: Annotated[list[str] | None, typer.Argument(metavar="[CHAPTER]...", help="Only these chapters.")] = None,
) -> None:
    """Write the units that chapters/*/units.yaml says today into the committed records; no value is touched."""
    from trustnlp.reproduce.project import chapter_dir, chapters
    from trustnlp.reproduce.records.record_edits import rewrite_units

    asked = [chapter_dir(slug).name for slug in only] if only else chapters()
    print("\n".join(rewrite_units(asked)) or "all units agree already")
