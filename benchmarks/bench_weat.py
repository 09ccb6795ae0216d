"""Speed of the association tests against the peers that are installed, all in one run.

    OMP_NUM_THREADS=1 python benchmarks/bench_weat.py                              # scipy and the textbook loop
    OMP_NUM_THREADS=1 PYTHONPATH=folder/with/wefe python benchmarks/bench_weat.py  # wefe 1.0.1 too, see README.md

Every figure is the fastest of `--repeat` runs, interleaved, so that a burst of other work on the machine hits no one
alone. Ratios are to our own time in the same run. The exact count of 25 + 25 words uses up to four threads of its own.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import math
import os
import time
from collections.abc import Callable

import numpy as np
from scipy import stats

from trustnlp.bias import battery, weat
from trustnlp.bias.measures import MEASURES
from trustnlp.bias.permutation import permutation_test
from trustnlp.bias.statistics import STATISTICS
from trustnlp.data.weat_stimuli import WeatTest, read_weat_tests
from trustnlp.data.word_vectors import read_vectors

# Words per target and attribute set of the ten tests.
SIZES = [(25, 25), (25, 25), (32, 25), (16, 25), (16, 8), (8, 8), (8, 8), (8, 8), (6, 7), (8, 8)]


def fastest(jobs: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """Seconds of the fastest of `repeat` interleaved runs of each job."""
    seconds = dict.fromkeys(jobs, math.inf)
    for _ in range(repeat):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds


def report(title: str, seconds: dict[str, float], ours: str, work: dict[str, str] | None = None) -> None:
    print(f"\n{title}")
    for name, value in seconds.items():
        note = (work or {}).get(name, "")
        ratio = "" if name == ours else f"{value / seconds[ours]:>12,.1f} x ours"
        print(f"  {name:<38}{1e3 * value:>12,.3f} ms{ratio}  {note}")


def loop_p_value(scores: np.ndarray, n: int, draws: int, rng: np.random.Generator) -> float:
    """The textbook loop over associations that were computed once: shuffle, sum, compare."""
    order, observed, hits = np.arange(len(scores)), scores[:n].sum() - 1e-12, 0
    for _ in range(draws):
        rng.shuffle(order)
        hits += scores[order[:n]].sum() >= observed
    return (hits + 1) / (draws + 1)


def listed_p_value(scores: np.ndarray, n: int) -> float:
    """The textbook loop over all splits."""
    observed, hits, total = scores[:n].sum() - 1e-12, 0, 0
    for split in itertools.combinations(range(len(scores)), n):
        hits += scores[list(split)].sum() >= observed
        total += 1
    return hits / total


def wefe_test(test: WeatTest, draws: int) -> Callable[[], dict] | None:
    """wefe's own test as a job; None where wefe is not installed."""
    try:
        from wefe.metrics import WEAT
        from wefe.query import Query
        from wefe.utils import load_test_model
    except ImportError:
        return None
    logging.disable(logging.WARNING)
    model = load_test_model()
    query = Query(
        [list(test.X), list(test.Y)], [list(test.A), list(test.B)], list(test.names[:2]), list(test.names[2:])
    )
    return lambda: WEAT().run_query(
        query, model, calculate_p_value=draws > 0, p_value_iterations=draws, lost_vocabulary_threshold=0.2
    )


