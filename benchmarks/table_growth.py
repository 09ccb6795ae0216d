"""How time and memory of single kernels grow over four sizes, with the exponents fitted to them."""

from __future__ import annotations

import math
import multiprocessing
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from bench_partition import instance

from trustnlp.bias.association_tests.permutation import permutation_test
from trustnlp.embeddings.exact_search import ExactSearch, k_nearest
from trustnlp.graphs import partition_graph
from trustnlp.graphs.cliques import maximal_cliques
from trustnlp.graphs.planted import planted_components

Job = Callable[[], object]
MEMORY = 24 * 2**30


@dataclass(frozen=True)
class Growth:
    """A kernel: what is counted, four sizes, and a job for each size."""

    work: str
    unit: str
    sizes: tuple[int, ...]
    make: Callable[[int], Job]


def _vectors(rows: int) -> torch.Tensor:
    return torch.randn((rows, 300), generator=torch.Generator().manual_seed(0))


def _neighbours(size: int) -> Job:
    vectors = _vectors(size)
    return lambda: k_nearest(vectors, 200)


def _nearest(size: int) -> Job:
    vectors = _vectors(size)
    queries = _vectors(256) + 0.01
    return lambda: ExactSearch(vectors).search(queries)


def _partition(size: int) -> Job:
    graph, _ = planted_components(size, 60, np.random.default_rng(0))
    return lambda: partition_graph(graph)


def _cliques(size: int) -> Job:
    graph = instance(262, 0, -0.3)
    part = graph.subgraph(np.arange(size)) if size < len(graph) else graph
    return lambda: sum(1 for _ in maximal_cliques(part))


def _exact_p(size: int) -> Job:
    scores = np.random.default_rng(0).standard_normal(2 * size)
    return lambda: permutation_test(scores, size, alternative="greater", method="exact")


GROWTH = {
    "neighbours": Growth("200 nearest of every word", "words", (1000, 2000, 4000, 8000), _neighbours),
    "nearest": Growth("256 queries, table prepared too", "words", (12_500, 25_000, 50_000, 100_000), _nearest),
    "partition": Growth("proven partition, planted", "nodes", (500, 1000, 2000, 4000), _partition),
    "cliques": Growth("maximal cliques listed", "nodes", (65, 130, 196, 262), _cliques),
    "exact_p": Growth("exact p-value", "words a set", (16, 19, 22, 24), _exact_p),
}


def _spent(job: Job, report: Any) -> None:
    """CPU seconds and bytes above what the process held before."""
    before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    job()
    used = time.process_time() - begun
    report.send((used, 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)))


def grown(growth: Growth) -> dict[str, Any]:
    """Each size in a process of its own; the exponents of time and memory, and the size at which 24 GiB end."""
    growth.make(growth.sizes[0])()
    spent = []
    for size in growth.sizes:
        here, there = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.get_context("fork").Process(target=_spent, args=(growth.make(size), there))
        process.start()
        spent.append(here.recv())
        process.join()
    seconds, held = (np.array(part, dtype=float) for part in zip(*spent, strict=True))
    sizes = np.log(growth.sizes)
    exponent = float(np.polyfit(sizes, np.log(seconds), 1)[0])
    memory = float(np.polyfit(sizes[-2:], np.log(np.maximum(held[-2:], 1.0)), 1)[0])
    # Where memory hardly grows, no size is told: blocks are of one size.
    ends = growth.sizes[-1] * (MEMORY / held[-1]) ** (1 / memory) if memory > 0.2 and held[-1] > 2**24 else math.inf
    return {
        "work": growth.work, "unit": growth.unit, "sizes": list(growth.sizes), "seconds": seconds.round(4).tolist(),
        "megabytes": (held / 2**20).round(1).tolist(), "exponent": round(exponent, 2),
        "ends": None if math.isinf(ends) else float(f"{ends:.1e}"),
    }  # fmt: skip
