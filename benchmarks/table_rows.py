"""The rows of the table: a piece of work, ours and the peer's way to do it, and how their answers are compared."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import torch
from bench_explain import SAMPLES, Captum, as_they_come, classifier, lime_scores, sentences
from bench_heaviest import leiden, noisy_graph
from bench_heaviest import ours as heaviest
from bench_partition import instance
from bench_senses import K, agreement, by_package, planted
from bench_weat import WEFE_DRAWS, wefe_test

from trustnlp.attribution.attribution import attribute
from trustnlp.attribution.perturbed_words import shapley as shapley_subsets
from trustnlp.attribution.text_models import TransformerModel
from trustnlp.bias import weat as our_weat
from trustnlp.bias.association_tests.permutation import permutation_test
from trustnlp.data.words.weat_stimuli import read_weat_tests
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.exact_search import ExactSearch, k_nearest
from trustnlp.embeddings.senses.sense_induction import neighbour_graph
from trustnlp.graphs import PairGraph, partition_graph
from trustnlp.graphs.chinese_whispers import cluster_ego_networks
from trustnlp.graphs.cliques import maximal_cliques
from trustnlp.graphs.planted import planted_components
from trustnlp.graphs.solver.second_opinion import solve_with_cp_sat
from trustnlp.privacy.accounting.guarantee import L1Sensitivity, Relation
from trustnlp.privacy.mechanisms.additive_noise import Laplace, gaussian_sigma
from trustnlp.privacy.text.word_substitution import NearestWord
from trustnlp.studies.xer.baselines import solve_all_at_once

Job = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """Two jobs of equal work, the peer's scaled, and a check that says in words how their answers were compared."""

    theirs: Job
    ours: Job
    check: Callable[[], str]
    scale: float = 1.0


@dataclass(frozen=True)
class Row:
    """What is done, the peer's name, and how the case is made: late, as it imports the peer."""

    work: str
    peer: str
    make: Callable[[], Case]


def same(holds: bool, said: str) -> str:
    if not holds:
        raise SystemExit(f"the answers differ: {said}")
    return said


def close(theirs: Any, ours: Any, most: float, what: str) -> str:
    """Two answers that may differ by `most` at any place."""
    apart = float(np.abs(np.asarray(theirs, dtype=float) - np.asarray(ours, dtype=float)).max())
    return same(apart <= most, f"{what} differ by at most {apart:.0e}")


def weat() -> Case:
    vectors, tests = read_vectors("wefe_googlenews"), read_weat_tests("wefe").values()
    few = 10
    jobs, plain = ([wefe_test(test, draws) for test in tests] for draws in (few, 0))

    def check() -> str:
        mine = [our_weat(vectors, test, alternative="greater", ddof=0).effect_size for test in tests]
        return close([job()["effect_size"] for job in plain], mine, 1e-6, "effect sizes")

    return Case(
        lambda: [job() for job in jobs], lambda: [our_weat(vectors, test) for test in tests], check, WEFE_DRAWS / few
    )


def exact_p() -> Case:
    from scipy import stats

    scores = np.random.default_rng(0).standard_normal(16)

    def theirs() -> float:
        found = stats.permutation_test(
            (scores[:8], scores[8:]), lambda x, y, axis: x.sum(axis) - y.sum(axis), vectorized=True,
            alternative="greater", n_resamples=np.inf,
        )  # fmt: skip
        return float(found.pvalue)

    def ours() -> float:
        return permutation_test(scores, 8, alternative="greater").p_value

    return Case(theirs, ours, lambda: close(theirs(), ours(), 1e-12, "p-values"))


def random_p() -> Case:
    from scipy import stats

    scores, draws, few = np.random.default_rng(0).standard_normal(50), 1_000_000, 10_000

    def theirs(n: int = few) -> float:
        found = stats.permutation_test(
            (scores[:25], scores[25:]), lambda x, y, axis: x.sum(axis) - y.sum(axis), vectorized=True,
            alternative="greater", n_resamples=n, rng=0, batch=10_000,
        )  # fmt: skip
        return float(found.pvalue)

    def ours() -> float:
        return permutation_test(scores, 25, alternative="greater", method="exact").p_value

    return Case(theirs, ours, lambda: close(theirs(), ours(), 0.02, "p-values"), draws / few)


