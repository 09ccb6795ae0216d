"""Speed of clique partitioning to a proof of the optimum, and of listing maximal cliques, against the peers.

    OMP_NUM_THREADS=1 python benchmarks/bench_partition.py                             # everything: about two hours
    OMP_NUM_THREADS=1 python benchmarks/bench_partition.py --parts small --seeds 0-2 --limit 20

Parts: `small` and `noisy` (49 nodes at four thresholds), `large` (262 nodes), `stored` (the scores of settlements and
csv_example, whole), `scale` (planted components of at most 60 nodes, up to `--nodes`), `cliques` (262 nodes).
Instances are made as the paper's §5.2 describes, with chains whose mean size gives the edges of its Tables 6 and 7.
Peers are fed Eqs. 1-5 with every transitivity constraint at once (CP-SAT, scipy's milp) or set packings (the paper's
own, linearised, M = 3, and the traditional one); CP-SAT uses `--workers` threads. Every solver is told to stop at
`--limit` seconds (30 at most for `noisy`); HiGHS can overrun, so peers run in processes that end at three times it.
Every solver sees the same instance before the next instance comes. "proven" counts those solved to proven optimality;
"none" those without an answer, "short" is how much less than the best of all solvers the worst answer weighs.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import platform
import resource
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from bench_weat import fastest
from joblib.externals.loky import get_reusable_executor
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from trustnlp.data.ecbplus import planted_chains, synthetic_scores
from trustnlp.data.registry import DataError
from trustnlp.data.stored_scores import read_stored_scores
from trustnlp.graphs import GraphError, PairGraph, partition_graph
from trustnlp.graphs.maximal_cliques import maximal_cliques
from trustnlp.graphs.planted import planted_components
from trustnlp.graphs.second_opinion import solve_with_cp_sat, transitivity
from trustnlp.graphs.set_packing import quadratic_set_packing, set_packing

MEAN_SIZE = {49: 2.0, 262: 12.0}
THRESHOLDS = (-0.7, -0.5, -0.3, -0.2)
PARTS = ("small", "large", "noisy", "stored", "scale", "cliques")


@dataclass(frozen=True)
class Answer:
    """What a solver says of an instance; `failed` tells why it says nothing."""

    seconds: float
    value: float
    bound: float
    optimal: bool
    failed: str = ""


Solver = Callable[[PairGraph, float], tuple[float, float, bool]]


def instance(nodes: int, seed: int, threshold: float, mean: float = 0.5, spread: float = 0.3) -> PairGraph:
    rng = np.random.default_rng(seed)
    chains = planted_chains(nodes, MEAN_SIZE[nodes], rng)
    return PairGraph.from_matrix(synthetic_scores(chains, rng, mean=mean, spread=spread)).above(threshold)


def ours(graph: PairGraph, limit: float) -> tuple[float, float, bool]:
    found = partition_graph(graph, time_limit=limit)
    return found.value, found.bound, found.optimal


def all_triangles_milp(graph: PairGraph, limit: float) -> tuple[float, float, bool]:
    """Eqs. 1-5 in HiGHS through scipy, on one thread."""
    triangles = transitivity(graph)
    rows, signs = np.arange(len(triangles)), np.array([1.0, 1.0, -1.0])
    there = (triangles >= 0).ravel()
    matrix = coo_array(
        (np.tile(signs, len(rows))[there], (np.repeat(rows, 3)[there], triangles.ravel()[there])),
        shape=(len(rows), len(graph.weights)),
    )
    found = milp(
        -graph.weights, integrality=np.ones(len(graph.weights)), bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix.tocsc(), -np.inf, 1), options={"time_limit": limit, "mip_rel_gap": 0.0},
    )  # fmt: skip
    together = np.zeros(len(graph.weights), dtype=bool) if found.x is None else found.x > 0.5
    ends = graph.left[together], graph.right[together]
    joined = coo_array((np.ones(len(ends[0])), ends), shape=(len(graph), len(graph)))
    value = graph.value(connected_components(joined, directed=False)[1])
    proven = found.get("mip_dual_bound")
    return value, math.inf if proven is None else -proven, found.status == 0


def peers(workers: int) -> dict[str, Solver]:
    def cp_sat(graph: PairGraph, limit: float) -> tuple[float, float, bool]:
        found = solve_with_cp_sat(graph, limit, workers)
        return found.value, found.bound, found.optimal

    def qsp(graph: PairGraph, limit: float) -> tuple[float, float, bool]:
        found = quadratic_set_packing(graph, 3, limit)
        return found.value, found.bound, found.status == "optimal"

    def spp(graph: PairGraph, limit: float) -> tuple[float, float, bool]:
        found = set_packing(graph, limit)
        return found.value, found.bound, found.status == "optimal"

    return {"CP-SAT": cp_sat, "milp": all_triangles_milp, "QSP, M = 3": qsp, "SPP": spp}


def timed(solver: Solver, graph: PairGraph, limit: float) -> Answer:
    begun = time.perf_counter()
    try:
        value, bound, optimal = solver(graph, limit)
    except GraphError as error:
        return Answer(time.perf_counter() - begun, -math.inf, math.inf, False, str(error))
    return Answer(time.perf_counter() - begun, value, bound, optimal)


def timed_apart(solver: Solver, graph: PairGraph, limit: float) -> Answer:
    """The same in a process of its own, which is ended if the solver does not."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=lambda: there.send(timed(solver, graph, limit)))
    process.start()
    there.close()
    try:
        if not here.poll(3 * limit):
            return Answer(3 * limit, -math.inf, math.inf, False, f"still busy after {3 * limit:g} s")
        return here.recv()
    except EOFError:
        return Answer(limit, -math.inf, math.inf, False, "the process died, of too little memory perhaps")
    finally:
        process.kill()
        process.join()


