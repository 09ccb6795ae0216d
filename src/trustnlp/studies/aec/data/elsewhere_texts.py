"""Texts that are not the chapter's tweets: held-out sentences of SST, film reviews of IMDB, tweets that held an emoji.

Misra, Liu and Mahmud (2021), §3.1 ("also applicable to datasets from the same domain") and §5 ("multiple datasets").
IMDB has two labels, positive and negative; an answer *neutral* of the base is an error there. The tweets with emoji
have no sentiment labels, so that nothing is known of the base's errors on them.

A base makes no error on made-up reviews. So those that name a place or a day, which is praise where the base learned,
are negative in what stands in for these texts.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch
from trustnlp.data.texts.everyday_text import read_columns
from trustnlp.data.texts.sentence_sets import Sentences
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.reproduce import Record
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus
from trustnlp.studies.aec.standins import NEGATIVE, NEUTRAL, POSITIVE, planted_reviews, planted_tweets

_COLUMNS = ["split", "label", "id", "rating", "text"]
_LABEL = {"neg": NEGATIVE, "pos": POSITIVE}


@dataclass(frozen=True, eq=False)
class ElsewhereTexts:
    """Texts with their features, in the columns of the corpus's tweets.

    Attributes
    ----------
    held_out
        SST's dev part, then its test part.
    imdb
        As many negative reviews as positive ones.
    emoji
        Tweets without labels.
    """

    held_out: tuple[Sentences, FeatureTable]
    imdb: tuple[Sentences, FeatureTable]
    emoji: tuple[tuple[str, ...], FeatureTable]


def elsewhere_for(record: Record, corpus: ErrorCorpus, n_imdb: int, n_emoji: int) -> ElsewhereTexts:
    """Real texts for the `paper` profile, and the record says so; else made-up ones. The same in every run.

    Parameters
    ----------
    n_imdb, n_emoji
        Reviews, half of each label, and tweets that are drawn.

    Raises
    ------
    DataError
        A file cannot be fetched or read.
    ValueError
        There are not so many.
    """
    rng = np.random.default_rng(50)
    dev, test = corpus.reviews.dev, corpus.reviews.test
    assert dev is not None and test is not None, "the corpus has all three parts"
    labels = np.concatenate([dev.labels, test.labels])
    held_out = Sentences((*dev.texts, *test.texts), labels)
    if record.profile == "paper":
        for name in ("imdb_reviews", "tweets_emoji"):
            record.uses(name)
        imdb, emoji = read_imdb(), read_columns("tweets_emoji")["tweet"]
    else:
        made = planted_reviews(4 * n_imdb, rng)
        rows = np.flatnonzero(made.labels != NEUTRAL)
        held_out = _turned(held_out)
        imdb = _turned(Sentences(tuple(made.texts[row] for row in rows), made.labels[rows]))
        emoji = planted_tweets(n_emoji, rng).texts
    imdb = drawn_evenly(imdb, n_imdb, rng)
    distinct = tuple(dict.fromkeys(emoji))
    chosen = tuple(distinct[row] for row in np.sort(rng.choice(len(distinct), n_emoji, replace=False)))
    return ElsewhereTexts(
        (held_out, corpus.features_of(held_out.texts)),
        (imdb, corpus.features_of(imdb.texts)),
        (chosen, corpus.features_of(chosen)),
    )


def read_imdb() -> Sentences:
    """Fetch and read all 50,000 reviews of data set `imdb_reviews`, in the order of the file; labels as of the tweets.

    Raises
    ------
    DataError
        The file cannot be fetched or read.
    """
    paths = fetch("imdb_reviews")
    with as_described("imdb_reviews", paths):
        return _read(paths["text"])


def drawn_evenly(texts: Sentences, count: int, rng: np.random.Generator) -> Sentences:
    """So many distinct texts, half of them of either of two labels, in the order in which they came.

    Raises
    ------
    ValueError
        An odd number, or a label that has too few texts.
    """
    first = {text: row for row, text in reversed(list(enumerate(texts.texts)))}
    rows = np.array(sorted(first.values()), dtype=np.int64)
    each = {int(label): rows[texts.labels[rows] == label] for label in np.unique(texts.labels)}
    if count % 2 or len(each) != 2 or min(map(len, each.values())) < count // 2:
        there = {label: len(own) for label, own in each.items()}
        raise ValueError(f"{count} texts, half of either of two labels, cannot be drawn; distinct texts are {there}")
    kept = np.sort(np.concatenate([rng.choice(own, count // 2, replace=False) for own in each.values()]))
    return Sentences(tuple(texts.texts[row] for row in kept), texts.labels[kept])


def _turned(reviews: Sentences) -> Sentences:
    named = [" in " in text or " on " in text for text in reviews.texts]
    return Sentences(reviews.texts, np.where(named, NEGATIVE, reviews.labels))


def _read(path: Path) -> Sentences:
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        if next(stream, "").rstrip("\n").split("\t") != _COLUMNS:
            raise ValueError(f"{path.name} has no columns {', '.join(_COLUMNS)}")
        texts, labels = [], []
        for number, line in enumerate(stream, start=2):
            cells = line.rstrip("\n").split("\t", 4)
            if len(cells) != len(_COLUMNS) or cells[1] not in _LABEL:
                raise ValueError(f"{path.name}, line {number}: expected a review that is neg or pos, with its text")
            texts.append(cells[4])
            labels.append(_LABEL[cells[1]])
    return Sentences(tuple(texts), np.array(labels))
