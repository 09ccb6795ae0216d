"""Attacks on a hidden word from its neighbours (`attack`), and on one substitute (`protection_curve`).

Arnold, Yesilbas and Weinzierl (2023), §3, choose the sense of a word by the words around it, so the release of a word's
neighbours depends on the word (`trustnlp.privacy.text.sense_moves`). `attack` sees these neighbours, knows the rest of
the text and that two words are equally likely, and guesses the likelier one. Under the word mechanism the neighbours'
look-ups do not depend on the hidden word, and any attacker is right half of the time. What he finds does not grow with
ε: both senses of a neighbour have the same word, which with little noise is released beside either.

§4.2 compares at equal N_w. `protection_curve` compares where an attacker does equally well: he sees the substitute of
one word, knows the mechanism, ε and how frequent the words are, and guesses the likeliest word. The best is right with
probability Σₒ max_w p(w) P(o | w); most entries of P are so small that hardly any is seen twice, so this one starts
from distances and corrects them by what he has seen: a lower bound of the best one. Utility is the mean cosine of
substitute and original in vectors from elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from torch import Tensor

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.text.sense_moves import rows_around
from trustnlp.studies.sense_privatization.deniability import Draw, Floats, Ints, repeated
from trustnlp.studies.sense_privatization.models import Arm

# Added to each count: so much of a draw that was not made.
SMOOTHING = 0.5
# What the attacker chooses among: so many draws is worth what distances tell, which decays by such a share of ε.
BACKINGS = (1.0, 10.0, 100.0, float("inf"))
DECAYS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)


def attack(
    queries: Sequence[Occurrence],
    others: Sequence[str],
    draw: Draw,
    draws: int,
    inventory: SenseInventory,
    vectors: WordVectors,
) -> Floats:
    """`(n,)` share of right guesses, for each query, between its word and the other one; one half is chance.

    Half of the draws, of each sense that a flipping neighbour may have, estimate how likely each substitute is: counts
    plus `SMOOTHING`. All senses are drawn equally often and smoothed over the same substitutes, so the divisors cancel
    and a substitute never seen tells nothing. The other half are releases to attack, drawn anew for each neighbour and
    either word. The logarithms of the likelihood ratios are added over the neighbours; at zero the guess is a coin (one
    half right). As likelihoods are estimated, the best attacker is right at least as often in expectation.

    Parameters
    ----------
    queries, others
        Each word at its place, and the word that may have stood there instead.
    draw
        The mechanism at some ε, such as `arms["sense"].at(epsilon, generator)`.
    draws
        At least 2.
    """
    before, after = (rows_around(queries, words, inventory, vectors) for words in (None, others))
    flips = before != after
    flips[:, flips.shape[1] // 2] = False  # the hidden word's own release is not seen
    which = np.nonzero(flips)[0]
    if not len(which):
        return np.full(len(queries), 0.5)
    pair = np.stack([before[flips], after[flips]])
    senses, number = np.unique(pair, return_inverse=True)
    one, other = number.reshape(pair.shape)
    learnt = repeated(draw, senses, draws // 2)
    numbers = np.repeat(np.arange(len(senses)), learnt.shape[1])
    shape = len(senses), len(inventory.words)
    counts = sparse.csr_array((np.ones(learnt.size), (numbers, learnt.ravel())), shape=shape)

    def log_likelihood(sense: Ints, seen: Ints) -> Floats:
        seen_before = counts[np.repeat(sense, seen.shape[1]), seen.ravel()]
        logarithms: Floats = np.log(seen_before + SMOOTHING).reshape(seen.shape)
        return logarithms

    right = np.zeros(len(queries))
    for truth, sign in zip(pair, (1, -1), strict=True):
        seen = repeated(draw, truth, draws - draws // 2)
        evidence = np.zeros((len(queries), seen.shape[1]))
        np.add.at(evidence, which, log_likelihood(one, seen) - log_likelihood(other, seen))
        right += np.where(evidence == 0, 0.5, sign * evidence > 0).mean(axis=1) / 2
    return right


def independent_units(words: Sequence[str], independent: WordVectors) -> NDArray[np.float32]:
    """`(V, d)` the vectors of these words in an independent space, of length one; NaN for words that it lacks."""
    known = [row for row, word in enumerate(words) if word in independent]
    units = np.full((len(words), independent.dim), np.nan, dtype=np.float32)
    if known:
        units[known] = independent.restrict([words[row] for row in known]).unit
    return units


def protection_curve(
    arm: Arm,
    rows: ArrayLike,
    owners: ArrayLike,
    prior: ArrayLike,
    epsilons: Sequence[float],
    draws: int,
    *,
    units: NDArray[np.float32],
    generator: torch.Generator | None = None,
) -> tuple[Floats, Floats]:
    """Attacker's success and utility of a mechanism over ε, on a set of words.

    Parameters
    ----------
    arm
        The mechanism, one of `arms_of`.
    rows
        `(n,)` rows of its table that are looked up: one a word, or one for each sense of a word.
    owners
        `(n,)` row in the vocabulary of the word that each belongs to. The attacker guesses the word, not the sense.
    prior
        `(n,)` probability of each row: the word's share, times that of the sense in the word. Sums to 1.
    draws
        For each row and ε, at least 3.
    units
        `(V, d)` from `independent_units`.

    Returns
    -------
    `(E,)` success of an attacker who counts in a third of the draws, chooses how to guess by another third and is tried
    on the last, averaged over the three ways round: in expectation at most that of the best attacker. `(E,)` mean
    cosine of substitute and original, over draws where both are in the other vectors; NaN without any.
    """
    looked_up, words = (np.asarray(numbers, dtype=np.int64) for numbers in (rows, owners))
    shares = np.asarray(prior, dtype=np.float64)
    success, cosine = np.empty((2, len(epsilons)))
    for place, epsilon in enumerate(epsilons):
        drawn = repeated(arm.at(float(epsilon), generator), looked_up, draws)
        guessed = _guesses(drawn, arm, looked_up, words, shares, float(epsilon))
        success[place] = shares @ (guessed == words[:, None]).mean(axis=1)
        cosines = np.stack([units[some] @ units[word] for some, word in zip(drawn, words, strict=True)])
        weight = shares[:, None] * np.isfinite(cosines)
        cosine[place] = np.nansum(weight * cosines) / weight.sum() if weight.any() else np.nan
    return success, cosine


def utility_at(success: Floats, cosine: Floats, wanted: Sequence[float]) -> Floats:
    """`(k,)` utility (`cosine`) of a mechanism where `wanted` `(k,)` is the attacker's success.

    Linear between neighbouring points in the order of success, utilities of equal success averaged; NaN beyond the
    success that occurred.
    """
    different, number = np.unique(success, return_inverse=True)
    means = np.bincount(number, weights=cosine) / np.bincount(number)
    return np.interp(wanted, different, means, left=np.nan, right=np.nan)


def _guesses(drawn: Ints, arm: Arm, rows: Ints, owners: Ints, prior: Floats, epsilon: float) -> Ints:
    """`(n, draws)` the word guessed for each substitute, by an attacker who has not seen that draw.

    Distances give a word w the share q(w | o) ∝ Σ p(r) exp(−λ‖o − vᵣ‖) over its rows r, where o is the mean of the
    substitute's candidates. The guess is the largest q(w | o) + n(o, w) / κ, of equals the lowest row, where n counts
    a third of the draws, weighted by their prior (on average 1). κ is one of `BACKINGS`, λ / ε one of `DECAYS`, the
    first of those that guess best in the next third. The last third is what is guessed.
    """
    meant, word = np.unique(owners, return_inverse=True)
    substitutes, number = np.unique(drawn, return_inverse=True)
    number = number.reshape(drawn.shape)
    counts = np.zeros((3, len(substitutes), len(meant)))
    third = np.arange(drawn.shape[1]) % 3
    np.add.at(counts, (third, number, word[:, None]), (prior * len(prior))[:, None])
    distances = torch.cdist(_centres(arm)[substitutes], arm.table[torch.tensor(rows)].double())
    shares = []
    for decay in DECAYS:
        weights = torch.softmax(torch.tensor(prior).log() - decay * epsilon * distances, dim=1)
        summed = weights.new_zeros(counts.shape[1:]).index_add_(1, torch.from_numpy(word), weights)
        shares.append(summed.numpy())
    guessed = np.empty_like(drawn)
    for side in range(3):
        rules = [(share + counts[side] / backing).argmax(axis=1) for share in shares for backing in BACKINGS]
        right = [counts[(side + 1) % 3][np.arange(len(substitutes)), guess].sum() for guess in rules]
        last = third == (side + 2) % 3
        guessed[:, last] = meant[rules[int(np.argmax(right))][number[:, last]]]
    return guessed


def _centres(arm: Arm) -> Tensor:
    """`(V, d)` for each word the mean of its candidates."""
    size = int(arm.owner.max()) + 1
    sums = torch.zeros(size, arm.table.shape[1], dtype=torch.float64).index_add_(0, arm.owner, arm.table.double())
    return sums / torch.bincount(arm.owner, minlength=size).clamp(min=1)[:, None]
