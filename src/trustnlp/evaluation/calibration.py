"""From scores to probabilities to weights: what the numbers that partitioning adds up should mean.

Clique partitioning maximises a sum of weights (Vadrevu et al. 2021, Eq. 1), so it matters how large a score is, not
only how it ranks. A partition's log-likelihood, were the pairs independent, is the sum of the log-odds of the pairs
inside its clusters plus a constant; F-MWSP (Lokhande et al. 2020) takes `2p - 1` instead. Both need probabilities that
mean what they say: of the pairs with .8, four in five are matches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from trustnlp.files.same_rows import in_one_order

Floats64 = NDArray[np.float64]
Method = Literal["isotonic", "platt"]
Kind = Literal["linear", "log_odds"]
_NEAREST_TO_CERTAIN = 1e-12


def calibrate(
    probabilities: ArrayLike, same: ArrayLike, method: Method = "isotonic"
) -> Callable[[ArrayLike], Floats64]:
    """A map from scores to probabilities, learnt on pairs whose truth is known.

    Parameters
    ----------
    probabilities
        `(n,)` scores between 0 and 1.
    same
        `(n,)` whether the two records of the pair are one entity.
    method
        `isotonic`: the monotone step function that fits best, straight lines between the steps. Its first and last step
        are often pure, 0 or 1 exactly; they are clipped to 1/(n+2) and 1 - 1/(n+2), Laplace's estimate for the `n`
        pairs (so log-odds stay finite). It makes ties.
        `platt`: a logistic curve over the scores' log-odds, with Platt's targets `(n₊+1)/(n₊+2)` and `1/(n₋+2)` in
        place of 1 and 0, so that it exists for separable pairs too. A steep curve ends at 0 and 1 in floating point;
        its values are kept 1e-12 away, so that log-odds stay finite here too.

    Raises
    ------
    ValueError
        If given scores outside 0 to 1, lengths that differ, pairs of one kind only, or an unknown method.
    """
    scores, truth = _checked(probabilities, same)
    if truth.all() or not truth.any():
        raise ValueError(f"calibration needs pairs of both kinds, all {len(truth)} are {'same' if truth[0] else 'not'}")
    if method == "isotonic":
        edge = 1 / (len(scores) + 2)
        steps = IsotonicRegression(y_min=edge, y_max=1 - edge, out_of_bounds="clip").fit(scores, truth)
        return lambda new: np.asarray(steps.predict(_scores(new)), dtype=np.float64)
    if method == "platt":
        hits, others = truth.sum(), (~truth).sum()
        target = np.where(truth, (hits + 1) / (hits + 2), 1 / (others + 2))
        twice = np.tile(_log_odds(scores), (2, 1)).reshape(-1, 1)
        curve = LogisticRegression(C=1e9, max_iter=1_000)
        curve.fit(twice, np.repeat([1, 0], len(scores)), sample_weight=np.concatenate([target, 1 - target]))
        return lambda new: _off_the_ends(curve.predict_proba(_log_odds(_scores(new))[:, None])[:, 1])
    raise ValueError(f"unknown method {method!r}; choose from {', '.join(get_args(Method))}")


def reliability(probabilities: ArrayLike, same: ArrayLike, bins: int = 10) -> pd.DataFrame:
    """Promised and observed shares of scores, in bins of equal width.

    Returns
    -------
    DataFrame
        A row for each bin that is not empty: `low`, `high`, `mean_probability`, `share_same`, `pairs`. A score on a
        border counts in the upper bin, 1 in the last.

    Raises
    ------
    ValueError
        If given scores outside 0 to 1, lengths that differ, or less than one bin.
    """
    scores, truth = _checked(probabilities, same)
    if bins < 1:
        raise ValueError(f"expected at least one bin, got {bins}")
    borders = np.linspace(0, 1, bins + 1)
    place = np.searchsorted(borders[1:-1], scores, side="right")
    table = pd.DataFrame({"bin": place, "mean_probability": scores, "share_same": truth.astype(float), "pairs": 1})
    rows = table.groupby("bin").agg({"mean_probability": "mean", "share_same": "mean", "pairs": "sum"})
    edges = pd.DataFrame({"low": borders[rows.index], "high": borders[rows.index + 1]}, index=rows.index)
    return pd.concat([edges, rows], axis=1).reset_index(drop=True)


def expected_calibration_error(probabilities: ArrayLike, same: ArrayLike, bins: int = 10) -> float:
    """Mean distance of promise and share over the bins of `reliability`, weighted by their numbers of pairs.

    >>> expected_calibration_error([0.75, 0.75, 0.75, 0.75], [True, True, True, False])
    0.0
    """
    table = reliability(probabilities, same, bins)
    return float(np.average((table["mean_probability"] - table["share_same"]).abs(), weights=table["pairs"]))


def weight_of(probability: ArrayLike, kind: Kind = "linear") -> Floats64:
    """Weight of a pair: `2p - 1` (`linear`, minus the cost of F-MWSP) or `log(p / (1 - p))` (`log_odds`).

    Both are 0 at .5; they differ in what one sure pair can outvote.

    Raises
    ------
    ValueError
        If given a probability outside 0 to 1, one of exactly 0 or 1 whose log-odds are asked for, or an unknown kind.

    Examples
    --------
    >>> weight_of([0.9, 0.5, 0.2]).round(2)
    array([ 0.8,  0. , -0.6])
    """
    scores = _scores(probability)
    if kind == "linear":
        return 2 * scores - 1
    if kind == "log_odds":
        if (certain := ((scores == 0) | (scores == 1)).sum()) > 0:
            raise ValueError(
                f"{certain} probabilities are 0 or 1, with infinite log-odds; calibrate or clip them first"
            )
        return np.asarray(logit(scores), dtype=np.float64)
    raise ValueError(f"unknown kind of weight {kind!r}; choose from {', '.join(get_args(Kind))}")


def _checked(probabilities: ArrayLike, same: ArrayLike) -> tuple[Floats64, NDArray[np.bool_]]:
    probabilities, same = in_one_order(probabilities=probabilities, same=same)
    scores, truth = _scores(probabilities), np.asarray(same)
    if scores.ndim != 1 or scores.shape != truth.shape or not scores.size:
        raise ValueError(f"expected one truth for each of some scores, got {scores.shape} scores and {truth.shape}")
    if truth.dtype != bool and not np.isin(truth, (0, 1)).all():
        raise ValueError(f"the truth of a pair is true or false, got {np.unique(truth)[:5].tolist()}")
    return scores, truth.astype(bool)


def _scores(probabilities: ArrayLike) -> Floats64:
    scores = np.asarray(probabilities, dtype=np.float64)
    if (outside := scores[~((scores >= 0) & (scores <= 1))]).size:
        raise ValueError(f"probabilities lie between 0 and 1, got {outside[:3].tolist()}")
    return scores


def _log_odds(scores: Floats64) -> Floats64:
    return np.asarray(logit(_off_the_ends(scores)), dtype=np.float64)


def _off_the_ends(scores: ArrayLike) -> Floats64:
    return np.clip(np.asarray(scores, dtype=np.float64), _NEAREST_TO_CERTAIN, 1 - _NEAREST_TO_CERTAIN)
