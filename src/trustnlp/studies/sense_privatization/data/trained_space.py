"""word2vec by the paper's settings, trained once on this book's English text and kept.

Arnold, Yesilbas and Weinzierl (2023), §3: 300 dimensions, window 3, minimum count 5, on a dump of Wikipedia, its
words aligned with those of GloVe. Deviation: other and less text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import numpy as np

from trustnlp.data.store import hashes
from trustnlp.data.texts.english_text import read_english
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.static import WordVectors
from trustnlp.embeddings.train import train_word2vec
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.training.whole_files import reading, scratch_for

DIM, WINDOW, MIN_COUNT = 300, 3, 5


def trained_on(
    corpora: Sequence[str], *, epochs: int = 5, skip_gram: bool = False, dim: int = DIM, seed: int = 0
) -> WordVectors:
    """word2vec by the paper's settings, of the words that GloVe knows; taken from the cache where it has been trained.

    CBOW and five passes are choices: the paper says neither. Both are sensegram's defaults, whose method §3 follows.
    """
    asked = {"epochs": epochs, "skip_gram": skip_gram, "dim": dim, "seed": seed, "window": WINDOW, "count": MIN_COUNT}
    texts = {name: hashes(name) for name in corpora}
    digest = hashlib.sha256(json.dumps([asked, texts], sort_keys=True).encode()).hexdigest()
    path = results_of("trustnlp.studies.sense_privatization.data.trained_space") / f"{digest[:16]}.npz"
    if not path.exists():
        known = set(read_vectors("glove_6b_50d").words)
        made = train_word2vec(
            read_english(corpora),
            dim=dim,
            seed=seed,
            min_count=MIN_COUNT,
            window=WINDOW,
            epochs=epochs,
            skip_gram=skip_gram,
        )
        kept = made.restrict([word for word in made.words if word in known])
        with scratch_for(path) as part, part.open("wb") as file:
            np.savez(file, words=np.array(kept.words), matrix=kept.matrix)
    with reading(path), np.load(path, allow_pickle=False) as file:
        return WordVectors(file["words"].tolist(), file["matrix"], f"word2vec, {dim} dimensions")
