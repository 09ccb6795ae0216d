"""How often words occur in a corpus whose text is not passed on: Makhzan, 6.3 million words of Urdu."""

from __future__ import annotations

import json
import lzma

from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch


def read_word_counts() -> dict[str, int]:
    """Fetch and read the data set `makhzan_counts`: word → count, the most frequent first.

    Raises
    ------
    DataError
        If it cannot be fetched or read.
    """
    paths = fetch("makhzan_counts")
    with as_described("makhzan_counts", paths), lzma.open(paths["counts"], "rt", encoding="utf-8") as stream:
        counts = json.load(stream)
        return {str(word): int(count) for word, count in counts.items()}
