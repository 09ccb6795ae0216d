"""What the benchmark of decoys costs: the pick of explanations to show, cells of the leaderboard, buggy models.

    OMP_NUM_THREADS=1 python benchmarks/bench_decoys.py
    OMP_NUM_THREADS=1 python benchmarks/bench_decoys.py --quick
    OMP_NUM_THREADS=1 python benchmarks/bench_decoys.py --parts pick,presence    # of four

- `pick`: submodular pick of 1,000 explanations, all of 1,000 and of 10,000, beside greedy picking that computes all
  gains anew in each step (one sparse product). Then what the pick is worth on small cases, where the best choice of so
  many explanations can be found by trying all: the smallest share of the best, to be at least 1 - 1/e.
- `presence`, `convolution`, `minilm`: of a kind of models one with indicator words, trained on SST-2's sentences as the
  chapter does; its cells of the leaderboard, one for each explainer, with the record's sizes (120 texts of at most 25
  words, 150 samples of LIME and KernelSHAP, 16 steps of integrated gradients); and the inspector, who reads a cell in
  all orders.
  From these the whole is extrapolated: 8 decoys in 3 seeds, clean models beside them, and all explainers that apply to
  the kind, random scores among them. No model and no cell is read from a folder. For MiniLM a part is timed of the
  training (two epochs, all layers) and of the texts.

Without SST-2 (see its data card) reviews are made up, as many. --quick has fewer small cases, and less of MiniLM.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from _timing import Bench, duration, options, say, start
from scipy.sparse import csr_array

from trustnlp.data.registry import DataError
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.instance_selection import select
from trustnlp.decoys.benchmark.score_tables import Integers, ScoreTable
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.reproduce import Record
from trustnlp.studies.decoys.data import ReviewParts, review_parts
from trustnlp.studies.decoys.leaderboard.benchmark_models import ExplainedModel, applies, explained, shown_texts
from trustnlp.studies.decoys.leaderboard.bug_searches import search_table
from trustnlp.studies.decoys.models import Classifier, Kind, planted_model

PICKED, SHOWN_WORDS, SEED = 1_000, 10, 0
DECOYS, SEEDS = 8, 3
EXPLAINERS = (
    "occlusion",
    "occlusion_mask",
    "lime",
    "kernel_shap",
    "gradient_x_input",
    "integrated_gradients",
    "random",
)
POOL, LONGEST, MADE_UP = 120, 25, 8_650
# Of the committed record; nothing is kept under this profile.
SETTINGS: dict[str, Any] = {
    "profile": "smoke",
    "samples": 150,
    "steps": 16,
    "budget": 80,
    "draws": 20,
    "chance_draws": 200,
    "encoder": "all-MiniLM-L6-v2",
    "epochs": 2,
    "learning_rate": 1e-4,
    "batch_size": 64,
    "precision": "float32",
    "device": "cpu",
}


# --- the pick --------------------------------------------------------------------------------------------------------


def made_table(n: int, vocabulary: int, longest: int, rng: np.random.Generator) -> ScoreTable:
    """Explanations of 1 to `longest` words, some words much more frequent than others."""
    frequency = 1 / np.arange(1, vocabulary + 1)
    frequency /= frequency.sum()
    lengths = rng.integers(1, longest, n, endpoint=True)
    columns = [np.unique(rng.choice(vocabulary, length, p=frequency)) for length in lengths]
    rows = np.repeat(np.arange(n), [len(own) for own in columns])
    words = tuple(f"word{number:06}" for number in range(vocabulary))
    return ScoreTable(words, np.zeros(n, dtype=np.int64), rows, np.concatenate(columns), rng.normal(size=len(rows)))


def covered(table: ScoreTable) -> tuple[csr_array, np.ndarray]:
    """Which words each explanation covers, `(n, V)` of 0 and 1, and the importance `(V,)` of words, written anew."""
    rows, columns = [], []
    importance = np.zeros(len(table.words))
    starts = np.searchsorted(table.rows, np.arange(len(table) + 1))
    for number in range(len(table)):
        own = np.arange(starts[number], starts[number + 1])
        for entry in own[np.argsort(-np.abs(table.scores[own]), kind="stable")][:SHOWN_WORDS]:
            rows.append(number)
            columns.append(table.columns[entry])
            importance[table.columns[entry]] += abs(table.scores[entry])
    shape = (len(table), len(table.words))
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=shape), np.sqrt(importance)


def all_gains_anew(covers: csr_array, importance: np.ndarray, n: int) -> Integers:
    """Greedy picking by its definition; where nothing is left to cover, it begins anew with those not yet chosen."""
    chosen: list[int] = []
    left, free = importance.copy(), np.ones(covers.shape[0], dtype=bool)
    while len(chosen) < n:
        gains = np.where(free, covers @ left, -1.0)
        best = int(gains.argmax())
        if gains[best] <= 0:
            left = importance.copy()
            continue
        chosen.append(best)
        free[best] = False
        left[covers.indices[covers.indptr[best] : covers.indptr[best + 1]]] = 0
    return np.array(chosen)


def worth(covers: np.ndarray, importance: np.ndarray, chosen: Sequence[int]) -> float:
    """Importance of the words that a choice covers."""
    return float(importance[covers[list(chosen)].any(axis=0)].sum())


def time_pick(bench: Bench, cases: int) -> None:
    """Time of a large pick, and worth of small ones."""
    rng = np.random.default_rng(SEED)
    bench.part(f"Submodular pick of {PICKED:,} explanations, 1 to 40 words each")
    for n in (PICKED, 10 * PICKED):
        table = made_table(n, 15_000, 40, rng)
        covers, importance = covered(table)
        pick = partial(select, "submodular_pick", table, None, PICKED, rng)
        bench.pair(f"of {n:,}: all gains anew", partial(all_gains_anew, covers, importance, PICKED), pick)
        same = float(np.mean(pick() == all_gains_anew(covers, importance, PICKED)))
        say(f"  {same:.1%} of the places have the same explanation")
        bench.record(name=f"same places, of {n}", same=same)

    shares = []
    for _ in range(cases):
        table = made_table(10, 25, 8, rng)
        covers, importance = covered(table)
        dense, size = covers.toarray() > 0, int(rng.integers(2, 6))
        best = max(worth(dense, importance, each) for each in itertools.combinations(range(len(table)), size))
        chosen = select("submodular_pick", table, None, size, rng).tolist()
        shares.append(worth(dense, importance, chosen) / best)
    bench.part(f"Its worth as a share of the best choice, {cases} cases of 2 to 5 of 10 explanations")
    low, mean, bound = min(shares), float(np.mean(shares)), 1 - 1 / math.e
    said = "kept" if low >= bound else "BROKEN"
    say(f"  smallest {low:.3f}, mean {mean:.3f}, best found in {np.mean(np.array(shares) > 1 - 1e-9):.0%}")
    say(f"  the bound 1 - 1/e = {bound:.3f} is {said}")
    bench.record(name="worth", smallest=low, mean=mean, bound=bound)


# --- models and cells ------------------------------------------------------------------------------------------------


def reviews() -> ReviewParts:
    """SST-2's sentences, or made-up ones."""
    try:
        return review_parts(Record("decoys", "leaderboard", profile="paper"), "sentences", MADE_UP)
    except DataError as error:
        say(f"made-up reviews, as SST-2 cannot be read: {error}")
        return review_parts(Record("decoys", "leaderboard", profile="smoke"), "sentences", MADE_UP)


