"""Files of scored pairs and of clusters: which columns are found, what stays as it is written, what is refused."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from trustnlp.graphs import GraphError, PairGraph, partition
from trustnlp.graphs.explanation_html import explanation_page, uncertain_decisions
from trustnlp.graphs.pair_files import read_pairs, write_clusters

SPLINK = pd.DataFrame(
    {
        "match_weight": [8.0, 5.0, -3.0],
        "match_probability": [0.97, 0.91, 0.12],
        "unique_id_l": ["007", "NA", "007"],
        "unique_id_r": ["NA", "x", "x"],
        "gamma_name": [2, 1, 0],
    }
)


def as_parquet(table: pd.DataFrame, path: Path) -> Path:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        connection.register("pairs", table)
        connection.execute(f"COPY pairs TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_columns_of_splink_are_found_by_name(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"predictions.{kind}"
    if kind == "csv":
        SPLINK.to_csv(path, index=False)
    else:
        as_parquet(SPLINK, path)
    pairs = read_pairs(path)
    assert pairs.columns == ("unique_id_l", "unique_id_r", "match_probability") and pairs.cut == 0.5
    assert pairs.table.to_numpy().tolist() == [["007", "NA", 0.97], ["NA", "x", 0.91], ["007", "x", 0.12]]
    assert partition(pairs.table, cut=pairs.cut).clusters == [["007", "NA", "x"]]


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


def test_files_that_hold_no_pairs_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    for text, told in (
        ("", "empty"),
        ("left,right,score\n", "no pairs"),
        ("left,right,score\na,b,high\n", "row 1 has 'high' in 'score'"),
        ("left,right,score\na,b,0.5\na,c,\n", "row 2 has nothing in 'score'"),
        ("left,right,score\na,b,0.5,x\n", "more fields than the header, 3"),
        ("left,right,score\na,b,0.5\na,c,0.5,x\n", "Expected 3 fields in line 3, saw 4"),
    ):
        path.write_text(text)
        with pytest.raises(GraphError, match=told):
            read_pairs(path)
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
    path = tmp_path / f"pairs.{kind}"
    table = pd.DataFrame([("0", "nan", 0.5), (" ", nothing, 0.5)], columns=["left", "right", "score"])
    if kind == "csv":
        table.to_csv(path, index=False)
    else:
        as_parquet(table, path)
    with pytest.raises(GraphError, match="row 2 has no id in 'right'"):
        read_pairs(path)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_record_is_its_data_set_and_its_id(kind: str, tmp_path: Path) -> None:
    rows = [(1, 1, 0.9, "A", "B"), (1, 2, 0.1, "A", "B"), (2, 2, 0.8, "A", "B")]
    names = ["unique_id_l", "unique_id_r", "match_probability", "source_dataset_l", "source_dataset_r"]
    table, path = pd.DataFrame(rows, columns=names), tmp_path / f"pairs.{kind}"
    table.to_csv(path, index=False) if kind == "csv" else as_parquet(table, path)
    found = partition(read_pairs(path).table, cut=0.5)
    assert found.clusters == [["A-__-1", "B-__-1"], ["B-__-2", "A-__-2"]]
    table.drop(columns="source_dataset_r").to_csv(tmp_path / "one.csv", index=False)
    with pytest.raises(GraphError, match="source_dataset_l is there without its partner"):
        read_pairs(tmp_path / "one.csv")


@pytest.mark.parametrize(("left", "right"), [([1, 2], ["2", "3"]), ([1.0, 2.0], ["2", "3"]), (["1", "2"], [2, 3])])
def test_ids_of_two_types_are_one_record_or_refused(left: list[Any], right: list[Any], tmp_path: Path) -> None:
    table = pd.DataFrame({"left": left, "right": right, "score": [0.5, 0.4]})
    path = tmp_path / "pairs.parquet"
    as_parquet(table, path)
    for pairs in (read_pairs(path).table, table):
        assert partition(pairs, absent="zero").clusters == [["1", "2", "3"]]
    with pytest.raises(GraphError, match="may be one record in two forms"):
        PairGraph.from_pairs(left, right, [0.5, 0.4])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("left,right,score\n1,2.0,.5\n2,3,.5\n", "'2.0' and '2' may be one record in two forms"),
        ("unique_id_l,unique_id_r,match_probability\na,b,.9\na,c,97\n", "row 2 has 97 in 'match_probability', and"),
        ("unique_id_l,unique_id_r,match_probability\na,b,-0.2\n", "row 1 has -0.2 in 'match_probability', and"),
        ("unique_id_l,unique_id_r,match_weight\na,b,5.1\n", "no column 'match_probability'; a match weight is"),
        ("unique_id_l,unique_id_r,match_probability\na,b,.9\na,,.8\n", "row 2 has no id in 'unique_id_r'"),
    ],
)
def test_what_would_mislead_is_refused_with_file_and_row(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(text)
    with pytest.raises(GraphError, match=f"pairs.csv: .*{told}"):
        read_pairs(path)


@pytest.mark.parametrize("content", [b"", b"PAR1junkPAR1", b"left,right,score\n"])
def test_a_file_that_is_no_parquet_is_told_in_one_line(content: bytes, tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / "pairs.PARQUET").write_bytes(content)
    with pytest.raises(GraphError, match="not a Parquet file that can be read") as raised:
        read_pairs(tmp_path / "pairs.PARQUET")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_clusters_are_written_whole(kind: str, tmp_path: Path) -> None:
    found = partition(SPLINK, left="unique_id_l", right="unique_id_r", score="match_probability", cut=0.5)
    path = tmp_path / "new" / f"clusters.{kind}"
    write_clusters(path, found.labels)
    if kind == "csv":
        assert path.read_text() == "id,cluster\n007,0\nNA,0\nx,0\n"
    else:
        duckdb = pytest.importorskip("duckdb")
        assert duckdb.sql(f"SELECT * FROM '{path}'").fetchall() == [("007", 0), ("NA", 0), ("x", 0)]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


class _Hosts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.asked += [tag] if tag in ("script", "img", "link", "iframe") else []
        self.asked += [str(value) for name, value in attributes if name in ("src", "href")]


def test_the_page_explains_the_least_certain_decisions_without_a_request() -> None:
    rows = [("<a>", "b", 0.4), ("b", "c", 0.3), ("<a>", "c", -0.15), ("x", "y", 0.9)]
    found = partition(pd.DataFrame(rows, columns=["left", "right", "score"]))
    told = uncertain_decisions(found, 2)
    assert [round(explanation.margin, 6) for explanation in told] == [0.15, 0.15]
    page = explanation_page(found, most=3)
    reader = _Hosts()
    reader.feed(page)
    assert not reader.asked and "&lt;a&gt;" in page and "<a>" not in page
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
