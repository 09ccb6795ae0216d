"""`trustnlp partition`: cluster the mentions of a table of scored pairs, and say what is proven about the result."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

    from trustnlp.graphs.partitioning import Partition


def partition(
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS.csv", help="One row per scored pair, with a header.")],
    out: Annotated[Path | None, typer.Option(metavar="CLUSTERS.csv", help="Write id,cluster here.")] = None,
    left: Annotated[str, typer.Option(help="Column of one mention's id.")] = "left",
    right: Annotated[str, typer.Option(help="Column of the other's.")] = "right",
    score: Annotated[str, typer.Option(help="Column of the score.")] = "score",
    cut: Annotated[float, typer.Option(help="Score that speaks neither for nor against; 0.5 for probabilities.")] = 0.0,
    absent: Annotated[str, typer.Option(help="Pairs without a row: never in one cluster, or weight zero.")] = "never",
    time_limit: Annotated[float, typer.Option(help="Seconds for each connected component.")] = 60.0,
    workers: Annotated[int, typer.Option(min=1, help="Processes that solve components side by side.")] = 1,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler, tcp://host:8786.")] = None,
    certificate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the proof as .json, or a summary as .html.")
    ] = None,
) -> None:
    """Cluster scored pairs as well as their scores allow, with proof."""
    from trustnlp.graphs.pair_graph import GraphError
    from trustnlp.graphs.partitioning import partition as solve
    from trustnlp.reproduce.project import UserError, write_atomic
    from trustnlp.reproduce.report_files import check_place

    check_place(certificate)
    table = _read_pairs(pairs, left, right, score)
    logging.getLogger("trustnlp.graphs.partitioning").setLevel(logging.ERROR)  # its warning names the argument
    if cut == 0 and table[score].between(0, 1).all():
        print(
            "every score lies between 0 and 1, and none speaks against a pair; for probabilities give --cut 0.5",
            file=sys.stderr,
        )
    try:
        found = solve(
            table, left=left, right=right, score=score, cut=cut, absent=absent,  # type: ignore[arg-type]
            time_limit=time_limit, workers=workers, scheduler=scheduler,
        )  # fmt: skip
    except GraphError as error:
        raise UserError(str(error)) from None
    except (OSError, ValueError) as error:
        if scheduler is None:
            raise
        raise UserError(f"no Dask scheduler answers at {scheduler}: {error}") from None
    _report(found, time_limit)
    if out is not None:
        write_atomic(out, found.labels.to_csv(index_label="id", lineterminator="\n"))
        print(f"wrote {out}")
    if certificate is not None:
        _write_certificate(certificate, found)
        print(f"wrote {certificate}")


def _write_certificate(path: Path, found: Partition) -> None:
    """The proof, checked once more by code that the solver does not share: what `Certificate` holds, by node ids."""
    from trustnlp.reproduce.report_files import write_report

    facts = {"value": found.value, "bound": found.check(), "optimal": found.optimal, "absent": found.absent}
    rows: list[dict[str, Any]] = []
    for component in found.components:
        proof = component.solution.certificate
        row: dict[str, Any] = {
            "nodes": [str(found.graph.ids[node]) for node in component.nodes.tolist()],
            "optimal": component.solution.optimal, "value": component.solution.value, "bound": proof.bound,
        }  # fmt: skip
        if path.suffix == ".json":
            row["leaves"] = [
                {
                    "fixed": [list(decision) for decision in leaf.fixed],
                    "multipliers": [
                        {"centre": star[0], "leaves": list(star[1]), "weight": weight}
                        for star, weight in leaf.multipliers.items()
                    ],
                }
                for leaf in proof.leaves
            ]
        rows.append(row)
    write_report(path, "Certificate of a partition", facts, {"components": rows})


def _read_pairs(path: Path, left: str, right: str, score: str) -> pd.DataFrame:
    """The three columns; ids are kept as they are written, so that 007 stays 007 and NA stays NA."""
    import pandas as pd

    from trustnlp.reproduce.project import UserError
    from trustnlp.reproduce.user_files import read_table

    if path.is_file() and len({left, right, score}) < 3:
        raise UserError(f"--left, --right and --score name three columns, got {left}, {right} and {score}")
    text = read_table(path, (left, right, score), "one row per scored pair")
    if text.empty:
        raise UserError(f"{path}: the file has a header and no pairs")
    numbers = pd.to_numeric(text[score], errors="coerce")
    if (wrong := text.index[numbers.isna()]).size:
        at = wrong[0]
        given = "nothing" if pd.isna(text.loc[at, score]) else repr(text.loc[at, score])
        raise UserError(f"{path}: row {at + 1} has {given} in the column '{score}'; scores are numbers")
    return text[[left, right]].assign(**{score: numbers})


def _report(found: Partition, time_limit: float) -> None:
    unsettled = sum(not component.solution.optimal for component in found.components)
    facts = {
        "nodes": f"{len(found.graph):,}",
        "pairs": f"{len(found.graph.weights):,}",
        "clusters": f"{len(found.clusters):,}",
        "value": f"{found.value:.6f}",
        "bound": f"{found.bound:.6f}",
        "gap": f"{found.gap:.6f}",
        "optimal": "yes" if found.optimal else "no",
        "seconds": f"{found.seconds:.2f}",
    }
    for name, text in facts.items():
        print(f"{name + ':':<10}{text}")
    if unsettled:
        print(
            f"not proven: {unsettled} of {len(found.components)} components are not settled (limit {time_limit:g} s "
            f"each); a partition may exist that weighs up to {found.gap:.6g} more"
        )
