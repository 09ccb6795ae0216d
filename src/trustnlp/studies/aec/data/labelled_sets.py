"""The paper's two labelled sets: film reviews (Stanford Sentiment Treebank), without near duplicates, and tweets.

Misra, Liu and Mahmud (2021), §3.1. Labels are 0 negative, 1 neutral, 2 positive; the treebank's two grades on either
side are one ("we merged the negative and very-negative class labels"). The paper trains its base classifier on reviews
alone and applies it to 11,664 tweets of the 14,640 that are published. No simple rule gives this number; `draw_tweets`
draws sets with its labels, and `trustnlp.studies.aec.checks` asks whether it looks drawn.

"A preprocessing step to remove near duplicates gives a training set distribution as shown in Table 1": `RULES` are
those tried here. One of them gives the three numbers of Table 1 exactly, which does not prove that it was the paper's:
nine were tried, and none of them drops more than 16 of the 8,544 texts.

People in distress wrote these tweets in public, not for us: texts are read, scored and counted, never shown.
"""

from __future__ import annotations

import csv
import html
import io
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
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
from trustnlp.studies.aec.standins import planted_reviews, planted_tweets

Rows = NDArray[np.int64]


def letters_and_digits(text: str) -> str:
    """A text without blanks, signs and capitals.

    >>> letters_and_digits("Well , it 's No. 1 !")
    'wellitsno1'
    """
    return "".join(sign for sign in text.lower() if sign.isalnum())


@dataclass(frozen=True)
class Rule:
    """Which texts count as one; the first of them is kept.

    Attributes
    ----------
    held_out
        Whether texts that also occur in the held-out parts are dropped, all of them.
    key
        Texts with equal keys are one; None lets equal texts be.
    overlap
        Texts are one if the words that both have are at least this share of the words that either has (the Jaccard
        index, of lower-cased words between blanks); None compares no words.
    """

    held_out: bool = False
    key: Callable[[str], str] | None = None
    overlap: float | None = None


# The one that gives Table 1.
PRINTED_RULE = "held out, equal"
RULES = {
    "none": Rule(),
    "equal": Rule(key=str),
    "held out": Rule(held_out=True),
    PRINTED_RULE: Rule(held_out=True, key=str),
    "letters and digits": Rule(key=letters_and_digits),
    "held out, letters and digits": Rule(held_out=True, key=letters_and_digits),
    "overlap .9": Rule(overlap=0.9),
    "overlap .85": Rule(overlap=0.85),
    "overlap .8": Rule(overlap=0.8),
}


def kept_rows(texts: Sequence[str], held_out: Sequence[str], rule: str) -> Rows:
    """Numbers of the texts that a rule keeps, in ascending order.

    Parameters
    ----------
    held_out
        Texts of the other parts of the corpus, dev and test.
    rule
        One of `RULES`.
    """
    found = RULES[rule]
    key = found.key or str
    excluded = {key(text) for text in held_out} if found.held_out else set()
    rows = [row for row, text in enumerate(texts) if key(text) not in excluded]
    if found.key is not None:
        rows = [rows[at] for at in first_rows([key(texts[row]) for row in rows])]
    if found.overlap is not None:
        rows = [rows[at] for at in unlike_rows([texts[row].lower().split() for row in rows], found.overlap)]
    return np.array(rows, dtype=np.int64)


def first_rows(keys: Sequence[object]) -> Rows:
    """Where each key stands first, in ascending order.

    >>> first_rows(["b", "a", "b", "c"]).tolist()
    [0, 1, 3]
    """
    first: dict[object, int] = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    return np.array(list(first.values()), dtype=np.int64)


