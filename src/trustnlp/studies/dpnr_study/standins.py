"""Stand-ins for the everyday texts: walks over made-up words, each of which has its own few successors.

A word's company is planted, so vectors trained on two samples of one language can be matched word by word. The tweets
use the questions' words in other company: nothing but a common start can match them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SUCCESSORS = 4
_WANDER = 0.2  # chance that a walk goes on at any word, the frequent ones first


def walked_columns(
    name: str, rng: np.random.Generator, *, rows: int = 5000, words: int = 200
) -> dict[str, tuple[str, ...]]:
    """A stand-in with the columns of `trustnlp.data.texts.everyday_text.read_columns`.

    Parameters
    ----------
    name
        `anki_fra_eng`, `quora_pairs` or `tweets_emoji`.
    rng
        Draws the walks. The words and who follows whom are fixed, the same for every draw.
    rows
        Texts per column, each of eight words.
    words
        Words of a language.
    """
    return {column: _walk(stem, language, rng, rows, words) for column, (stem, language) in _COLUMNS[name].items()}


# Column → stem of its words, and the number of the language, which decides who follows whom.
_COLUMNS = {
    "anki_fra_eng": {"english": ("en", 1), "french": ("fr", 2)},
    "quora_pairs": {"question1": ("qu", 3), "question2": ("qu", 3)},
    "tweets_emoji": {"tweet": ("qu", 4)},
}


def _walk(stem: str, language: int, rng: np.random.Generator, rows: int, words: int) -> tuple[str, ...]:
    fixed = np.random.default_rng(language)
    successors = np.stack([_frequent_first(fixed, words, words) for _ in range(_SUCCESSORS)], axis=1)
    spellings = np.array([f"{stem}{number:03d}" for number in range(words)])
    place = _frequent_first(rng, rows, words)
    path = [place]
    for _ in range(7):
        onward = successors[place, rng.integers(_SUCCESSORS, size=rows)]
        place = np.where(rng.random(rows) < _WANDER, _frequent_first(rng, rows, words), onward)
        path.append(place)
    return tuple(" ".join(line) + "." for line in spellings[np.stack(path, axis=1)])


def _frequent_first(rng: np.random.Generator, rows: int, words: int) -> NDArray[np.int64]:
    """Words by a law like Zipf's, the first ones more often."""
    shares = 1 / np.arange(1, words + 1) ** 0.7
    return rng.choice(words, size=rows, p=shares / shares.sum())
