"""NTREX-128: news sentences translated into all nine languages, an anchor for words and no text to train on."""

from __future__ import annotations

import lzma

from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch

_COLUMNS = {
    "eng": "en",
    "zho-CN": "zh",
    "spa": "es",
    "arb": "ar",
    "deu": "de",
    "fra": "fr",
    "fas": "fa",
    "urd": "ur",
    "wol": "wo",
}


def read_parallel() -> dict[str, tuple[str, ...]]:
    """Fetch and read the data set `ntrex128`: language → its sentences, aligned by their number.

    Raises
    ------
    DataError
        If it cannot be fetched or read.
    """
    paths = fetch("ntrex128")
    with as_described("ntrex128", paths), lzma.open(paths["table"], "rt", encoding="utf-8", newline="\n") as stream:
        header, *rows = (line.rstrip("\n").split("\t") for line in stream)
        if header != list(_COLUMNS):
            raise ValueError(f"expected the columns {', '.join(_COLUMNS)}, got {header}")
        columns = zip(*rows, strict=True)
        return dict(zip(_COLUMNS.values(), columns, strict=True))
