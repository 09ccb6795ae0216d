"""Speed of the association tests and of WEFE's metrics against the peers that are installed, all in one run.

    OMP_NUM_THREADS=1 python benchmarks/bench_weat.py                              # scipy and the textbook loop
    OMP_NUM_THREADS=1 python benchmarks/bench_weat.py --quick                      # fewer draws, scaled up; 3 pairs
    OMP_NUM_THREADS=1 _build/peers/bin/python benchmarks/bench_weat.py  # wefe 1.0.1 too, see README.md

The exact count of 25 + 25 words uses up to four threads of its own.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable

import numpy as np
from _timing import Bench, installed, options, say, start
from scipy import stats

from trustnlp.bias import battery, weat
from trustnlp.bias.association_tests.measures import MEASURES
from trustnlp.bias.association_tests.permutation import permutation_test
from trustnlp.bias.association_tests.statistics import STATISTICS
from trustnlp.bias.association_tests.word_set_scores import (
    embedding_coherence,
    mean_average_cosine,
    relational_inner_product,
    relative_negative_sentiment,
    relative_norm_distance,
    wefat,
)
from trustnlp.data.words.weat_stimuli import WeatTest, read_weat_tests
from trustnlp.data.words.word_vectors import read_vectors

LOOP_DRAWS, WEFE_DRAWS, BATTERY_DRAWS = 10_000, 1000, 1000
WEFE_BATTERY_DRAWS = 10  # of the thousand, scaled up: each costs the same
# Words per target and attribute set of the ten tests.
SIZES = [(25, 25), (25, 25), (32, 25), (16, 25), (16, 8), (8, 8), (8, 8), (8, 8), (6, 7), (8, 8)]


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


def wefe_test(test: WeatTest, draws: int) -> Callable[[], dict]:
    """wefe's own test as a job."""
    from wefe.metrics import WEAT
    from wefe.query import Query
    from wefe.utils import load_test_model

    logging.disable(logging.WARNING)
    model = load_test_model()
    query = Query(
        [list(test.X), list(test.Y)], [list(test.A), list(test.B)], list(test.names[:2]), list(test.names[2:])
    )
    return lambda: WEAT().run_query(
        query, model, calculate_p_value=draws > 0, p_value_iterations=draws, lost_vocabulary_threshold=0.2
    )


