"""Do a reduced set of pairs and professions and the original one measure the same?

Matthews et al. (2021), §2.2, report an insignificant T-test of English bias scores from their reduced sets and from the
original ones of Bolukbasi et al. (2016). Which test, on which scores, is not said. Here, on signed or absolute cosines:

unpaired
    Welch's test between the scores of two different sets of words. An insignificant one may only have been too weak:
    `detectable` is the difference that it finds four times in five.
paired
    A t-test over the same words, the original ones, under both directions.
equivalence
    Two one-sided t-tests (TOST) of the paired difference against a stated margin. Only this one can say "the same".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from scipy import stats

from trustnlp.bias.association_tests.measures import check_choice
from trustnlp.bias.gender_direction.direct_bias import signed_scores
from trustnlp.bias.gender_direction.pair_directions import Pair, gender_direction
from trustnlp.embeddings.static import WordVectors

Score = Literal["signed", "absolute"]
SCORES: tuple[Score, ...] = get_args(Score)
LEVEL, POWER = 0.05, 0.8
FEWEST_WORDS = 3


def compare_sets(
    vectors: WordVectors,
    original_pairs: Sequence[Pair],
    reduced_pairs: Sequence[Pair],
    original_words: Sequence[str],
    reduced_words: Sequence[str],
    *,
    margin: float,
    score: Score = "signed",
) -> dict[str, float]:
    """Tests of the scores of the reduced set against those of the original.

    Parameters
    ----------
    original_pairs, reduced_pairs
        Each set's direction comes from its own pairs; pairs without vectors are dropped.
    original_words, reduced_words
        Each set's professions; words without a vector are dropped, repeated ones count once.
    margin
        A difference of mean scores below this share of the original's mean absolute score counts as none.
    score
        `signed`: the cosines of the paper's figures. `absolute`: those that its Eq. 1 averages.

    Returns
    -------
    `unpaired_p`, `paired_p`, `equivalence_p`; `unpaired_p_above_05` and `paired_p_above_05` (less 0.05);
    `equivalence_margin_left` (the margin less the larger end of the paired difference's 90 % interval, in units of the
    score: above zero is equivalent at 5 %); `unpaired_difference` and `mean_difference` (paired), reduced less
    original; `detectable` by the unpaired test; `mean_absolute_score` and `margin` in units of the score; `words` and
    `reduced_words` with vectors, `original_pairs` and `reduced_pairs` with vectors; `directions_cosine`.

    Raises
    ------
    ValueError
        If fewer than three words of a set have vectors, too few pairs, the margin is not positive, an unknown score, or
        both directions score every word alike, so that there is nothing to test.
    """
    if not margin > 0:
        raise ValueError(f"the margin must be positive, got {margin}")
    check_choice("score", score, SCORES)
    original, reduced = gender_direction(vectors, original_pairs), gender_direction(vectors, reduced_pairs)
    first, second = ([w for w in dict.fromkeys(words) if w in vectors] for words in (original_words, reduced_words))
    if min(len(first), len(second)) < FEWEST_WORDS:
        raise ValueError(
            f"{len(first)} and {len(second)} words have vectors; {FEWEST_WORDS} of each set are needed: give more words"
        )
    a, b, again = (
        signed_scores(vectors, words, g) for words, g in ((first, original.g), (second, reduced.g), (first, reduced.g))
    )
    if score == "absolute":
        a, b, again = np.abs(a), np.abs(b), np.abs(again)
    same = again - a
    error = float(np.std(same, ddof=1) / np.sqrt(len(same)))
    if not error > 0:
        raise ValueError("both directions score every word alike: the two sets of pairs give one direction, no test")
    unpaired = stats.ttest_ind(b, a, equal_var=False)
    # Welch's standard error and degrees of freedom
    parts = np.array([a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)])
    freedom = float(parts.sum() ** 2 / (parts**2 / [len(a) - 1, len(b) - 1]).sum())
    detectable = np.sqrt(parts.sum()) * (stats.t.ppf(1 - LEVEL / 2, freedom) + stats.t.ppf(POWER, freedom))
    size = float(np.abs(a).mean())
    difference, within, t = float(same.mean()), margin * size, stats.t(len(same) - 1)
    paired_p = float(2 * t.sf(abs(difference) / error))
    return {
        "unpaired_p": float(unpaired.pvalue),
        "paired_p": paired_p,
        "equivalence_p": float(t.sf((within - abs(difference)) / error)),
        "unpaired_p_above_05": float(unpaired.pvalue) - LEVEL,
        "paired_p_above_05": paired_p - LEVEL,
        "equivalence_margin_left": within - abs(difference) - float(t.ppf(1 - LEVEL)) * error,
        "unpaired_difference": float(b.mean() - a.mean()),
        "mean_difference": difference,
        "detectable": float(detectable),
        "mean_absolute_score": size,
        "margin": within,
        "words": float(len(first)),
        "reduced_words": float(len(second)),
        "original_pairs": float(len(original.pairs)),
        "reduced_pairs": float(len(reduced.pairs)),
        "directions_cosine": float(original.g @ reduced.g),
    }
