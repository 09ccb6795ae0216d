"""Texts with a task and a secret that have nothing to do with each other, and their parts.

Every seed draws other texts, as many of each pair of task and secret, so that neither gives the other away and guessing
is right in one of so many classes. Texts are their first words in lower case, joined by blanks: all arms and all
readers get the same; what is not written in Latin letters is left out. Parts are cut by writer where there are writers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.texts.airline_tweets import read_tweets_by_airline
from trustnlp.data.texts.blog_topics import read_blog_posts
from trustnlp.embeddings.static import WordVectors

Ints = NDArray[np.int64]
PARTS = {"train": 0.5, "dev": 0.2, "test": 0.3}
# The airlines with tweets enough; their handle in the file, and a word of the vocabulary that stands for it.
AIRLINES = {
    "American": ("americanair", "american"),
    "Delta": ("jetblue", "delta"),
    "Southwest": ("southwestair", "southwest"),
    "US Airways": ("usairways", "airways"),
    "United": ("united", "united"),
}
_WORD = re.compile(r"[a-z0-9]{1,20}(?:'[a-z]{1,3})?")
_FEWEST_WORDS = 5
# The stand-in: words that tell the task, words that tell the secret, and words that tell nothing.
_TOPIC_WORDS = [[f"{topic}{n}" for n in range(12)] for topic in ("rain", "goal")]
NAMES = [[f"{name}{n}" for n in range(2)] for name in ("marlow", "tavish", "belden")]
_OTHERS = [f"other{n}" for n in range(60)]


@dataclass(frozen=True)
class Texts:
    """`n` texts with a label and a secret each, who wrote them, and which part they are in.

    Attributes
    ----------
    labels, secrets
        `(n,)` from 0 on; the readers' task, and what an attacker is after.
    writers
        Of each text; parts share none.
    parts
        `train`, `dev`, `test` → rows.
    """

    texts: tuple[str, ...]
    labels: Ints
    secrets: Ints
    writers: tuple[str, ...]
    parts: dict[str, Ints]


Pool = tuple[Sequence[str], Ints, Ints, Sequence[str]]


def tweets() -> Pool:
    """Tweets to an airline: good or bad is the task, which of five airlines the secret.

    An airline's handle becomes a word for it that vocabularies have, all other handles one word; links go.
    """
    names = list(AIRLINES)
    read = [tweet for tweet in read_tweets_by_airline(dict(AIRLINES.values())) if tweet.airline in AIRLINES]
    labels = np.array([int(tweet.positive) for tweet in read])
    secrets = np.array([names.index(tweet.airline) for tweet in read])
    return [tweet.text for tweet in read], labels, secrets, [tweet.writer for tweet in read]


def blogs() -> Pool:
    """Blog posts: whether the writer is over 30 or under 20 is the task, the writer's gender the secret."""
    posts = read_blog_posts()
    gender, age = np.array([post.attributes for post in posts], dtype=np.int64).T
    return [post.text for post in posts], age, gender, [post.blogger for post in posts]


def made(rng: np.random.Generator, count: int = 1200) -> Pool:
    """A stand-in whose secret is in one of two words of its own and nowhere else."""
    labels, secrets = rng.integers(2, size=count), rng.integers(len(NAMES), size=count)
    texts = []
    for label, secret in zip(labels, secrets, strict=True):
        words = [*rng.choice(_OTHERS, 8), *rng.choice(_TOPIC_WORDS[label], 3), rng.choice(NAMES[secret])]
        texts.append(" ".join(rng.permutation(words)))
    return texts, labels, secrets, [str(number) for number in range(count)]


def made_vectors(rng: np.random.Generator, dim: int = 60) -> WordVectors:
    """Vectors of the stand-in's words: those of one kind lie together."""
    kinds = [*_TOPIC_WORDS, [name for names in NAMES for name in names], _OTHERS]
    words = [word for kind in kinds for word in kind]
    centres = np.repeat(rng.normal(0, 1, (len(kinds), dim)), [len(kind) for kind in kinds], axis=0)
    return WordVectors(words, centres + rng.normal(0, 0.5, centres.shape), "words of the stand-in")


# Data set of the notebook → its texts, and its name in the registry.
POOLS: dict[str, tuple[Callable[[], Pool], str]] = {
    "tweets": (tweets, "airline_tweets"),
    "blogs": (blogs, "blog_posts"),
}


def drawn(pool: Pool, count: int, length: int, seed: int) -> Texts:
    """`count` texts, as many of each pair of label and secret, in three parts without a writer in common.

    Raises
    ------
    ValueError
        If a pair has too few texts.
    """
    raw, labels, secrets, writers = pool
    texts = [_WORD.findall(text.lower().replace("’", "'"))[:length] for text in raw]
    enough = np.array([len(words) >= _FEWEST_WORDS for words in texts])
    rng = np.random.default_rng([seed, 1])
    pairs = sorted(set(zip(labels.tolist(), secrets.tolist(), strict=True)))
    each, rows = count // len(pairs), []
    for pair in pairs:
        own = np.flatnonzero(enough & (labels == pair[0]) & (secrets == pair[1]))
        if len(own) < each:
            raise ValueError(
                f"{each} texts of label {pair[0]} and secret {pair[1]} are asked for, there are {len(own)}"
            )
        rows.append(rng.permutation(own)[:each])
    chosen = rng.permutation(np.concatenate(rows))
    return Texts(
        tuple(" ".join(texts[row]) for row in chosen),
        labels[chosen],
        secrets[chosen],
        tuple(writers[row] for row in chosen),
        _parts([writers[row] for row in chosen], rng),
    )


def _parts(writers: Sequence[str], rng: np.random.Generator) -> dict[str, Ints]:
    """Writers in a drawn order fill the parts, each until it has its share of the texts."""
    names, of = np.unique(np.array(writers), return_inverse=True)
    order = rng.permutation(len(names))
    before = np.cumsum(np.bincount(of)[order]) / len(writers)
    ends = np.cumsum(list(PARTS.values()))[:-1]
    part = np.empty(len(names), dtype=np.int64)
    part[order] = np.searchsorted(ends, before)
    return {name: np.flatnonzero(part[of] == number) for number, name in enumerate(PARTS)}
