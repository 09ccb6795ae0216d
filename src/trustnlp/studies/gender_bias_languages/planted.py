"""Planted gender, and how much of it comes back: pairs of vectors with a known axis, and made text of growing size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trustnlp.bias.gender_direction.pair_directions import gender_direction, held_out_margins, share_in_order
from trustnlp.studies.gender_bias_languages.critique import profession_scores
from trustnlp.studies.gender_bias_languages.data import language_text
from trustnlp.studies.gender_bias_languages.models import Training, trained
from trustnlp.studies.gender_bias_languages.standins import shuffled

Floats = NDArray[np.float64]


def leaning_pairs(
    n: int, *, lean: float, dim: int, noise: float = 0.3, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Female and male vectors `(n, dim)` and the axis `(dim,)` along which they differ by twice the lean.

    A pair shares a topic of length one; each word has noise of length `noise`.
    """
    axis = rng.standard_normal(dim)
    axis /= np.linalg.norm(axis)
    topics = rng.standard_normal((n, dim)) / np.sqrt(dim)
    female, male = (
        topics + side * lean * axis + noise * rng.standard_normal((n, dim)) / np.sqrt(dim) for side in (1, -1)
    )
    return female, male, axis


def recovered_by_size(language: str, tokens: int, seed: int, training: Training) -> dict[str, float]:
    """One made text: how well scores follow the planted leans, and how large the first component is.

    Returns
    -------
    `correlation` of equal-weighted scores with leans, `held_out_right`, `first_share` and `shuffled_share`; those for
    which too few words are frequent enough are left out.
    """
    text = language_text(language, planted_tokens=tokens, rng=np.random.default_rng(seed))
    vectors = trained(text.texts, training, seed)
    try:
        direction = gender_direction(vectors, text.pairs().values())
    except ValueError:  # fewer than three pairs
        return {}
    mixed = trained(shuffled(text.texts, np.random.default_rng(seed + 1)), training, seed)
    numbers = {
        "first_share": float(direction.shares[0]),
        "shuffled_share": float(gender_direction(mixed, direction.pairs).shares[0]),
    }
    if len(direction.pairs) > 3:
        numbers["held_out_right"] = share_in_order(held_out_margins(vectors, direction.pairs))
    scores = profession_scores(text, vectors)
    if len(scores) > 2:
        leans = [text.leans[concept] for concept in scores]
        numbers["correlation"] = float(np.corrcoef(leans, list(scores.values()))[0, 1])
    return numbers
