"""Clusters of scored records: exact partitioning beside dedupe's clustering, in seconds, weight and F1, in one run.

    OMP_NUM_THREADS=1 PYTHONPATH=folder/with/dedupe python benchmarks/bench_clustering.py          # see README.md
    OMP_NUM_THREADS=1 PYTHONPATH=folder/with/dedupe python benchmarks/bench_clustering.py --quick  # 2,000 records

Planted components of at most 30 records (`trustnlp.graphs.planted`), their scores as probabilities p, cut at 0 and 1;
pairs below .2 are absent. A partition weighs the sum of p - 1/2 over the pairs it joins. dedupe merges by centroids and
cuts at one half, which optimises no such sum, and may join pairs that are absent; so ours is timed with absent pairs
that weigh nothing (`zero`), and its F1 is told for both readings. `hierarchical_clustering` is dedupe's rule written
anew. Records in no cluster of dedupe's are one each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import numpy as np
from _timing import installed, options, say, start

from trustnlp.graphs import PairGraph, partition_graph
from trustnlp.graphs.agreement import partition_metrics
from trustnlp.graphs.hierarchical import hierarchical_clustering
from trustnlp.graphs.pair_graph import Absent
from trustnlp.graphs.planted import planted_components

DEDUPE = (
    "python -m pip install --target _build/dedupe --no-deps dedupe==3.0.3 affinegap categorical-distance "
    "dedupe-Levenshtein-search doublemetaphone haversine highered simplecosine zope.index BTrees zope.interface "
    "zope.deferredimport zope.proxy persistent cffi pyhacrf-datamade PyLBFGS"
)
CUT = 0.5


def by_dedupe(probabilities: PairGraph) -> Callable[[], np.ndarray]:
    from dedupe.clustering import cluster

    scored = np.empty(len(probabilities.weights), dtype=[("pairs", "i4", 2), ("score", "f4")])
    scored["pairs"] = np.stack([probabilities.left, probabilities.right], axis=1)
    scored["score"] = probabilities.weights

    def job() -> np.ndarray:
        labels = np.arange(len(probabilities))
        for number, (members, _) in enumerate(cluster(scored.copy(), CUT)):
            labels[list(members)] = len(labels) + number
        return labels

    return job


def main() -> None:
    arguments = options(__doc__, repeat=5).parse_args()
    bench = start("Clusters of scored records", arguments, "numpy", "scipy", "dedupe")
    graph, truth = planted_components(2_000 if arguments.quick else 20_000, 30, np.random.default_rng(0))
    p = np.clip(CUT + graph.weights, 0.0, 1.0)
    probabilities = PairGraph(graph.ids, graph.left, graph.right, p)
    weighted = PairGraph(graph.ids, graph.left, graph.right, p - CUT)

    def ours() -> np.ndarray:
        return partition_graph(weighted, absent="zero").codes

    def rule() -> np.ndarray:
        return hierarchical_clustering(probabilities, CUT)

    def told(labels: np.ndarray) -> str:
        f1 = 100 * partition_metrics(truth, labels).f1
        return f"weight {weighted.value(labels):,.1f}, F1 {f1:.2f} %"

    bench.part(f"{len(graph):,} records, {len(p):,} pairs")
    for absent in get_args(Absent):
        found = partition_graph(weighted, absent=absent)
        proof = f"optimal {found.optimal}, proven to {found.check():,.1f}, {found.seconds:.2f} s"
        say(f"  ours, absent pairs {absent}: {told(found.codes)}; {proof}")
    bench.pair("dedupe's rule written anew", rule, ours, note=told(rule()))
    if installed("dedupe"):
        job = by_dedupe(probabilities)
        bench.pair("dedupe 3.0.3", job, ours, note=told(job()))
    else:
        bench.missing("dedupe 3.0.3", DEDUPE)
    bench.finish()


if __name__ == "__main__":
    main()
