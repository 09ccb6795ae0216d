"""A probe beside placebos: how far do any two words lie apart, over the same contexts?

Kumar, Dixit and Shah (2021), §4.5, compare the relative size of S1 ∩ S2 ∩ S3 for a control and a probe word with that
of the reversed pair, and take the difference as the sign of a bias. Here it is held against other pairs of words, such
as all adjectives that say nothing of a film's worth.

The difference is simpler than it looks. Of the contexts where a is positive and b negative, less those where b is
positive and a negative, the contexts where both are positive cancel:

    |a⁺ ∩ b⁻| − |b⁺ ∩ a⁻| = |a⁺| − |b⁺|

so it is the difference of two rates: how often each word comes out positive. One number a word decides all pairs, and
all of them can be counted. For several probe words at once, the mean of their differences is tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from trustnlp.attribution.word_replacements import ReplacementModel, check_vocabulary, portions, replacement_labels

Counts = NDArray[np.int64]
# Sets of probe words that are listed; each is paired with every control word.
MOST_LISTED = 200_000
_KEYS_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class PlaceboTest:
    """A control and its probe words among other words.

    Attributes
    ----------
    difference
        The statistic: relative size of the set less that of the reversed pair, mean over the probe words; −1 to 1.
    p_value
        Share of all choices of a control word and as many probe words, out of the words given and the placebos, whose
        statistic is at least as large. Counted (the choice given among them), or estimated as (hits + 1) / (draws + 1).
    exact
        Whether it was counted.
    choices
        How many choices there are.
    reaching
        Share of the placebos that, alone in the place of the probe words and with the control given, reach the
        statistic, 0 to 1.
    placebos
        The words that were used: those given but for the control, the probe words and repetitions.
    differences
        `(len(placebos),)` statistic of the control given and each placebo.
    """

    difference: float
    p_value: float
    exact: bool
    choices: int
    reaching: float
    placebos: tuple[str, ...] = field(repr=False)
    differences: NDArray[np.float64] = field(repr=False)


def placebo_test(
    student: ReplacementModel,
    rows: NDArray[np.int64],
    control: str,
    probes: Sequence[str],
    placebos: Sequence[str],
    *,
    positive: int = 1,
    draws: int = 100_000,
    rng: np.random.Generator | None = None,
) -> PlaceboTest:
    """Test probe words against a control word among placebos, over the contexts `rows`.

    Under the hypothesis that the words given differ as any words of the list do, the p-value is below α with a
    probability of at most α. It says nothing of other contexts or other teachers.

    Parameters
    ----------
    student
        A student, or the model itself (`ExactReplacements`).
    rows
        Numbers of the contexts, such as `ProbeContexts.rows`.
    control, probes
        One word, and one or more others.
    placebos
        At least one word besides them.
    positive
        The label that counts as positive.
    draws, rng
        Where there are more than `MOST_LISTED` sets of as many words as there are probe words: random choices, and
        their generator. For one probe word all pairs are counted.

    Raises
    ------
    ValueError
        No context or placebo, the control among the probe words, or a generator is needed and missing.
    """
    check_vocabulary(probes, "the list of probe words")
    if control in probes:
        raise ValueError(f"the control word {control!r} is among the probe words; two different words are compared")
    if not len(rows):
        raise ValueError("there is no context to probe; which filter left none?")
    others = tuple(dict.fromkeys(word for word in placebos if word not in {control, *probes}))
    check_vocabulary(others, "the list of placebos, without the control and the probe words,")
    words = (control, *probes, *others)
    positives = _positives(student, rows, words, positive)
    size = len(probes)
    statistic = int(size * positives[0] - positives[1 : size + 1].sum())
    sets = comb(len(words), size)
    if exact := sets <= MOST_LISTED:
        p_value = _reaching_choices(positives, size, statistic) / (sets * (len(words) - size))
    else:
        if rng is None or draws < 1:
            raise ValueError(
                f"{len(words)} words have {sets:.3g} sets of {size}, which are sampled: give "
                "rng=numpy.random.default_rng(seed) and draws ≥ 1, or fewer placebos"
            )
        p_value = (_reaching_draws(positives, size, statistic, draws, rng) + 1) / (draws + 1)
    apart = positives[0] - positives[size + 1 :]
    return PlaceboTest(
        difference=statistic / (size * len(rows)),
        p_value=p_value,
        exact=exact,
        choices=sets * (len(words) - size),
        reaching=float((size * apart >= statistic).mean()),
        placebos=others,
        differences=apart / len(rows),
    )


def _positives(student: ReplacementModel, rows: NDArray[np.int64], words: Sequence[str], positive: int) -> Counts:
    """In how many of the contexts each word comes out positive, `(v,)`."""
    counts = np.empty(len(words), dtype=np.int64)
    # Portions of words here, not of contexts: nothing but the counts is kept.
    for places in tqdm(list(portions(len(words), len(rows))), desc="placebos", disable=None, delay=3, leave=False):
        counts[places] = (replacement_labels(student, rows, words[places]) == positive).sum(axis=0)
    return counts


def _reaching_choices(positives: Counts, size: int, statistic: int) -> int:
    """Of all choices of a control and `size` other words, how many reach the statistic: size · control − Σ others."""
    chosen = np.array(list(combinations(range(len(positives)), size)))
    controls = np.sort(size * positives)
    needed = statistic + positives[chosen].sum(axis=1)
    reaching = len(controls) - np.searchsorted(controls, needed, side="left")
    within = (size * positives[chosen] >= needed[:, None]).sum()
    return int(reaching.sum() - within)


def _reaching_draws(positives: Counts, size: int, statistic: int, draws: int, rng: np.random.Generator) -> int:
    """The same of random choices."""
    hits = 0
    block = max(1, _KEYS_AT_ONCE // len(positives))
    for start in range(0, draws, block):
        keys = rng.random((min(block, draws - start), len(positives)))
        # The words with the `size` smallest keys, and the one with the next.
        picked = positives[np.argpartition(keys, size, axis=1)[:, : size + 1]]
        hits += int(np.count_nonzero(size * picked[:, size] - picked[:, :size].sum(axis=1) >= statistic))
    return hits
