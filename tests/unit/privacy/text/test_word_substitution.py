"""Four word mechanisms: their laws, their guarantees by enumeration and by audit, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from refusals import assert_refused
from scipy import stats

from trustnlp.privacy.accounting.guarantee import Relation
from trustnlp.privacy.audits.noise_law import NoiseLaw, direction_fit, length_fit, together
from trustnlp.privacy.noise import secure_random
from trustnlp.privacy.text.word_substitution import (
    MahalanobisNearestWord,
    NearestWord,
    RandomisedWord,
    Substitution,
    TruncatedExponential,
    truncation,
)

SIX = torch.tensor([[1.0, 0.0], [1.0, 0.5], [2.0, 0.0], [0.0, 3.0], [-4.0, 1.0], [1.0, 0.0001]])


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def normals(n: int, d: int, seed: int = 0) -> torch.Tensor:
    return torch.randn((n, d), generator=seeded(seed))


def all_four(vectors: torch.Tensor, epsilon: float) -> list[Substitution]:
    return [
        NearestWord(vectors, epsilon),
        MahalanobisNearestWord(vectors, epsilon),
        TruncatedExponential(vectors, epsilon),
        RandomisedWord(len(vectors), epsilon),
    ]


def frequencies(mechanism: Substitution, row: int, draws: int, seed: int) -> np.ndarray:
    found = mechanism(torch.full((draws,), row), generator=seeded(seed))
    return torch.bincount(found, minlength=mechanism.size).numpy()


def assert_law(mechanism: Substitution, chances: np.ndarray, draws: int = 20_000) -> None:
    """The drawn words of each row follow `(V, V)` chances."""
    for row, expected in enumerate(chances):
        found = frequencies(mechanism, row, draws, seed=row)
        often = expected * draws >= 5
        # What is rare is one class, so that the statistic follows its law.
        seen = np.append(found[often], found[~often].sum()), np.append(expected[often], expected[~often].sum()) * draws
        assert seen[0][seen[1] == 0].sum() == 0
        seen = tuple(part[seen[1] > 0] for part in seen)
        assert stats.chisquare(*seen, sum_check=False).pvalue > 1e-3, row


def largest_excess(chances: np.ndarray, allowed: np.ndarray) -> float:
    """By how much the largest log-ratio of two rows of chances exceeds what is allowed for the two words."""
    losses = np.abs(np.log(chances)[:, None, :] - np.log(chances)[None, :, :]).max(axis=2)
    return float((losses - allowed).max())


def distances(vectors: torch.Tensor) -> np.ndarray:
    values = vectors.double().numpy()
    return np.linalg.norm(values[:, None] - values[None], axis=2)


def test_nearest_word_in_one_dimension_has_the_chances_of_laplace_noise() -> None:
    points, epsilon = np.array([-2.0, -1.0, 0.5, 1.0, 4.0]), 1.3
    mechanism = NearestWord(torch.tensor(points)[:, None], epsilon)
    borders = np.concatenate([[-np.inf], (points[1:] + points[:-1]) / 2, [np.inf]])
    chances = np.diff(stats.laplace(points[:, None], 1 / epsilon).cdf(borders[None, :]), axis=1)
    assert largest_excess(chances, epsilon * np.abs(points[:, None] - points)) < 1e-9
    assert_law(mechanism, chances)


def test_noise_follows_its_law_and_the_nearest_word_is_exact() -> None:
    vectors, epsilon = normals(50, 12), 3.0
    mechanism, rows = NearestWord(vectors, epsilon), torch.arange(2000) % 50
    noisy = mechanism.noisy(rows, generator=seeded(1))
    noise = (noisy - vectors[rows].double()).numpy()
    for scale, fits in ((1 / epsilon, True), (0.5 / epsilon, False)):
        law = NoiseLaw("multivariate_laplace", scale)
        assert (together(length_fit(noise, law)).p_value > 1e-3) == fits
        assert together(direction_fit(noise, law, rng=np.random.default_rng(0))).p_value > 1e-3
    nearest = torch.cdist(noisy, vectors.double()).argmin(dim=1)
    assert torch.equal(mechanism(rows, generator=seeded(1)), nearest)


def test_mahalanobis_noise_has_the_shape_of_the_vectors() -> None:
    vectors, epsilon, mixing = normals(400, 5) @ torch.diag(torch.tensor([9.0, 3.0, 1.0, 1.0, 0.1])), 2.0, 0.7
    vectors = vectors + 1
    mechanism, rows = MahalanobisNearestWord(vectors, epsilon, mixing), torch.arange(3000) % 400
    covariance = np.cov(vectors.double().numpy().T)
    covariance *= 5 / np.trace(covariance)
    shape = mixing * covariance + (1 - mixing) * np.eye(5)
    noise = (mechanism.noisy(rows, generator=seeded(2)) - vectors[rows].double()).numpy()
    # Any factor of the inverse makes the noise round; this one is not the one that the mechanism uses.
    round_ = np.linalg.solve(np.linalg.cholesky(shape), noise.T).T
    law = NoiseLaw("multivariate_laplace", 1 / epsilon)
    assert together(length_fit(round_, law)).p_value > 1e-3
    assert together(direction_fit(round_, law, rng=np.random.default_rng(0))).p_value > 1e-3
    assert together(direction_fit(noise, law, rng=np.random.default_rng(0))).p_value < 1e-6
    smallest = np.linalg.eigvalsh(shape)[0]
    assert smallest >= 1 - mixing
    assert mechanism.epsilon == epsilon
    assert mechanism.guarantee.epsilon == pytest.approx(epsilon / math.sqrt(smallest), rel=1e-9)
    # The metric of the paper never exceeds what the stated guarantee allows.
    moved = normals(500, 5, 3).double().numpy()
    own = np.sqrt(np.einsum("ij,ij->i", moved, np.linalg.solve(shape, moved.T).T))
    assert (epsilon * own <= mechanism.guarantee.epsilon * np.linalg.norm(moved, axis=1) * (1 + 1e-9)).all()


def as_published(vectors: torch.Tensor, epsilon: float, threshold: float) -> np.ndarray:
    """`(V, V)` chances of TEM in the paper's form: words within γ, and ⊥, by the exponential mechanism."""
    found = np.zeros((len(vectors), len(vectors)))
    for row, away in enumerate(distances(vectors)):
        near, far = np.flatnonzero(away <= threshold), np.flatnonzero(away > threshold)
        scores = list(-away[near])
        if len(far):
            scores.append(-threshold + 2 * math.log(len(far)) / epsilon)
        chances = np.exp(epsilon / 2 * np.array(scores))
        chances /= chances.sum()
        found[row, near] = chances[: len(near)]
        if len(far):
            found[row, far] = chances[-1] / len(far)
    return found


