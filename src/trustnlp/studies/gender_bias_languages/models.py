"""Word vectors of a text, trained once and kept: notebooks, bootstrap and verification ask for the same ones.

Matthews et al. (2021) state no settings. Chosen here: CBOW with gensim, window 5, five negative samples, words seen at
least five times. A kept training is found again by its settings, its seed and a digest of its text, so a run that was
cut off goes on where it stopped, and workers that share a cache share the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from trustnlp.data.texts.corpus_documents import Sentences
from trustnlp.embeddings.static import WordVectors
from trustnlp.embeddings.train import train_word2vec
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.training.kept_results import json_once, rows_once, texts_fingerprint


@dataclass(frozen=True)
class Training:
    """Settings of word2vec, and whether its vectors are kept in the cache."""

    dim: int = 100
    epochs: int = 5
    min_count: int = 5
    skip_gram: bool = False
    kept: bool = False


def trained(texts: Sequence[Sentences], training: Training, seed: int) -> WordVectors:
    """Word vectors of the documents, in the order given; read from the cache if they are kept and were trained before.

    Raises
    ------
    ValueError
        If no word is frequent enough, or a kept file is damaged.
    """
    sentences = [sentence for text in texts for sentence in text]
    settings: dict[str, Any] = asdict(training) | {"seed": seed}

    @cache
    def train() -> WordVectors:
        return train_word2vec(sentences, **settings)

    if not settings.pop("kept"):
        return train()
    key = settings | {"text": texts_fingerprint([" ".join(sentence) for sentence in sentences])}
    folder = results_of(__name__)
    words = json_once("words", key, folder, lambda: train().words)
    rows = rows_once("vectors", key, (len(words), training.dim), folder, lambda: train().matrix)
    return WordVectors(words, rows, f"word2vec ({training.dim} dimensions, seed {seed})")
