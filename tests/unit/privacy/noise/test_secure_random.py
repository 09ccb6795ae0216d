"""Numbers from a key stream: the laws they claim, down to the tails; the stream itself is the system's."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy import stats

from trustnlp.privacy.noise import secure_random

# As in test_noise: the streams are fixed, so a right sampler passes always or, with this probability, never.
ALPHA = 1e-4
SAMPLES = 200_001


@pytest.fixture
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that can be repeated, in place of the system's."""

    rng = np.random.default_rng(0)
    monkeypatch.setattr(secure_random, "key_stream", lambda: lambda n: bytearray(rng.bytes(n)))


def stream_of(*words: int) -> Callable[[], Callable[[int], bytearray]]:
    read = np.array(words, dtype=np.int64).tobytes()
    return lambda: lambda n: bytearray(read[:n])


@pytest.mark.usefixtures("fixed")
def test_the_laws() -> None:
    signed = secure_random.signs_and_uniforms(SAMPLES).numpy()
    assert stats.kstest(signed, stats.uniform(-1, 2).cdf).pvalue > ALPHA
    assert stats.kstest(secure_random.uniforms(SAMPLES).numpy(), "uniform").pvalue > ALPHA
    normals = secure_random.normals(SAMPLES)
    assert len(normals) == SAMPLES
    assert stats.kstest(normals.numpy(), "norm").pvalue > ALPHA
    # Two of a Box–Muller pair, and neighbours, are independent.
    for step in (1, 1 << 15):
        agree = int((normals[:-step] * normals[step:] > 0).sum())
        assert stats.binomtest(agree, SAMPLES - step).pvalue > ALPHA
        assert stats.pearsonr(normals[:-step] ** 2, normals[step:] ** 2).pvalue > ALPHA


@pytest.mark.usefixtures("fixed")
@pytest.mark.parametrize("shape", [1.0, 1.5, 54.0, 300.0, 1e6])
def test_gammas(shape: float) -> None:
    drawn = secure_random.gammas(shape, 50_000)
    assert stats.kstest(drawn.numpy(), stats.gamma(shape).cdf).pvalue > ALPHA


def test_a_gamma_law_that_the_method_cannot_draw_is_refused() -> None:
    for shape in (0.5, math.nan, math.inf):
        with pytest.raises(ValueError, match="at least 1 here and finite"):
            secure_random.gammas(shape, 1)


def test_extreme_words_stay_in_range(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = [0, -1, 1, 2**63 - 1, -(2**63)]
    monkeypatch.setattr(secure_random, "key_stream", stream_of(*ends))
    values = secure_random.signs_and_uniforms(5).tolist()
    assert values == [2.0**-64, -1.5 * 2.0**-63, 1.5 * 2.0**-63, 1.0, -1.0]
    for first in ends:
        monkeypatch.setattr(secure_random, "key_stream", stream_of(first, 1))
        pair = secure_random.normals(2)
        assert torch.isfinite(pair).all()
        assert pair.norm() == pytest.approx(math.sqrt(-2 * math.log((abs(float(first)) + 0.5) * 2.0**-63)))


def test_the_stream_is_the_systems_and_does_not_repeat() -> None:
    first, second = (secure_random.key_stream() for _ in range(2))
    drawn = [bytes(read(64)) for read in (first, first, second, second)]
    assert len(set(drawn)) == 4
    assert all(isinstance(read(8), bytearray) for read in (first, second))


def test_without_the_optional_package_the_stream_is_os_urandom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secure_random, "ciphers", None)
    monkeypatch.setattr(secure_random.os, "urandom", lambda n: b"\x07" * n)
    assert secure_random.key_stream()(3) == bytearray(b"\x07\x07\x07")


@pytest.mark.skipif(importlib.util.find_spec("cryptography") is None, reason="cryptography is not installed")
def test_with_the_optional_package_the_stream_is_aes_in_counter_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """NIST SP 800-38A, F.5.5: CTR-AES256, first block."""
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    counter = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    monkeypatch.setattr(secure_random.os, "urandom", lambda n: key if n == 32 else counter)
    assert secure_random.key_stream()(16).hex() == "0bdf7df1591716335e9a8b15c860c502"


def test_the_stream_takes_an_older_cryptography_that_wants_a_longer_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Old:
        def update_into(self, data: bytes, buffer: bytearray) -> int:
            if len(buffer) < len(data) + 15:
                raise ValueError("buffer must be at least 15 bytes larger")
            buffer[: len(data)] = b"\x05" * len(data)
            return len(data)

    any_of_them = SimpleNamespace(AES=lambda key: key, CTR=lambda counter: counter)
    ciphers = SimpleNamespace(
        algorithms=any_of_them,
        modes=any_of_them,
        Cipher=lambda algorithm, mode: SimpleNamespace(encryptor=Old),
    )
    monkeypatch.setattr(secure_random, "ciphers", ciphers)
    assert secure_random.key_stream()(20) == bytearray(b"\x05" * 20)
