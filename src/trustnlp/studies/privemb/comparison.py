"""Mechanisms side by side at equal ε: the experiments of PrivEmb §5.

A contender is a function from ε and a generator to a mechanism; a projection is drawn anew for every run, as a part of
the mechanism. Every run has a random stream of its own, made of its seed, its ε and the contender's place, so adding a
value of ε, or a contender at the end, changes no other run. On a CPU, torch uses 32 bits of a seed: enough to tell the
runs of an experiment apart, too few for a release, whose noise could be found by trying all seeds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.data.sentence_sets import SentenceSet
from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.bag_of_words import BagOfWords
from trustnlp.encoders.devices import find_device
from trustnlp.evaluation.sentence_classification import evaluate
from trustnlp.privacy.approximation import ApproximationErrors, approximation_errors
from trustnlp.privacy.mechanisms import Mechanism
from trustnlp.privacy.randomness import mixed_generator
from trustnlp.privacy.recovery import recovery_rate
from trustnlp.studies.privemb.lexicon_classification import linear_svm

Contender = Callable[[float, torch.Generator], Mechanism]


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


def compare_errors(
    contenders: Mapping[str, Contender],
    first: Tensor,
    second: Tensor,
    *,
    epsilons: Sequence[float],
    seeds: Sequence[int],
) -> dict[tuple[float, str], ApproximationErrors]:
    """PrivEmb §5.1 and §5.2: errors of private distances and inner products over the same pairs.

    Parameters
    ----------
    first, second
        `(n, d)` and `(k, d)`: every first vector is compared with every second one.

    Returns
    -------
    dict
        `(ε, contender)` → errors of shape `(seeds, n, k)`, on the CPU.
    """
    found: dict[tuple[float, str], list[ApproximationErrors]] = defaultdict(list)
    for epsilon, name, _, mechanism, source in _runs(contenders, epsilons, seeds, first.device):
        found[epsilon, name].append(approximation_errors(mechanism, first, second, generator=source))
    return {
        key: ApproximationErrors(
            distance=torch.stack([errors.distance for errors in runs]).cpu(),
            inner_product=torch.stack([errors.inner_product for errors in runs]).cpu(),
        )
        for key, runs in found.items()
    }


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
