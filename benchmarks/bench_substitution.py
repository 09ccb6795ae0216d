"""Speed of the word mechanisms: exact nearest words, noise, and whole releases, all in one run.

    OMP_NUM_THREADS=1 python benchmarks/bench_substitution.py            # five minutes on one core
    OMP_NUM_THREADS=1 python benchmarks/bench_substitution.py --quick    # 3 pairs, smaller neighbour graph
    env -u OPENBLAS_CORETYPE python benchmarks/bench_substitution.py     # numpy's best kernels, all cores

100,000 random words of 300 dimensions, ε = 10. Peers search the same noisy vectors; whose answers differ from those of
float64 is said. Shares of the machine's own speed are against float32 products of 2,048 rows (sgemm), scaled to the
2 V d operations that a query needs, and for single queries against reading the table once (sdot).
"""

from __future__ import annotations

import os

import numpy as np
import torch
from _timing import Bench, Job, installed, options, say, start

from trustnlp.embeddings.exact_search import ExactSearch, k_nearest
from trustnlp.privacy.noise.samplers import multivariate_laplace
from trustnlp.privacy.text.word_substitution import (
    MahalanobisNearestWord,
    NearestWord,
    RandomisedWord,
    TruncatedExponential,
)

WORDS, DIM, BATCH, EPSILON, BLOCK = 100_000, 300, 1024, 10.0, 2048


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def product() -> Job:
    factor = np.random.default_rng(0).standard_normal((BLOCK, BLOCK)).astype(np.float32)
    return lambda: factor @ factor


def scaled(queries: int, rows: int) -> float:
    """How many of the products above have the operations of all inner products of queries and rows."""
    return queries * rows * DIM / BLOCK**3


def nearest(bench: Bench, vectors: torch.Tensor) -> None:
    search, table = ExactSearch(vectors), vectors.numpy()
    flat = table.reshape(-1)
    rows = torch.randint(WORDS, (BATCH,), generator=seeded(1))
    queries = (vectors[rows] + multivariate_laplace(BATCH, DIM, 1 / EPSILON, generator=seeded(2))).contiguous()
    wanted = queries.numpy()
    found = search.search(queries).numpy()
    some = range(0, BATCH, BATCH // 8)
    right = [int(np.square(table - wanted[at].astype(np.float64)).sum(axis=1).argmin()) for at in some]
    say(f"  equal to float64, row by row, for {sum(found[some] == right)} of {len(some)} queries looked at")

    peers: dict[str, object] = {}
    if installed("faiss"):
        import faiss

        index = faiss.IndexFlatL2(DIM)
        index.add(table)
        peers["faiss.IndexFlatL2"] = lambda some: index.search(some, 1)[1][:, 0]
    else:
        bench.missing("faiss.IndexFlatL2")
    if installed("sklearn"):
        from sklearn.neighbors import NearestNeighbors

        brute = NearestNeighbors(n_neighbors=1, algorithm="brute").fit(table)
        peers["scikit-learn, brute"] = lambda some: brute.kneighbors(some, return_distance=False)[:, 0]
    else:
        bench.missing("scikit-learn, brute")
    for batch in (BATCH, 1):
        bench.part(f"Exact nearest of {WORDS:,} x {DIM} for {batch:,}: beside ours")
        these, theirs = queries[:batch], wanted[:batch]

        def ours(these: torch.Tensor = these) -> object:
            return search.search(these)

        for name, peer in peers.items():
            differ = int((peer(theirs) != found[:batch]).sum())
            bench.pair(name, lambda peer=peer, theirs=theirs: peer(theirs), ours, note=f"differs in {differ}")
        if batch == BATCH:
            bench.pair("sgemm: share of the machine's speed", product(), ours, scale=scaled(batch, WORDS))
        else:
            bench.pair("sdot: share of reading the table", lambda: flat @ flat, ours)


def machine(bench: Bench) -> None:
    bench.part(f"This machine; OPENBLAS_CORETYPE={os.environ.get('OPENBLAS_CORETYPE', '(unset)')}")
    seconds = bench.alone(f"sgemm, {BLOCK:,} rows", product())
    say(f"  {2 * BLOCK**3 / seconds / 1e9:,.0f} GFLOP/s")


def noise(bench: Bench) -> None:
    bench.part(f"Multivariate Laplace noise in {DIM} dimensions")
    generator, draws = seeded(3), 20_000
    for name, source, dtype in (
        ("generator, float32", generator, torch.float32),
        ("generator, float64", generator, torch.float64),
        ("cryptographic source, float64", None, torch.float64),
    ):

        def draw(source: torch.Generator | None = source, dtype: torch.dtype = dtype) -> object:
            return multivariate_laplace(draws, DIM, 1.0, generator=source, dtype=dtype)

        say(f"  {draws / bench.alone(name, draw):,.0f} draws/s")


def releases(bench: Bench, vectors: torch.Tensor) -> None:
    bench.part(f"Whole releases of {BATCH:,} words: look-up, noise from the cryptographic source, substitute")
    rows = torch.randint(WORDS, (BATCH,), generator=seeded(4))
    few = rows[:64].repeat(BATCH // 64)
    nearest_word = NearestWord(vectors, EPSILON)
    for name, mechanism, these in (
        ("nearest word", nearest_word, rows),
        ("nearest word, Mahalanobis noise", MahalanobisNearestWord(vectors, EPSILON), rows),
        ("truncated exponential, 64 words", TruncatedExponential(vectors, EPSILON), few),
        ("randomised response", RandomisedWord(WORDS, EPSILON), rows),
    ):
        seconds = bench.alone(name, lambda mechanism=mechanism, these=these: mechanism(these))
        say(f"  {BATCH / seconds:,.0f} words/s")


def graph(bench: Bench, vectors: torch.Tensor, size: int) -> None:
    bench.part(f"The 200 nearest by cosine of each of {size:,} words, beside ours")
    some = vectors[:size].contiguous()
    bench.pair("sgemm: share of the machine's speed", product(), lambda: k_nearest(some, 200), scale=scaled(size, size))


def main() -> None:
    arguments = options(__doc__, repeat=10).parse_args()
    bench = start("Substitution of words", arguments, "numpy", "torch", "scikit-learn", "faiss-cpu")
    vectors = torch.randn((WORDS, DIM), generator=seeded(0))
    machine(bench)
    nearest(bench, vectors)
    noise(bench)
    releases(bench, vectors)
    graph(bench, vectors, 5000 if arguments.quick else 20_000)
    bench.finish()


if __name__ == "__main__":
    main()
