"""Classifiers that predict where another classifier, the base, is wrong.

Misra, Liu and Mahmud (Accountable Error Characterization), §2 step S2 and §3.3: a random forest on readable features of
a text says whether the base errs on it. Other learners stand behind the same two functions, among them a shallow tree
as Nushi, Kamar and Horvitz (2018) use trees, to be read and not only asked. What the base itself says of a text is
three tables of its own (`confidence_column`, `probability_columns`, `class_columns`), so that each can be learned from
apart or joined to the features.

*Balance.* The paper undersamples the correct predictions until there are as many as errors. Here the commoner kind is
undersampled, whichever it is: where the base errs on more than half, errors are left out. Only the texts that are
learned from are undersampled. The probabilities are then those of a stream with 50 % errors; their order holds for any.

Deviations: the paper states no setting of its forest and does not say what its 5-fold cross-validation decides. The
forest is scikit-learn's default one of 100 trees, and the folds give each text a probability by a classifier that has
not seen it. The paper undersamples before it splits, so that its test set is balanced too: for that, undersample first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from trustnlp.attribution.model_calls import Floats, Labels, check_probabilities
from trustnlp.error_analysis.readable_features import FeatureTable

Flags = NDArray[np.bool_]
Learner = Literal["random_forest", "logistic_regression", "gradient_boosting", "shallow_tree", "lookup"]
# From which number of errors, and of correct predictions, features are ranked and slices tested.
LEAST_ERRORS = 30

_NEW: dict[str, Callable[[int], Any]] = {
    "random_forest": lambda seed: RandomForestClassifier(n_estimators=100, random_state=seed),
    "logistic_regression": lambda seed: make_pipeline(StandardScaler(), LogisticRegression(C=1.0, max_iter=1000)),
    "gradient_boosting": lambda seed: HistGradientBoostingClassifier(early_stopping=False, random_state=seed),
    # Sixteen leaves of at least 20 texts can be read; both numbers are ours.
    "shallow_tree": lambda seed: DecisionTreeClassifier(max_depth=4, min_samples_leaf=20, random_state=seed),
    # Without a limit a tree ends in one leaf for each distinct row, whose share of errors it gives.
    "lookup": lambda seed: DecisionTreeClassifier(random_state=seed),
}


@dataclass(frozen=True, eq=False)
class ErrorClassifier:
    """A fitted classifier of errors.

    Attributes
    ----------
    learner
        Its name, as `fit_error_classifier` takes it.
    names
        The features it was fitted on, in their order.
    model
        Of scikit-learn; its second class is the error.
    """

    learner: str
    names: tuple[str, ...]
    model: Any

    def probability(self, table: FeatureTable) -> Floats:
        """Probability `(n,)` that the base errs on each text; ValueError for a table of other features."""
        if table.names != self.names:
            other = sorted(set(table.names) ^ set(self.names))[:3]
            raise ValueError(
                f"the classifier was fitted on {len(self.names)} features and is given {len(table.names)}, in another "
                f"order or not the same ({', '.join(other) or 'order'}); give it the features it was fitted on"
            )
        return self.of_values(table.values)

    def of_values(self, values: Floats) -> Floats:
        """The same of values `(n, f)` whose columns are those of `names`."""
        probability: Floats = self.model.predict_proba(values)[:, 1]
        return probability


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Error classifiers of k folds, and what each says of the texts it has not seen.

    Attributes
    ----------
    classifiers
        One for each fold.
    held_out
        The rows of each fold, ascending; every row is in one.
    probability
        `(n,)` of an error, by the classifier that has not seen the text.
    """

    classifiers: tuple[ErrorClassifier, ...]
    held_out: tuple[Labels, ...]
    probability: Floats


def fit_error_classifier(
    table: FeatureTable,
    wrong: Flags,
    *,
    learner: Learner = "random_forest",
    balance: bool = True,
    rng: np.random.Generator,
) -> ErrorClassifier:
    """Learn from texts on which it is known whether the base errs.

    Parameters
    ----------
    table
        Their features.
    wrong
        `(n,)` where the base errs.
    learner
        `random_forest`, the paper's; `logistic_regression` on standardised features; `gradient_boosting`, with
        scikit-learn's defaults and no early stopping; `shallow_tree`, four levels deep; `lookup`, the share of errors
        among the texts with the same features.
    balance
        Whether the commoner kind is undersampled (see `undersample`).
    rng
        Of the undersampling and of the learner.

    Raises
    ------
    ValueError
        If given an unknown learner, no features, not one flag for each text, or texts that are all wrong or all
        correct.
    """
    if learner not in _NEW:
        raise ValueError(f"no learner is called {learner!r}; there are {', '.join(_NEW)}")
    check_flags(table, wrong)
    check_errors(wrong)
    rows = undersample(wrong, rng) if balance else np.arange(len(wrong))
    model = _NEW[learner](int(rng.integers(2**31)))
    return ErrorClassifier(learner, table.names, model.fit(table.values[rows], wrong[rows]))