@pytest.mark.parametrize("threshold", [0.3, 2.0, None])
def test_truncated_exponential_has_the_chances_of_the_paper(threshold: float | None) -> None:
    epsilon = 1.7
    mechanism = TruncatedExponential(SIX, epsilon, threshold)
    chances = as_published(SIX, epsilon, mechanism.threshold)
    weights = mechanism.log_weights(torch.arange(6)).exp().numpy()
    assert weights / weights.sum(axis=1, keepdims=True) == pytest.approx(chances, rel=1e-12)
    assert largest_excess(chances, epsilon * np.minimum(distances(SIX), mechanism.threshold)) < 1e-9
    assert_law(mechanism, chances)


@pytest.mark.parametrize("size", [2, 3, 9, 10, 17])
def test_any_number_of_words_falls_into_blocks(size: int) -> None:
    vectors = normals(size, 3)
    mechanism = TruncatedExponential(vectors, 1.0)
    assert_law(mechanism, as_published(vectors, 1.0, mechanism.threshold), draws=5000)


def test_distances_of_near_words_keep_their_digits() -> None:
    vectors = normals(40, 20).double() * 1e-9 + 1
    weights = TruncatedExponential(vectors, 2.0, threshold=1.0).log_weights(torch.arange(40))
    assert -weights.numpy() == pytest.approx(distances(vectors), rel=1e-9)


