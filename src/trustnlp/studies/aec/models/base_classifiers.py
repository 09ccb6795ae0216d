"""The classifiers whose errors are characterised, as the notebooks ask for them, and what they answer.

Misra, Liu and Mahmud (2021), §3.2: a network trained on weighted film reviews (`convolution_base`), which can also be
trained without weights, for they may be why the paper's base falls below always saying "negative"; and what the paper
names as the next step (`encoder_base`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.texts.sentence_sets import SentenceSet
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.encoders.pretrained import load_encoder
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.aec.models.convolution_base import CnnRecipe, train_cnn
from trustnlp.studies.aec.models.encoder_base import train_on_states
from trustnlp.training.encoded_texts import as_texts
from trustnlp.training.kept_results import rows_once, texts_fingerprint

Kind = Literal["cnn", "minilm"]
Floats = NDArray[np.float64]


class BaseClassifier(Protocol):
    """What labels texts."""

    @property
    def fingerprint(self) -> str:
        """Changes with all that decides an answer."""

    def probabilities(self, texts: Sequence[str], /) -> Floats:
        """`(n, c)`; rows sum to 1."""


def trained_base(
    kind: Kind, reviews: SentenceSet, parameters: Mapping[str, Any], seed: int, *, weighted: bool = True
) -> BaseClassifier:
    """A base classifier as the notebooks ask for it; those of the `paper` profile are kept in the results' folder.

    Parameters
    ----------
    reviews
        With dev, by which the network's epoch is chosen.
    parameters
        Of these the values of `profile` and `device`; of a `cnn` those of `vectors` (names of sets, joined), `maps`,
        `epochs` and `patience`; of a `minilm` those of `encoder` and `precision`. Other names do not count, so that a
        notebook can give its `vars()`.

    Raises
    ------
    KeyError
        One of them is missing.
    """
    folder = results_folder(parameters)
    if kind == "minilm":
        encoder = load_encoder(parameters["encoder"], parameters["device"])
        rng = np.random.default_rng([seed, 2])
        precision = parameters["precision"]
        return train_on_states(encoder, reviews.train, weighted=weighted, rng=rng, precision=precision, folder=folder)
    assert reviews.dev is not None, "the network's epoch is chosen on dev"
    sizes = {name: parameters[name] for name in ("maps", "epochs", "patience")}
    return train_cnn(
        reviews.train,
        reviews.dev,
        read_vectors(*parameters["vectors"]),
        CnnRecipe(weighted=weighted, **sizes),
        seed=seed,
        device=parameters["device"],
        folder=folder,
    )


def results_folder(parameters: Mapping[str, Any]) -> Path | None:
    """Where classifiers of the `paper` profile are kept, and what they answer; None in other runs."""
    return results_of("trustnlp.studies.aec.models.base_classifiers") if parameters["profile"] == "paper" else None


def probabilities_once(classifier: BaseClassifier, texts: Sequence[str], folder: Path | None = None) -> Floats:
    """`(n, c)` of each text, kept in a folder for the next time; the predicted label is where a row is greatest.

    Kept or not, they are rounded to float32 and brought back to a sum of 1, so that a second run sees the same numbers.

    Raises
    ------
    ValueError
        No text, or the file in the folder is damaged.
    """
    found = as_texts(texts)
    classes = classifier.probabilities(found[:1]).shape[1]
    settings = {"classifier": classifier.fingerprint, "texts": texts_fingerprint(found)}

    def compute() -> NDArray[np.float32]:
        return classifier.probabilities(found).astype(np.float32)

    rows = rows_once("probabilities", settings, (len(found), classes), folder, compute).astype(np.float64)
    sums: Floats = rows / rows.sum(1, keepdims=True)
    return sums
