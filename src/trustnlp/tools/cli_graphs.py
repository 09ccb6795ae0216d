"""`trustnlp partition`: cluster the mentions of a table of scored pairs, and say what is proven about the result."""

from __future__ import annotations

import logging
import math
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trustnlp.reproduce.command_paths import PAGE, REPORT, Reads, Writes

if TYPE_CHECKING:
    import pandas as pd

    from trustnlp.graphs.pair_files import ScoredPairs
    from trustnlp.graphs.partitioning import Partition

PARQUET = (".parquet", ".pq")
MOST_WORKERS = 1_000


def partition(
    pairs: Annotated[
        Path,
        typer.Argument(
            metavar="PAIRS",
            help="CSV or Parquet, one row per scored pair, such as Splink writes; or a folder of parts.",
        ),
        Reads(),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="CLUSTERS", help="Write id and cluster here, as .csv or .parquet."),
        Writes((".csv", *PARQUET), "the table of clusters"),
    ] = None,
    left: Annotated[str | None, typer.Option(help="Column of one mention's id: unique_id_l, else left.")] = None,
    right: Annotated[str | None, typer.Option(help="Column of the other's: unique_id_r, else right.")] = None,
    score: Annotated[str | None, typer.Option(help="Column of the score: match_probability, else score.")] = None,
    cut: Annotated[
        float | None,
        typer.Option(help="Score that speaks neither for nor against: 0.5 for match_probability, else 0."),
    ] = None,
    nodes: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Ids, one a line, to write down even if no pair names them."),
        Reads(),
    ] = None,
    absent: Annotated[str, typer.Option(help="Pairs without a row: never in one cluster, or weight zero.")] = "never",
    time_limit: Annotated[float, typer.Option(help="Seconds for each connected component.")] = 60.0,
    total_time: Annotated[float | None, typer.Option(help="Seconds for all of them, the smallest first.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that solve components side by side.")] = 1,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, tcp://host:8786.")] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the proof as .json, or a summary as .html."),
        REPORT,
    ] = None,
    explain: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Write a page: the least certain decisions and why."),
        PAGE,
    ] = None,
    decisions: Annotated[int, typer.Option(min=1, help="How many decisions the page explains.")] = 20,
) -> None:
    """Cluster scored pairs as well as their scores allow, with proof."""
    from trustnlp.data.logger_levels import at_level
    from trustnlp.graphs.pair_graph import GraphError
    from trustnlp.graphs.partitioning import SchedulerError
    from trustnlp.graphs.partitioning import partition as solve
    from trustnlp.reproduce.project import UserError

    if cut is not None and not math.isfinite(cut):
        raise UserError(f"--cut is a finite number, got {cut:g}")
    if workers > MOST_WORKERS:
        raise UserError(f"--workers is at most {MOST_WORKERS:,}, got {workers:,}")
    if pairs.is_dir():
        if certificate or explain or total_time or nodes:
            raise UserError(
                f"{pairs}: the parts of a folder are solved and their proofs checked where they lie; --certificate, "
                "--explain, --total-time and --nodes need all pairs in one file"
            )
        _partition_folder(pairs, out, (left, right, score), cut, absent, time_limit, workers, scheduler)
        return
    read = _read_pairs(pairs, left, right, score)
    middle = cut if cut is not None else read.cut or 0.0
    if middle == 0 and read.table["score"].between(0, 1).all():
        print(
            "every score lies between 0 and 1, and none speaks against a pair; for probabilities give --cut 0.5",
            file=sys.stderr,
        )
    table, ids = (read.table, []) if nodes is None else _with_nodes(read.table, nodes)
    own = logging.getLogger("trustnlp.graphs.partitioning")  # its warning of these scores names Python's argument
    try:
        with at_level(own, logging.ERROR):
            solution = solve(
                table, nodes=ids, cut=middle, absent=absent, time_limit=time_limit,  # type: ignore[arg-type]
                total_time=total_time, workers=workers, scheduler=scheduler, progress=sys.stderr.isatty(),
            )  # fmt: skip
    except (GraphError, SchedulerError) as error:
        raise UserError(str(error)) from None
    _report(solution, time_limit, total_time)
    _write(solution, out, certificate, explain, decisions)


def _partition_folder(
    folder: Path, out: Path | None, columns: tuple[str | None, str | None, str | None], cut: float | None, absent: str,
    time_limit: float, workers: int, scheduler: str | None,
) -> None:  # fmt: skip
    """Workers read the parts; none of them, nor this process, holds all pairs."""
    import dask

    from trustnlp.files.hidden_files import without_hidden
    from trustnlp.graphs.distributed_pairs import partition_parts
    from trustnlp.graphs.pair_files import ENDINGS
    from trustnlp.graphs.pair_graph import GraphError
    from trustnlp.graphs.partitioning import SchedulerError
    from trustnlp.reproduce.project import UserError
    from trustnlp.tools.user_files import tell_skipped

    there = sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS)
    parts, hidden = without_hidden(folder, there)
    other = sorted(path for path in folder.iterdir() if path not in there and not path.name.startswith("."))
    why = {
        True: "a folder, whose files are no parts of this one",
        False: "no part, as it ends in neither .csv nor .parquet",
    }
    hidden = [*hidden, *(f"{path.name}: {why[path.is_dir()]}" for path in other)]
    if not parts:
        raise UserError(f"{folder}: the folder holds no part that ends in .csv or .parquet")
    local = {"scheduler": "processes" if workers > 1 else "synchronous", "num_workers": workers}
    try:
        with dask.config.set({} if scheduler else local):
            solution = partition_parts(
                parts, left=columns[0], right=columns[1], score=columns[2], cut=cut,
                absent=absent, time_limit=time_limit, scheduler=scheduler,  # type: ignore[arg-type]
            )  # fmt: skip
    except (GraphError, SchedulerError, ImportError) as error:
        raise UserError(str(error)) from None
    tell_skipped(hidden, folder)
    facts = {
        "nodes": f"{len(solution.labels):,}", "parts": f"{len(parts):,}", "clusters": f"{solution.labels.nunique():,}",
        "value": f"{solution.value:.6f}", "bound": f"{solution.bound:.6f}", "gap": f"{solution.gap:.6f}",
        "optimal": "yes" if solution.optimal else "no",
        "unsettled": f"{solution.unsettled:,} of {solution.components:,} components",
        "seconds": f"{solution.seconds:.2f}",
    }  # fmt: skip
    for name, text in facts.items():
        print(f"{name + ':':<11}{text}")
    _write_clusters(out, solution.labels)


