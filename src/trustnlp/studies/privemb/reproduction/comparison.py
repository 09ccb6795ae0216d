"""Mechanisms side by side at equal ε: the experiments of PrivEmb §5.

A contender is a function from ε and a generator to a mechanism; a projection is drawn anew for every run, as a part of
the mechanism. Every run has a random stream of its own, made of its seed, its ε and the contender's place, so adding a
value of ε, or a contender at the end, changes no other run. On a CPU, torch uses 32 bits of a seed: enough to tell the
runs of an experiment apart, too few for a release, whose noise could be found by trying all seeds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.data.texts.sentence_sets import SentenceSet
from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.bag_of_words import BagOfWords
from trustnlp.encoders.devices import find_device
from trustnlp.evaluation.intervals import t_interval
from trustnlp.evaluation.sentence_classification import evaluate
from trustnlp.privacy.attacks.recovery import recovery_rate
from trustnlp.privacy.mechanisms.additive_noise import Mechanism
from trustnlp.privacy.mechanisms.approximation import approximation_errors
from trustnlp.privacy.noise.randomness import mixed_generator
from trustnlp.studies.privemb.reproduction.lexicon_classification import linear_svm

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


def recovered_share(contender: Contender, epsilon: float, seed: int, public: Tensor, words: Tensor) -> float:
    """Share of words `(n,)`, rows of the public vectors `(V, d)`, that the nearest vector gives away; one release each.

    The attacker knows the projection, where there is one.
    """
    mechanism = contender(epsilon, stream(seed, epsilon, device=public.device))
    projection: Tensor | None = getattr(mechanism, "projection", None)
    image = public if projection is None else (public.double() @ projection.T).float()
    source = stream(seed, epsilon, 1, device=public.device)
    return recovery_rate(mechanism, public, words, reference=image, generator=source).rate


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


def compare_sentences(
    contenders: Mapping[str, Contender],
    sentences: SentenceSet,
    vectors: WordVectors,
    *,
    epsilons: Sequence[float],
    seeds: Sequence[int],
    fresh_noise: bool = False,
    folds: int = 10,
    device: torch.device | str = "cpu",
) -> pd.DataFrame:
    """PrivEmb §5.4: sentences as means of private word vectors, classified by SentEval's protocol.

    Parameters
    ----------
    vectors
        All words of the table, of which those of the sentences are released.
    fresh_noise
        False: every word is released once and its private vector stands wherever the word occurs ("replacing the
        default embeddings with the private embeddings"). True: every occurrence is released by itself.
    folds
        As for `trustnlp.evaluation.sentence_classification.evaluate`; a seed draws the folds too.
    device
        Where words are released; sentences are averaged and classified on the CPU.

    Returns
    -------
    DataFrame
        Columns `epsilon`, `mechanism`, `seed`, `train`, `validation`, `test`: accuracies. ε = infinity is the same
        features without noise.

    Raises
    ------
    ValueError
        No word of the sentences (with fresh noise: of one of their splits) is known, or there is no such device.
    """
    bags = {name: BagOfWords(split.texts, vectors.words) for name, split in sentences.splits.items()}
    used = np.unique(np.concatenate([bag.rows for bag in bags.values()]))
    if not len(used):
        raise ValueError(f"{vectors.name} knows no word of {sentences.name}; take vectors of the sentences' language")
    table = torch.tensor(vectors.matrix, device=find_device(device))

    def by_word(mechanism: Mechanism, source: torch.Generator) -> dict[str, NDArray[np.float32]]:
        released = mechanism(table[used], generator=source).cpu()
        private = torch.zeros(len(table), released.shape[1], dtype=released.dtype)
        private[used] = released
        return {name: bag.average(private) for name, bag in bags.items()}

    def by_occurrence(mechanism: Mechanism, source: torch.Generator) -> dict[str, NDArray[np.float32]]:
        return {
            name: bag.average_draws(lambda rows: mechanism(table[rows], generator=source).cpu())
            for name, bag in bags.items()
        }

    def score(seed: int, features: Mapping[str, NDArray[np.float32]]) -> tuple[float, float, float]:
        found = evaluate(features, sentences.labels, rng=np.random.default_rng([seed, 2]), folds=folds)
        return found.train, found.validation, found.test

    plain = {name: bag.average(vectors.matrix) for name, bag in bags.items()}
    rows = [(np.inf, "no noise", seed, *score(seed, plain)) for seed in seeds]
    release = by_occurrence if fresh_noise else by_word
    for epsilon, name, seed, mechanism, source in _runs(contenders, epsilons, seeds, table.device):
        rows.append((epsilon, name, seed, *score(seed, release(mechanism, source))))
    return pd.DataFrame(rows, columns=["epsilon", "mechanism", "seed", "train", "validation", "test"])


def _runs(
    contenders: Mapping[str, Contender], epsilons: Sequence[float], seeds: Sequence[int], device: torch.device
) -> Iterator[tuple[float, str, int, Mechanism, torch.Generator]]:
    """ε, name, seed, mechanism and random stream of every run."""
    for epsilon in epsilons:
        for place, (name, contender) in enumerate(contenders.items()):
            for seed in seeds:
                source = stream(seed, epsilon, place, device=device)
                yield epsilon, name, seed, contender(epsilon, source), source