def compare(title: str, graphs: list[PairGraph], solvers: dict[str, Solver], limit: float, records: list[dict]) -> None:
    """Run every solver on every instance, print a line for each solver, and keep all answers."""
    answers: dict[str, list[Answer]] = {name: [] for name in solvers}
    for graph in graphs:
        for name, solver in solvers.items():
            answers[name].append((timed if name == "ours" else timed_apart)(solver, graph, limit))
    best = [max(of_one.value for of_one in of_all) for of_all in zip(*answers.values(), strict=True)]
    edges = statistics.mean(len(graph.weights) for graph in graphs)
    print(f"\n{title}: {len(graphs)} instances of {len(graphs[0]):,} nodes, {edges:,.0f} edges on average")
    base = statistics.median(answer.seconds for answer in answers["ours"])
    for name, all_answers in answers.items():
        taken = [answer for answer in all_answers if not answer.failed]
        if not taken:
            print(f"  {name:<12}no answer: {all_answers[0].failed}")
            continue
        seconds = [answer.seconds for answer in taken]
        short = max(top - answer.value for top, answer in zip(best, all_answers, strict=True) if not answer.failed)
        gap = max(0.0 if answer.optimal else answer.bound - answer.value for answer in taken)
        middle, proven = statistics.median(seconds), sum(answer.optimal for answer in taken)
        print(
            f"  {name:<12}{middle:>10.3f} s median{max(seconds):>10.3f} s worst{middle / base:>10.1f} x ours"
            f"   proven {proven} of {len(graphs)}, none {len(graphs) - len(taken)}, gap {gap:.4g}, short {short:.2g}"
        )
    records.append(
        {
            "title": title, "nodes": len(graphs[0]), "edges": [len(graph.weights) for graph in graphs],
            "limit": limit, "answers": {name: [asdict(answer) for answer in found] for name, found in answers.items()},
        }
    )  # fmt: skip


def stored(solvers: dict[str, Solver], limit: float, records: list[dict]) -> None:
    def zero(graph: PairGraph, limit: float) -> tuple[float, float, bool]:
        found = partition_graph(graph, absent="zero", time_limit=limit)
        return found.value, found.bound, found.optimal

    for name in ("settlements", "csv_example"):
        try:
            scores = read_stored_scores(name)
        except DataError as error:
            print(f"\n{name}: {error}")
            continue
        graph = PairGraph.from_pairs(scores.pairs["left"], scores.pairs["right"], scores.weights)
        compare(f"{name}, all pairs", [graph], solvers, limit, records)
        # Another problem, so not beside the others: absent pairs may share a cluster.
        compare(f"{name}, absent pairs weigh zero", [graph], {"ours": zero}, limit, records)


def planted_run(nodes: int, workers: int) -> dict[str, float]:
    """One size in a process of its own, so that its peak memory is its own."""
    graph, _ = planted_components(nodes, 60, np.random.default_rng(0))
    found = partition_graph(graph, workers=workers)
    if workers > 1:
        get_reusable_executor().shutdown()  # or this process waits for idle workers; the dead alone are measured
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Largest child, once per worker: an upper bound on what the workers hold together.
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * workers if workers > 1 else 0
    return {
        "nodes": nodes, "edges": len(graph.weights), "seconds": found.seconds, "gap": found.gap,
        "optimal": found.optimal, "gigabytes": (own + children) / 2**20,
    }  # fmt: skip


