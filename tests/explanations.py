"""Explanations written down by their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trustnlp.attribution.word_scores import Attribution


def explanation(
    scores: Mapping[str, float] | Sequence[tuple[str, float]], label: int = 1, *, together: bool = True
) -> Attribution:
    """Scores of words towards a label; a word's occurrences are removed together, or each on its own."""
    pairs = list(scores.items() if isinstance(scores, Mapping) else scores)
    words = tuple(word for word, _ in pairs)
    return Attribution(
        words=words,
        scores=np.array([score for _, score in pairs], dtype=np.float64),
        units=np.array([words.index(word) if together else place for place, word in enumerate(words)]),
        label=label,
        label_name=str(label),
        method="occlusion",
        quantity="probability",
        value=0.9,
        baseline=None,
        removed="removed words are left out",
        passes=1,
    )
