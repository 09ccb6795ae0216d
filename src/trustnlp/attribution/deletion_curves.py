"""Do scores tell what the model does when words go? Deletion and insertion curves, occlusion, infidelity.

Four measures of scores for one label of one text. None needs a person, all mask words and ask the model:

- *Deletion*: the words are masked one after another, those with the highest scores first. The faster the label's
  probability falls, the smaller the area under its curve. *Insertion* begins with all masked and brings them back in
  the same order: a larger area is better (Petsiuk, Das and Saenko 2018, "RISE").
- *Occlusion*: what masking each word alone takes from the probability. Spearman's correlation of the scores with it.
- *Infidelity* (Yeh et al. 2019, "On the (In)fidelity and Sensitivity of Explanations", definition 2.1): of a random set
  of words, the mean squared difference of the sum of its scores and of what masking it takes from the probability. The
  size of the set is uniform from 1 to all words, and the set uniform among those of that size. It hangs on the unit of
  the scores; `scaled_infidelity` is that of the scores times the factor that suits them best.

The first three read the order of words, or one word at a time; only infidelity asks whether scores add up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from trustnlp.attribution.model_calls import (
    Floats,
    Labels,
    Probabilities,
    Words,
    check_scores,
    distinct_texts,
    masked_text,
    predicted_probabilities,
)
from trustnlp.files.same_rows import check_lists, check_one_order

Masks = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Faithfulness:
    """How well the scores of one text follow the model.

    Attributes
    ----------
    deletion, insertion
        `(n_words + 1,)` probability of the label with 0, 1, … words masked, or brought back.
    occlusion_correlation
        −1 to 1; NaN where the scores or the occlusions are all equal.
    infidelity, scaled_infidelity
        In squared units of probability; smaller is better. Scaled, it is at most that of scores that are all 0.
    texts
        How many different texts the model saw to tell.
    """

    deletion: Floats = field(repr=False)
    insertion: Floats = field(repr=False)
    occlusion_correlation: float
    infidelity: float
    scaled_infidelity: float
    texts: int

    @property
    def deletion_area(self) -> float:
        """Area under the deletion curve over the share of words masked, 0 to 1, by trapezes: smaller is better."""
        return _area(self.deletion)

    @property
    def insertion_area(self) -> float:
        """Area under the insertion curve over the share of words put back, 0 to 1: larger is better."""
        return _area(self.insertion)


def measure_faithfulness(
    probabilities: Probabilities,
    texts: Sequence[Words],
    scores: Mapping[str, Sequence[Floats]],
    *,
    mask: str,
    sets: int = 100,
    rng: np.random.Generator,
    labels: Labels | None = None,
) -> dict[str, list[Faithfulness]]:
    """All measures of several kinds of scores of the same texts. One call of the model; each distinct text once.

    Every kind of scores is measured on the same random sets of words, so that differences between kinds are paired.

    Parameters
    ----------
    probabilities
        Function of a list of texts to `(n, c)`.
    texts
        Words of each text.
    scores
        Name of a kind of scores → scores of each text `(n_words,)`, high where a word supports the label.
    mask
        What stands in the place of a masked word.
    sets
        Random sets of words for infidelity, of each text.
    labels
        `(n,)` that the scores are for; by default what the model predicts of the whole text.

    Raises
    ------
    ValueError
        If there is no kind of scores, fewer than one set, scores that are not one finite number a word, not one label
        a text, or Series in another order.
    """
    if not scores or sets < 1:
        raise ValueError(f"expected scores of at least one kind, and at least one set, got {list(scores)} and {sets}")
    check_lists(labels=labels)
    check_one_order(texts=texts, **{f"scores[{kind!r}]": own_scores for kind, own_scores in scores.items()})
    checked = {name: check_scores(texts, own_scores) for name, own_scores in scores.items()}
    if labels is not None and (np.shape(labels) != (len(texts),) or np.min(labels, initial=0) < 0):
        raise ValueError(f"{len(texts)} texts need as many labels from 0 up, got {labels}")
    random_sets = [_random_sets(len(words), sets, rng) for words in texts]
    masks = [
        np.concatenate(
            [_shared_masks(len(words)), drawn, *(_deletions(own_scores[number]) for own_scores in checked.values())]
        )
        for number, (words, drawn) in enumerate(zip(texts, random_sets, strict=True))
    ]
    written = [[masked_text(words, row, mask) for row in rows] for words, rows in zip(texts, masks, strict=True)]
    found = predicted_probabilities(probabilities, [text for own in written for text in own])
    result: dict[str, list[Faithfulness]] = {name: [] for name in checked}
    start = 0
    for number, own in enumerate(written):
        answers = found[start : start + len(own)]
        start += len(own)
        label = int(answers[0].argmax()) if labels is None else int(labels[number])
        for place, (name, own_scores) in enumerate(checked.items()):
            result[name].append(_faithfulness(own_scores[number], answers[:, label], random_sets[number], place, own))
    return result


def _faithfulness(scores: Floats, p: Floats, drawn: Masks, place: int, written: Sequence[str]) -> Faithfulness:
    """Measures of the scores at `place`, of the probabilities `p` of all masked texts, in the order they were made."""
    n, sets = len(scores), len(drawn)
    whole, empty, alone, by_set = p[0], p[1], p[2 : 2 + n], p[2 + n : 2 + n + sets]
    first = 2 + n + sets + place * 2 * (n - 1)
    deleted, inserted = p[first : first + n - 1], p[first + n - 1 : first + 2 * (n - 1)]
    sums, falls = drawn @ scores, whole - by_set
    spread = float(sums @ sums)
    factor = float(sums @ falls) / spread if spread > 0 else 0.0
    own = [*written[: 2 + n + sets], *written[first : first + 2 * (n - 1)]]
    return Faithfulness(
        deletion=np.concatenate([[whole], deleted, [empty]]),
        insertion=np.concatenate([[empty], inserted, [whole]]),
        occlusion_correlation=_rank_correlation(scores, whole - alone),
        infidelity=float(np.mean((sums - falls) ** 2)),
        scaled_infidelity=float(np.mean((factor * sums - falls) ** 2)),
        texts=len(distinct_texts(own)[0]),
    )


def _shared_masks(n: int) -> Masks:
    """`(2 + n, n)`: nothing masked, everything, and each word alone."""
    return np.concatenate([np.zeros((1, n), np.bool_), np.ones((1, n), np.bool_), np.eye(n, dtype=np.bool_)])


def _deletions(scores: Floats) -> Masks:
    """`(2(n − 1), n)`: the 1, …, n − 1 words with the highest scores masked, and all but these. Of ties the first."""
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    masked = ranks < np.arange(1, len(scores))[:, None]
    return np.concatenate([masked, ~masked])


def _random_sets(n: int, sets: int, rng: np.random.Generator) -> Masks:
    """`(sets, n)`: of uniform size from 1 to n, uniform among sets of that size."""
    sizes = rng.integers(1, n + 1, size=(sets, 1))
    keys = rng.random((sets, n))
    return keys.argsort(axis=1).argsort(axis=1) < sizes


def _rank_correlation(first: Floats, second: Floats) -> float:
    """Spearman's, with mean ranks for ties."""
    one, other = (ranks - ranks.mean() for ranks in (rankdata(first), rankdata(second)))
    scale = float(np.sqrt((one @ one) * (other @ other)))
    return float(one @ other) / scale if scale > 0 else float("nan")


def _area(curve: Floats) -> float:
    return float((curve[:-1] + curve[1:]).mean() / 2)
