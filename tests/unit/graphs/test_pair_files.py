"""Files of scored pairs and of clusters: which columns are found, what stays as it is written, what is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from refusals import assert_refused

from trustnlp.graphs import GraphError, PairGraph, partition
from trustnlp.graphs.explanation_html import explanation_page, uncertain_decisions
from trustnlp.graphs.pair_files import read_pairs, write_clusters


def write(table: pd.DataFrame, path: Path) -> Path:
    """As CSV or as Parquet, by the ending."""
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    else:
        duckdb.from_df(table).write_parquet(str(path))
    return path


def test_other_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("one,score,two\n01,1.5,2\n")
    pairs = read_pairs(path, left="one", right="two")
    assert pairs.cut is None and pairs.table.to_numpy().tolist() == [["01", "2", 1.5]]
    for columns, told in (
        ({}, "no column 'left' \\(columns: one, score, two\\)"),
        ({"left": "one", "right": "one"}, "three columns"),
    ):
        with pytest.raises(GraphError, match=told):
            read_pairs(path, **columns)


def test_bad_files_are_refused_with_file_and_row(tmp_path: Path) -> None:
    path, plain, splink = tmp_path / "pairs.csv", "left,right,score\n", "unique_id_l,unique_id_r,match_probability\n"

    def read(text: str) -> object:
        path.write_text(text)
        return read_pairs(path)

    assert_refused(
        read,
        [
            ("", "pairs.csv: the file is empty"),
            (plain, "pairs.csv: .*no pairs"),
            (f"{plain}a,b,high\n", "pairs.csv: row 1 has 'high' in 'score'"),
            (f"{plain}a,b,0.5\na,c,\n", "pairs.csv: row 2 has nothing in 'score'"),
            (f"{plain}a,b,0.5,x\n", "pairs.csv: .*more fields than the header, 3"),
            (f"{plain}a,b,0.5\na,c,0.5,x\n", "pairs.csv: .*Expected 3 fields in line 3, saw 4"),
            (f"{plain}1,2.0,.5\n2,3,.5\n", "pairs.csv: .*'2.0' and '2' may be one record in two forms"),
            (f"{splink}a,b,.9\na,c,97\n", "pairs.csv: row 2 has 97 in 'match_probability', and"),
            (f"{splink}a,b,-0.2\n", "pairs.csv: row 1 has -0.2 in 'match_probability', and"),
            (f"{splink}a,b,.9\na,,.8\n", "pairs.csv: row 2 has no id in 'unique_id_r'"),
            ("unique_id_l,unique_id_r,match_weight\na,b,5.1\n", "no column 'match_probability'; a match weight is"),
        ],
        error=GraphError,
    )
    with pytest.raises(GraphError, match="no such file"):
        read_pairs(tmp_path / "none.csv")


def test_a_file_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("note,left,right,score\n,1,2,0.5\nlong,1,3,.25\n,2,3,-1\n")
    whole = read_pairs(path).table
    monkeypatch.setattr("trustnlp.graphs.pair_files._ROWS", 2)
    pd.testing.assert_frame_equal(read_pairs(path).table, whole)
    assert whole.to_numpy().tolist() == [["1", "2", 0.5], ["1", "3", 0.25], ["2", "3", -1.0]]
    path.write_text("left,right,score\n1,2,0.5\n1,3,1\n2,3,high\n")
    with pytest.raises(GraphError, match="row 3 has 'high'"):
        read_pairs(path)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("nothing", ["", None])
def test_a_missing_id_is_refused(kind: str, nothing: str | None, tmp_path: Path) -> None:
    table = pd.DataFrame([("0", "nan", 0.5), (" ", nothing, 0.5)], columns=["left", "right", "score"])
    with pytest.raises(GraphError, match="row 2 has no id in 'right'"):
        read_pairs(write(table, tmp_path / f"pairs.{kind}"))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_record_is_its_data_set_and_its_id(kind: str, tmp_path: Path) -> None:
    rows = [(1, 1, 0.9, "A", "B"), (1, 2, 0.1, "A", "B"), (2, 2, 0.8, "A", "B")]
    names = ["unique_id_l", "unique_id_r", "match_probability", "source_dataset_l", "source_dataset_r"]
    table, path = pd.DataFrame(rows, columns=names), tmp_path / f"pairs.{kind}"
    pairs = read_pairs(write(table, path))
    assert partition(pairs.table, cut=pairs.cut).clusters == [["A-__-1", "B-__-1"], ["B-__-2", "A-__-2"]]
    with pytest.raises(GraphError, match="source_dataset_l is there without its partner"):
        read_pairs(write(table.drop(columns="source_dataset_r"), path))


@pytest.mark.parametrize(("left", "right"), [([1, 2], ["2", "3"]), ([1.0, 2.0], ["2", "3"]), (["1", "2"], [2, 3])])
def test_ids_of_two_types_are_one_record_or_refused(left: list[Any], right: list[Any], tmp_path: Path) -> None:
    table = pd.DataFrame({"left": left, "right": right, "score": [0.5, 0.4]})
    for pairs in (read_pairs(write(table, tmp_path / "pairs.parquet")).table, table):
        assert partition(pairs, absent="zero").clusters == [["1", "2", "3"]]
    with pytest.raises(GraphError, match="may be one record in two forms"):
        PairGraph.from_pairs(left, right, [0.5, 0.4])


@pytest.mark.parametrize("content", [b"", b"PAR1junkPAR1", b"left,right,score\n"])
def test_a_file_that_is_no_parquet_is_told_in_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "pairs.PARQUET").write_bytes(content)
    with pytest.raises(GraphError, match="not a Parquet file that can be read") as raised:
        read_pairs(tmp_path / "pairs.PARQUET")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_clusters_are_written_whole(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "new" / f"clusters.{kind}"
    write_clusters(path, pd.Series({"007": 0, "NA": 0, "x": 1}))
    if kind == "csv":
        assert path.read_text() == "id,cluster\n007,0\nNA,0\nx,1\n"
    else:
        assert duckdb.read_parquet(str(path)).fetchall() == [("007", 0), ("NA", 0), ("x", 1)]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_page_explains_the_least_certain_decisions_without_a_request() -> None:
    rows = [("<a>", "b", 0.4), ("b", "c", 0.3), ("<a>", "c", -0.15), ("x", "y", 0.9)]
    found = partition(pd.DataFrame(rows, columns=["left", "right", "score"]))
    told = uncertain_decisions(found, 2)
    assert [round(explanation.margin, 6) for explanation in told] == [0.15, 0.15]
    page = explanation_page(found, most=3)
    assert not re.search(r"<(script|img|link|iframe)\b|\b(src|href)=", page)
    assert "&lt;a&gt;" in page and "<a>" not in page
    assert page.count("<section>") == 3 and "No partition weighs more" in page and "would weigh 0.150 less" in page


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("left,left,right,score\na,b,c,1\n", "two columns 'left'"),
        ("left,right,score\na ,b,1\na,c,1\n", "'a ' and 'a' look alike"),
        ("left,right,score\n\u00e9,b,1\ne\u0301,c,1\n", "look alike"),
        ("left,right,match_probability\na,b,1.0000001\n", "has 1.0000001 in"),
    ],
)
def test_what_looks_like_one_column_or_one_record_is_not_taken_for_two(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(GraphError, match=told):
        read_pairs(tmp_path / "p.csv", score="match_probability" if "prob" in text else None)


def test_ids_that_are_lists_are_refused(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    duckdb.sql(f"COPY (SELECT [1, 2] AS left, [3] AS right, 1.0 AS score) TO '{tmp_path}/p.parquet'")
    with pytest.raises(GraphError, match="is a list or a record"):
        read_pairs(tmp_path / "p.parquet")


def test_ids_that_a_double_cannot_tell_apart_are_refused(tmp_path: Path) -> None:
    table = pd.DataFrame({"left": [2**53 + 1, 5], "right": [2.0**53 + 2, 7.0], "score": [0.9, 0.8]})
    with pytest.raises(GraphError, match="the id 9007199254740994 is a floating-point number"):
        read_pairs(write(table, tmp_path / "pairs.parquet"))
    with pytest.raises(GraphError, match="save ids as whole numbers or as text"):
        partition(table)
    whole = read_pairs(write(table.astype({"right": "int64"}), tmp_path / "pairs.parquet")).table
    assert whole["left"].tolist() == [2**53 + 1, 5] and whole["right"].tolist() == [2**53 + 2, 7]
