"""fastText's supervised vectors as the released script trains them, trained once and kept.

The script gives a classifier whole documents, 100 passes and a rate of .2. `Training(supervised=True)` of
`kept_vectors` is the other reading, which the post leaves open just as well: a paragraph is an example, with as many
passes as the other methods have.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trustnlp.embeddings.polarised.polarised_classifier import train_supervised
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.polarizedtext.models.kept_vectors import Contexts, Floats, KeptVectors
from trustnlp.training.kept_results import rows_once, texts_fingerprint

DIM, EPOCHS, RATE = 50, 100, 0.2


def supervised_once(documents: Contexts, owners: Sequence[str], seed: int, profile: str) -> KeptVectors:
    """Vectors of the words of these documents and of their owners, kept in the `paper` profile."""
    labels = sorted(set(owners))
    words = sorted({word for document in documents for line in document for word in line})
    settings = {
        "dim": DIM,
        "epochs": EPOCHS,
        "learning_rate": RATE,
        "seed": seed,
        "texts": texts_fingerprint([" ".join(line) for document in documents for line in document]),
        "owners": texts_fingerprint(owners),
    }

    def compute() -> Floats:
        found = train_supervised(
            documents, owners, dim=DIM, epochs=EPOCHS, learning_rate=RATE, ngrams=(0, 0), seed=seed
        )
        axes = np.stack([found.axis(label) for label in labels])
        return np.concatenate([found.stack(words), axes]).astype(np.float32)

    folder = results_of(__name__) if profile == "paper" else None
    rows = rows_once("supervised", settings, (len(words) + len(labels), DIM), folder, compute)
    return KeptVectors(words, labels, rows[: len(words)], rows[len(words) :])
