"""Weight found in equal time on noisy graphs that nobody settles: ours, igraph's Leiden, a plain iterated search.

    OMP_NUM_THREADS=1 python benchmarks/bench_heaviest.py           # 200 to 10,000 nodes, half a minute each
    OMP_NUM_THREADS=1 python benchmarks/bench_heaviest.py --quick   # 200 and 500 nodes, five seconds each

Planted clusters of eight nodes on average; scores N(.3, .8) inside and N(-.3, .8) across; all pairs scored up to 2,000
nodes, and 34 a node beyond. Absent pairs weigh nothing, the only reading that Leiden knows: igraph's
`community_leiden` with the objective CPM at resolution 0 maximises the same sum of weights. It is run again and again
until the time is up, and the best result counts. The plain search joins greedily (`greedy_contraction`), then moves
nodes at random and repairs (`improve`). Time is that of the process, not of the clock, so that a busy machine takes
from all alike; a run of Leiden that has begun is not cut off. Ours is compiled first, on a small graph.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

import numpy as np
from _timing import installed, options, say, start

from trustnlp.data.linkage.ecbplus import planted_chains
from trustnlp.graphs import PairGraph
from trustnlp.graphs.solver.contraction import greedy_contraction, improve
from trustnlp.graphs.solver.local_search import LocalSearch

SIZES = (200, 500, 2_000, 4_000, 10_000)
ALL_PAIRS = 2_000  # nodes
EACH = 34  # scored pairs of a node in larger graphs


def noisy_graph(nodes: int, seed: int) -> PairGraph:
    rng = np.random.default_rng(seed)
    chains = planted_chains(nodes, 8.0, rng)
    if nodes <= ALL_PAIRS:
        left, right = np.triu_indices(nodes, 1)
    else:
        ends = rng.integers(0, nodes, (nodes * EACH // 2, 2))
        members = [np.flatnonzero(chains == chain) for chain in np.unique(chains)]
        inside = [np.stack(np.triu_indices(len(group), 1), axis=1) for group in members]
        ends = np.concatenate([ends, *(group[pairs] for group, pairs in zip(members, inside, strict=True))])
        ends = np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1)
        left, right = np.unique(ends, axis=0).T
    weights = rng.normal(np.where(chains[left] == chains[right], 0.3, -0.3), 0.8)
    return PairGraph(tuple(range(nodes)), left.astype(np.int64), right.astype(np.int64), weights)


def ours(graph: PairGraph, seconds: float, seed: int) -> float:
    ends = time.process_time() + seconds
    search = LocalSearch(graph, "zero", seed=1 + seed)
    search.run(float("inf"), stop=lambda: time.process_time() >= ends)
    return graph.value(search.labels)


def leiden(graph: PairGraph, seconds: float, seed: int) -> float:
    import igraph

    random.seed(seed)  # igraph draws from Python's own generator
    ends = time.process_time() + seconds
    network = igraph.Graph(len(graph), list(zip(graph.left.tolist(), graph.right.tolist(), strict=True)))
    weights, best = graph.weights.tolist(), 0.0
    while time.process_time() < ends:
        found = network.community_leiden(objective_function="CPM", weights=weights, resolution=0.0, n_iterations=-1)
        best = max(best, graph.value(found.membership))
    return best


def plain_search(graph: PairGraph, seconds: float, seed: int) -> float:
    rng = np.random.default_rng(seed)
    ends = time.process_time() + seconds
    labels = improve(graph, greedy_contraction(graph, "zero"), "zero")
    best = graph.value(labels)
    while time.process_time() < ends:
        moved = labels.copy()
        chosen = rng.integers(0, len(graph), max(2, len(graph) // 50))
        moved[chosen] = rng.permutation(moved)[: len(chosen)]
        moved = improve(graph, moved, "zero")
        if (value := graph.value(moved)) >= best:
            labels, best = moved, value
    return best


def main() -> None:
    parser = options(__doc__, repeat=1)
    parser.add_argument("--seconds", type=float, help="of the process, for each (30; 5 with --quick)")
    parser.add_argument("--nodes", help="sizes (200,500,2000,4000,10000; the first two with --quick)")
    parser.add_argument("--seeds", type=int, default=1, help="graphs of each size (1)")
    arguments = parser.parse_args()
    seconds = arguments.seconds or (5.0 if arguments.quick else 30.0)
    usual = SIZES[:2] if arguments.quick else SIZES
    sizes = [int(n) for n in arguments.nodes.split(",")] if arguments.nodes else usual
    bench = start("Heaviest partition in equal time", arguments, "numpy", "numba", "igraph")
    warm = LocalSearch(noisy_graph(20, 0), "zero")
    warm.settle()
    warm.take(1)
    rivals: dict[str, Callable[[PairGraph, float, int], float]] = {"ours": ours, "plain search": plain_search}
    if installed("igraph"):
        rivals["Leiden"] = leiden
    else:
        bench.missing("Leiden", 'python -m pip install "igraph>=0.11"')
    for nodes in sizes:
        rows = []
        for seed in range(arguments.seeds):
            graph = noisy_graph(nodes, seed)
            rows.append({name: solver(graph, seconds, seed) for name, solver in rivals.items()})
            bench.record(nodes=nodes, seed=seed, seconds=seconds, **rows[-1])
            said = ", ".join(f"{name} {value:,.1f}" for name, value in rows[-1].items())
            say(f"  {nodes:>6,} nodes, {len(graph.weights):>9,} edges, seed {seed}: {said}")
        for name in [name for name in rivals if name != "ours"]:
            leads = [100 * (row["ours"] / row[name] - 1) for row in rows]
            say(f"         ours is {statistics.median(leads):+.2f} % heavier than {name} (median)")


if __name__ == "__main__":
    main()
