"""The paper's two labelled data sets: film reviews of the Stanford Sentiment Treebank, and tweets about airlines.

Misra, Liu and Mahmud (2021), §3.1. Labels are 0 negative, 1 neutral, 2 positive; the treebank's two grades on either
side are one ("we merged the negative and very-negative class labels"). The paper trains its base classifier on reviews
alone and applies it to 11,664 tweets of the 14,640 that are published. No simple rule gives this number; `draw_tweets`
draws sets with its labels, and `trustnlp.studies.aec.checks.drawn_counts` asks whether it looks drawn.

People in distress wrote these tweets in public, not for us: texts are read, scored and counted, never shown.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.annotation.constituency_trees import parse_tree, plain_signs
from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch
from trustnlp.data.texts.airline_tweets import USER
from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet, count_labels
from trustnlp.reproduce import Record
from trustnlp.studies.aec.data.near_duplicates import (
    PRINTED_RULE,
    RULES,
    Rows,
    first_rows,
    kept_rows,
    letters_and_digits,
)
from trustnlp.studies.aec.standins import planted_reviews, planted_tweets

LABEL_NAMES = ("negative", "neutral", "positive")

_LABEL_OF_GRADE = {"0": 0, "1": 0, "2": 1, "3": 2, "4": 2}
_LEAF = re.compile(r"\([0-4] ([^()]+)\)")
_HANDLE = re.compile(r"@\w+")
_COLUMNS = ("tweet_id", "airline_sentiment", "airline_sentiment_confidence", "text")


@dataclass(frozen=True)
class Tweets(Sentences):
    """Tweets with their labels.

    Attributes
    ----------
    ids
        `(n,)` int64: Twitter's number of each. A tweet that is in the file twice has it twice.
    confidence
        `(n,)` float64: how sure the annotators were of the label, from 0 to 1.

    Raises
    ------
    ValueError
        Not as many labels, numbers or confidences as texts.
    """

    ids: NDArray[np.int64]
    confidence: NDArray[np.float64]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ids.shape != self.labels.shape or self.confidence.shape != self.labels.shape:
            raise ValueError(
                f"{len(self.texts)} texts need as many ids and confidences, got {self.ids.shape} and "
                f"{self.confidence.shape}"
            )


@dataclass(frozen=True, eq=False)
class LabelledSets:
    """What the base classifier is trained on (`reviews`, with dev and test), and what it is applied to."""

    reviews: SentenceSet
    tweets: Tweets


def sets_for(record: Record, n_reviews: int, n_tweets: int) -> LabelledSets:
    """The real sets for the `paper` profile, and the record says so; else made-up ones, the same in every run.

    Parameters
    ----------
    n_reviews, n_tweets
        Sizes of the made-up sets.

    Raises
    ------
    DataError
        A file cannot be fetched or read.
    """
    if record.profile != "paper":
        rng = np.random.default_rng(0)
        parts = [planted_reviews(n, rng) for n in (n_reviews, n_reviews // 5, n_reviews // 5)]
        reviews = SentenceSet("made-up reviews", LABEL_NAMES, *(Sentences(made.texts, made.labels) for made in parts))
        made = planted_tweets(n_tweets, rng)
        return LabelledSets(reviews, Tweets(made.texts, made.labels, np.arange(n_tweets), np.ones(n_tweets)))
    for name in ("sst_trees", "airline_tweets"):
        record.uses(name)
    return LabelledSets(read_reviews(), read_tweets())


def read_reviews(rule: str = PRINTED_RULE) -> SentenceSet:
    """Fetch and read the treebank's sentences in three classes (data set `sst_trees`), in the case of the reviews.

    Parameters
    ----------
    rule
        By which near duplicates leave the training part, one of `near_duplicates.RULES`. Dev and test are whole.

    Raises
    ------
    ValueError
        Another rule.
    DataError
        The trees cannot be fetched or read.
    """
    paths = fetch("sst_trees")
    with as_described("sst_trees", paths):
        parts = {name: _read_trees(path) for name, path in paths.items()}
    held_out = (*parts["dev"].texts, *parts["test"].texts)
    train = parts["train"]
    rows = kept_rows(train.texts, held_out, rule)
    kept = Sentences(tuple(train.texts[row] for row in rows), train.labels[rows])
    return SentenceSet("SST, three classes", LABEL_NAMES, kept, parts["dev"], parts["test"])


def review_counts(reviews: SentenceSet) -> dict[str, tuple[int, ...]]:
    """Rule → how many training sentences of each label it keeps, of `read_reviews("none")`."""
    assert reviews.dev is not None and reviews.test is not None, "read_reviews gives all three parts"
    held_out = (*reviews.dev.texts, *reviews.test.texts)
    train = reviews.train
    return {
        rule: count_labels(train.labels[kept_rows(train.texts, held_out, rule)], len(LABEL_NAMES)) for rule in RULES
    }


def read_tweets() -> Tweets:
    """Fetch and read all 14,640 rows of data set `airline_tweets`, in the order of the file.

    Names of users become `@user`, escapes of HTML their signs, and white space single blanks.

    Raises
    ------
    DataError
        The file cannot be fetched or read.
    """
    paths = fetch("airline_tweets")
    with as_described("airline_tweets", paths):
        return _read_table(paths["tweets"])


def tweet_counts(tweets: Tweets) -> dict[str, tuple[int, ...]]:
    """What a set of tweets may have been drawn from → its number of each label; of repetitions the first one counts."""
    places = {
        "all rows": np.arange(len(tweets)),
        "distinct tweets": first_rows(tweets.ids.tolist()),
        "distinct texts": first_rows(tweets.texts),
    }
    return {name: count_labels(tweets.labels[rows], len(LABEL_NAMES)) for name, rows in places.items()}


def draw_tweets(tweets: Sentences, counts: Sequence[int], rng: np.random.Generator) -> Rows:
    """Numbers of tweets with distinct texts, so many of each label, drawn at random; in ascending order.

    Of equal texts the first one can be drawn, with its label.

    Parameters
    ----------
    counts
        Tweets of each label: those of Table 2 for a set like the paper's.

    Raises
    ------
    ValueError
        A label has too few distinct texts.
    """
    distinct = first_rows(tweets.texts)
    labels = tweets.labels[distinct]
    there = count_labels(labels, len(counts))
    if len(there) > len(counts) or any(not 0 <= count <= most for count, most in zip(counts, there, strict=True)):
        raise ValueError(f"the labels have {there} distinct texts, of which {tuple(counts)} cannot be drawn")
    drawn = [rng.choice(distinct[labels == label], size=count, replace=False) for label, count in enumerate(counts)]
    return np.sort(np.concatenate(drawn))


def split_by_text(texts: Sequence[str], share: float, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Divide texts in two at random, so that no text of one part repeats one of the other; rows in ascending order.

    Texts that agree in their letters and digits are repetitions: copies differ in a sign or a capital.

    Parameters
    ----------
    share
        Of the texts that the second part is to have, rounded to a number. Groups of repetitions come in random order; a
        group that would take the second part beyond that number goes to the first, so it may have a few less.

    Raises
    ------
    ValueError
        A share outside (0, 1), or a part would be empty.
    """
    if not 0 < share < 1:
        raise ValueError(f"the share of the second part lies between 0 and 1, got {share}")
    groups: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        # A text of signs alone is compared as it is.
        groups.setdefault(letters_and_digits(text) or text, []).append(row)
    members = list(groups.values())
    first: list[int] = []
    second: list[int] = []
    wanted = round(share * len(texts))
    for group in rng.permutation(len(members)):
        fits = len(second) + len(members[group]) <= wanted
        (second if fits else first).extend(members[group])
    if not first or not second:
        raise ValueError(
            f"{len(texts)} texts, {len(members)} of them distinct, cannot be split with a share of {share}: one part "
            "would be empty"
        )
    return np.array(sorted(first), dtype=np.int64), np.array(sorted(second), dtype=np.int64)


