"""The paper's two labelled sets: film reviews (Stanford Sentiment Treebank), without near duplicates, and tweets.

Misra, Liu and Mahmud (2021), §3.1. Labels are 0 negative, 1 neutral, 2 positive; the treebank's two grades on either
side are one ("we merged the negative and very-negative class labels"). The paper trains its base classifier on reviews
alone and applies it to 11,664 tweets of the 14,640 that are published. No simple rule gives this number; `draw_tweets`
draws sets with its labels, and `trustnlp.studies.aec.checks` asks whether it looks drawn.

"A preprocessing step to remove near duplicates gives a training set distribution as shown in Table 1": the rules tried
here drop repeats (`SAME`), what also occurs in the held-out parts, or both. One of them gives the three numbers of
Table 1 exactly, which does not prove that it was the paper's: none drops more than 17 of the 8,544 texts. (Three rules
more, which compared the words of two texts, were tried at first; none gave the numbers.)

People in distress wrote these tweets in public, not for us: texts are read, scored and counted, never shown.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trustnlp.data.annotation.constituency_trees import plain_signs
from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch
from trustnlp.data.texts.airline_tweets import USER
from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet, count_labels
from trustnlp.reproduce import Record
from trustnlp.studies.aec.standins import labelled_reviews, planted_tweets

Rows = NDArray[np.int64]


def letters_and_digits(text: str) -> str:
    """A text without blanks, signs and capitals.

    >>> letters_and_digits("Well , it 's No. 1 !")
    'wellitsno1'
    """
    return "".join(sign for sign in text.lower() if sign.isalnum())


# Which sentences count as one, of those rules that were tried: none does, equal ones, or equal letters and digits.
SAME: tuple[Callable[[str], str] | None, ...] = (None, str, letters_and_digits)


def kept_rows(texts: Sequence[str], held_out: Sequence[str], same: Callable[[str], str] | None) -> Rows:
    """Numbers of the texts that a rule against near duplicates keeps, in ascending order.

    Parameters
    ----------
    held_out
        Texts of the other parts of the corpus, dev and test; what also occurs there is dropped. Empty: nothing is.
    same
        One of `SAME`: of texts for which it gives the same, the first is kept.
    """
    key = same or str
    elsewhere = set(map(key, held_out))
    rows = np.array([row for row, text in enumerate(texts) if key(text) not in elsewhere], dtype=np.int64)
    return rows if same is None else rows[first_places([same(texts[row]) for row in rows])]


def first_places(keys: Sequence[str]) -> Rows:
    """Where each key stands first, in ascending order.

    >>> first_places(["b", "a", "b", "c"]).tolist()
    [0, 1, 3]
    """
    return np.flatnonzero(~pd.Series(keys, dtype=object).duplicated())


LABEL_NAMES = ("negative", "neutral", "positive")

_LABEL_OF_GRADE = {"0": 0, "1": 0, "2": 1, "3": 2, "4": 2}
_LEAF = re.compile(r"\([0-4] ([^()]+)\)")
_HANDLE = re.compile(r"@\w+")


def sets_for(record: Record, n_reviews: int, n_tweets: int) -> tuple[SentenceSet, Sentences]:
    """Reviews with dev and test, and all tweets: real for the `paper` profile, and the record says so, else made up.

    Parameters
    ----------
    n_reviews, n_tweets
        Sizes of the made-up sets.

    Raises
    ------
    DataError
        If a file cannot be fetched or read.
    """
    if record.profile != "paper":
        rng = np.random.default_rng(0)
        parts = [labelled_reviews(n, rng) for n in (n_reviews, n_reviews // 5, n_reviews // 5)]
        reviews = SentenceSet("made-up reviews", LABEL_NAMES, *(Sentences(part.texts, part.labels) for part in parts))
        tweets = planted_tweets(n_tweets, rng)
        return reviews, Sentences(tweets.texts, tweets.labels)
    for name in ("sst_trees", "airline_tweets"):
        record.uses(name)
    return read_reviews(), read_tweets()


def read_reviews(*, near_duplicates: bool = False) -> SentenceSet:
    """Fetch and read the treebank's sentences in three classes (data set `sst_trees`), in the case of the reviews.

    Parameters
    ----------
    near_duplicates
        Whether they stay in the training part; else what occurs in dev or test leaves it, and then exact repeats, which
        gives Table 1. Dev and test are whole.

    Raises
    ------
    DataError
        If the trees cannot be fetched or read.
    """
    paths = fetch("sst_trees")
    with as_described("sst_trees", paths):
        train, dev, test = (_read_trees(paths[part]) for part in ("train", "dev", "test"))
    if not near_duplicates:
        train = sentences_at(train, kept_rows(train.texts, (*dev.texts, *test.texts), str))
    return SentenceSet("SST, three classes", LABEL_NAMES, train, dev, test)


def sentences_at(sentences: Sentences, rows: Rows) -> Sentences:
    """Some of the sentences, with their labels."""
    return Sentences(tuple(sentences.texts[row] for row in rows), sentences.labels[rows])


def read_tweets() -> Sentences:
    """Fetch and read all 14,640 rows of data set `airline_tweets`, in the order of the file.

    Names of users become `@user`, escapes of HTML their signs, and white space single blanks.

    Raises
    ------
    DataError
        If the file cannot be fetched or read.
    """
    paths = fetch("airline_tweets")
    with as_described("airline_tweets", paths):
        return _read_table(paths["tweets"])


def draw_tweets(tweets: Sentences, counts: Sequence[int], rng: np.random.Generator) -> Rows:
    """Numbers of tweets, so many of each label, drawn at random; in ascending order.

    Parameters
    ----------
    tweets
        With distinct texts.
    counts
        Tweets of each label: those of Table 2 for a set like the paper's.

    Raises
    ------
    ValueError
        If a label has too few tweets.
    """
    there = count_labels(tweets.labels, len(counts))
    if any(count > most for count, most in zip(counts, there, strict=True)):
        raise ValueError(f"the labels have {there} distinct texts, of which {tuple(counts)} cannot be drawn")
    drawn = [
        rng.choice(np.flatnonzero(tweets.labels == label), size=count, replace=False)
        for label, count in enumerate(counts)
    ]
    return np.sort(np.concatenate(drawn))


def split_by_text(texts: Sequence[str], share: float, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Divide texts in two at random, so that no text of one part repeats one of the other; rows in ascending order.

    Texts that agree in their letters and digits are repetitions: copies differ in a sign or a capital.

    Parameters
    ----------
    share
        Of the texts that the second part is to have, rounded to a number. Groups of repetitions come in random order; a
        group that would take the second part beyond that number goes to the first, so it may have a few less.
    """
    groups: dict[str, list[int]] = {}
    for row, text in enumerate(texts):
        # A text of signs alone is compared as it is.
        groups.setdefault(letters_and_digits(text) or text, []).append(row)
    members = list(groups.values())
    first: list[int] = []
    second: list[int] = []
    for group in rng.permutation(len(members)):
        fits = len(second) + len(members[group]) <= round(share * len(texts))
        (second if fits else first).extend(members[group])
    return np.array(sorted(first), dtype=np.int64), np.array(sorted(second), dtype=np.int64)


def _read_trees(path: Path) -> Sentences:
    # Not splitlines: signs of Unicode that part lines occur inside words.
    lines = path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
    texts = tuple(" ".join(map(plain_signs, _LEAF.findall(line))) for line in lines)
    return Sentences(texts, np.array([_LABEL_OF_GRADE[line[1]] for line in lines]))


def _read_table(path: Path) -> Sentences:
    content = io.StringIO(path.read_bytes().decode("utf-8"), newline="")
    rows = list(csv.DictReader(content, strict=True))
    texts = tuple(" ".join(_HANDLE.sub(USER, html.unescape(row["text"])).split()) for row in rows)
    return Sentences(texts, np.array([LABEL_NAMES.index(row["airline_sentiment"]) for row in rows]))