def part_of(parts: ReviewParts, share: float) -> ReviewParts:
    """Less to train on, and as much less of dev, which every epoch looks at."""

    def cut(texts: Phrases) -> Phrases:
        rows = np.random.default_rng(SEED).permutation(len(texts))[: max(40, round(share * len(texts)))]
        return Phrases(tuple(texts.texts[row] for row in rows), texts.labels[rows])

    return replace(parts, train=cut(parts.train), dev=cut(parts.dev))


def time_kind(bench: Bench, kind: Kind, parts: ReviewParts, share: float, pool: int) -> None:
    """A training, the cells of the model, and the inspector; then the whole, from these.

    Parameters
    ----------
    share, pool
        Part of the training that is timed, and number of the texts; 1 and `POOL` of all.
    """
    decoy, smaller = recipe("video_text"), part_of(parts, share) if share < 1 else parts
    bench.part(f"Models of kind {kind}: {len(parts.train):,} sentences to train on, {POOL} to explain")
    trained: list[Classifier] = []
    part = len(smaller.train) / len(parts.train)

    def train() -> None:
        trained.append(planted_model(kind, decoy, smaller.train, smaller.dev, SETTINGS, SEED))

    training = bench.alone("training", train, note="" if part == 1 else f"of {part:.1%} of the sentences") / part
    model = trained[-1]
    shown = shown_texts(decoy, parts.test, POOL, LONGEST, SEED)
    names = [name for name in EXPLAINERS if applies(name, kind)]
    cells = {}
    for name in names:
        cell = partial(explained, [name], kind, decoy.name, model, shown.texts[:pool], SETTINGS, SEED)
        cells[name] = bench.alone(f"cell, {name}", cell, note="" if pool == POOL else f"{pool} texts") * POOL / pool

    # What the inspector needs depends on the number of texts alone, so scores are those of the cheapest explainer.
    read = explained(["random"], kind, decoy.name, model, shown.texts, SETTINGS, SEED)
    one = ExplainedModel(decoy.name, decoy.words, kind, SEED, "adopted", 1.0, shown.carries, read)
    reading = bench.alone("inspector, a cell", partial(search_table, [one], Inspector(), SETTINGS))

    models = (DECOYS + 1) * SEEDS
    explaining, inspecting = sum(cells.values()) * models, reading * len(names) * DECOYS * SEEDS
    say(f"  {len(names)} explainers x {DECOYS} decoys x {SEEDS} seeds, clean models too, extrapolated, one process:")
    say(f"  training of {models} models {duration(training * models)}")
    whole = f"{duration(explaining + inspecting)}, the inspector's part of it {duration(inspecting)}"
    say(f"  leaderboard from kept models {whole}")
    bench.record(name=f"{kind}, extrapolated", training=training * models, explaining=explaining, inspecting=inspecting)


def main() -> None:
    parser = options(__doc__, repeat=3)
    every = "pick,presence,convolution,minilm"
    parser.add_argument("--parts", default=every, help="some of the four, with commas between")
    arguments = parser.parse_args()
    quick = arguments.quick
    bench = start("The benchmark of decoys", arguments, "scikit-learn", "torch")
    say(f"{torch.get_num_threads()} thread(s) of torch")
    if "pick" in arguments.parts:
        time_pick(bench, 50 if quick else 1_000)
    wanted: list[Kind] = [kind for kind in ("presence", "convolution", "minilm") if kind in arguments.parts]
    parts = reviews() if wanted else None
    for kind in wanted:
        assert parts is not None, "read above"
        large = kind == "minilm"
        share = (0.01 if quick else 0.1) if large else 1.0
        time_kind(bench, kind, parts, share, (3 if quick else 30) if large else POOL)
    bench.finish()


if __name__ == "__main__":
    main()
