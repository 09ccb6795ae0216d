"""Words and parts of speech as NLTK gives them, and the dictionary of words by part of speech made from them.

Kumar, Dixit and Shah (2021), §4.1.2 and Appendix C: NLTK's tokenizer, its `averaged_perceptron_tagger`, and the twelve
universal tags of Petrov, Das and McDonald (2012). The dictionary gives each word of an open class the tag that it most
often has in the training data; the closed classes are those of the Penn Treebank's sample.

NLTK is the tool; its data come from the registry, the tagger's weights as JSON and not as a pickle. Nothing is looked
for in folders of `nltk_data`. A text is cut into words as a whole: NLTK would cut it into sentences first, for which
nothing here is needed, as reviews come sentence by sentence.

With it the counts of Table 8 come out but for one noun and one adjective (7,535 and 3,393 for 7,534 and 3,394), and the
adjective contexts of Appendix F.1 but for ten (81,445 for 81,435).
"""

from __future__ import annotations

import functools
import json
import re
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tqdm import tqdm

from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch

if TYPE_CHECKING:
    from nltk.tag.perceptron import PerceptronTagger
    from nltk.tokenize import NLTKWordTokenizer

Words = tuple[str, ...]
OPEN_TAGS = ("NOUN", "VERB", "ADJ", "ADV")
CLOSED_TAGS = (".", "DET", "ADP", "CONJ", "PRT", "PRON")
TAGS = (*OPEN_TAGS, *CLOSED_TAGS, "NUM", "X")
_MAP = "universal_tagset/en-ptb.map"
_NEWS = re.compile(r"treebank/combined/wsj_[0-9]{4}\.mrg")
_LEAF = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")
_ALPHANUMERIC = re.compile(r"[a-z0-9]")
_MOST_BYTES = 1_000_000  # a text of the sample has at most 60,000
_GZIP = 31  # zlib's number for a file with gzip's header


@dataclass(frozen=True)
class TaggedText:
    """A text as words, and the universal tag of each."""

    words: Words
    tags: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.words) != len(self.tags):
            raise ValueError(f"{len(self.words)} words need as many tags, got {len(self.tags)}")

    def positions(self, tag: str) -> tuple[int, ...]:
        """Where the words with a tag stand, from 0.

        >>> TaggedText(("a", "fine", "old", "film"), ("DET", "ADJ", "ADJ", "NOUN")).positions("ADJ")
        (1, 2)
        """
        return tuple(place for place, own in enumerate(self.tags) if own == tag)


class TagsWords(Protocol):
    """Whatever gives each word of a text its universal tag."""

    def tag(self, words: Sequence[str]) -> tuple[str, ...]: ...


class Tagger:
    """NLTK's averaged perceptron, with its tags brought down to the universal ones.

    Parameters
    ----------
    weights
        Feature → tag of the Penn Treebank → weight.
    tagdict
        Words that have one tag whatever stands around them.
    classes
        The tags of the Penn Treebank.
    universal
        Tag of the Penn Treebank → universal tag; what is missing becomes `X`.

    Raises
    ------
    ImportError
        If NLTK is not installed.
    """

    def __init__(
        self,
        weights: Mapping[str, Mapping[str, float]],
        tagdict: Mapping[str, str],
        classes: Iterable[str],
        universal: Mapping[str, str],
    ) -> None:
        self._perceptron = _perceptron()
        self._perceptron.model.weights = weights
        self._perceptron.tagdict = tagdict
        self._perceptron.classes = self._perceptron.model.classes = set(classes)
        self._universal = dict(universal)

    def tag(self, words: Sequence[str]) -> tuple[str, ...]:
        """The universal tag of each word, which depends on its neighbours and on the tags before it.

        Raises
        ------
        TypeError
            If a single string was given.
        ValueError
            If one of the words is empty.
        """
        if isinstance(words, str):
            raise TypeError(f"tag takes the words of a text, got the single string {words[:40]!r}; tokenise it first")
        if not all(words):
            raise ValueError(f"word {[bool(word) for word in words].index(False)} is empty; leave it out")
        return tuple(self._universal.get(tag, "X") for _, tag in self._perceptron.tag(list(words)))


def treebank_words(text: str) -> Words:
    """The words of a text by NLTK's tokenizer, which also parts punctuation and the halves of contractions.

    Quotation marks become those of the Penn Treebank (two grave accents, two apostrophes): the words joined by blanks
    need not be the text again.

    Raises
    ------
    ImportError
        If NLTK is not installed.
    """
    return tuple(_tokenizer().tokenize(text))


def tag_texts(texts: Sequence[str], tagger: TagsWords) -> tuple[TaggedText, ...]:
    """Tokenise and tag texts, in their order: one to two thousand phrases a second.

    Raises
    ------
    TypeError
        If a single string was given.
    """
    if isinstance(texts, str):
        raise TypeError(f"tag_texts takes several texts, got the single string {texts[:40]!r}")
    shown = tqdm(texts, desc="tagging", unit="text", disable=None)  # None: in a terminal only
    return tuple(TaggedText(words, tagger.tag(words)) for words in map(treebank_words, shown))


