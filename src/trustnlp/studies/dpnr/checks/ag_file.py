"""Facts of the authors' AG file that can be counted: sizes (Table 1), the MAJORITY row, repeated texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.data.texts.private_attributes import ENTITIES, TOPICS, AttributeSet, AttributeTexts
from trustnlp.privacy.attacks.attribute_metrics import empirical_privacy

# Key, value, and how `Record.metric` is to take it.
Fact = tuple[str, float, dict[str, Any]]


def standin_with_repetitions(rng: np.random.Generator) -> AttributeSet:
    """Made-up texts, fifty of development and twenty-five of test also in train, with topics and persons by chance."""
    texts = [f"text {number}" for number in range(400)]

    def draw(names: list[str]) -> AttributeTexts:
        persons = np.eye(5, dtype=int)[rng.integers(0, 5, len(names))]
        return AttributeTexts(tuple(names), rng.integers(0, 4, len(names)), persons)

    return AttributeSet("stand-in", TOPICS, ENTITIES, *map(draw, (texts[:300], texts[250:350], texts[275:400])))


def facts_of(news: AttributeSet) -> Iterator[Fact]:
    """Sizes, what always naming the most frequent topic and person gives, and repeated texts, with keys `ag.…`."""
    table = pd.concat(
        pd.DataFrame({"part": name, "text": split.texts, "topic": split.labels}).assign(
            persons=[tuple(row) for row in split.attributes], copied=news.in_train(name)
        )
        for name, split in news.splits.items()
    )
    train = table[table.part == "train"]
    topic = train.topic.mode()[0]
    person = np.eye(5, dtype=int)[news.train.attributes.sum(axis=0).argmax()]
    known_topic = train.groupby("text").topic.agg(lambda topics: topics.mode()[0])
    for name, split in news.splits.items():
        part = table[table.part == name]
        said = np.broadcast_to(person, split.attributes.shape)
        yield f"ag.{name}.texts", len(part), {}
        yield f"ag.{name}.majority_accuracy", 100 * float((part.topic == topic).mean()), {"unit": "%"}
        private = empirical_privacy(split.attributes, said, "entities")
        yield f"ag.{name}.majority_privacy", private, {"unit": "%"}
        if name != "train":
            copied = part[part.copied]
            yield f"ag.{name}.in_train", len(copied), {}
            agrees = 100 * (copied.text.map(known_topic) == copied.topic).mean()
            yield f"ag.{name}.in_train_topic_agrees", agrees, {"unit": "%"}
    by_text = table.groupby("text")
    repeated = by_text.size() > 1
    yield "ag.distinct", len(repeated), {}
    yield "ag.repeated", int(repeated.sum()), {}
    yield "ag.conflicting_topics", int((by_text.topic.nunique() > 1).sum()), {}
    yield "ag.conflicting_persons", int((by_text.persons.nunique() > 1).sum()), {}
