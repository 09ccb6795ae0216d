"""The corpus of the chapter's experiments: tweets with what can be read in them, a base's answers, texts elsewhere.

Misra, Liu and Mahmud (2021), §3.1 to §3.3. Texts are parsed once (`ErrorCorpus`). A base is trained, and asked about
all tweets and the held-out reviews, once for each seed: under `paper` what it says is kept beside the trained
classifiers, so that the notebooks share it (`answers_of`).

Texts elsewhere are held-out sentences of SST and film reviews of IMDB: §3.1 ("also applicable to datasets from the same
domain") and §5 ("multiple datasets"). IMDB has two labels; an answer *neutral* of the base is an error there. A base
makes no error on made-up reviews. So those that name a place or a day, which is praise where the base learned, are
negative in what stands in for these texts.
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.annotation.spacy_annotation import PIPELINE, Annotation, annotate
from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch
from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.data.words.emotion_lexicon import read_emotion_lexicon
from trustnlp.error_analysis.readable_features import (
    ANNOTATED,
    FeatureTable,
    feature_table,
    same_features,
    text_lengths,
)
from trustnlp.reproduce import Record
from trustnlp.studies.aec.data.labelled_sets import first_places, sentences_at, sets_for
from trustnlp.studies.aec.models import Kind, results_folder, trained_base
from trustnlp.studies.aec.standins import NEGATIVE, NEUTRAL, POSITIVE, labelled_reviews
from trustnlp.training.kept_classifiers import BaseClassifier, probabilities_once

Base = Literal["cnn", "plain", "minilm"]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Kind, and whether each label weighs the same. `cnn` is the paper's.
BASES: dict[Base, tuple[Kind, bool]] = {"cnn": ("cnn", True), "plain": ("cnn", False), "minilm": ("minilm", True)}
# Emotions of a few words of the made-up tweets; the lexicon itself is read under `paper` alone.
_MADE_UP = {
    **dict.fromkeys(("awful", "horrible", "rude", "terrible"), ("anger", "disgust", "fear", "negative")),
    **dict.fromkeys(("friendly", "lovely", "wonderful"), ("joy", "positive", "surprise", "trust")),
}


@dataclass(frozen=True, eq=False)
class ErrorCorpus:
    """Reviews that bases learn from, tweets that they err on, and what can be read in both.

    Attributes
    ----------
    reviews
        With dev and test.
    tweets
        The `n` with distinct texts, in the order of the file; of equal texts the first one, with its label. Rows of
        all else count these.
    lexicon
        Lower-case word → its emotions.
    fewest_texts
        A relation is a feature if so many of the `n` tweets have it.
    """

    reviews: SentenceSet
    tweets: Sentences
    lexicon: Mapping[str, Sequence[str]]
    fewest_texts: int

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

    def features_of(self, texts: Sequence[str]) -> FeatureTable:
        """The features of other texts, such as reviews; parses are kept, so give the same list each time."""
        return same_features(annotate(texts, ANNOTATED), self.lexicon, self.features)


@dataclass(frozen=True, eq=False)
class BaseAnswers:
    """The answers of one training of a base classifier; probabilities `(texts, labels)` in rows that sum to 1.

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
        If a file cannot be fetched or read.
    ImportError
        If spaCy is not installed.
    """
    reviews, read = sets_for(record, parameters["n_reviews"], parameters["n_tweets"])
    record.uses(PIPELINE)
    lexicon: Mapping[str, Sequence[str]] = _MADE_UP
    if record.profile == "paper":
        record.uses("nrc_emotion")
        lexicon = read_emotion_lexicon()
    return ErrorCorpus(reviews, sentences_at(read, first_places(read.texts)), lexicon, parameters["fewest_texts"])


def base_of(base: Base, corpus: ErrorCorpus, parameters: Mapping[str, Any], seed: int) -> BaseClassifier:
    """The trained classifier itself, for other texts than those of `answers_of`; see `trained_base`."""
    kind, weighted = BASES[base]
    return trained_base(kind, corpus.reviews, parameters, seed, weighted=weighted)


def answers_of(base: Base, corpus: ErrorCorpus, parameters: Mapping[str, Any], seed: int) -> BaseAnswers:
    """Answers of base number `seed` on the corpus (`probabilities_once`); under `paper` kept for other notebooks.

    Parameters
    ----------
    parameters
        Of these the values of `profile` and `device`; for `cnn` and `plain` those of `vectors`, `maps`, `epochs` and
        `patience`; for `minilm` those of `encoder` and `precision`.
    """
    reviews = corpus.reviews
    assert reviews.dev is not None and reviews.test is not None, "the corpus has all three parts"
    parts = (corpus.tweets.texts, reviews.dev.texts, reviews.test.texts)
    texts = [text for part in parts for text in part]
    rows = probabilities_once(base_of(base, corpus, parameters, seed), texts, results_folder(parameters))
    return BaseAnswers(base, seed, *np.split(rows, np.cumsum([len(part) for part in parts])[:-1]))


def wrong_on(probabilities: Floats, labels: NDArray[np.int64]) -> Flags:
    """`(n,)` where the likeliest label of `(n, c)` is not the true one."""
    wrong: Flags = probabilities.argmax(1) != labels
    return wrong


def rows_of(table: FeatureTable, rows: NDArray[np.int64]) -> FeatureTable:
    """The features of some of the texts."""
    return FeatureTable(table.names, table.values[rows], table.groups)


_HEADER = "split\tlabel\tid\trating\ttext\n"
_LABEL = {"neg": NEGATIVE, "pos": POSITIVE}
Featured = tuple[Sentences, FeatureTable]


def elsewhere_for(record: Record, corpus: ErrorCorpus, n_imdb: int) -> tuple[Featured, Featured]:
    """SST's dev part, then its test part; and reviews of IMDB; with their features, in the corpus's columns.

    Real texts for the `paper` profile, and the record says so; else made-up ones. The same in every run.

    Parameters
    ----------
    n_imdb
        Reviews that are drawn, half of each label.

    Raises
    ------
    DataError
        If a file cannot be fetched or read.
    ValueError
        If there are not so many.
    """
    rng = np.random.default_rng(50)
    dev, test = corpus.reviews.dev, corpus.reviews.test
    assert dev is not None and test is not None, "the corpus has all three parts"
    held_out = Sentences((*dev.texts, *test.texts), np.concatenate([dev.labels, test.labels]))
    if record.profile == "paper":
        record.uses("imdb_reviews")
        imdb = read_imdb()
    else:
        held_out = _turned(held_out)
        reviews = labelled_reviews(4 * n_imdb, rng)
        polar = np.flatnonzero(reviews.labels != NEUTRAL)
        imdb = _turned(sentences_at(Sentences(reviews.texts, reviews.labels), polar))
    imdb = drawn_evenly(imdb, n_imdb, rng)
    return (held_out, corpus.features_of(held_out.texts)), (imdb, corpus.features_of(imdb.texts))


def read_imdb() -> Sentences:
    """Fetch and read all 50,000 reviews of data set `imdb_reviews`, in the order of the file; labels as of the tweets.

    Raises
    ------
    DataError
        If the file cannot be fetched or read.
    """
    paths = fetch("imdb_reviews")
    with as_described("imdb_reviews", paths), lzma.open(paths["text"], "rt", encoding="utf-8", newline="\n") as stream:
        if next(stream, "") != _HEADER:
            raise ValueError(f"{paths['text'].name} does not open with the columns {', '.join(_HEADER.split())}")
        rows = [line.rstrip("\n").split("\t", 4) for line in stream]
        return Sentences(tuple(row[4] for row in rows), np.array([_LABEL[row[1]] for row in rows]))


def drawn_evenly(texts: Sentences, count: int, rng: np.random.Generator) -> Sentences:
    """So many distinct texts, half of them of either of two labels, in the order in which they came.

    Raises
    ------
    ValueError
        If a label has too few texts.
    """
    rows = first_places(texts.texts)
    drawn = [
        rng.choice(rows[texts.labels[rows] == label], count // 2, replace=False) for label in np.unique(texts.labels)
    ]
    return sentences_at(texts, np.sort(np.concatenate(drawn)))


def _turned(reviews: Sentences) -> Sentences:
    named = [" in " in text or " on " in text for text in reviews.texts]
    return Sentences(reviews.texts, np.where(named, NEGATIVE, reviews.labels))
