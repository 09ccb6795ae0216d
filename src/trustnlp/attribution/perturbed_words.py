"""Scores of words from what a model says of a text without some of them.

Every method here asks the model for its probabilities of some subsets of a text's words and takes weighted sums of the
answers: which subsets, and which weights, follows from the number of words alone. A method is therefore a table of
subsets and a matrix (`SubsetScores`), and serves every model, every text of that length and every label.

- *Occlusion*: the whole text less the text without the word.
- *Shapley values* (Shapley 1953): the mean change that the word makes, over all orders in which words can be added.
- *KernelSHAP* (Lundberg and Lee 2017, theorem 2): a weighted regression on subsets whose solution tends to the Shapley
  values; equal to them when it has all subsets. Drawn here in pairs of a subset and its complement, which is less noisy
  (Covert and Lee 2021, "Improving KernelSHAP").
- *LIME* (Ribeiro, Singh and Guestrin 2016), with the settings of `lime_text` of the package lime: the number of words
  removed is uniform from 1 to n, then the words are. A subset weighs exp(-(d/w)²/2), where d is 100 times its cosine
  distance to the whole text and w the kernel width, 25. The scores are the coefficients of a ridge regression, penalty
  1, without selection of features.
- *Exact LIME* is that regression with every subset counted as often as `samples` draws would bring it on average: the
  whole text once, each subset without k words (samples - 1)/(n·C(n, k)) times. It is what sampled LIME scatters about,
  and depends on `samples` only through the penalty and the weight of the whole text. These matter for the shortest
  texts: a text's only word gets at most half of what it changes, however many samples are drawn.

They estimate different things, and so disagree where nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from trustnlp.attribution.model_calls import Floats, Words, distinct_texts
from trustnlp.attribution.text_models import TextModel, checked_probabilities

Removal = Literal["leave_out", "mask"]
Subsets = NDArray[np.bool_]
# Units of which all subsets are evaluated at most: 4,096 passes, fewer than LIME's default of samples.
MOST_ENUMERATED = 12


@dataclass(frozen=True, eq=False)
class SubsetScores:
    """A method for texts of u units: the subsets it asks for, and how answers become scores.

    Attributes
    ----------
    kept
        `(m, u)` which units each subset keeps. All differ, and the first keeps everything.
    matrix
        `(u, m)`: scores are `matrix @ values`, where values `(m,)` are what the model gives the subsets.
    weights
        `(m,)` of the subsets in LIME's regression; None for other methods.
    constant
        Added to the scores: those that are random do not depend on the model.
    """

    kept: Subsets
    matrix: Floats
    weights: Floats | None = None
    constant: Floats | float = 0.0

    def scores(self, values: Floats) -> Floats:
        """Scores `(u,)` of the units from values `(m,)` of the subsets."""
        return self.matrix @ values + self.constant

    def fit(self, values: Floats) -> float | None:
        """How well a sum over words describes values `(m,)`: the weighted R² of LIME's regression.

        None for other methods, and where all values are equal.
        """
        if self.weights is None:
            return None
        share = self.weights / self.weights.sum()
        apart = values - share @ values
        linear = self.kept @ (self.matrix @ values)
        spread = float(share @ apart**2)
        return 1 - float(share @ (apart - linear + share @ linear) ** 2) / spread if spread > 1e-18 else None

    def at_empty(self, values: Floats) -> float | None:
        """The value of the subset that keeps nothing; None where the method does not ask for it."""
        empty = np.flatnonzero(~self.kept.any(axis=1))
        return float(values[empty[0]]) if len(empty) else None


def units_of(words: Words, removal: Removal) -> NDArray[np.int64]:
    """Which words are removed together, `(n,)` numbers from 0 in the order of the text.

    Left out, all occurrences of a word go together; masked, each goes by itself. This is what `bow` means in lime.

    >>> units_of(("very", "very", "slow"), "leave_out"), units_of(("very", "very", "slow"), "mask")
    (array([0, 0, 1]), array([0, 1, 2]))

    Raises
    ------
    ValueError
        If given another removal.
    """
    if removal not in get_args(Removal):
        raise ValueError(f"a removed word is one of {', '.join(get_args(Removal))}, got {removal!r}")
    return distinct_texts(words)[1] if removal == "leave_out" else np.arange(len(words))


def reduced_texts(words: Words, units: NDArray[np.int64], kept: Subsets, mask: str | None) -> list[str]:
    """The text of each subset `(m, u)`; removed words are left out for None, otherwise the mask stands there."""
    rows = kept[:, units].tolist()
    if mask is None:
        return [" ".join([word for word, keep in zip(words, row, strict=True) if keep]) for row in rows]
    return [" ".join([word if keep else mask for word, keep in zip(words, row, strict=True)]) for row in rows]


def values_of(model: TextModel, texts: Sequence[Sequence[str]]) -> list[Floats]:
    """Probabilities `(m, c)` of each list of texts: one call, every distinct text once, the shortest first."""
    different, places = distinct_texts([text for own in texts for text in own])
    order = np.argsort([len(text) for text in different], kind="stable")
    found = checked_probabilities(np.asarray(model.probabilities([different[at] for at in order])), len(different))
    answers = np.empty_like(found)
    answers[order] = found
    return np.split(answers[places], np.cumsum([len(own) for own in texts])[:-1])


def occlusion(units: int) -> SubsetScores:
    """Each unit removed alone: n + 1 passes."""
    kept = np.concatenate([np.ones((1, units), bool), ~np.eye(units, dtype=bool)])
    return SubsetScores(kept, np.concatenate([np.ones((units, 1)), -np.eye(units)], axis=1))


def shapley(units: int) -> SubsetScores:
    """Exact Shapley values: 2ⁿ passes.

    Raises
    ------
    ValueError
        If there are more than `MOST_ENUMERATED` units.
    """
    kept = _all_subsets(units, "exact Shapley values", "kernel_shap")
    sizes = kept.sum(axis=1)
    # Of the orders of all units, those in which a set of this size comes first, and then a given unit.
    share = np.array([1 / (units * comb(units - 1, size)) for size in range(units)])
    joins, leaves = share[np.maximum(sizes - 1, 0)], share[np.minimum(sizes, units - 1)]
    return SubsetScores(kept, np.where(kept, joins[:, None], -leaves[:, None]).T)


def kernel_shap(units: int, samples: int, rng: np.random.Generator) -> SubsetScores:
    """Shapley values by regression on `samples` drawn subsets, or on all where they are no more.

    Raises
    ------
    ValueError
        If the subsets drawn are too few to tell the units apart.
    """
    if units == 1:
        return shapley(1)
    ends = np.array([[True], [False]]).repeat(units, axis=1)
    sizes = np.arange(1, units)
    if 2**units - 2 <= samples:
        inner = _subsets(units)[1:-1]
        weight = np.array([(units - 1) / (comb(units, int(size)) * size * (units - size)) for size in sizes])
        weights = weight[inner.sum(axis=1) - 1]
    else:
        chance = 1 / (sizes * (units - sizes))
        drawn = _draw(units, rng.choice(sizes, size=samples // 2, p=chance / chance.sum()), rng)
        inner, counts = np.unique(np.concatenate([drawn, ~drawn]), axis=0, return_counts=True)
        weights = counts.astype(np.float64)
    z = inner.astype(np.float64)
    weighted = z.T * weights
    products = weighted @ z
    if len(inner) < units or np.linalg.matrix_rank(products, hermitian=True) < units:
        raise ValueError(f"{samples} samples are too few for {units} words; give at least {8 * units}")
    # The sum of the scores is what separates whole and empty text: a linear constraint on the regression.
    ones = np.ones(units)
    solved, direction = np.linalg.solve(products, weighted), np.linalg.solve(products, ones)
    free = solved - np.outer(direction, ones @ solved) / (ones @ direction)
    whole = direction / (ones @ direction)
    # Values enter less that of the empty text.
    empty = -(free.sum(axis=1) + whole)
    return SubsetScores(np.concatenate([ends, inner]), np.column_stack([whole, empty, free]))


def lime(units: int, samples: int, rng: np.random.Generator, kernel_width: float = 25.0) -> SubsetScores:
    """LIME's regression on the whole text and `samples` - 1 drawn subsets, of which equal ones are evaluated once."""
    drawn = _draw(units, units - rng.integers(1, units + 1, size=samples - 1), rng)
    subsets, counts = np.unique(drawn, axis=0, return_counts=True)
    kept = np.concatenate([np.ones((1, units), bool), subsets])
    return _surrogate(kept, np.concatenate([[1.0], counts]), kernel_width)


