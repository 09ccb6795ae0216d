"""SST-2 with its gold test labels: phrases of film reviews, positive or negative.

Socher et al. (2013), through GLUE (Wang et al. 2019). Kumar, Dixit and Shah (2021), Appendix A.1: 67,349 phrases to
train on, 872 sentences to choose a model on and 1,821 to test on. GLUE keeps the labels of its test part to itself. The
same 1,821 sentences, with labels, are the binary test part of the treebank as Kim (2014) released it; here its escapes
(`-lrb-`) are written as GLUE writes them. All but six are then GLUE's sentences to the letter; those six differ in a
spelling (`favour`) or a blank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trustnlp.data.annotation.constituency_trees import Treebank, plain_signs
from trustnlp.data.annotation.english_tags import TaggedText, Words
from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch
from trustnlp.data.texts.glue import GluePart, read_glue
from trustnlp.data.texts.sentence_sets import Sentences

LABEL_NAMES = ("negative", "positive")


@dataclass(frozen=True, eq=False)
class Phrases(Sentences):
    """Phrases or whole sentences, each a string of words with one blank between them, and their labels.

    Attributes
    ----------
    texts
        In the order of the file.
    labels
        `(n,)` int64: 0 negative, 1 positive.

    Raises
    ------
    ValueError
        If there are not as many labels as texts, a label that is neither 0 nor 1, or an empty text.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if not set(np.unique(self.labels)) <= {0, 1}:
            raise ValueError(f"labels must be 0 (negative) or 1 (positive), got {sorted(set(self.labels.tolist()))}")
        if not all(map(str.strip, self.texts)):
            raise ValueError(f"text {next(row for row, text in enumerate(self.texts) if not text.strip())} is empty")


@dataclass(frozen=True, eq=False)
class Sst2:
    """The three parts. Training texts are phrases, many of a word or two; the others are whole sentences."""

    train: Phrases
    dev: Phrases
    test: Phrases

    @property
    def splits(self) -> dict[str, Phrases]:
        """The parts by name, in the order train, dev, test."""
        return {"train": self.train, "dev": self.dev, "test": self.test}

    def __len__(self) -> int:
        return sum(map(len, self.splits.values()))


@dataclass(frozen=True, eq=False)
class Reviews:
    """SST-2, or what stands in for it.

    Attributes
    ----------
    sst2
        Texts and labels in train, dev and test.
    trees
        Text → its spans, which count the words between blanks. A text may be missing.
    tagged
        Part → each of its texts as NLTK's words, with their tags. Positions in them are not those of spans where NLTK
        cuts a text elsewhere than at blanks, as it does in one text of seventy in train and one of forty in test.
    vocabulary
        Tag → words, as in Appendix C.
    """

    sst2: Sst2
    trees: Treebank
    tagged: Mapping[str, tuple[TaggedText, ...]]
    vocabulary: Mapping[str, Words]

    def __post_init__(self) -> None:
        counts = {name: len(texts) for name, texts in self.tagged.items()}
        expected = {name: len(part) for name, part in self.sst2.splits.items()}
        if counts != expected:
            raise ValueError(f"each part needs as many tagged texts as texts, {expected}, got {counts}")


def read_sst2() -> Sst2:
    """Fetch and read SST-2 (data sets `glue_sst2` and `sst2_test`).

    Raises
    ------
    DataError
        If a file cannot be fetched or read.
    """
    task = read_glue("sst2")
    paths = fetch("sst2_test")
    with as_described("sst2_test", paths):
        gold = _gold(paths["test"].read_text("utf-8"))
    return Sst2(_phrases(task.train), _phrases(task.evaluation), gold)


def _gold(content: str) -> Phrases:
    """Lines of a label, a blank and a text."""
    rows = [line.partition(" ") for line in content.splitlines()]
    if wrong := [number for number, (label, _, text) in enumerate(rows, 1) if label not in "01" or not text]:
        raise ValueError(f"line {wrong[0]}: expected 0 or 1, a blank and a text")
    return Phrases(tuple(plain_signs(text) for _, _, text in rows), np.array([int(label) for label, _, _ in rows]))


def _phrases(part: GluePart) -> Phrases:
    return Phrases(part.texts, part.targets.astype(np.int64))
