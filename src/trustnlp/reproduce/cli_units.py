"""`trustnlp records units`."""

from __future__ import annotations

from typing import Annotated

import typer


def units(
    only: Annotated[list[str] | None, typer.Argument(metavar="[CHAPTER]...", help="Only these chapters.")] = None,
) -> None:
    """Write the units that chapters/*/units.yaml says today into the committed records; no value is touched."""
    from trustnlp.reproduce.project import chapter_dir, chapters
    from trustnlp.reproduce.units import rewrite_units

    asked = [chapter_dir(slug).name for slug in only] if only else chapters()
    lines = rewrite_units(asked)
    for line in lines:
        print(line)
    if not lines:
        print("all units agree already")
