"""A corpus as documents of lines: what is resampled, and what is trained on.

Documents (novels, articles, chapters) are the units that a bootstrap draws and that a subsample takes whole; lines
(sentences or paragraphs) are the units that word2vec's window does not leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

import numpy as np

from trustnlp.data.languages.language_words import LanguageWords

FEWEST_DOCUMENTS = 10  # below, samples with replacement are too much alike for a spread


@dataclass(frozen=True)
class Document:
    """One text: its name and its lines, none of them empty."""

    name: str
    lines: tuple[str, ...]


class Documents(Protocol):
    """Documents that can be gone through again and again, in memory or read anew each time."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Document]: ...


@dataclass(frozen=True)
class Dump:
    """The Wikipedia dump that a corpus comes from.

    Attributes
    ----------
    articles
        Its articles with text, of which the corpus may hold a part.
    date
        Day of the dump, such as `2020-06-20`; None where nobody said it.
    """

    articles: int
    date: str | None


@dataclass(frozen=True)
class Corpus:
    """Documents of one language.

    Attributes
    ----------
    documents
        A tuple, or what reads them from disk each time.
    dump
        Where they come from, if that is a Wikipedia dump; None for corpora of the registry.

    Raises
    ------
    ValueError
        If there is no document, or (in a tuple) one without a line of text.
    """

    name: str
    language: str
    documents: tuple[Document, ...] | Documents
    dump: Dump | None = None

    def __post_init__(self) -> None:
        if not len(self.documents):
            raise ValueError(f"corpus {self.name!r} holds no document")
        if not isinstance(self.documents, tuple):
            return
        if empty := [document.name for document in self.documents if not any(map(str.strip, document.lines))]:
            raise ValueError(
                f"corpus {self.name!r}: {len(empty)} documents are empty, first {empty[0]!r}; leave them out"
            )

    def __len__(self) -> int:
        return len(self.documents)


Words = Callable[[str], Sequence[str]]
Sentences = list[list[str]]
_LONGEST = 1_000  # gensim passes over what lies beyond ten thousand words of a sentence, without a word


def tokenised(corpus: Corpus, words: Words | None = None) -> list[Sentences]:
    """Each document as a list of sentences, each a list of words; empty lines go, equal words are one object.

    A line of more than a thousand words is cut there.

    Parameters
    ----------
    words
        From a line to its words; None is `LanguageWords` of the corpus's language.
    """
    cut = words or LanguageWords(corpus.language)
    known: dict[str, str] = {}
    texts = []
    for document in corpus.documents:
        sentences = []
        for line in document.lines:
            row = [known.setdefault(word, word) for word in cut(line)]
            sentences += [row[start : start + _LONGEST] for start in range(0, len(row), _LONGEST)]
        texts.append(sentences)
    return texts


def draw_documents(
    texts: Sequence[Sentences], tokens: int, rng: np.random.Generator, *, longest: int | None = None
) -> list[Sentences]:
    """Whole documents in random order until they hold `tokens` words, the last one cut after the sentence that does.

    The heads of files are no random sample: ELTeC's novels follow one another by date or by author.

    Parameters
    ----------
    longest
        Cut each document to its first so many words, so that the same number of words comes from more documents; None
        takes them whole. Documents without a word are passed over.

    Raises
    ------
    ValueError
        If `tokens` or `longest` is below 1, or the documents, cut, hold fewer words.
    """
    if longest is not None:
        if longest < 1:
            raise ValueError(f"cannot cut documents to {longest:,} words; ask for 1 or more, or None for whole ones")
        texts = [_head(text, longest) for text in texts]
    held = sum(len(sentence) for text in texts for sentence in text)
    if not 1 <= tokens <= held:
        cut = "" if longest is None else f", cut to {longest:,} each,"
        raise ValueError(
            f"cannot draw {tokens:,} words: the {len(texts)} documents{cut} hold {held:,}; ask for 1 to that"
        )
    drawn: list[Sentences] = []
    for row in rng.permutation(len(texts)):
        taken = _up_to(texts[row], tokens)
        tokens -= sum(map(len, taken))
        drawn.append(taken)
    return list(filter(any, drawn))


def _up_to(text: Sentences, tokens: int) -> Sentences:
    """The first sentences that hold `tokens` words, the last one whole."""
    before = accumulate(map(len, text), initial=0)
    return [sentence for sentence, words in zip(text, before, strict=False) if words < tokens]


def _head(text: Sentences, tokens: int) -> Sentences:
    """The first `tokens` words, the last sentence cut."""
    taken = _up_to(text, tokens)
    over = sum(map(len, taken)) - tokens
    return [*taken[:-1], taken[-1][:-over]] if over > 0 else taken


@dataclass(frozen=True)
class Resample:
    """One bootstrap sample: its texts, of how many documents it was drawn, and how many different ones it holds."""

    texts: list[Sentences]
    documents: int
    distinct: int


def resample_documents(texts: Sequence[Sentences], rng: np.random.Generator) -> Resample:
    """As many documents as there are, drawn with replacement: one bootstrap sample of the corpus.

    Raises
    ------
    ValueError
        If there are fewer than ten documents: such samples say little of how another corpus would differ.
    """
    if len(texts) < FEWEST_DOCUMENTS:
        raise ValueError(
            f"a bootstrap over {len(texts)} documents is no measure of spread, at least {FEWEST_DOCUMENTS} are needed; "
            "draw shorter parts of more documents (longest=)"
        )
    rows = rng.integers(len(texts), size=len(texts))
    return Resample([texts[row] for row in rows], len(texts), len(set(rows.tolist())))