def scale(most: int, workers: int, records: list[dict]) -> None:
    print(f"\nPlanted components of at most 60 nodes, {workers} processes")
    curve = []
    for nodes in (most // 10, most // 5, most // 2, most):
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
            run = alone.submit(planted_run, nodes, workers).result()
        curve.append(run)
        print(
            f"  {nodes:>9,} nodes{run['edges']:>11,} edges{run['seconds']:>9.2f} s"
            f"{1e6 * run['seconds'] / nodes:>8.0f} us a node   peak {run['gigabytes']:.2f} GB   "
            f"{'proven' if run['optimal'] else 'gap ' + format(run['gap'], '.4g')}"
        )
    sizes, seconds = (np.array([run[key] for run in curve]) for key in ("nodes", "seconds"))
    slope, start = np.polyfit(sizes, seconds, 1)
    off = float(np.abs(start + slope * sizes - seconds).max())
    print(f"  straight line: {start:.2f} s and {1e6 * slope:.0f} us a node, at most {off:.2f} s off")
    records.append({"title": "scale", "workers": workers, "curve": curve, "start": start, "slope": slope, "off": off})


def cliques(seeds: list[int], repeat: int, records: list[dict]) -> None:
    import igraph

    print("\nMaximal cliques of 262 nodes, threshold -0.3")
    ratios = []
    for seed in seeds:
        graph = instance(262, seed, -0.3)
        peer = igraph.Graph(len(graph), list(zip(graph.left.tolist(), graph.right.tolist(), strict=True)))
        counts = sum(1 for _ in maximal_cliques(graph)), len(peer.maximal_cliques())
        if counts[0] != counts[1]:
            raise SystemExit(f"seed {seed}: {counts[0]:,} maximal cliques, igraph finds {counts[1]:,}")
        jobs: dict[str, Callable[[], object]] = {
            "ours": lambda graph=graph: sum(1 for _ in maximal_cliques(graph)),
            "igraph": lambda peer=peer: peer.maximal_cliques(),
        }
        seconds = fastest(jobs, repeat)
        ratios.append(seconds["ours"] / seconds["igraph"])
        print(
            f"  seed {seed}: {counts[0]:>9,} cliques, ours {seconds['ours']:.3f} s, igraph {seconds['igraph']:.3f} s, "
            f"{ratios[-1]:.2f} x igraph"
        )
        records.append({"title": "cliques", "seed": seed, "cliques": counts[0], "seconds": seconds})
    print(f"  median {statistics.median(ratios):.2f} x igraph's time")


def numbers(text: str) -> list[int]:
    first, dash, last = text.partition("-")
    return list(range(int(first), int(last) + 1)) if dash else [int(part) for part in text.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default=",".join(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--peers", default="CP-SAT,milp,QSP,SPP", help="beginnings of their names; '' for none")
    parser.add_argument("--seeds", default="0-9", type=numbers, help="as 0-9 or 0,3")
    parser.add_argument("--limit", default=60.0, type=float, help="seconds for each solver and instance")
    parser.add_argument("--nodes", default=100_000, type=int, help="largest size of the part scale")
    parser.add_argument("--workers", default=os.cpu_count() or 1, type=int, help="of CP-SAT and of the part scale")
    parser.add_argument("--repeat", default=5, type=int, help="of the part cliques")
    parser.add_argument("--json", type=Path, help="append all figures to this file, one object a line")
    arguments = parser.parse_args()
    parts = arguments.parts.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    asked = tuple(name for name in arguments.peers.split(",") if name)
    rivals = {name: solver for name, solver in peers(arguments.workers).items() if asked and name.startswith(asked)}
    solvers, records, limit = {"ours": ours} | rivals, [], arguments.limit
    print(f"numpy {np.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")
    for part, scores, most in (("small", {}, math.inf), ("noisy", {"mean": 0.3, "spread": 0.6}, 30.0)):
        for threshold in THRESHOLDS if part in parts else ():
            graphs = [instance(49, seed, threshold, **scores) for seed in arguments.seeds]
            compare(f"{part}, threshold {threshold}", graphs, solvers, min(limit, most), records)
    if "large" in parts:
        compare("large", [instance(262, seed, -0.3) for seed in arguments.seeds], solvers, limit, records)
    if "stored" in parts:
        stored(solvers, limit, records)
    if "scale" in parts:
        scale(arguments.nodes, arguments.workers, records)
    if "cliques" in parts:
        cliques(arguments.seeds, arguments.repeat, records)
    if arguments.json:
        machine = {"cores": os.cpu_count(), "load": os.getloadavg(), "python": platform.python_version()}
        with arguments.json.open("a", encoding="utf-8") as out:
            out.writelines(json.dumps({**record, "machine": machine}) + "\n" for record in records)


if __name__ == "__main__":
    main()
