"""`trustnlp privatise`: release a text file word by word, with a stated guarantee. `trustnlp anonymise`: redact a
folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustnlp.reproduce.command_paths import NOT_TEXT, REPORT, TABLES, Reads, Writes, vectors_file
from trustnlp.tools.user_files import ACCOUNT

if TYPE_CHECKING:
    from trustnlp.privacy.mechanisms.file_release import FileRelease

_ADDS_UP = "k releases of one text cost k·ε and k·δ, and lines about one person add up as well"
_ONCE = "to release a text once more costs its ε once more. Delete it or name another file"


def _unfinished(target: Path) -> dict[str, Path]:
    from trustnlp.privacy.mechanisms.file_release import side_files

    return side_files(Path(os.path.realpath(target)))  # of a link: where it leads


def _report_beside(target: Path) -> dict[str, Path]:
    from trustnlp.privacy.text.anonymisation.files import report_path

    return {"its report": report_path(target)}


def privatise(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A text file in UTF-8."), Reads()],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="Must not exist."),
        Writes(what="the release", never=NOT_TEXT | TABLES, like="source", once=_ONCE, beside=_unfinished),
    ],
    epsilon: Annotated[float, typer.Option(help="Privacy loss of a word per unit of distance between vectors.")],
    vectors: Annotated[
        str,
        typer.Option(metavar="NAME|FILE", help="Of the registry, or a text file of word2vec or GloVe."),
        Reads(vectors_file),
    ] = "glove_6b_50d",
    mechanism: Annotated[
        str,
        typer.Option(help="nearest_word, nearest_sense, truncated_exponential, mahalanobis or randomised_response."),
    ] = "nearest_word",
    inventory: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For nearest_sense: saved senses of these vectors."),
        Reads(),
    ] = None,
    words: Annotated[int, typer.Option(min=2, help="Use the first so many words of the vectors.")] = 100_000,
    unknown: Annotated[
        str, typer.Option(help="Words without a vector: mask, drop, substitute or keep_unprotected.")
    ] = "mask",
    mask: Annotated[str, typer.Option(help="What stands for an unknown word.")] = "[UNK]",
    restart: Annotated[bool, typer.Option("--restart", help="Throw away what a killed run left.")] = False,
    once: Annotated[
        bool, typer.Option("--once", help="Refuse what was released before; else what it costs is added up and told.")
    ] = False,
    ledger: Annotated[
        Path | None,
        typer.Option(metavar="FILE|none", help="Private account of what was spent; else beside IN, as IN.spent.json."),
        ACCOUNT,
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the guarantee as .json or .html."), REPORT
    ] = None,
) -> None:
    """Privatise a text word by word. A killed run goes on when started again."""
    from trustnlp.embeddings.senses.sense_inventory import SenseInventory
    from trustnlp.privacy.accounting.stated_guarantee import IN_EXACT_ARITHMETIC
    from trustnlp.privacy.mechanisms.file_release import privatise_file
    from trustnlp.privacy.text.text_privatiser import privatiser
    from trustnlp.reproduce.project import UserError
    from trustnlp.tools.report_files import write_report
    from trustnlp.tools.user_files import account_of, charge, read_word_vectors

    if inventory is not None and not inventory.is_file():
        raise UserError(f"{inventory}: no such file; `trustnlp senses` with the same vectors and words makes it")
    read = read_word_vectors(vectors, words)
    account, spent = account_of(source, ledger), [""]

    def enter(lines: Iterable[bytes], goes_on: bool) -> None:
        if account is not None:
            measure = f"{mechanism} in {Path(vectors).name}, {made.substitution.guarantee.relation.value}"
            told = charge(
                account, lines, measure=measure, epsilon=made.substitution.guarantee.epsilon,
                delta=made.substitution.guarantee.delta, into=target.name, again=restart or not once, goes_on=goes_on,
            )  # fmt: skip
            spent[:] = [told]

    try:
        made = privatiser(
            vectors=read, epsilon=epsilon, mechanism=mechanism,
            inventory=None if inventory is None else SenseInventory.load(inventory, read),
            unknown=unknown, mask=mask,  # type: ignore[arg-type]
        )  # fmt: skip
        done = privatise_file(source, target, made, restart=restart, charge=enter)
    except (FileNotFoundError, TypeError, ValueError) as error:
        raise UserError(str(error)) from None
    except KeyboardInterrupt:
        print(f"trustnlp: interrupted; the same command goes on after the last line in {target}.part", file=sys.stderr)
        raise SystemExit(130) from None
    _report(done)
    if account is not None:
        print(f"Spent so far, for each word of a line: {spent[0]}; in {account.path}, which is private")
    if out is not None:
        facts: dict[str, Any] = {
            "mechanism": mechanism, "epsilon": epsilon, "vectors": vectors, "lines": done.lines, "words": done.words,
            "unknown": done.unknown, "one word": done.longest.one_position, "the longest line": done.longest.whole_text,
            "not protected": done.longest.unprotected, "several releases": _ADDS_UP,
            "holds": IN_EXACT_ARITHMETIC,
        }  # fmt: skip
        write_report(out, f"Release of {source.name}", facts, {})
        print(f"wrote {out}")


def _report(done: FileRelease) -> None:
    from trustnlp.privacy.accounting.stated_guarantee import IN_EXACT_ARITHMETIC

    kept = f" ({done.kept_lines:,} of them by an earlier run)" if done.kept_lines else ""
    print(f"wrote {done.path}: {done.lines:,} lines{kept}, {done.words:,} words, {done.unknown:,} of them unknown")
    print(f"One word: {done.longest.one_position}")
    print(f"The longest line: {done.longest.whole_text}")
    print(f"{_ADDS_UP}\nAll of this holds {IN_EXACT_ARITHMETIC}")
    print(f"Not protected: {done.longest.unprotected}")


def anonymise(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="A folder with a folder of .txt or .md files per owner, or a .jsonl file."),
        Reads(),
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="A folder; must be empty or not exist."),
        Writes(folder=True, beside=_report_beside),
    ],
    method: Annotated[
        str, typer.Option(help="log_odds, tf_idf, polarised, skipgram, search, entities or presidio.")
    ] = "log_odds",
    share: Annotated[float, typer.Option(help="Remove about this share of all words.")] = 0.05,
    threshold: Annotated[
        float | None, typer.Option(help="Remove words with this score or more, in the place of a share.")
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option(metavar="OWNER=NAME", help="What an owner is called, where its folder is not.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of a training.")] = 0,
    restart: Annotated[bool, typer.Option("--restart", help="Throw away what a killed run left.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what was removed as .json or .html, for your eyes only."),
        REPORT,
    ] = None,
) -> None:
    """Redact documents of several owners. A killed run goes on when started again.

    Only texts are redacted: names of files and folders, and other fields of JSON lines, stay. The report is beside OUT,
    as OUT.report.json. It lists removed words: do not hand it on.
    """
    from trustnlp.privacy.text.anonymisation.files import anonymise_folder, report_path
    from trustnlp.reproduce.project import UserError
    from trustnlp.tools.report_files import write_report
    from trustnlp.tools.user_files import tell_skipped

    pairs = [each.partition("=") for each in name or []]
    if wrong := [owner for owner, sign, called in pairs if not (owner and sign and called)]:
        raise UserError(f"--name {wrong[0]}: expected OWNER=NAME")
    try:
        report, skipped = anonymise_folder(
            source, target, method=method,  # type: ignore[arg-type]
            names={owner: called for owner, _, called in pairs} or None,
            threshold=threshold, share=share, seed=seed, restart=restart,
        )  # fmt: skip
    except (FileNotFoundError, ImportError, TypeError, ValueError) as error:
        raise UserError(str(error)) from None
    except KeyboardInterrupt:
        print(f"trustnlp: interrupted; the same command goes on with what is missing in {target}", file=sys.stderr)
        raise SystemExit(130) from None
    print(report)
    tell_skipped(skipped, source)
    print("Names of files and folders stay, and so do other fields of JSON lines")
    print(f"{report_path(target)} lists removed words: do not hand it on")
    if out is not None:
        facts = {
            "method": report.method, "threshold": report.threshold, "documents": report.documents,
            "words": report.words, "removed": report.removed, "links": report.links,
        }  # fmt: skip
        tables: dict[str, list[dict[str, Any]]] = {
            "removed_words": [{"word": word, "times": times} for word, times in report.commonest],
            "notes": [{"note": note} for note in report.notes],
            "skipped": [{"file": each.encode("utf-8", "backslashreplace").decode()} for each in skipped],
        }
        write_report(out, f"What was removed from {source.name}", facts, tables, private=True)
        print(f"wrote {out}")
