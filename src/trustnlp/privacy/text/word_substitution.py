"""Replace a word by another at random, so that the substitute tells little of the word: four mechanisms, one interface.

| class | what is drawn | guarantee of one position |
|---|---|---|
| `NearestWord` | the word nearest to vector + noise, Feyisetan et al. (2020) | ε per unit of Euclidean distance |
| `TruncatedExponential` | a word by its distance, Carvalho et al. (2021) | ε per unit of Euclidean distance |
| `MahalanobisNearestWord` | the first with noise of the vectors' shape, Xu et al. (2020) | ε/√μ per unit (see there) |
| `RandomisedWord` | the word itself or any other, Warner (1965) | ε for any two words |

Words are rows of a public vocabulary. A text of n words is n positions: whoever compares two texts adds up the losses
of all positions in which they differ. Guarantees are in the distance of the vectors *as given*: ε = 10 for raw vectors
and for vectors of length 1 are different promises, so normalise before, if at all.

Without a generator the numbers come from the cryptographic source (`trustnlp.privacy.noise.randomness`). Noise is
rounded to a grid before the nearest word is searched (`trustnlp.privacy.noise.grid`), and the search is exact
(`trustnlp.embeddings.exact_search`), hence post-processing.
"""

from __future__ import annotations

import math
from typing import Protocol

import torch
from torch import Tensor

from trustnlp.embeddings.exact_search import ExactSearch
from trustnlp.privacy.accounting.guarantee import (
    Guarantee,
    L1Sensitivity,
    L2Sensitivity,
    Relation,
    check_beta,
    check_epsilon,
    check_number,
    check_vectors,
)  # fmt: skip
from trustnlp.privacy.mechanisms.additive_noise import MultivariateLaplace
from trustnlp.privacy.mechanisms.low_dimensional import randomised_response
from trustnlp.privacy.noise.randomness import Source, source_of

_ROWS_AT_ONCE = 4096
_WEIGHTS_AT_ONCE = 1 << 23
_PER_DISTANCE = L2Sensitivity(1.0, Relation.METRIC)
_SMALLEST = 2.0**-1000
_LARGEST_SQUARE = 1e300


