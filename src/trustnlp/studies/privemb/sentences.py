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
from trustnlp.studies.privemb.reproduction import Contender, runs


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
        If no word of the sentences (with fresh noise: of one of their splits) is known, or there is no such device.
    """
    bags = {name: BagOfWords(split.texts, vectors.words) for name, split in sentences.splits.items()}
    used = np.unique(np.concatenate([bag.rows for bag in bags.values()]))
    if not len(used):
        raise ValueError(f"{vectors.name} knows no word of {sentences.name}; take vectors of the sentences' language")
    table = torch.tensor(vectors.matrix, device=find_device(device))

    def released(mechanism: Mechanism, source: torch.Generator) -> dict[str, NDArray[np.float32]]:
        if fresh_noise:
            return {
                name: bag.average_draws(lambda rows: mechanism(table[rows], generator=source).cpu())
                for name, bag in bags.items()
            }
        private = mechanism(table[used], generator=source).cpu()
        whole = torch.zeros(len(table), private.shape[1], dtype=private.dtype)
        whole[used] = private
        return {name: bag.average(whole) for name, bag in bags.items()}

    def score(seed: int, features: Mapping[str, NDArray[np.float32]]) -> tuple[float, float, float]:
        scores = evaluate(features, sentences.labels, rng=np.random.default_rng([seed, 2]), folds=folds)
        return scores.train, scores.validation, scores.test

    plain = {name: bag.average(vectors.matrix) for name, bag in bags.items()}
    rows = [(np.inf, "no noise", seed, *score(seed, plain)) for seed in seeds]
    rows += [
        (epsilon, name, seed, *score(seed, released(mechanism, source)))
        for epsilon, name, seed, mechanism, source in runs(contenders, epsilons, seeds, table.device)
    ]
    return pd.DataFrame(rows, columns=["epsilon", "mechanism", "seed", "train", "validation", "test"])
