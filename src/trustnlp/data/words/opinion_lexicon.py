"""The opinion lexicon of Hu and Liu (2004): words that praise and words that blame."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trustnlp.data.store import fetch


@dataclass(frozen=True)
class OpinionLexicon:
    """Positive and negative words in the order of the lists. A few words are in both."""

    positive: tuple[str, ...]
    negative: tuple[str, ...]


def read_opinion_lexicon() -> OpinionLexicon:
    """Fetch and read the lexicon (data set `hu_liu_lexicon`).

    Raises
    ------
    DataError
        If it cannot be fetched.
    """
    paths = fetch("hu_liu_lexicon")
    return OpinionLexicon(_read_list(paths["positive"]), _read_list(paths["negative"]))


def _read_list(path: Path) -> tuple[str, ...]:
    # Latin-1: the negative list holds accented words and is not UTF-8.
    lines = (line.strip() for line in path.read_text(encoding="latin-1").splitlines())
    return tuple(line for line in lines if line and not line.startswith(";"))