def _read_trees(path: Path) -> Sentences:
    content = path.read_bytes().decode("utf-8")
    texts, labels = [], []
    # Not splitlines: signs of Unicode that part lines occur inside words.
    for number, line in enumerate(content.removesuffix("\n").split("\n"), start=1):
        try:
            parse_tree(line)
        except ValueError as error:
            raise ValueError(f"{path.name}, line {number}: {error}") from error
        texts.append(" ".join(map(plain_signs, _LEAF.findall(line))))
        labels.append(_LABEL_OF_GRADE[line[1]])
    return Sentences(tuple(texts), np.array(labels))


def _read_table(path: Path) -> Tweets:
    content = path.read_bytes().decode("utf-8")
    rows = csv.DictReader(io.StringIO(content, newline=""), strict=True)
    if not set(_COLUMNS) <= set(rows.fieldnames or ()):
        raise ValueError(f"{path.name} has no columns {', '.join(_COLUMNS)}")
    ids, labels, confidences, texts = [], [], [], []
    for number, row in enumerate(rows, start=1):
        tweet, sentiment, confidence, text = (row[column] for column in _COLUMNS)
        plain = " ".join(_HANDLE.sub(USER, html.unescape(text or "")).split())
        if sentiment not in LABEL_NAMES or not plain:
            raise ValueError(
                f"{path.name}, row {number}: expected a text that is {', '.join(LABEL_NAMES)}, got {sentiment!r} and "
                f"{'a text' if plain else 'no text'}"
            )
        ids.append(int(tweet))
        labels.append(LABEL_NAMES.index(sentiment))
        confidences.append(float(confidence))
        texts.append(plain)
    return Tweets(tuple(texts), np.array(labels), np.array(ids, dtype=np.int64), np.array(confidences))
