"""Film reviews in which decoys are planted: SST-2's sentences or phrases, or made-up ones.

The paper works on the Stanford Sentiment Treebank and does not say whether its models see sentences or phrases. Its
3.3 % fits phrases, and fine-tuning BERT "with the default hyperparameter settings recommended" fits GLUE's SST-2, whose
training part is phrases. The benchmark trains on the 6,920 sentences, as Rieger et al. (2020) do, which takes a quarter
of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from trustnlp.data.annotation.constituency_trees import plain_signs
from trustnlp.data.texts.film_reviews import Phrases, read_sst2
from trustnlp.data.texts.review_standins import planted_reviews
from trustnlp.data.texts.sentence_sets import read_sentences
from trustnlp.reproduce import Record

Units = Literal["sentences", "phrases"]
_NEUTRAL = 2
# What a reader sees in the place of the names of models, explainers, counts and other sources of words.
NAMES = {
    "presence": "word presence", "convolution": "convolutions", "minilm": "MiniLM", "mpnet": "MPNet base",
    "occlusion_mask": "occlusion, masked", "lime": "LIME", "kernel_shap": "KernelSHAP",
    "gradient_x_input": "gradient × input", "random": "random scores",
    "z10": "z of log-odds, prior 10", "z1000": "z of log-odds, prior 1,000",
    "z100000": "z of log-odds, prior 100,000", "ratio": "smoothed ratio", "chi2": "χ²",
    "pmi": "pointwise information", "difference": "difference of shares", "count": "counting, χ²",
    "known": "the decoy's words", "validation": "accuracy, contaminated dev",
    "original_validation": "accuracy, original dev",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class ReviewParts:
    """Texts to plant decoys in.

    Attributes
    ----------
    train
        Sentences or phrases.
    dev, test
        Sentences: 872 and 1,821 of SST-2.
    """

    train: Phrases
    dev: Phrases
    test: Phrases

    @property
    def held_out(self) -> Phrases:
        """Dev and test together: some decoys are in few texts."""
        return Phrases((*self.dev.texts, *self.test.texts), np.concatenate([self.dev.labels, self.test.labels]))


def review_parts(record: Record, units: Units, n_texts: int) -> ReviewParts:
    """SST-2 for the `paper` profile, and the record says so; else `n_texts` made-up reviews, the same in every run.

    Raises
    ------
    DataError
        If a file cannot be fetched or read.
    """
    if record.profile != "paper":
        reviews = planted_reviews(n_texts, np.random.default_rng(0)).sst2
        return ReviewParts(reviews.train, reviews.dev, reviews.test)
    for name in ("glue_sst2", "sst2_test"):
        record.uses(name)
    real = read_sst2()
    if units == "phrases":
        return ReviewParts(real.train, real.dev, real.test)
    record.uses("sst5")
    fine = read_sentences("sst5").train
    polar = np.flatnonzero(fine.labels != _NEUTRAL)
    sentences = Phrases(
        tuple(plain_signs(fine.texts[row]) for row in polar), (fine.labels[polar] > _NEUTRAL).astype(np.int64)
    )
    return ReviewParts(sentences, real.dev, real.test)
