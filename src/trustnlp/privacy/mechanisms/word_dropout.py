"""Word dropout before a release, and the release on which what it buys is exactly known.

Lyu, He and Li (2020, "DPNR"), §3.3.2 and Theorem 2: words are masked before the text is released, and ε falls to
ln((1-μ)e^ε + μ). The text says of the mask that its "number of zeros is determined by d·μ" (`fixed_count_mask`); the
study of Zouhri and Abecidan (2021) draws each zero on its own (`bernoulli_mask`), as does the released code, but for
pieces of words. The formula holds for words drawn on their own only (`accounting.dropout_bernoulli`); a fixed number
has the larger `accounting.dropout_fixed_count`.

`count_release` shows that neither bound can be lowered. It releases, with Laplace noise, how many of the words 2 to d
are left, less one if the first is left and is `SECRET`. A change of one word, to the null symbol as well, moves this
count by at most 1, so the release without dropout is ε-private. Compare the texts that differ in the first word at an
output far to the left, where each step of the count costs a factor of e^-ε:

- each word on its own: the others' masks know nothing of the first word's. Where it is dropped the densities agree,
  where it is kept they differ by e^ε; together (1-μ)e^ε + μ;
- a fixed count: where the first word is dropped *one more of the others is kept*, so the count there lies two steps
  above that of the text with the secret word. Dropping then covers it only by e^-2ε: the larger bound, attained.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import torch
from torch import Tensor

from trustnlp.privacy.accounting.composition import check_rate
from trustnlp.privacy.accounting.guarantee import check_epsilon
from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.noise import samplers as noise
from trustnlp.privacy.noise.randomness import source_of

SECRET, HARMLESS = 1.0, 2.0
MaskLaw = dict[tuple[bool, ...], float]
_MOST_LISTED = 20


def bernoulli_mask(texts: int, words: int, rate: float, *, generator: torch.Generator | None = None) -> Tensor:
    """`(texts, words)` of booleans, true where a word is kept: each with probability 1 - `rate`, on its own.

    Raises
    ------
    ValueError
        If there is no text or word, or the rate lies outside [0, 1).
    """
    _check_shape(texts, words)
    check_rate(rate)
    return source_of(generator).uniform((texts, words)) >= rate


def fixed_count_mask(texts: int, words: int, dropped: int, *, generator: torch.Generator | None = None) -> Tensor:
    """`(texts, words)` of booleans with exactly `dropped` false in each row, at places drawn alike.

    Raises
    ------
    ValueError
        If there is no text or word, or `dropped` outside 0 to `words`.
    """
    _check_shape(texts, words)
    _check_dropped(words, dropped)
    order = source_of(generator).uniform((texts, words)).argsort(dim=1)
    return torch.ones_like(order, dtype=torch.bool).scatter_(1, order[:, :dropped], value=False)


def bernoulli_law(words: int, rate: float) -> MaskLaw:
    """Every mask of a short text and its probability, when each word is dropped on its own.

    Raises
    ------
    ValueError
        If the rate lies outside [0, 1), or not 1 to 20 words.
    """
    check_rate(rate)
    masks = _all_masks(words)
    return {mask: (1 - rate) ** sum(mask) * rate ** (words - sum(mask)) for mask in masks}


def fixed_count_law(words: int, dropped: int) -> MaskLaw:
    """Every mask of a short text that drops exactly `dropped` words, all alike.

    >>> fixed_count_law(2, 1)
    {(False, True): 0.5, (True, False): 0.5}

    Raises
    ------
    ValueError
        If `dropped` is outside 0 to `words`, or not 1 to 20 words.
    """
    _check_dropped(words, dropped)
    masks = [mask for mask in _all_masks(words) if sum(mask) == words - dropped]
    return {mask: 1 / len(masks) for mask in masks}


def text_pair(words: int) -> tuple[Tensor, Tensor]:
    """`(words,)` each: the two texts that `count_release` gives away most, alike but for the first word.

    Raises
    ------
    ValueError
        If there is no word.
    """
    _check_shape(1, words)
    harmless = torch.full((words,), HARMLESS)
    secret = harmless.clone()
    secret[0] = SECRET
    return secret, harmless


def count_release(epsilon: float, draw_mask: Callable[..., Tensor]) -> BlackBox:
    """The release of the head: texts `(n, words)` to `(n, 1)`, a noisy count of the words that dropout leaves.

    Parameters
    ----------
    epsilon
        Privacy of the release without dropout, for any change of one word.
    draw_mask
        `draw_mask(n, words, generator=…)` to `(n, words)`, true where kept:
        `functools.partial(bernoulli_mask, rate=0.5)`, or `fixed_count_mask` with `dropped`.

    Raises
    ------
    ValueError
        If ε is not positive and finite.
    """
    scale = 1 / check_epsilon(epsilon)

    def release(texts: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        kept = draw_mask(*texts.shape, generator=generator)
        drawn = noise.laplace((len(texts), 1), scale, generator=generator, dtype=torch.float64)
        return (_counts(texts, kept).unsqueeze(1) + drawn).to(texts.dtype)

    return release


def largest_loss(epsilon: float, law: MaskLaw) -> float:
    """Exact privacy loss of `count_release` under a listed law of masks, by adding up the densities of every mask.

    Both texts of `text_pair`, both directions. Between two neighbouring counts the ratio of the densities is monotone,
    and beyond the outermost it is constant, so it is largest at a count.

    Raises
    ------
    ValueError
        If ε is not positive and finite, no mask, or probabilities that do not add up to 1.
    """
    check_epsilon(epsilon)
    if not law or not math.isclose(math.fsum(law.values()), 1, rel_tol=1e-9):
        raise ValueError(f"the probabilities of the {len(law)} masks add up to {math.fsum(law.values()):g}, not to 1")
    kept = torch.tensor(list(law))
    weights = torch.tensor(list(law.values()), dtype=torch.float64).log()
    counts = [_counts(text.expand(len(kept), -1), kept) for text in text_pair(kept.shape[1])]
    outputs = torch.cat(counts).unique()
    densities = [torch.logsumexp(weights - epsilon * (outputs[:, None] - count).abs(), dim=1) for count in counts]
    return float((densities[0] - densities[1]).abs().max())


def _counts(texts: Tensor, kept: Tensor) -> Tensor:
    """`(n,)` how many of the words 2 to d are kept, less one for a kept `SECRET` in the first place."""
    secret = kept[:, 0] & (texts[:, 0] == SECRET)
    return kept[:, 1:].sum(dim=1).double() - secret.double()


def _all_masks(words: int) -> list[tuple[bool, ...]]:
    if not 1 <= words <= _MOST_LISTED:
        raise ValueError(f"the masks of 1 to {_MOST_LISTED} words can be listed, got {words} words")
    return list(itertools.product((False, True), repeat=words))


def _check_shape(texts: int, words: int) -> None:
    if texts < 1 or words < 1:
        raise ValueError(f"a mask needs at least one text of one word, got {texts} texts of {words} words")


def _check_dropped(words: int, dropped: int) -> None:
    if not 0 <= dropped <= words:
        raise ValueError(f"0 to {words} of {words} words can be dropped, got {dropped}; for a rate μ take round(μ · d)")
