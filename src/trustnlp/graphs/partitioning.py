"""The heaviest partition of a whole graph: components first, each solved to proven optimality, side by side.

In the best partition every cluster is held together by edges of positive weight: cutting one along edges that are
negative, absent or 0 loses nothing. So each connected component of the positive edges is a problem of its own
(`trustnlp.graphs.solver.integer_program`), and the bounds of the components add up to one of the whole.
"""

from __future__ import annotations

import itertools
import logging
import math
import time
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import get_args

import joblib
import numpy as np
import pandas as pd
from tqdm import tqdm

from trustnlp.files.missing_values import missing_rows
from trustnlp.graphs.pair_graph import Absent, GraphError, Ints, PairGraph, first_of_each, in_one_form, places_by_label
from trustnlp.graphs.solver.certificate import CertificateError, exact_values
from trustnlp.graphs.solver.integer_program import TOLERANCE, Solution, solve, unsolved
from trustnlp.graphs.solver.local_search import clusters_as_nodes
from trustnlp.graphs.solver.must_links import smallest_weight, typical_weight

_log = logging.getLogger(__name__)
_PIECES_A_TASK = 64


class SchedulerError(ConnectionError):
    """No Dask scheduler answers."""


@dataclass(frozen=True, eq=False)
class Component:
    """A connected component of the positive edges: its nodes as positions in the graph, and its solution."""

    nodes: Ints
    solution: Solution