def unlike_rows(texts: Sequence[Sequence[str]], overlap: float) -> Rows:
    """Texts, as their words, that are unlike every text kept before them.

    Two sets of words x and y with a Jaccard index of at least t have t·|x| words in common, so every selection of more
    than |x| - t·|x| words of x meets y. Each text is compared with those alone that share one of its rarest words
    (prefix filtering: Chaudhuri, Ganti and Kaushik, 2006). Texts without words are equal.
    """
    sets = [frozenset(words) for words in texts]
    frequency = Counter(word for words in sets for word in words)
    kept: list[int] = []
    kept_with: defaultdict[str, list[int]] = defaultdict(list)
    for row, words in enumerate(sets):
        rarest = sorted(words, key=lambda word: (frequency[word], word))
        # A trifle less than t·|x|, lest rounding upwards should hide a text that is just alike enough.
        prefix = rarest[: len(words) - math.ceil(overlap * len(words) - 1e-9) + 1] or [""]
        others = {other for word in prefix for other in kept_with[word]}
        if not any(_jaccard(words, sets[other]) >= overlap for other in others):
            kept.append(row)
            for word in prefix:
                kept_with[word].append(row)
    return np.array(kept, dtype=np.int64)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    either = len(one | other)
    return len(one & other) / either if either else 1.0


LABEL_NAMES = ("negative", "neutral", "positive")

_LABEL_OF_GRADE = {"0": 0, "1": 0, "2": 1, "3": 2, "4": 2}
_LEAF = re.compile(r"\([0-4] ([^()]+)\)")
_HANDLE = re.compile(r"@\w+")
_COLUMNS = ("airline_sentiment", "text")


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
        parts = [planted_reviews(n, rng) for n in (n_reviews, n_reviews // 5, n_reviews // 5)]
        reviews = SentenceSet("made-up reviews", LABEL_NAMES, *(Sentences(made.texts, made.labels) for made in parts))
        made = planted_tweets(n_tweets, rng)
        return reviews, Sentences(made.texts, made.labels)
    for name in ("sst_trees", "airline_tweets"):
        record.uses(name)
    return read_reviews(), read_tweets()


def read_reviews(rule: str = PRINTED_RULE) -> SentenceSet:
    """Fetch and read the treebank's sentences in three classes (data set `sst_trees`), in the case of the reviews.

    Parameters
    ----------
    rule
        By which near duplicates leave the training part, one of `RULES`. Dev and test are whole.

    Raises
    ------
    DataError
        If the trees cannot be fetched or read.
    """
    paths = fetch("sst_trees")
    with as_described("sst_trees", paths):
        parts = {name: _read_trees(path) for name, path in paths.items()}
    held_out = (*parts["dev"].texts, *parts["test"].texts)
    train = parts["train"]
    rows = kept_rows(train.texts, held_out, rule)
    kept = Sentences(tuple(train.texts[row] for row in rows), train.labels[rows])
    return SentenceSet("SST, three classes", LABEL_NAMES, kept, parts["dev"], parts["test"])


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
    """Numbers of tweets with distinct texts, so many of each label, drawn at random; in ascending order.

    Of equal texts the first one can be drawn, with its label.

    Parameters
    ----------
    counts
        Tweets of each label: those of Table 2 for a set like the paper's.

    Raises
    ------
    ValueError
        If a label has too few distinct texts.
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
        If a part would be empty.
    """
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


def _read_table(path: Path) -> Sentences:
    content = path.read_bytes().decode("utf-8")
    rows = csv.DictReader(io.StringIO(content, newline=""), strict=True)
    if not set(_COLUMNS) <= set(rows.fieldnames or ()):
        raise ValueError(f"{path.name} has no columns {', '.join(_COLUMNS)}")
    labels, texts = [], []
    for number, row in enumerate(rows, start=1):
        sentiment, text = (row[column] for column in _COLUMNS)
        plain = " ".join(_HANDLE.sub(USER, html.unescape(text or "")).split())
        if sentiment not in LABEL_NAMES or not plain:
            raise ValueError(
                f"{path.name}, row {number}: expected a text that is {', '.join(LABEL_NAMES)}, got {sentiment!r} and "
                f"{'a text' if plain else 'no text'}"
            )
        labels.append(LABEL_NAMES.index(sentiment))
        texts.append(plain)
    return Sentences(tuple(texts), np.array(labels))
