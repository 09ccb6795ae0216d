"""Sentences with planted labels: stand-ins for the five sets of `sentence_sets`, made from a seed by the code below.

A sentence is a bag of words of a given length. Each word is drawn independently: first its group (neutral, or one of
the groups that tell about the label), with chances that depend on the label, then one of the group's words, all alike.
The label's share among the sentences, the groups' chances and the length are fixed below.

The groups of the sentiment sets are the opinion lexicon's words; those of the questions are the nearest words of six
anchors. A linear classifier on averaged vectors can therefore learn the label.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from trustnlp.data.texts.sentence_sets import LABEL_NAMES, Sentences, SentenceSet
from trustnlp.data.words.opinion_lexicon import OpinionLexicon
from trustnlp.embeddings.static import WordVectors

# A word whose neighbours in word2vec and GloVe are typical of what the class of questions asks for.
_ANCHORS = {
    "description": "concept",
    "entity": "animal",
    "abbreviation": "letters",
    "human": "scientist",
    "location": "country",
    "number": "percent",
}
_WORDS_PER_TOPIC = 40
_FEWEST_WORDS = 5
_Chances = tuple[tuple[float, ...], ...]


class _Plan(NamedTuple):
    """How the sentences of one set are drawn.

    `chances[label][group]` with the neutral group first; `shares[label]`; `sizes[split]` sentences of `length` words.
    """

    length: int
    shares: tuple[float, ...]
    chances: _Chances
    sizes: dict[str, int]


def _polar(share: float, agreement: Iterable[float]) -> _Chances:
    """Chances of neutral, positive and negative words: a share of opinion words, of which `agreement` are positive."""
    return tuple((1 - share, share * positive, share * (1 - positive)) for positive in agreement)


def _topical(share: float, own: float, k: int) -> _Chances:
    """Chances of neutral words and of `k` topics: a share of topical words, of which `own` are of the class's topic."""
    other = share * (1 - own) / (k - 1)
    return tuple((1 - share, *(share * own if topic == label else other for topic in range(k))) for label in range(k))


# Lengths and shares follow the real sets; the sets are smaller and their labels clearer.
_PLANS = {
    "mr": _Plan(20, (0.5, 0.5), _polar(0.4, (0.25, 0.75)), {"train": 500}),
    "cr": _Plan(19, (0.36, 0.64), _polar(0.4, (0.25, 0.75)), {"train": 400}),
    "mpqa": _Plan(3, (0.69, 0.31), _polar(0.7, (0.1, 0.9)), {"train": 500}),
    "sst5": _Plan(
        18,
        (0.13, 0.26, 0.19, 0.27, 0.15),
        _polar(0.5, (0.05, 0.25, 0.5, 0.75, 0.95)),
        {"train": 400, "dev": 100, "test": 200},
    ),
    "trec6": _Plan(10, (0.21, 0.23, 0.02, 0.22, 0.16, 0.16), _topical(0.4, 0.7, 6), {"train": 400, "test": 200}),
}


def planted_sentences(
    kind: str, vectors: WordVectors, lexicon: OpinionLexicon, rng: np.random.Generator
) -> SentenceSet:
    """A stand-in with the splits, the labels and the label names of one of the five sets.

    Parameters
    ----------
    kind
        The set it stands for: `mr`, `cr`, `mpqa`, `sst5` or `trec6`.
    vectors
        Where the words are taken from (lower-case ones only); every sentence ends in a full stop beside them.
    lexicon
        Positive and negative words; those in both lists are left out.
    rng
        Draws words and the order of the sentences. How many sentences have each label is fixed.

    Raises
    ------
    ValueError
        If the vectors know too few words of a group.
    """
    groups = _topic_groups(vectors, lexicon) if kind == "trec6" else _opinion_groups(vectors, lexicon)
    small = [f"{name} ({len(words)})" for name, words in groups.items() if len(words) < _FEWEST_WORDS]
    if small:
        raise ValueError(
            f"{vectors.name} knows too few words of {', '.join(small)} for stand-in sentences; take larger vectors"
        )
    plan = _PLANS[kind]
    splits = {split: _draw(plan, n, list(groups.values()), rng) for split, n in plan.sizes.items()}
    return SentenceSet(f"stand-in for {kind}", LABEL_NAMES[kind], **splits)


def _plain(words: Iterable[str]) -> list[str]:
    return [word for word in words if word.isascii() and word.isalpha() and word.islower()]


def _opinion_groups(vectors: WordVectors, lexicon: OpinionLexicon) -> dict[str, list[str]]:
    """Neutral, positive and negative words, disjoint."""
    praise, blame = set(lexicon.positive), set(lexicon.negative)
    known = _plain(vectors.words)
    of = {"neutral": set(known) - praise - blame, "positive": praise - blame, "negative": blame - praise}
    return {name: [word for word in known if word in words] for name, words in of.items()}


def _topic_groups(vectors: WordVectors, lexicon: OpinionLexicon) -> dict[str, list[str]]:
    """Neutral words, and the nearest words of each label's anchor, disjoint: a word near two goes to the first."""
    topics: dict[str, list[str]] = {}
    taken: set[str] = set()
    for label in LABEL_NAMES["trec6"]:
        anchor = _ANCHORS[label]
        near = vectors.nearest(vectors[anchor], 10 * _WORDS_PER_TOPIC) if anchor in vectors else []
        topics[label] = [word for word in _plain(word for word, _ in near) if word not in taken][:_WORDS_PER_TOPIC]
        taken.update(topics[label])
    taken.update(lexicon.positive, lexicon.negative)
    return {"neutral": [word for word in _plain(vectors.words) if word not in taken]} | topics


def _draw(plan: _Plan, n: int, groups: list[list[str]], rng: np.random.Generator) -> Sentences:
    """`n` sentences, of each label its share, rounded, and at least three."""
    counts = np.maximum(np.round(n * np.array(plan.shares)).astype(np.int64), 3)
    counts[counts.argmax()] += n - counts.sum()
    labels = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    texts = []
    for label in labels:
        picked = rng.choice(len(groups), size=plan.length, p=plan.chances[label])
        words = [groups[group][rng.integers(len(groups[group]))] for group in picked]
        texts.append(" ".join([*words, "."]))
    return Sentences(tuple(texts), labels)