def contexts_of(tagged: Iterable[TaggedText], tag: str) -> tuple[tuple[int, int], ...]:
    """Every place of a tag: the number of the text and the position of the word in it, in their order."""
    return tuple((number, place) for number, text in enumerate(tagged) for place in text.positions(tag))


def tagged_vocabulary(tagged: Iterable[TaggedText], closed: Mapping[str, Words] | None = None) -> dict[str, Words]:
    """The dictionary of Appendix C: tag → words, sorted, for the four open and the six closed classes.

    A word of an open class stands under one tag, a word of the closed classes may stand under several, and under an
    open one beside.

    Parameters
    ----------
    tagged
        The training texts.
    closed
        The closed classes; None reads those of the Penn Treebank's sample (`read_closed_classes`).
    """
    closed = read_closed_classes() if closed is None else closed
    return open_classes(tagged) | {tag: closed[tag] for tag in CLOSED_TAGS}


def open_classes(tagged: Iterable[TaggedText]) -> dict[str, Words]:
    """Each word under the tag it most often has, as far as that is `NOUN`, `VERB`, `ADJ` or `ADV`.

    Of tags that are equally frequent the one that is met first counts. All twelve tags take part, so a word that is
    more often a preposition than an adverb is not an adverb.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in tagged:
        for word, tag in zip(text.words, text.tags, strict=True):
            counts[word][tag] += 1
    commonest = {word: seen.most_common(1)[0][0] for word, seen in counts.items()}
    return {tag: tuple(sorted(word for word, own in commonest.items() if own == tag)) for tag in OPEN_TAGS}


def read_tagger() -> Tagger:
    """Fetch NLTK's English tagger (data sets `perceptron_tagger` and `universal_tagset`).

    Raises
    ------
    ImportError
        If NLTK is not installed.
    DataError
        If a file cannot be fetched or read.
    """
    universal = _read_universal()
    paths = fetch("perceptron_tagger")
    with as_described("perceptron_tagger", paths):
        stored = json.loads(zlib.decompress(paths["weights"].read_bytes(), wbits=_GZIP))
        if not isinstance(stored, dict) or not all(stored.get(part) for part in ("weights", "tagdict", "classes")):
            raise ValueError("expected an object with weights, tagdict and classes")
        return Tagger(stored["weights"], stored["tagdict"], stored["classes"], universal)


def read_closed_classes() -> dict[str, Words]:
    """The words of six closed classes in the Penn Treebank's sample: every word that is met under a tag, lower-cased.

    Under `.` only what has neither letter nor figure (`$`, but not `us$`). Fetches `nltk_treebank`.

    Raises
    ------
    DataError
        If a file cannot be fetched or read, or holds no tagged text.
    """
    universal = _read_universal()
    words_of: dict[str, set[str]] = {tag: set() for tag in TAGS}
    paths = fetch("nltk_treebank")
    with as_described("nltk_treebank", paths), zipfile.ZipFile(paths["archive"]) as archive:
        texts = [entry for entry in archive.infolist() if _NEWS.fullmatch(entry.filename)]
        if not texts or max(entry.file_size for entry in texts) > _MOST_BYTES:
            raise ValueError(f"expected texts of at most {_MOST_BYTES:,} bytes, found {len(texts)} texts")
        for entry in texts:
            for tag, word in _LEAF.findall(archive.read(entry).decode("ascii")):
                words_of[universal.get(tag, "X")].add(word.lower())
    words_of["."] = {word for word in words_of["."] if not _ALPHANUMERIC.search(word)}
    return {tag: tuple(sorted(words_of[tag])) for tag in CLOSED_TAGS}


def _read_universal() -> dict[str, str]:
    """Tag of the Penn Treebank → universal tag."""
    paths = fetch("universal_tagset")
    with as_described("universal_tagset", paths), zipfile.ZipFile(paths["archive"]) as archive:
        rows = [line.split("\t") for line in archive.read(_MAP).decode("ascii").splitlines() if line.strip()]
        if wrong := [row for row in rows if len(row) != 2 or row[1] not in TAGS]:
            raise ValueError(f"{Path(_MAP).name}: expected a tag and one of {', '.join(TAGS)}, got {wrong[0]}")
        return dict(rows)


@functools.cache
def _tokenizer() -> NLTKWordTokenizer:
    try:
        from nltk.tokenize import NLTKWordTokenizer
    except ImportError:
        raise ImportError("words as NLTK cuts them need NLTK: pip install 'trustnlp[explain]'") from None
    return NLTKWordTokenizer()


def _perceptron() -> PerceptronTagger:
    try:
        from nltk.tag.perceptron import PerceptronTagger
    except ImportError:
        raise ImportError("parts of speech as NLTK gives them need NLTK: pip install 'trustnlp[explain]'") from None
    return PerceptronTagger(load=False)
