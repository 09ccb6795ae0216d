"""Texts with a topic to predict and private attributes to protect, as Lyu, He and Li (2020, "DPNR") use them.

`read_ag_entities` reads the authors' own file: news of the AG corpus, four topics, and for each text which of five
persons it names. Coavoux, Narayan and Cohen (2018) made the recipe.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.store import fetch

TOPICS = ("World", "Entertainment", "Sports", "Business")
# The persons by their number in the file; the paper counts from 1 ("Entity 3").
PERSONS = ("Bush", "Kerry", "Arafat", "Blair", "Sharon")
ENTITIES = tuple(f"entity{number + 1}" for number in range(len(PERSONS)))
_BLOCK_LINE = "=" * 20


@dataclass(frozen=True)
class AttributeTexts:
    """Texts with a label each, `0..c-1`, and `a` private attributes of 0 or 1.

    Raises
    ------
    ValueError
        If numbers of texts, labels and attribute rows differ, no text, a negative label, or an attribute not 0 or 1.
    """

    texts: tuple[str, ...]
    labels: NDArray[np.int64]
    attributes: NDArray[np.int64]

    def __post_init__(self) -> None:
        labels, attributes = np.array(self.labels, dtype=np.int64), np.array(self.attributes, dtype=np.int64)
        n = len(self.texts)
        if n == 0 or labels.shape != (n,) or attributes.ndim != 2 or len(attributes) != n:
            raise ValueError(
                f"n texts need labels (n,) and attributes (n, a), got {n} texts, {labels.shape} and {attributes.shape}"
            )
        if labels.min() < 0:
            raise ValueError(f"labels count from 0, got {labels.min()}")
        if not np.isin(attributes, (0, 1)).all():
            raise ValueError("private attributes are 0 or 1")
        for array in (labels, attributes):
            array.setflags(write=False)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "attributes", attributes)

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class AttributeSet:
    """A corpus in three parts.

    Attributes
    ----------
    label_names, attribute_names
        `label_names[label]`, and the name of each attribute column.
    """

    name: str
    label_names: tuple[str, ...]
    attribute_names: tuple[str, ...]
    train: AttributeTexts
    dev: AttributeTexts
    test: AttributeTexts

    def __post_init__(self) -> None:
        for name, split in self.splits.items():
            if split.labels.max() >= len(self.label_names):
                raise ValueError(f"{name} has label {split.labels.max()}, but there are {len(self.label_names)} names")
            if split.attributes.shape[1] != len(self.attribute_names):
                width = split.attributes.shape[1]
                raise ValueError(f"{name} has {width} attributes, but there are {len(self.attribute_names)} names")

    @property
    def splits(self) -> dict[str, AttributeTexts]:
        """The parts by name, in the order train, dev, test."""
        return {"train": self.train, "dev": self.dev, "test": self.test}

    def in_train(self, split: str) -> NDArray[np.bool_]:
        """`(n,)` which texts of another part also stand in `train`, word for word."""
        known = set(self.train.texts)
        return np.array([text in known for text in self.splits[split].texts])


def read_ag_entities() -> AttributeSet:
    """The AG news of DPNR in the authors' split: 11,657, 1,457 and 1,457 texts, 4 topics, 5 entities. Table 1, "AG".

    Topics are numbered as in the released file and named after the order in Coavoux' code; entities are named as in the
    paper, `entity1` to `entity5`, and are the `PERSONS`.

    Raises
    ------
    DataError
        If the file cannot be had.
    """
    blocks = fetch("ag_entities")["texts"].read_text(encoding="utf-8").split(f"{_BLOCK_LINE}\n")[:3]
    return AttributeSet("ag_entities", TOPICS, ENTITIES, *map(_part, blocks))


def _part(block: str) -> AttributeTexts:
    """Lines `label <tab> text <tab> entity numbers`, the entities separated by blanks."""
    rows = [line.split("\t") for line in block.split("\n") if line.strip()]
    labels, texts, named = zip(*rows, strict=True)
    attributes = [[str(entity) in row.split() for entity in range(len(ENTITIES))] for row in named]
    return AttributeTexts(texts, np.array(labels, dtype=np.int64), np.array(attributes, dtype=np.int64))
