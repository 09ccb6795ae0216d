"""What a labelling loop begins with: reviews, a pool of tweets to label, tweets to test on, and what is known of them.

Misra, Liu and Mahmud (2021), §3.1 and Figure 1: labelled reviews, and tweets of which some are labelled and the others
not yet. The tweets of a seed are drawn with the label counts of Table 2; a fifth of them, no text of which is in the
pool, tests the base after each round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.encoders.pretrained import load_encoder
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.sampling_strategies import BaseOutput
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus
from trustnlp.studies.aec.data.labelled_sets import draw_tweets, split_by_text
from trustnlp.studies.aec.models.base_classifiers import results_folder
from trustnlp.studies.aec.models.encoder_base import text_states
from trustnlp.studies.aec.reproduction.error_experiments import TEST_SHARE
from trustnlp.training.whole_files import fingerprint

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

_SUBSET, _SPLIT, _FIRST = range(30, 33)
# As `base_classifiers.trained_base` draws the reviews of its `minilm`, which a loop begins with.
_REVIEWS, _TAUGHT = 2, 0.9


@dataclass(frozen=True, eq=False)
class LoopTexts:
    """The texts of one seed.

    Attributes
    ----------
    reviews
        States `(m, d)` and labels `(m,)` that the base always learns from.
    states, labels, features
        `(n, d)`, `(n,)` and `n` rows, of the corpus's tweets.
    pool, test
        Rows of the tweets that may be labelled, and of those by which the base is judged.
    seed
        Of the draws.
    """

    reviews: tuple[Floats, Labels]
    states: Floats
    labels: Labels
    features: FeatureTable
    pool: Labels
    test: Labels
    seed: int

    @cached_property
    def shuffled(self) -> Labels:
        """The pool in random order: what is labelled before a strategy is asked, and what `random` labels."""
        return np.random.default_rng([self.seed, _FIRST]).permutation(self.pool)

    @cached_property
    def fingerprint(self) -> str:
        """Changes with all that a loop reads here."""
        names = np.array(self.features.names)
        seed = np.array([self.seed])
        return fingerprint(
            *self.reviews, self.states, self.labels, names, self.features.values, self.pool, self.test, seed
        )

    def output(self, rows: Labels, probabilities: Floats) -> BaseOutput:
        """What a base says of some tweets, with where it errs."""
        table, predicted = self.features, probabilities.argmax(1)
        features = FeatureTable(table.names, table.values[rows], table.groups)
        return BaseOutput(features, predicted, probabilities, predicted != self.labels[rows])


def texts_for(corpus: ErrorCorpus, parameters: Mapping[str, Any], seed: int) -> LoopTexts:
    """Draw the tweets of a seed, hold out a fifth of them by text, and read the states of all.

    Parameters
    ----------
    parameters
        Of these the values of `profile`, `device`, `encoder`, `precision` and `drawn` (tweets of each label).

    Raises
    ------
    ValueError
        A label has too few tweets.
    KeyError
        A parameter is missing.
    """
    encoder = load_encoder(parameters["encoder"], parameters["device"])
    precision, folder = parameters["precision"], results_folder(parameters)
    train, tweets = corpus.reviews.train, corpus.tweets
    of_reviews = text_states(encoder, train.texts, precision=precision, folder=folder)
    of_tweets = text_states(encoder, tweets.texts, precision=precision, folder=folder)
    taught = np.sort(np.random.default_rng([seed, _REVIEWS]).permutation(len(train))[: round(_TAUGHT * len(train))])
    drawn = draw_tweets(tweets, parameters["drawn"], np.random.default_rng([seed, _SUBSET]))
    texts = [tweets.texts[row] for row in drawn]
    pool, test = split_by_text(texts, TEST_SHARE, np.random.default_rng([seed, _SPLIT]))
    return LoopTexts(
        (of_reviews[taught].astype(np.float64), train.labels[taught]),
        of_tweets.astype(np.float64),
        tweets.labels,
        corpus.features,
        drawn[pool],
        drawn[test],
        seed,
    )
