"""Inverse covariances: known truth, convergence, and what happens without."""

import warnings

import numpy as np
import pytest
from refusals import assert_refused
from sklearn.covariance import graphical_lasso, log_likelihood
from sklearn.exceptions import ConvergenceWarning

from trustnlp.bias.association_tests import covariance
from trustnlp.bias.association_tests.covariance import (
    CovarianceError,
    enlarge,
    fit_precision,
    shrunk_precision,
    sparse_precision,
)
from trustnlp.embeddings.static import WordVectors


def chain(d: int) -> np.ndarray:
    """The precision matrix of a chain: every dimension depends on its neighbours only."""
    return np.eye(d) + 0.4 * (np.eye(d, k=1) + np.eye(d, k=-1))


def draw(precision: np.ndarray, n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).multivariate_normal(np.zeros(len(precision)), np.linalg.inv(precision), size=n)


def test_graphical_lasso_finds_a_planted_chain():
    truth = chain(12)
    found = sparse_precision(draw(truth, 1500))
    np.linalg.cholesky(found)
    np.testing.assert_array_equal(found, found.T)
    on_chain, far = np.abs(np.diag(found, k=1)), np.abs(found[np.triu_indices(12, k=3)])
    assert on_chain.min() > 0.2 > 0.1 > far.max()
    np.testing.assert_allclose(found, truth, atol=0.2)


def test_more_dimensions_than_samples_and_any_unit():
    samples = draw(chain(40), 30)
    one, other = (sparse_precision(scale * samples) for scale in (1.0, 1e-3))
    np.linalg.cholesky(one)
    np.testing.assert_allclose(other * 1e-6, one, rtol=1e-6, atol=1e-9)


def peer(samples: np.ndarray, penalty: float) -> np.ndarray:
    """scikit-learn's graphical lasso at a penalty relative to the largest covariance."""
    scatter = np.cov(samples.T, bias=True)
    largest = np.abs(scatter - np.diag(np.diag(scatter))).max()
    return graphical_lasso(scatter, penalty * largest, tol=1e-3, enet_tol=1e-7)[1]


def test_result_is_scikit_learns_at_the_penalty_that_tells_the_held_out_third_best():
    samples, grid = draw(chain(8), 60), (0.6, 0.3, 0.1)
    thirds = [np.arange(60) % 3 == fold for fold in range(3)]
    likelihood = {
        penalty: np.mean([
            log_likelihood(np.cov(samples[third].T, bias=True), peer(samples[~third], penalty)) for third in thirds
        ])
        for penalty in grid
    }  # fmt: skip
    best = max(grid, key=likelihood.__getitem__)
    assert best not in (grid[0], grid[-1])
    np.testing.assert_allclose(sparse_precision(samples, penalties=grid), peer(samples, best), atol=1e-2)


def test_unconverged_fits_are_never_used(monkeypatch):
    calls = []

    def give_up(good: set[int]) -> None:
        def stubborn(scatter: np.ndarray, penalty: float, **settings: float) -> tuple[np.ndarray, np.ndarray]:
            calls.append(penalty)
            if len(calls) not in good:
                warnings.warn("did not converge", ConvergenceWarning, stacklevel=2)
            return graphical_lasso(scatter, penalty, **settings)

        calls.clear()
        monkeypatch.setattr(covariance, "graphical_lasso", stubborn)

    samples = draw(chain(6), 60)
    strong, weak = (sparse_precision(samples, penalties=(penalty,)) for penalty in (0.5, 0.2))
    np.testing.assert_array_equal(sparse_precision(samples, penalties=(0.5, 0.2)), weak)
    give_up(good={1, 2, 3})  # three folds of the first penalty; not the second penalty, nor the final fit
    with pytest.raises(CovarianceError, match="converged at none of the penalties"):
        sparse_precision(samples, penalties=(0.5, 0.2))
    give_up(good={1, 2, 3, 5})  # the final fit at the first penalty as well
    np.testing.assert_array_equal(sparse_precision(samples, penalties=(0.5, 0.2)), strong)
    give_up(good={1, 2, 3, 4, 5, 6, 8})  # the final fit fails at the better penalty
    np.testing.assert_array_equal(sparse_precision(samples, penalties=(0.5, 0.2)), strong)


def test_ledoit_wolf_is_invertible_and_close_for_many_samples():
    np.linalg.cholesky(shrunk_precision(draw(chain(40), 5)))
    np.testing.assert_allclose(49 * shrunk_precision(7 * draw(chain(5), 20_000)), chain(5), atol=0.1)


@pytest.mark.parametrize("estimator", ["ledoit_wolf", "graphical_lasso"])
def test_no_covariance_is_an_error(estimator):
    rows = [
        (np.ones((1, 4)), "n ≥"),
        (np.ones(4), "shape"),
        (np.ones((10, 4)), "all samples are equal"),
        (np.full((10, 4), np.nan), "NaN"),
    ]
    assert_refused(lambda samples: fit_precision(samples, estimator), rows, error=CovarianceError)
    two_on_a_line = np.outer([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0])
    assert_refused(sparse_precision, [(two_on_a_line, r"singular|converged at none")], error=CovarianceError)


def test_unknown_names_and_penalties():
    assert_refused(fit_precision, [(np.eye(4), "empirical", "ledoit_wolf, graphical_lasso")])
    penalties = [(), (0.1, 0.5), (0.5, 0.0), (2.0,)]
    assert_refused(lambda each: sparse_precision(np.eye(8), penalties=each), [(p, "strong to weak") for p in penalties])


def test_enlarge_adds_neighbours_once_and_keeps_the_words_first():
    angles = np.deg2rad([0, 5, 8, 90, 95, 180])
    vectors = WordVectors(list("abcdef"), np.stack([np.cos(angles), np.sin(angles)], axis=1), "on a circle")
    assert enlarge(["a", "d", "unknown"], vectors, 1) == ["a", "d", "b", "e"]
    assert enlarge(["a", "b"], vectors, 1) == ["a", "b", "c"]
    assert enlarge(["d"], vectors, 0) == ["d"]
    assert_refused(enlarge, [(["unknown"], vectors, 3, "0 of 1 known"), (["a"], vectors, -1, "k=-1")])


@pytest.mark.slow
def test_real_attribute_set_converges(googlenews, weat_tests):
    """25 pleasant words and 5 neighbours each, in more dimensions than words: an interior penalty and no breakdown."""
    words = enlarge(weat_tests[1].A, googlenews, 5)
    matrix = googlenews.stack(words)[:, :160]
    assert len(matrix) < 160
    found = sparse_precision(matrix, penalties=(0.34, 0.2, 0.11))
    np.linalg.cholesky(found)
    np.testing.assert_array_equal(found, sparse_precision(matrix, penalties=(0.2,)))
