"""Speed of the chapter on nine languages: trainings two at once or one after the other, bootstrap, and nulls.

    python benchmarks/bench_languages.py
    python benchmarks/bench_languages.py --quick                 # a tenth of the tokens, one seed, five samples
    python benchmarks/bench_languages.py --parts nulls           # of three parts

Trainings: made text of 200,000 tokens in each of nine languages, CBOW, 100 dimensions, five epochs, five seeds. Ours
trains two at once, each in a process of its own with one gensim worker, so that a seed decides every bit. The peer
trains one after the other with two gensim workers, whose result depends on the order in which they meet.

Bootstrap: fifty samples of one language's documents, each drawn, trained and measured with its nulls; ours two at once,
the peer one after the other.

Nulls: 50,000 random vectors of 100 dimensions. Timed are the projection of the vocabulary and 1,000 random sets of
seven pairs, with their shares, directions and sides, beside the same sets one by one with scikit-learn's PCA.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from _timing import Bench, options, start
from gensim.models import Word2Vec
from sklearn.decomposition import PCA

from trustnlp.bias.gender_direction.direction_nulls import random_pair_shares, random_side_means
from trustnlp.bias.gender_direction.language_bias import gender_bias
from trustnlp.bias.gender_direction.pair_directions import gender_direction
from trustnlp.data.texts.corpus_documents import resample_documents
from trustnlp.data.words.gender_words import WORD_LANGUAGES
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.models import Training, trained
from trustnlp.studies.gender_bias_languages.standins import planted_language

TRAINING, TOKENS, SEEDS, SAMPLES = Training(), 200_000, 5, 50
WORDS, DRAWS, ALONE = 50_000, 1000, 100
RESAMPLED = "es"
_made: dict[str, list[list[list[str]]]] = {}  # what forked workers inherit: a text is larger than its training


def train_one(job: tuple[str, int]) -> int:
    language, seed = job
    return len(trained(_made[language], TRAINING, seed))


def two_at_once(work: Callable[[Any], int], jobs: Sequence[Any]) -> None:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(work, jobs, chunksize=1)


def one_after_the_other(jobs: Sequence[tuple[str, int]]) -> None:
    for language, seed in jobs:
        sentences = [sentence for text in _made[language] for sentence in text]
        Word2Vec(
            sentences, vector_size=TRAINING.dim, epochs=TRAINING.epochs, min_count=TRAINING.min_count, seed=seed,
            sg=int(TRAINING.skip_gram), workers=2,
        )  # fmt: skip


def trainings(bench: Bench, tokens: int, seeds: int) -> None:
    for language in WORD_LANGUAGES:
        _made[language] = planted_language(language, tokens=tokens, rng=np.random.default_rng(0))[0]
    jobs = [(language, seed) for language in WORD_LANGUAGES for seed in range(seeds)]
    bench.part(f"{len(jobs)} trainings of {tokens:,} tokens")
    bench.pair(
        "one after the other, two gensim workers", lambda: one_after_the_other(jobs),
        lambda: two_at_once(train_one, jobs), note="ours: two at once",
    )  # fmt: skip


def resample_one(seed: int) -> int:
    rng = np.random.default_rng(seed)
    vectors = trained(resample_documents(_made[RESAMPLED], rng).texts, TRAINING, seed)
    return len(gender_bias(vectors, language=RESAMPLED, rng=rng, draws=100).professions)


def bootstrap(bench: Bench, tokens: int, samples: int) -> None:
    _made[RESAMPLED] = planted_language(RESAMPLED, tokens=tokens, rng=np.random.default_rng(0))[0]
    bench.part(f"{samples} bootstrap samples of {tokens:,} tokens, trained and measured")
    bench.pair(
        "one after the other", lambda: [resample_one(seed) for seed in range(samples)],
        lambda: two_at_once(resample_one, range(samples)), note="ours: two at once",
    )  # fmt: skip


def one_by_one(vectors: WordVectors, draws: int, pairs: Sequence[tuple[str, str]]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(draws):
        drawn = vectors.unit[rng.integers(len(vectors), size=(len(pairs), 2))]
        centred = drawn - drawn.mean(axis=1, keepdims=True)
        PCA(n_components=2).fit(centred.reshape(-1, vectors.dim))


def nulls(bench: Bench) -> None:
    rng = np.random.default_rng(0)
    vectors = WordVectors([f"w{i}" for i in range(WORDS)], rng.standard_normal((WORDS, 100)), "random")
    pairs = [(f"w{100 * i}", f"w{100 * i + 50}") for i in range(7)]
    bench.part(f"A vocabulary of {WORDS:,} words and {DRAWS:,} random sets of seven pairs")

    def ours() -> None:
        vectors.unit @ gender_direction(vectors, pairs).g.astype(np.float32)
        random_pair_shares(vectors, pairs, DRAWS, rng=np.random.default_rng(0))
        random_side_means(vectors, pairs, DRAWS, rng=np.random.default_rng(0))

    vectors.unit  # noqa: B018  (made at first use, and kept)
    bench.alone("projection and null", ours)
    bench.pair(
        "scikit-learn, set by set", lambda: one_by_one(vectors, ALONE, pairs), ours, scale=DRAWS / ALONE,
        note=f"from {ALONE} sets",
    )  # fmt: skip


def main() -> None:
    parser = options(__doc__, repeat=3)
    parts = ["trainings", "bootstrap", "nulls"]
    parser.add_argument("--parts", nargs="+", choices=parts, default=parts)
    arguments = parser.parse_args()
    bench = start("Nine languages", arguments, "numpy", "gensim", "scikit-learn")
    tokens = TOKENS // 10 if arguments.quick else TOKENS
    if "trainings" in arguments.parts:
        trainings(bench, tokens, 1 if arguments.quick else SEEDS)
    if "bootstrap" in arguments.parts:
        bootstrap(bench, tokens, SAMPLES // 10 if arguments.quick else SAMPLES)
    if "nulls" in arguments.parts:
        nulls(bench)
    bench.finish()


if __name__ == "__main__":
    main()
