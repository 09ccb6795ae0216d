"""What the chapter's experiments are made of: reviews, tweets with what can be read in them, and a base's answers.

Misra, Liu and Mahmud (2021), §3.1 to §3.3. Texts are parsed once (`ErrorCorpus`). A base is trained, and asked about
all tweets and the held-out reviews, once for each seed: under `paper` what it says is kept beside the trained
classifiers, so that the notebooks share it (`answers_of`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.annotation.spacy_annotation import PIPELINE, Annotation, annotate
from trustnlp.data.texts.sentence_sets import SentenceSet
from trustnlp.data.words.emotion_lexicon import read_emotion_lexicon
from trustnlp.error_analysis.readable_features import (
    ANNOTATED,
    FeatureTable,
    feature_table,
    same_features,
    text_lengths,
)
from trustnlp.reproduce import Record
from trustnlp.studies.aec.data.labelled_sets import LabelledSets, Tweets, sets_for
from trustnlp.studies.aec.data.near_duplicates import first_rows
from trustnlp.studies.aec.models.base_classifiers import BaseClassifier, Kind, results_folder, trained_base
from trustnlp.training.kept_results import rows_once, texts_fingerprint
from trustnlp.training.whole_files import fingerprint

Base = Literal["cnn", "plain", "minilm"]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Kind, and whether each label weighs the same. `cnn` is the paper's.
BASES: dict[Base, tuple[Kind, bool]] = {"cnn": ("cnn", True), "plain": ("cnn", False), "minilm": ("minilm", True)}
_READ = {"cnn": ("device", "vectors", "maps", "epochs", "patience"), "minilm": ("device", "encoder", "precision")}
# Emotions of a few words of the made-up tweets; the lexicon itself is read under `paper` alone.
_MADE_UP: dict[str, tuple[str, ...]] = {
    "awful": ("anger", "disgust", "fear", "negative", "sadness"),
    "broken": ("fear", "negative", "sadness"),
    "friendly": ("anticipation", "joy", "positive", "trust"),
    "horrible": ("anger", "disgust", "fear", "negative"),
    "lovely": ("joy", "positive", "surprise", "trust"),
    "rude": ("anger", "disgust", "negative"),
    "terrible": ("anger", "fear", "negative"),
    "wonderful": ("joy", "positive", "surprise", "trust"),
}


@dataclass(frozen=True, eq=False)
class ErrorCorpus:
    """Reviews that bases learn from, tweets that they err on, and what can be read in both.

    Attributes
    ----------
    sets
        As they were read: all tweets, with their repetitions.
    tweets
        The `n` with distinct texts, in the order of the file; of equal texts the first one, with its label. Rows of
        all else count these.
    lexicon
        Lower-case word → its emotions.
    fewest_texts
        A relation is a feature if so many of the `n` tweets have it.
    """

    sets: LabelledSets
    tweets: Tweets
    lexicon: Mapping[str, Sequence[str]]
    fewest_texts: int

    @property
    def reviews(self) -> SentenceSet:
        """With dev and test."""
        return self.sets.reviews

    @cached_property
    def annotations(self) -> list[Annotation]:
        """Of the `n` tweets."""
        return annotate(self.tweets.texts, ANNOTATED)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of the `n` tweets, 1 or more."""
        return np.maximum(text_lengths(self.annotations), 1)

    @cached_property
    def features(self) -> FeatureTable:
        """The paper's features of the `n` tweets, divided by length."""
        return feature_table(self.annotations, self.lexicon, fewest_texts=self.fewest_texts)

    @cached_property
    def counts(self) -> FeatureTable:
        """The same, not divided by length."""
        return FeatureTable(self.features.names, self.features.values * self.lengths[:, None], self.features.groups)

    def features_of(self, texts: Sequence[str]) -> FeatureTable:
        """The same columns for other texts, such as reviews; parses are kept, so give the same list each time."""
        return same_features(annotate(texts, ANNOTATED), self.lexicon, self.features)


