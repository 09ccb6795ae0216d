"""Documents that have an owner: policies of platforms, and procurement papers of US agencies.

The post on polarised vectors (2016) anonymises requests for proposals of a couple hundred organisations; they are
private. Here stand two public sets in which many documents come from few owners and share phrases across owners. What
is left out, by rules that look at no method:

- Policies: a renamed owner is one owner (Twitter is X). Of two documents of one owner that are near copies, the longer
one
  stays. A near copy between owners belongs to neither: both go where they are the same to nine tenths, else the
  shorter.
- Procurement papers: near copies within an agency only (a draft and what was posted). Agencies share templates, which
is
  the point of the set. Papers of fewer than fifty words go.
- Both: documents whose commonest English words are outnumbered by those of German, French or Spanish (two policies are
  German). A table of trackers has few function words of any language, and stays.

A near copy contains four fifths of the shorter document's runs of five words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from trustnlp.data.json_lines import read_json_lines
from trustnlp.data.store import fetch

RENAMED = {"Twitter": "X"}
_RUN = 5  # words
_NEAR_COPY, _SAME = 0.8, 0.9
_FEWEST_WORDS = 50
_FUNCTION_WORDS = {
    "en": frozenset(["the", "and", "of", "to", "in", "that", "is", "for", "you", "your", "with", "this"]),
    "de": frozenset(["der", "die", "und", "das", "nicht", "ist", "von", "mit", "für", "sie", "auf", "eine"]),
    "fr": frozenset(["le", "la", "les", "et", "des", "est", "pour", "vous", "nous", "que", "dans", "une"]),
    "es": frozenset(["el", "los", "las", "y", "que", "por", "para", "una", "con", "del", "usted", "sus"]),
}


@dataclass(frozen=True)
class OwnedDocument:
    """One document.

    Attributes
    ----------
    owner
        Whom it belongs to.
    name
        Unique in its set.
    kind
        What sort of document it is, such as "Privacy Policy".
    text
        As its source has it, markup and links among it.
    """

    owner: str
    name: str
    kind: str
    text: str

    def __post_init__(self) -> None:
        for field in ("owner", "name"):
            if not getattr(self, field).strip():
                raise ValueError(f"a document needs a non-empty {field}; got {self.name!r} of {self.owner!r}")


@dataclass(frozen=True, eq=False)
class OwnedDocuments:
    """Documents of several owners, in the order of their source.

    Attributes
    ----------
    documents
        What is kept.
    left_out
        Rule → how many documents it left out.

    Raises
    ------
    ValueError
        If two documents have the same name.
    """

    documents: tuple[OwnedDocument, ...]
    left_out: dict[str, int]

    def __post_init__(self) -> None:
        names = [document.name for document in self.documents]
        if doubled := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"two documents are called {min(doubled)!r}; give each its own name")

    @cached_property
    def owners(self) -> tuple[str, ...]:
        """All owners, sorted."""
        return tuple(sorted({document.owner for document in self.documents}))

    def __len__(self) -> int:
        return len(self.documents)


@lru_cache(maxsize=1)
def read_platform_policies() -> OwnedDocuments:
    """Policies of social platforms (data set `platform_policies`), after the rules above.

    Raises
    ------
    DataError
        If the file cannot be fetched.
    """
    rows = read_json_lines(fetch("platform_policies")["documents"])
    documents = [
        OwnedDocument(
            RENAMED.get(row["organisation"], row["organisation"]),
            f"{row['organisation']}/{row['document']}",
            row["document"],
            row["text"],
        )
        for row in rows
    ]
    return select(documents, share_templates=False, fewest_words=0)


@lru_cache(maxsize=1)
def read_procurement_papers() -> OwnedDocuments:
    """Procurement papers that 18F wrote with six agencies (data set `procurement_18f`), after the rules above.

    Raises
    ------
    DataError
        If the file cannot be fetched.
    """
    rows = read_json_lines(fetch("procurement_18f")["documents"])
    documents = [
        OwnedDocument(row["agency"], f"{row['repo']}/{row['path']}", _paper_kind(row["path"]), row["text"])
        for row in rows
    ]
    return select(documents, share_templates=True, fewest_words=_FEWEST_WORDS)


def _paper_kind(path: str) -> str:
    """Sort of a paper, from its file's name: a contract's parts have customary abbreviations."""
    stem = Path(path).stem.lower()
    for kind in ("qasp", "rfq", "pws", "soo", "nda", "readme", "role", "oral"):
        if kind in stem or (kind == "nda" and "nondisclosure" in stem):
            return kind
    return "other"


def select(documents: Iterable[OwnedDocument], *, share_templates: bool, fewest_words: int) -> OwnedDocuments:
    """Apply the rules of this module.

    Parameters
    ----------
    documents
        All documents of a set, renamed owners merged.
    share_templates
        Whether owners are meant to share text, so that near copies between owners stay.
    fewest_words
        Shorter documents go.
    """
    left = {document.name: document for document in documents}
    runs = {name: _runs(document.text) for name, document in left.items()}
    rules: dict[str, Callable[[], Collection[str]]] = {
        "near copy within an owner": lambda: _near_copies([*left.values()], runs),
        "near copy between owners": lambda: _shared([*left.values()], runs),
        "another language": lambda: [name for name, each in left.items() if not is_english(each.text)],
        "too short": lambda: [name for name, each in left.items() if len(_words(each.text)) < fewest_words],
    }
    if share_templates:
        del rules["near copy between owners"]
    left_out: dict[str, int] = {}
    for rule, broken_by in rules.items():
        names = broken_by()
        left_out[rule] = len(names)
        left = {name: document for name, document in left.items() if name not in names}
    return OwnedDocuments(tuple(left.values()), left_out)


def is_english(text: str) -> bool:
    """Whether English function words are at least as many as those of German, French and Spanish each."""
    words = _words(text)
    counts = {language: sum(word in common for word in words) for language, common in _FUNCTION_WORDS.items()}
    return counts["en"] == max(counts.values())


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _runs(text: str) -> frozenset[int]:
    words = _words(text)
    return frozenset(hash(tuple(words[at : at + _RUN])) for at in range(max(1, len(words) - _RUN + 1)))


def _near_copies(documents: Sequence[OwnedDocument], runs: dict[str, frozenset[int]]) -> set[str]:
    """The shorter of two near copies of one owner; of two equally long ones the later."""
    gone: set[str] = set()
    longest_first = sorted(documents, key=lambda each: -len(runs[each.name]))
    for place, shorter in enumerate(longest_first):
        for longer in longest_first[:place]:
            same_owner = shorter.owner == longer.owner and longer.name not in gone
            if same_owner and _containment(runs[shorter.name], runs[longer.name]) >= _NEAR_COPY:
                gone.add(shorter.name)
                break
    return gone


def _shared(documents: Sequence[OwnedDocument], runs: dict[str, frozenset[int]]) -> set[str]:
    gone: set[str] = set()
    for place, first in enumerate(documents):
        for second in documents[:place]:
            one, other = runs[first.name], runs[second.name]
            if first.owner == second.owner or _containment(one, other) < _NEAR_COPY:
                continue
            if len(one & other) / len(one | other) >= _SAME:
                gone |= {first.name, second.name}
            else:
                gone.add(min(first, second, key=lambda each: len(runs[each.name])).name)
    return gone


def _containment(first: frozenset[int], second: frozenset[int]) -> float:
    return len(first & second) / min(len(first), len(second))
