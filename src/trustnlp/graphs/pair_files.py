"""Scored pairs and clusters in files: CSV or Parquet, with the columns of Splink found by their names.

Splink 5 (`linker.inference.predict`) writes `unique_id_l`, `unique_id_r` and `match_probability`; a table of one's own
has any names, `left`, `right` and `score` by default. A probability speaks neither for nor against at 0.5, a signed
score at 0. Ids of a CSV file stay as they are written, so that 007 stays 007. Parquet is read by DuckDB.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from trustnlp.files.atomic_writing import replacing_by_name, write_bytes
from trustnlp.files.missing_values import missing_rows
from trustnlp.files.user_text import TextFileError, open_text
from trustnlp.graphs.pair_graph import GraphError

COLUMNS = {
    "Splink": ("unique_id_l", "unique_id_r", "match_probability"),
    "plain": ("left", "right", "score"),
}
"""Names by which the columns are found, in this order."""
_PARQUET = (".parquet", ".pq")
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
        No such file or column, no pairs, a row with more fields than the header, a missing id, or a score that is no
        number.
    ImportError
        A Parquet file, and DuckDB is not installed.

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
    found = _parquet_columns(file) if file.suffix in _PARQUET else _csv_columns(file)
    chosen = _chosen(file, found, left, right, score)
    table = _read_parquet(file, chosen) if file.suffix in _PARQUET else _read_csv(file, chosen)
    table = table.set_axis(["left", "right", "score"], axis=1)
    if table.empty:
        raise GraphError(f"{file}: the file has a header and no pairs")
    for name, called in zip(("left", "right"), chosen[:2], strict=True):
        if (absent := table.index[missing_rows(table[name])]).size:
            raise GraphError(f"{file}: row {absent[0] + 1} has no id in '{called}'")
    numbers = pd.to_numeric(table["score"], errors="coerce")
    if (wrong := table.index[numbers.isna()]).size:
        given = table["score"].iloc[wrong[0]]
        told = "nothing" if pd.isna(given) else repr(given)
        raise GraphError(f"{file}: row {wrong[0] + 1} has {told} in '{chosen[2]}', no number")
    return ScoredPairs(table.assign(score=numbers), 0.5 if chosen[2] == "match_probability" else None, chosen)


def write_clusters(path: str | os.PathLike[str], labels: pd.Series) -> None:
    """Write `id,cluster` as CSV or Parquet, by `trustnlp.files.atomic_writing`: whole or not at all.

    Raises
    ------
    ImportError
        A Parquet file, and DuckDB is not installed.
    """
    file = Path(path)
    table = pd.DataFrame({"id": labels.index, "cluster": labels.to_numpy()})
    if file.suffix not in _PARQUET:
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
    lacking = next(name for name in kinds[-1] if name not in found)
    near = difflib.get_close_matches(lacking, found, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    raise GraphError(f"{file}: no column '{lacking}'{hint} (columns: {', '.join(found)})")


def _csv_columns(file: Path) -> list[str]:
    with _told(file), open_text(file) as stream:
        return list(pd.read_csv(stream, nrows=0).columns)


@contextmanager
def _told(file: Path) -> Iterator[None]:
    """What pandas says of a file that is not CSV, as one line."""
    try:
        yield
    except pd.errors.EmptyDataError:
        raise GraphError(f"{file}: the file is empty; expected a header and one row per scored pair") from None
    except TextFileError as error:
        raise GraphError(str(error)) from None
    except pd.errors.ParserError as error:
        raise GraphError(f"{file}: not a CSV file: {' '.join(str(error).split())}") from None


def _read_csv(file: Path, columns: tuple[str, str, str]) -> pd.DataFrame:
    """Read in parts, all columns: a reader of some columns takes a row with too many fields for a good one.

    A column of scores that are not all numbers comes as text.
    """
    kinds = dict.fromkeys(columns[:2], str)
    missing = {name: [""] for name in columns}
    with (
        _told(file),
        open_text(file) as stream,
        pd.read_csv(
            stream, dtype=kinds, keep_default_na=False, na_values=missing, chunksize=_ROWS, low_memory=False
        ) as parts,
    ):
        return pd.concat([_three(file, part, columns) for part in parts], ignore_index=True)


def _three(file: Path, part: pd.DataFrame, columns: tuple[str, str, str]) -> pd.DataFrame:
    if not isinstance(part.index, pd.RangeIndex):  # pandas takes the first fields for names of rows
        raise GraphError(f"{file}: rows have more fields than the header, {len(part.columns)}")
    return part[list(columns)]


def _parquet_columns(file: Path) -> list[str]:
    with _duckdb().connect() as connection:
        rows = connection.execute(f"DESCRIBE SELECT * FROM read_parquet('{_quoted(file)}')").fetchall()
    return [row[0] for row in rows]


def _read_parquet(file: Path, columns: tuple[str, str, str]) -> pd.DataFrame:
    named = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    with _duckdb().connect() as connection:
        found: pd.DataFrame = connection.execute(f"SELECT {named} FROM read_parquet('{_quoted(file)}')").df()
    return found


def _quoted(file: Path) -> str:
    return str(file).replace("'", "''")


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise ImportError("Parquet files need DuckDB: pip install 'trustnlp[graphs]'") from error
    return duckdb