def test_a_lonely_word_is_kept_with_the_probability_of_the_threshold() -> None:
    vectors = torch.cat([torch.full((1, 2), 1e6), normals(999, 2)])
    chances = as_published(vectors, 5.0, truncation(5.0, 1000, beta=0.01))
    assert chances[0, 0] == pytest.approx(0.99, rel=1e-9)
    assert truncation(5.0, 1000) == pytest.approx(2 / 5 * math.log(0.999 * 999 / 0.001), rel=1e-12)


def test_randomised_response_has_its_chances() -> None:
    epsilon, size = 1.2, 5
    other = 1 / (math.exp(epsilon) + size - 1)
    chances = np.full((size, size), other)
    np.fill_diagonal(chances, math.exp(epsilon) * other)
    assert_law(RandomisedWord(size, epsilon), chances)
    assert RandomisedWord(size, epsilon).guarantee.relation is Relation.LOCAL


def test_the_same_rows_in_other_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks change which numbers a word gets, but no word is lost or put elsewhere."""
    vectors, rows = normals(300, 4) * 100, torch.randint(300, (1000,), generator=seeded(0))
    for module_name, value in (("_ROWS_AT_ONCE", 70), ("_WEIGHTS_AT_ONCE", 900)):
        monkeypatch.setattr(f"trustnlp.privacy.text.word_substitution.{module_name}", value)
        for mechanism in all_four(vectors, 100.0):
            assert torch.equal(mechanism(rows, generator=seeded(1)), rows)


def test_generators_repeat_and_none_is_the_cryptographic_source(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = torch.arange(20).repeat(5)
    mechanisms = all_four(normals(20, 3), 1.0)
    for mechanism in mechanisms:
        found = mechanism(rows, generator=seeded(4))
        assert torch.equal(found, mechanism(rows, generator=seeded(4)))
        assert not torch.equal(found, mechanism(rows, generator=seeded(5)))
        assert not torch.equal(mechanism(rows), mechanism(rows))

    class CalledError(Exception):
        pass

    def called(*_: object) -> None:
        raise CalledError

    for name in ("uniforms", "normals", "gammas", "signs_and_uniforms"):
        monkeypatch.setattr(secure_random, name, called)
    for mechanism in mechanisms:
        with pytest.raises(CalledError):
            mechanism(rows)
        mechanism(rows, generator=seeded(4))


def test_no_rows_no_words() -> None:
    nothing = torch.empty(0, dtype=torch.int64)
    for mechanism in all_four(normals(20, 3), 1.0):
        assert mechanism(nothing).shape == (0,) and mechanism(nothing).dtype == torch.int64


def test_bad_rows() -> None:
    for mechanism in all_four(normals(20, 3), 1.0):
        assert_refused(
            mechanism,
            [
                (torch.tensor([20]), "rows of 20 words lie between 0 and 19, got 20 to 20"),
                (torch.tensor([3, -1]), "got -1 to 3; leave words without a vector out"),
                (torch.tensor([[3]]), r"shape \(n,\), got \(1, 1\)"),
                (torch.tensor([3], dtype=torch.int32), TypeError, "int64 tensor of shape .* got torch.int32"),
            ],
        )


def test_bad_vectors_and_parameters() -> None:
    good = normals(4, 3)
    for maker in (NearestWord, MahalanobisNearestWord, TruncatedExponential):
        assert_refused(
            maker,
            [
                (good[:1], 1.0, "at least two words, got one"),
                (torch.cat([good, torch.zeros(1, 3)]), 1.0, "the vector of row 4 is zero"),
                (good, 0.0, "epsilon is positive"),
            ],
        )
    assert_refused(
        lambda function, *arguments: function(*arguments),
        [
            (RandomisedWord, 4, math.inf, "epsilon is positive"),
            (RandomisedWord, 1, 1.0, "at least two, got 1"),
            (MahalanobisNearestWord, good, 1.0, -0.1, "between 0 and 1"),
            (MahalanobisNearestWord, normals(3, 5), 1.0, 1.0, "take a smaller mixing"),
            (MahalanobisNearestWord, torch.ones(3, 5), 1.0, "all vectors are equal"),
            (TruncatedExponential, good, 1.0, 0.0, "a distance above 0"),
            (TruncatedExponential, good.double() * 1e200, 1.0, "overflows float64"),
            (truncation, 1.0, 2, 0.6, "take a smaller beta"),
        ],
    )
