"""`trustnlp new-chapter` and `trustnlp remove-chapter`."""

from __future__ import annotations

from typing import Annotated

import typer

Slug = Annotated[str, typer.Argument(metavar="SLUG", help="Name of the chapter's folder, as in weat_measures.")]


def new_chapter(slug: Slug) -> None:
    """Make a chapter from chapters/_template and enter it in _toc.yml."""
    from trustnlp.reproduce.notebooks.chapter_template import new_chapter as make
    from trustnlp.reproduce.project import shown

    for path in make(slug):
        print(f"wrote {shown(path)}")
    print(f"Next: `trustnlp book --chapters {slug}` shows it; then write chapters/{slug}/claims.yaml")


def remove_chapter(
    slug: Slug, yes: Annotated[bool, typer.Option("--yes", help="Yes, delete the folder and all in it.")] = False
) -> None:
    """Delete a chapter that has no records and take it out of _toc.yml."""
    from trustnlp.reproduce.notebooks.chapter_template import remove_chapter as remove
    from trustnlp.reproduce.project import shown

    changed, deleted = remove(slug, sure=yes)
    print(f"changed {shown(changed)}")
    print(f"deleted {shown(deleted)}")
