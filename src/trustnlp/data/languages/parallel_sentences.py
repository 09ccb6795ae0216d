"""NTREX-128: news sentences translated into all nine languages, an anchor for words and no text to train on."""

from __future__ import annotations

import lzma

from trustnlp.data.store import fetch

_LANGUAGES = ("en", "zh", "es", "ar", "de", "fr", "fa", "ur", "wo")  # of the columns, in their order


def read_parallel() -> dict[str, tuple[str, ...]]:
    """Fetch and read the data set `ntrex128`: language → its sentences, aligned by their number.

    Raises
    ------
    DataError
        If it cannot be fetched.
    """
    with lzma.open(fetch("ntrex128")["table"], "rt", encoding="utf-8", newline="\n") as stream:
        _, *rows = (line.rstrip("\n").split("\t") for line in stream)
    return dict(zip(_LANGUAGES, zip(*rows, strict=True), strict=True))
