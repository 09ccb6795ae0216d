"""How often words occur in a corpus whose text is not passed on: Makhzan, 6.3 million words of Urdu."""

from __future__ import annotations

import json
import lzma

from trustnlp.data.store import fetch


def read_word_counts() -> dict[str, int]:
    """Fetch and read the data set `makhzan_counts`: word → count, the most frequent first.

    Raises
    ------
    DataError
        If it cannot be fetched.
    """
    with lzma.open(fetch("makhzan_counts")["counts"], "rt", encoding="utf-8") as stream:
        counts: dict[str, int] = json.load(stream)
    return counts
