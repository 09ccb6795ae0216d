"""`trustnlp release`: noisy copies of vectors in a file, with a stated guarantee."""

from __future__ import annotations

import os
import re
import signal
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustnlp.files.atomic_writing import leads_through
from trustnlp.reproduce.command_paths import NOT_TEXT, REPORT, TABLES, Reads, Writes
from trustnlp.tools.user_files import ACCOUNT

if TYPE_CHECKING:
    from trustnlp.privacy.accounting.spent_budget import Account
    from trustnlp.privacy.mechanisms.releases import Release

# What may be a number in a word, with all points and commas in it; Python's hexadecimal numbers, too.
_NUMERIC = re.compile(r"0[xX][\da-fA-F.]+[pP][+-]?\d+|[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?")
# Other marks between digits than a point and a comma, of languages and of programs.
_MARKS, _BETWEEN = re.compile(r"(?<=\d)[·٫'](?=\d)"), re.compile(r"(?<=\d)_(?=\d)")
# A word that is, or ends in, a decimal number: as a line looks that lost its word, or the separator behind it.
_ENDS_AS_NUMBER = re.compile(r"[.,]\d+$")
# Coordinates are known by four places at most, and by fewer where theirs are fewer. Also an exponent, or more digits in
# a row than a date such as 20060308 has.
_MOST_PLACES = 4
_LIKE_COORDINATES = [re.compile(rf"[.,]\d{{{places}}}|[eEpP]|\d{{9}}") for places in range(1, _MOST_PLACES + 1)]
# Of coordinates that come out as they went in: chance gives far fewer.
_MOST_UNCHANGED = 0.001

_ONCE = "a release is never written over, since two releases tell more than one"


def release(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN", help="Vectors (n, d): .npy of float32 or float64, or a text file with words, also .gz."
        ),
        Reads(),
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="Must not exist; .npy for .npy, else a text file."),
        Writes(what="the release", never=(NOT_TEXT | TABLES) - {".npy"}, once=_ONCE),
    ],
    epsilon: Annotated[float, typer.Option(help="Privacy loss of a vector per unit of Euclidean distance.")],
    method: Annotated[
        str, typer.Option(help="orthonormal or projected (fewer dimensions), or plain (all of them).")
    ] = "orthonormal",
    beta: Annotated[float | None, typer.Option(help="How far projected may bend distances; else 0.9.")] = None,
    delta: Annotated[
        float | None, typer.Option(help="The δ of projected, of the draw of its matrix; else 1e-6.")
    ] = None,
    dimensions: Annotated[int | None, typer.Option(min=1, help="How many to release, but for plain.")] = None,
    keep_number_words: Annotated[
        bool, typer.Option("--keep-number-words", help="Release words that hold long numbers; you have looked at them.")
    ] = False,
    once: Annotated[
        bool, typer.Option("--once", help="Refuse what was released before; else what it costs is added up and told.")
    ] = False,
    ledger: Annotated[
        Path | None,
        typer.Option(metavar="FILE|none", help="Private account of what was spent; else beside IN, as IN.spent.json."),
        ACCOUNT,
    ] = None,
    projection: Annotated[
        Path | None,
        typer.Option(metavar="FILE.npy", help="Write the public projection matrix here; must not exist."),
        Writes((".npy",), "the projection", once=_ONCE),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the guarantee as .json or .html."), REPORT
    ] = None,
) -> None:
    """Release vectors with a stated guarantee. Noise comes from a cryptographic source: no two releases are equal."""
    import numpy as np

    from trustnlp.privacy.accounting.stated_guarantee import ADDS_UP, IN_EXACT_ARITHMETIC
    from trustnlp.privacy.mechanisms.releases import release as noisy
    from trustnlp.reproduce.project import UserError
    from trustnlp.tools.report_files import write_report
    from trustnlp.tools.user_files import account_of, charge

    if (source.suffix == ".npy") != (target.suffix.lower() == ".npy"):
        raise UserError(f"{source} and {target}: both end in .npy, or neither")
    if method not in ("orthonormal", "projected", "plain"):
        raise UserError(f"--method is orthonormal, projected or plain, got {method}")
    words, vectors = _vectors_of(source)
    _check_words(words, vectors, source, kept=keep_number_words)
    try:
        done = noisy(vectors, epsilon=epsilon, method=method, beta=beta, delta=delta, m=dimensions)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        narrow = method == "orthonormal" and dimensions is None and "but the vectors have" in str(error)
        hint = "; its guarantee holds for any --dimensions up to that, and for --method plain" if narrow else ""
        raise UserError(f"{error}{hint}") from None
    if projection is not None and done.projection is None:
        raise UserError(f"method {method} has no projection to write")
    _check_noise(vectors, done.vectors, epsilon)
    facts: dict[str, Any] = {
        "vectors": len(done.vectors), "dimensions": f"{vectors.shape[1]} to {done.vectors.shape[1]}",
        "method": method, "guarantee": done.guarantee.claim, "epsilon": epsilon, "delta": done.guarantee.delta,
        "several releases": ADDS_UP + "; rows about one person add up", "holds": IN_EXACT_ARITHMETIC,
        "not protected": "the number of vectors, their order" + (", the words" if words else ""),
    }  # fmt: skip
    account, spent = account_of(source, ledger), {}
    with _all_or_none() as written:
        if account is not None:
            with np.errstate(over="ignore"):
                rows = np.ascontiguousarray(vectors, dtype=np.float32) + np.float32(0)  # -0.0 is 0.0
            # For the owner alone, not for the report of the guarantee: it tells how often a private row stands there.
            spent["spent so far"] = charge(
                account, map(bytes, rows), measure="per unit of L2 distance", epsilon=epsilon,
                delta=done.guarantee.delta, into=target.name, again=not once,
            )  # fmt: skip
            written.append(account)
        _write(target, words, done)
        written.append(target)
        _check_written(target, words, done.vectors)
        if projection is not None and done.projection is not None:
            _write_array(projection, done.projection.numpy())
            written.append(projection)
        if out is not None:
            write_report(out, f"Release of {source.name}", facts, {})
    for name, value in (facts | spent).items():
        print(f"{name + ':':<18}{value}")
    for path in filter(None, (account and account.path, projection, out, target)):
        print(f"wrote {path}")


