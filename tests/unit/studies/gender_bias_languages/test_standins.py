"""Made text has the leans that it tells, and shuffled text has none."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import word_list
from trustnlp.studies.gender_bias_languages.standins import CONTEXT_WORDS, planted_language, shuffled


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def words_of(texts: list[list[list[str]]]) -> list[str]:
    return [word for text in texts for sentence in text for word in sentence]


def test_made_text_has_the_leans_that_it_tells() -> None:
    (texts, leans), form = planted_language("es", tokens=60_000, rng=rng()), LanguageWords("es").form
    around: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in (sentence for text in texts for sentence in text):
        around[sentence[4]].update(sentence)
    sides = {word: [sum(own[w] for w in side) for side in CONTEXT_WORDS] for word, own in around.items()}
    share = {word: female / max(female + male, 1) for word, (female, male) in sides.items()}
    assert share["mujer"] > 0.8 and share["hombre"] < 0.2
    counts = Counter(words_of(texts))
    assert 58_000 < counts.total() < 62_000
    writer = next(p for p in word_list("es").professions if p.concept == "writer")
    female, male = form(writer.feminine[0]), form(writer.masculine[0])
    assert share[female] > share[male] and counts[male] > 2 * counts[female]
    neutral = [p for p in word_list("es").professions if p.neutral and not p.feminine]
    scores = [share[form(p.neutral[0])] for p in neutral]
    assert np.corrcoef([leans[p.concept] for p in neutral], scores)[0, 1] > 0.7


def test_made_text_repeats_by_its_seed() -> None:
    assert planted_language("en", tokens=2000, rng=rng()) == planted_language("en", tokens=2000, rng=rng())
    assert planted_language("en", tokens=2000, rng=rng()) != planted_language("en", tokens=2000, rng=rng(1))


def test_shuffling_keeps_words_and_lengths_and_nothing_else() -> None:
    texts, _ = planted_language("de", tokens=5000, rng=rng())
    mixed = shuffled(texts, rng())
    assert Counter(words_of(mixed)) == Counter(words_of(texts)) and words_of(mixed) != words_of(texts)
    assert [[len(s) for s in t] for t in mixed] == [[len(s) for s in t] for t in texts]
