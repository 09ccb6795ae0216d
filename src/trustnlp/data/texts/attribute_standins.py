"""English-like texts with planted topics and attributes: stand-ins for the AG news and the blog posts of DPNR.

A text of the news is two short sentences. Its nouns and verbs tell the topic, each taken from the text's own topic with
a fixed chance and from any topic otherwise; the persons it names are its private attributes, spelled out as surnames
that we made up. Which persons a text names is drawn independently of its topic, so what a representation keeps of them
it does not need for the topic. Numbers of texts for each topic and each combination of persons are fixed, not drawn:
what can be had without looking at a text is known exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.texts.blog_topics import GENDERS, BlogPost
from trustnlp.data.texts.private_attributes import AttributeSet, AttributeTexts


@dataclass(frozen=True)
class _Topic:
    nouns: tuple[str, ...]
    verbs: tuple[str, ...]


_TOPICS = {
    "weather": _Topic(
        ("storm", "rain", "flood", "wind", "snow", "river", "cloud", "coast"),
        ("soaked", "flooded", "froze", "swept"),
    ),
    "music": _Topic(
        ("song", "band", "guitar", "album", "concert", "singer", "piano", "choir"),
        ("sang", "played", "recorded", "tuned"),
    ),
    "sport": _Topic(
        ("goal", "match", "team", "coach", "league", "referee", "stadium", "striker"),
        ("scored", "defended", "tackled", "trained"),
    ),
    "money": _Topic(
        ("bank", "market", "loan", "profit", "tax", "budget", "investor", "price"),
        ("sold", "bought", "financed", "traded"),
    ),
}
TOPIC_SHARES = (0.4, 0.3, 0.2, 0.1)
PERSONS = ("Marlow", "Tavish", "Belden", "Quist", "Orsini")
# Which persons a text names, and the share of texts that name just these. Each person's share is near that of an
# entity of AG: .55, .24, .18, .10, .10.
_PERSONS_NAMED: tuple[tuple[tuple[int, ...], float], ...] = (
    ((0,), 0.42),
    ((1,), 0.16),
    ((0, 1), 0.08),
    ((2,), 0.12),
    ((0, 2), 0.02),
    ((3,), 0.07),
    ((4,), 0.06),
    ((2, 4), 0.04),
    ((0, 3), 0.03),
)
_OWN_TOPIC = 0.85
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_ADJECTIVES = ("new", "famous", "large", "small", "quiet", "late", "good", "strange")
_SPLITS = {"train": 0.8, "dev": 0.1, "test": 0.1}
_FEWEST_TEXTS = 100
# Words of a blogger of each gender and each age, numbered as in `BlogPost.attributes`. Colours tell the gender here.
_WRITERS_WORDS = ((("amber", "violet"), ("copper", "indigo")), (("homework", "prom"), ("mortgage", "pension")))
_WORDS_PER_POST = 14
_MIXED_TOPICS = 0.2
_BLOGGERS_POSTS = 4


def planted_attribute_texts(n: int, rng: np.random.Generator) -> AttributeSet:
    """A stand-in for the AG news: four topics, five persons, split 8:1:1.

    In every part the most frequent topic, `weather`, has four texts in ten and the most frequent person more than half.

    Parameters
    ----------
    n
        Texts of all parts together, at least 100.
    rng
        Draws the words and which texts get which topic and persons. How many do is fixed by `n`.

    Raises
    ------
    ValueError
        If there are fewer than 100 texts: a part would lack a topic or a person.
    """
    if n < _FEWEST_TEXTS:
        raise ValueError(f"{n} texts are too few for four topics and five persons in each part; take {_FEWEST_TEXTS}")
    sizes = _quotas(n, tuple(_SPLITS.values()))
    parts = [_draw(int(size), rng) for size in sizes]
    return AttributeSet("stand-in for ag_entities", tuple(_TOPICS), PERSONS, *parts)


def planted_posts(n: int, rng: np.random.Generator) -> tuple[BlogPost, ...]:
    """A stand-in for the blog posts of `blog_topics`, for LDA to find the topics of.

    A post is a bag of words of one topic, or of two in equal parts in one post of five, and a word each that tells of
    its writer's gender and age. Writers have four posts each; genders and ages are equally frequent.

    Raises
    ------
    ValueError
        If there are fewer than 100 posts.
    """
    if n < _FEWEST_TEXTS:
        raise ValueError(f"{n} posts are too few for four topics in four groups of writers; take {_FEWEST_TEXTS}")
    posts = []
    for row in range(n):
        writer = row // _BLOGGERS_POSTS
        gender, age = writer % 2, writer // 2 % 2
        first, second = rng.permutation(len(_TOPICS))[:2]
        if rng.random() >= _MIXED_TOPICS:
            second = first
        words = [_one(_topic_words(int(topic)), rng) for topic in (first, second) for _ in range(_WORDS_PER_POST // 2)]
        words += [_one(_WRITERS_WORDS[0][gender], rng), _one(_WRITERS_WORDS[1][age], rng)]
        posts.append(BlogPost(f"writer {writer}", GENDERS[gender], (16, 40)[age], " ".join(rng.permutation(words))))
    return tuple(posts)


def _draw(n: int, rng: np.random.Generator) -> AttributeTexts:
    labels = rng.permutation(np.repeat(np.arange(len(_TOPICS)), _quotas(n, TOPIC_SHARES)))
    shares = tuple(share for _, share in _PERSONS_NAMED)
    named = rng.permutation(np.repeat(np.arange(len(shares)), _quotas(n, shares)))
    attributes = np.zeros((n, len(PERSONS)), dtype=np.int64)
    texts = []
    for row, (label, combination) in enumerate(zip(labels, named, strict=True)):
        persons, _ = _PERSONS_NAMED[combination]
        attributes[row, list(persons)] = 1
        texts.append(_text(int(label), [PERSONS[person] for person in rng.permutation(list(persons))], rng))
    return AttributeTexts(tuple(texts), labels, attributes)


def _text(label: int, persons: Sequence[str], rng: np.random.Generator) -> str:
    """Two sentences; the first names the persons."""
    topics = tuple(_TOPICS.values())

    def topical(kind: str) -> str:
        topic = topics[label] if rng.random() < _OWN_TOPIC else topics[int(rng.integers(len(topics)))]
        return _one(getattr(topic, kind), rng)

    subject = " and ".join(persons)
    first = f"{subject} {topical('verbs')} the {_one(_ADJECTIVES, rng)} {topical('nouns')} on {_one(_DAYS, rng)}."
    second = f"The {topical('nouns')} {topical('verbs')} a {_one(_ADJECTIVES, rng)} {topical('nouns')}."
    return f"{first} {second}"


def _one(words: Sequence[str], rng: np.random.Generator) -> str:
    return words[int(rng.integers(len(words)))]


def _quotas(n: int, shares: Sequence[float]) -> NDArray[np.int64]:
    """`n` divided by shares into whole numbers; what is left over goes to the largest remainders, the first of equals.

    Remainders are rounded before they are compared: 0.1 · 30 is not quite 3 in binary.
    """
    exact = np.round(n * np.array(shares), 9)
    counts = np.floor(exact).astype(np.int64)
    order = np.argsort(-(np.round(exact - counts, 9)), kind="stable")
    counts[order[: n - counts.sum()]] += 1
    return counts


def _topic_words(topic: int) -> tuple[str, ...]:
    words = tuple(_TOPICS.values())[topic]
    return words.nouns + words.verbs
