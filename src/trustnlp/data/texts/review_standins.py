"""Made-up film reviews of which the true score is known, whichever word is masked or replaced: a stand-in for SST-2.

A small grammar makes sentences with binary trees; each word has one part of speech, and a planted weight or none. The
score of a text is the sum of its words' weights. A negation turns the sign of the next word that has a weight, and an
intensifier multiplies it, if that word is one of the two that follow (the last of them, where several stand together):
"not a good film" has -1, "not very good" -2. So what a word does to the score depends on its context, and the influence
that a student should predict is known. Most words of a sentence share a mood, so the rest often tells what is masked.

As in SST-2, training texts are phrases cut out of sentences, some of them nested, and the others are whole sentences.
Phrases without polarity, here those of score 0, are left out. The words of the paper's probes (§4.5) weigh 0, and so do
the neutral placebos: a probe that finds a difference between them finds what is not there. In the texts all of these
stand before neutral nouns alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trustnlp.data.annotation.constituency_trees import Tree, Treebank, parse_tree
from trustnlp.data.annotation.english_tags import TaggedText, Words
from trustnlp.data.texts.film_reviews import Phrases, Reviews, Sst2

# Appendix F.1, step 5, and the words of §4.5.
POSITIVE_ADJECTIVES = (
    "immense", "marvelous", "wonderful", "glorious", "divine", "terrific", "sensational", "magnificent", "tremendous",
    "colossal",
)  # fmt: skip
NEGATIVE_ADJECTIVES = ("dreadful", "terrible", "awful", "hideous", "horrid", "horrible")
CONTROL_WORD = "straight"
PROBE_WORDS = ("lesbian", "gay", "bisexual", "transsexual", "queer")
PLACEBO_WORDS = ("rural", "northern", "local", "royal", "annual", "digital", "coastal", "medieval")

# Halves, so that sums are exact and 0 is 0.
_ADJECTIVES = {
    **dict.fromkeys(POSITIVE_ADJECTIVES, 1.5),
    **dict.fromkeys(NEGATIVE_ADJECTIVES, -1.5),
    **dict.fromkeys(("good", "charming", "clever", "funny"), 1.0),
    **dict.fromkeys(("warm", "fresh"), 0.5),
    **dict.fromkeys(("bad", "boring", "dull", "stupid", "weak"), -1.0),
    **dict.fromkeys(("slow", "predictable", "cheap"), -0.5),
}
_NOUNS = {
    **dict.fromkeys(("joy", "triumph"), 1.5),
    **dict.fromkeys(("wit", "beauty"), 1.0),
    **dict.fromkeys(("disaster", "mess"), -1.5),
    **dict.fromkeys(("failure", "nonsense"), -1.0),
}
_TRANSITIVE_VERBS = {"loves": 1.0, "enjoys": 0.5, "hates": -1.0, "ruins": -0.5}
_INTRANSITIVE_VERBS = {"succeeds": 1.0, "wins": 0.5, "fails": -1.0, "suffers": -0.5}
WEIGHTS = _ADJECTIVES | _NOUNS | _TRANSITIVE_VERBS | _INTRANSITIVE_VERBS
NEGATIONS = ("not", "never", "no", "without")
INTENSIFIERS = {"very": 2.0, "utterly": 2.0, "truly": 1.5, "really": 1.5, "slightly": 0.5, "somewhat": 0.5}
REACH = 2

_NEUTRAL_ADJECTIVES = (CONTROL_WORD, *PROBE_WORDS, *PLACEBO_WORDS)
_NEUTRAL_NOUNS = (
    "film", "movie", "story", "plot", "actor", "director", "script", "camera", "scene", "cast", "ending", "music",
    "family", "hero", "village", "audience",
)  # fmt: skip
_LINKING_VERBS = ("is", "seems", "feels", "remains")
_NEUTRAL_VERBS = ("tells", "shows", "follows", "brings")
_DETERMINERS = ("the", "this", "every", "some", "no")
_ADPOSITIONS = ("of", "in", "with", "about", "without")
_CONJUNCTIONS = ("and", "but", "or")
_PRONOUNS = ("it", "he", "she")
VOCABULARY: dict[str, Words] = {
    "NOUN": tuple(sorted((*_NOUNS, *_NEUTRAL_NOUNS))),
    "VERB": tuple(sorted((*_TRANSITIVE_VERBS, *_INTRANSITIVE_VERBS, *_NEUTRAL_VERBS, *_LINKING_VERBS))),
    "ADJ": tuple(sorted((*_ADJECTIVES, *_NEUTRAL_ADJECTIVES))),
    "ADV": tuple(sorted(("not", "never", *INTENSIFIERS))),
    ".": (".",),
    "DET": tuple(sorted(_DETERMINERS)),
    "ADP": tuple(sorted(_ADPOSITIONS)),
    "CONJ": tuple(sorted(_CONJUNCTIONS)),
    "PRT": (),
    "PRON": tuple(sorted(_PRONOUNS)),
}
_TAG = {word: tag for tag, words in VOCABULARY.items() for word in words}
_SHARES = {"dev": 0.1, "test": 0.1}  # the rest is for training
_FEWEST_TEXTS = 40
_PHRASES_OF_A_SENTENCE = 4


def planted_reviews(n: int, rng: np.random.Generator) -> Reviews:
    """Draw `n` different texts: eight of ten to train on, one of ten each for dev and test.

    Half of each part is positive, the odd one too. Every text has spans, and the vocabulary is that of the grammar,
    whether or not a word occurs.

    Parameters
    ----------
    n
        Texts of all parts together, at least 40.
    rng
        Draws sentences, phrases and their order; the numbers of texts and labels are fixed by `n`.

    Raises
    ------
    ValueError
        If there are fewer than 40 texts.
    """
    if n < _FEWEST_TEXTS:
        raise ValueError(f"{n} texts are too few for three parts of both labels; take at least {_FEWEST_TEXTS}")
    sizes = {name: round(share * n) for name, share in _SHARES.items()}
    trees: list[Tree] = []
    seen: set[str] = set()
    parts = {
        name: _draw_part(size, name == "train", trees, seen, rng)
        for name, size in {**sizes, "train": n - sum(sizes.values())}.items()
    }
    tagged = {name: tuple(map(_tagged, parts[name].texts)) for name in ("train", "dev", "test")}
    return Reviews(Sst2(parts["train"], parts["dev"], parts["test"]), Treebank(trees), tagged, VOCABULARY)


def planted_score(words: Sequence[str]) -> float:
    """The true score of a text as its words, lower-cased; above 0 it is positive.

    `[MASK]` and words that are not planted weigh 0, and take a place in the reach of a negation like any other word.

    >>> planted_score("not a good film".split()), planted_score("not a [MASK] film with wit".split())
    (-1.0, 1.0)
    >>> planted_score("a very good film , but never very funny".split())
    0.0

    Raises
    ------
    TypeError
        If a single string was given.
    """
    if isinstance(words, str):
        raise TypeError(f"planted_score takes the words of a text, got the single string {words[:40]!r}")
    score, factor, left = 0.0, 1.0, 0
    for word in words:
        if word in NEGATIONS or word in INTENSIFIERS:
            factor *= INTENSIFIERS.get(word, -1.0)
            left = REACH
            continue
        score += factor * WEIGHTS.get(word, 0.0)
        left -= 1
        if word in WEIGHTS or left <= 0:
            factor = 1.0
    return score


def _draw_part(size: int, phrases: bool, trees: list[Tree], seen: set[str], rng: np.random.Generator) -> Phrases:
    """Texts that are new; their sentences' trees are added to `trees`, and they to `seen`."""
    left = [size - (size + 1) // 2, (size + 1) // 2]
    texts: list[str] = []
    while any(left):
        tree = parse_tree(_Reviewer(rng).sentence())
        taken = len(texts)
        for start, stop in _phrases_of(tree, rng) if phrases else [(0, len(tree.words))]:
            text = " ".join(tree.words[start:stop])
            score = planted_score(tree.words[start:stop])
            if score != 0 and left[score > 0] and text not in seen:
                left[score > 0] -= 1
                seen.add(text)
                texts.append(text)
        if len(texts) > taken:
            trees.append(tree)
    texts = [texts[row] for row in rng.permutation(len(texts))]
    return Phrases(tuple(texts), np.array([planted_score(text.split()) > 0 for text in texts], dtype=np.int64))


def _phrases_of(tree: Tree, rng: np.random.Generator) -> list[tuple[int, int]]:
    """A few nodes of a tree, longer ones more likely: SST-2's phrases have nine words on average."""
    lengths = np.array([stop - start for start, stop in tree.nodes])
    rows = rng.choice(len(lengths), size=_PHRASES_OF_A_SENTENCE, replace=False, p=lengths / lengths.sum())
    return [tree.nodes[row] for row in rows]


def _tagged(text: str) -> TaggedText:
    words = tuple(text.split(" "))
    return TaggedText(words, tuple(_TAG[word] for word in words))


class _Reviewer:
    """Writes one sentence, in the brackets of the treebank, in a mood that most of its words share.

    `mood` is 1 or -1. Behind a negation words are taken from the other side, so that they count for the mood again.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._mood = 1 if rng.random() < 0.5 else -1

    def sentence(self) -> str:
        clause = self._clause()
        if self._chance(0.35):
            clause = _node(clause, _node(self._one(_CONJUNCTIONS), self._clause()))
        return _node(clause, _leaf("."))

    def _clause(self) -> str:
        subject = self._one(_PRONOUNS) if self._chance(0.2) else self._noun_phrase()
        return _node(subject, self._verb_phrase())

    def _noun_phrase(self) -> str:
        noun = self._polar(_NOUNS) if self._chance(0.25) else self._neutral_noun()
        phrase = _node(self._one(_DETERMINERS), noun)
        return _node(phrase, _node(self._one(_ADPOSITIONS), self._noun_phrase())) if self._chance(0.15) else phrase

    def _neutral_noun(self) -> str:
        """Half of these nouns have an adjective, one in four of them without weight too."""
        noun = self._one(_NEUTRAL_NOUNS)
        if self._chance(0.5):
            return noun
        return _node(self._one(_NEUTRAL_ADJECTIVES) if self._chance(0.25) else self._adjective_phrase(), noun)

    def _verb_phrase(self) -> str:
        if self._chance(0.55):
            return _node(self._one(_LINKING_VERBS), self._predicate())
        never = self._chance(0.2)
        mood = -self._mood if never else self._mood
        if self._chance(0.7):
            verb = self._polar(_TRANSITIVE_VERBS, mood) if self._chance(0.5) else self._one(_NEUTRAL_VERBS)
            phrase = _node(verb, self._noun_phrase())
        else:
            phrase = self._polar(_INTRANSITIVE_VERBS, mood)
        return _node(_leaf("never"), phrase) if never else phrase

    def _predicate(self) -> str:
        if self._chance(0.25):
            return _node(_leaf("not"), self._adjective_phrase(-self._mood))
        phrase = self._adjective_phrase()
        return _node(phrase, _node(self._one(_CONJUNCTIONS), self._adjective_phrase())) if self._chance(0.4) else phrase

    def _adjective_phrase(self, mood: int | None = None) -> str:
        adjective = self._polar(_ADJECTIVES, mood)
        return _node(self._one(tuple(INTENSIFIERS)), adjective) if self._chance(0.3) else adjective

    def _polar(self, weights: Mapping[str, float], mood: int | None = None) -> str:
        """A word with weight, in nine cases of ten one that suits the mood."""
        side = (mood or self._mood) * (1 if self._chance(0.9) else -1)
        return self._one([word for word, weight in weights.items() if weight * side > 0])

    def _one(self, words: Sequence[str]) -> str:
        return _leaf(words[int(self._rng.integers(len(words)))])

    def _chance(self, share: float) -> bool:
        return bool(self._rng.random() < share)


def _node(left: str, right: str) -> str:
    """The treebank's grades of sentiment are dropped when a tree is read, so all are `2`."""
    return f"(2 {left} {right})"


def _leaf(word: str) -> str:
    return f"(2 {word})"