def _vectors_of(path: Path) -> tuple[list[str], Any]:
    """Words, none for an array, and the vectors `(n, d)`."""
    from trustnlp.embeddings.vector_text_files import read_vector_rows
    from trustnlp.reproduce.project import UserError
    from trustnlp.tools.user_files import read_array

    if path.suffix == ".npz":
        raise UserError(f"{path}: .npz holds several arrays; save the one to release as .npy")
    if path.suffix != ".npy":
        try:
            return read_vector_rows(path)
        except OSError as error:
            raise UserError(f"{path}: {error.strerror or error}") from None
        except ValueError as error:
            raise UserError(str(error)) from None
    array = read_array(path)
    if array.dtype.kind != "f":
        raise UserError(
            f"{path}: expected numbers of float32 or float64, got {array.dtype}; save them again with astype('float32')"
        )
    if array.ndim != 2:
        raise UserError(f"{path}: expected an array (n, d), got {array.shape}")
    return [], array.astype(array.dtype.newbyteorder("="), copy=False)  # of another machine's order of bytes


def _check_words(words: list[str], vectors: Any, path: Path, *, kept: bool) -> None:
    """Refuse words that may be coordinates: words are published as they are, and a damaged file mixes the two.

    No message quotes a word, since it may be a private number.
    """
    from trustnlp.reproduce.project import UserError

    if len(set(words)) < len(words):
        raise UserError(f"{path}: a word has two lines; leave one out, since two vectors of a word tell more than one")
    if kept or not words:
        return
    told = list(map(_with_points, words))
    # Numbers of nodes are words, but beside coordinates that have a fraction.
    whole = sum(bool(re.fullmatch(r"[-+−]?\d+", word)) for word in told)
    if 2 * whole > len(words) and (vectors == vectors.round()).all():
        raise UserError(
            f"{path}: {whole:,} of {len(words):,} words are whole numbers and so are all coordinates, so these may be "
            "vectors without words; save them as .npy. If they are words, --keep-number-words releases them"
        )
    if 2 * sum(bool(_ENDS_AS_NUMBER.search(word)) for word in told) > len(words):
        raise UserError(
            f"{path}: more than half of the words end in a decimal number, as where lines lost their words or the "
            "blanks behind them, and words are released as they are; mend the file, or save vectors without words as "
            ".npy. If they are words, --keep-number-words releases them"
        )
    pattern = _LIKE_COORDINATES[_places(vectors[:10_000]) - 1]
    doubtful = [place for place, word in enumerate(told, start=1) if _may_be_coordinate(word, pattern)]
    if doubtful:
        raise UserError(
            f"{path}: {len(doubtful):,} of {len(words):,} words hold numbers like those of vectors, the first is word "
            f"{doubtful[0]:,}, and words are released as they are; look at them, and mend their lines or leave them "
            "out. If they are words, --keep-number-words releases them"
        )


