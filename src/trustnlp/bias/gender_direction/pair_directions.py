"""A gender direction from pairs of words, and how much of the pairs' difference it holds.

Matthews et al. (2021), §4, after Bolukbasi et al. (2016): subtract from both words of a pair their centre, and take the
first principal component of all these points as `g`. Not stated in the paper, and chosen here:

- **Length.** Vectors have unit length first, as in Bolukbasi's code; `unit=False` takes them as they are.
- **Sign.** A principal component has none. `g` points to the female words: `Σ g·(f - m) > 0` over the pairs used.
- **Centre.** The points `±(f - m)/2` of all pairs have mean zero, so a PCA that centres them changes nothing.

With `n` pairs the points have at most `n` components. One pair has a single component, whatever the words are: its
share is 1, and the difference between the first two shares, which the paper's Figure 3 shows, is 1 as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from trustnlp.bias.association_tests.measures import check_choice
from trustnlp.bias.association_tests.stimuli import Vectors, stacks

Estimate = Literal["pca", "mean difference", "logistic"]
ESTIMATES: tuple[Estimate, ...] = get_args(Estimate)
FEWEST_PAIRS = 3
# Inverse strength of the penalty. At scikit-learn's 1 the normal of a few pairs is little else than the mean
# difference: the penalty, not the words, decides it. Words that can be told apart still have a widest margin here.
LOGISTIC_C = 1e4
Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class GenderDirection:
    """A direction and the pairs it comes from.

    Attributes
    ----------
    g
        `(d,)`, of unit length, from male to female.
    shares
        `(n,)` share of the variance of the centred points that each principal component holds, largest first. They are
        those of the PCA whatever the estimate of `g`.
    pairs, missing
        (female, male) pairs that were used, and those of which a word has no vector.
    """

    g: NDArray[np.float64]
    shares: NDArray[np.float64]
    pairs: tuple[Pair, ...]
    missing: tuple[Pair, ...]

    @property
    def gap(self) -> float:
        """The first component's share minus the second's (Figure 3); 1 for a single pair."""
        return float(self.shares[0] - (self.shares[1] if len(self.shares) > 1 else 0.0))


def usable_pairs(vectors: Vectors, pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs of which both words have a vector, in the order given.

    >>> usable_pairs({"she": [1.0], "he": [2.0], "queen": [3.0]}, [("she", "he"), ("queen", "king")])
    [('she', 'he')]
    """
    return [pair for pair in pairs if all(word in vectors for word in pair)]


def gender_direction(
    vectors: Vectors,
    pairs: Iterable[Pair],
    *,
    estimate: Estimate = "pca",
    unit: bool = True,
    fewest: int = FEWEST_PAIRS,
) -> GenderDirection:
    """The gender direction of some pairs of words.

    Parameters
    ----------
    vectors
        Anything from words to vectors `(d,)`.
    pairs
        (female, male). A pair of which a word has no vector is dropped and listed in `missing`. A repeated pair counts
        as often as it is given.
    estimate
        `pca`: as in the paper. `mean difference`: the mean of `f - m`. `logistic`: the normal of a logistic regression
        that tells female from male words, with an intercept, hardly penalised (C = 10⁴).
    unit
        Divide each vector by its length first.
    fewest
        Fewer usable pairs are refused. 1 gives a direction from one pair, which is the difference of two words.

    Raises
    ------
    ValueError
        If there are too few pairs, an unknown estimate, a vector that is no row of finite numbers, of another dimension
        than the first, or below three dimensions, or pairs whose words do not differ.
    """
    check_choice("estimate of the direction", estimate, ESTIMATES)
    listed: list[Pair] = [(female, male) for female, male in pairs]
    used = usable_pairs(vectors, listed)
    missing = [pair for pair in listed if pair not in used]
    if len(used) < max(fewest, 1):
        raise ValueError(
            f"{len(used)} of {len(listed)} pairs have vectors for both words, at least {max(fewest, 1)} are needed "
            f"(missing: {', '.join('/'.join(pair) for pair in missing[:5]) or 'none'}); "
            "use a larger corpus or other pairs"
        )
    female, male = (stacked(vectors, [pair[side] for pair in used], unit=unit) for side in (0, 1))
    return direction_of_rows(female, male, estimate=estimate, pairs=used, missing=missing)


def direction_of_rows(
    female: NDArray[np.float64],
    male: NDArray[np.float64],
    *,
    estimate: Estimate = "pca",
    pairs: Sequence[Pair] = (),
    missing: Sequence[Pair] = (),
) -> GenderDirection:
    """The direction of vectors `(n, d)` of female words and of their male partners, row by row; errors as above."""
    halves = (female - male) / 2
    _, lengths, axes = np.linalg.svd(halves, full_matrices=False)
    if not lengths[0] > 0:
        raise ValueError("the two words of every pair have the same vector, so that there is no direction")
    if estimate == "pca":
        g = axes[0]
    elif estimate == "mean difference":
        g = halves.mean(axis=0)
    else:
        from sklearn.linear_model import LogisticRegression

        labels = np.repeat([1, 0], len(female))
        g = LogisticRegression(C=LOGISTIC_C, max_iter=10_000).fit(np.concatenate([female, male]), labels).coef_[0]
    length = float(np.linalg.norm(g))
    if not length > 0:
        raise ValueError(f"the {estimate} of these pairs is zero; use other pairs, or the PCA")
    lean = float((halves @ g).sum())
    variances = lengths**2
    return GenderDirection(
        g=np.asarray(g / length if lean >= 0 else -g / length, dtype=np.float64),
        shares=variances / variances.sum(),
        pairs=tuple(pairs),
        missing=tuple(missing),
    )


def held_out_margins(
    vectors: Vectors, pairs: Sequence[Pair], *, estimate: Estimate = "pca", unit: bool = True
) -> dict[Pair, float]:
    """For each pair, `cos(f, g) - cos(m, g)` with a direction that has not seen it; above zero it is ordered rightly.

    A pair that is given twice is left out twice: otherwise it would be predicted by itself.

    Raises
    ------
    ValueError
        If `gender_direction` would raise it, and if fewer than three other pairs are left.
    """
    used = usable_pairs(vectors, dict.fromkeys((female, male) for female, male in pairs))
    margins = {}
    for held in used:
        g = gender_direction(vectors, [p for p in used if p != held], estimate=estimate, unit=unit).g
        female, male = stacked(vectors, held, unit=True) @ g
        margins[held] = float(female - male)
    return margins


def share_in_order(margins: Mapping[Pair, float]) -> float:
    """Share of `held_out_margins` above zero: pairs that a direction made without them orders rightly.

    >>> share_in_order({("she", "he"): 0.4, ("queen", "king"): -0.1})
    0.5
    """
    if not margins:
        raise ValueError("no pair was held out, so there is no share of pairs in order")
    return float(np.mean([margin > 0 for margin in margins.values()]))


def stacked(vectors: Vectors, words: Sequence[str], *, unit: bool) -> NDArray[np.float64]:
    """`(n, d)` float64 vectors of words, of unit length if asked for.

    Raises
    ------
    ValueError
        If a vector is zero, not finite, no row, of another dimension than the first, or has fewer than three
        dimensions.
    """
    (matrix,) = stacks(vectors, [words])
    if matrix.shape[1] < 3:
        raise ValueError(
            f"vectors of {matrix.shape[1]} dimensions hold no direction apart from others; expected 3 or more"
        )
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True) if unit else matrix