def _write_clusters(out: Path | None, labels: pd.Series) -> None:
    from trustnlp.graphs.pair_files import write_clusters
    from trustnlp.tools.user_files import tell_formulas

    if out is not None:
        write_clusters(out, labels)
        print(f"wrote {out}")
        tell_formulas(out, labels.index)


def _write(found: Partition, out: Path | None, certificate: Path | None, explain: Path | None, decisions: int) -> None:
    from trustnlp.graphs.explanation_html import explanation_page
    from trustnlp.reproduce.project import write_atomic

    _write_clusters(out, found.labels)
    if certificate is not None:
        _write_certificate(certificate, found)
        print(f"wrote {certificate}")
    if explain is not None:
        write_atomic(explain, explanation_page(found, most=decisions))
        print(f"wrote {explain}")


def _write_certificate(path: Path, found: Partition) -> None:
    """The proof, checked once more by code that the solver does not share: what `Certificate` holds, by node ids."""
    from trustnlp.tools.report_files import write_report

    facts = {"value": found.value, "bound": found.check(), "optimal": bool(found.optimal), "absent": found.absent}
    rows: list[dict[str, Any]] = []
    for component in found.components:
        proof = component.solution.certificate
        row: dict[str, Any] = {
            "nodes": [str(found.graph.ids[node]) for node in component.nodes.tolist()],
            "optimal": bool(component.solution.optimal),  # numpy's bool is not JSON's
            "value": float(component.solution.value), "bound": float(proof.bound),
        }  # fmt: skip
        if path.suffix != ".html":
            row["leaves"] = [
                {
                    "fixed": [list(decision) for decision in leaf.fixed],
                    "multipliers": [
                        {"centre": star[0], "leaves": list(star[1]), "weight": _number(weight)}
                        for star, weight in leaf.multipliers.items()
                    ],
                }
                for leaf in proof.leaves
            ]
        rows.append(row)
    write_report(path, "Certificate of a partition", facts, {"components": rows})


def _number(weight: Any) -> float | str:
    """A multiplier as a number, or as a fraction where no float is it."""
    return float(weight) if float(weight) == weight else str(weight)


def _read_pairs(path: Path, left: str | None, right: str | None, score: str | None) -> ScoredPairs:
    from trustnlp.graphs.pair_files import read_pairs
    from trustnlp.graphs.pair_graph import GraphError
    from trustnlp.reproduce.project import UserError

    try:
        with _as_file(path) as file:
            try:
                return read_pairs(file, left=left, right=right, score=score)
            except (GraphError, ImportError) as error:
                raise UserError(str(error).replace(str(file), str(path))) from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None


def _with_nodes(table: pd.DataFrame, path: Path) -> tuple[pd.DataFrame, list[str]]:
    """The pairs with their ids as text, and the ids of a file beside them."""
    from trustnlp.files.missing_values import text_or_none
    from trustnlp.reproduce.project import UserError
    from trustnlp.tools.user_files import read_lines

    named = list(dict.fromkeys(read_lines(path)))  # a list of records may name one twice
    table = table.assign(**{side: table[side].map(text_or_none) for side in ("left", "right")})
    known = {*table["left"], *table["right"]}
    for line in named:
        if line not in known and (first := re.split(r"[,;\t]", line)[0].strip(' "')) in known:
            raise UserError(f"{path}: a line holds the id {first!r} and more; write ids alone, one a line")
    return table, named


@contextmanager
def _as_file(path: Path) -> Iterator[Path]:
    """The path itself, or a copy of what a pipe holds, which can be read once; Parquet is known by its first bytes."""
    if not path.exists() or (path.is_file() and path.suffix):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder, path.open("rb") as pipe:
        begins = pipe.read(4)
        copy = Path(folder) / f"{path.name}{PARQUET[0] if begins == b'PAR1' else '.csv'}"
        with copy.open("wb") as out:
            out.write(begins)
            shutil.copyfileobj(pipe, out)
        yield copy


def _report(found: Partition, time_limit: float, total_time: float | None) -> None:
    print(found)
    if unsettled := sum(not component.solution.optimal for component in found.components):
        whole = "" if total_time is None else f", {total_time:g} s in all"
        print(
            f"not proven: {unsettled} of {len(found.components)} components are not settled (limit {time_limit:g} s "
            f"each{whole}); a partition may exist that weighs up to {found.gap:.6g} more"
        )
