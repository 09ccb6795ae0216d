"""Which texts to label next: a score for each text, the highest is labelled first.

Misra, Liu and Mahmud, §2 step S3 and §4.1: the texts that an error classifier thinks most likely wrong (AEC), against
those that the base is least certain of. What a strategy learns from is charged to it: AEC knows thousands of labels
before it scores its first text, uncertainty knows none (`LEARNT`). The paper does not try the base's own probabilities
as features, alone or beside the readable ones; both are here, as is the plainest thing to learn, the error rate of each
predicted label.

`error_counts` gives precision at k as counts, N of the paper's P@K = N/K, from which an interval can be made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from trustnlp.attribution.model_calls import Floats, Labels
from trustnlp.error_analysis.error_classifiers import (
    Flags,
    Learner,
    class_columns,
    confidence_column,
    fit_error_classifier,
    probability_columns,
    side_by_side,
)
from trustnlp.error_analysis.readable_features import FeatureTable


@dataclass(frozen=True, eq=False)
class BaseOutput:
    """The base's answers for n texts, their readable features, and where it errs, as far as that is known.

    Attributes
    ----------
    features
        Of the n texts.
    predicted
        `(n,)` labels.
    probabilities
        `(n, c)`, or None where the base gives none.
    wrong
        `(n,)` where the base errs; None for texts without a label.
    """

    features: FeatureTable
    predicted: Labels
    probabilities: Floats | None = None
    wrong: Flags | None = None


def least_confidence(probabilities: Floats) -> Floats:
    """`(n,)` one minus the largest probability: the paper's uncertainty, as far as it says.

    >>> import numpy as np
    >>> least_confidence(np.array([[0.9, 0.1], [0.6, 0.4]])).round(2)
    array([0.1, 0.4])
    """
    return np.asarray(1 - probabilities.max(axis=1))


def margin(probabilities: Floats) -> Floats:
    """`(n,)` the second largest probability minus the largest.

    >>> import numpy as np
    >>> margin(np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]])).round(2)
    array([-0.5 , -0.05])
    """
    two = np.partition(probabilities, -2, axis=1)[:, -2:]
    return np.asarray(two[:, 0] - two[:, 1])


def entropy(probabilities: Floats) -> Floats:
    """`(n,)` in nats; a label of probability 0 adds nothing.

    >>> entropy(np.array([[1.0, 0.0], [0.5, 0.5]])).round(3).tolist()
    [0.0, 0.693]
    """
    logarithms = np.log(np.where(probabilities > 0, probabilities, 1.0))
    return np.asarray(np.abs(np.sum(probabilities * logarithms, axis=1)))


UNCERTAINTY: dict[str, Callable[[Floats], Floats]] = {
    "least_confidence": least_confidence,
    "margin": margin,
    "entropy": entropy,
}
# What each of these learns from, beside where the base errs.
LEARNT: dict[str, Callable[[BaseOutput], FeatureTable]] = {
    "aec": lambda base: base.features,
    "aec_with_probabilities": lambda base: side_by_side(base.features, probability_columns(_probabilities(base))),
    "probabilities": lambda base: probability_columns(_probabilities(base)),
    "confidence": lambda base: confidence_column(_probabilities(base)),
    "predicted_class": lambda base: class_columns(base.predicted, _probabilities(base).shape[1]),
}
STRATEGIES = ("random", "oracle", *UNCERTAINTY, *LEARNT)


def score_texts(
    strategy: str,
    pool: BaseOutput,
    *,
    labelled: BaseOutput | None = None,
    learner: Learner = "random_forest",
    rng: np.random.Generator,
) -> Floats:
    """Scores `(n,)` of the texts of a pool; the highest is labelled first. Equal scores are in no order.

    Parameters
    ----------
    strategy
        One of `STRATEGIES`:

        - `random`; `oracle`, which looks where the base errs;
        - `least_confidence`, `margin`, `entropy` of the base's probabilities, which learn nothing;
        - `aec`, an error classifier on the readable features; `aec_with_probabilities`, on these and the base's
          probabilities; `probabilities`, on the latter alone; `confidence`, on the largest of them; and
          `predicted_class`, the error rate of each predicted label.
    pool
        The texts to choose from. Only the oracle looks at its `wrong`.
    labelled
        Other texts, of which it is known where the base errs: what the last five strategies learn from.
    learner
        Of an error classifier; `predicted_class` is always looked up.
    rng
        Of `random` and of the error classifiers.

    Raises
    ------
    ValueError
        If given an unknown strategy, or what it needs is missing: probabilities, labelled texts, or where the base
        errs.
    """
    if strategy == "random":
        return rng.random(len(pool.predicted))
    if strategy == "oracle":
        if pool.wrong is None:
            raise ValueError("the oracle needs to know where the base errs on the pool, and `wrong` is None")
        return pool.wrong.astype(np.float64)
    if strategy in UNCERTAINTY:
        return UNCERTAINTY[strategy](_probabilities(pool))
    if strategy not in LEARNT:
        raise ValueError(f"no strategy is called {strategy!r}; there are {', '.join(STRATEGIES)}")
    if labelled is None or labelled.wrong is None:
        raise ValueError(f"{strategy} learns where the base errs: give `labelled` texts with their `wrong`")
    columns = LEARNT[strategy]
    fitted = fit_error_classifier(columns(labelled), labelled.wrong, learner=learner_of(strategy, learner), rng=rng)
    return fitted.probability(columns(pool))


def learner_of(strategy: str, learner: Learner) -> Learner:
    """The learner, or `lookup` for the error rate of each predicted label, which needs no other."""
    return "lookup" if strategy == "predicted_class" else learner


def label_order(scores: Floats, *, rng: np.random.Generator) -> Labels:
    """Rows `(n,)`, the highest score first; equal scores are shuffled, so that the order of a file decides nothing."""
    if not np.isfinite(scores).all():
        raise ValueError(f"{int((~np.isfinite(scores)).sum())} of {len(scores)} scores are NaN or infinite")
    shuffled = rng.permutation(len(scores))
    return shuffled[np.argsort(-scores[shuffled], kind="stable")]


def error_counts(scores: Floats, wrong: Flags, ks: Sequence[int], *, rng: np.random.Generator) -> Labels:
    """Of the k texts with the highest scores, the number on which the base errs: N of P@K = N/K (§4.1), for each k.

    Parameters
    ----------
    scores, wrong
        `(n,)`.
    ks
        Each from 1 to n.
    rng
        Orders equal scores.

    Raises
    ------
    ValueError
        If given scores that are not finite or not as many as flags, or a k outside 1 to n.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> error_counts(np.array([0.9, 0.8, 0.3, 0.1]), np.array([True, False, True, False]), [1, 2, 3], rng=rng)
    array([1, 1, 2])
    """
    if scores.shape != wrong.shape:
        raise ValueError(f"expected as many scores as flags, got shapes {scores.shape} and {wrong.shape}")
    if outside := [k for k in ks if not 1 <= k <= len(wrong)]:
        raise ValueError(f"k is {outside[0]}; precision at k of {len(wrong)} texts takes a k from 1 to {len(wrong)}")
    errors = np.cumsum(wrong[label_order(scores, rng=rng)])
    return errors[np.asarray(ks, dtype=np.int64) - 1].astype(np.int64)


def _probabilities(base: BaseOutput) -> Floats:
    if base.probabilities is None:
        raise ValueError("this strategy needs the base's probabilities, and the base gives none")
    return base.probabilities
