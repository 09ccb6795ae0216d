"""`trustnlp partition`: what it prints and writes, and that every mistake is one line."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from trustnlp.graphs import PairGraph, partition_graph, partitioning
from trustnlp.graphs.planted import planted_components
from trustnlp.tools.cli import app


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


PAIRS = "left,right,score\n007,NA,0.9\nNA,x,0.8\n007,x,0.1\n"


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS)
    return path


def run(*arguments: object):
    return CliRunner().invoke(app, ["partition", *map(str, arguments)])


@pytest.mark.parametrize(
    ("text", "told"), [(PAIRS, "nodes:     3"), (PAIRS.replace("left", "leff"), "no column 'left'"), ("", "empty")]
)
def test_pairs_come_through_a_pipe(tmp_path: Path, text: str, told: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    result = run(pipe)
    writer.join()
    assert told in result.output and "/pipe.csv" not in result.output
    assert result.exit_code == (0 if text == PAIRS else 2)


def printed(stdout: str) -> dict[str, str]:
    return dict(re.findall(r"^(\w+): +(\S+)$", stdout, flags=re.MULTILINE))


def test_prints_what_is_proven_and_writes_ids_as_they_were(pairs: Path) -> None:
    out = pairs.parent / "new" / "clusters.csv"
    result = run(pairs, "--cut", 0.5, "--out", out)
    assert (result.exit_code, result.stderr) == (0, "")
    facts = printed(result.stdout)
    assert float(facts.pop("seconds")) >= 0
    assert facts == {
        "nodes": "3", "pairs": "3", "clusters": "2",
        "value": "0.400000", "bound": "0.400000", "gap": "0.000000", "optimal": "yes",
    }  # fmt: skip
    assert out.read_text() == "id,cluster\n007,0\nNA,0\nx,1\n"
    assert [path.name for path in out.parent.iterdir()] == ["clusters.csv"]
    assert "not proven" not in result.stdout


def test_columns_by_name_and_the_meaning_of_absent_pairs(tmp_path: Path) -> None:
    path, out = tmp_path / "pairs.csv", tmp_path / "clusters.csv"
    path.write_text("weight,a,b,extra\n1,u,v,\n1,v,w,text\n", encoding="utf-8-sig")
    columns = ("--left", "a", "--right", "b", "--score", "weight", "--out", out)
    assert run(path, *columns).exit_code == 0
    assert pd.read_csv(out)["cluster"].nunique() == 2
    assert run(path, *columns, "--absent", "zero").exit_code == 0
    assert pd.read_csv(out)["cluster"].nunique() == 1


SPLINK = pd.DataFrame(
    {
        "match_weight": [8.0, 5.0, -3.0, 4.0, -2.0],
        "match_probability": [0.97, 0.91, 0.12, 0.8, 0.3],
        "unique_id_l": ["007", "NA", "007", "p", "x"],
        "unique_id_r": ["NA", "x", "x", "q", "p"],
    }
)
"""The columns of Splink 5's predictions, and the ids that pandas would read otherwise."""


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_what_splink_writes_becomes_clusters_a_proof_and_a_page_by_one_command(kind: str, tmp_path: Path) -> None:
    path, out, proof, page = (tmp_path / name for name in (f"in.{kind}", f"out.{kind}", "proof.json", "why.html"))
    if kind == "csv":
        SPLINK.to_csv(path, index=False)
    else:
        duckdb = pytest.importorskip("duckdb")
        duckdb.from_df(SPLINK).write_parquet(str(path))
    result = run(path, "--out", out, "--certificate", proof, "--explain", page, "--decisions", 2)
    assert (result.exit_code, result.stderr) == (0, "")
    assert printed(result.stdout)["clusters"] == "2" and printed(result.stdout)["optimal"] == "yes"
    told = pd.read_csv(out, dtype=str, keep_default_na=False) if kind == "csv" else duckdb.read_parquet(str(out)).df()
    assert told.groupby("cluster")["id"].agg(list).tolist() == [["007", "NA", "x"], ["p", "q"]]
    held = json.loads(proof.read_text("utf-8"))
    assert held["optimal"] and held["value"] == pytest.approx(held["bound"]) == pytest.approx(0.8)
    assert {tuple(component["nodes"]) for component in held["components"]} == {("007", "NA", "x"), ("p", "q")}
    text = page.read_text("utf-8")
    assert (
        text.count("<section>") == 2 and "007 and x are in one cluster" in text and "No partition weighs more" in text
    )


