"""BLEU of token sequences against several references each, with intervals, and exact match.

Papineni et al. (2002), in the implementation of NLTK (Bird and Loper), the tool of Tang and Surdeanu (2021), section 4:
n-grams of 1 to 4 tokens, any number of references per candidate, no smoothing. A corpus BLEU adds up the n-grams of
all candidates before it divides, so it is no mean of sentence BLEUs. To resample items, the n-grams of each are counted
once (`ngram_counts`) and only their sums are divided again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.files.same_rows import check_lists

Tokens = Sequence[str]
LONGEST = 4


def corpus_bleu(
    references: Sequence[Sequence[Tokens]], candidates: Sequence[Tokens], *, longest: int = LONGEST
) -> float:
    """BLEU of all candidates together, in per cent.

    Parameters
    ----------
    references
        For each candidate one or more sequences, any of which is right.
    longest
        n-grams of 1 to this many tokens count, all lengths alike.

    Raises
    ------
    ValueError
        If there are no candidates, another number of references, a candidate without reference, text where tokens are
        expected, or a Series or dict where lists are.

    >>> round(corpus_bleu([[["a", "b", "c", "d"], ["a", "b", "c", "d", "e"]]], [["a", "b", "c", "d"]]), 1)
    100.0
    """
    return float(bleu_of_counts(ngram_counts(references, candidates, longest=longest).sum(axis=0)))


def sentence_bleu(references: Sequence[Tokens], candidate: Tokens, *, longest: int = LONGEST) -> float:
    """BLEU of a single candidate, in per cent; parameters and errors as for `corpus_bleu`.

    >>> round(sentence_bleu([["a", "b", "c", "d", "e"]], ["a", "b", "c", "d", "x"]), 1)
    66.9
    """
    return corpus_bleu([references], [candidate], longest=longest)


def exact_matches(references: Sequence[Sequence[Tokens]], candidates: Sequence[Tokens]) -> NDArray[np.bool_]:
    """`(n,)`: whether each candidate is one of its references, token by token; errors as for `corpus_bleu`.

    >>> exact_matches([[["a", "b"], ["a"]], [["c"]]], [["a"], ["b"]])
    array([ True, False])
    """
    _check(references, candidates, LONGEST)
    pairs = zip(references, candidates, strict=True)
    return np.array([tuple(candidate) in {tuple(each) for each in right} for right, candidate in pairs])


def ngram_counts(
    references: Sequence[Sequence[Tokens]], candidates: Sequence[Tokens], *, longest: int = LONGEST
) -> NDArray[np.int64]:
    """The counts that BLEU adds up, item by item.

    Returns
    -------
    array
        `(n, 2 longest + 2)`: matched n-grams of each length, all n-grams of each length, the length of the reference
        that is closest in length, and that of the candidate. Sums of rows go to `bleu_of_counts`.

    Raises
    ------
    ValueError
        If `corpus_bleu` would raise it.
    """
    from nltk.translate import bleu_score

    _check(references, candidates, longest)
    rows = []
    for right, candidate in zip(references, candidates, strict=True):
        shares = [bleu_score.modified_precision(right, candidate, n) for n in range(1, longest + 1)]
        matched = [share.numerator for share in shares]
        there = [share.denominator for share in shares]
        rows.append([*matched, *there, bleu_score.closest_ref_length(right, len(candidate)), len(candidate)])
    return np.array(rows, dtype=np.int64)


def bleu_of_counts(counts: ArrayLike) -> NDArray[np.float64]:
    """BLEU in per cent from summed n-gram counts.

    Parameters
    ----------
    counts
        `(..., 2 k + 2)`, sums over items of what `ngram_counts` gives.

    Returns
    -------
    array
        `(...)`. 0 where one length has no match, or there is nothing to score.

    Raises
    ------
    ValueError
        If given a last axis that no `ngram_counts` has, or negative numbers.
    """
    sums = np.asarray(counts, dtype=np.float64)
    if sums.ndim < 1 or sums.shape[-1] < 4 or sums.shape[-1] % 2:
        raise ValueError(f"expected sums of ngram_counts, (..., 2 k + 2), got the shape {sums.shape}")
    if (sums < 0).any():
        raise ValueError("n-gram counts are not negative; pass sums of items, not differences")
    longest = sums.shape[-1] // 2 - 1
    matched, there = sums[..., :longest], sums[..., longest : 2 * longest]
    reference, candidate = sums[..., -2], sums[..., -1]
    scored = (matched > 0).all(axis=-1) & (candidate > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.exp(np.log(matched / there).mean(axis=-1))
        brevity = np.exp(np.minimum(0, 1 - reference / candidate))
        return np.where(scored, 100 * precision * brevity, 0.0)


def resampled_bleu(counts: ArrayLike, weights: ArrayLike) -> NDArray[np.float64]:
    """Corpus BLEU of each resample of the items: a bootstrap by counts.

    Parameters
    ----------
    counts
        `(n, 2 k + 2)` of `ngram_counts`. Rows of zeros are items that this system is not scored on.
    weights
        `(resamples, n)`: how often each resample holds each item, from `resample_weights`. Two systems that are
        compared get the same weights.

    Raises
    ------
    ValueError
        If given weights of another number of items.
    """
    rows, times = np.asarray(counts, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if times.ndim != 2 or times.shape[1] != len(rows):
        raise ValueError(f"expected weights of {len(rows)} items, (resamples, n), got the shape {times.shape}")
    return bleu_of_counts(times @ rows)


def resample_weights(n: int, *, rng: np.random.Generator, resamples: int = 2000) -> NDArray[np.int64]:
    """`(resamples, n)`: how often each of `n` items is drawn, if `n` are drawn with replacement.

    Raises
    ------
    ValueError
        If there are no items or no resamples.
    """
    if n < 1 or resamples < 1:
        raise ValueError(f"expected at least one item and one resample, got {n} and {resamples}")
    return rng.multinomial(n, np.full(n, 1 / n), size=resamples)


def _check(references: Sequence[Sequence[Tokens]], candidates: Sequence[Tokens], longest: int) -> None:
    check_lists(references=references, candidates=candidates)
    if longest < 1:
        raise ValueError(f"n-grams have at least one token, got longest={longest}")
    if not candidates or len(references) != len(candidates):
        raise ValueError(
            f"expected references for each of at least one candidate, got {len(references)} for {len(candidates)}"
        )
    for item, (right, candidate) in enumerate(zip(references, candidates, strict=True)):
        if not right:
            raise ValueError(f"item {item} has no reference; leave it out before scoring, and say how many were")
        if isinstance(candidate, str) or any(isinstance(each, str) for each in right):
            raise ValueError(f"item {item}: expected lists of tokens, got text; split it first")