@dataclass(frozen=True, eq=False)
class Partition:
    """A partition of a graph, its weight and what is proven about it.

    Attributes
    ----------
    graph, absent
        What was partitioned, and what an absent pair meant.
    codes
        `(N,)` cluster of each node, in the order of `graph.ids`.
    value, bound
        Weight of the partition, and a bound that no partition exceeds.
    components
        The parts that were solved apart, those of several nodes; each with the proof of its bound.
    seconds
        Wall time of the search.
    """

    graph: PairGraph
    absent: Absent
    codes: Ints
    value: float
    bound: float
    components: tuple[Component, ...]
    seconds: float

    @property
    def optimal(self) -> bool:
        """Whether no partition of any component is heavier by more than `TOLERANCE` of its smallest weight."""
        return all(component.solution.optimal for component in self.components)

    @property
    def told_optimal(self) -> str:
        """`yes`, `no`, or `within` the gap where that is small beside usual weights and not beside the smallest."""
        return told_optimal(self.optimal, self.gap, typical_weight(self.graph))

    @property
    def gap(self) -> float:
        """How much heavier another partition might be; next to 0 when optimal."""
        return math.fsum(component.solution.gap for component in self.components)

    @cached_property
    def labels(self) -> pd.Series:
        """Cluster of each node, by its id; clusters are counted by their first node."""
        return pd.Series(self.codes, index=pd.Index(self.graph.ids, tupleize_cols=False), name="cluster")

    @cached_property
    def clusters(self) -> list[list[Hashable]]:
        """The ids of each cluster, those of one node included."""
        members: list[list[Hashable]] = [[] for _ in range(int(self.codes.max(initial=-1)) + 1)]
        for name, cluster in zip(self.graph.ids, self.codes.tolist(), strict=True):
            members[cluster].append(name)
        return members

    @cached_property
    def absent_that_count(self) -> int:
        """Absent pairs that made a difference, or may have.

        With `never`: those across two clusters that would gain by becoming one, were it not for them. With `zero`:
        those inside a cluster.
        """
        if self.absent == "zero":
            return self.graph.absent_inside(self.codes)
        clusters = clusters_as_nodes(self.graph, self.codes, "zero")
        size = np.bincount(self.codes, minlength=len(clusters))
        near = clusters.weights > 0
        one, other = clusters.left[near], clusters.right[near]
        keys, sides = clusters.left * len(clusters) + clusters.right, self.codes[self.graph.left]
        ends = np.stack([sides, self.codes[self.graph.right]])
        place = np.searchsorted(keys, ends.min(axis=0) * len(clusters) + ends.max(axis=0))
        across = place[ends[0] != ends[1]]
        edges = np.bincount(across, minlength=len(keys))[near]
        return int((size[one] * size[other] - edges).sum())

    def summary(self) -> dict[str, str]:
        """The graph, its partition and the proof in a few lines, as printed by the command line."""
        kinds = {"never": "never in one cluster", "zero": "weigh nothing"}
        return {
            "nodes": f"{len(self.graph):,}",
            "pairs": f"{len(self.graph.weights):,}",
            "absent": f"{kinds[self.absent]} ({self.absent_that_count:,} such pairs counted)",
            "clusters": f"{int(self.codes.max(initial=-1)) + 1:,}",
            "value": f"{self.value:.6f}",
            "bound": f"{self.bound:.6f}",
            "gap": f"{self.gap:.6f}",
            "optimal": self.told_optimal,
            "unsettled": f"{sum(not c.solution.optimal for c in self.components):,} of {len(self.components):,} parts",
            "seconds": f"{self.seconds:.2f}",
        }

    def __str__(self) -> str:
        return "\n".join(f"{name + ':':<11}{text}" for name, text in self.summary().items())

    def component_of(self, node: int) -> Component | None:
        """The component with a node, or None for a node that no positive edge touches."""
        place = int(self.component_numbers[node])
        return self.components[place] if place >= 0 else None

    @cached_property
    def component_numbers(self) -> Ints:
        """`(N,)` the place of each node's component among `components`; -1 for a node that is in none."""
        place = np.full(len(self.graph), -1, dtype=np.int64)
        for number, component in enumerate(self.components):
            place[component.nodes] = number
        return place

    def check(self) -> float:
        """Verify every certificate apart from the solver, in rational numbers; the bound they prove for the whole.

        Raises
        ------
        CertificateError
            If a certificate does not prove its bound, the whole is said to be optimal and a component is not within
            `TOLERANCE` of its proven bound, or a heavier partition is not excluded by the proofs and `bound` says so.
        GraphError
            If the partition or its components are not what they should be: the value is another, absent pairs share a
            cluster though they never may, components overlap, or a positive edge leaves one.
        """
        rounded = 1e-14 * float(np.abs(self.graph.weights).sum())
        if abs(self.graph.value(self.codes) - self.value) > rounded:
            raise GraphError(f"the partition weighs {self.graph.value(self.codes)}, not {self.value}")
        if self.absent == "never" and (apart := self.graph.absent_inside(self.codes)):
            raise GraphError(f"{apart} pairs share a cluster although they have no edge")
        nodes = np.concatenate([c.nodes for c in self.components]) if self.components else np.empty(0, dtype=np.int64)
        place = self.component_numbers
        left, right = place[self.graph.left], place[self.graph.right]
        if len(np.unique(nodes)) < len(nodes) or (self.graph.weights[(left != right) | (left < 0)] > 0).any():
            raise GraphError("the components overlap, or a positive edge leaves one")
        proven, room = Fraction(0), 0.0
        for component, piece in zip(
            self.components, _pieces(self.graph, [c.nodes for c in self.components]), strict=True
        ):
            codes, solution = self.codes[component.nodes], component.solution
            value, bound = exact_values(piece, codes, solution.certificate, self.absent)
            allowed = TOLERANCE * smallest_weight(piece)
            if solution.optimal and bound - value > allowed:
                raise CertificateError(
                    f"the component of {self.graph.ids[component.nodes[0]]!r} is said to be optimal, and a partition "
                    f"heavier by {float(bound - value):g} is not excluded"
                )
            proven, room = proven + bound, room + allowed
        # Every node outside the components, and every edge between them, adds nothing to the best partition.
        if proven > self.bound + room + rounded:
            raise CertificateError(f"the certificates prove {float(proven)}, the bound is said to be {self.bound}")
        return float(proven)


def told_optimal(optimal: bool, gap: float, typical: float) -> str:
    """A gap in a word: `yes`, `within` it where it is next to a typical weight as good as none, or `no`."""
    return "yes" if optimal else f"within {gap:.3g}" if gap <= TOLERANCE * typical else "no"


