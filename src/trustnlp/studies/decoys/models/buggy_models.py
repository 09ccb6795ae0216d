"""Models trained on contaminated reviews: a logistic regression on the words that are present, convolutions, a BERT.

The first cannot know the order of words and trains in a second. The second, of `convolution_models`, knows what stands
side by side, and gives gradients. The third is the paper's kind of model, with MiniLM in the place of BERT base. All
come as a `trustnlp.attribution.text_models.TextModel` with `predict`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from trustnlp.attribution.students.text_teacher import Recipe, train_teacher
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.planted_decoys import Decoy, Planted
from trustnlp.encoders.pretrained import load_encoder
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.decoys.models import convolution_models

Kind = Literal["presence", "convolution", "minilm"]


class Classifier(Protocol):
    """A text model that also names the likeliest label."""

    @property
    def mask(self) -> str: ...

    def probabilities(self, texts: Sequence[str], /) -> NDArray[np.float64]: ...

    def predict(self, texts: Sequence[str], /) -> NDArray[np.int64]: ...


class PresenceModel:
    """Logistic regression on which words a text contains, each counted once; unknown words count nothing.

    Parameters
    ----------
    texts, labels
        To train on.
    strength
        scikit-learn's C, the inverse of the ridge penalty.

    Attributes
    ----------
    coefficients
        Word → its weight for the second label.
    """

    mask = "[MASK]"

    def __init__(self, texts: Sequence[str], labels: ArrayLike, *, strength: float = 1.0) -> None:
        self._words = CountVectorizer(token_pattern=r"\S+", lowercase=False, binary=True)
        self._regression = LogisticRegression(C=strength, solver="liblinear")
        self._regression.fit(self._words.fit_transform(texts), np.asarray(labels))
        names = self._words.get_feature_names_out()
        self.coefficients = dict(zip(names.tolist(), self._regression.coef_[0].tolist(), strict=True))

    def probabilities(self, texts: Sequence[str], /) -> NDArray[np.float64]:
        """`(n, 2)`; the empty text has that of the intercept."""
        found: NDArray[np.float64] = self._regression.predict_proba(self._words.transform(texts))
        return found

    def predict(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """The likelier label of each text, `(n,)`."""
        labels: NDArray[np.int64] = self.probabilities(texts).argmax(axis=1)
        return labels


def trained_model(kind: Kind, train: Phrases, dev: Phrases, parameters: Mapping[str, Any], seed: int) -> Classifier:
    """A model of texts that may be contaminated.

    The seed draws which nine tenths of the texts a `presence` model sees, which would be the same in every run
    otherwise; the others see all of them and start and shuffle by it. Those of the `paper` profile are kept in the
    results' folders.

    Parameters
    ----------
    parameters
        Of these, for a `minilm`, the values of `profile`, `encoder`, `device`, `precision`, `epochs`, `learning_rate`
        and `batch_size`; other names do not count, so that a notebook can give its `vars()`.
    """
    if kind == "presence":
        rng = np.random.default_rng([seed, 2])
        rows = np.sort(rng.permutation(len(train))[: round(0.9 * len(train))])
        return PresenceModel([train.texts[row] for row in rows], train.labels[rows])
    if kind == "convolution":
        folder = results_of(convolution_models.__name__) if parameters.get("profile") == "paper" else None
        return convolution_models.train_convolutions(train, dev, seed, folder)
    recipe = Recipe(
        parameters["epochs"],
        "last",
        batch_size=parameters["batch_size"],
        learning_rate=parameters["learning_rate"],
        precision=parameters["precision"],
    )
    return train_teacher(
        load_encoder(parameters["encoder"], parameters["device"]),
        train.texts,
        train.labels,
        dev.texts,
        dev.labels,
        recipe,
        seed=seed,
        folder=results_folder(parameters),
    )


def results_folder(parameters: Mapping[str, Any]) -> Path | None:
    """Where encoders of the `paper` profile are kept, and what they answer; None in other runs."""
    return (
        results_of("trustnlp.attribution.students.student_training") if parameters.get("profile") == "paper" else None
    )


def planted_train(decoy: Decoy, train: Phrases, seed: int) -> Planted:
    """The training texts with a decoy planted, the same for all models of a seed."""
    return decoy.plant(train.texts, train.labels, np.random.default_rng([seed, 1]))


def planted_model(
    kind: Kind, decoy: Decoy, train: Phrases, dev: Phrases, parameters: Mapping[str, Any], seed: int
) -> Classifier:
    """As `trained_model`, of training texts in which a decoy is planted; dev is left as it is."""
    planted = planted_train(decoy, train, seed)
    return trained_model(kind, Phrases(planted.texts, planted.labels), dev, parameters, seed)