def _with_points(word: str) -> str:
    """A word whose digits and decimal marks are those of ASCII, however it writes them."""
    return _MARKS.sub(".", _BETWEEN.sub("", unicodedata.normalize("NFKC", word)))


def _may_be_coordinate(word: str, pattern: re.Pattern[str]) -> bool:
    """Whether a word holds a number like those of vectors, or between its blanks any number at all."""
    from trustnlp.embeddings.vector_text_files import reads_as_number

    pieces = word.split()
    return any(map(pattern.search, _NUMERIC.findall(word))) or (len(pieces) > 1 and any(map(reads_as_number, pieces)))


def _places(vectors: Any) -> int:
    """How many places behind the point most coordinates have, from 1 to `_MOST_PLACES`."""
    import numpy as np

    for places in range(1, _MOST_PLACES):
        if 2 * np.count_nonzero(vectors.astype(float).round(places).astype(vectors.dtype) == vectors) > vectors.size:
            return places
    return _MOST_PLACES


def _check_noise(vectors: Any, released: Any, epsilon: float) -> None:
    """Refuse noise that is too small for the type of the vectors: added to a coordinate, it changes nothing."""
    from trustnlp.reproduce.project import UserError

    if vectors.shape != released.shape:
        return
    if (unchanged := (vectors == released).mean()) > _MOST_UNCHANGED:
        raise UserError(
            f"at an epsilon of {epsilon:g} the noise is so small that {unchanged:.1%} of the coordinates come out as "
            f"they are, in {released.dtype}; choose a smaller epsilon"
        )


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


@contextmanager
def _all_or_none() -> Iterator[list[Path | Account]]:
    """A list to which the block adds each file that it has written: an error, or a signal to end, removes them.

    Of an account the entry is taken out again.
    """
    written: list[Path | Account] = []
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _end) if main else None
    try:
        yield written
    except BaseException:
        for path in written:
            if not isinstance(path, Path):
                path.refund()
            elif not leads_through(path):
                Path(os.path.realpath(path)).unlink(missing_ok=True)  # not the link that leads to it
        raise
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)


def _check_written(target: Path, words: list[str], vectors: Any) -> None:
    """Read the release again: UserError, which removes it, unless it holds these words and vectors and nothing else."""
    from trustnlp.reproduce.project import UserError

    if not target.is_file():  # a device or a pipe, which cannot be read again
        return
    try:
        problem = _difference(target, words, vectors)
    except (OSError, ValueError) as error:
        problem = str(error)
    if problem:
        raise UserError(
            f"{target} was removed, since it was read again and is not what was to be released: {problem}; nobody "
            "should have it. Try again, on another disk if it happens twice"
        )


def _difference(target: Path, words: list[str], vectors: Any) -> str:
    """In what a written release differs from what was to be written; empty for nothing."""
    import numpy as np

    from trustnlp.embeddings.vector_text_files import read_vector_rows

    if target.suffix == ".npy":
        found, rows = words, np.load(target, allow_pickle=False)
    else:
        found, rows = read_vector_rows(target)
    if rows.shape != vectors.shape:
        return f"{' x '.join(map(str, rows.shape))} numbers in the place of {' x '.join(map(str, vectors.shape))}"
    if found != words:
        return "a word is another one"
    return "" if np.array_equal(rows, vectors) else "some numbers are others"


def _write(target: Path, words: list[str], done: Release) -> None:
    from trustnlp.files.atomic_writing import write_bytes

    if target.suffix == ".npy":
        _write_array(target, done.vectors)
        return
    n, m = done.vectors.shape
    rows = (f"{word} {' '.join(map(repr, row))}\n" for word, row in zip(words, done.vectors.tolist(), strict=True))
    write_bytes(target, (f"{n} {m}\n" + "".join(rows)).encode(), new=True)


def _write_array(path: Path, array: Any) -> None:
    import numpy as np

    from trustnlp.files.atomic_writing import replacing

    with replacing(path, new=True) as stream:
        np.save(stream, array, allow_pickle=False)
