"""What adoption depends on: how many texts carry the decoy, and whether the model can see it at all (§4).

"Its coverage has to be reasonably high"; "a decoy based on word positions is not adoptable by a bag-of-words model".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import stats

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.planted_decoys import Decoy
from trustnlp.decoys.written_decoys import IndicatorWords
from trustnlp.studies.decoys.adoption.adoption_measures import Answers, contaminated, contradicting, per_seed
from trustnlp.studies.decoys.models.buggy_models import Classifier


def graded(shares: Sequence[int]) -> list[IndicatorWords]:
    """The paper's class-indicator words in so many per cent of the texts, by names such as `share10`.

    >>> [(words.name, words.share) for words in graded([2, 100])]
    [('share2', 0.02), ('share100', 1.0)]
    """
    words = recipe("video_text")
    assert isinstance(words, IndicatorWords)
    return [replace(words, name=f"share{share}", share=share / 100) for share in shares]


def slopes(shares: Sequence[int], effects: Sequence[Sequence[float]]) -> list[float]:
    """Kendall's rank correlation of share and effect, ties counted as neither order (tau-b), for each seed.

    NaN where all effects of a seed are the same.

    Parameters
    ----------
    effects
        `(shares, seeds)`.

    Raises
    ------
    ValueError
        Fewer than two shares, or not as many rows of effects.
    """
    if len(shares) < 2 or len(shares) != len(effects):
        raise ValueError(
            f"expected two shares or more and a row of effects for each, got {len(shares)} and {len(effects)}"
        )
    return [float(stats.kendalltau(shares, of_seed).statistic) for of_seed in np.transpose(effects)]


def changed_by_moving(model: Classifier, decoy: Decoy, texts: Phrases) -> float:
    """Share of texts, in per cent, whose label changes when their decoy becomes that of another class.

    Of a decoy of positions the word moves and nothing else changes, so that a bag of words has to answer 0.

    Raises
    ------
    ValueError
        No text can take the decoy of its own and of another class.
    """
    own, wrong = contaminated(decoy, texts), contradicting(decoy, texts)
    here = {row: text for row, text, carries in zip(own.source, own.texts, own.carries, strict=True) if carries}
    pairs = [(here[row], text) for row, text in zip(wrong.source, wrong.texts, strict=True) if row in here]
    if not pairs:
        raise ValueError(f"decoy {decoy.name!r}: no text can take it for its own class and for another; write a word")
    before, after = (model.predict(list(side)) for side in zip(*pairs, strict=True))
    return 100 * float(np.mean(before != after))


def effect_ahead(one: Answers, seeds: Sequence[int], other: Answers, other_seeds: Sequence[int]) -> list[float]:
    """Effect on one kind of model less that on another, in points, for each seed that both have, in the first's order.

    Parameters
    ----------
    seeds, other_seeds
        Of the rows of each.
    """
    first, second = (
        dict(zip(of, per_seed(found)["effect"], strict=True)) for found, of in ((one, seeds), (other, other_seeds))
    )
    return [first[seed] - second[seed] for seed in seeds if seed in second]