@dataclass(frozen=True, eq=False)
class BaseAnswers:
    """What one training of a base classifier says; probabilities `(texts, labels)` in rows that sum to 1.

    Attributes
    ----------
    base, seed
        Which one it is.
    tweets, dev, test
        Of the corpus's distinct tweets, and of the reviews' dev and test parts.
    """

    base: Base
    seed: int
    tweets: Floats
    dev: Floats
    test: Floats


def corpus_for(record: Record, parameters: Mapping[str, Any]) -> ErrorCorpus:
    """The real corpus for the `paper` profile, else a made-up one; the record says what is read.

    Parameters
    ----------
    parameters
        Of these the values of `fewest_texts`, `n_reviews` and `n_tweets` (the sizes of what is made up); other names do
        not count, so that a notebook can give its `vars()`.

    Raises
    ------
    DataError
        A file cannot be fetched or read.
    ImportError
        spaCy is not installed.
    """
    sets = sets_for(record, parameters["n_reviews"], parameters["n_tweets"])
    record.uses(PIPELINE)
    lexicon: Mapping[str, Sequence[str]] = _MADE_UP
    if record.profile == "paper":
        record.uses("nrc_emotion")
        lexicon = read_emotion_lexicon()
    return ErrorCorpus(sets, _distinct(sets.tweets), lexicon, parameters["fewest_texts"])


def base_of(base: Base, corpus: ErrorCorpus, parameters: Mapping[str, Any], seed: int) -> BaseClassifier:
    """The trained classifier itself, for other texts than those of `answers_of`; see `trained_base`.

    Raises
    ------
    ValueError
        Another name than those of `BASES`.
    """
    if base not in BASES:
        raise ValueError(f"no base is called {base!r}; there are {', '.join(BASES)}")
    kind, weighted = BASES[base]
    return trained_base(kind, corpus.reviews, parameters, seed, weighted=weighted)


def answers_of(base: Base, corpus: ErrorCorpus, parameters: Mapping[str, Any], seed: int) -> BaseAnswers:
    """What base number `seed` says of the corpus; under `paper` it is trained where no earlier run has kept this.

    Kept or not, probabilities are rounded to float32 and brought back to a sum of 1.

    Parameters
    ----------
    parameters
        Of these the values of `profile` and `device`; for `cnn` and `plain` those of `vectors`, `maps`, `epochs` and
        `patience`; for `minilm` those of `encoder` and `precision`.

    Raises
    ------
    ValueError
        Another base, or a kept file is damaged.
    KeyError
        A parameter is missing.
    """
    if base not in BASES:
        raise ValueError(f"no base is called {base!r}; there are {', '.join(BASES)}")
    reviews = corpus.reviews
    assert reviews.dev is not None and reviews.test is not None, "the corpus has all three parts"
    parts = (corpus.tweets.texts, reviews.dev.texts, reviews.test.texts)
    texts = [text for part in parts for text in part]
    settings = {
        "base": base,
        "seed": seed,
        "texts for training": texts_fingerprint(reviews.train.texts),
        "labels": fingerprint(reviews.train.labels, reviews.dev.labels),
        "texts": texts_fingerprint(texts),
        **{name: parameters[name] for name in _READ[BASES[base][0]]},
    }

    def compute() -> NDArray[np.float32]:
        return base_of(base, corpus, parameters, seed).probabilities(texts).astype(np.float32)

    shape = len(texts), len(reviews.label_names)
    rows = rows_once("answers", settings, shape, results_folder(parameters), compute).astype(np.float64)
    rows /= rows.sum(1, keepdims=True)
    return BaseAnswers(base, seed, *np.split(rows, np.cumsum([len(part) for part in parts])[:-1]))


def wrong_on(probabilities: Floats, labels: NDArray[np.int64]) -> Flags:
    """`(n,)` where the likeliest label of `(n, c)` is not the true one."""
    found: Flags = probabilities.argmax(1) != labels
    return found


def _distinct(tweets: Tweets) -> Tweets:
    rows = first_rows(tweets.texts)
    texts = tuple(tweets.texts[row] for row in rows)
    return Tweets(texts, tweets.labels[rows], tweets.ids[rows], tweets.confidence[rows])
