"""Speed of the chapter on nine languages: trainings two at once or one after the other, and the nulls of a direction.

    python benchmarks/bench_languages.py
    python benchmarks/bench_languages.py --quick                 # a tenth of the tokens
    python benchmarks/bench_languages.py --parts nulls

Trainings: made text of 200,000 tokens in each of nine languages, CBOW, 100 dimensions, five epochs. Ours trains two
languages at once, each in a process of its own with one gensim worker, so that a seed decides every bit. The peer
trains one language after the other with two gensim workers, whose result depends on the order in which they meet.

Nulls: 50,000 random vectors of 100 dimensions. Timed are the projection of the vocabulary and 1,000 random sets of
seven pairs, with their shares and directions, beside the same sets one by one with scikit-learn's PCA.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence

import numpy as np
from _timing import Bench, options, start
from gensim.models import Word2Vec
from sklearn.decomposition import PCA

from trustnlp.bias.direction_nulls import random_pair_shares
from trustnlp.bias.pair_directions import gender_direction
from trustnlp.data.gender_words import WORD_LANGUAGES
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.kept_trainings import Training, trained
from trustnlp.studies.gender_bias_languages.planted_languages import planted_language

TRAINING, TOKENS, WORDS, DRAWS, ALONE = Training(), 200_000, 50_000, 1000, 100
_made: dict[str, list[list[list[str]]]] = {}  # what forked workers inherit: a text is larger than its training


def train_one(language: str) -> int:
    return len(trained(_made[language], TRAINING, 0))


def two_at_once() -> None:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(train_one, list(_made), chunksize=1)


def one_after_the_other() -> None:
    for texts in _made.values():
        sentences = [sentence for text in texts for sentence in text]
        Word2Vec(
            sentences, vector_size=TRAINING.dim, epochs=TRAINING.epochs, min_count=TRAINING.min_count, seed=0, workers=2
        )


def trainings(bench: Bench, tokens: int) -> None:
    for language in WORD_LANGUAGES:
        _made[language] = planted_language(language, tokens=tokens, rng=np.random.default_rng(0)).texts
    bench.part(f"Nine trainings of {tokens:,} tokens")
    bench.pair("one after the other, two gensim workers", one_after_the_other, two_at_once, note="ours: two at once")


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

    vectors.unit  # noqa: B018  (made at first use, and kept)
    bench.alone("projection and null", ours)
    bench.pair(
        "scikit-learn, set by set", lambda: one_by_one(vectors, ALONE, pairs), ours, scale=DRAWS / ALONE,
        note=f"from {ALONE} sets",
    )  # fmt: skip


def main() -> None:
    parser = options(__doc__, repeat=3)
    parser.add_argument("--parts", nargs="+", choices=["trainings", "nulls"], default=["trainings", "nulls"])
    arguments = parser.parse_args()
    bench = start("Nine languages", arguments, "numpy", "gensim", "scikit-learn")
    if "trainings" in arguments.parts:
        trainings(bench, TOKENS // 10 if arguments.quick else TOKENS)
    if "nulls" in arguments.parts:
        nulls(bench)
    bench.finish()


if __name__ == "__main__":
    main()
