"""Speed of the largest pairwise ratio against this machine's own matrix product, and against the obvious way.

    python benchmarks/bench_pairs.py                       # random vectors of the shape of the GoogleNews set
    python benchmarks/bench_pairs.py --quick               # 6,000 of them
    python benchmarks/bench_pairs.py --vectors wefe_googlenews

Operations counted are those of the inner products needed and no others: V(V - 1)/2 pairs · 2(d + m). The float32
products of 2,048 rows are scaled to as many operations: their ratio is the share of the machine's own speed reached.
The obvious way is timed on rows spread over the whole set and scaled to all pairs; its result is compared with ours.
"""

from __future__ import annotations

import math
import resource
from collections.abc import Iterable

import numpy as np
from _timing import options, say, start

from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.privacy.mechanisms.lipschitz import extreme_ratios

BLOCK, PRODUCTS, CHECKED = 2048, 3, 1500


def differences(vectors: np.ndarray, images: np.ndarray, rows: Iterable[int]) -> float:
    """The largest ratio over some rows and all that follow them, from float64 differences, one row at a time."""
    high = 0.0
    for row in rows:
        steps, moved = vectors[row + 1 :] - vectors[row], images[row + 1 :] - images[row]
        ratios = np.einsum("ij,ij->i", moved, moved) / np.einsum("ij,ij->i", steps, steps)
        high = max(high, ratios.max())
    return math.sqrt(high)


def peak() -> float:
    """Largest memory so far, GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    parser = options(__doc__, repeat=5)
    parser.add_argument("--vectors", help="a set of the registry; random ones if left out")
    parser.add_argument("--size", type=int, help="of the random vectors (13,013; 6,000 with --quick)")
    parser.add_argument("--m", type=int, default=54)
    arguments = parser.parse_args()
    bench = start("Ratios of distances over all pairs", arguments, "numpy")
    rng = np.random.default_rng(0)
    size = arguments.size or (6000 if arguments.quick else 13_013)
    if arguments.vectors:
        vectors = read_vectors(arguments.vectors).matrix.astype(np.float64)
    else:
        vectors = rng.standard_normal((size, 300)) * rng.uniform(1, 4, (size, 1))
    (v, d), m = vectors.shape, arguments.m
    images = vectors @ rng.standard_normal((d, m)) / math.sqrt(m)
    factor = rng.standard_normal((BLOCK, BLOCK)).astype(np.float32)

    before = peak()
    extreme_ratios(vectors, images)
    say(f"V = {v:,}, d = {d}, m = {m}; peak memory {before:.2f} GB before, {peak():.2f} GB after the extremes")

    def sgemm() -> None:
        for _ in range(PRODUCTS):
            factor @ factor

    work = v * (v - 1) * (d + m)
    scale = work / (PRODUCTS * 2 * BLOCK**3)
    bench.part(f"Matrix product (sgemm, {BLOCK:,} rows) of {work / 1e9:,.0f} GFLOP, beside ours")
    # 1.9 = 1 + β lies above every ratio here, 1.05 in their midst: every tile then needs the passes that count.
    for name, job in {
        "extremes": lambda: extreme_ratios(vectors, images),
        "extremes, pairs above 1.9": lambda: extreme_ratios(vectors, images, threshold=1.9),
        "extremes, pairs above 1.05": lambda: extreme_ratios(vectors, images, threshold=1.05),
    }.items():
        bench.pair(f"sgemm beside {name}", sgemm, job, scale=scale)

    rows = range(v // 200, v - 1, v // 100)
    pairs = sum(v - 1 - row for row in rows)
    bench.part("The obvious way")
    bench.pair(
        "float64 differences, by row",
        lambda: differences(vectors, images, rows),
        lambda: extreme_ratios(vectors, images),
        scale=v * (v - 1) / 2 / pairs,
        note=f"scaled up from {len(rows)} rows",
    )
    some, their = vectors[:CHECKED], images[:CHECKED]
    error = abs(extreme_ratios(some, their).largest / differences(some, their, range(len(some) - 1)) - 1)
    say(f"  relative difference of the largest ratio of the first {len(some):,} rows: {error:.1e}")
    bench.finish()


if __name__ == "__main__":
    main()
