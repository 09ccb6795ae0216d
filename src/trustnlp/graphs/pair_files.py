"""Scored pairs and clusters in files: CSV or Parquet, with the columns of Splink found by their names.

Splink 5 (`linker.inference.predict`) writes `unique_id_l`, `unique_id_r` and `match_probability`; a table of one's own
has any names, `left`, `right` and `score` by default. A probability speaks neither for nor against at 0.5, a signed
score at 0. Ids of a CSV file stay as they are written, so that 007 stays 007. Parquet is read by DuckDB.

Where pairs are of several data sets (`source_dataset_l`, `source_dataset_r`), a record is known by its data set and its
id: `A-__-1`, as Splink writes it. Ids that are numbers on one side and text on the other become text.
"""

from __future__ import annotations

import difflib
import os
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.files.atomic_writing import replacing_by_name, write_bytes
from trustnlp.files.missing_values import missing_rows, text_or_none
from trustnlp.files.user_text import TextFileError, open_text
from trustnlp.graphs.pair_graph import GraphError, in_one_form

COLUMNS = {
    "Splink": ("unique_id_l", "unique_id_r", "match_probability"),
    "plain": ("left", "right", "score"),
}
"""Names by which the columns are found, in this order."""
_PARQUET = (".parquet", ".pq")
ENDINGS = (".csv", *_PARQUET)
_DATA_SETS = ("source_dataset_l", "source_dataset_r")
_JOINED_BY = "-__-"  # of Splink
_ROWS = 500_000  # of a CSV file at once


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """Pairs read from a file.

    Attributes
    ----------
    table
        Columns `left`, `right`, `score`.
    cut
        Score that speaks neither for nor against: 0.5 where the file says that scores are probabilities, else None.
    columns
        What these columns are called in the file.
    """

    table: pd.DataFrame
    cut: float | None
    columns: tuple[str, str, str]


def read_pairs(
    path: str | os.PathLike[str], *, left: str | None = None, right: str | None = None, score: str | None = None
) -> ScoredPairs:
    """Read scored pairs.

    Parameters
    ----------
    path
        A CSV file with a header, or a Parquet file (`.parquet`, `.pq`).
    left, right, score
        Names of the columns; those of `COLUMNS` by default, the first three that are all there.

    Raises
    ------
    GraphError
        If there is no such file or column, no pairs, a row with more fields than the header, a missing id, or a score
        that is no number, or no probability in `match_probability`.
    ImportError
        If given a Parquet file, and DuckDB is not installed.

    Examples
    --------
    A file as Splink 5 writes it, from a table of predictions to clusters:

    >>> import tempfile
    >>> from trustnlp.graphs import partition
    >>> rows = [("a-1", "b-7", .97), ("b-7", "c-2", .91), ("a-1", "c-2", .12)]
    >>> predictions = pd.DataFrame(rows, columns=["unique_id_l", "unique_id_r", "match_probability"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     predictions.to_csv(f"{folder}/predictions.csv", index=False)
    ...     pairs = read_pairs(f"{folder}/predictions.csv")
    >>> pairs.columns, pairs.cut
    (('unique_id_l', 'unique_id_r', 'match_probability'), 0.5)
    >>> partition(pairs.table, cut=pairs.cut).clusters
    [['a-1', 'b-7', 'c-2']]
    """
    file = Path(path)
    if not file.is_file():
        if file.exists() and not file.is_dir():
            raise GraphError(f"{file} is no regular file, and it is read more than once; save it as one first")
        raise GraphError(f"{file}: no such file; give a CSV or Parquet file with one row per scored pair")
    there = _parquet_columns(file) if _is_parquet(file) else _csv_columns(file)
    chosen = _chosen(file, there, left, right, score)
    if twice := [name for name in chosen if there.count(name) > 1]:
        raise GraphError(f"{file}: the header has two columns '{twice[0]}'; leave one out, or name them apart")
    sets = [name for name in _DATA_SETS if name in there and name not in chosen]
    if len(sets) == 1:
        raise GraphError(f"{file}: {sets[0]} is there without its partner; both tell the data sets of a pair, or none")
    read = (*chosen, *sets)
    table = _read_parquet(file, read) if _is_parquet(file) else _read_csv(file, read)
    table = table.set_axis(["left", "right", "score", "left set", "right set"][: len(read)], axis=1)
    if table.empty:
        raise GraphError(f"{file}: the file has a header and no pairs")
    for name, called in zip(table.columns, read, strict=True):
        if name != "score" and (absent := table.index[missing_rows(table[name])]).size:
            raise GraphError(f"{file}: row {absent[0] + 1} has no id in '{called}'")
    table["score"] = _numbers(file, table["score"], chosen[2])
    try:
        table["left"], table["right"] = in_one_form(table["left"], table["right"])
        _check_blanks(table["left"], table["right"])
    except TypeError:
        raise GraphError(f"{file}: an id is a list or a record; an id is a number or a text") from None
    except GraphError as error:
        raise GraphError(f"{file}: {error}") from None
    for side in ("left", "right") if sets else ():
        named = table[f"{side} set"].map(text_or_none)
        if (odd := named[named.str.contains(_JOINED_BY, regex=False)]).size:
            raise GraphError(f"{file}: the data set {odd.iloc[0]!r} holds {_JOINED_BY}, which joins it to ids")
        table[side] = named + _JOINED_BY + table[side].map(text_or_none)
    table = table[["left", "right", "score"]]
    return ScoredPairs(table, 0.5 if chosen[2] == "match_probability" else None, chosen)


