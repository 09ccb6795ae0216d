"""The NRC emotion lexicon: which of eight emotions and two sentiments English words are associated with.

Mohammad and Turney (2010), version 0.92 at the level of words: a word has every emotion of any of its senses. The terms
allow research only and ask that the words are not passed on, so they are counted in texts and never listed.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch

EMOTIONS = (
    "anger",
    "anticipation",
    "disgust",
    "fear",
    "joy",
    "negative",
    "positive",
    "sadness",
    "surprise",
    "trust",
)
_FLAGS = {"0": False, "1": True}


def read_emotion_lexicon() -> dict[str, tuple[str, ...]]:
    """Fetch and read the lexicon (data set `nrc_emotion`): lower-case word → its emotions, in the order of `EMOTIONS`.

    More than half of the words have none.

    Raises
    ------
    DataError
        If the file cannot be fetched or read.
    """
    paths = fetch("nrc_emotion")
    with as_described("nrc_emotion", paths):
        return _read(paths["lexicon"])


def _read(path: Path) -> dict[str, tuple[str, ...]]:
    content = path.read_bytes().decode("ascii")
    if not content.endswith("\n"):
        raise ValueError(f"{path.name} ends in the middle of a line")
    found: defaultdict[str, dict[str, bool]] = defaultdict(dict)
    for number, line in enumerate(content.splitlines(), start=1):
        if "\t" not in line and not found:
            continue  # the terms of use stand above the table
        word, emotion, flag = cells if len(cells := line.split("\t")) == 3 else (line, "", "")
        if not word or emotion not in EMOTIONS or flag not in _FLAGS:
            raise ValueError(
                f"{path.name}, line {number}: expected a word, one of {', '.join(EMOTIONS)} and 0 or 1, got {cells}"
            )
        if emotion in found[word]:
            raise ValueError(f"{path.name}, line {number}: {word!r} has {emotion} twice")
        found[word][emotion] = _FLAGS[flag]
    if not found:
        raise ValueError(f"{path.name} has no words")
    for word, flags in found.items():
        if missing := [emotion for emotion in EMOTIONS if emotion not in flags]:
            raise ValueError(f"{path.name}: {word!r} has nothing on {', '.join(missing)}")
    return {word: tuple(emotion for emotion in EMOTIONS if flags[emotion]) for word, flags in found.items()}
