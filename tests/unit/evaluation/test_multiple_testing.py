"""Corrections for many tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.evaluation.multiple_testing import benjamini_hochberg, holm

p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_holm_by_hand() -> None:
    # sorted .01 .03 .04: times 3, 2, 1 = .03 .06 .04, made non-decreasing
    np.testing.assert_allclose(holm([0.04, 0.01, 0.03]), [0.06, 0.03, 0.06])


def test_benjamini_hochberg_by_hand() -> None:
    # sorted .01 .02 .04 .9: times 4/1, 4/2, 4/3, 4/4
    np.testing.assert_allclose(benjamini_hochberg([0.02, 0.9, 0.01, 0.04]), [0.04, 0.9, 0.04, 0.16 / 3])


@given(p_lists)
def test_holm_is_the_step_down_procedure(p: list[float]) -> None:
    alpha = 0.05
    rejected, order = np.zeros(len(p), bool), np.argsort(p)
    for rank, index in enumerate(order):
        if p[index] * (len(p) - rank) > alpha:
            break
        rejected[index] = True
    np.testing.assert_array_equal(holm(p) <= alpha, rejected)


@given(p_lists)
def test_holm_is_never_kinder_than_benjamini_hochberg(p: list[float]) -> None:
    strict, kind = holm(p), benjamini_hochberg(p)
    assert (strict >= kind - 1e-12).all() and (kind >= np.asarray(p) - 1e-12).all() and (strict <= 1).all()


@pytest.mark.parametrize("p", [[], [0.5, 1.2], [float("nan")], [[0.1]]])
@pytest.mark.parametrize("correct", [holm, benjamini_hochberg])
def test_bad_input_is_explained(correct: object, p: list) -> None:
    with pytest.raises(ValueError, match="p-value"):
        correct(p)  # type: ignore[operator]