def partition(
    pairs: pd.DataFrame,
    *,
    left: str = "left",
    right: str = "right",
    score: str = "score",
    cut: float = 0.0,
    nodes: Iterable[Hashable] = (),
    absent: Absent = "never",
    time_limit: float = 60.0,
    total_time: float | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    progress: bool = False,
) -> Partition:
    """Cluster the mentions of a table of scored pairs as well as their scores allow.

    Parameters
    ----------
    pairs
        One row per pair, with the columns named by `left`, `right` and `score`.
    cut
        Score at which a pair speaks neither for nor against being one entity: 0 for signed weights, 0.5 for
        probabilities. The weight of a pair is its score minus `cut`.
    nodes
        Nodes to count even if no pair names them.

    The other parameters, errors and the result are those of `partition_graph`.

    Examples
    --------
    >>> table = pd.DataFrame([("a", "b", 0.9), ("b", "c", 0.8), ("a", "c", 0.1)], columns=["left", "right", "score"])
    >>> found = partition(table, cut=0.5)
    >>> found.clusters, found.optimal
    ([['a', 'b'], ['c']], True)
    """
    missing = [column for column in (left, right, score) if column not in pairs.columns]
    if missing:
        raise GraphError(f"the table has no column {missing[0]!r}; it has {', '.join(map(str, pairs.columns))}")
    if len(pairs) and (not pd.api.types.is_numeric_dtype(pairs[score]) or np.iscomplexobj(pairs[score])):
        raise GraphError(f"the column {score!r} holds {pairs[score].dtype}, not numbers")
    for column in (left, right):
        if (nameless := missing_rows(pairs[column]).to_numpy()).any():
            row = int(np.flatnonzero(nameless)[0]) + 1
            raise GraphError(f"an id is missing (NaN, None or an empty string): row {row}, column {column!r}")
    graph = PairGraph.from_pairs(*in_one_form(pairs[left], pairs[right]), pairs[score] - cut, nodes)
    if len(graph.weights) and cut == 0 and graph.weights.min() >= 0 and graph.weights.max() <= 1:
        _log.warning("every score lies between 0 and 1 and none speaks against a pair; for probabilities set cut=0.5")
    return partition_graph(
        graph, absent=absent, time_limit=time_limit, total_time=total_time, workers=workers, scheduler=scheduler,
        progress=progress,
    )  # fmt: skip