def test_the_proof_of_components_that_needed_cuts_is_written_too(tmp_path: Path) -> None:
    """Their bounds and verdicts are numpy's, which JSON does not take."""
    graph, _ = planted_components(300, 12, np.random.default_rng(0))
    found = partition_graph(graph)
    assert any(leaf.multipliers for part in found.components for leaf in part.solution.certificate.leaves)
    path, proof = tmp_path / "pairs.csv", tmp_path / "proof.json"
    pd.DataFrame({"left": graph.left, "right": graph.right, "score": graph.weights}).to_csv(path, index=False)
    assert run(path, "--certificate", proof).exit_code == 0
    held = json.loads(proof.read_text("utf-8"))
    assert held["optimal"] is True and held["bound"] == pytest.approx(found.value)
    assert any(leaf["multipliers"] for component in held["components"] for leaf in component["leaves"])


@pytest.mark.parametrize("settings", [(), ("--workers", 2)], ids=["one", "two"])
def test_a_folder_of_parts_becomes_the_same_clusters(tmp_path: Path, settings: tuple[object, ...]) -> None:
    folder, out = tmp_path / "parts", tmp_path / "out.csv"
    folder.mkdir()
    for number in range(len(SPLINK)):
        SPLINK.iloc[[number]].to_csv(folder / f"{number}.csv", index=False)
    result = run(folder, "--out", out, *settings)
    assert (result.exit_code, result.stderr) == (0, "")
    facts = printed(result.stdout)
    assert (facts["parts"], facts["clusters"], facts["value"], facts["optimal"]) == ("5", "2", "0.800000", "yes")
    told = pd.read_csv(out, dtype=str, keep_default_na=False)
    assert sorted(map(sorted, told.groupby("cluster")["id"].agg(list))) == [["007", "NA", "x"], ["p", "q"]]


def test_hidden_parts_are_skipped_and_said(tmp_path: Path) -> None:
    SPLINK.to_csv(tmp_path / "0.csv", index=False)
    plain = run(tmp_path).stdout.splitlines()[:-1]
    (tmp_path / "._0.csv").write_bytes(b"\x00\x05\x16\x07")
    result = run(tmp_path)
    assert result.exit_code == 0 and result.stdout.splitlines()[:-1] == plain
    assert result.stderr.splitlines() == ["Skipped ._0.csv: hidden", f"1 skipped in {tmp_path}"]


def test_a_folder_without_parts_and_what_needs_one_file_are_refused_in_one_line(tmp_path: Path) -> None:
    for arguments, told in (
        ((), "the folder holds no part"),
        (("--explain", "why.html"), "need all pairs in one file"),
    ):
        result = run(tmp_path, *arguments)
        assert result.exit_code == 2 and told in result.stderr and result.stderr.count("\n") == 1
    (tmp_path / "bad.csv").write_text("left,right,score\na,b,high\n")
    result = run(tmp_path)
    assert result.exit_code == 2 and "bad.csv: row 1 has 'high'" in result.stderr and result.stderr.count("\n") == 1


def test_a_cut_of_ones_own_goes_before_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    SPLINK.to_csv(path, index=False)
    assert printed(run(path, "--cut", 0.95).stdout)["value"] == "0.020000"
    warned = run(path, "--cut", 0)
    assert (
        warned.stderr.startswith("every score lies between 0 and 1") and printed(warned.stdout)["value"] == "2.800000"
    )


