"""Scores of relation extraction: micro and macro precision, recall and F1, which leave `no_relation` out.

Zhang et al. (2017), TACRED's scorer: a prediction counts if it is a relation, an item is to be found if its label is
one, and it is found if both are the same. Tang and Surdeanu (2021), §4, report the micro scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.files.label_spellings import check_one_spelling
from trustnlp.files.same_rows import in_one_order


class RelationScores(NamedTuple):
    """In per cent; 0 where nothing was predicted or nothing was to be found."""

    precision: float
    recall: float
    f1: float


def relation_scores(gold: Sequence[str], predicted: Sequence[str]) -> RelationScores:
    """Micro precision, recall and F1.

    Parameters
    ----------
    gold, predicted
        `(n,)` labels, `no_relation` among them.

    Raises
    ------
    ValueError
        If there are no items, not one prediction for each, or one label in two spellings.

    >>> relation_scores(["r", "r", "s", "no_relation"], ["r", "no_relation", "r", "s"])
    RelationScores(precision=33.333333333333336, recall=33.333333333333336, f1=33.333333333333336)
    """
    return RelationScores(*(float(score) for score in scores_of_counts(relation_counts(gold, predicted).sum(0))))


def macro_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """The mean F1 over the relations that occur in `gold`, in per cent; errors as for `relation_scores`.

    >>> round(macro_f1(["birth", "death", "no_relation"], ["birth", "birth", "no_relation"]), 1)
    33.3
    """
    gold, predicted = _checked(gold, predicted)
    truth, guess = np.asarray(gold), np.asarray(predicted)
    scores = [
        scores_of_counts([((guess == one) & (truth == one)).sum(), (guess == one).sum(), (truth == one).sum()])[2]
        for one in sorted(set(gold) - {NO_RELATION})
    ]
    return float(np.mean(scores)) if scores else 0.0


def relation_counts(gold: Sequence[str], predicted: Sequence[str]) -> NDArray[np.int64]:
    """`(n, 3)` per item: found, predicted, to be found; their sums go to `scores_of_counts`, resampled or not.

    Raises
    ------
    ValueError
        If there are no items, not one prediction for each, or one label in two spellings.
    """
    gold, predicted = _checked(gold, predicted)
    truth, guess = np.asarray(gold), np.asarray(predicted)
    wanted = truth != NO_RELATION
    return np.stack([wanted & (truth == guess), guess != NO_RELATION, wanted], axis=1).astype(np.int64)


def scores_of_counts(counts: ArrayLike) -> NDArray[np.float64]:
    """`(..., 3)` precision, recall and F1 in per cent, of `(..., 3)` sums of what `relation_counts` gives."""
    hits, predicted, wanted = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)

    def share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.divide(100 * part, whole, out=np.zeros_like(part, dtype=np.float64), where=whole > 0)

    return np.stack([share(hits, predicted), share(hits, wanted), share(2 * hits, predicted + wanted)], axis=-1)


def precision_curve(
    gold: Sequence[str], relations: Sequence[str], probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Recall and precision, micro and in per cent, at each threshold on the probability of the likeliest relation.

    What may be given is the likeliest relation that is not `no_relation`; it is given where its probability reaches the
    threshold. Recall never falls from threshold to threshold.

    Parameters
    ----------
    gold
        `(n,)` labels, a relation among them.
    relations, probabilities
        Names `(R,)` of the columns of `(n, R)`.
    """
    labels, names = np.asarray(gold), np.asarray(relations)
    columns = names != NO_RELATION
    likeliest = probabilities[:, columns].argmax(1)
    score = probabilities[:, columns].max(1)
    order = np.argsort(-score, kind="stable")
    right = np.cumsum((names[columns][likeliest] == labels)[order])
    ends = np.append(score[order][1:] != score[order][:-1], True)  # equal probabilities pass a threshold together
    extracted = np.arange(1, len(labels) + 1)
    return 100 * right[ends] / (labels != NO_RELATION).sum(), 100 * right[ends] / extracted[ends]


def precision_at(recall: NDArray[np.float64], precision: NDArray[np.float64], wanted: float) -> float:
    """The precision at the highest threshold with at least the wanted recall; NaN where no threshold has it."""
    reached = np.flatnonzero(recall >= wanted)
    return float(precision[reached[0]]) if len(reached) else float("nan")


def _checked(gold: Sequence[str], predicted: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    gold, predicted = in_one_order(gold=gold, predicted=predicted)
    if not len(gold) or len(gold) != len(predicted):
        raise ValueError(f"expected one prediction for each of at least one item, got {len(predicted)} for {len(gold)}")
    check_one_spelling(gold, predicted, two_in_each=True)
    return gold, predicted
