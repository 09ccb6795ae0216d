"""What a labelling loop reads, without texts: states of reviews, and of tweets half of which are moved from them."""

from __future__ import annotations

import numpy as np

from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.studies.aec.loop import LoopTexts

_WIDTH = 12


def made_up_loop(seed: int = 0, *, reviews: int = 150, tweets: int = 260, noise: float = 0.6) -> LoopTexts:
    """Three labels. The feature `moved` tells the tweets that a base of reviews has wrong, and `nothing` tells nothing.

    The last sixty tweets are for testing.
    """
    rng = np.random.default_rng(seed)
    centres = 2 * np.eye(3, _WIDTH)

    def drawn(n: int) -> tuple[np.ndarray, np.ndarray]:
        labels = rng.integers(0, 3, n)
        return centres[labels] + rng.normal(0, noise, (n, _WIDTH)), labels

    of_reviews, (states, labels) = drawn(reviews), drawn(tweets)
    moved = rng.random(tweets) < 0.5
    # To the next label's centre: a base that has seen reviews alone gives the moved tweets that label. What tells their
    # own label lies in three directions that no review knows.
    shift = centres[(labels + 1) % 3] - centres[labels] + np.eye(3, _WIDTH, 6)[labels]
    states[moved] += shift[moved]
    table = FeatureTable(("moved", "nothing"), np.column_stack([moved, rng.random(tweets)]).astype(float), ("a", "a"))
    rows = np.arange(tweets)
    return LoopTexts(of_reviews, states, labels, table, rows[:-60], rows[-60:], seed)