def cross_validate(
    table: FeatureTable,
    wrong: Flags,
    *,
    learner: Learner = "random_forest",
    folds: int = 5,
    groups: Labels | None = None,
    rng: np.random.Generator,
) -> CrossValidation:
    """Each text's probability of an error by a classifier of the other folds.

    Folds have about the same share of errors. Undersampling takes place among the texts that are learned from; the
    held-out ones are all kept, so that they have the share of errors that the base has.

    Parameters
    ----------
    table, wrong, learner
        As for `fit_error_classifier`.
    folds
        Two or more, 5 as in the paper.
    groups
        `(n,)` numbers; texts with the same number are in one fold. Give repeats of a text one number, or what was
        learned of the one is found again in the other. None: every text is its own group.
    rng
        Of the folds, the undersampling and the learners.

    Raises
    ------
    ValueError
        If `fit_error_classifier` would raise it, or fewer errors, correct predictions or groups of them than folds.
    """
    check_flags(table, wrong)
    if folds < 2:
        raise ValueError(f"cross-validation needs 2 folds or more, got {folds}")
    check_errors(wrong, least=folds, what=f"{folds} folds")
    own = np.arange(len(wrong)) if groups is None else np.asarray(groups)
    if own.shape != wrong.shape:
        raise ValueError(f"{len(wrong)} texts need a group each, got shape {own.shape}")
    if min(len(np.unique(own[wrong == kind])) for kind in (True, False)) < folds:
        raise ValueError(
            f"the errors or the correct predictions are of fewer than {folds} different texts (or groups), so {folds} "
            "folds cannot each hold one back; give more that differ"
        )
    seed = int(rng.integers(2**31))
    # The grouped split takes seconds for ten thousand groups: only where there are any.
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    classifiers, held_out, probability = [], [], np.empty(len(wrong))
    for seen, unseen in kind(folds, shuffle=True, random_state=seed).split(table.values, wrong, groups):
        part = FeatureTable(table.names, table.values[seen], table.groups)
        classifier = fit_error_classifier(part, wrong[seen], learner=learner, rng=rng)
        probability[unseen] = classifier.of_values(table.values[unseen])
        classifiers.append(classifier)
        held_out.append(unseen)
    return CrossValidation(tuple(classifiers), tuple(held_out), probability)


def undersample(wrong: Flags, rng: np.random.Generator) -> Labels:
    """Rows, ascending, of all texts of the rarer kind and of as many of the commoner one, drawn without replacement.

    Of §3.3's 4,655 errors and 7,009 correct predictions it keeps 9,310 texts.

    >>> wrong = np.array([True, True, True, False])
    >>> rows = undersample(wrong, np.random.default_rng(0))
    >>> len(rows), int(wrong[rows].sum()), 3 in rows
    (2, 1, True)
    """
    rarer, commoner = sorted((np.flatnonzero(wrong), np.flatnonzero(~wrong)), key=len)
    drawn = rng.choice(commoner, size=len(rarer), replace=False)
    return np.sort(np.concatenate([rarer, drawn]))


def confidence_column(probabilities: Floats) -> FeatureTable:
    """One feature: the base's largest probability `(n, 1)`."""
    _check_base(probabilities)
    return FeatureTable(("confidence",), probabilities.max(axis=1, keepdims=True), ("base",))


def probability_columns(probabilities: Floats) -> FeatureTable:
    """The base's probability of each of the c labels `(n, c)`."""
    _check_base(probabilities)
    classes = probabilities.shape[1]
    return FeatureTable(
        tuple(f"probability of {label}" for label in range(classes)), probabilities, ("base",) * classes
    )


def class_columns(predicted: Labels, classes: int) -> FeatureTable:
    """Which label the base gave: 1 in its column `(n, c)`. A `lookup` on it is the error rate by predicted class.

    >>> import numpy as np
    >>> class_columns(np.array([0, 2, 1]), 3).names
    ('predicted 0', 'predicted 1', 'predicted 2')
    """
    if len(predicted) and not 0 <= predicted.min() <= predicted.max() < classes:
        raise ValueError(f"predicted labels are {predicted.min()} to {predicted.max()}; expected 0 to {classes - 1}")
    values = np.eye(classes)[predicted]
    return FeatureTable(tuple(f"predicted {label}" for label in range(classes)), values, ("base",) * classes)


def side_by_side(first: FeatureTable, second: FeatureTable) -> FeatureTable:
    """The features of both, of the same texts; ValueError where the numbers of texts differ or a name is in both."""
    if len(first.values) != len(second.values):
        raise ValueError(f"tables of {len(first.values)} and {len(second.values)} texts cannot be joined")
    values = np.concatenate([first.values, second.values], axis=1)
    return FeatureTable(first.names + second.names, values, first.groups + second.groups)


def check_flags(table: FeatureTable, wrong: Flags) -> None:
    """ValueError unless there is a flag, whether the base errs, for each text, and a feature."""
    if wrong.dtype != np.bool_ or wrong.shape != (len(table.values),):
        raise ValueError(
            f"expected one True or False, whether the base errs, for each of {len(table.values)} texts; got shape "
            f"{wrong.shape} of {wrong.dtype}"
        )
    if not table.names:
        raise ValueError("the table has no feature; an error classifier needs one or more")


def check_errors(wrong: Flags, *, least: int = 1, what: str = "an error classifier") -> None:
    """ValueError unless there are `least` errors and as many correct predictions, which is what `what` needs."""
    errors, texts = int(wrong.sum()), len(wrong)
    if not errors:
        raise ValueError(f"the base makes no error on {texts} texts: there is nothing to characterise")
    if errors == texts:
        raise ValueError(f"the base errs on all {texts} texts: there is nothing to tell its errors from; check labels")
    rarer, kind = min((errors, "errors"), (texts - errors, "correct predictions"))
    if rarer < least:
        raise ValueError(
            f"{rarer} {kind} among {texts} texts; {what} needs at least {least} of them, so label more texts"
        )


def _check_base(probabilities: Floats) -> None:
    check_probabilities(probabilities, (len(probabilities),), "the base")
