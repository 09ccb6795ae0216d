"""The classifiers whose errors are characterised: as notebooks ask for them, what they answer, how they learn again.

Misra, Liu and Mahmud (2021), §3.2: a network trained on weighted film reviews, which can also be trained without
weights, for they may be why the paper's base falls below always saying "negative"; and what the paper names as the next
step ("the framework can be easily adapted to more advanced state of the art classifiers such as
BERT"): here a logistic regression on states of MiniLM, which stays as it is.

§5: what was labelled is added to the reviews, and the base is trained again. The paper plans this with its network,
which takes minutes a training; a loop needs thousands. Deviation: the base of a loop is the regression on states, and a
training takes a fraction of a second, since it starts from the round before. Where the base errs is only known on texts
that it has not learned from: `unseen_probabilities` asks for each labelled text a base that was trained without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from trustnlp.data.texts.sentence_sets import SentenceSet
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.encoders.pretrained import load_encoder
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.training.kept_classifiers import BaseClassifier, CnnRecipe, train_cnn, train_on_states

Kind = Literal["cnn", "minilm"]
Floats = NDArray[np.float64]


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
        If one of them is missing.
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
    return results_of(__name__) if parameters["profile"] == "paper" else None


Labels = NDArray[np.int64]
_STEPS = 1_000  # of the search, at most


def untrained() -> LogisticRegression:
    """The base before it has seen a text; labels count the same, all their texts together."""
    return LogisticRegression(C=1.0, class_weight="balanced", max_iter=_STEPS, warm_start=True)


def trained_again(states: Floats, labels: Labels, before: LogisticRegression | None = None) -> LogisticRegression:
    """The weighted base on all its texts, as `train_on_states` fits it.

    Parameters
    ----------
    states, labels
        `(n, d)` and `(n,)`.
    before
        An earlier base of the same labels, from which the search begins. It is left as it is, and changes the result by
        no more than the tolerance of the search.
    """
    regression = untrained()
    if before is not None:
        regression.coef_, regression.intercept_ = before.coef_.copy(), before.intercept_.copy()
    return regression.fit(states, labels)


def unseen_probabilities(
    always: tuple[Floats, Labels],
    labelled: tuple[Floats, Labels],
    base: LogisticRegression,
    *,
    folds: int,
    rng: np.random.Generator,
) -> Floats:
    """Probabilities `(n, c)` of labelled texts, each by a base that learned from the other folds.

    Parameters
    ----------
    always
        States and labels that every base learns from: reviews.
    labelled
        Those of the `n` texts, which are divided.
    base
        Trained on all of them; where the searches begin.
    folds
        Two or more.
    rng
        Of the folds.

    Raises
    ------
    ValueError
        If there are fewer labelled texts than folds.
    """
    states, labels = labelled
    if len(labels) < folds:
        raise ValueError(f"{len(labels)} labelled texts cannot be divided in {folds} folds; label more before the loop")
    fold_of = np.empty(len(labels), dtype=np.int64)
    # In turn within each label, so that a rare one is in every fold.
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    fold_of[order] = np.arange(len(labels)) % folds
    probabilities = np.empty((len(labels), len(base.classes_)))
    for fold in range(folds):
        seen, unseen = fold_of != fold, fold_of == fold
        own = trained_again(np.concatenate([always[0], states[seen]]), np.concatenate([always[1], labels[seen]]), base)
        probabilities[unseen] = own.predict_proba(states[unseen])
    return probabilities
