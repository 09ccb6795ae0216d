"""The most frequent part of speech of an English word, by the tags of the Brown corpus.

Francis and Kučera (1979). The corpus's 200-odd tags are brought down to ten classes by their first letters; what is
compound (`wrb+bez`) counts by its first part, and marks of titles, headlines, negation and the genitive are dropped.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable

from trustnlp.data.damage import as_described
from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch

_TEXT = re.compile(r"brown/c[a-r][0-9]{2}")
_MOST_BYTES = 1_000_000
# The first that fits.
_CLASSES = (
    ("number", ("cd", "od")),
    ("verb", ("vb", "be", "do", "hv", "md")),
    ("noun", ("nn", "np", "nr", "fw-nn")),
    ("adjective", ("jj",)),
    ("adverb", ("rb", "rn", "wrb", "ql", "wql")),
    ("pronoun", ("pn", "pp", "wp")),
    ("determiner", ("at", "dt", "ab", "ap", "wdt", "ex")),
    ("preposition", ("in", "to", "rp")),
    ("conjunction", ("cc", "cs")),
    ("other", ("uh", "fw", "nil")),
)


def read_parts_of_speech() -> dict[str, str]:
    """Lower-cased word → the class it most often has, the first of equally frequent ones; fetches `brown_corpus`.

    Raises
    ------
    DataError
        If the corpus cannot be fetched or read, or holds no tagged text.
    """
    paths = fetch("brown_corpus")
    with as_described("brown_corpus", paths), zipfile.ZipFile(paths["archive"]) as archive:
        texts = [entry for entry in archive.infolist() if _TEXT.fullmatch(entry.filename)]
        if not texts or max(entry.file_size for entry in texts) > _MOST_BYTES:
            raise DataError(f"brown_corpus: expected texts of at most {_MOST_BYTES:,} bytes, found {len(texts)} texts")
        return most_frequent_classes(archive.read(entry).decode("ascii") for entry in texts)


def most_frequent_classes(texts: Iterable[str]) -> dict[str, str]:
    """The same from texts of tokens with their tags, such as `the/at bank/nn`.

    >>> most_frequent_classes(["The/at bank/nn banks/vbz", "a/at bank/vb or/cc bank/nn-tl ./."])
    {'the': 'determiner', 'bank': 'noun', 'banks': 'verb', 'a': 'determiner', 'or': 'conjunction'}
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for token in text.split():
            word, _, tag = token.rpartition("/")
            if (found := class_of(tag)) is not None:
                counts[word.lower()][found] += 1
    return {word: seen.most_common(1)[0][0] for word, seen in counts.items()}


def class_of(tag: str) -> str | None:
    """The class of a tag; None for punctuation and what has no word.

    >>> [class_of(tag) for tag in ("NN-TL", "vbz", "wrb+bez", "do*", "pp$", "--")]
    ['noun', 'verb', 'adverb', 'verb', 'pronoun', None]
    """
    first = tag.lower().split("+")[0]
    return next((name for name, starts in _CLASSES if first.startswith(starts)), None)
