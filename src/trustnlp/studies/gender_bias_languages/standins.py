"""Made text in a language with known gender, so that a smoke run and a size curve have a truth to find.

A stand-in uses the real words of a language's lists (`trustnlp.data.words.gender_words`) among made-up words. Every
sentence is about one word of the lists and has context words around it: some of a female or a male kind, in proportion
to the word's lean, some of the word's own topic, some of neither. So word2vec can learn gender from context alone, as
it is said to do from real text. Languages with feminine and masculine forms get them at unequal counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.texts.corpus_documents import Sentences
from trustnlp.data.words.gender_words import word_list

_LEAN_OF_DEFINING = 0.8
_LEAN_OF_FORMS = 0.5
_GENDERED, _TOPIC = 0.35, 0.3  # shares of context words
_SIDE = 4  # context words on each side
_FILLERS, _TOPICS = 400, 6
# Context words that go with women and with men, as grammatical agreement does.
CONTEXT_WORDS = tuple(tuple(f"{kind}{letter}" for letter in "abcdefghijklmnopqrstuvwxy") for kind in ("femx", "mascx"))
_SENTENCES_A_DOCUMENT = 40


@dataclass(frozen=True)
class PlantedLanguage:
    """Documents of a made language, and the lean of each concept: from -1, always among men, to 1, among women."""

    texts: list[Sentences]
    leans: dict[str, float]


def planted_language(
    language: str, *, tokens: int, rng: np.random.Generator, lean: float = _LEAN_OF_DEFINING
) -> PlantedLanguage:
    """About `tokens` words of made text.

    Half of the sentences are about defining words, a pair as often as another, the others about professions. The lean
    of a concept is drawn from -0.6 to 0.6; a feminine form adds 0.5 to it and a masculine one takes 0.5 away, and the
    masculine form is three times as frequent.

    Parameters
    ----------
    lean
        Of the defining words, female positive; 0 plants no gender at all, in the professions neither.

    Raises
    ------
    ValueError
        If fewer than a thousand words are asked for, or the lean is not from 0 to 1.
    """
    if tokens < 1_000 or not 0 <= lean <= 1:
        raise ValueError(f"expected 1,000 words or more and a lean from 0 to 1, got {tokens} and {lean}")
    listed, form = word_list(language), LanguageWords(language).form
    leans = {p.concept: float(rng.uniform(-0.6, 0.6)) * (lean > 0) for p in listed.professions}
    shares: dict[str, float] = {}
    sides: dict[str, float] = {}
    topics: dict[str, int] = {}
    for number, pair in enumerate(listed.pairs.values()):
        for word, sign in zip(pair, (1, -1), strict=True):
            _add(form(word), 0.5 / (2 * len(listed.pairs)), sign * lean, number, shares, sides, topics)
    for number, profession in enumerate(listed.professions, start=len(listed.pairs)):
        groups = ((profession.feminine, 1, 1), (profession.masculine, -1, 3), (profession.neutral, 0, 2))
        total = sum(weight * bool(forms) for forms, _, weight in groups)
        for forms, sign, weight in groups:
            for each in forms:
                share = 0.5 / len(listed.professions) * weight / total / len(forms)
                side = np.clip(leans[profession.concept] + sign * _LEAN_OF_FORMS * (lean > 0), -1, 1)
                _add(form(each), share, float(side), number, shares, sides, topics)
    sentences = _sentences(shares, sides, topics, -(-tokens // (2 * _SIDE + 1)), rng)
    starts = range(0, len(sentences), _SENTENCES_A_DOCUMENT)
    return PlantedLanguage([sentences[at : at + _SENTENCES_A_DOCUMENT] for at in starts], leans)


def _add(
    word: str,
    share: float,
    side: float,
    topic: int,
    shares: dict[str, float],
    sides: dict[str, float],
    topics: dict[str, int],
) -> None:
    """A word that two concepts have keeps its first lean and topic, and is as frequent as both."""
    shares[word] = shares.get(word, 0.0) + share
    sides.setdefault(word, side)
    topics.setdefault(word, topic)


def _sentences(
    shares: Mapping[str, float],
    sides: Mapping[str, float],
    topics: Mapping[str, int],
    count: int,
    rng: np.random.Generator,
) -> Sentences:
    words = list(shares)
    weights = np.array([shares[word] for word in words])
    about = rng.choice(len(words), size=count, p=weights / weights.sum())
    zipf = 1 / np.arange(1, _FILLERS + 1)
    shape = (count, 2 * _SIDE)
    kind = rng.random(shape)
    female = rng.random(shape) < (1 + np.array([sides[word] for word in words])[about][:, None]) / 2
    gendered, topical, filler = (
        rng.integers(len(CONTEXT_WORDS[0]), size=shape),
        rng.integers(_TOPICS, size=shape),
        rng.choice(_FILLERS, size=shape, p=zipf / zipf.sum()),
    )
    topic_of = np.array([topics[word] for word in words])[about]
    rows = []
    for i in range(count):
        context = [
            CONTEXT_WORDS[0 if female[i, j] else 1][gendered[i, j]]
            if kind[i, j] < _GENDERED
            else f"t{topic_of[i]}x{topical[i, j]}"
            if kind[i, j] < _GENDERED + _TOPIC
            else f"x{filler[i, j]}"
            for j in range(2 * _SIDE)
        ]
        rows.append([*context[:_SIDE], words[about[i]], *context[_SIDE:]])
    return rows


def shuffled(texts: list[Sentences], rng: np.random.Generator) -> list[Sentences]:
    """The same words in random order over the whole corpus, in sentences of the same lengths.

    What vectors trained on it have in common comes from frequency alone: no word has a context of its own.
    """
    words = np.array([word for text in texts for sentence in text for word in sentence], dtype=object)
    rng.shuffle(words)
    mixed, at = [], 0
    for text in texts:
        rows = []
        for sentence in text:
            rows.append(words[at : at + len(sentence)].tolist())
            at += len(sentence)
        mixed.append(rows)
    return mixed
