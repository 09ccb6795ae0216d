"""Speed of clique partitioning to a proof of the optimum, and of listing maximal cliques, against the peers.

    OMP_NUM_THREADS=1 python benchmarks/bench_partition.py                             # everything: about two hours
    OMP_NUM_THREADS=1 python benchmarks/bench_partition.py --quick                     # one instance of each kind
    OMP_NUM_THREADS=1 python benchmarks/bench_partition.py --parts small --seeds 0-2 --limit 20

Parts: `small` and `noisy` (49 nodes at four thresholds), `large` (262 nodes), `stored` (the scores of settlements and
csv_example, whole), `scale` (planted components of at most 60 nodes, up to `--nodes`), `cliques` (262 nodes).
Instances are made as the paper's §5.2 describes, with chains whose mean size gives the edges of its Tables 6 and 7.
Peers are fed Eqs. 1-5 with every transitivity constraint at once (CP-SAT, scipy's milp) or set packings (the paper's
own, linearised, M = 3, and the traditional one); CP-SAT uses `--workers` threads. Every solver is told to stop at
`--limit` seconds (30 at most for `noisy`); HiGHS can overrun, so peers run in processes that end at three times it.
Every solver sees the same instance before the next instance comes, and its answer is printed at once, with a `+` if
the limit stopped it. "x ours" is the median over the instances of the ratio of the times, a lower bound where the
limit stopped the peer; "proven" counts those solved to proven optimality; "none" those without an answer, "short" is
how much less than the best of all solvers the worst answer weighs.

`--quick` takes seed 0, three thresholds of `small`, settlements, and 1,000 nodes on one process, and stops peers at 3
seconds (`large`: 10): more ratios are then lower bounds. `noisy` and csv_example, which need minutes, are left out.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import resource
import statistics
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from _timing import SAMPLE, Bench, Run, duration, installed, options, say, start, timed, worthless
from joblib.externals.loky import get_reusable_executor

from trustnlp.data.linkage.ecbplus import planted_chains, synthetic_scores
from trustnlp.data.linkage.stored_scores import read_stored_scores
from trustnlp.data.registry import DataError
from trustnlp.graphs import GraphError, PairGraph, partition_graph
from trustnlp.graphs.cliques import maximal_cliques
from trustnlp.graphs.planted import planted_components
from trustnlp.graphs.solver.packing import quadratic_set_packing, set_packing
from trustnlp.graphs.solver.second_opinion import solve_with_cp_sat
from trustnlp.studies.xer.baselines import solve_all_at_once

MEAN_SIZE = {49: 2.0, 262: 12.0}
THRESHOLDS = (-0.7, -0.5, -0.3, -0.2)
OUR_LIMIT = 60.0  # with --quick too: every ratio is to our whole time
NO_TIME = Run(math.nan, math.nan, 0.0, 1)
PARTS = ("small", "large", "noisy", "stored", "scale", "cliques")
QUICK_PARTS = ("small", "large", "stored", "scale", "cliques")


@dataclass(frozen=True)
class Answer:
    """What a solver says of an instance, and its time; `failed` tells why it says nothing."""

    run: Run
    value: float = -math.inf
    bound: float = math.inf
    optimal: bool = False
    failed: str = ""

    def __str__(self) -> str:
        return "none" if self.failed else duration(self.run.wall) + "+" * (not self.optimal)


Solver = Callable[[PairGraph, float], tuple[float, float, bool]]


def instance(nodes: int, seed: int, threshold: float, mean: float = 0.5, spread: float = 0.3) -> PairGraph:
    rng = np.random.default_rng(seed)
    chains = planted_chains(nodes, MEAN_SIZE[nodes], rng)
    return PairGraph.from_matrix(synthetic_scores(chains, rng, mean=mean, spread=spread)).above(threshold)


def ours(graph: PairGraph, limit: float) -> tuple[float, float, bool]:
    found = partition_graph(graph, time_limit=limit)
    return found.value, found.bound, found.optimal


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

    return {"CP-SAT": cp_sat, "milp": solve_all_at_once, "QSP, M = 3": qsp, "SPP": spp}


def answer(solver: Solver, graph: PairGraph, limit: float) -> Answer:
    found: list[Answer] = []

    def job() -> None:
        try:
            found.append(Answer(NO_TIME, *solver(graph, limit)))
        except GraphError as error:
            found.append(Answer(NO_TIME, failed=str(error)))

    run = timed(job)
    if run.wall < SAMPLE:  # once more, and as often as the clock asks for
        run = timed(job, math.ceil(SAMPLE / run.wall))
    return replace(found[-1], run=run)


def answer_apart(solver: Solver, graph: PairGraph, limit: float, patience: float) -> Answer:
    """The same in a process of its own, which is ended if the solver does not stop by itself."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=lambda: there.send(answer(solver, graph, limit)))
    process.start()
    there.close()
    try:
        if not here.poll(patience):
            return Answer(NO_TIME, failed=f"still busy after {patience:g} s")
        return here.recv()
    except EOFError:
        return Answer(NO_TIME, failed="the process died, of too little memory perhaps")
    finally:
        process.kill()
        process.join()


