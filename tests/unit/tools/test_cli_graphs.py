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

import duckdb
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from trustnlp.graphs import partition_graph
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


def run_through_a_pipe(pipe: Path, content: bytes, *options: object):
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    result = run(pipe, *options)
    writer.join()
    return result


@pytest.mark.parametrize(("content", "told"), [(b"leff,right,score\na,b,1\n", "no column 'left'"), (b"", "empty")])
def test_a_mistake_in_a_pipe_is_told_by_the_pipes_name(tmp_path: Path, content: bytes, told: str) -> None:
    result = run_through_a_pipe(tmp_path / "pipe", content)
    assert result.exit_code == 2 and told in result.stderr and "/pipe.csv" not in result.stderr


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
    SPLINK.to_csv(path, index=False) if kind == "csv" else duckdb.from_df(SPLINK).write_parquet(str(path))
    result = run(path, "--out", out, "--certificate", proof, "--explain", page, "--decisions", 2)
    assert (result.exit_code, result.stderr) == (0, "")
    assert printed(result.stdout)["clusters"] == "2" and printed(result.stdout)["optimal"] == "yes"
    told = pd.read_csv(out, dtype=str, keep_default_na=False) if kind == "csv" else duckdb.read_parquet(str(out)).df()
    assert told.groupby("cluster")["id"].agg(list).tolist() == [["007", "NA", "x"], ["p", "q"]]
    held = json.loads(proof.read_text("utf-8"))
    assert held["optimal"] and held["value"] == pytest.approx(held["bound"]) == pytest.approx(0.8)
    assert {tuple(component["nodes"]) for component in held["components"]} == {("007", "NA", "x"), ("p", "q")}
    text = page.read_text("utf-8")
    assert text.count("<section>") == 2 and "No partition weighs more" in text
    assert "007 and x are in one cluster" in text


def test_two_processes_prove_what_one_does_and_the_proof_of_cuts_is_written(tmp_path: Path) -> None:
    """Their bounds and verdicts are numpy's, which JSON does not take."""
    graph, _ = planted_components(300, 12, np.random.default_rng(0))
    found = partition_graph(graph)
    assert any(leaf.multipliers for part in found.components for leaf in part.solution.certificate.leaves)
    path, proof = tmp_path / "pairs.csv", tmp_path / "proof.json"
    pd.DataFrame({"left": graph.left, "right": graph.right, "score": graph.weights}).to_csv(path, index=False)
    assert run(path, "--certificate", proof, "--workers", 2).exit_code == 0
    held = json.loads(proof.read_text("utf-8"))
    assert held["optimal"] is True and held["bound"] == pytest.approx(found.value) == pytest.approx(held["value"])
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


def test_what_is_no_part_of_a_folder_is_skipped_and_said(tmp_path: Path) -> None:
    SPLINK.to_csv(tmp_path / "0.CSV", index=False)
    plain = run(tmp_path).stdout.splitlines()[:-1]
    (tmp_path / "._0.csv").write_bytes(b"\x00\x05\x16\x07")
    (tmp_path / "notes.txt").write_text("no part")
    (tmp_path / "2026").mkdir()
    result = run(tmp_path)
    assert result.exit_code == 0 and result.stdout.splitlines()[:-1] == plain
    *skipped, all_of_them = result.stderr.splitlines()
    assert sorted(line.partition(":")[0] for line in skipped) == [
        "Skipped ._0.csv", "Skipped 2026", "Skipped notes.txt",
    ]  # fmt: skip
    assert "Skipped ._0.csv: hidden" in skipped and "Skipped 2026: a folder" in result.stderr
    assert all_of_them == f"3 skipped in {tmp_path}"


@pytest.mark.parametrize(
    ("parts", "arguments", "told"),
    [
        ((), (), "the folder holds no part"),
        ((), ("--explain", "why.html"), "need all pairs in one file"),
        (("a,b,high",), (), "0.csv: row 1 has 'high'"),
        (("1,x,0.5", "7.0,x,0.5\n7,y,0.5"), (), "may be one record in two forms"),
    ],
)
def test_a_mistake_in_a_folder_is_one_line(
    tmp_path: Path, parts: tuple[str, ...], arguments: tuple[str, ...], told: str
) -> None:
    for number, rows in enumerate(parts):
        (tmp_path / f"{number}.csv").write_text(f"left,right,score\n{rows}\n")
    result = run(tmp_path, *arguments)
    assert result.exit_code == 2 and told in result.stderr and result.stderr.count("\n") == 1