class Substitution(Protocol):
    """A random substitute for each word, every position by itself."""

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of substituting one position."""

    @property
    def size(self) -> int:
        """Number of words."""

    def __call__(self, rows: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        """`(n,)` int64 rows of the substitutes of the words in `rows`, `(n,)` int64.

        Raises
        ------
        TypeError
            If given rows that are no int64 tensor.
        ValueError
            If given rows that are not `(n,)` or lie outside 0..size-1, or a generator on another device.
        """


class NearestWord:
    """Feyisetan et al. (2020), §2.3: the word nearest to the vector plus noise of density proportional to exp(−ε‖z‖).

    (ε, 0) per unit of Euclidean distance. Also the word mechanism of Arnold, Yesilbas and Weinzierl (2023), §2.1.

    >>> mechanism = NearestWord(torch.tensor([[0.0, 1.0], [3.0, 0.0], [5.0, 0.0]]), epsilon=50.0)
    >>> mechanism(torch.tensor([0, 1, 2]), generator=torch.Generator().manual_seed(0))
    tensor([0, 1, 2])
    >>> print(mechanism.guarantee)
    (50, 0)-differential privacy, per unit of distance, L2 sensitivity 1

    Parameters
    ----------
    vectors
        `(V, d)` float32 or float64, of at least two words, public. Kept, not copied: do not write to them.
    epsilon
        Per unit of Euclidean distance.

    Raises
    ------
    TypeError
        If given vectors that are not a dense tensor of float32 or float64.
    ValueError
        If ε is not positive and finite; a single word; a vector that is zero, NaN or infinite.
    """

    def __init__(self, vectors: Tensor, epsilon: float) -> None:
        self._noise = MultivariateLaplace(check_epsilon(epsilon), _PER_DISTANCE)
        self.vectors = check_vocabulary(vectors)
        self.guarantee = self._noise.guarantee
        self.size = len(vectors)
        self._search = ExactSearch(self.vectors)

    def noisy(self, rows: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        """`(n, d)` float64: the vectors of the words with their noise, before a word is searched. As private."""
        return self._noise(self.vectors[check_rows(rows, self.size)].double(), generator=generator)

    def __call__(self, rows: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        if not len(check_rows(rows, self.size)):
            return rows.clone()
        return torch.cat(
            [self._search.search(self.noisy(some, generator=generator)) for some in rows.split(_ROWS_AT_ONCE)]
        )


class MahalanobisNearestWord(NearestWord):
    """Xu et al. (2020), Algorithm 1: noise of density proportional to exp(−ε‖z‖_RM), then the nearest word.

    ‖z‖²_RM = zᵀ A⁻¹ z with A = λ Σ + (1 − λ) I, where Σ is the covariance of the vectors divided by its mean variance
    (trace d). The noise is longer in directions in which the vectors vary more. The nearest word is searched in
    Euclidean distance.

    The mechanism is (ε, 0) per unit of the *regularised Mahalanobis* distance ‖x − x′‖_RM, which is at most ‖x − x′‖/√μ
    with the smallest eigenvalue μ ≥ 1 − λ of A. `guarantee` is what follows for Euclidean distances, ε/√μ per unit; in
    the paper's own metric it is `epsilon`. At one ε this mechanism and `NearestWord` do not promise the same.

    The factor of A is computed once. Noise is added to A^(−1/2) x, as `NearestWord` would, and the sum is mapped back
    by A^(1/2), which is post-processing.

    Parameters
    ----------
    vectors, epsilon
        As for `NearestWord`, ε per unit of regularised Mahalanobis distance.
    mixing
        λ in [0, 1]: 0 is `NearestWord`. The paper tries several; 0.2 is the default of a published implementation.

    Raises
    ------
    TypeError, ValueError
        If `NearestWord` would raise it; λ outside [0, 1]; vectors that are all equal; λ = 1 where they span fewer
        dimensions.
    """

    def __init__(self, vectors: Tensor, epsilon: float, mixing: float = 0.2) -> None:
        super().__init__(vectors, epsilon)
        if not 0 <= check_number(mixing, "mixing") <= 1:
            raise ValueError(f"mixing is the weight of the covariance, between 0 and 1, got {mixing}")
        values, d = vectors.double(), vectors.shape[1]
        values = values - values.mean(dim=0)
        # Only the shape of Σ matters: scaled first, no square overflows or vanishes.
        largest = float(values.abs().max())
        if largest == 0:
            raise ValueError("all vectors are equal and have no covariance; use NearestWord")
        values = values / largest
        covariance = values.T @ values
        covariance = covariance * (d / covariance.trace())
        shape = mixing * covariance + (1 - mixing) * torch.eye(d, dtype=torch.float64, device=vectors.device)
        lengths, axes = torch.linalg.eigh(shape)
        smallest = float(lengths[0])
        # Below this an eigenvalue is rounding error, and may be any number.
        if smallest <= d * 1e-15 * float(lengths[-1]):
            raise ValueError("with mixing = 1 the vectors must vary in every direction; take a smaller mixing")
        self.epsilon = float(epsilon)
        self.guarantee = Guarantee(self.epsilon / math.sqrt(smallest), 0.0, _PER_DISTANCE)
        self._root = (axes * lengths.sqrt()) @ axes.T
        self._whiten = (axes / lengths.sqrt()) @ axes.T

    def noisy(self, rows: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        vectors = self.vectors[check_rows(rows, self.size)].double()
        noisy: Tensor = self._noise(vectors @ self._whiten, generator=generator) @ self._root
        return noisy


class TruncatedExponential:
    """TEM, Carvalho et al. (2021, arXiv 2107.07928), Algorithm 1: a word is drawn by its distance.

    Words within γ of the input have the score −d(w, y), all others together one element ⊥ with the score
    −γ + 2 ln|others| / ε; the exponential mechanism (Gumbel noise of scale 2/ε on the scores, the largest wins) draws
    one, and ⊥ is replaced by one of the others, all equally likely. The law is that of

        P[y | w] proportional to exp(−(ε/2) min(d(w, y), γ)),

    and is drawn in this form: first a block of words by the sum of its weights, then a word in it, each by Gumbel
    noise. That is the same law with 2√V in place of V numbers for each draw.

    (ε, 0) per unit of Euclidean distance, as the paper proves for every γ: by the triangle inequality neither a weight
    nor their sum changes by more than a factor exp(ε d(w, w′)/2). As scores differ by γ at most, the loss of any two
    words is also below ε γ.

    Distances are those of float64, near ones from the difference of the vectors.

    Parameters
    ----------
    vectors, epsilon
        As for `NearestWord`.
    threshold
        γ; `truncation(epsilon, V)` by default.

    Raises
    ------
    TypeError, ValueError
        If `NearestWord` would raise it; a γ that is not positive; a vector longer than 1e150.
    """

    def __init__(self, vectors: Tensor, epsilon: float, threshold: float | None = None) -> None:
        self.guarantee = Guarantee(check_epsilon(epsilon), 0.0, _PER_DISTANCE)
        self.vectors = check_vocabulary(vectors)
        self.size = len(vectors)
        self.threshold = truncation(epsilon, self.size) if threshold is None else check_number(threshold, "threshold")
        if not self.threshold > 0:
            raise ValueError(f"the threshold is a distance above 0, got {threshold}")
        self._values = self.vectors.double()
        self._squares = self._values.square().sum(dim=1)
        if not float(self._squares.max()) < _LARGEST_SQUARE:
            raise ValueError(
                "the squared length of a vector overflows float64; scale all vectors, and epsilon with them"
            )

    def log_weights(self, rows: Tensor) -> Tensor:
        """`(n, V)` float64: −(ε/2) min(d, γ), the logarithms of the chances up to a constant for each row."""
        check_rows(rows, self.size)
        own = self._values[rows]
        squares = torch.addmm(self._squares[None, :] + self._squares[rows, None], own, self._values.T, alpha=-2)
        # Where most digits cancel, the difference of the vectors is squared in place of the difference of squares.
        at, near = (squares <= 1e-4 * (self._squares[None, :] + self._squares[rows, None])).nonzero(as_tuple=True)
        for some, those in zip(at.split(_ROWS_AT_ONCE), near.split(_ROWS_AT_ONCE), strict=True):
            squares[some, those] = (own[some] - self._values[those]).square_().sum(dim=1)
        return squares.sqrt_().clamp_(max=self.threshold).mul_(-self.guarantee.epsilon / 2)

    def __call__(self, rows: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        check_rows(rows, self.size)
        source = source_of(generator, rows.device)
        drawn = torch.empty_like(rows)
        distinct, which = rows.unique(return_inverse=True)
        width = math.isqrt(self.size - 1) + 1
        order, ends = which.argsort(stable=True), which.bincount(minlength=len(distinct)).cumsum(0).tolist()
        count, first = max(1, _WEIGHTS_AT_ONCE // self.size), 0
        for start in range(0, len(distinct), count):
            weights = self.log_weights(distinct[start : start + count])
            blocks = torch.nn.functional.pad(weights, (0, -self.size % width), value=-math.inf)
            blocks = blocks.view(len(weights), -1, width)
            sums = blocks.logsumexp(dim=2)
            last = ends[min(start + count, len(distinct)) - 1]
            for places in order[first:last].split(_ROWS_AT_ONCE):
                local = which[places] - start
                block = _gumbel_best(sums[local], source)
                drawn[places] = block * width + _gumbel_best(blocks[local, block], source)
            first = last
        return drawn


class RandomisedWord:
    """Randomised response over the vocabulary (Warner 1965; Kairouz et al. 2016): (ε, 0) for any two words.

    A word stays with probability e^ε / (e^ε + V − 1), and becomes each other one with probability 1 / (e^ε + V − 1).
    It knows no vectors; the noise that a large vocabulary needs is what metric privacy was made to avoid.

    Parameters
    ----------
    size
        Number of words, at least 2.
    epsilon
        In nats, for any two words.

    Raises
    ------
    ValueError
        If ε is not positive and finite, or a single word.
    """

    def __init__(self, size: int, epsilon: float) -> None:
        if size < 2:
            raise ValueError(f"a word is hidden among others: the vocabulary needs at least two, got {size}")
        self.size = size
        self.guarantee = Guarantee(check_epsilon(epsilon), 0.0, L1Sensitivity(2.0, Relation.LOCAL))

    def __call__(self, rows: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        if not len(check_rows(rows, self.size)):
            return rows.clone()
        return randomised_response(rows, self.guarantee.epsilon, self.size, generator=generator)


def truncation(epsilon: float, size: int, beta: float = 0.001) -> float:
    """γ = (2/ε) ln((1 − β)(V − 1)/β): a word that is far from all others is then kept with probability 1 − β.

    Carvalho et al. (2021), §3. With V − 1 words at γ or beyond, their weights add up to (V − 1) e^(−εγ/2) = β/(1 − β).

    Raises
    ------
    ValueError
        If ε or β is out of range, fewer than two words, or a β so large that γ is not positive.
    """
    check_epsilon(epsilon)
    odds = (1 - check_beta(beta)) / beta * (size - 1)
    if not odds > 1:
        raise ValueError(f"with beta = {beta:g} and {size} words the threshold is not positive; take a smaller beta")
    return 2 / epsilon * math.log(odds)


def check_rows(rows: Tensor, size: int) -> Tensor:
    """The rows themselves, `(n,)` int64 from 0 to `size` − 1; n may be 0. TypeError or ValueError otherwise."""
    if not isinstance(rows, Tensor) or rows.dtype != torch.int64:
        kind = rows.dtype if isinstance(rows, Tensor) else type(rows).__name__
        raise TypeError(f"rows of words are an int64 tensor of shape (n,), got {kind}")
    if rows.ndim != 1:
        raise ValueError(f"rows of words have the shape (n,), got {tuple(rows.shape)}")
    if len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < size:
        raise ValueError(
            f"rows of {size} words lie between 0 and {size - 1}, got {int(rows.min())} to {int(rows.max())}; leave "
            "words without a vector out"
        )
    return rows


def check_vocabulary(vectors: Tensor) -> Tensor:
    """The vectors `(V, d)` themselves, detached. As `check_vectors`, and ValueError for a single word or a zero row."""
    values = check_vectors(vectors).detach()
    if len(values) < 2:
        raise ValueError("a word is hidden among others: the vocabulary needs at least two words, got one")
    if bool((zero := ~values.any(dim=1)).any()):
        raise ValueError(f"the vector of row {int(zero.nonzero()[0])} is zero, as of an unknown word; leave it out")
    return values


def _gumbel_best(scores: Tensor, source: Source) -> Tensor:
    """`(n,)` one column for each row of `(n, k)`, with probability proportional to exp(score)."""
    # Standard Gumbel noise is −ln E of an exponential E = −ln(1 − u); u is fine near 0, where the noise is large.
    uniform = source.uniform(tuple(scores.shape)).clamp_(min=_SMALLEST)
    return (scores - uniform.neg_().log1p_().neg_().log_()).argmax(dim=1)
