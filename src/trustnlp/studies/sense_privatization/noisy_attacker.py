"""The attacker who sees the noisy vector itself: an upper bound, without sampled probabilities, for all who see words.

Feyisetan et al. (2020), on whom Arnold, Yesilbas and Weinzierl (2023) build, add noise z of density ∝ exp(−ε‖z‖) to
the vector that is looked up and return the nearest candidate. It is computed from the noisy vector y, so whoever sees y
guesses the word at least as well. The law of y is known: the best guess is the word of the largest sum of
p(r) exp(−ε‖y − vᵣ‖) over its rows r, one for each of its senses. Nothing is learnt, so nothing is learnt too well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from trustnlp.privacy.text.word_substitution import NearestWord

_DISTANCES_AT_ONCE = 1 << 23


class Success(NamedTuple):
    """Share of right guesses, weighted by the prior, and its standard error."""

    share: float
    error: float


def noisy_success(
    table: Tensor,
    rows: ArrayLike,
    owners: ArrayLike,
    prior: ArrayLike,
    epsilon: float,
    draws: int,
    *,
    generator: torch.Generator | None = None,
) -> Success:
    """How often the best attacker on noisy vectors is right.

    Parameters
    ----------
    table
        `(R, d)` vectors that are looked up, such as `arms["sense"].table`.
    rows, owners, prior
        `(n,)` each, as for `trustnlp.studies.sense_privatization.equal_protection.protection_curve`.
    draws
        For each row.

    Raises
    ------
    ValueError
        The shapes differ, or no draw.
    """
    looked_up, words = torch.tensor(np.asarray(rows)), np.asarray(owners)
    shares = torch.tensor(np.asarray(prior, dtype=np.float64))
    if not looked_up.shape == words.shape == shares.shape == (len(words),) or draws < 1:
        raise ValueError(
            f"needs one owner and prior for each row and a draw, got {tuple(looked_up.shape)}, {words.shape}, "
            f"{tuple(shares.shape)} and {draws}"
        )
    mechanism = NearestWord(table, epsilon)
    meant = table[looked_up].double()
    of = torch.from_numpy(np.unique(words, return_inverse=True)[1])
    right = torch.empty(len(words), dtype=torch.float64)
    at_once = max(1, _DISTANCES_AT_ONCE // (draws * len(words)))
    for start in range(0, len(words), at_once):
        some = slice(start, start + at_once)
        noisy = mechanism.noisy(looked_up[some].repeat_interleave(draws), generator=generator).double()
        score = shares.log() - epsilon * torch.cdist(noisy, meant, compute_mode="donot_use_mm_for_euclid_dist")
        # Sums over the senses of a word, of terms relative to the largest so that none overflows.
        score = (score - score.max(dim=1, keepdim=True).values).exp()
        summed = score.new_zeros(len(score), int(of.max()) + 1).index_add_(1, of, score)
        guess = summed.argmax(dim=1).view(-1, draws)
        right[some] = (guess == of[some, None]).double().mean(dim=1)
    error = (shares.square() * right * (1 - right) / draws).sum().sqrt()
    return Success(float(shares @ right), float(error))
