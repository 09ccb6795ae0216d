"""Which features an error classifier goes by: impurity, and permutation on held-out texts; and decoys.

Misra, Liu and Mahmud, §4.2 and Table 6, rank features by the random forest, which is to say by impurity: how much each
feature's splits sort the texts that the forest has *seen*. Such a ranking favours features that differ in many texts,
and ranks features that mean nothing as well. Permutation looks at held-out texts: how much the area under the ROC curve
falls when the feature is shuffled among them (Breiman, 2001). Of two features that say the same neither falls much.

Columns that mean nothing show what a ranking is worth, and so do shuffled labels. An order says nothing
of the sign: `feature_directions` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import rankdata

from trustnlp.attribution.model_calls import Floats, Labels
from trustnlp.error_analysis.error_classifiers import (
    LEAST_ERRORS,
    CrossValidation,
    ErrorClassifier,
    Flags,
    check_errors,
    check_flags,
)
from trustnlp.error_analysis.readable_features import FeatureTable

DECOY_GROUP = "decoy"  # of columns that mean nothing


@dataclass(frozen=True, eq=False)
class FeatureRanking:
    """How much an error classifier goes by each of f features.

    Attributes
    ----------
    names
        `f` features, in the order of their table.
    importance
        `(f,)` mean over the folds.
    deviation
        `(f,)` standard deviation over the folds, whose training texts overlap.
    """

    names: tuple[str, ...]
    importance: Floats
    deviation: Floats

    @cached_property
    def order(self) -> Labels:
        """Numbers of the features, the most important first; equal ones in the order of the table."""
        return np.argsort(-self.importance, kind="stable")

    def top(self, k: int) -> tuple[str, ...]:
        """The k most important features."""
        return tuple(self.names[at] for at in self.order[:k])

    def rank_of(self, name: str) -> int:
        """Rank of a feature, 1 for the most important; equal importance counts against it."""
        return int(np.sum(self.importance >= self.importance[self.names.index(name)]))


def impurity_ranking(validation: CrossValidation) -> FeatureRanking:
    """Table 6: the share of the fall in Gini impurity that is due to each feature's splits, in the texts learned from.

    Raises
    ------
    ValueError
        If the learner is not a forest or a tree of scikit-learn that keeps impurities.
    """
    models = [each.model for each in validation.classifiers]
    if not hasattr(models[0], "feature_importances_"):
        raise ValueError(
            f"{validation.classifiers[0].learner} keeps no impurities; use random_forest or shallow_tree, or rank by "
            "permutation"
        )
    return _ranking(validation, [model.feature_importances_ for model in models])


def permutation_ranking(
    validation: CrossValidation,
    table: FeatureTable,
    wrong: Flags,
    *,
    repeats: int = 5,
    rng: np.random.Generator,
) -> FeatureRanking:
    """How much the area under the ROC curve of the held-out texts falls when a feature is shuffled among them.

    Only texts whose value changes are predicted anew, all repeats at once; the result is that of predicting them all.

    Parameters
    ----------
    validation, table, wrong
        The error classifiers, and what they were fitted on.
    repeats
        Shuffles of each feature in each fold.
    rng
        Of the shuffles.

    Raises
    ------
    ValueError
        If there are fewer than 30 errors or correct predictions, or no repeats.
    """
    _check(validation, table, wrong)
    if repeats < 1:
        raise ValueError(f"permutation needs 1 repeat or more, got {repeats}")
    falls = [
        _falls(classifier, table.values[rows], wrong[rows], repeats, rng)
        for classifier, rows in zip(validation.classifiers, validation.held_out, strict=True)
    ]
    return _ranking(validation, falls)


def feature_directions(table: FeatureTable, wrong: Flags) -> Floats:
    """Rank-biserial correlation `(f,)` of each feature with being an error, in -1 to 1; 0 for a constant feature.

    The probability that an error has the higher value, minus that a correct prediction has, over all pairs of the two:
    above 0, the more of the feature, the more errors.
    """
    check_flags(table, wrong)
    check_errors(wrong)
    return 2 * areas_under_curve(table.values.T, wrong) - 1


def areas_under_curve(scores: Floats, wrong: Flags) -> Floats:
    """Area under the ROC curve `(m,)` of each row of scores `(m, n)` for errors `(n,)`; ties count half.

    >>> areas_under_curve(np.array([[0.9, 0.4, 0.4, 0.1]]), np.array([True, True, False, False])).tolist()
    [0.875]
    """
    errors = int(wrong.sum())
    ranks = rankdata(scores, axis=1)[:, wrong].sum(axis=1)
    areas: Floats = (ranks - errors * (errors + 1) / 2) / (errors * (len(wrong) - errors))
    return areas


def _falls(classifier: ErrorClassifier, values: Floats, wrong: Flags, repeats: int, rng: np.random.Generator) -> Floats:
    """`(f,)` mean fall over the repeats, in one fold."""
    before = classifier.of_values(values)
    area = areas_under_curve(before[None], wrong)[0]
    falls = np.zeros(values.shape[1])
    for column, own in enumerate(values.T):
        shuffled = rng.permuted(np.tile(own, (repeats, 1)), axis=1)
        repeat, row = np.nonzero(shuffled != own)
        if not len(row):
            continue
        changed = values[row]
        changed[:, column] = shuffled[repeat, row]
        after = np.tile(before, (repeats, 1))
        after[repeat, row] = classifier.of_values(changed)
        falls[column] = area - areas_under_curve(after, wrong).mean()
    return falls


def _ranking(validation: CrossValidation, folds: Sequence[Floats]) -> FeatureRanking:
    each = np.stack(folds)
    return FeatureRanking(validation.classifiers[0].names, each.mean(axis=0), each.std(axis=0, ddof=1))


def _check(validation: CrossValidation, table: FeatureTable, wrong: Flags) -> None:
    check_flags(table, wrong)
    check_errors(wrong, least=LEAST_ERRORS, what="ranking features")
    if table.names != validation.classifiers[0].names or len(wrong) != len(validation.probability):
        raise ValueError(
            f"the classifiers were validated on {len(validation.probability)} texts with other features or another "
            f"number; got {len(wrong)} texts. Give the table that was given to cross_validate"
        )