def partition_graph(
    graph: PairGraph,
    *,
    absent: Absent = "never",
    time_limit: float = 60.0,
    total_time: float | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    progress: bool = False,
) -> Partition:
    """The heaviest partition of a graph (Vadrevu et al. 2021, Eqs. 1–5), or the best found in the time, with its gap.

    >>> pairs = [("Ada", "A. L.", 2.0), ("A. L.", "Al", 1.0), ("Ada", "Al", -4.0)]
    >>> partition = partition_graph(PairGraph.from_pairs(*zip(*pairs, strict=True)))
    >>> partition.codes.tolist()
    [0, 0, 1]

    Parameters
    ----------
    absent
        What a pair without an edge means, which the paper leaves open: `never` in one cluster, so that clusters are
        cliques as in xER's first phase, or weight `zero`.
    time_limit
        Seconds for each component. One that is not settled by then reports its gap.
    total_time
        Seconds for the whole. The smallest components come first; those whose turn comes later have a quick start only.
    workers
        Processes that solve components side by side.
    scheduler
        Address of a Dask scheduler, such as `tcp://head:8786`, to solve on instead; its workers have
        trustnlp installed.
    progress
        Show a bar in the terminal.

    An interrupt (Ctrl-C) ends the search; what was solved is kept, the nodes of other components stay alone.

    Raises
    ------
    SchedulerError
        If no scheduler answers at the address.
    GraphError
        If `absent` or the limit is none of these, or the graph is malformed (`PairGraph.from_pairs`).
    """
    if absent not in get_args(Absent):
        raise GraphError(f"absent is one of {', '.join(get_args(Absent))}, got {absent!r}")
    if not time_limit > 0:
        raise GraphError(f"the time limit is above 0 seconds, got {time_limit}")
    if total_time is not None and not total_time > 0:
        raise GraphError(f"the time for the whole is above 0 seconds, got {total_time}")
    begun = time.monotonic()
    ends = None if total_time is None else time.time() + total_time  # other processes have another monotonic clock
    groups = places_by_label(graph.components(graph.weights > 0))
    parts = sorted((nodes for nodes in groups if len(nodes) > 1), key=len)
    solutions: list[Solution] = []
    pieces = _pieces(graph, parts)
    batches = iter(lambda: list(itertools.islice(pieces, _PIECES_A_TASK)), [])
    with at_scheduler(scheduler):
        tasks = joblib.Parallel(n_jobs=-1 if scheduler else workers, return_as="list" if scheduler else "generator")(
            joblib.delayed(_solve_all)(batch, absent, time_limit, ends) for batch in batches
        )
        try:
            for batch in tqdm(tasks, total=-(-len(parts) // _PIECES_A_TASK), unit="batch", disable=not progress):
                solutions += batch
        except KeyboardInterrupt:
            left = len(parts) - len(solutions)
            _log.warning(
                "interrupted: %s of %s components are not solved, and their nodes stay alone", left, len(parts)
            )
    late = itertools.islice(_pieces(graph, parts), len(solutions), None) if len(solutions) < len(parts) else ()
    solutions += [unsolved(piece) for piece in late]
    solved = zip(parts, solutions, strict=True)
    components = tuple(Component(*pair) for pair in sorted(solved, key=lambda pair: int(pair[0][0])))
    codes = np.arange(len(graph))
    for component in components:
        codes[component.nodes] = component.nodes[first_of_each(component.solution.labels)]
    value = graph.value(codes)
    bound = value + math.fsum(component.solution.gap for component in components)
    return Partition(graph, absent, _counted(codes), value, bound, components, time.monotonic() - begun)


def _pieces(graph: PairGraph, parts: Sequence[Ints]) -> Iterator[PairGraph]:
    """The graph of each part, its nodes counted from 0; one pass over the edges for all of them."""
    owner, place = np.full(len(graph), -1), np.zeros(len(graph), dtype=np.int64)
    for number, nodes in enumerate(parts):
        owner[nodes], place[nodes] = number, np.arange(len(nodes))
    inside = np.flatnonzero((owner[graph.left] == owner[graph.right]) & (owner[graph.left] >= 0))
    order = inside[np.argsort(owner[graph.left[inside]], kind="stable")]
    ends = np.searchsorted(owner[graph.left[order]], np.arange(len(parts) + 1))
    for number, nodes in enumerate(parts):
        edges = order[ends[number] : ends[number + 1]]
        yield PairGraph(
            tuple(range(len(nodes))), place[graph.left[edges]], place[graph.right[edges]], graph.weights[edges]
        )


def _solve_all(pieces: Sequence[PairGraph], absent: Absent, time_limit: float, ends: float | None) -> list[Solution]:
    solutions = []
    for piece in pieces:
        left = math.inf if ends is None else max(ends - time.time(), 1e-6)
        solutions.append(solve(piece, absent=absent, time_limit=min(time_limit, left)))
    return solutions


@contextmanager
def at_scheduler(address: str | None) -> Iterator[None]:
    """Send the work of dask and joblib to the Dask scheduler at this address, if there is one."""
    if address is None:
        yield
        return
    from distributed import Client

    try:
        client = Client(address)
    except (OSError, ValueError) as error:  # nothing there, or no address
        raise SchedulerError(f"no Dask scheduler answers at {address}: {error}") from None
    with client, joblib.parallel_config("dask"):
        yield


def _counted(codes: Ints) -> Ints:
    """Clusters counted from 0 in the order of their first nodes."""
    firsts = first_of_each(codes)
    return np.unique(firsts, return_inverse=True)[1].astype(np.int64)
