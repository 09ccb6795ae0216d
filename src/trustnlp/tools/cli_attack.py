"""`trustnlp reidentify`: do redacted documents still tell whose they are?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustnlp.reproduce.command_paths import REPORT, Reads

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from trustnlp.privacy.text.anonymisation.files import SourceDocument


def reidentify(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="A folder with a folder of .txt or .md files per owner, or a .jsonl file."),
        Reads(),
    ],
    before: Annotated[
        Path | None,
        typer.Option(metavar="IN", help="The same documents before they were redacted, to compare."),
        Reads(),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Attackers learn from all folds but one, and name that one.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Of the dealing into folds.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the results as .json or .html, for your eyes only."),
        REPORT,
    ] = None,
) -> None:
    """Attack redacted documents: who learns from some of each owner's, and names the owner of the others?"""
    from tqdm import tqdm

    from trustnlp.privacy.attacks.reidentification import ATTACKERS, named_correctly
    from trustnlp.privacy.text.anonymisation.files import FolderError
    from trustnlp.reproduce.project import UserError
    from trustnlp.tools.report_files import write_report
    from trustnlp.tools.user_files import tell_skipped

    try:
        found = {"now": _owned(source)} | ({"before": _owned(before)} if before is not None else {})
    except FolderError as error:
        raise UserError(str(error)) from None
    read = {when: documents for when, (documents, _) in found.items()}
    owners = Counter(document.owner for document in read["now"])
    commonest, chance = owners.most_common(1)[0][0], max(owners.values()) / owners.total()
    if before is not None and Counter(document.owner for document in read["before"]) != owners:
        raise UserError(f"{source} and {before} hold different numbers of documents of an owner")
    for (_, skipped), place in zip(found.values(), (source, before), strict=False):
        tell_skipped(skipped, str(place))
    rows: list[dict[str, Any]] = [{"attacker": attacker} for attacker in ATTACKERS]
    counted = {when: _counted(documents) for when, documents in read.items()}
    tasks = [(row, when) for row in rows for when in read]
    for row, when in tqdm(tasks, desc="attack", unit="attack", disable=None, leave=False):
        table, words = counted[when]
        named = [str(document.owner) for document in read[when]]
        right = named_correctly(table, named, words, row["attacker"], folds, seed)
        row |= _share_named(right, "" if when == "now" else " before")
    print(f"{owners.total():,} documents of {len(owners)} owners; always naming {commonest} is right for {chance:.1%}")
    for row in rows:
        was = f", {row['named before']:.1%} before" if before is not None else ""
        print(f"{row['attacker']:<12}{row['named']:.1%} named ({row['low']:.1%} to {row['high']:.1%}){was}")
    print("An attacker that names no more than chance proves no anonymity: others may know more")
    if out is not None:
        facts = {
            "documents": owners.total(), "owners": len(owners), "chance": chance, "folds": folds, "seed": seed,
        }  # fmt: skip
        told = [
            {"of": "IN" if when == "now" else "--before", "file": each.encode("utf-8", "backslashreplace").decode()}
            for when, (_, skipped) in found.items()
            for each in skipped
        ]
        write_report(out, f"Who wrote {source.name}?", facts, {"attackers": rows, "skipped": told}, private=True)
        print(f"wrote {out}")


def _owned(source: Path) -> tuple[list[SourceDocument], list[str]]:
    """The documents, of which each has to have an owner, and each owner two; and what was skipped."""
    from trustnlp.privacy.text.anonymisation.files import read_documents
    from trustnlp.reproduce.project import UserError

    documents, skipped = read_documents(source)
    left = f" ({len(skipped):,} skipped, the first is {skipped[0]})" if skipped else ""
    if not documents:
        raise UserError(f"{source} holds no document that can be read{left}")
    if nameless := [document.name for document in documents if document.owner is None]:
        raise UserError(f"{source}: {nameless[0]} has no owner; give a folder per owner, or lines with an 'owner'")
    counts = Counter(str(document.owner) for document in documents)
    if len(counts) < 2:
        raise UserError(f"{source}: all documents belong to {next(iter(counts))}; an attack needs two owners{left}")
    if single := [owner for owner, count in counts.items() if count < 2]:
        raise UserError(
            f"{source}: {single[0]} has one document; an attacker learns from another of the same owner{left}"
        )
    return documents, skipped


def _counted(documents: list[SourceDocument]) -> tuple[csr_matrix, list[str]]:
    """`(D, V)` counts of the words that are left, and the words."""
    from trustnlp.privacy.attacks.reidentification import count_table
    from trustnlp.privacy.text.anonymisation.documents import LINK, REPLACEMENT
    from trustnlp.privacy.text.anonymisation.words import document_words
    from trustnlp.reproduce.project import UserError

    # What stands for a removed word or link is no word.
    texts = (document.text.replace(REPLACEMENT, " ").replace(LINK, " ") for document in documents)
    keys = [document_words(text, thorough=True).keys for text in texts]
    number = {key: place for place, key in enumerate(sorted({key for each in keys for key in each}))}
    if not number:
        raise UserError("no word is left in any document")
    return count_table([[number[key] for key in each] for each in keys], len(number)), list(number)


def _share_named(right: NDArray[np.bool_], suffix: str) -> dict[str, float]:
    """Share of documents whose owner is named, with a 95 % interval of Wilson's."""
    from trustnlp.evaluation.intervals import wilson_interval

    low, high = map(float, wilson_interval(int(right.sum()), len(right)))
    return {f"named{suffix}": float(right.mean()), f"low{suffix}": low, f"high{suffix}": high}