@dataclass(frozen=True)
class Contest:
    """Ours and the peers, with the seconds that peers are given and after which they are ended."""

    bench: Bench
    peers: dict[str, Solver]
    limit: float
    quick: bool

    def compare(self, title: str, graphs: list[PairGraph], solver: Solver = ours, most: float = math.inf) -> None:
        """Run every solver on every instance, print answers as they come, and a line for each solver."""
        limit = min(self.limit, most)
        patience = limit + 1 if self.quick else 3 * limit
        edges = statistics.mean(len(graph.weights) for graph in graphs)
        self.bench.part(f"{title}: {len(graphs)} instances of {len(graphs[0]):,} nodes, {edges:,.0f} edges on average")
        answers: dict[str, list[Answer]] = {name: [] for name in ("ours", *self.peers)}
        for number, graph in enumerate(graphs, start=1):
            say(f"  {number}:", end="")
            for name in answers:
                if name == "ours":
                    found = answer(solver, graph, OUR_LIMIT if self.quick else limit)
                else:
                    found = answer_apart(self.peers[name], graph, limit, patience)
                answers[name].append(found)
                say(f" {name} {found}", end=";" if name != list(answers)[-1] else "\n")
        best = [max(of_one.value for of_one in of_all) for of_all in zip(*answers.values(), strict=True)]
        for name, found_all in answers.items():
            self._summary(name, found_all, answers["ours"], best)
        kept = {name: [asdict(found) for found in found_all] for name, found_all in answers.items()}
        self.bench.record(edges=[len(graph.weights) for graph in graphs], limit=limit, answers=kept)

    def _summary(self, name: str, answers: list[Answer], of_ours: list[Answer], best: list[float]) -> None:
        rows = [row for row in zip(answers, of_ours, best, strict=True) if not row[0].failed]
        if not rows:
            say(f"  {name:<12}no answer: {answers[0].failed}")
            return
        seconds = [found.run.wall for found, _, _ in rows]
        ratio = statistics.median(found.run.wall / mine.run.wall for found, mine, _ in rows)
        bound = " " if all(found.optimal for found, _, _ in rows) else ">"
        times = f"{bound:>3}{ratio:>9.1f} x ours" if bound == " " or ratio > 1 else "   stopped too soon to compare"
        gap = max(0.0 if found.optimal else found.bound - found.value for found, _, _ in rows)
        short = max(top - found.value for found, _, top in rows)
        say(
            f"  {name:<12}{statistics.median(seconds):>10.3f} s median{max(seconds):>10.3f} s worst"
            f"{times}   proven {sum(found.optimal for found, _, _ in rows)} of {len(answers)}, "
            f"none {len(answers) - len(rows)}, gap {gap:.4g}, short {short:.2g}"
        )
        # Instances differ, so that the spread over them says nothing of the machine.
        self.bench.judge(worthless([(found.run, mine.run) for found, mine, _ in rows], None))


def stored(contest: Contest, names: tuple[str, ...]) -> None:
    def zero(graph: PairGraph, limit: float) -> tuple[float, float, bool]:
        found = partition_graph(graph, absent="zero", time_limit=limit)
        return found.value, found.bound, found.optimal

    for name in names:
        try:
            scores = read_stored_scores(name)
        except DataError as error:
            say(f"\n{name}: {error}")
            continue
        graph = PairGraph.from_pairs(scores.pairs["left"], scores.pairs["right"], scores.weights)
        contest.compare(f"{name}, all pairs", [graph])
        # Another problem, so not beside the others: absent pairs may share a cluster.
        replace(contest, peers={}).compare(f"{name}, absent pairs weigh zero", [graph], zero)


def planted_run(nodes: int, workers: int) -> dict[str, Any]:
    """One size in a process of its own, so that its peak memory is its own."""
    graph, _ = planted_components(nodes, 60, np.random.default_rng(0))
    found: list[Any] = []

    def job() -> None:
        found.append(partition_graph(graph, workers=workers))
        if workers > 1:
            get_reusable_executor().shutdown()  # only ended workers are counted in time and memory

    run = timed(job)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Largest child, once per worker: an upper bound on what the workers hold together.
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * workers if workers > 1 else 0
    return {
        "nodes": nodes, "edges": len(graph.weights), "seconds": found[0].seconds, "gap": found[0].gap,
        "optimal": found[0].optimal, "gigabytes": (own + children) / 2**20, "run": run,
    }  # fmt: skip


