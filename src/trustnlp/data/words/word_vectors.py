"""Readers of the word-vector sets of the registry, each into `WordVectors`."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np

from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch
from trustnlp.data.unpickle import ARRAYS, Attributes, ListedUnpickler
from trustnlp.data.words.mapped_vectors import read_glove_6b
from trustnlp.embeddings.static import WordVectors

_GENSIM = {f"gensim.models.keyedvectors.{name}": Attributes for name in ("Word2VecKeyedVectors", "Vocab")}


def read_vectors(name: str, *others: str) -> WordVectors:
    """Fetch and read one of the registry's word-vector sets, with the words that only `others` have joined to it.

    Parameters
    ----------
    name
        `wefe_googlenews` (word2vec, 13,013 words), `googlenews_8000` (word2vec, frequent words),
        `glove_840b_weat_exact` (GloVe, stimuli of tests 1 and 7), `glove_840b_9910` (GloVe, quantised to 8 bits and
        lower-cased by its author), or `glove_6b_50d` (GloVe, all 400,000 words in 50 dimensions, mapped from the
        cache and not held in memory).

    Raises
    ------
    DataError
        If it is not a word-vector set, or it cannot be fetched.
    ValueError
        If the sets differ in their number of dimensions.
    """
    joined = _read(name)
    for other in others:
        joined = joined.join(_read(other))
    return joined


def _read(name: str) -> WordVectors:
    if name == "glove_6b_50d":
        return WordVectors(*read_glove_6b(), name)
    if name not in _READERS:
        known = ", ".join(sorted([*_READERS, "glove_6b_50d"]))
        raise DataError(f"{name!r} is not a set of word vectors; choose from {known}")
    return WordVectors(*_READERS[name](fetch(name)["vectors"]), name)


def _read_keyed_vectors(path: Path) -> tuple[list[str], np.ndarray]:
    """A pickled gensim `KeyedVectors` (format of gensim 3: words in `index2word`)."""
    with path.open("rb") as stream:
        loaded = ListedUnpickler(stream, {**ARRAYS, **_GENSIM}).load()
    return loaded.index2word, loaded.vectors


def _read_text(path: Path) -> tuple[list[str], np.ndarray]:
    """GloVe's text format, xz-compressed: a word and its components per line; empty lines between them are skipped."""
    with lzma.open(path, "rt", encoding="utf-8") as stream:
        rows = [line.split() for line in stream if line.strip()]
    return [row[0] for row in rows], np.array([row[1:] for row in rows], dtype=np.float64)


def _read_half(path: Path) -> tuple[list[str], np.ndarray]:
    """A numpy archive with `words` `(V,)` and `vectors` `(V, d)` in half precision."""
    with np.load(path, allow_pickle=False) as archive:
        return archive["words"].tolist(), archive["vectors"].astype(np.float32)


def _read_quantised(path: Path) -> tuple[list[str], np.ndarray]:
    """A numpy archive with 8-bit codes `q` `(V, d)`: value = code × scale + offset.

    The scale and the offset are those refitted on exact vectors, stored beside the ones its author published, which
    are biased because the codes were truncated rather than rounded.
    """
    with np.load(path, allow_pickle=False) as archive:
        codes = archive["q"].astype(np.float64)
        return archive["words"].tolist(), codes * float(archive["scale"]) + float(archive["offset"])


_READERS: dict[str, Callable[[Path], tuple[list[str], np.ndarray]]] = {
    "wefe_googlenews": _read_keyed_vectors,
    "glove_840b_weat_exact": _read_text,
    "glove_840b_9910": _read_quantised,
    "googlenews_8000": _read_half,
}