@cache
def _minilm() -> tuple[tuple[Any, Any], TransformerModel]:
    pair = classifier(torch.device("cpu"), layers=1)
    return pair, TransformerModel(*pair, batch_size=64, precision="float32")


def lime() -> Case:
    pair, model = _minilm()
    [text] = sentences(pair[1], [20])
    probabilities = as_they_come(*pair)

    def ours() -> np.ndarray:
        return attribute(model, text, "lime", label=1, samples=SAMPLES, generator=0).scores

    def theirs() -> np.ndarray:
        return lime_scores(text, probabilities, 0)

    def check() -> str:
        one, other = theirs(), ours()
        return close(one / np.abs(other).max(), other / np.abs(other).max(), 0.2, "scores, as shares of the largest,")

    return Case(theirs, ours, check)


def gradients() -> Case:
    pair, model = _minilm()
    texts = sentences(pair[1], [3, 8, 8, 12, 20, 30])
    captum = Captum(*pair)

    def ours() -> np.ndarray:
        return np.concatenate([found.scores for found in attribute(model, texts, "integrated_gradients", steps=50)])

    return Case(partial(captum, texts), ours, lambda: close(np.concatenate(captum(texts)), ours(), 1e-3, "word scores"))


def shapley() -> Case:
    import shap

    rng = np.random.default_rng(0)
    weights, pairs = rng.standard_normal(12), rng.standard_normal((12, 12))

    def value(kept: np.ndarray) -> np.ndarray:
        kept = np.asarray(kept, dtype=float)
        return kept @ weights + np.einsum("mi,ij,mj->m", kept, pairs, kept, optimize=True)

    explainer = shap.explainers.Exact(value, np.zeros((1, 12)))

    def theirs() -> np.ndarray:
        return explainer(np.ones((1, 12))).values[0]

    def ours() -> np.ndarray:
        subsets = shapley_subsets(12)
        return subsets.scores(value(subsets.kept))

    return Case(theirs, ours, lambda: close(theirs(), ours(), 1e-8, "values"))


def neighbours() -> Case:
    from sklearn.neighbors import NearestNeighbors

    vectors = torch.randn((8000, 300), generator=torch.Generator().manual_seed(0))
    unit = torch.nn.functional.normalize(vectors.double()).float().numpy()

    def theirs() -> np.ndarray:
        return NearestNeighbors(n_neighbors=200, algorithm="brute").fit(unit).kneighbors(return_distance=False)

    def check() -> str:
        ids, there = k_nearest(vectors, 200)[0].numpy(), theirs()
        share = float(np.mean([len(np.intersect1d(a, b)) for a, b in zip(ids, there, strict=True)])) / 200
        return same(share > 0.9999, f"{share:.3%} of the neighbours are the same; ours are those of float64")

    return Case(theirs, lambda: k_nearest(vectors, 200), check)


def sgemm() -> Case:
    vectors = np.random.default_rng(0).standard_normal((8000, 300)).astype(np.float32)
    table, out = torch.from_numpy(vectors), np.empty((8000, 8000), dtype=np.float32)
    return Case(
        lambda: np.matmul(vectors, vectors.T, out=out), lambda: k_nearest(table, 200),
        lambda: "no peer but a bound: the product alone",
    )  # fmt: skip


def nearest() -> Case:
    import faiss

    table = torch.randn((100_000, 300), generator=torch.Generator().manual_seed(0))
    queries = table[:256] + 0.6 * torch.randn((256, 300), generator=torch.Generator().manual_seed(1))
    index, wanted, search = faiss.IndexFlatL2(300), queries.numpy(), ExactSearch(table)
    index.add(table.numpy())

    def theirs() -> np.ndarray:
        return index.search(wanted, 1)[1][:, 0]

    def ours() -> np.ndarray:
        return search.search(queries).numpy()

    return Case(theirs, ours, lambda: same(float(np.mean(theirs() == ours())) >= 0.99, "the same rows"))


def cliques() -> Case:
    import igraph

    graph = instance(262, 0, -0.3)
    peer = igraph.Graph(len(graph), list(zip(graph.left.tolist(), graph.right.tolist(), strict=True)))

    def ours() -> list[tuple[int, ...]]:
        return list(maximal_cliques(graph))

    def check() -> str:
        mine = ours()
        return same(set(mine) == {tuple(sorted(one)) for one in peer.maximal_cliques()}, f"the same {len(mine):,} sets")

    return Case(peer.maximal_cliques, ours, check)


