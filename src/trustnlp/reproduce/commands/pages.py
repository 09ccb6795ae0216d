"""`trustnlp pdf`, `crate` and `links`: what one takes from the book, and whether its addresses answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trustnlp.reproduce.command_paths import Writes


def pdf(
    chapter: Annotated[
        str | None, typer.Argument(metavar="[CHAPTER]", help="A chapter of the built book; else the whole book.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where to; else _build/pdf/CHAPTER, or _build/pdf/book."),
        Writes(folder=True),
    ] = None,
) -> None:
    """Print the built pages of a chapter or of the whole book, one PDF per page, and join them to one."""
    from trustnlp.reproduce.pages.built.printing import join_pdfs, print_pages
    from trustnlp.reproduce.project import project_root, shown

    name = chapter or "book"
    folder = out or project_root() / "_build" / "pdf" / name
    parts = []
    for path in print_pages(chapter, folder):
        parts.append(path)
        print(f"wrote {shown(path)}", flush=True)
    whole = folder / f"{name}.pdf"
    print(f"wrote {shown(whole)}: {join_pdfs(parts, whole)} pages")


def crate(
    chapter: Annotated[str, typer.Argument(metavar="CHAPTER", help="Whose evidence is packed.")],
    out: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder."), Writes(folder=True)],
) -> None:
    """Pack a chapter's evidence as an RO-Crate: notebooks, parameters, records, hashes of the data, and verdicts."""
    from trustnlp.reproduce.pages.take_away.crate import write_crate

    print(f"wrote {write_crate(chapter, out) / 'ro-crate-metadata.json'}")


def links(timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for an answer.")] = 20.0) -> None:
    """Ask every address outside the book whether it is there; fails on 404 and 410."""
    from trustnlp.reproduce.address import PLACEHOLDER, own_address
    from trustnlp.reproduce.pages.built.external_links import GONE, ask_all, external_addresses
    from trustnlp.reproduce.project import UserError, project_root

    root = project_root()
    try:
        addresses = external_addresses(root / "_build" / "html")
    except FileNotFoundError as error:
        raise UserError(str(error)) from None
    # Each page links to itself in the repository: hundreds of addresses, and those for a new issue need a login.
    place = "/".join((own_address(root) or PLACEHOLDER).split("/")[-2:])
    own = [address for address in addresses if f"/{place}" in address]
    for address in own:
        del addresses[address]
    answers = []
    for answer in ask_all(addresses, timeout):
        answers.append(answer)
        print(f"{answer.status or 'none'}  {answer.address}{answer.why and f' ({answer.why})'}", flush=True)
        print(f"      in {', '.join(answer.pages)}")
    if answers and all(answer.status is None for answer in answers):
        raise UserError(f"none of {len(answers)} addresses answered (the first: {answers[0].why}): is there a network?")
    gone = sum(answer.status in GONE for answer in answers)
    silent = sum(answer.status is None for answer in answers)
    print(f"{len(answers)} addresses: {gone} gone, {silent} without an answer; {len(own)} of {place} were not asked")
    if gone:
        raise typer.Exit(1)
