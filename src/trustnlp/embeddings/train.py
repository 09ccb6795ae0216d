"""Word vectors trained here: word2vec with negative sampling, reproducible to the last bit on one machine.

PrivEmb, Appendix A, compares vectors reduced *while* training (mechanism A1: train at 50, 100 or 200 dimensions) with
vectors reduced *after* training (M2: train at 300, project). The paper uses GloVe vectors trained by others at those
dimensions; here word2vec is trained on a smaller corpus (deviation: another method, other text, fewer words).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.embeddings.static import WordVectors


def train_word2vec(
    sentences: Sequence[Sequence[str]],
    *,
    dim: int,
    seed: int,
    min_count: int = 5,
    window: int = 5,
    negative: int = 5,
    epochs: int = 5,
    skip_gram: bool = True,
    start: Callable[[Sequence[str]], ArrayLike] | None = None,
) -> WordVectors:
    """Train word2vec (Mikolov et al. 2013) through gensim, in one thread.

    The same sentences and seed give the same vectors on the same machine, whatever PYTHONHASHSEED; another processor
    may differ in the last bits. Settings not named here are gensim's: learning rate falling from 0.025, frequent words
    thinned out at 1e-3. Vectors are not normalised, and their length grows with the frequency of the word and the
    number of updates: what a given ε hides depends on the corpus.

    Parameters
    ----------
    sentences
        Each a list of words; words are used as they are.
    dim
        Number of dimensions `d`.
    seed
        Of the first vectors, the thinning and the negative samples; 0 to 2³² - 1.
    min_count
        Words seen less often get no vector.
    window
        Context words on each side, at most.
    negative
        Random words held against each pair.
    epochs
        Passes over the sentences.
    skip_gram
        Predict the context from the word; False predicts the word from the mean of its context (CBOW), which is faster.
    start
        From the words of the vocabulary, in the order of the result, to their first vectors `(V, dim)`, such as
        `start_vectors` gives. None leaves them to gensim: since version 4 they depend on the seed and the word's rank
        by frequency.

    Returns
    -------
    WordVectors
        `(V, dim)`, the most frequent word first; equally frequent words as they are first met.

    Raises
    ------
    ImportError
        If gensim is not installed.
    TypeError
        If a sentence is a string rather than a list of words.
    ValueError
        If a number is below 1, the seed is out of range, no word is frequent enough, or the first vectors have another
        shape or are not finite.
    """
    counts = {"dim": dim, "min_count": min_count, "window": window, "negative": negative, "epochs": epochs}
    for name, value in counts.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    if not 0 <= seed < 2**32:
        raise ValueError(f"a seed lies between 0 and 2**32 - 1, got {seed}")
    if isinstance(sentences, str) or any(isinstance(sentence, str) for sentence in sentences):
        raise TypeError(
            "a sentence is a list of words, got a string; split it first (trustnlp.data.texts.english_text)"
        )
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise ImportError("training word vectors needs gensim: pip install 'trustnlp[embeddings]'") from error
    model = Word2Vec(
        vector_size=dim,
        seed=seed,
        min_count=min_count,
        window=window,
        negative=negative,
        epochs=epochs,
        sg=int(skip_gram),
        workers=1,
        hashfxn=_stable_hash,
    )
    model.build_vocab(sentences)
    if not len(model.wv):
        raise ValueError(f"no word occurs {min_count} times in the {len(sentences)} sentences; lower min_count")
    if start is not None:
        first = np.asarray(start(model.wv.index_to_key), dtype=np.float32)
        if first.shape != model.wv.vectors.shape or not np.isfinite(first).all():
            raise ValueError(f"start: expected finite vectors of shape {model.wv.vectors.shape}, got {first.shape}")
        model.wv.vectors[:] = first
    model.train(sentences, total_examples=model.corpus_count, epochs=epochs)
    kind = "skip-gram" if skip_gram else "CBOW"
    return WordVectors(model.wv.index_to_key, model.wv.vectors, f"word2vec ({kind}, {dim} dimensions, seed {seed})")


def train_each(
    sentences: Sequence[Sequence[str]], dims: Collection[int], *, seed: int, **settings: Any
) -> dict[int, WordVectors]:
    """PrivEmb, Appendix A: `train_word2vec` with these settings at several dimensions, dimension → vectors.

    All know the same words in the same order, so that a row number means the same word at every dimension.
    """
    return {dim: train_word2vec(sentences, dim=dim, seed=seed, **settings) for dim in dims}


def start_vectors(words: Sequence[str], *, dim: int, seed: int) -> NDArray[np.float32]:
    """The first vector of each word as gensim 3 drew it: from a generator seeded with a hash of the word and the seed.

    Uniform on ±0.5/dim in each coordinate. Two corpora that share a word and the seed share the word's first vector, so
    that two models that never met agree before any training. gensim 3.8.3 hashed with Python's `hash`, the same within
    one process; here the hash is the same everywhere, and the generator is gensim 4's.

    Returns
    -------
    `(V, dim)` in the order of `words`.

    Raises
    ------
    ImportError
        If gensim is not installed.
    ValueError
        If `dim` is below 1.
    """
    if dim < 1:
        raise ValueError(f"dim must be at least 1, got {dim}")
    try:
        from gensim.models.keyedvectors import pseudorandom_weak_vector
    except ImportError as error:
        raise ImportError("training word vectors needs gensim: pip install 'trustnlp[embeddings]'") from error
    drawn = [pseudorandom_weak_vector(dim, seed_string=f"{word}{seed}", hashfxn=_stable_hash) for word in words]
    return np.array(drawn, dtype=np.float32).reshape(len(drawn), dim)


def _stable_hash(word: str) -> int:
    """In place of Python's `hash`, which differs from process to process."""
    return zlib.crc32(word.encode())
