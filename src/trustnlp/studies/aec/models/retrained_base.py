"""A base classifier that is trained again after each round of labelling: a regression on states of a frozen encoder.

Misra, Liu and Mahmud (2021), §5: what was labelled is added to the reviews, and the base is trained again. The paper
plans this with its network, which takes minutes a training; a loop needs thousands. Deviation: the base is `minilm` of
the other notebooks (`trustnlp.studies.aec.models.encoder_base`), and a training takes a fraction of a second, since it
starts from the round before.

Where the base errs is only known on texts that it has not learned from: of those that it has, it knows the answers.
`unseen_probabilities` asks for each labelled text a base that was trained without it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
_STEPS = 1_000  # of the search, at most


def untrained() -> LogisticRegression:
    """The base before it has seen a text; labels count the same, all their texts together."""
    return LogisticRegression(C=1.0, class_weight="balanced", max_iter=_STEPS, warm_start=True)


def trained_again(states: Floats, labels: Labels, before: LogisticRegression | None = None) -> LogisticRegression:
    """The weighted base on all its texts, as `encoder_base.train_on_states` fits it.

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
        Fewer labelled texts than folds.
    """
    states, labels = labelled
    if len(labels) < folds:
        raise ValueError(f"{len(labels)} labelled texts cannot be divided in {folds} folds; label more before the loop")
    fold_of = np.empty(len(labels), dtype=np.int64)
    # In turn within each label, so that a rare one is in every fold.
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    fold_of[order] = np.arange(len(labels)) % folds
    found = np.empty((len(labels), len(base.classes_)))
    for fold in range(folds):
        seen, unseen = fold_of != fold, fold_of == fold
        own = trained_again(np.concatenate([always[0], states[seen]]), np.concatenate([always[1], labels[seen]]), base)
        found[unseen] = own.predict_proba(states[unseen])
    return found
