"""A language's text, word vectors trained on it, and all that is measured on them.

Matthews et al. (2021), §3 and §4. Not stated in the paper and chosen here: vectors of unit length for the direction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from trustnlp.bias.language_bias import LanguageBias, gender_bias
from trustnlp.bias.pair_directions import Pair, gender_direction
from trustnlp.data.corpus_documents import Sentences, draw_documents, tokenised
from trustnlp.data.gender_words import State, WordList, word_list
from trustnlp.data.language_corpora import OF_LANGUAGE, read_language
from trustnlp.data.language_words import LanguageWords
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.gender_bias_languages.planted_languages import planted_language

FEWEST_TOKENS = 1_000_000  # below, a page says "too small" in place of a comparison
LARGE = 2_500_000
GENDERED = ("es", "ar", "de", "fr", "ur")
CLUSTERED = ("en", "es", "ar", "de", "fr", "fa", "ur")


@dataclass(frozen=True, eq=False)
class LanguageText:
    """Tokenised documents of one language, and how the words of its lists are written in them."""

    language: str
    texts: list[Sentences]
    words: LanguageWords
    datasets: tuple[str, ...] = ()
    leans: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(word for text in self.texts for sentence in text for word in sentence)

    @property
    def tokens(self) -> int:
        return self.counts.total()

    def pairs(self, state: State = "repaired") -> dict[str, Pair]:
        """Concept → (female, male) as they are written in the text."""
        form = self.words.form
        return {c: (form(f), form(m)) for c, (f, m) in word_list(self.language, state).pairs.items()}

    def professions(self) -> dict[str, list[str]]:
        """Concept → forms as they are written in the text."""
        return {p.concept: [self.words.form(w) for w in p.forms] for p in word_list(self.language).professions}

    def with_texts(self, texts: list[Sentences]) -> LanguageText:
        """The same language with other documents."""
        return LanguageText(self.language, texts, self.words, self.datasets, self.leans)


def language_text(
    language: str,
    *,
    planted_tokens: int | None = None,
    tokens: int | None = None,
    wikipedia: str | Path | None = None,
    rng: np.random.Generator,
    lower: bool = True,
    fold_hamza: bool = False,
    phrases: bool = False,
) -> LanguageText:
    """Text to train on.

    Parameters
    ----------
    planted_tokens
        Make text of this size (`planted_languages`) in place of reading it.
    tokens
        Draw whole documents up to this number of words; None, or more than there are, takes all.
    wikipedia
        Folder that has a folder of WikiExtractor's output for each language code.
    lower, fold_hamza
        Of `LanguageWords`.
    phrases
        Keep the lists' phrases as one word each.
    """
    listed = word_list(language)
    spaced = [word for word in _words(listed) if "_" in LanguageWords(language).form(word)] if phrases else []
    words = LanguageWords(language, lower=lower, fold_hamza=fold_hamza, phrases=spaced)
    if planted_tokens is not None:
        made = planted_language(language, tokens=planted_tokens, rng=rng)
        return LanguageText(language, made.texts, words, leans=made.leans)
    corpus = read_language(language, None if wikipedia is None else Path(wikipedia) / language)
    texts = tokenised(corpus, words)
    held = sum(len(sentence) for text in texts for sentence in text)
    if tokens is not None and tokens < held:
        texts = draw_documents(texts, tokens, rng)
    return LanguageText(language, texts, words, () if wikipedia is not None else OF_LANGUAGE[language])


def _words(listed: WordList) -> Iterator[str]:
    yield from (word for pair in listed.pairs.values() for word in pair)
    yield from (word for profession in listed.professions for word in profession.forms)


def measured(
    text: LanguageText, vectors: WordVectors, *, rng: np.random.Generator, state: State = "repaired", draws: int = 1000
) -> LanguageBias:
    """`gender_bias` with the text's own words and counts."""
    return gender_bias(
        vectors,
        language=text.language,
        pairs=list(text.pairs(state).values()),
        professions=text.professions(),
        counts=text.counts,
        rng=rng,
        draws=draws,
    )


def language_numbers(text: LanguageText, vectors: WordVectors, bias: LanguageBias) -> dict[str, float]:
    """What the claims on one language ask for, by the last names of its metric's key.

    A number is left out where a word that it needs has no vector.
    """
    pairs = text.pairs()
    score = {word: value for pair, values in bias.defining.items() for word, value in zip(pair, values, strict=True)}
    female, male = (np.mean([score[p[side]] for p in bias.direction.pairs]) for side in (0, 1))
    numbers = {
        "pairs": len(bias.direction.pairs),
        "first_share": float(bias.direction.shares[0]),
        "gap": bias.direction.gap,
        "p_random": bias.p_random,
        "direct_bias": bias.direct_bias,
        **{f"floor.{name}": value for name, value in bias.floors.items()},
        "defining.female_mean": float(female),
        "defining.male_mean_below_zero": float(-male),
        "defining.female_excess": float(female + male),
    }
    if bias.held_out_right is not None:
        numbers["held_out_right"] = bias.held_out_right
    if bias.p_repairings is not None:
        numbers["p_repairings"] = bias.p_repairings
    for concept, side, name in (
        ("wife-husband", 1, "husband"),
        ("woman-man", 1, "man"),
        ("girl-boy", 1, "boy"),
        ("wife-husband", 0, "wife"),
    ):
        if concept in pairs and pairs[concept] in bias.direction.pairs:
            numbers[f"defining.{name}"] = score[pairs[concept][side]]
    others = [pair for concept, pair in pairs.items() if concept != "wife-husband"]
    if pairs.get("wife-husband") in bias.direction.pairs:
        numbers["gap_gain_without_wife"] = gender_direction(vectors, others, fewest=1).gap - bias.direction.gap
    return numbers | _profession_numbers(text, bias)


def _profession_numbers(text: LanguageText, bias: LanguageBias) -> dict[str, float]:
    form = text.words.form
    kinds: dict[str, dict[str, float]] = {"feminine": {}, "masculine": {}, "neutral": {}}
    scientist: dict[str, float] = {}
    for profession in word_list(text.language).professions:
        scores = bias.professions[profession.concept].scores if profession.concept in bias.professions else {}
        for kind, found in kinds.items():
            found.update({word: scores[form(word)] for word in getattr(profession, kind) if form(word) in scores})
            if profession.concept == "scientist" and kind != "neutral":
                scientist.update((kind, scores[form(w)]) for w in getattr(profession, kind)[:1] if form(w) in scores)
    numbers = {
        "professions.known": float(len(bias.professions)),
        "professions.equal_mean": float(np.mean([p.equal for p in bias.professions.values()])),
        "professions.weighted_mean": float(np.mean([p.weighted for p in bias.professions.values()])),
    }
    numbers["professions.equal_minus_weighted"] = (
        numbers["professions.equal_mean"] - numbers["professions.weighted_mean"]
    )
    numbers |= {f"professions.scientist_{kind}": value for kind, value in scientist.items()}
    feminine, masculine, neutral = (list(kinds[kind].values()) for kind in ("feminine", "masculine", "neutral"))
    if feminine:
        numbers["professions.lowest_feminine"] = min(feminine)
    if masculine:
        numbers["professions.highest_masculine_below_zero"] = -max(masculine)
    if neutral:
        numbers["professions.neutral_both_signs"] = min(max(neutral), -min(neutral))
    if feminine and masculine:
        own = [value > 0 for value in feminine] + [value < 0 for value in masculine]
        numbers["professions.own_sign_share_above_half"] = float(np.mean(own)) - 0.5
    return numbers
