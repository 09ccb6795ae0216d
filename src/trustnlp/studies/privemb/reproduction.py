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

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC
from torch import Tensor

from trustnlp.data.words.opinion_lexicon import OpinionLexicon
from trustnlp.embeddings.static import WordVectors
from trustnlp.evaluation.intervals import t_interval
from trustnlp.privacy.mechanisms.additive_noise import Mechanism
from trustnlp.privacy.mechanisms.approximation import approximation_errors
from trustnlp.privacy.noise.randomness import mixed_generator


@dataclass(frozen=True)
class LexiconScores:
    """How well the test words are told apart.

    Attributes
    ----------
    accuracy, auc
        Share of test words with the right label, and area under the ROC curve of the decision values.
    cost
        The `C` of the SVM.
    validation_accuracy
        Accuracy of a model trained without the validation words, on these; None when there are none. Choose β, ε or
        the mechanism by this and report `accuracy`.
    """

    accuracy: float
    auc: float
    cost: float
    validation_accuracy: float | None = None


def balanced_lexicon(
    lexicon: OpinionLexicon, vectors: WordVectors, *, size: int | None = None, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of `vectors` for as many positive as negative words, and their labels.

    PrivEmb, §5.3: "capped both lists to have an equal number of words". Which words were capped is not said; here they
    are drawn at random. Words in both lists are left out, and words are looked up as the lists spell them.

    Parameters
    ----------
    size
        Words per label; None for as many as the shorter list allows.

    Returns
    -------
    rows, labels
        `(2 · size,)` each, the positive words (label 1) first, then the negative ones (label 0), each by row number.

    Raises
    ------
    ValueError
        If a label has fewer than `size` known words, or none.
    """
    row_of = {word: row for row, word in enumerate(vectors.words)}
    both = set(lexicon.positive) & set(lexicon.negative)
    known = [
        np.array(sorted({row_of[word] for word in words if word in row_of and word not in both}), dtype=np.int64)
        for words in (lexicon.positive, lexicon.negative)
    ]
    most = min(map(len, known))
    size = most if size is None else size
    if not 1 <= size <= most:
        raise ValueError(
            f"{vectors.name} knows {len(known[0])} positive and {len(known[1])} negative words; size must lie between "
            f"1 and {most}, got {size}"
        )
    rows = np.concatenate([np.sort(rng.choice(of_label, size, replace=False)) for of_label in known])
    return rows, np.repeat(np.array([1, 0], dtype=np.int64), size)


def linear_svm(
    features: ArrayLike,
    labels: ArrayLike,
    *,
    test_share: float = 0.2,
    validation_share: float | None = None,
    costs: Sequence[float] = (1.0,),
    rng: np.random.Generator,
) -> LexiconScores:
    """Train a linear SVM on a random part of the vectors and score it on the rest (PrivEmb, §5.3).

    The split depends on `rng` and `n` alone: releases of the same words scored with equal generators share it, so that
    their scores can be compared in pairs.

    Parameters
    ----------
    features
        `(n, d)` released vectors.
    labels
        `(n,)` two distinct values; the larger one counts as positive for the AUC.
    test_share
        Share of the vectors to test on.
    validation_share
        Share of the *training* vectors set apart to choose `C` and to report `validation_accuracy`; the model that is
        tested is then trained on all of them. None: no validation.
    costs
        Values of `C`. With more than one, the one with the best validation accuracy is taken, the smallest of equals.

    Raises
    ------
    ValueError
        If shapes do not fit, not two labels, a value is NaN or infinite, a share is not strictly between 0 and 1, a
        part lacks a label, or there are several costs and no validation.
    """
    X, y = _check(features, labels)
    if not costs or min(costs) <= 0:
        raise ValueError(f"costs (C) are positive and at least one, got {list(costs)}")
    if len(costs) > 1 and validation_share is None:
        raise ValueError("choosing among several costs needs a validation_share; chosen on the test words it would lie")
    order = rng.permutation(len(y))
    test, train = _cut(order, test_share, y, "test_share")
    cost, validation_accuracy = costs[0], None
    if validation_share is not None:
        held_out, rest = _cut(train, validation_share, y, "validation_share")
        scores = [(_fit_and_score(X, y, rest, held_out, cost)[0], cost) for cost in sorted(costs)]
        validation_accuracy, cost = max(scores, key=lambda score: score[0])
    accuracy, auc = _fit_and_score(X, y, train, test, cost)
    return LexiconScores(accuracy, auc, float(cost), validation_accuracy)


def _check(features: ArrayLike, labels: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Features as float64, labels as booleans (True: the larger of the two values)."""
    X = np.asarray(features, dtype=np.float64)
    given = np.asarray(labels)
    if X.ndim != 2 or given.shape != X.shape[:1]:
        raise ValueError(f"features need shape (n, d) and labels (n,), got {X.shape} and {given.shape}")
    values = np.unique(given)
    if len(values) != 2:
        raise ValueError(f"two labels are needed, got {len(values)}: {values[:5].tolist()}")
    if not np.isfinite(X).all() or not X.any():
        raise ValueError("features hold NaN or infinity, or nothing but zeros")
    return X, given == values[1]


def _cut(
    rows: NDArray[np.int64], share: float, y: NDArray[np.bool_], name: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first `share` of the rows, and the others; both labels must be in either."""
    if not 0 < share < 1:
        raise ValueError(f"{name} lies strictly between 0 and 1, got {share}")
    n_first = round(share * len(rows))
    first, rest = rows[:n_first], rows[n_first:]
    if any(len(np.unique(y[part])) < 2 for part in (first, rest)):
        raise ValueError(f"{name} {share} of {len(rows)} vectors leaves a part without one of the labels")
    return first, rest


def _fit_and_score(
    X: NDArray[np.float64], y: NDArray[np.bool_], train: NDArray[np.int64], test: NDArray[np.int64], cost: float
) -> tuple[float, float]:
    """Accuracy and AUC on the rows `test` of a model trained on the rows `train`."""
    length = np.sqrt((X[train] ** 2).sum(axis=1).mean())
    # The primal solver converges within a fraction of a second for every C and noise tried. Coordinate descent on the
    # dual, the only one that offers the plain hinge loss, stops unconverged at C = 100, even without noise.
    model = LinearSVC(C=cost, dual=False).fit(X[train] / length, y[train])
    values = model.decision_function(X[test] / length)
    return float(np.mean((values > 0) == y[test])), float(roc_auc_score(y[test], values))


Contender = Callable[[float, torch.Generator], Mechanism]


Quantity = Literal["distance", "inner_product"]


QUANTITIES: tuple[Quantity, ...] = ("distance", "inner_product")


def stream(*numbers: float, device: torch.device | str = "cpu") -> torch.Generator:
    """A generator of its own for every tuple of numbers.

    >>> torch.equal(torch.rand(1, generator=stream(3, 0.5)), torch.rand(1, generator=stream(3, 0.5)))
    True
    >>> torch.equal(torch.rand(1, generator=stream(3, 0.5)), torch.rand(1, generator=stream(3, 2.0)))
    False
    """
    return mixed_generator(np.array(numbers, dtype=np.float64).view(np.uint32).tolist(), device)


@dataclass(frozen=True)
class RunErrors:
    """Absolute errors of a private quantity over all pairs, run after run.

    Attributes
    ----------
    mean
        `(runs,)` mean error of each run.
    largest
        The largest error of any pair in any run.
    kept
        `(kept, n, k)` every error of the first runs, for a figure.
    """

    mean: NDArray[np.float64]
    largest: float
    kept: Tensor


def compare_errors(
    contenders: Mapping[str, Contender],
    first: Tensor,
    second: Tensor,
    *,
    epsilons: Sequence[float],
    seeds: Sequence[int],
    keep: int = 20,
) -> dict[tuple[float, str, Quantity], RunErrors]:
    """PrivEmb §5.1 and §5.2: errors of private distances and inner products over the same pairs.

    Parameters
    ----------
    first, second
        `(n, d)` and `(k, d)`: every first vector is compared with every second one.
    keep
        Runs whose errors are kept pair by pair; of the others the mean and the largest are enough, and hundreds of runs
        fit into memory.

    Returns
    -------
    dict
        `(ε, contender, quantity)` → errors, on the CPU; the quantity is `distance` or `inner_product`.
    """
    found: dict[tuple[float, str, Quantity], list[tuple[float, float]]] = defaultdict(list)
    kept: dict[tuple[float, str, Quantity], list[Tensor]] = defaultdict(list)
    for epsilon, name, seed, mechanism, source in _runs(contenders, epsilons, seeds, first.device):
        errors = approximation_errors(mechanism, first, second, generator=source)
        for quantity in QUANTITIES:
            values: Tensor = getattr(errors, quantity)
            found[epsilon, name, quantity].append((float(values.mean()), float(values.max())))
            if seed in seeds[:keep]:
                kept[epsilon, name, quantity].append(values.cpu())
    return {
        key: RunErrors(
            mean=np.array([mean for mean, _ in runs]),
            largest=max(largest for _, largest in runs),
            kept=torch.stack(kept[key]),
        )
        for key, runs in found.items()
    }


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


def compare_linear(
    contenders: Mapping[str, Contender],
    features: Tensor,
    labels: NDArray[np.int64],
    *,
    epsilons: Sequence[float],
    seeds: Sequence[int],
    share: float = 1.0,
    validation_share: float | None = None,
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
    if not 0 < share <= 1:
        raise ValueError(f"share is a part of the words, above 0 and at most 1, got {share}")
    rows = []
    used = {s: np.random.default_rng(s).permutation(len(labels))[: round(share * len(labels))] for s in seeds}

    def score(seed: int, vectors: Tensor) -> tuple[float, float, float | None]:
        found = linear_svm(
            vectors.cpu().numpy(),
            labels[used[seed]],
            validation_share=validation_share,
            rng=np.random.default_rng([seed, 1]),
        )
        return found.accuracy, found.auc, found.validation_accuracy

    for seed in seeds:
        rows.append((np.inf, "no noise", seed, *score(seed, features[used[seed]])))
    for epsilon, name, seed, mechanism, source in _runs(contenders, epsilons, seeds, features.device):
        rows.append((epsilon, name, seed, *score(seed, mechanism(features[used[seed]], generator=source))))
    return pd.DataFrame(rows, columns=["epsilon", "mechanism", "seed", "accuracy", "auc", "validation"])


def _runs(
    contenders: Mapping[str, Contender], epsilons: Sequence[float], seeds: Sequence[int], device: torch.device
) -> Iterator[tuple[float, str, int, Mechanism, torch.Generator]]:
    """ε, name, seed, mechanism and random stream of every run."""
    for epsilon in epsilons:
        for place, (name, contender) in enumerate(contenders.items()):
            for seed in seeds:
                source = stream(seed, epsilon, place, device=device)
                yield epsilon, name, seed, contender(epsilon, source), source
