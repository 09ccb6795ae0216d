"""Mechanisms side by side at equal ε: the experiments of PrivEmb §5.1 to §5.3.

A contender is a function from ε and a generator to a mechanism; a projection is drawn anew for every run, as a part of
the mechanism. Every run has a random stream of its own, made of its seed, its ε and the contender's place, so adding a
value of ε, or a contender at the end, changes no other run. On a CPU, torch uses 32 bits of a seed: enough to tell the
runs of an experiment apart, too few for a release, whose noise could be found by trying all seeds.

§5.3 (Figures 3 and 7) and Appendix A (Figure 4): the words of Hu and Liu (2004) that the vectors know, as many positive
as negative ones, 80 % to train on and 20 % to test on at random; accuracy and area under the ROC curve. Both parts hold
released (noisy) vectors. The paper gives no settings of its SVM. Here: squared hinge loss, L2 penalty, `C = 1`,
features divided by the root mean square length of the training vectors, so that `C` means the same whatever the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC
from torch import Tensor

from trustnlp.data.words.opinion_lexicon import OpinionLexicon
from trustnlp.embeddings.static import WordVectors
from trustnlp.evaluation.intervals import t_interval
from trustnlp.privacy.mechanisms.additive_noise import Mechanism
from trustnlp.privacy.mechanisms.approximation import approximation_errors
from trustnlp.privacy.noise.randomness import mixed_generator

Contender = Callable[[float, torch.Generator], Mechanism]
QUANTITIES = ("distance", "inner_product")
TEST_SHARE = 0.2


def stream(*numbers: float, device: torch.device | str = "cpu") -> torch.Generator:
    """A generator of its own for every tuple of numbers.

    >>> torch.equal(torch.rand(1, generator=stream(3, 0.5)), torch.rand(1, generator=stream(3, 0.5)))
    True
    >>> torch.equal(torch.rand(1, generator=stream(3, 0.5)), torch.rand(1, generator=stream(3, 2.0)))
    False
    """
    return mixed_generator(np.array(numbers, dtype=np.float64).view(np.uint32).tolist(), device)


def runs(
    contenders: Mapping[str, Contender], epsilons: Sequence[float], seeds: Sequence[int], device: torch.device
) -> Iterator[tuple[float, str, int, Mechanism, torch.Generator]]:
    """ε, name, seed, mechanism and random stream of every run."""
    for epsilon in epsilons:
        for place, (name, contender) in enumerate(contenders.items()):
            for seed in seeds:
                source = stream(seed, epsilon, place, device=device)
                yield epsilon, name, seed, contender(epsilon, source), source


def compare_errors(
    contenders: Mapping[str, Contender],
    first: Tensor,
    second: Tensor,
    *,
    epsilons: Sequence[float],
    seeds: Sequence[int],
) -> pd.DataFrame:
    """PrivEmb §5.1 and §5.2: errors of private distances and inner products over the same pairs.

    Parameters
    ----------
    first, second
        `(n, d)` and `(k, d)`: every first vector is compared with every second one.

    Returns
    -------
    DataFrame
        A row per run and quantity (of `QUANTITIES`). Columns `epsilon`, `mechanism`, `seed`, `quantity`, and the `mean`
        and the `largest` absolute error over all pairs.
    """
    rows = []
    for epsilon, name, seed, mechanism, source in runs(contenders, epsilons, seeds, first.device):
        errors = approximation_errors(mechanism, first, second, generator=source)
        for quantity in QUANTITIES:
            values: Tensor = getattr(errors, quantity)
            rows.append((epsilon, name, seed, quantity, float(values.mean()), float(values.max())))
    return pd.DataFrame(rows, columns=["epsilon", "mechanism", "seed", "quantity", "mean", "largest"])


def weakest_lead(leads: pd.DataFrame) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """The rule for "M2 is better" in every figure: M2 is ahead at every β (§5.1, "across all conditions").

    The measure is M2's mean lead at the β where that is smallest. Each β has an interval of level `1 - 0.05 / columns`,
    so that all hold together with 95 %; the smallest of the true leads then lies between the smallest lower end and the
    smallest upper end. The smallest lead *within each run* would be below zero even where nothing differs.

    Parameters
    ----------
    leads
        A row per run and a column per β: how far M2 is ahead of M1 in the same run, above 0 where it is better.

    Returns
    -------
    values, interval
        The leads of the weakest β, run by run, and the interval of the smallest mean lead.
    """
    ends = [t_interval(leads[beta].to_numpy(), level=1 - 0.05 / leads.shape[1]) for beta in leads]
    low, high = (min(end) for end in zip(*ends, strict=True))
    return leads[leads.mean().idxmin()].to_numpy(), (low, high)


def balanced_lexicon(
    lexicon: OpinionLexicon, vectors: WordVectors, *, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of `vectors` for as many positive as negative words, and their labels.

    PrivEmb, §5.3: "capped both lists to have an equal number of words". Which words were capped is not said; here they
    are drawn at random. Words in both lists are left out, and words are looked up as the lists spell them.

    Returns
    -------
    rows, labels
        `(2 · size,)` each, the positive words (label 1) first, then the negative ones (label 0), each by row number.

    Raises
    ------
    ValueError
        If no word of a label is known.
    """
    praise, blame = set(lexicon.positive), set(lexicon.negative)
    known = [[row for row, word in enumerate(vectors.words) if word in of] for of in (praise - blame, blame - praise)]
    size = min(map(len, known))
    if not size:
        raise ValueError(f"{vectors.name} knows {len(known[0])} positive and {len(known[1])} negative words")
    rows = np.concatenate([np.sort(rng.choice(of_label, size, replace=False)) for of_label in known])
    return rows, np.repeat([1, 0], size)


