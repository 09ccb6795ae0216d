"""`trustnlp weat`: association tests on word vectors of one's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustnlp.reproduce.command_paths import PAGE, REPORT, Reads, vectors_file

if TYPE_CHECKING:
    from trustnlp.bias import WeatResult
    from trustnlp.data.words.weat_stimuli import WeatTest
    from trustnlp.embeddings.static import WordVectors


def weat(
    vectors: Annotated[
        str,
        typer.Argument(metavar="VECTORS", help="Of the registry, or a text file of word2vec or GloVe."),
        Reads(vectors_file),
    ],
    test: Annotated[list[int] | None, typer.Option(help="Number from 1 to 10, repeatable; else all ten.")] = None,
    sets: Annotated[
        Path | None,
        typer.Option(metavar="SETS.json", help="Words of your own: lists X, Y, A, B in place of a test."),
        Reads(),
    ] = None,
    measure: Annotated[str, typer.Option(help="cosine, euclidean, manhattan or mahalanobis.")] = "cosine",
    statistic: Annotated[str, typer.Option(help="mean, median, min, max or eq2.")] = "mean",
    alternative: Annotated[
        str, typer.Option(help="Side of the p-value: absolute (either), greater (X leans to A) or observed.")
    ] = "absolute",
    lower: Annotated[
        bool, typer.Option("--lower", help="Look words up in lower case, for vectors that have no capitals.")
    ] = False,
    words: Annotated[int | None, typer.Option(min=2, help="Use the first so many words of the vectors.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the results as .json or .html."), REPORT
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="PAGE.html", help="Write the whole battery: intervals, corrections, all measures."),
        PAGE,
    ] = None,
) -> None:
    """Test the associations of word vectors: do X lean to A, and Y to B?"""
    from tqdm import tqdm

    from trustnlp.bias import weat as association
    from trustnlp.bias.association_tests.battery_page import report
    from trustnlp.bias.association_tests.word_sets import MissingWordsError, resolve
    from trustnlp.reproduce.project import UserError, write_atomic
    from trustnlp.tools.report_files import write_report
    from trustnlp.tools.user_files import read_word_vectors

    if sets is not None and test:
        raise UserError("give --test or --sets, not both")
    asked: list[tuple[str, int | list[list[str]]]]
    asked = [(sets.stem, _own_sets(sets))] if sets else [(f"test {n}", n) for n in test or range(1, 11)]
    read = read_word_vectors(vectors, words)
    rows: list[dict[str, Any]] = []
    for name, chosen in tqdm(asked, desc="weat", unit="test", disable=None, leave=False):
        try:
            used = resolve(chosen)
            result = association(
                read, used, measure=measure, statistic=statistic, alternative=alternative, lower=lower,  # type: ignore[arg-type]
            )  # fmt: skip
            rows.append(_row(name, result, used))
        except MissingWordsError as error:
            if test or sets is not None:
                raise UserError(_with_form_there(str(error), used, read)) from None
            rows.append({"test": name, "left out": str(error)})
        except ValueError as error:
            raise UserError(str(error)) from None
    for row in rows:
        print(_line(row))
    if all("left out" in row for row in rows):
        raise UserError(f"{vectors} has the words of no test; give words of your own with --sets")
    if out is not None:
        chosen_by = {"measure": measure, "statistic": statistic, "alternative": alternative, "lower": lower}
        done = [row for row in rows if "left out" not in row]
        tables = {"tests": done, "left_out": [row for row in rows if "left out" in row]}
        write_report(out, f"Association tests of {vectors}", {"vectors": vectors, **chosen_by}, tables)
        print(f"wrote {out}")
    if html is not None:
        try:
            page = report(
                read, [resolve(chosen) for _, chosen in asked], measure=measure, statistic=statistic,  # type: ignore[arg-type]
                alternative=alternative, lower=lower, name=Path(vectors).name,  # type: ignore[arg-type]
            )  # fmt: skip
        except ValueError as error:
            raise UserError(f"--html: {error}") from None
        write_atomic(html, page.html)
        print(f"wrote {html}")


def _with_form_there(message: str, used: WeatTest, vectors: WordVectors) -> str:
    """The message; where words have blanks around them or a prefix that the vectors lack, it says so."""
    for word in (word for words in (used.X, used.Y, used.A, used.B) for word in words):
        plain = re.sub(r"^/c/[a-z]+/", "", word.strip())
        if word not in vectors and plain in vectors:
            told = f"{word!r} stands there as {plain!r}: write the words as the vectors do"
            return message.replace("use vectors that have them, or other words", told)
    return message


def _own_sets(path: Path) -> list[list[str]]:
    from trustnlp.files.user_text import TextFileError, parse_json, read_text
    from trustnlp.reproduce.project import UserError

    expected = '{"X": ["rose", …], "Y": […], "A": […], "B": […]}'
    try:
        sets = parse_json(read_text(path))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None
    except TextFileError as error:
        raise UserError(str(error)) from None
    except ValueError as error:
        raise UserError(f"{path}: not JSON: {' '.join(str(error).split()):.200}; expected {expected}") from None
    names = ("X", "Y", "A", "B")
    if not isinstance(sets, dict) or sorted(sets) != sorted(names):
        raise UserError(f"{path}: expected {expected}")
    for name in names:
        if not isinstance(sets[name], list) or not all(isinstance(word, str) for word in sets[name]):
            raise UserError(f"{path}: {name} is no list of words; expected {expected}")
    return [sets[name] for name in names]


def _row(name: str, found: WeatResult, used: WeatTest) -> dict[str, Any]:
    return {
        "test": name, "title": used.title, "d": found.effect_size, "p": found.p_value,
        "p low": found.p_low, "p high": found.p_high, "how": found.method, "partitions": str(found.n_partitions),
        "words": list(found.sizes), "missing": {key: list(words) for key, words in found.missing.items()},
    }  # fmt: skip


def _line(row: dict[str, Any]) -> str:
    if "left out" in row:
        return f"{row['test']:<10} left out: {row['left out']}"
    missing = sum(map(len, row["missing"].values()))
    without = f", {missing} words without a vector" if missing else ""
    return f"{row['test']:<10} d = {row['d']:+.3f}, p = {row['p']:.2g} ({row['how']}){without}; {row['title']}"
