"""The NRC emotion lexicon: which of eight emotions and two sentiments English words are associated with.

Mohammad and Turney (2010), version 0.92 at the level of words: a word has every emotion of any of its senses. The terms
allow research only and ask that the words are not passed on, so they are counted in texts and never listed.
"""

from __future__ import annotations

from trustnlp.data.store import fetch

EMOTIONS = ("anger", "anticipation", "disgust", "fear", "joy", "negative", "positive", "sadness", "surprise", "trust")


def read_emotion_lexicon() -> dict[str, tuple[str, ...]]:
    """Fetch and read the lexicon (data set `nrc_emotion`): lower-case word → its emotions, in the order of `EMOTIONS`.

    More than half of the words have none.

    Raises
    ------
    DataError
        If the file cannot be fetched.
    """
    content = fetch("nrc_emotion")["lexicon"].read_text("ascii")
    flags: dict[str, dict[str, str]] = {}
    for line in content.splitlines():
        if "\t" in line:  # the terms of use stand above the table
            word, emotion, flag = line.split("\t")
            flags.setdefault(word, {})[emotion] = flag
    return {word: tuple(emotion for emotion in EMOTIONS if own[emotion] == "1") for word, own in flags.items()}