class LinearScores(NamedTuple):
    """How well a linear model tells the test words apart.

    `accuracy` is the share of test words with the right label, `auc` the area under the ROC curve of the decision
    values. `validation` is the accuracy of a model trained without the validation words, on these; None when there are
    none. Choose β, ε or a mechanism by it, not by `accuracy`.
    """

    accuracy: float
    auc: float
    validation: float | None


def linear_svm(
    features: NDArray[np.float64],
    labels: NDArray[np.int64],
    *,
    validation_share: float = 0.0,
    rng: np.random.Generator,
) -> LinearScores:
    """Train a linear SVM on a random part of the vectors and score it on the rest (PrivEmb, §5.3).

    The split depends on `rng` and `n` alone: releases of the same words scored with equal generators share it, so that
    their scores can be compared in pairs.

    Parameters
    ----------
    features
        `(n, d)` released vectors.
    labels
        `(n,)` of 0 and 1.
    validation_share
        Share of the *training* vectors set apart to report `validation`; the model that is tested is then trained on
        all of them. 0: no validation.
    """
    test, train = np.split(rng.permutation(len(labels)), [round(TEST_SHARE * len(labels))])

    def score(fitted: NDArray[np.int64], tried: NDArray[np.int64]) -> tuple[float, float]:
        length = np.sqrt((features[fitted] ** 2).sum(axis=1).mean())
        # The primal solver converges within a fraction of a second for every noise tried. Coordinate descent on the
        # dual, the only one that offers the plain hinge loss, may stop unconverged.
        model = LinearSVC(dual=False).fit(features[fitted] / length, labels[fitted])
        values = model.decision_function(features[tried] / length)
        return float(np.mean((values > 0) == labels[tried])), float(roc_auc_score(labels[tried], values))

    held_out, rest = np.split(train, [round(validation_share * len(train))])
    return LinearScores(*score(train, test), score(rest, held_out)[0] if validation_share else None)


def compare_linear(
    contenders: Mapping[str, Contender],
    features: Tensor,
    labels: NDArray[np.int64],
    *,
    epsilons: Sequence[float],
    seeds: Sequence[int],
    share: float = 1.0,
    validation_share: float = 0.0,
) -> pd.DataFrame:
    """PrivEmb §5.3: a linear support vector machine trained and tested on private vectors.

    Within a seed all contenders and all ε share one division into training and test words, so their differences are
    paired; ε = infinity is the model without noise.

    Parameters
    ----------
    features, labels
        `(n, d)` vectors and `(n,)` classes 0 and 1.
    share
        Part of the words to use, drawn anew for each seed; 1 uses all.
    validation_share
        Part of the training words to set apart for `validation`, by which a mechanism may be chosen honestly.

    Returns
    -------
    DataFrame
        Columns `epsilon`, `mechanism`, `seed`, `accuracy`, `auc` and `validation` (accuracy; None without a share).
    """
    used = {s: np.random.default_rng(s).permutation(len(labels))[: round(share * len(labels))] for s in seeds}

    def score(seed: int, vectors: Tensor) -> LinearScores:
        rows, rng = vectors.double().cpu().numpy(), np.random.default_rng([seed, 1])
        return linear_svm(rows, labels[used[seed]], validation_share=validation_share, rng=rng)

    rows = [(np.inf, "no noise", seed, *score(seed, features[used[seed]])) for seed in seeds]
    rows += [
        (epsilon, name, seed, *score(seed, mechanism(features[used[seed]], generator=source)))
        for epsilon, name, seed, mechanism, source in runs(contenders, epsilons, seeds, features.device)
    ]
    return pd.DataFrame(rows, columns=["epsilon", "mechanism", "seed", *LinearScores._fields])
