"""A made-up vocabulary in which it is known which words have two senses, and texts, pairs and ratings made from it.

Topics are directions. A word of one topic has a vector near its topic's direction; an ambiguous word has two topics and
a vector between their directions, as word2vec gives a word that is used in two ways (Pelevina et al. 2016, §1: the
vector of a word mixes its senses). A context is a list of words of one topic, which is then the sense that the word in
it has. So induction, disambiguation and what Arnold, Yesilbas and Weinzierl (2023) expect of them can be tried where
the right answer is known.

Stand-ins for word vectors, for WiC (`trustnlp.data.words.words_in_context`) and for the rated pairs of
`trustnlp.data.words.similarity_sets`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, cycle, islice

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.words.similarity_sets import RatedPair
from trustnlp.data.words.words_in_context import ContextPair, Occurrence
from trustnlp.embeddings.static import WordVectors

# Letters alone: sensegram takes words that differ in a digit at their end for one word.
_SYLLABLES = tuple(consonant + vowel for consonant in "bdklmnrs" for vowel in "aio")
MOST_WORDS = len(_SYLLABLES) ** 3
_MIXTURE = (0.4, 0.6)  # an ambiguous word's share of its first topic
_LENGTHS = 0.1  # standard deviation of the logarithm of a vector's length
_SPREAD = 0.6  # mean length of the noise on a vector; two words of one topic have a cosine of about 1/(1 + spread²)
_RATING_NOISE = 0.7


@dataclass(frozen=True, eq=False)
class PlantedSenses:
    """Word vectors and the truth about them.

    Attributes
    ----------
    vectors
        `V` words, their vectors of length about 1. A word's spelling and row tell nothing about its topics.
    topics
        For each word its topic, or its two topics in ascending order. A topic of a word is a sense of it.
    centres
        `(K, d)` the topics' directions, of length 1: the vector that a sense would have without noise.
    """

    vectors: WordVectors
    topics: tuple[tuple[int, ...], ...]
    centres: NDArray[np.float32]

    @cached_property
    def ambiguous(self) -> NDArray[np.int64]:
        """Rows of the words with two topics, ascending."""
        return np.array([row for row, topics in enumerate(self.topics) if len(topics) == 2], dtype=np.int64)

    @cached_property
    def of_topic(self) -> tuple[NDArray[np.int64], ...]:
        """For each topic the rows of the words that have it, alone or beside another, ascending."""
        return tuple(
            np.array([row for row, own in enumerate(self.topics) if topic in own], dtype=np.int64)
            for topic in range(len(self.centres))
        )


@dataclass(frozen=True)
class PlantedContext:
    """A word in a made-up text: its row in the vocabulary, where it stands, and the topic of the text."""

    row: int
    occurrence: Occurrence
    topic: int


def planted_senses(
    rng: np.random.Generator,
    *,
    words: int = 1200,
    topics: int = 12,
    dim: int = 50,
    ambiguous: float = 1 / 3,
) -> PlantedSenses:
    """Draw a vocabulary. Topics, and pairs of topics, are as equally frequent as whole numbers allow.

    At the defaults the 200 nearest neighbours of an ambiguous word hold dozens of words of each of its topics. With
    half as many neighbours the weaker of its topics may be all but missing.

    Parameters
    ----------
    rng
        Draws directions, vectors, and which word gets which topics. How many do is fixed.
    words
        `V`, at least two for each topic and at most 13,824.
    topics
        `K`, at least 3.
    dim
        `d`, at least 2.
    ambiguous
        Share of the words with two topics, from 0 to less than 1.

    Raises
    ------
    ValueError
        If given a number of topics, dimensions or words out of its range.
    """
    if topics < 3 or not 2 * topics <= words <= MOST_WORDS or dim < 2:
        raise ValueError(
            f"expected at least 3 topics, 2 dimensions, and from two words a topic to {MOST_WORDS:,}, got {topics} "
            f"topics, {dim} dimensions and {words} words"
        )
    centres = _units(rng.standard_normal((topics, dim)))
    count = round(ambiguous * words)
    pairs = rng.permutation(list(combinations(range(topics), 2))).tolist()
    senses = [*islice(cycle(map(tuple, pairs)), count), *((number % topics,) for number in range(words - count))]
    senses = [senses[number] for number in rng.permutation(words)]
    first = rng.uniform(*_MIXTURE, size=(words, 1))
    left, right = (centres[[own[side] for own in senses]] for side in (0, -1))
    means = _units(first * left + (1 - first) * right)
    noisy = _units(means + _SPREAD / np.sqrt(dim) * rng.standard_normal((words, dim)))
    matrix = noisy * np.exp(_LENGTHS * rng.standard_normal((words, 1)))
    vectors = WordVectors([_spelling(row) for row in range(words)], matrix, "stand-in with planted senses")
    return PlantedSenses(vectors, tuple(senses), centres.astype(np.float32))


def planted_contexts(
    planted: PlantedSenses,
    rng: np.random.Generator,
    *,
    rows: NDArray[np.int64] | None = None,
    topics: NDArray[np.int64] | None = None,
    length: int = 11,
    stray: float = 0.2,
) -> Iterator[PlantedContext]:
    """Texts of ambiguous words, one after the other: without end, or one for each of `rows`.

    The word stands at a random place of its text. Every other token is another word that has the text's topic, alone or
    beside a second topic, or with chance `stray` any other word.

    Parameters
    ----------
    rows
        The words meant. Without them, ambiguous words drawn at random.
    topics
        The topic of each text, which the word must have. Without them, one of the word's topics at random.
    length
        Tokens of a text, at least 2.
    stray
        From 0 to 1.
    """
    endless = iter(lambda: int(rng.choice(planted.ambiguous)), None)
    for number, row in enumerate(endless if rows is None else map(int, rows)):
        own = planted.topics[row]
        topic = own[int(rng.integers(len(own)))] if topics is None else int(topics[number])
        yield PlantedContext(row, _text(planted.vectors.words, row, planted.of_topic[topic], rng, length, stray), topic)


def planted_words_in_context(planted: PlantedSenses, n: int, rng: np.random.Generator) -> tuple[ContextPair, ...]:
    """A stand-in for a part of WiC: ambiguous words, each in two texts of one topic or of its two topics.

    Of `n` pairs half have one topic, rounded up, in random order.
    """
    same = rng.permutation(np.arange(n) % 2 == 0)
    rows = rng.choice(planted.ambiguous, size=n)
    own = np.array([planted.topics[row] for row in rows])
    one = rng.integers(2, size=n)
    sides = [own[np.arange(n), side] for side in (one, np.where(same, one, 1 - one))]
    firsts, seconds = (planted_contexts(planted, rng, rows=rows, topics=topics) for topics in sides)
    return tuple(
        ContextPair(first.occurrence.token, "n", first.occurrence, second.occurrence, first.topic == second.topic)
        for first, second in zip(firsts, seconds, strict=True)
    )


def planted_ratings(
    planted: PlantedSenses, n: int, rng: np.random.Generator, *, in_context: bool
) -> tuple[RatedPair, ...]:
    """Stand-ins for the rated pairs, of two different words each, with noisy ratings.

    Without contexts (as `wordsim353`) half of the pairs are drawn for a topic in common, and the rating is ten times
    the share of the two words' topics that they have in common: 1, 1/2, 1/3 or 0. In contexts (as `scws`) both words
    are ambiguous and always have a topic in common, but only the topics of their texts count: the rating is high where
    both texts have the common topic (half of the pairs) and low where the second has the word's other one. One vector
    per word misses that on purpose.
    """
    allowed = planted.ambiguous if in_context else np.arange(len(planted.topics))
    of_topic = [np.intersect1d(rows, allowed) for rows in planted.of_topic]
    usable = [topic for topic, rows in enumerate(of_topic) if len(rows) > 1]
    pairs = []
    for related in rng.permutation(np.arange(n) % 2 == 0):
        topic = usable[int(rng.integers(len(usable)))]
        first = int(rng.choice(of_topic[topic]))
        others = of_topic[topic] if related or in_context else allowed
        second = int(rng.choice(others[others != first]))
        pairs.append(
            _pair_in_context(planted, first, second, topic, bool(related), rng)
            if in_context
            else _pair_alone(planted, first, second, rng)
        )
    return tuple(pairs)


def _pair_alone(planted: PlantedSenses, first: int, second: int, rng: np.random.Generator) -> RatedPair:
    one, other = set(planted.topics[first]), set(planted.topics[second])
    words = planted.vectors.words
    return RatedPair(words[first], words[second], _rating(len(one & other) / len(one | other), rng))


def _pair_in_context(
    planted: PlantedSenses, first: int, second: int, topic: int, same: bool, rng: np.random.Generator
) -> RatedPair:
    [other] = set(planted.topics[second]) - {topic}
    topics = np.array([topic, topic if same else other])
    one, two = (
        context.occurrence for context in planted_contexts(planted, rng, rows=np.array([first, second]), topics=topics)
    )
    return RatedPair(one.token, two.token, _rating(float(same), rng), ("n", "n"), (one, two))


def _rating(share: float, rng: np.random.Generator) -> float:
    """A share as people would rate it, from 0 to 10 with two decimals."""
    return round(float(np.clip(10 * share + _RATING_NOISE * rng.standard_normal(), 0, 10)), 2)


def _text(
    words: tuple[str, ...], row: int, topical: NDArray[np.int64], rng: np.random.Generator, length: int, stray: float
) -> Occurrence:
    """The word of `row` at a random place among words of `topical` and strays, none of them the word itself."""
    anywhere = rng.integers(len(words) - 1, size=length)
    drawn = anywhere + (anywhere >= row)
    topical = topical[topical != row]
    if len(topical):
        stays = rng.random(length) >= stray
        drawn[stays] = rng.choice(topical, size=int(stays.sum()))
    index = int(rng.integers(length))
    drawn[index] = row
    return Occurrence(tuple(words[other] for other in drawn), index)


def _spelling(row: int) -> str:
    """A word of three syllables for each row: `badaka`."""
    k = len(_SYLLABLES)
    return "".join(_SYLLABLES[digit] for digit in (row // k**2, row // k % k, row % k))


def _units(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    scaled: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled
