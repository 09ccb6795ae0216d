"""Sentence classification on averaged word vectors, by the protocol of SentEval (Conneau and Kiela, 2018).

Feyisetan and Kasiviswanathan (2021), §5.4 and Table 1: private word vectors replace those of a bag-of-words encoder,
and a logistic regression is trained on the averages. The protocol depends on the splits of the set:

train
    Nested cross-validation (MR, CR, MPQA): ten outer folds; the L2 penalty of each is chosen inside its training part.
train, test
    The penalty is chosen by ten-fold cross-validation on train (TREC).
train, dev, test
    The penalty is chosen on dev (SST).

In every case the classifier with the chosen penalty is trained on the training part and nothing else.

SentEval reports two accuracies: `devacc`, which chose the penalty, and `acc` on the test part. Here a third stands
beside them, the accuracy on the rows the classifier was fitted to. Table 1's "TRAIN ACC" may be the first or the third.

Deviations from SentEval: (1) The inner folds of an outer fold are the other nine outer folds instead of ten new ones.
The fit without folds `i` and `j` then serves both of them, and 55 fits per penalty do the work of 110; on MR this moves
the accuracy by about a tenth of a point. (2) The penalties span a wider range and apply to features of unit scale (one
shift and one factor for all rows, from those of `train`, labels unseen), so that no mechanism is at a disadvantage for
the size of its vectors. Where `train` is the only split, these are all rows of the set: the held-out rows of a fold,
though not their labels, take part in the two. (3) SentEval's published settings fit by stochastic gradient descent with
early stopping; here the optimum is found, as in its scikit-learn mode. (4) A sentence without a known word gets the
zero vector instead of the vector of ".", which not all vectors have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.evaluation.logistic_path import fit_path, predict

Floats32 = NDArray[np.float32]
Labels = NDArray[np.int64]

# λ of `λ/2 ‖w‖²` added to the summed loss, strongest first: on ties the first is taken, as SentEval does.
PENALTIES = (16384.0, 4096.0, 1024.0, 256.0, 64.0, 16.0)


@dataclass(frozen=True)
class SplitAccuracies:
    """Accuracies between 0 and 1, each the mean over the folds where there are folds.

    Attributes
    ----------
    train
        On the rows the final classifier was fitted to.
    validation
        The one that chose the penalty: the best over all penalties, and therefore a little too high.
    test
        On rows that nothing was chosen or fitted by.
    penalties
        The penalty chosen, one per outer fold (one in all where the test rows are given).
    """

    train: float
    validation: float
    test: float
    penalties: tuple[float, ...]


def evaluate(
    features: Mapping[str, ArrayLike],
    labels: Mapping[str, ArrayLike],
    *,
    rng: np.random.Generator,
    folds: int = 10,
    penalties: Sequence[float] = PENALTIES,
) -> SplitAccuracies:
    """Accuracies by SentEval's protocol; which one follows from the splits there are (see the head of this module).

    Parameters
    ----------
    features
        `(n, d)` by split: `train`, or `train` and `test`, or `train`, `dev` and `test`. All are centred and scaled
        as one by the rows of `train`; where there is no other split, that is by all rows of the set, of every fold.
    labels
        `(n,)` integers `0..k-1` for the same splits.
    rng
        Draws the folds.
    folds
        Number of folds, at least 3 where train is the only split, else 2. Unused where dev is given.
    penalties
        `λ` to choose from, strongest first: on ties the first is taken.

    Raises
    ------
    ValueError
        If given other splits, shapes that do not fit, features that are not finite, or a class too rare for the folds.
    """
    x, y = _checked(features, labels)
    if not penalties or not all(0 < penalty < np.inf for penalty in penalties):
        raise ValueError(f"penalties must be positive numbers, got {tuple(penalties)}")
    # Every fit must see every class, and a nested one leaves two folds out.
    needed = 1 if "dev" in x else 2 if "test" in x else 3
    counts = np.bincount(y["train"], minlength=1 + max(int(split.max()) for split in y.values()))
    if len(counts) < 2 or counts.min() < needed:
        raise ValueError(f"needs two classes or more and {needed} training rows of each, got {counts.tolist()}")
    if "dev" in x:
        return _given_dev(x, y, penalties)
    fold = _folds(y["train"], folds, needed, rng)
    return _given_test(x, y, fold, penalties) if "test" in x else _nested(x["train"], y["train"], fold, penalties)


def majority(labels: Mapping[str, ArrayLike]) -> float:
    """Accuracy of always answering the most frequent label of train: on test, or on train where there is no test.

    >>> majority({"train": [0, 1, 1], "test": [1, 0, 1, 1]})
    0.75
    """
    most = int(np.bincount(np.asarray(labels["train"])).argmax())
    return float((np.asarray(labels.get("test", labels["train"])) == most).mean())


def _nested(X: Floats32, y: Labels, fold: Labels, penalties: Sequence[float]) -> SplitAccuracies:
    """Outer fold `i` is tested by the fit without it; its penalty is chosen by the fits without `i` and `j`, on `j`."""
    k = int(fold.max()) + 1
    out = np.array([fold == i for i in range(k)]).T  # (n, k)
    pairs = [(i, j) for i in range(k) for j in range(i)]
    subsets = np.concatenate([~out, np.stack([~(out[:, i] | out[:, j]) for i, j in pairs], axis=1)], axis=1)
    train, validation, test = (np.empty((len(penalties), k)) for _ in range(3))
    for p, weights in enumerate(fit_path(X, y, subsets, penalties)):
        right = predict(X, weights) == y[:, None]
        inner = np.zeros(k)
        for column, (i, j) in enumerate(pairs, start=k):
            inner[i] += right[out[:, j], column].mean()
            inner[j] += right[out[:, i], column].mean()
        validation[p] = inner / (k - 1)
        train[p] = [right[~out[:, i], i].mean() for i in range(k)]
        test[p] = [right[out[:, i], i].mean() for i in range(k)]
    best = validation.argmax(axis=0)
    train, validation, test = (scores[best, np.arange(k)] for scores in (train, validation, test))
    chosen = tuple(float(penalties[index]) for index in best)
    return SplitAccuracies(float(train.mean()), float(validation.mean()), float(test.mean()), chosen)


def _given_test(
    x: dict[str, Floats32], y: dict[str, Labels], fold: Labels, penalties: Sequence[float]
) -> SplitAccuracies:
    k = int(fold.max()) + 1
    out = np.array([fold == i for i in range(k)] + [np.zeros(len(fold), dtype=bool)]).T  # (n, k + 1)
    scores = []
    for weights in fit_path(x["train"], y["train"], ~out, penalties):
        right = predict(x["train"], weights) == y["train"][:, None]
        validation = float(np.mean([right[out[:, i], i].mean() for i in range(k)]))
        test = (predict(x["test"], weights[:, -1:])[:, 0] == y["test"]).mean()
        scores.append((float(right[:, -1].mean()), validation, float(test)))
    return _best(scores, penalties)


def _given_dev(x: dict[str, Floats32], y: dict[str, Labels], penalties: Sequence[float]) -> SplitAccuracies:
    everything = np.ones((len(y["train"]), 1), dtype=bool)
    scores = []
    for weights in fit_path(x["train"], y["train"], everything, penalties):
        train, dev, test = ((predict(x[s], weights)[:, 0] == y[s]).mean() for s in ("train", "dev", "test"))
        scores.append((float(train), float(dev), float(test)))
    return _best(scores, penalties)


def _best(scores: list[tuple[float, float, float]], penalties: Sequence[float]) -> SplitAccuracies:
    """The row of `(train, validation, test)` whose validation accuracy is largest, the first on ties."""
    best = max(range(len(scores)), key=lambda index: scores[index][1])
    return SplitAccuracies(*scores[best], (float(penalties[best]),))


def _folds(y: Labels, folds: int, fewest: int, rng: np.random.Generator) -> Labels:
    """`(n,)` a fold for every row: each class is shuffled and dealt out, going on where the last class ended."""
    if not fewest <= folds <= len(y):
        raise ValueError(f"{len(y)} training rows need {fewest} to {len(y)} folds, got {folds}")
    order = rng.permutation(len(y))
    order = order[np.argsort(y[order], kind="stable")]
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % folds
    return fold


def _checked(
    features: Mapping[str, ArrayLike], labels: Mapping[str, ArrayLike]
) -> tuple[dict[str, Floats32], dict[str, Labels]]:
    """Features of unit scale and labels, by split."""
    if set(features) != set(labels) or set(features) not in ({"train"}, {"train", "test"}, {"train", "dev", "test"}):
        raise ValueError(
            "expected the splits train, or train and test, or train, dev and test, the same for features and labels; "
            f"got {sorted(features)} and {sorted(labels)}"
        )
    x = {split: np.asarray(rows, dtype=np.float64) for split, rows in features.items()}
    y: dict[str, Labels] = {}
    for split, rows in x.items():
        classes = np.asarray(labels[split])
        if rows.ndim != 2 or classes.shape != (len(rows),) or rows.shape[1] != x["train"].shape[1] or not len(rows):
            raise ValueError(
                f"{split}: expected features (n, d) and labels (n,) with the same d in every split, got {rows.shape} "
                f"and {classes.shape}"
            )
        if not np.isfinite(rows).all():
            raise ValueError(f"{split}: a feature is NaN or infinite; look for it upstream")
        if not np.issubdtype(classes.dtype, np.integer) or classes.min() < 0:
            raise ValueError(f"{split}: labels are integers from 0, got {classes.dtype} values from {classes.min()}")
        y[split] = classes.astype(np.int64)
    centre = x["train"].mean(axis=0)
    scale = float(np.sqrt(np.square(x["train"] - centre).mean())) or 1.0
    return {split: ((rows - centre) / scale).astype(np.float32) for split, rows in x.items()}, y
