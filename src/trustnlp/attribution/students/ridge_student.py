"""A student without training: ridge regression from what the teacher says of the context and of the word alone.

Not in the paper: the baseline that a trained student has to beat. From z' of the masked text, z of the span as a text
of its own, and their product, z - z' is predicted linearly; the best weights have a closed form, and the penalty is
chosen on dev.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.attribution.students.masked_spans import MaskedPairs, MaskedSpan
from trustnlp.attribution.students.text_teacher import Teacher, representations_once

# In units of the features' mean variance.
PENALTIES = tuple(10.0**power for power in range(-5, 4))


class RidgeStudent:
    """r = [z', t, z' * t] B + b, where t is the teacher's z of the span alone.

    Attributes
    ----------
    penalty
        The chosen one, in units of the features' mean variance.
    dev_errors
        Penalty → Σ|z - z' - r|² / Σ|z - z'|² on dev: 1 is that of the context alone.
    """

    def __init__(
        self, teacher: Teacher, weight: Tensor, bias: Tensor, penalty: float, dev_errors: dict[float, float]
    ) -> None:
        self.teacher_fingerprint = teacher.fingerprint
        self.penalty, self.dev_errors = penalty, dev_errors
        self._teacher, self._weight, self._bias = teacher, weight, bias

    def tokens(self, strings: Sequence[str]) -> Tensor:
        """t `(n, d)` of words or spans."""
        return representations_once(self._teacher, strings)

    def influence(self, masked: Tensor, tokens: Tensor) -> Tensor:
        """r `(n, d)` of contexts z' `(n, d)` and as many tokens, or one `(d,)` for all."""
        return _features(masked, tokens) @ self._weight + self._bias

    def span_influences(self, spans: Sequence[MaskedSpan], masked: Tensor) -> Tensor:
        """r `(n, d)` of each span, given the teacher's z'."""
        return self.influence(masked, self.tokens([span.token for span in spans]))


def fit_ridge_student(
    teacher: Teacher, pairs: MaskedPairs, dev: MaskedPairs, penalties: Sequence[float] = PENALTIES
) -> RidgeStudent:
    """Fit a ridge student; the intercept is not penalised.

    Parameters
    ----------
    pairs, dev
        What is fitted, and what the penalty is chosen on.

    Raises
    ------
    ValueError
        If given another teacher's pairs, no penalty or one that is not positive, or fewer than two pairs.
    """
    pairs.check_teacher(teacher)
    dev.check_teacher(teacher)
    if not len(penalties) or not all(penalty > 0 for penalty in penalties) or len(pairs) < 2:
        raise ValueError(
            f"ridge regression needs at least two pairs and penalties above 0, got {len(pairs)} pairs and penalties "
            f"{list(penalties)}"
        )
    parts = [_known(teacher, part) for part in (pairs, dev)]
    features, target = parts[0]
    centre, level = features.mean(axis=0), target.mean(axis=0)
    features, target = features - centre, target - level
    # In the eigenvectors of the features' covariance every penalty is a division.
    variances, directions = np.linalg.eigh(features.T @ features / len(features))
    along = directions.T @ (features.T @ target / len(features))
    dev_along, dev_target = (parts[1][0] - centre) @ directions, parts[1][1] - level
    unit, size = max(float(variances.mean()), np.finfo(float).tiny), float((parts[1][1] ** 2).sum())
    if size == 0:
        raise ValueError("on dev no span has any influence (z = z' throughout), so no penalty can be chosen on it")
    errors = {}
    for penalty in penalties:
        weights = along / (variances + penalty * unit)[:, None]
        errors[penalty] = float(((dev_target - dev_along @ weights) ** 2).sum()) / size
    best = min(errors, key=errors.__getitem__)
    weight = directions @ (along / (variances + best * unit)[:, None])
    like = teacher.weight
    return RidgeStudent(
        teacher,
        torch.from_numpy(weight).to(like),
        torch.from_numpy(level - centre @ weight).to(like),
        best,
        errors,
    )


def _known(teacher: Teacher, pairs: MaskedPairs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Features `(n, 3d)` and z - z' `(n, d)`."""
    tokens = representations_once(teacher, [span.token for span in pairs.spans])
    return _features(pairs.masked, tokens).double().cpu().numpy(), pairs.influence.double().cpu().numpy()


def _features(masked: Tensor, tokens: Tensor) -> Tensor:
    masked, tokens = torch.broadcast_tensors(masked, tokens)
    return torch.cat([masked, tokens, masked * tokens], dim=-1)
