"""gensim's FastText at the settings of our skip-gram, trained once and kept: a baseline written by others.

Window, negative samples in proportion to the square root of counts, thinning, n-grams, rate and passes are those of
`train_polarised` without a field. Documents come in the same random order. What is left is gensim's own:
the mean that a word is trained with leaves its own row out of the divisor. That makes it the stronger of the two: our
loop with that divisor has gensim's areas. fastText of 2016, which the post changed, counts the row, and so do we.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.polarizedtext.models.kept_vectors import Contexts, Floats, KeptVectors
from trustnlp.training.kept_results import rows_once, texts_fingerprint

DIM = 50
SETTINGS = {
    "window": 5, "negative": 5, "ns_exponent": 0.5, "alpha": 0.05, "min_alpha": 0.0001, "sample": 1e-4,
    "min_n": 3, "max_n": 6, "bucket": 2_000_000, "min_count": 1, "sg": 1, "hs": 0, "workers": 1,
}  # fmt: skip


def gensim_once(documents: Contexts, owners: Sequence[str], epochs: int, seed: int, profile: str) -> KeptVectors:
    """Vectors of the words of these documents, without axes, kept in the `paper` profile.

    Raises
    ------
    ImportError
        gensim is not installed.
    """
    words = sorted({word for document in documents for line in document for word in line})
    settings = {
        **SETTINGS,
        "epochs": epochs,
        "seed": seed,
        "texts": texts_fingerprint([" ".join(line) for document in documents for line in document]),
        "owners": texts_fingerprint(owners),
    }

    def compute() -> Floats:
        from gensim.models import FastText

        order = np.random.default_rng(seed).permutation(len(documents))
        lines = [list(line) for at in order for line in documents[at]]
        found = FastText(lines, vector_size=DIM, epochs=epochs, seed=seed, **SETTINGS)
        return np.stack([found.wv[word] for word in words]).astype(np.float32)

    folder = results_of(__name__) if profile == "paper" else None
    rows = rows_once("gensim", settings, (len(words), DIM), folder, compute)
    return KeptVectors(words, (), rows, np.zeros((0, DIM), dtype=np.float32))
