"""Graphs of mentions, their optimum and its cost, and stored scores (Vadrevu et al. 2021, Tables 1 and 4 to 7).

The scores of mentions are drawn around the gold chains (`trustnlp.data.linkage.ecbplus`), so these graphs test a
solver; they say nothing about recognising coreference.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from trustnlp.data.linkage.ecbplus import synthetic_scores
from trustnlp.data.linkage.stored_scores import StoredScores
from trustnlp.graphs import GraphError, PairGraph, Partition, partition_graph
from trustnlp.graphs.agreement import pair_counts, partition_metrics
from trustnlp.graphs.cliques import (
    clustering_coefficient,
    count_cliques,
    count_maximal_cliques,
    maximal_cliques,
)
from trustnlp.graphs.hierarchical import hierarchical_clustering
from trustnlp.graphs.pair_graph import Absent
from trustnlp.graphs.solver.packing import quadratic_set_packing, set_packing
from trustnlp.graphs.solver.second_opinion import solve_with_cp_sat
from trustnlp.studies.xer.baselines import solve_all_at_once

FORMULATIONS = {
    "direct": "direct, cuts when broken",
    "at_once": "direct, all at once (CP-SAT)",
    "quadratic": "over maximal cliques (QSP)",
    "packing": "over all cliques (SPP)",
}
"""Integer programs for one problem, and how pages call them."""


def draw_graph(chains: ArrayLike, seed: int, spread: float = 0.3) -> PairGraph:
    """All pairs of the mentions, with the synthetic scores of one seed (§5.2)."""
    return PairGraph.from_matrix(synthetic_scores(chains, np.random.default_rng(seed), spread=spread))


def measure_draws(
    chains: ArrayLike, seeds: Iterable[int], thresholds: Sequence[float], *, most_cliques: int | None = None
) -> pd.DataFrame:
    """Edges, cliques and the optimum's F1 of one set of mentions, for each draw of scores and each threshold.

    Parameters
    ----------
    most_cliques
        Stop counting all cliques there (`all` is then missing); None leaves cliques out.

    Returns
    -------
    One row per seed and threshold: `edges`, `f1` and `recall` (per cent), `optimal`; with cliques `clustering`,
    `maximal`, `all`.
    """
    rows = []
    for seed in seeds:
        whole = draw_graph(chains, seed)
        for threshold in thresholds:
            graph = whole.above(threshold)
            partition = partition_graph(graph)
            agreed = partition_metrics(chains, partition.codes)
            row: dict[str, Any] = {"seed": seed, "threshold": threshold, "edges": len(graph.weights)}
            row |= {"f1": 100 * agreed.f1, "recall": 100 * agreed.recall, "optimal": partition.optimal}
            if most_cliques is not None:
                row["clustering"], row["maximal"] = clustering_coefficient(graph), count_maximal_cliques(graph)
                row["all"] = count_cliques(graph, limit=most_cliques)
            rows.append(row)
    return pd.DataFrame(rows)


def truth_as_weights(chains: ArrayLike) -> PairGraph:
    """Every pair of mentions, +1 within a chain and −1 across (§5.2)."""
    chain = np.asarray(chains)
    return PairGraph.from_matrix(np.where(chain[:, None] == chain, 1.0, -1.0))


def f1_of_largest(chains: ArrayLike, partitions: int) -> float:
    """F1, in per cent, of the optimum on ground-truth weights when only so many clusters of several may form.

    With every pair an edge, the whole graph is the one maximal clique of xER's phase 1, which phase 2 may break into at
    most M partitions (Eqs. 9–12): the heaviest M chains are kept and all other mentions stand alone.
    """
    names, chain, sizes = np.unique(np.asarray(chains), return_inverse=True, return_counts=True)
    largest = np.argsort(-sizes, kind="stable")[:partitions]
    alone = len(names) + np.arange(len(chain))
    return 100 * partition_metrics(chain, np.where(np.isin(chain, largest), chain, alone)).f1


def columns_as_printed(graph: PairGraph, name: str, partitions: int) -> int:
    """Variables of a program as the paper prints it: x of Eqs. 1–5, y and z of Eqs. 9–12, or x of Eqs. 6–8."""
    if name == "quadratic":
        return partitions * sum(len(clique) for clique in maximal_cliques(graph)) + len(graph.weights)
    if name == "packing":
        return count_cliques(graph, smallest=1) or 0
    return len(graph.weights)


def time_formulations(graph: PairGraph, names: Sequence[str], *, partitions: int, time_limit: float) -> pd.DataFrame:
    """Seconds to proven optimality of each formulation, one after the other, each in a process of its own.

    A process that is not done at the limit is ended, whatever its solver thinks of the limit. A program too large to be
    built (`GraphError` of `trustnlp.graphs.solver.packing`) counts as stopped too.

    Parameters
    ----------
    names
        Of `FORMULATIONS`, or `at_once_highs` for the direct program with all constraints in HiGHS.
    partitions
        M of the quadratic program.

    Returns
    -------
    Indexed by formulation: `seconds` (the limit itself for one that is not proven, whoever stopped it), `optimal`,
    `value` (NaN where the process was ended) and `columns`, variables as printed.
    """
    rows = {}
    for name in names:
        solved = _solve_one_within(graph, name, partitions, time_limit)
        seconds, optimal, value = solved or (time_limit, False, np.nan)
        seconds = seconds if optimal else time_limit  # all that is known is that it takes longer
        columns = columns_as_printed(graph, name, partitions)
        rows[name] = {"seconds": seconds, "optimal": optimal, "value": value, "columns": columns}
    return pd.DataFrame(rows).T


def phase_one_seconds(graph: PairGraph, repeat: int = 7) -> float:
    """Seconds that listing the maximal cliques takes: the least of several runs, by the clock of this process.

    Other processes, and the start of one, cost as much as a short listing; the least of several runs holds least of it.
    """
    took = []
    for _ in range(repeat):
        begun = time.process_time()
        count_maximal_cliques(graph)
        took.append(time.process_time() - begun)
    return min(took)


def phase_one_by_draw(chains: ArrayLike, seeds: Iterable[int], thresholds: Sequence[float]) -> pd.DataFrame:
    """`phase_one_seconds` of each draw of scores: one row per threshold, one column per seed."""
    drawn = {seed: draw_graph(chains, seed) for seed in seeds}
    return pd.DataFrame(
        {seed: {t: phase_one_seconds(whole.above(t)) for t in thresholds} for seed, whole in drawn.items()}
    )


def smallest_growth(seconds: pd.DataFrame) -> pd.Series:
    """For each seed the smallest growth from one threshold to the next among the steps whose ends both finished.

    Parameters
    ----------
    seconds
        One row per threshold, the tightest first, one column per seed; missing where a run was stopped, as that is
        known to be longer than the limit and no more.

    Returns
    -------
    `(seeds,)`; NaN for a seed without such a step.
    """
    return (-seconds.diff().iloc[1:]).min()


def _solve_one(graph: PairGraph, name: str, partitions: int, time_limit: float) -> tuple[float, bool, float]:
    """Seconds, whether they brought a proof, and the weight."""
    begun = time.perf_counter()
    if name == "at_once_highs":
        value, _, optimal = solve_all_at_once(graph, time_limit)
    elif name in ("direct", "at_once"):
        solved = (partition_graph if name == "direct" else solve_with_cp_sat)(graph, time_limit=time_limit)
        value, optimal = solved.value, solved.optimal
    else:
        packed = (
            quadratic_set_packing(graph, partitions, time_limit)
            if name == "quadratic"
            else set_packing(graph, time_limit)
        )
        value, optimal = packed.value, packed.status == "optimal"
    return time.perf_counter() - begun, optimal, value


def _solve_one_within(
    graph: PairGraph, name: str, partitions: int, time_limit: float
) -> tuple[float, bool, float] | None:
    """`_solve_one` in a child process, or None if it took longer or its program is too large."""
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()

    def answer() -> None:
        try:
            results.put(_solve_one(graph, name, partitions, time_limit))
        except GraphError:
            results.put(None)

    child = context.Process(target=answer)
    child.start()
    child.join(time_limit)
    if child.is_alive():
        child.kill()
        child.join()
        return None
    if child.exitcode:
        raise RuntimeError(f"a formulation's process ended with code {child.exitcode}")
    solved: tuple[float, bool, float] | None = results.get()
    return solved


METHODS = {"optimum": "optimum", "fmwsp": "F-MWSP", "hierarchical": "hierarchical"}
"""The clusterings of Table 4 and how pages call them."""
_INDICES = ("adjusted_rand", "fowlkes_mallows")  # the others are printed in per cent


@dataclass(frozen=True, eq=False)
class StoredComparison:
    """Stored scores, the heaviest partition of them, and how well each clustering agrees with the gold.

    Attributes
    ----------
    metrics
        One row per clustering of `METHODS`, the measures of Table 5 as columns: indices from 0 to 1, the others in per
        cent.
    """

    scores: StoredScores
    found: Partition
    metrics: pd.DataFrame

    @property
    def gold(self) -> pd.Series:
        """True cluster of each record."""
        return self.scores.records["gold"]

    @property
    def same(self) -> NDArray[np.bool_]:
        """Whether each scored pair is one entity."""
        left, right = (self.gold.loc[self.scores.pairs[end]].to_numpy() for end in ("left", "right"))
        return np.asarray(left == right)

    def value(self, labels: pd.Series) -> float:
        """Weight of any clustering of the records on these scores; a pair without a score weighs nothing."""
        return self.found.graph.value(labels.reindex(self.found.graph.ids).to_numpy())

    def unscored_inside(self, labels: pd.Series) -> int:
        """Pairs without a score that share a cluster."""
        return self.found.graph.absent_inside(labels.reindex(self.found.graph.ids).to_numpy())


def compare_stored(
    scores: StoredScores, *, absent: Absent = "never", time_limit: float = 60.0, workers: int = 1
) -> StoredComparison:
    """Partition the records on weights 2p − 1, and measure the result beside the stored clusterings."""
    pairs, records = scores.pairs, scores.records
    graph = PairGraph.from_pairs(pairs["left"], pairs["right"], scores.weights, nodes=records.index)
    partition = partition_graph(graph, absent=absent, time_limit=time_limit, workers=workers)
    clusterings = {"optimum": partition.labels.loc[records.index]} | {m: records[m] for m in ("fmwsp", "hierarchical")}
    rows = {name: asdict(partition_metrics(records["gold"], labels)) for name, labels in clusterings.items()}
    metrics = pd.DataFrame(rows).T
    percent = [column for column in metrics if column not in _INDICES]
    metrics[percent] *= 100
    return StoredComparison(scores, partition, metrics)


def cuts_of_hierarchy(compared: StoredComparison, thresholds: list[float]) -> pd.DataFrame:
    """Hierarchical clustering cut at each threshold: its weight on the scores, and its F1 in per cent.

    Returns
    -------
    Indexed by threshold: `value`, `f1`.
    """
    graph = compared.found.graph
    gold = compared.gold.reindex(graph.ids)
    probabilities = PairGraph(graph.ids, graph.left, graph.right, (graph.weights + 1) / 2)
    labels = {threshold: hierarchical_clustering(probabilities, threshold) for threshold in thresholds}
    cuts = {t: {"value": graph.value(own), "f1": 100 * partition_metrics(gold, own).f1} for t, own in labels.items()}
    return pd.DataFrame(cuts).T.rename_axis("threshold")


def best_f1_of_blocking(compared: StoredComparison) -> tuple[float, float]:
    """Recall and F1, in per cent, of keeping exactly the scored pairs that are true: no partition can do better.

    A true pair without a score counts as missed, even where transitivity would join it: the recall that blocking lets
    a clustering into cliques have.
    """
    gold = compared.gold
    recall = int(compared.same.sum()) / pair_counts(gold, gold).true_positives
    return 100 * recall, 100 * 2 * recall / (1 + recall)