def _check_blanks(left: pd.Series, right: pd.Series) -> None:
    """GraphError where two ids differ by blanks before or behind them, or by how an accent is written, alone."""
    ids = [name for name in pd.unique(pd.concat([left, right]).astype(object)) if isinstance(name, str)]
    known: dict[str, str] = {}
    for name in ids:
        other = known.setdefault(unicodedata.normalize("NFC", name).strip(), name)
        if other != name:
            raise GraphError(
                f"the ids {other!a} and {name!a} look alike and may be one record; write all ids in one "
                "form, or give records that differ names that differ"
            )


def _is_parquet(file: Path) -> bool:
    return file.suffix.lower() in _PARQUET


def _numbers(file: Path, scores: pd.Series, called: str) -> pd.Series:
    numbers = pd.to_numeric(scores, errors="coerce")
    if (wrong := numbers.index[numbers.isna()]).size:
        wrong_score = scores.iloc[wrong[0]]
        shown = "nothing" if pd.isna(wrong_score) else repr(wrong_score)
        raise GraphError(f"{file}: row {wrong[0] + 1} has {shown} in '{called}', no number")
    if called == "match_probability" and (outside := numbers.index[~numbers.between(0, 1)]).size:
        wrong_score = np.format_float_positional(numbers[outside[0]], trim="-")
        raise GraphError(
            f"{file}: row {outside[0] + 1} has {wrong_score} in '{called}', and probabilities lie between 0 and 1; "
            "divide per cent by 100, or call the column by another name"
        )
    return numbers


def write_clusters(path: str | os.PathLike[str], labels: pd.Series) -> None:
    """Write `id,cluster` as CSV or Parquet, by `trustnlp.files.atomic_writing`: whole or not at all.

    Raises
    ------
    ImportError
        If given a Parquet file, and DuckDB is not installed.
    """
    file = Path(path)
    table = pd.DataFrame({"id": labels.index, "cluster": labels.to_numpy()})
    if not _is_parquet(file):
        write_bytes(file, table.to_csv(index=False, lineterminator="\n").encode())
        return
    duckdb = _duckdb()
    with replacing_by_name(file) as part, duckdb.connect() as connection:
        connection.register("clusters", table)
        connection.execute(f"COPY clusters TO '{_quoted(part)}' (FORMAT parquet)")


def _chosen(file: Path, found: list[str], *asked: str | None) -> tuple[str, str, str]:
    kinds = [tuple(given or usual for given, usual in zip(asked, names, strict=True)) for names in COLUMNS.values()]
    for names in kinds:
        if set(names) <= set(found):
            if len(set(names)) < 3:
                raise GraphError(f"left, right and score are three columns, got {', '.join(names)}")
            return names  # type: ignore[return-value]
    nearest_kind = max(reversed(kinds), key=lambda names: len(set(names) & set(found)))
    lacking = next(name for name in nearest_kind if name not in found)
    near = difflib.get_close_matches(lacking, [name for name in found if name not in nearest_kind], n=1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    if lacking == "match_probability" and "match_weight" in found:
        hint = "; a match weight is a score, too, with its middle at 0: name it as the score"
    raise GraphError(f"{file}: no column '{lacking}'{hint} (columns: {', '.join(found)})")


def _csv_columns(file: Path) -> list[str]:
    with _told(file), open_text(file) as stream:
        header = pd.read_csv(stream, nrows=1, header=None, dtype=str, keep_default_na=False).iloc[0]
    return [name or f"Unnamed: {place}" for place, name in enumerate(header)]  # as pandas, but twice where it is twice


@contextmanager
def _told(file: Path) -> Iterator[None]:
    """pandas' complaint of a file that is not CSV, as one line."""
    try:
        yield
    except pd.errors.EmptyDataError:
        raise GraphError(f"{file}: the file is empty; expected a header and one row per scored pair") from None
    except TextFileError as error:
        raise GraphError(str(error)) from None
    except pd.errors.ParserError as error:
        raise GraphError(f"{file}: not a CSV file: {' '.join(str(error).split())}") from None


def _read_csv(file: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    """Read in parts, all columns: a reader of some columns takes a row with too many fields for a good one.

    A column of scores that are not all numbers comes as text.
    """
    kinds = {name: str for place, name in enumerate(columns) if place != 2}
    missing = {name: [""] for name in columns}
    with (
        _told(file),
        open_text(file) as stream,
        pd.read_csv(
            stream, dtype=kinds, keep_default_na=False, na_values=missing, chunksize=_ROWS, low_memory=False
        ) as parts,
    ):
        return pd.concat([_three(file, part, columns) for part in parts], ignore_index=True)


def _three(file: Path, part: pd.DataFrame, columns: tuple[str, ...]) -> pd.DataFrame:
    if not isinstance(part.index, pd.RangeIndex):  # pandas takes the first fields for names of rows
        raise GraphError(f"{file}: rows have more fields than the header, {len(part.columns)}")
    return part[list(columns)]


def _parquet_columns(file: Path) -> list[str]:
    return [row[0] for row in _asked(file, "DESCRIBE SELECT *", lambda found: found.fetchall())]


def _read_parquet(file: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    named = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    found: pd.DataFrame = _asked(file, f"SELECT {named}", lambda found: found.df())
    return found


def _asked(file: Path, select: str, read: Callable[[Any], Any]) -> Any:
    duckdb = _duckdb()
    try:
        with duckdb.connect() as connection:
            return read(connection.execute(f"{select} FROM read_parquet('{_quoted(file)}')"))
    except duckdb.Error as error:
        reason = " ".join(str(error).split("\nLINE")[0].split())
        raise GraphError(f"{file}: not a Parquet file that can be read: {reason}") from None


def _quoted(file: Path) -> str:
    return str(file).replace("'", "''")


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise ImportError("Parquet files need DuckDB: pip install 'trustnlp[graphs]'") from error
    return duckdb
