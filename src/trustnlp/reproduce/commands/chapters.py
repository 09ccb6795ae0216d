"""`trustnlp new-chapter`."""

from __future__ import annotations

from typing import Annotated

import typer


def new_chapter(
    slug: Annotated[str, typer.Argument(metavar="SLUG", help="Name of the chapter's folder, as in weat_measures.")],
) -> None:
    """Make a chapter from chapters/_template and enter it in _toc.yml."""
    from trustnlp.reproduce.notebooks.chapter_template import new_chapter as make
    from trustnlp.reproduce.project import shown

    for path in make(slug):
        print(f"wrote {shown(path)}")
    print(f"Next: `trustnlp book` shows it; then write chapters/{slug}/claims.yaml")