def test_a_cut_of_ones_own_goes_before_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    SPLINK.to_csv(path, index=False)
    assert printed(run(path, "--cut", 0.95).stdout)["value"] == "0.020000"
    warned = run(path, "--cut", 0)
    assert warned.stderr.startswith("every score lies between 0 and 1")
    assert printed(warned.stdout)["value"] == "2.800000"


def test_a_terminal_sees_a_bar_of_batches_and_a_file_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar in the log of a batch job would be noise."""
    path = tmp_path / "pairs.csv"
    path.write_text("left,right,score\n" + "".join(f"a{i},b{i},1\n" for i in range(70)))
    assert run(path, "--cut", 0.5).stderr == ""
    monkeypatch.setattr("trustnlp.tools.cli_graphs.sys", SimpleNamespace(stderr=Terminal()))
    assert "2/2" in run(path, "--cut", 0.5).stderr


@pytest.mark.parametrize(
    ("option", "seconds", "told"),
    [("--time-limit", 0.001, "0.001 s each"), ("--total-time", 0.01, "60 s each, 0.01 s in all")],
)
def test_a_run_that_hits_a_limit_succeeds_and_says_the_gap(
    tmp_path: Path, option: str, seconds: float, told: str
) -> None:
    left, right = np.triu_indices(60, 1)
    scores = np.random.default_rng(0).normal(0, 1, len(left))
    path = tmp_path / "pairs.csv"
    pd.DataFrame({"left": left, "right": right, "score": scores}).to_csv(path, index=False)
    result = run(path, option, seconds)
    facts = printed(result.stdout)
    assert result.exit_code == 0 and facts["optimal"] == "no"
    gap = float(facts["bound"]) - float(facts["value"])
    assert gap > 0 and float(facts["gap"]) == pytest.approx(gap, abs=2e-6)
    assert re.search(rf"not proven: 1 of 1 components .* \(limit {told}\); .* up to \d+\.\d+ more", result.stdout)


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (None, (), "no such file"),
        (PAIRS, ("--score", "scores"), "no column 'scores'; did you mean 'score'? (columns: left, right, score)"),
        (PAIRS.replace("0.8", "high"), (), "row 2 has 'high' in 'score'"),
        (PAIRS, ("--absent", "nevr"), "absent is one of never, zero, got 'nevr'"),
        (PAIRS, ("--time-limit", "0"), "the time limit is above 0"),
        (PAIRS, ("--total-time", "0"), "the time for the whole is above 0"),
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


def test_pairs_come_through_a_pipe_and_ids_without_a_pair_are_written(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("left,right,score\n1,2,0.9\n2,3,-0.5\n")
    (tmp_path / "nodes.txt").write_text("4\n2\nfive\n")
    duckdb.sql(f"COPY (FROM '{tmp_path}/p.csv') TO '{tmp_path}/p.parquet'")
    content = (tmp_path / "p.parquet").read_bytes()
    options = ("--nodes", tmp_path / "nodes.txt", "--out", tmp_path / "c.csv")
    result = run_through_a_pipe(tmp_path / "pipe", content, *options)
    assert result.exit_code == 0, result.output
    clusters = pd.read_csv(tmp_path / "c.csv", dtype=str).groupby("cluster")["id"].apply(set)
    assert sorted(clusters, key=min) == [{"1", "2"}, {"3"}, {"4"}, {"five"}]


def test_an_option_that_cannot_be_is_named(pairs: Path, tmp_path: Path) -> None:
    for option, value in (("--cut", "nan"), ("--cut", "inf"), ("--workers", "1000000000")):
        result = run(pairs, option, value)
        assert result.exit_code == 2 and option in result.stderr and "Traceback" not in result.output
    (tmp_path / "nodes.txt").write_text("zz\nzz\n")
    assert run(pairs, "--nodes", tmp_path / "nodes.txt").exit_code == 0
    refused = run(pairs, "--nodes", pairs)
    assert refused.exit_code == 2 and "and more; write ids alone" in refused.stderr
