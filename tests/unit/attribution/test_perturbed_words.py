"""Methods that remove words, against what their definitions say when they are written out slowly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.linear_model import Ridge
from sklearn.metrics import pairwise_distances, r2_score

from trustnlp.attribution.model_calls import Floats
from trustnlp.attribution.perturbed_words import (
    SubsetScores,
    kernel_shap,
    lime,
    lime_exact,
    occlusion,
    random_scores,
    reduced_texts,
    shapley,
    units_of,
    values_of,
)
from trustnlp.attribution.text_models import FunctionModel, ModelError

Game = Callable[[tuple[bool, ...]], float]
seeds = st.integers(0, 2**32 - 1)
counts = st.integers(1, 7)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def game(seed: int) -> Game:
    """A value for each subset, drawn once; all that a model can be."""
    known: dict[tuple[bool, ...], float] = {}
    draws = rng(seed)
    return lambda kept: known.setdefault(kept, float(draws.normal()))


def values(method: SubsetScores, of: Game) -> Floats:
    return np.array([of(tuple(row)) for row in method.kept.tolist()])


def scores(method: SubsetScores, of: Game) -> Floats:
    return method.scores(values(method, of))


def kernel(kept: NDArray[np.bool_], width: float = 25.0) -> Floats:
    """As the package lime computes it."""
    distances = pairwise_distances(kept, np.ones((1, kept.shape[1])), metric="cosine").ravel() * 100
    return np.sqrt(np.exp(-(distances**2) / width**2))


# --- Shapley values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 6])
def test_shapley_is_the_mean_over_all_orders(n: int) -> None:
    of = game(n)
    total = np.zeros(n)
    orders = list(permutations(range(n)))
    for order in orders:
        kept = [False] * n
        for unit in order:
            before = of(tuple(kept))
            kept[unit] = True
            total[unit] += of(tuple(kept)) - before
    np.testing.assert_allclose(scores(shapley(n), of), total / len(orders), atol=1e-12)


# --- KernelSHAP -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_kernel_shap_of_all_subsets_is_shapley(n: int) -> None:
    of = game(n)
    found = kernel_shap(n, 2**n, rng())
    assert len(found.kept) == 2**n
    np.testing.assert_allclose(scores(found, of), scores(shapley(n), of), atol=1e-9)


def test_sampled_kernel_shap_adds_up_and_tends_to_shapley() -> None:
    n, of = 10, game(1)
    exact = scores(shapley(n), of)
    apart = []
    for samples in (60, 1000):
        found = [scores(kernel_shap(n, samples, rng(seed)), of) for seed in range(20)]
        assert [row.sum() for row in found] == pytest.approx([exact.sum()] * 20)
        apart.append(float(np.sqrt(np.mean((np.array(found) - exact) ** 2))))
        assert np.abs(np.mean(found, axis=0) - exact).max() < 4 * apart[-1] / np.sqrt(20)
    assert apart[1] < apart[0] / 2.5


# --- LIME -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "samples"), [(1, 20), (4, 30), (9, 500), (20, 300)])
def test_lime_is_the_ridge_regression_on_every_draw(n: int, samples: int) -> None:
    """With equal draws evaluated as often as they are drawn, as the package lime does."""
    method, of = lime(n, samples, rng(n)), game(n)
    answers = values(method, of)
    assert method.kept[0].all() and len(np.unique(method.kept, axis=0)) == len(method.kept)
    assert method.weights is not None
    times = method.weights / kernel(method.kept)
    np.testing.assert_allclose(times, times.round(), atol=1e-9)
    rows = np.repeat(np.arange(len(times)), times.round().astype(int))
    assert len(rows) == samples and (rows == 0).sum() == 1
    x, y, weights = method.kept[rows].astype(float), answers[rows], kernel(method.kept[rows])
    ridge = Ridge(alpha=1).fit(x, y, sample_weight=weights)
    np.testing.assert_allclose(method.scores(answers), ridge.coef_, atol=1e-9)
    assert method.fit(answers) == pytest.approx(r2_score(y, ridge.predict(x), sample_weight=weights))


@pytest.mark.parametrize(("samples", "width"), [(2, 25.0), (100, 25.0), (5000, 25.0), (5000, 0.5)])
def test_exact_lime_is_the_ridge_regression_on_what_draws_bring_on_average(samples: int, width: float) -> None:
    n, of = 5, game(0)
    kept, weights = [], []
    for number in range(2**n):
        row = [bool(number >> unit & 1) for unit in range(n)]
        removed = n - sum(row)
        often = (samples - 1) / (n * comb(n, removed)) if removed else 1.0
        kept.append(row)
        weights.append(often * kernel(np.array([row]), width)[0])
    # The penalty as one more row for each word; the intercept has none.
    roots = np.sqrt(weights)[:, None]
    x = np.column_stack([kept, np.ones(2**n)]) * roots
    y = np.array([of(tuple(row)) for row in kept]) * roots[:, 0]
    augmented = np.concatenate([x, np.eye(n + 1)[:n]])
    expected = np.linalg.lstsq(augmented, np.concatenate([y, np.zeros(n)]), rcond=None)[0][:n]
    np.testing.assert_allclose(scores(lime_exact(n, samples, width), of), expected, atol=1e-9)


def test_sampled_lime_scatters_about_exact_lime_and_tends_to_it() -> None:
    n, of, samples = 6, game(2), 300
    exact = scores(lime_exact(n, samples), of)
    found = np.array([scores(lime(n, samples, rng(seed)), of) for seed in range(200)])
    error = found.std(axis=0) / np.sqrt(len(found))
    # The regression is no linear function of the draws, so its mean is a little off.
    assert (np.abs(found.mean(axis=0) - exact) < 4 * error + 0.02 * np.abs(exact).max()).all()
    many = 200_000
    apart = np.abs(scores(lime(n, many, rng()), of) - scores(lime_exact(n, many), of)).max()
    assert apart < 0.1 * found.std(axis=0).max()


def test_a_model_that_never_changes_has_no_fit() -> None:
    method = lime(4, 50, rng())
    assert method.fit(np.full(len(method.kept), 0.7)) is None
    assert shapley(3).fit(np.arange(8.0)) is None


# --- the others, and what all share -----------------------------------------------------------------------------------


def test_random_scores_do_not_look_at_the_model() -> None:
    method = random_scores(1000, rng())
    assert method.kept.tolist() == [[True] * 1000]
    found = method.scores(np.array([0.9]))
    np.testing.assert_array_equal(found, method.scores(np.array([0.1])))
    assert -1 <= found.min() < -0.95 and 0.95 < found.max() <= 1


@given(counts, seeds)
def test_the_first_subset_is_the_whole_and_none_is_asked_for_twice(n: int, seed: int) -> None:
    methods = [occlusion(n), shapley(n), lime_exact(n, 100), kernel_shap(n, 200, rng(seed)), lime(n, 30, rng(seed))]
    for method in methods:
        assert method.kept[0].all()
        assert len(np.unique(method.kept, axis=0)) == len(method.kept)
        assert method.matrix.shape == method.kept.T.shape
        empty = method.at_empty(np.arange(float(len(method.kept))))
        assert (empty is None) == method.kept.any(axis=1).all()
        assert empty is None or not method.kept[int(empty)].any()


# --- texts ------------------------------------------------------------------------------------------------------------

VERY_SLOW = ("very", ",", "very", "slow")


def test_left_out_words_go_together_masked_ones_by_themselves() -> None:
    assert units_of(VERY_SLOW, "leave_out").tolist() == [0, 1, 0, 2]
    assert units_of(VERY_SLOW, "mask").tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="one of leave_out, mask, got 'delete'"):
        units_of(VERY_SLOW, "delete")  # type: ignore[arg-type]


def test_texts_of_subsets() -> None:
    together = np.array([[True, True, True], [False, True, True], [True, False, False], [False, False, False]])
    assert reduced_texts(VERY_SLOW, units_of(VERY_SLOW, "leave_out"), together, None) == [
        "very , very slow",
        ", slow",
        "very very",
        "",
    ]
    apart = np.array([[True, True, False, True], [False] * 4])
    assert reduced_texts(VERY_SLOW, units_of(VERY_SLOW, "mask"), apart, "[MASK]") == [
        "very , [MASK] slow",
        "[MASK] [MASK] [MASK] [MASK]",
    ]


def test_a_model_is_asked_once_for_each_text_and_for_short_ones_first() -> None:
    calls: list[list[str]] = []

    def lengths(texts: list[str]) -> Floats:
        calls.append(texts)
        return np.array([[len(text) / 100, 1 - len(text) / 100] for text in texts])

    texts: Sequence[Sequence[str]] = [["long text", "", "text"], ["text", "a"]]
    found = values_of(FunctionModel(lengths), texts)
    assert calls == [["", "a", "text", "long text"]]
    assert [rows[:, 0].tolist() for rows in found] == [[0.09, 0.0, 0.04], [0.04, 0.01]]


def test_answers_of_any_model_are_checked() -> None:
    class Careless:
        mask = "?"

        def probabilities(self, texts: Sequence[str], /) -> Floats:
            return np.full((len(texts), 2), 0.6)

    with pytest.raises(ModelError, match="sum to 1"):
        values_of(Careless(), [["a"]])
