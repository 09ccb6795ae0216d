"""Made text has the leans that it tells, and shuffled text has none."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
from refusals import assert_refused

from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import word_list
from trustnlp.studies.gender_bias_languages.standins import CONTEXT_WORDS, planted_language, shuffled


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def words_of(texts: list[list[list[str]]]) -> list[str]:
    return [word for text in texts for sentence in text for word in sentence]


def test_made_text_has_the_leans_that_it_tells() -> None:
    made, form = planted_language("es", tokens=60_000, rng=rng()), LanguageWords("es").form
    around: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in (sentence for text in made.texts for sentence in text):
        around[sentence[4]].update(sentence)
    sides = {word: [sum(own[w] for w in side) for side in CONTEXT_WORDS] for word, own in around.items()}
    share = {word: female / max(female + male, 1) for word, (female, male) in sides.items()}
    assert share["mujer"] > 0.8 and share["hombre"] < 0.2
    counts = Counter(words_of(made.texts))
    assert 58_000 < counts.total() < 62_000
    writer = next(p for p in word_list("es").professions if p.concept == "writer")
    female, male = form(writer.feminine[0]), form(writer.masculine[0])
    assert share[female] > share[male] and counts[male] > 2 * counts[female]
    neutral = [p for p in word_list("es").professions if p.neutral and not p.feminine]
    leans = [made.leans[p.concept] for p in neutral]
    assert np.corrcoef(leans, [share[form(p.neutral[0])] for p in neutral])[0, 1] > 0.7


def test_made_text_without_gender_has_none_and_seeds_differ() -> None:
    flat = planted_language("en", tokens=30_000, rng=rng(), lean=0.0)
    assert not any(flat.leans.values())
    counts = Counter(words_of(flat.texts))
    female, male = (sum(counts[word] for word in kind) for kind in CONTEXT_WORDS)
    assert abs(female - male) < 0.1 * female
    assert planted_language("en", tokens=2000, rng=rng()) == planted_language("en", tokens=2000, rng=rng())
    assert planted_language("en", tokens=2000, rng=rng()) != planted_language("en", tokens=2000, rng=rng(1))
    assert_refused(
        lambda n, lean: planted_language("en", tokens=n, rng=rng(), lean=lean),
        [(999, 0.5, "1,000 words or more"), (1000, 1.5, "lean from 0 to 1")],
    )


def test_shuffling_keeps_words_and_lengths_and_nothing_else() -> None:
    texts = planted_language("de", tokens=5000, rng=rng()).texts
    mixed = shuffled(texts, rng())
    assert Counter(words_of(mixed)) == Counter(words_of(texts)) and words_of(mixed) != words_of(texts)
    assert [[len(s) for s in t] for t in mixed] == [[len(s) for s in t] for t in texts]
