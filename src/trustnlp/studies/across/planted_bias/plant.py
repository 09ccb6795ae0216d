"""Which measure of bias sees a bias of known size? Word vectors of a text into which one was written.

The plant. Sixteen invented words, X and Y, take the place of an ordinary word near a gendered one (`he`, `daughter`, …)
in sentences of a real text that have no other gendered word. Each such sentence is written twice, once with each word
of the gendered pair. So every invented word stands equally often beside `he` and beside `she`, in the same sentences:
at a dose of 0 % there is no association, by count. A dose of d % moves d % of the sentences of each word of X to the
male side, and as many of Y to the female one: at 10 % it is 60 : 40 against 40 : 60, at 50 % all against none. Larger
doses move what smaller ones move, and nothing else in the text changes, nor its order, nor the seed of the training.

Which sentences an invented word gets is drawn at random, so at 0 % X and Y are exchangeable and the permutation test
over the words is exact. In the arm `rare` there is no association either, but the words of X are four times as
frequent as those of Y: a measure that reacts to frequency raises a false alarm there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Sentence = tuple[str, ...]
# Male and female, each the only counterpart of the other: `her` is both `him` and `his`, so it is not among them.
PAIRS = (
    ("he", "she"), ("himself", "herself"), ("man", "woman"), ("boy", "girl"),
    ("father", "mother"), ("son", "daughter"), ("brother", "sister"), ("husband", "wife"),
)  # fmt: skip
MALE, FEMALE = (tuple(pair[side] for pair in PAIRS) for side in (0, 1))
X, Y = (tuple(f"{letter}{number}" for number in range(8)) for letter in "xy")
# No sentence with one of these besides its own gendered word takes part.
_OTHERS = """
    him his her hers men women boys girls fathers mothers sons daughters brothers sisters husbands wives sir madam mr
    mrs miss lord lady gentleman gentlemen ladies king queen prince princess duke duchess uncle aunt nephew niece papa
    mamma lad lass master mistress widow widower boy's girl's man's woman's
"""
_GENDERED = frozenset(_OTHERS.split())
_PAIR_OF = {word: place for place, pair in enumerate(PAIRS) for word in pair}
_NEAR, _SHORTEST, _LONGEST = 4, 6, 30


@dataclass(frozen=True)
class Carrier:
    """A sentence with one gendered word, at `at`, and near it a word at `host` that an invented one replaces."""

    words: Sentence
    at: int
    host: int

    @property
    def pair(self) -> int:
        """Number of the pair in `PAIRS` that the gendered word belongs to."""
        return _PAIR_OF[self.words[self.at]]

    def written(self, target: str, side: int) -> list[str]:
        """The sentence with the invented word, and the gendered one of a side: 0 is male."""
        words = list(self.words)
        words[self.host], words[self.at] = target, PAIRS[self.pair][side]
        return words


@dataclass(frozen=True)
class Plant:
    """The draw of one seed: the text around, each invented word's sentences, and the order in which all are written."""

    background: Sequence[Sequence[str]]
    contexts: Mapping[str, Sequence[Carrier]]
    order: NDArray[np.intp]

    def copies(self, dose: int) -> Iterator[tuple[str, Carrier, int]]:
        """Invented word, sentence and side of every planted sentence; two copies follow one another."""
        for target, carriers in self.contexts.items():
            moved = round(2 * len(carriers) * dose / 100)
            own = 0 if target in X else 1
            for number, carrier in enumerate(carriers):
                for side in (0, 1):
                    yield target, carrier, own if number < moved else side

    def text(self, dose: int) -> list[Sequence[str]]:
        """All sentences in the order of the seed."""
        planted = [carrier.written(target, side) for target, carrier, side in self.copies(dose)]
        sentences = [*self.background, *planted]
        return [sentences[row] for row in self.order]


def carriers_of(sentences: Sequence[Sequence[str]]) -> list[Carrier]:
    """The sentences that can carry an invented word: six to thirty words, one of them gendered, an ordinary one near.

    The word that is replaced is the nearest of four letters or more within four places, the first of two as near.
    """
    found = []
    for words in sentences:
        if not _SHORTEST <= len(words) <= _LONGEST or not _GENDERED.isdisjoint(words):
            continue
        places = [place for place, word in enumerate(words) if word in _PAIR_OF]
        if len(places) != 1:
            continue
        at = places[0]
        near = [p for p in range(max(0, at - _NEAR), min(len(words), at + _NEAR + 1)) if p != at and len(words[p]) > 3]
        if near:
            found.append(Carrier(tuple(words), at, min(near, key=lambda place: (abs(place - at), place))))
    return found


def draw_plant(
    sentences: Sequence[Sequence[str]],
    carriers: Sequence[Carrier],
    per_pair: Sequence[int],
    tokens: int,
    rng: np.random.Generator,
) -> Plant:
    """Draw each invented word's sentences, and the text around them.

    Parameters
    ----------
    per_pair
        How many sentences of each gendered pair a word of X gets, and one of Y. Each is written twice.
    tokens
        Words of the text around, which are whole sentences drawn at random, none of them a drawn carrier.

    Raises
    ------
    ValueError
        If a pair has too few carriers, or the sentences too few words.
    """
    shares = [per_pair[0]] * len(X) + [per_pair[1]] * len(Y)
    drawn: dict[str, list[list[Carrier]]] = {target: [] for target in X + Y}
    for place, pair in enumerate(PAIRS):
        of_pair = [carrier for carrier in carriers if carrier.pair == place]
        if len(of_pair) < sum(shares):
            raise ValueError(f"{len(of_pair)} sentences can carry {' or '.join(pair)}, {sum(shares)} are needed")
        chosen = iter(rng.permutation(len(of_pair))[: sum(shares)])
        for target, share in zip(X + Y, shares, strict=True):
            drawn[target].append([of_pair[next(chosen)] for _ in range(share)])
    # Pair after pair, so that a dose takes about as much from each.
    contexts = {target: [c for row in zip(*rows, strict=True) for c in row] for target, rows in drawn.items()}
    used = {carrier.words for rows in contexts.values() for carrier in rows}
    background: list[Sequence[str]] = []
    left = tokens
    for row in rng.permutation(len(sentences)):
        if left <= 0:
            break
        if tuple(sentences[row]) not in used:
            background.append(sentences[row])
            left -= len(sentences[row])
    if left > 0:
        raise ValueError(f"the sentences hold {tokens - left:,} words besides the carriers, {tokens:,} are needed")
    planted = 2 * sum(map(len, contexts.values()))
    return Plant(background, contexts, rng.permutation(len(background) + planted))


def made_text(rng: np.random.Generator, sentences: int = 6000) -> list[list[str]]:
    """A stand-in for novels: sentences of twelve made words, one of them gendered, three of its side's own subject."""
    common = np.array([f"word{number}" for number in range(400)])
    weights = 1 / np.arange(1, len(common) + 1)
    text = []
    for _ in range(sentences):
        side = int(rng.integers(2))
        subject = [f"{('male', 'female')[side]}{number}" for number in rng.integers(30, size=3)]
        words = [*rng.choice(common, size=8, p=weights / weights.sum()), *subject]
        text.append([str(word) for word in rng.permutation([*words, PAIRS[rng.integers(len(PAIRS))][side]])])
    return text