def one_test(repeat: int, draws: int) -> None:
    vectors, tests = read_vectors("wefe_googlenews"), read_weat_tests("wefe")
    test, rng = tests[6], np.random.default_rng(0)
    n, scores = 8, weat(vectors, test, signed=True).scores
    ours = "ours, vectors to exact p-value"
    jobs: dict[str, Callable[[], object]] = {
        ours: lambda: weat(vectors, test, signed=True),
        "ours, p-value from scores": lambda: permutation_test(scores, n, alternative="greater"),
        "loop over memoised scores": lambda: loop_p_value(scores, n, 10_000, rng),
        "loop over all splits": lambda: listed_p_value(scores, n),
        "scipy permutation_test": lambda: stats.permutation_test(
            (scores[:n], scores[n:]), lambda x, y, axis: x.sum(axis) - y.sum(axis), vectorized=True,
            alternative="greater", n_resamples=np.inf,
        ),
    }  # fmt: skip
    work = dict.fromkeys(jobs, "exact: 12,870 splits") | {"loop over memoised scores": "10,000 draws"}
    seconds = fastest(jobs, repeat)
    peer = wefe_test(test, draws)
    if peer is None:
        print("wefe is not installed: see benchmarks/README.md")
    else:
        seconds["wefe 1.0.1"] = fastest({"wefe 1.0.1": peer}, 1)["wefe 1.0.1"]
        work["wefe 1.0.1"] = f"{draws:,} draws, every cosine anew in each"
    report("One test: WEAT 6, cosine and mean, 8 + 8 words", seconds, ours, work)
    if peer is not None:
        gaps = []
        for other in tests.values():
            theirs = wefe_test(other, 0)
            assert theirs is not None
            gaps.append(abs(weat(vectors, other, signed=True, ddof=0).effect_size - theirs()["effect_size"]))
        print(f"  largest difference of the ten effect sizes from wefe's (ddof 0): {max(gaps):.1e}")


def exact_tails(repeat: int) -> None:
    print("\nExact one-sided p-values")
    for n in (8, 16, 18, 25, 32):
        scores = np.random.default_rng(0).standard_normal(2 * n)
        scores[:n] += 0.3
        for method in ("exact", "grid") if n <= 25 else ("grid",):
            start, runs = time.perf_counter(), []
            while len(runs) < repeat and time.perf_counter() - start < 20:
                begin = time.perf_counter()
                p = permutation_test(scores, n, alternative="greater", method=method)  # type: ignore[arg-type]
                runs.append(time.perf_counter() - begin)
            width = (p.p_high - p.p_low) / p.p_high
            print(
                f"  {n:>2} + {n:<2} {method:<6}{1e3 * min(runs):>12,.3f} ms   p = {p.p_value:.6g}, "
                f"relative width {width:.1e}, {p.n_partitions:.3g} splits"
            )


def whole_battery(repeat: int) -> None:
    rng = np.random.default_rng(0)
    vectors: dict[str, np.ndarray] = {}
    tests, precisions = [], {}
    for number, (n, k) in enumerate(SIZES, start=1):
        sets = [
            tuple(f"{name}{number}.{i}" for i in range(size)) for name, size in zip("XYAB", (n, n, k, k), strict=True)
        ]
        vectors |= {word: rng.standard_normal(300) for words in sets for word in words}
        precisions |= {words: np.diag(rng.uniform(0.5, 1.5, 300)) for words in sets[2:]}
        tests.append(WeatTest(number, "random", sets[0], sets[1], sets[2], sets[3], ("x", "y", "a", "b")))
    scored = [(r.scores, r.sizes[0]) for r in battery(vectors, tests, precisions=precisions)]
    ours, loop = "ours, exact or proven p-values", "loop over memoised scores"
    seconds = fastest({ours: lambda: battery(vectors, tests, precisions=precisions)}, repeat)
    seconds |= fastest({loop: lambda: [loop_p_value(scores, n, 1000, rng) for scores, n in scored]}, 1)
    cells = len(MEASURES) * len(STATISTICS)
    report(
        f"Battery: {len(tests)} tests x {cells} scores, random 300-d vectors, precision matrices given",
        seconds, ours, {loop: "1,000 draws a test, distances not counted"},
    )  # fmt: skip
    real, lists = read_vectors("wefe_googlenews"), read_weat_tests("wefe").values()
    seconds = fastest({"ours": lambda: battery(real, lists)}, repeat)
    report("Battery: GoogleNews vectors, Ledoit-Wolf estimates included", seconds, "ours")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--wefe-draws", type=int, default=1000)
    arguments = parser.parse_args()
    print(f"numpy {np.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")
    one_test(arguments.repeat, arguments.wefe_draws)
    exact_tails(arguments.repeat)
    whole_battery(arguments.repeat)


if __name__ == "__main__":
    main()