def scale(bench: Bench, sizes: list[int], workers: int) -> None:
    bench.part(f"Planted components of at most 60 nodes, {workers} processes")
    curve = []
    for nodes in sizes:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
            found = alone.submit(planted_run, nodes, workers).result()
        run = found.pop("run")
        curve.append(found | asdict(run))
        say(
            f"  {nodes:>9,} nodes{found['edges']:>11,} edges{found['seconds']:>9.2f} s"
            f"{1e6 * found['seconds'] / nodes:>8.0f} us a node, {1e6 * run.cpu / nodes:.0f} of CPU   "
            f"peak {found['gigabytes']:.2f} GB   " + ("proven" if found["optimal"] else f"gap {found['gap']:.4g}")
        )
        bench.judge(worthless([[run]], None))
    counts, seconds = (np.array([found[key] for found in curve]) for key in ("nodes", "seconds"))
    slope, begin = np.polyfit(counts, seconds, 1)
    off = float(np.abs(begin + slope * counts - seconds).max())
    say(f"  straight line: {begin:.2f} s and {1e6 * slope:.0f} us a node, at most {off:.2f} s off")
    bench.record(workers=workers, curve=curve, start=begin, slope=slope, off=off)


def cliques(bench: Bench, seeds: list[int]) -> None:
    bench.part("Maximal cliques of 262 nodes, threshold -0.3")
    if not installed("igraph"):
        bench.missing("igraph", 'python -m pip install "igraph>=0.11"')
        return
    import igraph

    ratios = []
    for seed in seeds:
        graph = instance(262, seed, -0.3)
        peer = igraph.Graph(len(graph), list(zip(graph.left.tolist(), graph.right.tolist(), strict=True)))
        counts = sum(1 for _ in maximal_cliques(graph)), len(peer.maximal_cliques())
        if counts[0] != counts[1]:
            raise SystemExit(f"seed {seed}: {counts[0]:,} maximal cliques, igraph finds {counts[1]:,}")
        ratios.append(
            bench.pair(
                f"igraph, seed {seed}",
                peer.maximal_cliques,
                lambda graph=graph: sum(1 for _ in maximal_cliques(graph)),
                note=f"{counts[0]:,} cliques",
            )
        )
    say(f"  median of the seeds: igraph takes {statistics.median(ratios):.2f} x our time")


def numbers(text: str) -> list[int]:
    first, dash, last = text.partition("-")
    return list(range(int(first), int(last) + 1)) if dash else [int(part) for part in text.split(",")]


def main() -> None:
    parser = options(__doc__, repeat=5)
    parser.add_argument("--parts", help=f"of {', '.join(PARTS)} (all; {', '.join(QUICK_PARTS)} with --quick)")
    parser.add_argument("--peers", default="CP-SAT,milp,QSP,SPP", help="beginnings of their names; '' for none")
    parser.add_argument("--seeds", type=numbers, help="as 0-9 or 0,3 (0-9; 0 with --quick)")
    parser.add_argument("--limit", type=float, help="seconds for each solver and instance (60; 3 with --quick)")
    parser.add_argument("--nodes", type=int, help="largest size of the part scale (100,000; 1,000 with --quick)")
    parser.add_argument("--workers", type=int, help="of CP-SAT and of the part scale (all cores; 1 with --quick)")
    arguments = parser.parse_args()
    quick = arguments.quick
    usual = list(QUICK_PARTS if quick else PARTS)
    parts = arguments.parts.split(",") if arguments.parts else usual
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    seeds = arguments.seeds or ([0] if quick else list(range(10)))
    workers = arguments.workers or (1 if quick else os.cpu_count() or 1)
    most = arguments.nodes or (1000 if quick else 100_000)

    bench = start("Clique partitioning", arguments, "numpy", "scipy", "highspy")
    asked = tuple(name for name in arguments.peers.split(",") if name)
    rivals = {name: solver for name, solver in peers(workers).items() if asked and name.startswith(asked)}
    if "CP-SAT" in rivals and not installed("ortools"):
        bench.missing("CP-SAT", 'python -m pip install "trustnlp[graphs]"')
        del rivals["CP-SAT"]
    contest = Contest(bench, rivals, arguments.limit or (3.0 if quick else 60.0), quick)
    partition_graph(instance(49, 0, -0.2))  # imports the solver
    for part, scores, limit in (("small", {}, math.inf), ("noisy", {"mean": 0.3, "spread": 0.6}, 30.0)):
        for threshold in THRESHOLDS[quick:] if part in parts else ():  # at the first, peers need minutes
            graphs = [instance(49, seed, threshold, **scores) for seed in seeds]
            contest.compare(f"{part}, threshold {threshold}", graphs, most=limit)
    if "large" in parts:
        longer = replace(contest, limit=arguments.limit or max(contest.limit, 10.0))
        longer.compare("large", [instance(262, seed, -0.3) for seed in seeds])
    if "stored" in parts:
        stored(contest, ("settlements",) if quick else ("settlements", "csv_example"))
    if "scale" in parts:
        scale(bench, [most // 4, most] if quick else [most // 10, most // 5, most // 2, most], workers)
    if "cliques" in parts:
        cliques(bench, seeds)
    bench.finish()


if __name__ == "__main__":
    main()
