"""Sentences as means of private word vectors, classified by SentEval's protocol: PrivEmb §5.4, Table 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from trustnlp.data.texts.sentence_sets import SentenceSet
from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.bag_of_words import BagOfWords
from trustnlp.encoders.devices import find_device
from trustnlp.evaluation.sentence_classification import evaluate
from trustnlp.privacy.mechanisms.additive_noise import Mechanism
from trustnlp.studies.privemb.reproduction import Contender, _runs


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
        If there is no word of the sentences (with fresh noise: of one of their splits) is known, or there is no such
        device.
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
