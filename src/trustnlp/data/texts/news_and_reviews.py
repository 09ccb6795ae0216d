"""News by topic and reviews by polarity: the two tasks of Zouhri and Abecidan (2021), §5.1, as far as they are at hand.

The report takes the first 30,000 training rows of AG News and of Yelp polarity. Here:

- AG News: a sample of 10,001 training descriptions and the 7,600 test descriptions, no titles;
- Yelp: single sentences of reviews with the review's polarity, tokenised, numbers masked.

`balanced_split` cuts either to size: no text twice, none with two labels, every class equally frequent.
`planted_polarity` makes stand-ins for both: made-up words, of which known ones tell the label.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from trustnlp.data.store import fetch
from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet

AG_TOPICS = ("World", "Sports", "Business", "Sci/Tech")
POLARITY = ("negative", "positive")
_STANDIN_WORDS = 12


def read_ag_news() -> SentenceSet:
    """AG News (data set `ag_news`): descriptions and topics, `train` a sample and `test` whole, as they are published.

    Raises
    ------
    DataError
        If a file cannot be fetched.
    """
    paths = fetch("ag_news")
    # Of the sample a line is a description, a tab and the topic's name; quotation marks mean nothing.
    sample = (line.rpartition("\t") for line in _lines(paths["train"]))
    return SentenceSet(
        "AG News",
        AG_TOPICS,
        train=_sentences((text, AG_TOPICS.index(topic)) for text, _, topic in sample),
        test=_sentences((text, int(number) - 1) for number, _, text in csv.reader(_lines(paths["test"]))),
    )


def read_yelp_polarity() -> SentenceSet:
    """Sentences of Yelp reviews by polarity (data set `yelp_sentences`): dev files as `train`, test files as `test`.

    The published training part is not among the files. A sentence has its review's label, which is often wrong for it.

    Raises
    ------
    DataError
        If a file cannot be fetched.
    """
    paths = fetch("yelp_sentences")
    splits = {
        split: _sentences(
            (line, label) for label in range(len(POLARITY)) for line in _lines(paths[f"{stem}_{label}"]) if line.strip()
        )
        for split, stem in (("train", "dev"), ("test", "test"))
    }
    return SentenceSet("Yelp sentences", POLARITY, **splits)


def balanced_split(whole: SentenceSet, *, train: int, test: int, rng: np.random.Generator) -> SentenceSet:
    """A training and a test part of the given sizes, drawn at random, every class equally frequent in both.

    Texts are compared without their outer blanks. One that has two labels is left out, one that is there twice counts
    once. Training texts come from the set's training part, and from its test part only when that is used up; test texts
    the other way round.

    Raises
    ------
    ValueError
        If given sizes that are not positive multiples of the number of classes, or more texts than there are.
    """
    classes = len(whole.label_names)
    for name, size in (("train", train), ("test", test)):
        if size < classes or size % classes:
            raise ValueError(f"{name}={size}: expected a positive multiple of the {classes} classes")
    labels_of: dict[str, set[int]] = {}
    texts: list[list[str]] = [[] for _ in range(classes)]
    for split in whole.splits.values():
        for at in rng.permutation(len(split)):
            text, label = split.texts[at].strip(), int(split.labels[at])
            if text not in labels_of:
                texts[label].append(text)
            labels_of.setdefault(text, set()).add(label)
    rows: dict[str, list[tuple[str, int]]] = {"train": [], "test": []}
    for label, pool in enumerate(texts):
        clear = [text for text in pool if len(labels_of[text]) == 1]
        wanted = (train + test) // classes
        if len(clear) < wanted:
            raise ValueError(
                f"{whole.name} has {len(clear)} distinct texts of class {whole.label_names[label]}, not the {wanted} "
                "asked for; ask for smaller parts"
            )
        rows["train"] += [(text, label) for text in clear[: train // classes]]
        rows["test"] += [(text, label) for text in clear[-(test // classes) :]]
    splits = {name: _sentences([part[at] for at in rng.permutation(len(part))]) for name, part in rows.items()}
    return SentenceSet(whole.name, whole.label_names, **splits)


def planted_polarity(*, train: int, test: int, rng: np.random.Generator) -> SentenceSet:
    """A stand-in: texts of twelve made-up words, a third of which tell the label, eight times in ten rightly.

    Words of either label ("bad0" to "bad19", "good0" to "good19") and neutral ones ("word0" to "word99") are alike in
    frequency within their kind, so a classifier can only count.

    Raises
    ------
    ValueError
        If given a size below 1.
    """
    if min(train, test) < 1:
        raise ValueError(f"train={train}, test={test}: each part needs at least one text")
    parts = {}
    for name, size in (("train", train), ("test", test)):
        labels = rng.integers(len(POLARITY), size=size)
        telling = rng.random((size, _STANDIN_WORDS)) < 1 / 3
        kinds = np.where(rng.random(telling.shape) < 0.8, labels[:, None], 1 - labels[:, None])
        numbers = rng.integers(np.where(telling, 20, 100))
        words = np.where(telling, np.array(["bad", "good"])[kinds], "word")
        texts = (
            " ".join(f"{word}{number}" for word, number in zip(*row, strict=True))
            for row in zip(words, numbers, strict=True)
        )
        parts[name] = Sentences(tuple(texts), labels)
    return SentenceSet("stand-in", POLARITY, **parts)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _sentences(rows: Iterable[tuple[str, int]]) -> Sentences:
    texts, labels = zip(*rows, strict=True)
    return Sentences(texts, np.array(labels))