def _optimum(graph: PairGraph, solver: Callable[[PairGraph], tuple[float, bool]]) -> Case:
    def ours() -> tuple[float, bool]:
        found = partition_graph(graph)
        return found.value, found.optimal

    def check() -> str:
        (theirs, proven), (mine, also) = solver(graph), ours()
        return same(abs(theirs - mine) < 1e-6 and proven and also, f"the same proven optimum, {mine:.3f}")

    return Case(lambda: solver(graph), ours, check)


def cp_sat() -> Case:
    def solver(graph: PairGraph) -> tuple[float, bool]:
        found = solve_with_cp_sat(graph, 30.0, 1)
        return found.value, found.optimal

    return _optimum(instance(49, 0, -0.5), solver)


def milp() -> Case:
    def solver(graph: PairGraph) -> tuple[float, bool]:
        value, _, optimal = solve_all_at_once(graph, 30.0)
        return value, optimal

    return _optimum(instance(49, 0, -0.5), solver)


def modularity() -> Case:
    """All pairs of Zachary's club, weighed so that the heaviest partition is that of the greatest modularity."""
    import igraph

    club = nx.karate_club_graph()
    peer, degrees = igraph.Graph(len(club), list(club.edges)), np.array([degree for _, degree in club.degree])
    twice = int(degrees.sum())
    left, right = np.triu_indices(len(club), 1)
    edge = np.array([club.has_edge(u, v) for u, v in zip(left.tolist(), right.tolist(), strict=True)])
    graph = PairGraph(tuple(club), left, right, twice * edge.astype(float) - degrees[left] * degrees[right])

    def check() -> str:
        found, theirs = partition_graph(graph), peer.community_optimal_modularity().modularity
        mine = peer.modularity(found.codes.tolist())
        return same(abs(mine - theirs) < 1e-9 and found.optimal, f"the same proven modularity, {mine:.6f}")

    return Case(peer.community_optimal_modularity, lambda: partition_graph(graph), check)


def equal_time() -> Case:
    """Not of time: the weight found in two seconds, printed by the check; the jobs are the two searches."""
    graph, seconds = noisy_graph(500, 0), 2.0
    heaviest(noisy_graph(20, 0), 0.1, 0)

    def check() -> str:
        mine, theirs = heaviest(graph, seconds, 0), leiden(graph, seconds, 0)
        return same(mine >= theirs, f"in equal time ours weighs {mine / theirs - 1:+.1%}")

    return Case(lambda: leiden(graph, 0.5, 0), lambda: heaviest(graph, 0.5, 0), check)


def senses() -> Case:
    vectors, topics = planted(4000, 400)
    graph, few, many = neighbour_graph(vectors, K), np.arange(4), np.arange(400)
    judged = np.flatnonzero(topics[:, 0] != topics[:, 1])[:20]

    def check() -> str:
        mine = agreement(graph, topics, judged, cluster_ego_networks(graph, judged, seed=0, threads=1))
        return f"ours: {mine}; theirs: {agreement(graph, topics, judged, by_package(graph, judged))}"

    return Case(
        lambda: by_package(graph, few), lambda: cluster_ego_networks(graph, many, seed=0, threads=1), check,
        len(many) / len(few),
    )  # fmt: skip


def release() -> Case:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    peer, zeros = dp.m.make_laplace(*space, scale=1.0), [0.0] * 50_000
    rows, mechanism = torch.zeros(50, 1000, dtype=torch.float64), Laplace(1.0, L1Sensitivity(1.0, Relation.LOCAL))

    def check() -> str:
        sizes = [float(np.abs(np.asarray(found)).mean()) for found in (peer(zeros), mechanism(rows))]
        return close(*sizes, 0.03, "mean sizes of the noise, 1 by the law,")

    return Case(lambda: peer(zeros), lambda: mechanism(rows), check)


def sigma() -> Case:
    import dp_accounting

    theirs, ours = partial(dp_accounting.get_sigma_gaussian, 1.0, 1e-6), partial(gaussian_sigma, 1.0, 1e-6)
    return Case(theirs, ours, lambda: close(theirs(), ours(), 1e-5, "noise levels"))