def lime_exact(units: int, samples: int, kernel_width: float = 25.0) -> SubsetScores:
    """LIME's regression on all 2ⁿ subsets, as the head of this module says.

    Raises
    ------
    ValueError
        If there are more than `MOST_ENUMERATED` units.
    """
    kept = _all_subsets(units, "exact LIME", "lime")
    removed = units - kept.sum(axis=1)
    expected = [(samples - 1) / (units * comb(units, int(k))) if k else 1.0 for k in removed]
    return _surrogate(kept, np.array(expected), kernel_width)


def random_scores(units: int, rng: np.random.Generator) -> SubsetScores:
    """Scores that are uniform in [-1, 1], to compare others with: one pass, for the label."""
    return SubsetScores(np.ones((1, units), bool), np.zeros((units, 1)), constant=rng.uniform(-1, 1, units))


def _surrogate(kept: Subsets, counts: Floats, kernel_width: float) -> SubsetScores:
    """Ridge regression with an intercept and penalty 1, of rows that each count so often and weigh by the kernel."""
    z = kept.astype(np.float64)
    distance = 100 * (1 - np.sqrt(z.mean(axis=1)))  # the cosine of a row of zeros counts as 0
    weights = counts * np.exp(-((distance / kernel_width) ** 2) / 2)
    centred = z - weights @ z / weights.sum()
    weighted = centred.T * weights
    return SubsetScores(kept, np.linalg.solve(weighted @ centred + np.eye(z.shape[1]), weighted), weights)


def _all_subsets(units: int, what: str, instead: str) -> Subsets:
    if units > MOST_ENUMERATED:
        raise ValueError(
            f"{what} of {units} different words take {2**units:,} passes; up to {MOST_ENUMERATED} words they are "
            f"computed, for more use method='{instead}'"
        )
    return _subsets(units)


def _subsets(units: int) -> Subsets:
    """`(2ⁿ, n)`: all subsets, from the whole to the empty one."""
    numbers = np.arange(2**units)[::-1]
    return (numbers[:, None] >> np.arange(units) & 1).astype(bool)


def _draw(units: int, sizes: NDArray[np.int64], rng: np.random.Generator) -> Subsets:
    """A uniform subset of each size, `(m, u)`."""
    ranks = rng.random((len(sizes), units)).argsort(axis=1).argsort(axis=1)
    subsets: Subsets = ranks < sizes[:, None]
    return subsets
