"""A language's text: read, drawn from or made, how the words of its lists are written in it, and other pairs of words.

Matthews et al. (2021), §3. A direction made from Table 1 is about gender if it puts *other* pairs in order.
Released lists come first: in English the equalised and defining pairs of Bolukbasi et al. (2016), in Spanish and French
the defining pairs and occupations of Zhou et al. (2019). `other_pairs.toml` has more, written by this project.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path

import numpy as np

from trustnlp.bias.gender_direction.pair_directions import Pair
from trustnlp.data.languages.chinese_words import Cutter
from trustnlp.data.languages.language_corpora import OF_LANGUAGE, read_language
from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.languages.wikipedia_extracts import PAPERS_DATE
from trustnlp.data.texts.corpus_documents import Dump, Sentences, draw_documents, tokenised
from trustnlp.data.words.gender_words import WORD_LANGUAGES, State, WordList, check_language, word_list, words_of_lists
from trustnlp.data.words.released_word_lists import read_equalized, read_zhou_pairs
from trustnlp.studies.gender_bias_languages.standins import planted_language

GENDERED = ("es", "ar", "de", "fr", "ur")
CLUSTERED = ("en", "es", "ar", "de", "fr", "fa", "ur")
NAMES = {language: word_list(language).name for language in WORD_LANGUAGES}
_CHARACTERS_A_TOKEN = 12  # with its blank, and more than any of the languages has, so that enough is read


@dataclass(frozen=True, eq=False)
class LanguageText:
    """Tokenised documents of one language, and how the words of its lists are written in them."""

    language: str
    texts: list[Sentences]
    words: LanguageWords
    datasets: tuple[str, ...] = ()
    leans: Mapping[str, float] = field(default_factory=dict)
    dump: Dump | None = None

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(word for text in self.texts for sentence in text for word in sentence)

    @property
    def tokens(self) -> int:
        return self.counts.total()

    @property
    def papers(self) -> bool:
        """Whether the text is of the paper's own dump."""
        return self.dump is not None and self.dump.date == PAPERS_DATE

    def listed(self, state: State = "repaired", *, homographs: bool = True) -> WordList:
        """The language's list; `homographs=False` without the words that have a second meaning in this text."""
        return word_list(self.language, state, homographs=homographs, fold_hamza=self.words.fold_hamza)

    def pairs(self, state: State = "repaired", *, homographs: bool = True) -> dict[str, Pair]:
        """Concept → (female, male) as they are written in the text."""
        form = self.words.form
        return {c: (form(f), form(m)) for c, (f, m) in self.listed(state, homographs=homographs).pairs.items()}

    def professions(self, *, homographs: bool = True) -> dict[str, list[str]]:
        """Concept → forms as they are written in the text."""
        listed = self.listed(homographs=homographs)
        return {p.concept: [self.words.form(w) for w in p.forms] for p in listed.professions}


def language_text(
    language: str,
    *,
    planted_tokens: int | None = None,
    tokens: int | None = None,
    longest: int | None = None,
    wikipedia: str | Path | None = None,
    rng: np.random.Generator,
    lower: bool = True,
    cutter: Cutter | None = None,
) -> LanguageText:
    """Text to train on.

    Parameters
    ----------
    planted_tokens
        Make text of this size (`standins.planted_language`) in place of reading it.
    tokens
        Draw documents up to this number of words; None, or more than there are, takes all.
    longest
        Cut documents to so many words before they are drawn, so that more of them are in a small text.
    wikipedia
        Folder that has a folder of WikiExtractor's output for each language code. With `tokens`, articles are drawn at
        random while the dump is read, so that a large one is never in memory (with `longest` it is). It counts as the
        paper's own where the folder's name has the paper's date (`trustnlp.data.languages.wikipedia_extracts`).
    lower, cutter
        Of `LanguageWords`.
    """
    words = LanguageWords(language, lower=lower, cutter=cutter)
    if planted_tokens is not None:
        planted, leans = planted_language(language, tokens=planted_tokens, rng=rng)
        return LanguageText(language, planted, words, leans=leans)
    folder = Path(wikipedia) / language if wikipedia else None
    characters = _CHARACTERS_A_TOKEN * tokens if folder and tokens and longest is None else None
    corpus = read_language(language, folder, characters=characters, rng=rng)
    texts = tokenised(corpus, words)
    lengths = (sum(map(len, text)) for text in texts)
    held = sum(lengths) if longest is None else sum(min(length, longest) for length in lengths)
    wanted = held if tokens is None else min(tokens, held)
    if longest is not None or wanted < held:
        texts = draw_documents(texts, wanted, rng, longest=longest)
    return LanguageText(language, texts, words, () if folder else OF_LANGUAGE[language], dump=corpus.dump)


def further_pairs(language: str, *, released: bool = True) -> tuple[Pair, ...]:
    """(female, male) pairs of a language, as its lists write them, each once; none where there is no list.

    Left out are pairs with a word of Table 1 or of a profession that the paper scores, and any wording of the pair
    *wife–husband*, whose words are under test.

    Parameters
    ----------
    released
        Whether released lists are read, which have to be fetched.

    Raises
    ------
    ValueError
        If nobody knows the language.
    DataError
        If a released list cannot be fetched or read.
    """
    check_language(language)
    file = resources.files("trustnlp.studies.gender_bias_languages") / "other_pairs.toml"
    entry = tomllib.loads(file.read_text(encoding="utf-8"))["language"].get(language, {"pairs": [], "tested": []})
    listed = [*(_released(language) if released else ()), *(tuple(pair.split()) for pair in entry["pairs"])]
    barred = {word.lower() for word in words_of_lists(language)} | set(entry["tested"])
    lowered = dict.fromkeys((female.lower(), male.lower()) for female, male in listed)
    return tuple(pair for pair in lowered if not barred & set(pair))


def _released(language: str) -> tuple[Pair, ...]:
    if language == "en":
        return read_equalized()
    if language == "es":
        return read_zhou_pairs("es")
    return read_zhou_pairs("fr") if language == "fr" else ()
