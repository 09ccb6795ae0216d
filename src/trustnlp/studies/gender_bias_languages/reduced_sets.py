"""The English check of §2.2: do a reduced set of pairs and professions and the original one measure the same?

Matthews et al. (2021) report an insignificant T-test of the bias scores of both. Which test, on which scores, is not
said. Here: Welch's unpaired test between the scores of two different word sets (`unpaired`); the paired test over the
same words under both directions; two one-sided tests against a margin (equivalence); and the smallest difference that
the unpaired test would find four times in five (`detectable`). Scores are signed cosines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats

from trustnlp.bias.direct_bias import signed_scores
from trustnlp.bias.pair_directions import Pair, gender_direction
from trustnlp.embeddings.static import WordVectors

LEVEL, POWER = 0.05, 0.8


def compare_sets(
    vectors: WordVectors,
    original_pairs: Sequence[Pair],
    reduced_pairs: Sequence[Pair],
    original_words: Sequence[str],
    reduced_words: Sequence[str],
    *,
    margin: float,
) -> dict[str, float]:
    """Tests of the scores of the reduced set against those of the original.

    Parameters
    ----------
    original_pairs, reduced_pairs
        Each set's direction comes from its own pairs; pairs without vectors are dropped.
    original_words, reduced_words
        Each set's professions; words without a vector are dropped.
    margin
        A difference of mean scores below this share of the mean absolute score counts as none.

    Returns
    -------
    `unpaired_p_above_05` and `paired_p_above_05` (the p-value minus 0.05), `equivalence_margin_left` (the margin minus
    the larger end of the paired difference's 90 % interval, both in units of the score: above zero means equivalent),
    `mean_difference`, `detectable`, `words` and `directions_cosine`.

    Raises
    ------
    ValueError
        Fewer than three words of a set have vectors, or the margin is not positive.
    """
    if margin <= 0:
        raise ValueError(f"the margin must be positive, got {margin}")
    of_original, of_reduced = gender_direction(vectors, original_pairs).g, gender_direction(vectors, reduced_pairs).g
    first, second = ([w for w in dict.fromkeys(words) if w in vectors] for words in (original_words, reduced_words))
    if min(len(first), len(second)) < 3:
        raise ValueError(f"{len(first)} and {len(second)} words have vectors; three of each set are needed")
    a, b = signed_scores(vectors, first, of_original), signed_scores(vectors, second, of_reduced)
    unpaired = stats.ttest_ind(b, a, equal_var=False)
    same = signed_scores(vectors, first, of_reduced) - a
    paired = stats.ttest_1samp(same, 0.0)
    error = float(np.std(same, ddof=1) / np.sqrt(len(same)))
    reach = abs(float(same.mean())) + float(stats.t.ppf(1 - LEVEL, len(same) - 1)) * error
    spread = float(np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)))
    return {
        "unpaired_p_above_05": float(unpaired.pvalue) - LEVEL,
        "paired_p_above_05": float(paired.pvalue) - LEVEL,
        "equivalence_margin_left": margin * float(np.abs(a).mean()) - reach,
        "mean_difference": float(same.mean()),
        "detectable": spread * float(stats.norm.ppf(1 - LEVEL / 2) + stats.norm.ppf(POWER)),
        "mean_absolute_score": float(np.abs(a).mean()),
        "words": float(len(same)),
        "directions_cosine": float(of_original @ of_reduced),
    }
