"""A corpus as documents of lines: what is resampled, and what is trained on.

Documents (novels, articles, chapters) are the units that a bootstrap draws and that a subsample takes whole; lines
(sentences or paragraphs) are the units that word2vec's window does not leave.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Document:
    """One text: its name and its lines, none of them empty."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Corpus:
    """Documents of one language.

    Raises
    ------
    ValueError
        There is no document, or one without a line of text.
    """

    name: str
    language: str
    documents: tuple[Document, ...]

    def __post_init__(self) -> None:
        if not self.documents:
            raise ValueError(f"corpus {self.name!r} holds no document")
        if empty := [document.name for document in self.documents if not any(map(str.strip, document.lines))]:
            raise ValueError(
                f"corpus {self.name!r}: {len(empty)} documents are empty, first {empty[0]!r}; leave them out"
            )

    def __len__(self) -> int:
        return len(self.documents)


Words = Callable[[str], Sequence[str]]
Sentences = list[list[str]]
_LONGEST = 1_000  # gensim passes over what lies beyond ten thousand words of a sentence, without a word


def tokenised(corpus: Corpus, words: Words) -> list[Sentences]:
    """Each document as a list of sentences, each a list of words; empty lines go, equal words are one object.

    A line of more than a thousand words is cut there.

    Parameters
    ----------
    words
        From a line to its words, such as `trustnlp.data.language_words.LanguageWords`.
    """
    known: dict[str, str] = {}
    texts = []
    for document in corpus.documents:
        sentences = []
        for line in document.lines:
            row = [known.setdefault(word, word) for word in words(line)]
            sentences += [row[start : start + _LONGEST] for start in range(0, len(row), _LONGEST)]
        texts.append(sentences)
    return texts


def draw_documents(texts: Sequence[Sentences], tokens: int, rng: np.random.Generator) -> list[Sentences]:
    """Whole documents in random order until they hold `tokens` words, the last one cut after the sentence that does.

    The heads of files are no random sample: ELTeC's novels follow one another by date or by author.

    Raises
    ------
    ValueError
        `tokens` is below 1, or the documents hold fewer.
    """
    held = sum(len(sentence) for text in texts for sentence in text)
    if not 1 <= tokens <= held:
        raise ValueError(f"cannot draw {tokens:,} words: the {len(texts)} documents hold {held:,}; ask for 1 to that")
    drawn: list[Sentences] = []
    left = tokens
    for row in rng.permutation(len(texts)):
        taken: Sentences = []
        for sentence in texts[row]:
            taken.append(sentence)
            left -= len(sentence)
            if left <= 0:
                break
        drawn.append(taken)
        if left <= 0:
            break
    return drawn


def resample_documents(texts: Sequence[Sentences], rng: np.random.Generator) -> list[Sentences]:
    """As many documents as there are, drawn with replacement: one bootstrap sample of the corpus."""
    return [texts[row] for row in rng.integers(len(texts), size=len(texts))]