def one_test(bench: Bench, fewer: int) -> None:
    vectors, tests = read_vectors("wefe_googlenews"), read_weat_tests("wefe")
    test, rng = tests[6], np.random.default_rng(0)
    n, scores = 8, weat(vectors, test, alternative="greater").scores

    def from_scores() -> object:
        return permutation_test(scores, n, alternative="greater")

    def whole() -> object:
        return weat(vectors, test, alternative="greater")

    def by_scipy() -> object:
        return stats.permutation_test(
            (scores[:n], scores[n:]), lambda x, y, axis: x.sum(axis) - y.sum(axis), vectorized=True,
            alternative="greater", n_resamples=np.inf,
        )  # fmt: skip

    bench.part("One test, WEAT 6, 8 + 8 words: the exact p-value over 12,870 splits, from scores")
    draws = LOOP_DRAWS // fewer
    bench.pair(
        "loop over memoised scores", lambda: loop_p_value(scores, n, draws, rng), from_scores,
        scale=fewer, note=f"{LOOP_DRAWS:,} draws",
    )  # fmt: skip
    bench.pair("loop over all splits", lambda: listed_p_value(scores, n), from_scores)
    bench.pair("scipy permutation_test", by_scipy, from_scores)

    bench.part("One test, WEAT 6, 8 + 8 words: cosines, effect size and p-value, from vectors")
    if not installed("wefe"):
        bench.missing("wefe 1.0.1")
        bench.alone("ours", whole)
        return
    note = f"{WEFE_DRAWS:,} draws, every cosine anew in each"
    bench.pair("wefe 1.0.1", wefe_test(test, WEFE_DRAWS // fewer), whole, scale=fewer, note=note, repeat=3)
    gaps = [
        abs(weat(vectors, other, alternative="greater", ddof=0).effect_size - wefe_test(other, 0)()["effect_size"])
        for other in tests.values()
    ]
    say(f"  largest difference of the ten effect sizes from wefe's (ddof 0): {max(gaps):.1e}")


def exact_tails(bench: Bench) -> None:
    bench.part("Exact one-sided p-values")
    for n in (8, 16, 18, 25, 32):
        scores = np.random.default_rng(0).standard_normal(2 * n)
        scores[:n] += 0.3
        for method in ("exact", "grid") if n <= 25 else ("grid",):

            def job(scores: np.ndarray = scores, n: int = n, method: str = method) -> object:
                return permutation_test(scores, n, alternative="greater", method=method)  # type: ignore[arg-type]

            p = permutation_test(scores, n, alternative="greater", method=method)  # type: ignore[arg-type]
            width = (p.p_high - p.p_low) / p.p_high
            note = f"p = {p.p_value:.6g}, relative width {width:.1e}, {p.n_partitions:.3g} splits"
            bench.alone(f"{n} + {n} {method}", job, note=note)


def whole_battery(bench: Bench, fewer: int) -> None:
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
    scored = [(r.scores, r.sizes[0]) for r in battery(vectors, tests, alternative="observed", precisions=precisions)]
    cells = len(MEASURES) * len(STATISTICS)
    bench.part(f"Battery: {len(tests)} tests x {cells} scores, random 300-d vectors, precision matrices given")
    draws = BATTERY_DRAWS // fewer
    bench.pair(
        "loop over memoised scores",
        lambda: [loop_p_value(scores, n, draws, rng) for scores, n in scored],
        lambda: battery(vectors, tests, alternative="observed", precisions=precisions),
        scale=fewer,
        note=f"{BATTERY_DRAWS:,} draws a test, distances not counted; ours exact or proven",
    )
    real, lists = read_vectors("wefe_googlenews"), read_weat_tests("wefe").values()
    bench.part("Battery: GoogleNews vectors, Ledoit-Wolf estimates included")
    bench.alone("ours", lambda: battery(real, lists, alternative="observed"))


def beside_wefe(bench: Bench) -> None:
    vectors, tests = read_vectors("wefe_googlenews"), read_weat_tests("wefe")
    bench.part("All ten tests, GoogleNews vectors: cosines, effect sizes and p-values")
    if not installed("wefe"):
        bench.missing("wefe 1.0.1")
        return
    jobs = [wefe_test(test, WEFE_BATTERY_DRAWS) for test in tests.values()]
    bench.pair(
        "wefe 1.0.1", lambda: [job() for job in jobs], lambda: [weat(vectors, test) for test in tests.values()],
        scale=WEFE_DRAWS / WEFE_BATTERY_DRAWS, note=f"{WEFE_DRAWS:,} draws a test; ours exact or proven", repeat=3,
    )  # fmt: skip
    bench.part("WEFE's metrics, GoogleNews vectors, 8 + 8 targets, 8 + 8 attributes")
    for name, (theirs, ours) in word_set_jobs().items():
        bench.pair(name, theirs, ours, note=f"scores differ by {abs(theirs() - ours()):.1e}")


def word_set_jobs() -> dict[str, tuple[Callable[[], float], Callable[[], float]]]:
    """Metric → wefe's job and ours, each giving the score. wefe has no WEFAT: a loop over cosines takes its place."""
    from wefe.metrics import ECT, MAC, RIPA, RND, RNSB
    from wefe.query import Query
    from wefe.utils import load_test_model

    model, vectors = load_test_model(), read_vectors("wefe_googlenews")
    test = read_weat_tests("wefe")[8]  # science and arts; male and female terms are its attributes
    female, male, first, second = (list(words) for words in (test.B, test.A, test.X, test.Y))
    percent = {word: float(place) for place, word in enumerate(first + second)}
    one = Query([female, male], [first], ["f", "m"], ["first"])
    two = Query([female, male], [first, second], ["f", "m"], ["first", "second"])

    def wefes(metric: type, query: object, name: str, **settings: object) -> Callable[[], float]:
        return lambda: float(metric().run_query(query, model, **settings)[name])

    def looped() -> float:
        found = []
        for word in percent:
            near = [[model.wv.similarity(word, other) for other in side] for side in (female, male)]
            found.append((np.mean(near[0]) - np.mean(near[1])) / np.std(near[0] + near[1], ddof=1))
        return float(np.corrcoef(found, list(percent.values()))[0, 1])

    return {
        "RND": (wefes(RND, one, "rnd"), lambda: relative_norm_distance(vectors, female, male, first).score),
        "RNSB": (
            wefes(RNSB, two, "rnsb", holdout=False),
            lambda: relative_negative_sentiment(vectors, [female, male], first, second).score,
        ),
        "MAC": (
            wefes(MAC, two, "mac"),
            lambda: mean_average_cosine(vectors, [female, male], [first, second]).score,
        ),
        "ECT": (wefes(ECT, one, "ect"), lambda: embedding_coherence(vectors, female, male, first).score),
        "RIPA": (wefes(RIPA, one, "ripa"), lambda: relational_inner_product(vectors, female, male, first).score),
        "WEFAT (a loop; wefe has none)": (looped, lambda: wefat(vectors, female, male, percent).score),
    }


def main() -> None:
    arguments = options(__doc__, repeat=5).parse_args()
    bench = start("Association tests", arguments, "numpy", "scipy")
    fewer = 20 if arguments.quick else 1
    one_test(bench, fewer)
    exact_tails(bench)
    whole_battery(bench, fewer)
    beside_wefe(bench)
    bench.finish()


if __name__ == "__main__":
    main()
