"""English text to train word vectors on: lower-cased words, sentence by sentence.

PrivEmb, Appendix A, trains vectors at several dimensions and needs a corpus for it; the paper does not name one. The
corpora here were chosen for the words of the opinion lexicon (§5.3): novels and reviews praise and blame, news seldom.

A word is a run of Latin letters, with single apostrophes and hyphens inside it ("don't", "two-faced"). Figures,
punctuation and the masked numbers of `yelp_sentences` are dropped. Running text is cut after a full stop, question mark
or exclamation mark that is followed by white space, so "Mr. Smith" is cut too: a few windows lose a neighbour.
"""

from __future__ import annotations

import csv
import lzma
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch

_LETTER = "[a-zß-öø-ſ]"  # Latin letters, lower case, accented or not
_WORD = re.compile(f"{_LETTER}+(?:['-]{_LETTER}+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”)\]]*\s+")
_BROWN_TEXT = re.compile(r"brown/c[a-r][0-9]{2}")


def read_english(names: Sequence[str]) -> list[list[str]]:
    """Fetch corpora of the registry and read them one after the other, each sentence a list of lower-case words.

    Equal words are one object in memory, so that twenty million words fit in about 400 MB.

    Parameters
    ----------
    names
        Any of `commonvoice_en` (read-aloud sentences), `brown_corpus`, `eltec_en` (novels), `imdb_reviews` (film
        reviews), `yelp_reviews` and `yelp_sentences` (reviews of businesses).

    Raises
    ------
    DataError
        If one is not an English corpus, or cannot be fetched.
    """
    for name in names:
        if name not in _READERS:
            raise DataError(f"{name!r} is not an English corpus; choose from {', '.join(sorted(_READERS))}")
    known: dict[str, str] = {}
    return [
        [known.setdefault(word, word) for word in words]
        for name in names
        for sentence in _READERS[name](fetch(name))
        if (words := words_of(sentence))
    ]


def words_of(text: str) -> list[str]:
    """The words of a text, lower-cased.

    >>> words_of("It’s a two-faced, naïve plan -- 100% FUN!")
    ["it's", 'a', 'two-faced', 'naïve', 'plan', 'fun']
    """
    return _WORD.findall(text.lower().replace("’", "'"))


def sentences_of(text: str) -> list[str]:
    """Running text cut into sentences.

    >>> sentences_of('"Go away!" he said. Really? No...')
    ['"Go away!', 'he said.', 'Really?', 'No...']
    """
    return _SENTENCE_END.split(text)


def _read_lines(paths: Mapping[str, Path]) -> Iterator[str]:
    """One sentence per line, xz-compressed."""
    with lzma.open(paths["text"], "rt", encoding="utf-8") as stream:
        yield from stream


def _read_paragraphs(paths: Mapping[str, Path]) -> Iterator[str]:
    """One paragraph of running text per line, xz-compressed."""
    for line in _read_lines(paths):
        yield from sentences_of(line)


def _read_imdb(paths: Mapping[str, Path]) -> Iterator[str]:
    """A table with the columns split, label, id, rating and text, without quoting; the labels are not used."""
    _, *lines = _read_lines(paths)
    for line in lines:
        yield from sentences_of(line.split("\t", 4)[4])


def _read_yelp_reviews(paths: Mapping[str, Path]) -> Iterator[str]:
    """Two CSV tables whose column `text` holds whole reviews; the stars are not used."""
    for path in paths.values():
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                yield from sentences_of(row["text"])


def _read_yelp_sentences(paths: Mapping[str, Path]) -> Iterator[str]:
    """Four files, one tokenised sentence per line, numbers masked as `_num_`."""
    for path in paths.values():
        with path.open(encoding="utf-8") as stream:
            for line in stream:
                yield line.replace("_num_", " ")


def _read_brown(paths: Mapping[str, Path]) -> Iterator[str]:
    """A zip archive of 500 texts, one sentence per line, every word followed by a slash and its part of speech."""
    with zipfile.ZipFile(paths["archive"]) as archive:
        for name in filter(_BROWN_TEXT.fullmatch, archive.namelist()):
            for line in archive.read(name).decode("ascii").splitlines():
                yield " ".join(token.rsplit("/", 1)[0] for token in line.split())


_READERS: dict[str, Callable[[Mapping[str, Path]], Iterator[str]]] = {
    "commonvoice_en": _read_lines,
    "brown_corpus": _read_brown,
    "eltec_en": _read_paragraphs,
    "imdb_reviews": _read_imdb,
    "yelp_reviews": _read_yelp_reviews,
    "yelp_sentences": _read_yelp_sentences,
}
