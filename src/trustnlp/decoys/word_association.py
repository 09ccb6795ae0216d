"""Which words go with a class? Plain statistics of a corpus: the baseline that needs no model and no explanation.

All are of one table: for each class the number of its texts, and of its texts that contain each word. **A word counts
once in a text.** A decoy is something that a text has or has not: the paper's applicability, productivity and coverage
(Idahl et al. 2021, §4) count instances, texts are the independent units that the χ² test asks for, and a word that one
text repeats ten times is no better a rule for telling classes. Where a source counts tokens, its docstring says so.

Each statistic gives `(c, V)` scores: of each class against all others together, positive where the word is more common
in the class. For two classes one row is minus the other, but for pointwise mutual information. *Two-sided* a word has
the best of its scores over classes, which for two classes is the absolute value.

They are not one baseline. Let all texts of one class that contain a word be removed from a corpus. The ratio, χ² and
the difference put the word high; the z-score divides by a standard error that is large where a count is zero, and
hides it unless the prior is strong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.files.same_rows import check_one_order

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WordCounts:
    """How many texts of each class contain each word.

    Attributes
    ----------
    words
        `V` different words, sorted.
    carrying
        `(c, V)` texts of the class that contain the word; every word is in some text.
    texts
        `(c,)` texts of the class, at least one each.
    """

    words: tuple[str, ...]
    carrying: Counts
    texts: Counts

    @property
    def elsewhere(self) -> Counts:
        """`(c, V)` texts of all other classes that contain the word."""
        return np.asarray(self.carrying.sum(axis=0) - self.carrying)

    @property
    def other_texts(self) -> Counts:
        """`(c,)` texts of all other classes."""
        return np.asarray(self.texts.sum() - self.texts)


def count_words(texts: Sequence[str], labels: ArrayLike, *, classes: int = 2) -> WordCounts:
    """Count each word once in a text. Words are what blanks separate; nothing is lowered or left out.

    Parameters
    ----------
    texts, labels
        `n` texts and their classes `(n,)`, 0 to `classes - 1`.

    Raises
    ------
    TypeError
        If the texts are one string.
    ValueError
        If there is no text, no word, another number of labels than of texts, a label out of range, a class without a
        text, or two Series in another order.

    Examples
    --------
    >>> counts = count_words(["so so dull", "a film", "dull film"], [0, 1, 1])
    >>> counts.words, counts.carrying.tolist(), counts.texts.tolist()
    (('a', 'dull', 'film', 'so'), [[0, 1, 0, 1], [1, 1, 2, 0]], [1, 2])
    """
    if isinstance(texts, str):
        raise TypeError(f"expected a list of texts, got the single string {texts[:40]!r}")
    check_one_order(texts=texts, labels=labels)
    own = np.asarray(labels)
    if not len(texts) or own.shape != (len(texts),):
        raise ValueError(f"expected at least one text and a label for each, got {len(texts)} and shape {own.shape}")
    if outside := sorted(set(own.tolist()) - set(range(classes))):
        raise ValueError(f"labels of {classes} classes are 0 to {classes - 1}, got also {outside[:5]}")
    own = own.astype(np.int64)
    sizes = np.bincount(own, minlength=classes)
    if classes < 2 or not sizes.all():
        raise ValueError(f"each of at least two classes needs a text, got {sizes.tolist()} texts by class")
    contents = [set(text.split()) for text in texts]
    words = tuple(sorted(set().union(*contents)))
    if not words:
        raise ValueError(f"none of the {len(texts)} texts has a word")
    column = {word: place for place, word in enumerate(words)}
    rows = np.repeat(own, [len(content) for content in contents])
    columns = np.array([column[word] for content in contents for word in content])
    carrying = np.zeros((classes, len(words)), dtype=np.int64)
    np.add.at(carrying, (rows, columns), 1)
    return WordCounts(words, carrying, sizes)


def log_odds_z(counts: WordCounts, strength: float) -> Floats:
    """z-scored log-odds ratio with an informative Dirichlet prior: Monroe, Colaresi and Quinn (2008), eq. 16, 20, 22.

    With `y` the texts of class i that contain the word, and `n` their sum over words, δ is the log of
    (y_i + α) / (n_i + α_0 − y_i − α) less the same of the other classes j. The score is δ over its standard error,
    √(1 / (y_i + α) + 1 / (y_j + α)). **The prior** is the corpus itself, all classes together: α = α_0 · y / n. The
    source counts tokens.

    Parameters
    ----------
    strength
        α_0: how many words, spread as in the whole corpus, are added to the class and to the others. Ranks hang on it.

    Raises
    ------
    ValueError
        If given a strength that is not positive.
    """
    _check_positive(strength, "the strength of the prior")
    both = counts.carrying.sum(axis=0)
    prior = strength * both / both.sum()
    inside, outside = counts.carrying + prior, counts.elsewhere + prior
    difference = _log_odds(inside) - _log_odds(outside)
    return np.asarray(difference / np.sqrt(1 / inside + 1 / outside))


def smoothed_ratio(counts: WordCounts, alpha: float = 1.0) -> Floats:
    """Log ratio of relative frequencies, smoothed: log((y_i + α) / (n_i + 2α)) − log((y_j + α) / (n_j + 2α)).

    `y` of `n` texts contain the word, in class i and in the others j. A text contains a word or does not, two outcomes:
    hence 2α. `alpha` = 1 is Laplace's rule of succession.

    Raises
    ------
    ValueError
        If given an α that is not positive: without it a word of one class has an infinite ratio.
    """
    _check_positive(alpha, "alpha")
    inside = (counts.carrying + alpha) / (counts.texts + 2 * alpha)[:, None]
    outside = (counts.elsewhere + alpha) / (counts.other_texts + 2 * alpha)[:, None]
    return np.asarray(np.log(inside) - np.log(outside))


def signed_chi_squared(counts: WordCounts) -> Floats:
    """Pearson's χ² of the 2 × 2 table "has the word" × "is of the class", with the sign of observed less expected.

    n (ad − bc)² / ((a + b)(c + d)(a + c)(b + d)), without Yates' correction; Yang and Pedersen (1997), §2.4, rank words
    by it. 0 for a word that all texts contain.
    """
    a, b = counts.carrying.astype(np.float64), counts.elsewhere.astype(np.float64)
    c, d = counts.texts[:, None] - a, counts.other_texts[:, None] - b
    cross = a * d - b * c
    without = c + d
    scale = (a + b) * np.maximum(without, 1) * (a + c) * (b + d)
    return np.asarray(np.sign(cross) * counts.texts.sum() * cross**2 / scale)


def pointwise_information(counts: WordCounts, alpha: float = 1.0) -> Floats:
    """Pointwise mutual information of "has the word" and the class, in nats: log(p(w, i) / (p(w) p(i))).

    Church and Hanks (1990); Gururangan et al. (2018), §3, look for cues of a class with it and add 100 to each count.
    Here α is added to each cell of the table of all classes × (has the word, has it not), as without it every word of
    one class only has the same score. **Within a class it ranks words as `smoothed_ratio` does**, for two classes and
    the same α; two-sided it does not.

    Raises
    ------
    ValueError
        If given an α that is not positive.
    """
    _check_positive(alpha, "alpha")
    joint = counts.carrying + alpha
    total = counts.texts.sum() + 2 * alpha * len(counts.texts)
    of_class = (counts.texts + 2 * alpha)[:, None]
    return np.asarray(np.log(joint * total / (joint.sum(axis=0) * of_class)))


def share_difference(counts: WordCounts) -> Floats:
    """Share of the class's texts that contain the word, less the share of the other texts."""
    return np.asarray(counts.carrying / counts.texts[:, None] - counts.elsewhere / counts.other_texts[:, None])


def _log_odds(pseudo_counts: Floats) -> Floats:
    return np.asarray(np.log(pseudo_counts) - np.log(pseudo_counts.sum(axis=1, keepdims=True) - pseudo_counts))


def _check_positive(value: float, called: str) -> None:
    if not 0 < value < float("inf"):
        raise ValueError(f"{called} must be a positive number, got {value}")
