"""Inverse covariances: known truth, convergence, and what happens without."""

import warnings

import numpy as np
import pytest
from refusals import assert_refused
from sklearn.covariance import graphical_lasso
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
    fit = sparse_precision(draw(truth, 1500))
    assert (fit.estimator, fit.n_samples) == ("graphical_lasso", 1500)
    np.linalg.cholesky(fit.precision)
    np.testing.assert_array_equal(fit.precision, fit.precision.T)
    on_chain = np.abs(np.diag(fit.precision, k=1))
    far = np.abs(fit.precision[np.triu_indices(12, k=3)])
    assert on_chain.min() > 0.2 > 0.1 > far.max()
    np.testing.assert_allclose(fit.precision, truth, atol=0.2)


def test_more_dimensions_than_samples_and_any_unit():
    samples = draw(chain(40), 30)
    fits = [sparse_precision(scale * samples) for scale in (1.0, 1e-3)]
    for fit in fits:
        np.linalg.cholesky(fit.precision)
        assert fit.stopped in ("peak", "solver", "grid")
    assert fits[0].strength == fits[1].strength
    np.testing.assert_allclose(fits[1].precision * 1e-6, fits[0].precision, rtol=1e-6, atol=1e-9)


def test_penalty_is_the_best_of_those_scored():
    fit = sparse_precision(draw(chain(10), 60))
    scored = {penalty: score for penalty, score in fit.scores.items() if np.isfinite(score)}
    assert fit.strength == max(scored, key=scored.__getitem__)
    if fit.stopped == "peak":
        *_, best, last = fit.scores.values()
        assert last < best


def test_result_is_scikit_learns_at_the_chosen_penalty():
    samples = draw(chain(8), 200)
    fit = sparse_precision(samples, penalties=(0.3,))
    assert (fit.strength, fit.stopped) == (0.3, "grid")
    scatter = np.cov(samples.T, bias=True)
    largest = np.abs(scatter - np.diag(np.diag(scatter))).max()
    _, peer = graphical_lasso(scatter, 0.3 * largest, tol=1e-5)
    np.testing.assert_allclose(fit.precision, peer, atol=2e-3)


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
    give_up(good={1, 2, 3})  # three folds of the first penalty; not the second penalty, nor the final fit
    with pytest.raises(CovarianceError, match="converged at none of the penalties"):
        sparse_precision(samples, penalties=(0.5, 0.2))
    give_up(good={1, 2, 3, 5})  # the final fit at the first penalty as well
    fit = sparse_precision(samples, penalties=(0.5, 0.2))
    assert (fit.strength, fit.stopped) == (0.5, "solver")
    assert np.isnan(fit.scores[0.2])
    give_up(good={1, 2, 3, 4, 5, 6, 8})  # the final fit fails at the better penalty
    fit = sparse_precision(samples, penalties=(0.5, 0.2))
    assert fit.stopped == "solver" and fit.scores[fit.strength] == min(fit.scores.values())


def test_ledoit_wolf_is_invertible_and_close_for_many_samples():
    few = shrunk_precision(draw(chain(40), 5))
    np.linalg.cholesky(few.precision)
    assert 0 < few.strength <= 1 and few.stopped == "closed form"
    many = shrunk_precision(7 * draw(chain(5), 20_000))
    np.testing.assert_allclose(49 * many.precision, chain(5), atol=0.1)


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
    fit = sparse_precision(matrix, penalties=(0.34, 0.2, 0.11))
    assert fit.stopped == "peak"
    assert 0.1 < fit.strength < 0.34
    np.linalg.cholesky(fit.precision)