def words() -> Case:
    from src.EmbeddingPerturbationMechanism.cmp import CMP  # so pypantera names itself

    rng, epsilon = np.random.default_rng(0), 6.0
    table = rng.standard_normal((2000, 50)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.txt"
        path.write_text("".join(f"w{row} {' '.join(map(str, line))}\n" for row, line in enumerate(table)), "utf-8")
        peer = CMP({"embPath": str(path), "epsilon": epsilon})
    mechanism = NearestWord(torch.from_numpy(table), epsilon)
    rows = torch.arange(1000)
    few = [f"w{row}" for row in range(50)]

    def theirs(asked: list[str] = few) -> list[str]:
        return str(peer.processText(peer.noisyEmb(asked))).split()

    def check() -> str:
        many = [f"w{row}" for row in range(400)]
        stays = float(np.mean([a == b for a, b in zip(theirs(many), many, strict=True)]))
        mine = float((mechanism(rows) == rows).double().mean())
        return close(stays, mine, 0.1, f"shares of words that stay, {mine:.0%} of ours,")

    return Case(theirs, lambda: mechanism(rows), check, len(rows) / len(few))


def clusters() -> Case:
    import pandas as pd
    from splink import DuckDBAPI
    from splink.clustering import cluster_pairwise_predictions_at_threshold

    planted_graph, truth = planted_components(2000, 30, np.random.default_rng(0))
    inside = truth[planted_graph.left] == truth[planted_graph.right]
    graph = PairGraph(
        planted_graph.ids, planted_graph.left[inside], planted_graph.right[inside],
        np.abs(planted_graph.weights[inside]) + 0.01,
    )  # fmt: skip
    nodes = pd.DataFrame({"id": np.arange(len(graph))})
    edges = pd.DataFrame({"id_l": graph.left, "id_r": graph.right, "match_probability": 0.9})

    def theirs() -> np.ndarray:
        found = cluster_pairwise_predictions_at_threshold(
            nodes, edges, DuckDBAPI(), "id", "id_l", "id_r", threshold_match_probability=0.5
        )
        return found.as_pandas_dataframe().set_index("id")["cluster_id"].loc[np.arange(len(graph))].to_numpy()

    def check() -> str:
        mine = partition_graph(graph, absent="zero").codes
        pairs = {(one, other) for one, other in zip(theirs().tolist(), mine.tolist(), strict=True)}
        alike = len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs)
        return same(alike, f"the same {len(pairs):,} clusters of scores without a fault")

    return Case(theirs, lambda: partition_graph(graph, absent="zero"), check)


random.seed(0)  # igraph draws from Python's own generator
ROWS = {
    "weat": Row("ten WEAT tests: effects, p exact or proven; theirs 1,000 draws", "wefe 1.0.1", weat),
    "exact_p": Row("exact p of 8 + 8 words", "SciPy", exact_p),
    "random_p": Row("exact p of 25 + 25 words; theirs a million draws", "SciPy", random_p),
    "lime": Row("LIME, 20 words, 5,000 samples, one layer of MiniLM", "lime 0.2.0.1", lime),
    "gradients": Row("integrated gradients of six sentences, one layer of MiniLM", "captum 0.9.0", gradients),
    "shapley": Row("exact Shapley values of 12 words", "shap 0.51.0", shapley),
    "neighbours": Row("200 nearest of each of 8,000 words by cosine", "scikit-learn, brute", neighbours),
    "sgemm": Row("200 nearest of each of 8,000 words by cosine", "sgemm alone, a bound", sgemm),
    "nearest": Row("nearest of 100,000 words for 256 vectors", "faiss 1.15.1, IndexFlatL2", nearest),
    "cliques": Row("maximal cliques of 262 nodes", "igraph", cliques),
    "cp_sat": Row("heaviest partition of 49 nodes with proof", "OR-tools, CP-SAT", cp_sat),
    "milp": Row("heaviest partition of 49 nodes with proof", "HiGHS, all triangles at once", milp),
    "modularity": Row("greatest modularity of the karate club with proof", "igraph, GLPK", modularity),
    "equal_time": Row("heaviest of 500 nodes, half a second each", "igraph, Leiden", equal_time),
    "senses": Row("senses of 400 words from their neighbours", "chinese-whispers, networkx", senses),
    "release": Row("50,000 numbers released under Laplace noise", "OpenDP 0.16.0", release),
    "sigma": Row("noise of the Gaussian mechanism", "dp-accounting", sigma),
    "words": Row("1,000 words of 2,000 substituted", "pypantera 1.0.2, CMP", words),
    "clusters": Row("clusters of 2,000 scored records", "splink 5.0.0", clusters),
}
