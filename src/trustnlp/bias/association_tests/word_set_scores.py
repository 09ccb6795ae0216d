"""Other measures of bias between sets of words, as users of WEFE know them, each beside the paper that defines it.

Badilla, Bravo-Marquez and Pérez (2020) compare them under one interface; wefe 1.0.1 is their program. Scores agree with
its (tests on its own vectors). None of them is a test: no p-value, no correction. Deviations from wefe:

* words without a vector are left out up to `max_missing` of a set and reported; beyond it there is an error, not a NaN;
* RIPA leaves out the *pair* of a missing word. wefe drops the word alone, so that all later pairs are of words that do
  not belong together;
* RNSB trains on all attribute words (wefe's `holdout=False`) and so does not change from call to call;
* where a score is 0 / 0 (two equal words of a pair, one attribute to order, a property that is the same throughout)
  there is a `StimuliError` that says so, and no NaN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import entropy, pearsonr, spearmanr
from sklearn.linear_model import LogisticRegression

from trustnlp.bias.association_tests.measures import check_choice, distance_matrix
from trustnlp.bias.association_tests.stimuli import Lookup, stacks
from trustnlp.bias.association_tests.word_sets import MissingWordsError, StimuliError
from trustnlp.files.number_ranges import check_shares

_ROUNDED = 1e-14  # cosines that differ by less are the same
_LEAST = 1e-100  # below it they vanish, and liblinear goes on for ever
_LARGEST = 1e30  # liblinear's sums of squares overflow far beyond it


@dataclass(frozen=True)
class SetScore:
    """A score of word sets.

    Attributes
    ----------
    score
        The measure itself.
    by_word
        Its part of each word: see the function.
    missing
        Words without a vector, in the order given.
    """

    score: float
    by_word: dict[str, float] = field(repr=False)
    missing: tuple[str, ...] = ()


def relative_norm_distance(
    vectors: Any,
    first: Sequence[str],
    second: Sequence[str],
    attributes: Sequence[str],
    *,
    distance: Literal["norm", "cos"] = "norm",
    max_missing: float = 0.2,
) -> SetScore:
    """RND (Garg, Schiebinger, Jurafsky and Zou, 2018): is an attribute nearer to the mean of one group of words?

    The mean over the attributes of `|a - mean(first)| - |a - mean(second)|`; above zero they are nearer to `second`.
    With `cos` the distances are cosine *similarities*, as in the authors' code and wefe's: then above zero means nearer
    to `first`. `by_word` has each attribute's difference.

    >>> vectors = {"he": [1.0, 0.0], "she": [0.0, 1.0], "work": [0.9, 0.1], "home": [0.2, 0.8]}
    >>> score = relative_norm_distance(vectors, ["he"], ["she"], ["work", "home"], distance="cos")
    >>> {word: round(float(x), 2) for word, x in score.by_word.items()}
    {'work': 0.88, 'home': -0.73}
    """
    check_choice("distance", distance, ("norm", "cos"))
    (X, Y, A), words, missing = _known(vectors, (first, second, attributes), max_missing)
    centres = np.stack([X.mean(axis=0), Y.mean(axis=0)])
    to_centres = distance_matrix(A, centres, "euclidean" if distance == "norm" else "cosine")
    gaps = to_centres[:, 0] - to_centres[:, 1]
    return SetScore(float(gaps.mean()), _by_word(words[2], gaps), missing)


def relative_negative_sentiment(
    vectors: Any,
    targets: Sequence[Sequence[str]],
    positive: Sequence[str],
    negative: Sequence[str],
    *,
    max_missing: float = 0.2,
) -> SetScore:
    """RNSB (Sweeney and Najafian, 2019): are all target words equally negative to a classifier of sentiment?

    A logistic regression learns the attribute words; the score is the Kullback-Leibler divergence, in nats, of the
    targets' probabilities of being negative, scaled to sum to one, from the uniform distribution. Zero is the least.
    `by_word` has each target's probability.
    """
    if not targets:
        raise StimuliError("RNSB needs at least one set of target words, got none")
    (good, bad, *groups), words, missing = _known(vectors, (positive, negative, *targets), max_missing)
    if not _LEAST <= (largest := max(float(np.abs(rows).max()) for rows in (good, bad, *groups))) <= _LARGEST:
        raise StimuliError(
            f"a logistic regression takes coordinates from {_LEAST:g} to {_LARGEST:g}, got {largest:.3g}; scale them"
        )
    learned = LogisticRegression(solver="liblinear", max_iter=10_000)
    learned.fit(np.concatenate([good, bad]), np.repeat([0, 1], [len(good), len(bad)]))
    p = learned.predict_proba(np.concatenate(groups))[:, 1]
    if len(p) < 2:
        raise StimuliError("RNSB compares target words with each other: give at least two")
    uniform = np.full(len(p), 1 / len(p))
    names = [word for group in words[2:] for word in group]
    return SetScore(float(entropy(p / p.sum(), uniform)), _by_word(names, p), missing)


def mean_average_cosine(
    vectors: Any,
    targets: Sequence[Sequence[str]],
    attributes: Sequence[Sequence[str]],
    *,
    max_missing: float = 0.2,
) -> SetScore:
    """MAC (Manzini, Lim, Black and Tsvetkov, 2019): the mean cosine *distance* of targets and attribute sets.

    The mean over all targets and attribute sets of the mean of `1 - cosine`; one is where there is no association, and
    the score does not say which group an attribute is nearer to. `by_word` has each target's mean.

    >>> vectors = {"he": [1.0, 0.0], "she": [0.0, 1.0], "work": [0.9, 0.1], "home": [0.2, 0.8]}
    >>> round(mean_average_cosine(vectors, [["he"], ["she"]], [["work"], ["home"]]).score, 2)
    0.42
    """
    if not targets or not attributes:
        raise StimuliError(
            f"MAC needs sets of target words and sets of attribute words, got {len(targets)} and {len(attributes)}"
        )
    sets, words, missing = _known(vectors, (*targets, *attributes), max_missing)
    names = [word for group in words[: len(targets)] for word in group]
    T = np.concatenate(sets[: len(targets)])
    means = np.stack([1 - distance_matrix(T, A, "cosine").mean(axis=1) for A in sets[len(targets) :]])
    return SetScore(float(means.mean()), _by_word(names, means.mean(axis=0)), missing)


def embedding_coherence(
    vectors: Any,
    first: Sequence[str],
    second: Sequence[str],
    attributes: Sequence[str],
    *,
    max_missing: float = 0.2,
) -> SetScore:
    """ECT (Dev and Phillips, 2019): do two groups order the attributes alike?

    Spearman's correlation of the attributes' cosines with the mean of `first` and with that of `second`; one is no
    bias. `by_word` has the difference of each attribute's two cosines.
    """
    (X, Y, A), words, missing = _known(vectors, (first, second, attributes), max_missing)
    cosines = distance_matrix(A, np.stack([X.mean(axis=0), Y.mean(axis=0)]), "cosine")
    for name, column in zip(("first", "second"), cosines.T, strict=True):
        _varied(column, f"the cosines of the attributes with the mean of `{name}`")
    score = float(spearmanr(cosines[:, 0], cosines[:, 1]).statistic)
    return SetScore(score, _by_word(words[2], cosines[:, 0] - cosines[:, 1]), missing)


def relational_inner_product(
    vectors: Any,
    first: Sequence[str],
    second: Sequence[str],
    attributes: Sequence[str],
    *,
    max_missing: float = 0.2,
) -> SetScore:
    """RIPA (Ethayarajh, Duvenaud and Hirst, 2019): how far attributes lie along the differences of word pairs.

    The mean over attributes and pairs `(first[i], second[i])` of the inner product with `(x - y) / |x - y|`. Vectors
    are not scaled, so that frequent words count more. Above zero attributes lie towards `first`. `by_word` has each
    attribute's mean.

    >>> vectors = {"he": [1.0, 0.0], "she": [0.0, 1.0], "work": [0.9, 0.1], "home": [0.2, 0.8]}
    >>> score = relational_inner_product(vectors, ["he"], ["she"], ["work", "home"])
    >>> {word: round(float(x), 2) for word, x in score.by_word.items()}
    {'work': 0.57, 'home': -0.42}
    """
    if len(first) != len(second):
        raise StimuliError(f"RIPA needs pairs of words, got {len(first)} and {len(second)}")
    lookup = Lookup(vectors)
    pairs = [(x, y) for x, y in zip(first, second, strict=True) if x in lookup and y in lookup]
    lost = [word for x, y in zip(first, second, strict=True) for word in (x, y) if (x, y) not in pairs]
    _enough(len(pairs), len(first), "pairs of words", lost, max_missing)
    (X, Y, A), words, missing = _known(vectors, (*map(list, zip(*pairs, strict=True)), attributes), max_missing)
    lengths = np.linalg.norm(X - Y, axis=1, keepdims=True)
    if (same := np.flatnonzero(lengths == 0)).size:
        x, y = words[0][same[0]], words[1][same[0]]
        raise StimuliError(f"the pair ({x!r}, {y!r}) has one vector, so no direction leads from one to the other")
    along = (X - Y) / lengths
    products = (A @ along.T).mean(axis=1)
    absent = tuple(word for word in lost if word not in lookup)
    return SetScore(float(products.mean()), _by_word(words[2], products), (*absent, *missing))


def wefat(
    vectors: Any,
    first: Sequence[str],
    second: Sequence[str],
    properties: Mapping[str, float] | pd.Series,
    *,
    max_missing: float = 0.2,
) -> SetScore:
    """WEFAT (Caliskan, Bryson and Narayanan, 2017): do associations of words follow a property of the world?

    Parameters
    ----------
    first, second
        Attribute sets, for instance male and female terms.
    properties
        Word → its number in the world, for instance occupation → percentage of women among those who have it. Twenty
        such percentages stand in the repository e-mckinnie/WEAT, `wefat_1_percentage_women.json` at commit b1cba40.

    Returns
    -------
    SetScore
        Pearson's correlation of the words' associations with their property; `by_word` has the association
        `(mean cosine with first - mean cosine with second) / standard deviation over both` (ddof 1) of each word.
    """
    properties = dict(properties)
    (A, B, W), words, missing = _known(vectors, (first, second, list(properties)), max_missing)
    cosines = distance_matrix(W, np.concatenate([A, B]), "cosine")
    gaps = cosines[:, : len(A)].mean(axis=1) - cosines[:, len(A) :].mean(axis=1)
    spread = cosines.std(axis=1, ddof=1)
    if (same := np.flatnonzero(spread <= _ROUNDED)).size:
        raise StimuliError(f"{words[2][same[0]]!r} is as near to every attribute word, so its association is 0 / 0")
    associations = gaps / spread
    world = np.array([properties[word] for word in words[2]], dtype=np.float64)
    if not np.isfinite(world).all():
        raise StimuliError("a property is NaN or infinite; leave its word out")
    _varied(world, "the properties")
    _varied(associations, "the associations of the words")
    return SetScore(float(pearsonr(associations, world).statistic), _by_word(words[2], associations), missing)


def _known(
    vectors: Any, sets: Sequence[Sequence[str]], max_missing: float
) -> tuple[list[NDArray[np.float64]], list[list[str]], tuple[str, ...]]:
    """Vectors and words of each set as far as they are known, and the words that are not."""
    check_shares(max_missing=max_missing)
    lookup = Lookup(vectors)
    if texts := [group for group in sets if isinstance(group, str)]:
        raise StimuliError(f"a set is a list of words, got the text {texts[0]!r}; did you mean [{texts[0]!r}]?")
    words = [[word for word in group if word in lookup] for group in sets]
    for group, known in zip(sets, words, strict=True):
        _enough(len(known), len(group), "words", [word for word in group if word not in lookup], max_missing)
    missing = tuple(word for group in sets for word in group if word not in lookup)
    return stacks(lookup, words), words, missing


def _enough(known: int, asked: int, what: str, absent: Sequence[str], max_missing: float) -> None:
    if asked == 0:
        raise StimuliError(f"a set of {what} is empty; give at least one")
    if known == 0 or (asked - known) / asked > max_missing:
        shown = ", ".join(absent[:5])
        raise MissingWordsError(
            f"{known} of {asked} {what} known (missing: {shown}), but at most {max_missing:.0%} may be missing; check "
            "the case of the words or use other vectors"
        )


def _varied(values: NDArray[np.float64], what: str) -> None:
    """StimuliError unless there are two values, of which a correlation can be computed."""
    if len(values) < 2:
        raise StimuliError(f"a correlation needs two words or more, got {len(values)}")
    if np.ptp(values) <= _ROUNDED * np.abs(values).max():
        raise StimuliError(f"{what} are all the same, so their correlation is 0 / 0")


def _by_word(words: Sequence[str], values: NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(words, map(float, values), strict=True))
