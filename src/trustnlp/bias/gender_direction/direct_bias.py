"""Scores along a gender direction: the signed one of the figures, DirectBias of Eq. 1, and averages over forms.

Matthews et al. (2021), §4. Eq. 1 with c = 1 averages `|cos(w, g)|`, which is never negative, while the figures show
scores of either sign: those are the cosines themselves. Because of the absolute value, Eq. 1 is above zero for words
without any bias; `isotropic_floor` says how far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from trustnlp.bias.association_tests.stimuli import Vectors
from trustnlp.bias.gender_direction.pair_directions import stacked


def signed_scores(vectors: Vectors, words: Sequence[str], g: ArrayLike) -> NDArray[np.float64]:
    """`(n,)` cosine of each word with the direction `g` `(d,)`: positive is female.

    >>> vectors = {"nurse": [3.0, 4.0, 0.0], "smith": [-1.0, 0.0, 0.0]}
    >>> signed_scores(vectors, ["nurse", "smith"], [1.0, 0.0, 0.0]).round(2).tolist()
    [0.6, -1.0]

    Raises
    ------
    ValueError
        If there is no word, a vector or a direction that is zero or not finite, or another dimension than `g`.
    KeyError
        If a word has no vector.
    """
    direction = np.asarray(g, dtype=np.float64)
    if not words:
        raise ValueError("no word to score")
    matrix = stacked(vectors, words, unit=True)
    if direction.shape != (matrix.shape[1],):
        raise ValueError(f"the words have {matrix.shape[1]} dimensions, the direction has shape {direction.shape}")
    if not np.isfinite(direction).all() or not direction.any():
        raise ValueError("the direction is zero, NaN or infinite, so that no word has a cosine with it")
    scores: NDArray[np.float64] = matrix @ direction / np.linalg.norm(direction)
    return scores


def mean_direct_bias(scores: ArrayLike, c: float = 1.0) -> float:
    """Eq. 1: the mean of `|cos(w, g)|^c` over words.

    Parameters
    ----------
    scores
        Cosines of the words.
    c
        Strictness: large `c` forgives small cosines. With c = 0 each word that is not exactly orthogonal counts one, as
        Bolukbasi et al. define it.

    Raises
    ------
    ValueError
        If there is no score, scores beyond ±1, or a negative `c`.

    Examples
    --------
    >>> mean_direct_bias([0.3, -0.5, 0.1])
    0.3
    >>> mean_direct_bias([0.3, -0.5, 0.0], c=0)
    0.6666666666666666
    """
    cosines = np.abs(np.asarray(scores, dtype=np.float64))
    if cosines.ndim != 1 or not len(cosines) or not (cosines <= 1 + 1e-9).all():
        raise ValueError(f"expected the cosines of one or more words, within ±1, got shape {cosines.shape}")
    if not 0 <= c < np.inf:
        raise ValueError(f"the strictness c is a finite number, not negative, got {c}")
    return float((cosines > 0).mean() if c == 0 else (cosines**c).mean())


def isotropic_floor(dim: int, c: float = 1.0) -> float:
    """The mean of Eq. 1 for words whose directions are uniform on the sphere of `dim` dimensions.

    `E|cos|^c = Γ((c+1)/2) Γ(d/2) / (√π Γ((d+c)/2))`; for c = 1 it is near `.8/√d`.

    Raises
    ------
    ValueError
        If `dim` is below 2 or `c` negative.

    Examples
    --------
    >>> round(isotropic_floor(100), 3), round(isotropic_floor(300), 3)
    (0.08, 0.046)
    """
    if dim < 2 or not 0 <= c < np.inf:
        raise ValueError(f"expected at least 2 dimensions and c of 0 or more, got {dim} and {c}")
    logarithm = gammaln((c + 1) / 2) + gammaln(dim / 2) - gammaln((dim + c) / 2)
    return float(np.exp(logarithm) / np.sqrt(np.pi))


@dataclass(frozen=True)
class ProfessionBias:
    """Scores of one profession's forms that have a vector, and their averages (§4.2).

    Attributes
    ----------
    scores, counts
        Form → its signed score and how often it occurs (1 where counts are unknown).
    equal, weighted
        Mean over the forms; mean weighted by counts.
    """

    concept: str
    scores: dict[str, float]
    counts: dict[str, int]

    @property
    def equal(self) -> float:
        return float(np.mean(list(self.scores.values())))

    @property
    def weighted(self) -> float:
        return float(np.average(list(self.scores.values()), weights=[self.counts[form] for form in self.scores]))


def profession_bias(
    vectors: Vectors, concept: str, forms: Sequence[str], g: ArrayLike, counts: Mapping[str, int] | None = None
) -> ProfessionBias | None:
    """A profession's bias over those of its forms that have a vector; None when none has.

    Raises
    ------
    ValueError
        If the profession has no form at all, or a form with a vector counts less than one.
    """
    if not forms:
        raise ValueError(f"{concept!r} has no form; give at least one word for it")
    known = [form for form in dict.fromkeys(forms) if form in vectors]
    if not known:
        return None
    numbers = {form: int(counts[form]) if counts is not None and form in counts else 1 for form in known}
    if counts is not None and (absent := [form for form in known if counts.get(form, 0) < 1]):
        raise ValueError(f"{absent[0]!r} has a vector but no count; give the counts of the corpus it was trained on")
    return ProfessionBias(concept, dict(zip(known, signed_scores(vectors, known, g).tolist(), strict=True)), numbers)
