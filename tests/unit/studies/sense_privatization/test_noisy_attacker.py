"""The best attacker on noisy vectors, where his success can be worked out."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trustnlp.studies.sense_privatization.noisy_attacker import noisy_success


def found(places, owners, prior, epsilon: float, draws: int = 20_000):
    # No vector may be zero.
    table = 1 + torch.tensor(places, dtype=torch.float64)[:, None]
    generator = torch.Generator().manual_seed(0)
    return noisy_success(table, np.arange(len(places)), owners, prior, epsilon, draws, generator=generator)


def test_two_words_on_a_line():
    """Noise is Laplace's in one dimension. Between equally likely words the border is half way: an error of e^(-ε/2)/2.
    With priors of .8 and .2 at ε = 1, one apart, the likelihood ratio of at most e never makes up for 4."""
    share, error = found([0.0, 1.0], [0, 1], [0.5, 0.5], 2.0)
    assert share == pytest.approx(1 - np.exp(-1) / 2, abs=4 * error) and error < 0.01
    assert found([0.0, 1.0], [0, 1], [0.8, 0.2], 1.0).share == pytest.approx(0.8)


def test_senses_of_a_word_add_up():
    """Two senses at one place are as good as one of their prior; senses at both ends leave a coin."""
    one = found([0.0, 0.0, 1.0], [3, 3, 8], [0.25, 0.25, 0.5], 2.0)
    assert one.share == pytest.approx(1 - np.exp(-1) / 2, abs=4 * one.error)
    # At every place the first word is the likelier one: .3 against .2.
    assert found([0.0, 1.0, 0.0, 1.0], [3, 3, 8, 8], [0.3, 0.3, 0.2, 0.2], 5.0).share == pytest.approx(0.6)


def test_far_away_words_are_told_apart_without_overflow():
    assert found([0.0, 1e6], [0, 1], [0.5, 0.5], 100.0, 100) == (1.0, 0.0)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="one owner and prior for each row and a draw"):
        found([0.0, 1.0], [0], [0.5, 0.5], 1.0)
    with pytest.raises(ValueError, match="one owner and prior for each row and a draw"):
        found([0.0, 1.0], [0, 1], [0.5, 0.5], 1.0, 0)
