"""Speed of the induction of senses: the graph of neighbours, the clustering of ego networks, the whole inventory.

    python benchmarks/bench_senses.py                            # 20,000 planted words of 300 dimensions
    python benchmarks/bench_senses.py --quick                    # 8,000 of them
    python benchmarks/bench_senses.py --vectors glove_6b_50d     # and the whole inventory of its first 100,000 words
    _build/peers/bin/python benchmarks/bench_senses.py   # with the package, see README.md

Words are drawn around topics, a third of them around two. The adjusted Rand index is that of the clusters around a word
of two topics, over its neighbours that have one of the two and no other; its mean over the same words is given for each
method. Peers cluster few words, ours many; times are scaled to one number of words.
"""

from __future__ import annotations

import os
import resource

import networkx as nx
import numpy as np
from _timing import Bench, installed, options, say, start
from sklearn.metrics import adjusted_rand_score

from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.senses.sense_induction import neighbour_graph, senses_of_graph
from trustnlp.embeddings.static import WordVectors
from trustnlp.graphs.chinese_whispers import cluster_ego_networks
from trustnlp.graphs.ego_networks import NeighbourGraph

K, DIM, BLOCK, FREQUENT = 200, 300, 2048, 100_000


def planted(size: int, topics: int) -> tuple[WordVectors, np.ndarray]:
    """Vectors, and the two topics of each word `(V, 2)`; one of them twice for a word of one topic."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((topics, DIM), dtype=np.float32)
    one, other = rng.integers(0, topics, (2, size))
    two = rng.random(size) < 1 / 3
    matrix = centres[one] + np.where(two[:, None], centres[other], 0)
    matrix += 0.6 * rng.standard_normal((size, DIM), dtype=np.float32)
    return WordVectors([f"w{row}" for row in range(size)], matrix, "planted"), np.stack(
        [one, np.where(two, other, one)], axis=1
    )


def network(graph: NeighbourGraph, row: int) -> nx.Graph:
    """The ego network of one word, as sensegram builds it."""
    links, nodes = nx.Graph(), graph.ids[row].tolist()
    links.add_nodes_from(nodes)
    for node in nodes:
        near = zip(graph.ids[node].tolist(), graph.cosines[node].tolist(), strict=True)
        links.add_edges_from((node, other, {"weight": cosine}) for other, cosine in near if other in links)
    return links


def by_package(graph: NeighbourGraph, rows: np.ndarray) -> np.ndarray:
    """chinese-whispers on networkx, the options of sensegram."""
    from chinese_whispers import chinese_whispers

    found = []
    for row in rows:
        links = network(graph, row)
        chinese_whispers(links, weighting="top", iterations=20, seed=0)
        found.append([links.nodes[node]["label"] for node in links])
    return np.array(found)


def by_loop(graph: NeighbourGraph, rows: np.ndarray) -> np.ndarray:
    """The same as a loop over a networkx graph; ties are drawn."""
    rng, found = np.random.default_rng(0), []
    for row in rows:
        links = network(graph, row)
        label = {node: at for at, node in enumerate(links)}
        for _ in range(20):
            before = dict(label)
            for node in rng.permutation(list(links)).tolist():
                sums: dict[int, float] = {}
                for other, link in links[node].items():
                    sums[label[other]] = sums.get(label[other], 0.0) + link["weight"]
                if sums:
                    most = max(sums.values())
                    label[node] = int(rng.choice([one for one, total in sums.items() if total == most]))
            if label == before:
                break
        found.append(list(label.values()))
    return np.array(found)


def agreement(graph: NeighbourGraph, topics: np.ndarray, egos: np.ndarray, labels: np.ndarray) -> str:
    """Mean adjusted Rand index over the egos, and its standard error."""
    scores = []
    for ego, found in zip(egos, labels, strict=True):
        near = topics[graph.ids[ego]]
        judged = (near[:, 0] == near[:, 1]) & np.isin(near[:, 0], topics[ego])
        scores.append(adjusted_rand_score(near[judged, 0], found[judged]))
    return f"adjusted Rand index {np.mean(scores):.3f} ± {np.std(scores, ddof=1) / len(scores) ** 0.5:.3f}"


def neighbours(bench: Bench, vectors: WordVectors) -> None:
    """The graph beside the matrix product that it needs at least."""
    factor = np.random.default_rng(0).standard_normal((BLOCK, BLOCK)).astype(np.float32)
    work = 2.0 * len(vectors) ** 2 * vectors.dim
    bench.part(f"The {K} nearest neighbours of {len(vectors):,} words of {vectors.dim} dimensions, exact")
    share = bench.pair(
        f"sgemm of {BLOCK:,} rows", lambda: factor @ factor, lambda: neighbour_graph(vectors, K),
        scale=work / (2.0 * BLOCK**3), note=f"scaled to {work / 1e9:,.0f} GFLOP",
    )  # fmt: skip
    say(f"  the graph takes {1 / share:.2f} times the product alone: {share:.0%} of sgemm")


def clustering(bench: Bench, vectors: WordVectors, topics: np.ndarray, few: int, many: int) -> None:
    """Words per second and agreement with the planted topics."""
    graph = neighbour_graph(vectors, K)
    timed, more = np.arange(few), np.arange(many)
    judged = np.flatnonzero(topics[:, 0] != topics[:, 1])[: 5 * few]
    cores = len(os.sched_getaffinity(0))
    bench.part(f"Clusters of ego networks of {K} words, {topics.max() + 1:,} topics among {len(vectors):,} words")
    said = agreement(graph, topics, judged, cluster_ego_networks(graph, judged, seed=0))
    say(f"  ours: {said} over {len(judged)} words of two topics")
    peers = {"loop over networkx": by_loop}
    if installed("chinese_whispers"):
        peers["chinese-whispers + networkx"] = by_package
    else:
        bench.missing("chinese-whispers 0.9.0")
    for name, method in peers.items():
        said = agreement(graph, topics, judged, method(graph, judged))
        bench.pair(
            name, lambda method=method: method(graph, timed), lambda: cluster_ego_networks(graph, more, seed=0),
            scale=many / few, note=f"for {many:,} words, from {few}; {said}",
        )  # fmt: skip
    seconds = bench.alone("ours", lambda: cluster_ego_networks(graph, more, seed=0))
    alone = bench.alone("ours, one thread", lambda: cluster_ego_networks(graph, more, seed=0, threads=1))
    say(f"  {many / seconds:,.0f} words/s with {cores} threads, {many / alone:,.0f} with one")


def whole(bench: Bench, name: str) -> None:
    """The inventory of the most frequent words of a real set: neighbours, clusters, sense vectors."""
    read = read_vectors(name)
    vectors = read.restrict(read.words[:FREQUENT])
    bench.part(f"The whole inventory of {len(vectors):,} words of {name}, {vectors.dim} dimensions")
    kept: dict[str, NeighbourGraph] = {}
    bench.alone("neighbours", lambda: kept.update(graph=neighbour_graph(vectors, K)), repeat=1)
    bench.alone("clusters and sense vectors", lambda: senses_of_graph(vectors, kept["graph"], seed=0), repeat=1)
    inventory = senses_of_graph(vectors, kept["graph"], seed=0)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    say(f"  {len(inventory):,} senses, {len(inventory) / len(vectors):.2f} per word, {inventory.dropped:,} words")
    say(f"  without a cluster that is kept; peak memory {memory:.2f} GB")


def main() -> None:
    parser = options(__doc__, repeat=5)
    parser.add_argument("--vectors", help="a set of the registry whose whole inventory is timed")
    parser.add_argument("--only-vectors", action="store_true", help="leave out the planted words")
    arguments = parser.parse_args()
    bench = start("Induction of senses", arguments, "numpy", "torch", "numba", "networkx")
    size, few, many = (8000, 4, 1000) if arguments.quick else (20_000, 40, 4000)
    if not arguments.only_vectors:
        # Ten words per topic, as in earlier measurements, and a hundred: sparse and dense networks.
        for count in (size // 10, size // 100):
            vectors, topics = planted(size, count)
            if count == size // 10:
                neighbours(bench, vectors)
            clustering(bench, vectors, topics, few, many)
    if arguments.vectors:
        whole(bench, arguments.vectors)
    bench.finish()


if __name__ == "__main__":
    main()