def test_the_time_for_the_whole_is_kept_and_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    left, right = np.triu_indices(60, 1)
    path = tmp_path / "pairs.csv"
    pd.DataFrame({"left": left, "right": right, "score": rng.normal(0, 1, len(left))}).to_csv(path, index=False)
    result = run(path, "--total-time", 0.01)
    assert result.exit_code == 0 and "(limit 60 s each, 0.01 s in all)" in result.stdout


def test_a_terminal_sees_a_bar_and_a_file_does_not(pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar in the log of a batch job would be noise."""
    asked = []

    def told(*arguments: Any, **settings: Any) -> Any:
        asked.append(settings["progress"])
        return real(*arguments, **settings)

    real = partitioning.partition
    monkeypatch.setattr(partitioning, "partition", told)
    assert run(pairs, "--cut", 0.5).stderr == ""
    monkeypatch.setattr("trustnlp.tools.cli_graphs.sys", SimpleNamespace(stderr=Terminal()))
    run(pairs, "--cut", 0.5)
    assert asked == [False, True]


def test_the_bar_counts_batches_of_components(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(f"a{i}", f"b{i}", 1.0) for i in range(70)]
    graph = PairGraph.from_pairs(*map(list, zip(*rows, strict=True)))
    partition_graph(graph, progress=True)
    assert "2/2" in capsys.readouterr().err
    partition_graph(graph)
    assert capsys.readouterr().err == ""


def test_agrees_with_the_library_on_two_processes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame([(f"n{u}", f"n{v}") for u in range(24) for v in range(u) if u // 8 == v // 8])
    table.columns = pd.Index(["left", "right"])
    table["score"] = rng.normal(0, 1, len(table))
    path, out = tmp_path / "pairs.csv", tmp_path / "clusters.csv"
    table.to_csv(path, index=False)
    result = run(path, "--workers", 2, "--out", out)
    expected = partition_graph(PairGraph.from_pairs(table["left"], table["right"], table["score"]))
    assert float(printed(result.stdout)["value"]) == pytest.approx(expected.value, abs=1e-6)
    assert pd.read_csv(out).set_index("id")["cluster"].equals(expected.labels.rename_axis("id"))


def test_a_run_that_hits_the_limit_succeeds_and_says_the_gap(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    left, right = np.triu_indices(40, 1)
    path = tmp_path / "pairs.csv"
    pd.DataFrame({"left": left, "right": right, "score": rng.normal(0, 1, len(left))}).to_csv(path, index=False)
    result = run(path, "--time-limit", 0.001)
    facts = printed(result.stdout)
    assert result.exit_code == 0 and facts["optimal"] == "no"
    gap = float(facts["bound"]) - float(facts["value"])
    assert gap > 0 and float(facts["gap"]) == pytest.approx(gap, abs=2e-6)
    assert re.search(r"not proven: 1 of 1 components .* \(limit 0.001 s each\); .* up to \d+\.\d+ more", result.stdout)


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (None, (), "no such file"),
        ("", (), "the file is empty"),
        ("left,right,score\n", (), "no pairs"),
        (PAIRS, ("--score", "scores"), "no column 'scores'; did you mean 'score'? (columns: left, right, score)"),
        (PAIRS, ("--right", "left"), "three columns"),
        (PAIRS.replace("0.8", "high"), (), "row 2 has 'high' in 'score'"),
        (PAIRS.replace("0.8", ""), (), "row 2 has nothing in 'score'"),
        (PAIRS.replace("0.8", "inf"), (), "('NA', 'x') has the weight inf"),
        (PAIRS + ",x,1\n", (), "row 4 has no id in 'left'"),
        (PAIRS + "x,x,1\n", (), "'x' is paired with itself"),
        (PAIRS + "x,NA,0.7\n", (), "stands twice with different weights"),
        (PAIRS + "a,b,1,2,3\n", (), "Expected 3 fields in line 5, saw 5"),
        (b"left,right,score\n\xff\xfe,b,1\n", (), "UTF-8"),
        (PAIRS, ("--absent", "nevr"), "absent is one of never, zero, got 'nevr'"),
        (PAIRS, ("--time-limit", "0"), "the time limit is above 0"),
        (PAIRS, ("--total-time", "0"), "the time for the whole is above 0"),
        (PAIRS, ("--explain", "why.json"), "why.json: the page is written as .html"),
    ],
)
def test_a_mistake_is_one_line_and_writes_nothing(tmp_path: Path, text, arguments, message: str) -> None:
    path, out = tmp_path / "pairs.csv", tmp_path / "clusters.csv"
    if text is not None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = run(path, "--cut", 0.5, "--out", out, *arguments)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith("trustnlp: ") and result.stderr.count("\n") == 1
    assert message in result.stderr
    assert not out.exists()


def test_a_scheduler_that_does_not_answer_is_one_line(pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(address: str) -> None:
        raise OSError("Timed out")

    monkeypatch.setattr("distributed.Client", silent)
    result = run(pairs, "--cut", 0.5, "--scheduler", "tcp://nowhere:8786")
    assert result.exit_code == 2
    assert result.stderr == "trustnlp: no Dask scheduler answers at tcp://nowhere:8786: Timed out\n"


def test_files_are_written_before_anything_is_printed(
    pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    files = [tmp_path / name for name in ("clusters.csv", "proof.json", "page.html")]
    options = [each for pair in zip(("--out", "--certificate", "--explain"), files, strict=True) for each in pair]
    monkeypatch.setattr("sys.stdout", Closed())
    with pytest.raises(SystemExit, match="141"):  # the reader has gone
        app(["partition", str(pairs), *map(str, options)], standalone_mode=False)
    sys.stdout.close()  # the command's own way out of a closed one
    assert all(file.is_file() for file in files)


def test_parts_are_found_in_capitals_and_others_are_told(pairs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "a.CSV").write_text(PAIRS)
    (folder / "notes.txt").write_text("no part")
    result = run(folder)
    assert printed(result.stdout)["nodes"] == "3" and "Skipped notes.txt" in result.stderr
    (folder / "b.csv").write_text("left,right,score\n7.0,x,0.5\n7,y,0.5\n")
    assert "may be one record in two forms" in run(folder).output


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_parquet_comes_through_a_pipe_too_and_ids_without_a_pair_are_written(kind: str, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("left,right,score\n1,2,0.9\n2,3,-0.5\n")
    (tmp_path / "nodes.txt").write_text("4\n2\nfive\n")
    if kind == "parquet":
        duckdb.sql(f"COPY (FROM '{tmp_path}/p.csv') TO '{tmp_path}/p.parquet'")
    os.mkfifo(tmp_path / "pipe")
    content = (tmp_path / f"p.{kind}").read_bytes()
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,))
    writer.start()
    result = run(tmp_path / "pipe", "--nodes", tmp_path / "nodes.txt", "--out", tmp_path / "c.csv")
    writer.join()
    assert result.exit_code == 0, result.output
    clusters = pd.read_csv(tmp_path / "c.csv", dtype=str).groupby("cluster")["id"].apply(set)
    assert sorted(clusters, key=min) == [{"1", "2"}, {"3"}, {"4"}, {"five"}]


def test_an_option_that_cannot_be_is_named_and_a_folder_in_a_folder_is_told(pairs: Path, tmp_path: Path) -> None:
    for option, value in (("--cut", "nan"), ("--cut", "inf"), ("--workers", "1000000000")):
        result = run(pairs, option, value)
        assert result.exit_code == 2 and option in result.stderr and "Traceback" not in result.output
    (tmp_path / "parts" / "2026").mkdir(parents=True)
    (tmp_path / "parts" / "a.csv").write_text(pairs.read_text())
    assert "Skipped 2026: a folder" in run(tmp_path / "parts").stderr
    (tmp_path / "nodes.txt").write_text("zz\nzz\n")
    assert run(pairs, "--nodes", tmp_path / "nodes.txt").exit_code == 0
