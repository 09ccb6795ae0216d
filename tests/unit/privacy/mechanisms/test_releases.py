"""The one call that readers make: kinds of input, seeds, and messages for what cannot be released."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from gensim.models import KeyedVectors
from refusals import assert_refused

from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.mechanisms.projection import ProjectedRelease, gaussian_projection, principal_rows
from trustnlp.privacy.mechanisms.releases import release
from trustnlp.privacy.noise import secure_random
from trustnlp.privacy.noise.randomness import seeded_generators

ROWS = np.random.default_rng(0).normal(size=(6, 300)).astype(np.float32)
PUBLIC = np.vstack([ROWS, np.random.default_rng(1).normal(size=(60, 300)).astype(np.float32)])
METHODS: list[dict[str, Any]] = [
    {"method": "orthonormal"},
    {"method": "projected"},
    {"method": "plain"},
    {"method": "exact", "vocabulary": PUBLIC},
    {"method": "principal", "vocabulary": PUBLIC},
]


def test_every_kind_of_input_gives_the_same_release() -> None:
    words = WordVectors([f"word{i}" for i in range(6)], ROWS, "made up")
    array = release(ROWS, epsilon=5.0, insecure_seed=1)
    tensor = release(torch.from_numpy(ROWS.copy()), epsilon=5.0, insecure_seed=1)
    assert isinstance(array.vectors, np.ndarray) and isinstance(tensor.vectors, torch.Tensor)
    assert np.array_equal(array.vectors, tensor.vectors.numpy())
    listed = release(ROWS.tolist(), epsilon=5.0, insecure_seed=1).vectors
    assert listed.dtype == np.float64
    assert np.array_equal(listed.astype(np.float32), array.vectors)
    keyed = KeyedVectors(300)
    keyed.add_vectors(words.words, ROWS)
    for given in (words, keyed, pd.DataFrame(ROWS)):
        assert np.array_equal(array.vectors, release(given, epsilon=5.0, insecure_seed=1).vectors)


def test_a_release_of_trained_vectors_does_not_lead_back_to_them() -> None:
    trained = torch.from_numpy(ROWS.copy()).requires_grad_()
    for method in METHODS:
        released = release(trained, epsilon=5.0, insecure_seed=1, **method).vectors
        assert released.grad_fn is None and not released.requires_grad


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method["method"])
def test_seeds_both_ways(method: dict[str, Any]) -> None:
    first, again, other = (release(ROWS, epsilon=5.0, insecure_seed=seed, **method).vectors for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    fresh = [release(ROWS, epsilon=5.0, **method).vectors for _ in range(2)]
    assert not np.array_equal(*fresh)


def test_a_guarantee_names_the_pairs_that_it_covers_and_keeps_its_word_for_them() -> None:
    """Twenty Gaussian matrices of 54 × 300 stretch some pair 3.2 to 3.4 times, where the noise is made for 1.9."""
    for seed in range(20):
        for method in ("orthonormal", "projected"):
            told = release(ROWS, epsilon=1.0, insecure_seed=seed, method=method)
            longest = float(torch.linalg.matrix_norm(told.projection, ord=2))
            if method == "orthonormal":
                assert longest <= told.guarantee.sensitivity.value < 2.36 and told.guarantee.delta == 0
                assert told.guarantee.covers == "all pairs of inputs"
                continue
            assert longest > 3.1
            said = str(told.guarantee)
            all_pairs = re.search(r"given before the matrix was drawn .* For all pairs.*\(([0-9.]+), 0\)", said)
            assert all_pairs and float(all_pairs[1]) == pytest.approx(longest / 1.9, rel=1e-3)


def test_with_little_noise_the_projection_explains_the_release() -> None:
    for method in METHODS:
        released = release(ROWS, epsilon=1e7, insecure_seed=1, **method)
        matrix = np.eye(300) if released.projection is None else released.projection.numpy()
        assert np.abs(released.vectors - ROWS @ matrix.T).max() < 1e-4
    expected = principal_rows(torch.from_numpy(PUBLIC.copy()), 54)
    assert torch.equal(release(ROWS, epsilon=1.0, **METHODS[4]).projection, expected)


def test_the_dimension_can_be_chosen() -> None:
    for method in (METHODS[0], METHODS[1], METHODS[3], METHODS[4]):
        assert release(ROWS, epsilon=1.0, m=40, **method).vectors.shape == (6, 40)
    # 300 · β² ≥ 43.4 dimensions whatever the method.
    assert release(ROWS, epsilon=1.0, beta=0.5).vectors.shape == (6, 174)


def test_what_cannot_be_released() -> None:
    assert_refused(
        lambda vectors, arguments: release(vectors, **({"epsilon": 5.0} | arguments)),
        [
            (ROWS, {"epsilon": 0.0}, ValueError, "epsilon is positive and finite .* got 0.0"),
            (ROWS, {"delta": 0.0}, ValueError, "delta is a probability strictly between 0 and 1, got 0.0"),
            (ROWS, {"delta": 0.999, "method": "projected"}, ValueError, "fail outright for one row in 1; take 0.1"),
            (ROWS, {"method": "private"}, ValueError, "method is one of orthonormal, .*, principal, got 'private'"),
            (ROWS, {"method": "plain", "m": 50}, ValueError, "'plain' releases all dimensions"),
            (ROWS, {"method": "exact"}, ValueError, "'exact' needs vocabulary="),
            (ROWS, {"vocabulary": ROWS}, ValueError, "'orthonormal' uses no vocabulary"),
            (ROWS, {"method": "principal", "vocabulary": PUBLIC[:, :9]}, ValueError, "has 9 dimensions, the vectors"),
            (ROWS, {"method": "exact", "vocabulary": ROWS}, ValueError, "the vectors to release and no others"),
            (ROWS, {"epsilon": "10"}, TypeError, "epsilon is one number, got str: '10'"),
            (ROWS, {"method": "plain", "beta": 0.9}, ValueError, "so beta and delta change nothing"),
            (ROWS, METHODS[3] | {"m": 40, "delta": 1e-6}, ValueError, "'exact' is given m, so beta and delta change"),
            (ROWS, {"m": 54.0}, TypeError, "m is a whole number, got 54.0"),
            (ROWS, {"insecure_seed": 1.5}, TypeError, "insecure_seed is a whole number, got 1.5"),
            (ROWS, {"seed": 1}, TypeError, "release takes no seed: noise that can be repeated can be taken off"),
            (ROWS, {"epsilom": 1}, TypeError, "unexpected keyword argument 'epsilom'"),
            (np.ma.masked_invalid(ROWS), {}, TypeError, "vectors are masked, and the mask would be lost"),
            (pd.DataFrame({"word": ["a"], "value": [1.0]}), {}, TypeError, "float32 or float64 .* got object"),
            ([[1.0, 2.0], [1.0, 2.0, 3.0]], {}, ValueError, "vectors are a matrix of numbers, .* of the same length"),
            ({"word": [1.0]}, {}, TypeError, "WordVectors or KeyedVectors, got dict"),
        ],
    )


def test_the_published_projection_and_the_noise_have_generators_of_their_own() -> None:
    for_projection, for_noise = seeded_generators(3)
    assert not torch.equal(for_projection.get_state(), for_noise.get_state())
    projection = gaussian_projection(300, 54, generator=for_projection)
    expected = ProjectedRelease(1.0, 1e-6, 0.9, projection)(torch.tensor(ROWS), generator=for_noise)
    found = release(ROWS, epsilon=1.0, insecure_seed=3, method="projected")
    assert torch.equal(torch.as_tensor(found.vectors), expected)


def test_the_noise_is_drawn_from_the_cryptographic_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same key stream, the same release: nothing else goes into the noise, torch's generators included."""

    def zeros(n: int) -> bytearray:
        return bytearray(b"\x01\x20\x80" * (n // 3 + 1))[:n]

    monkeypatch.setattr(secure_random, "key_stream", lambda: zeros)
    first, second = (release(ROWS, epsilon=1.0, method="plain").vectors for _ in range(2))
    assert np.array_equal(first, second)
