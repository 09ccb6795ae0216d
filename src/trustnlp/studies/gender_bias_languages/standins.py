"""Made text in a language with known gender, so that a smoke run and a size curve have a truth to find.

A stand-in uses the real words of a language's lists (`trustnlp.data.words.gender_words`) among made-up words. Every
sentence is about one word of the lists and has context words around it: some of a female or a male kind, in proportion
to the word's lean, some of the word's own topic, some of neither. So word2vec can learn gender from context alone, as
it is said to do from real text. Languages with feminine and masculine forms get them at unequal counts.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
import pandas as pd

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


def planted_language(
    language: str, *, tokens: int, rng: np.random.Generator
) -> tuple[list[Sentences], dict[str, float]]:
    """About `tokens` words of made text, and the lean of each concept: from -1, always among men, to 1, among women.

    Half of the sentences are about defining words, a pair as often as another, the others about professions. The lean
    of a concept is drawn from -0.6 to 0.6; a feminine form adds 0.5 to it and a masculine one takes 0.5 away, and the
    masculine form is three times as frequent. A word that two concepts have keeps its first lean and topic, and is as
    frequent as both.
    """
    listed, form = word_list(language), LanguageWords(language).form
    leans = {p.concept: float(rng.uniform(-0.6, 0.6)) for p in listed.professions}
    rows = [
        (form(word), 0.5 / (2 * len(listed.pairs)), lean, topic)
        for topic, pair in enumerate(listed.pairs.values())
        for word, lean in zip(pair, (_LEAN_OF_DEFINING, -_LEAN_OF_DEFINING), strict=True)
    ]
    for topic, profession in enumerate(listed.professions, start=len(listed.pairs)):
        groups = ((profession.feminine, 1, 1), (profession.masculine, -1, 3), (profession.neutral, 0, 2))
        total = sum(weight for forms, _, weight in groups if forms)
        for forms, sign, weight in groups:
            lean = float(np.clip(leans[profession.concept] + sign * _LEAN_OF_FORMS, -1, 1))
            rows += [
                (form(word), 0.5 / len(listed.professions) * weight / total / len(forms), lean, topic) for word in forms
            ]
    words = pd.DataFrame(rows, columns=["word", "share", "lean", "topic"]).groupby("word", sort=False)
    sentences = _sentences(
        words.agg({"share": "sum", "lean": "first", "topic": "first"}), -(-tokens // (2 * _SIDE + 1)), rng
    )
    starts = range(0, len(sentences), _SENTENCES_A_DOCUMENT)
    return [sentences[at : at + _SENTENCES_A_DOCUMENT] for at in starts], leans


def _sentences(words: pd.DataFrame, count: int, rng: np.random.Generator) -> Sentences:
    """Each about one word, drawn by its share, among context words that follow its lean and topic."""
    about = rng.choice(len(words), size=count, p=words["share"] / words["share"].sum())
    fillers, zipf = np.array([f"x{number}" for number in range(_FILLERS)]), 1 / np.arange(1, _FILLERS + 1)
    shape = (count, 2 * _SIDE)
    kind = rng.random(shape)
    female = rng.random(shape) < (1 + words["lean"].to_numpy()[about, None]) / 2
    gendered = np.array(CONTEXT_WORDS)[np.where(female, 0, 1), rng.integers(len(CONTEXT_WORDS[0]), size=shape)]
    topics = np.array([[f"t{topic}x{number}" for number in range(_TOPICS)] for topic in words["topic"]])
    topical = topics[about[:, None], rng.integers(_TOPICS, size=shape)]
    filler = fillers[rng.choice(_FILLERS, size=shape, p=zipf / zipf.sum())]
    context = np.select([kind < _GENDERED, kind < _GENDERED + _TOPIC], [gendered, topical], filler).tolist()
    subjects = words.index[about]
    return [[*row[:_SIDE], subject, *row[_SIDE:]] for row, subject in zip(context, subjects, strict=True)]


def shuffled(texts: list[Sentences], rng: np.random.Generator) -> list[Sentences]:
    """The same words in random order over the whole corpus, in sentences of the same lengths.

    What vectors trained on it have in common comes from frequency alone: no word has a context of its own.
    """
    words = np.array([word for text in texts for sentence in text for word in sentence], dtype=object)
    rng.shuffle(words)
    following = iter(words.tolist())
    return [[list(islice(following, len(sentence))) for sentence in text] for text in texts]
