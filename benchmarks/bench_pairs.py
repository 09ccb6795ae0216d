"""Speed of the pairwise extremes against this machine's own matrix product, and against the obvious ways.

    python benchmarks/bench_pairs.py                       # random vectors of the shape of the GoogleNews set
    python benchmarks/bench_pairs.py --vectors wefe_googlenews

Operations counted are those of the inner products needed and no others: V(V − 1)/2 pairs · 2(d + m). Figures are
medians of `--repeat` interleaved runs, each between float32 products of 2,048 rows, so that other work on the machine
hits both. The result is compared with that of a float64 computation of all differences.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np

from trustnlp.data.word_vectors import read_vectors
from trustnlp.privacy.lipschitz import extreme_ratios, ratio_histogram


def seconds(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def differences(vectors: np.ndarray, images: np.ndarray) -> tuple[float, float]:
    """Both extremes from the float64 differences, one row at a time."""
    low, high = math.inf, 0.0
    for row in range(len(vectors) - 1):
        steps, moved = vectors[row + 1 :] - vectors[row], images[row + 1 :] - images[row]
        ratios = np.einsum("ij,ij->i", moved, moved) / np.einsum("ij,ij->i", steps, steps)
        low, high = min(low, ratios.min()), max(high, ratios.max())
    return math.sqrt(low), math.sqrt(high)


def peak() -> float:
    """Largest memory so far, GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", help="a set of the registry; random ones if left out")
    parser.add_argument("--size", type=int, default=13_013)
    parser.add_argument("--m", type=int, default=54)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    if arguments.vectors:
        vectors = read_vectors(arguments.vectors).matrix.astype(np.float64)
    else:
        vectors = rng.standard_normal((arguments.size, 300)) * rng.uniform(1, 4, (arguments.size, 1))
    (v, d), m = vectors.shape, arguments.m
    images = vectors @ rng.standard_normal((d, m)) / math.sqrt(m)
    factor = rng.standard_normal((2048, 2048)).astype(np.float32)
    print(f"numpy {np.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}; V = {v:,}, d = {d}, m = {m}")

    work, product = v * (v - 1) * (d + m), 2 * 2048**3
    # 1.9 = 1 + β lies above every ratio here, 1.05 in their midst: every tile then needs the passes that count.
    jobs: dict[str, Callable[[], object]] = {
        "extremes": lambda: extreme_ratios(vectors, images),
        "extremes, pairs above 1.9": lambda: extreme_ratios(vectors, images, threshold=1.9),
        "extremes, pairs above 1.05": lambda: extreme_ratios(vectors, images, threshold=1.05),
        "histogram, 60 bins": lambda: ratio_histogram(vectors, images, np.linspace(0.5, 1.7, 61)),
    }
    before = peak()
    extreme_ratios(vectors, images)
    print(f"peak memory {before:.2f} GB before, {peak():.2f} GB after the extremes")
    rates: dict[str, list[float]] = {name: [] for name in jobs}
    shares: dict[str, list[float]] = {name: [] for name in jobs}
    products = []
    for _ in range(arguments.repeat):
        for name, job in jobs.items():
            before_it = seconds(lambda: [factor @ factor for _ in range(3)])
            rate = work / seconds(job)
            after_it = seconds(lambda: [factor @ factor for _ in range(3)])
            products.append(6 * product / (before_it + after_it))
            rates[name].append(rate)
            shares[name].append(rate / products[-1])
    print(f"  {'sgemm, 2,048 rows':<30}{statistics.median(products) / 1e9:>8.0f} GFLOP/s")
    for name in jobs:
        rate = statistics.median(rates[name])
        share = statistics.median(shares[name])
        print(f"  {name:<30}{rate / 1e9:>8.0f} GFLOP/s{work / rate:>9.2f} s   {100 * share:.0f} % of sgemm")

    # The obvious way, on as many rows as take a few seconds, scaled to all pairs.
    part = min(v, 2000)
    slow = seconds(lambda: differences(vectors[:part], images[:part])) * (v * (v - 1)) / (part * (part - 1))
    print(
        f"  {'float64 differences, by row':<30}{work / slow / 1e9:>8.1f} GFLOP/s{slow:>9.1f} s   (from {part:,} rows)"
    )
    found, (low, high) = extreme_ratios(vectors[:part], images[:part]), differences(vectors[:part], images[:part])
    error = max(abs(found.smallest / low - 1), abs(found.largest / high - 1))
    print(f"  relative difference of the extremes on those rows: {error:.1e}")


if __name__ == "__main__":
    main()
