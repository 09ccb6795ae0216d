"""spaCy's annotation of a sentence in the names of Stanford's CoreNLP: those of the rules of Angeli et al. (2015).

Tang and Surdeanu (2021), appendix A, use tags, entity types and trees of CoreNLP, as TACRED has them. TACRED's text is
licensed, so its public stand-ins are parsed here by spaCy's small English pipeline and mapped, as this module says:

- Words: brackets are `-LRB-` and `-RRB-`, straight quotation marks are opening or closing ones, as CoreNLP prints them
  and 14 rules ask for them (`written` takes them back). spaCy parts words at hyphens, CoreNLP of 2015 does not.
- Tags: the tags of the Penn Treebank as they are.
- Lemmas: as they are, except for pronouns and determiners, where CoreNLP has others (`his` has the lemma `he`, `an` has
  `a`; its Morpha.flex at commit 017e5abc has the list).
- Entity types: `ENTITIES` says which of OntoNotes' types is which of CoreNLP's. Word lists part places (GPE) and groups
  (NORP). Titles, criminal charges and causes of death, which OntoNotes lacks, are found by word lists where no entity
  is. The lists, `corenlp_words.toml`, are ours: general knowledge, not read off a corpus.
- Trees: see `corenlp_dependencies`.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from trustnlp.data.annotation.corenlp_dependencies import stanford_tree
from trustnlp.data.annotation.spacy_annotation import Annotation
from trustnlp.data.relations.relation_examples import Span

OUTSIDE = "O"
# All others are MISC. GPE and NORP are decided by word lists; what they hold below is for words in no list.
ENTITIES = {
    **{label: label for label in ("DATE", "MONEY", "ORDINAL", "PERCENT", "PERSON", "TIME")},
    "CARDINAL": "NUMBER",
    "FAC": "LOCATION",
    "GPE": "CITY",
    "LOC": "LOCATION",
    "NORP": "NATIONALITY",
    "ORG": "ORGANIZATION",
    "QUANTITY": "NUMBER",
}
_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_WRITTEN = {printed: bracket for bracket, printed in _BRACKETS.items()} | {"``": '"', "''": '"'}
_QUOTES = frozenset({"``", "''"})
_LEMMAS = {
    "an": "a",
    "her": "she",
    "him": "he",
    "his": "he",
    "me": "I",
    "our": "we",
    "their": "they",
    "them": "they",
    "these": "this",
    "those": "that",
    "us": "we",
}
_PERSONS = frozenset({"i", "me", "my", "he", "him", "his", "she", "her", "hers", "who", "whom", "himself", "herself"})
_ADDRESS = re.compile(r"(https?://|www\.)\S+|[\w-]+(\.[\w-]+)*\.(com|org|net|edu|gov)(/\S*)?", re.IGNORECASE)
_AGE = re.compile(r"(\d{1,3}|[a-z -]+) years? old", re.IGNORECASE)


@dataclass(frozen=True)
class CorenlpSentence:
    """A sentence of `T` tokens in CoreNLP's names; the columns are those of `RelationExample`."""

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...]
    ner: tuple[str, ...]
    heads: tuple[int, ...]
    dependencies: tuple[str, ...]


def as_corenlp(annotation: Annotation) -> CorenlpSentence:
    """An annotation with tags, lemmas, dependencies and entities as one sentence with one tree."""
    ner = entity_types(annotation)
    heads, dependencies = stanford_tree(
        annotation.tokens, annotation.heads, annotation.relations, [kind in ("DATE", "TIME") for kind in ner]
    )
    return CorenlpSentence(
        tokens=tuple(_printed(token, tag) for token, tag in zip(annotation.tokens, annotation.tags, strict=True)),
        tags=annotation.tags,
        lemmas=tuple(_lemma(*each) for each in zip(annotation.tokens, annotation.lemmas, annotation.tags, strict=True)),
        ner=ner,
        heads=heads,
        dependencies=dependencies,
    )


def written(token: str) -> str:
    """A token of CoreNLP as it is written: `(` for `-LRB-`, a straight quotation mark for either of its own."""
    return _WRITTEN.get(token, token)


def _printed(token: str, tag: str) -> str:
    if token == '"' and tag in _QUOTES:
        return tag
    return _BRACKETS.get(token, token)


def _lemma(token: str, lemma: str, tag: str) -> str:
    printed = _printed(token, tag)
    if printed != token:
        return printed
    return _LEMMAS.get(token.lower(), lemma) if tag[:2] in ("PR", "DT") else lemma


# --- entity types ----------------------------------------------------------------------------------------------------


def entity_types(annotation: Annotation) -> tuple[str, ...]:
    """`(T,)` CoreNLP's entity type of each token, `O` outside entities."""
    words = [token.lower() for token in annotation.tokens]
    types = [OUTSIDE] * len(words)
    for entity in annotation.entities:
        types[entity.start : entity.end] = _types(words[entity.start : entity.end], entity.label)
    for start, end, kind in _listed(annotation, words):
        if set(types[start:end]) == {OUTSIDE}:
            types[start:end] = [kind] * (end - start)
    for token, word in enumerate(words):
        if types[token] == OUTSIDE and "." in word and _ADDRESS.fullmatch(word):
            types[token] = "URL"
    return tuple(types)


def _types(words: Sequence[str], label: str) -> list[str]:
    if label == "GPE":
        return _place(words)
    kind = ENTITIES.get(label, "MISC")
    text = " ".join(words)
    if label == "NORP":
        kind = next((name for name in ("RELIGION", "IDEOLOGY") if _in(name, text)), kind)
    elif label == "DATE" and text.isdecimal() and len(text) < 4:
        kind = "NUMBER"  # an age, which spaCy calls a date
    elif label == "DATE" and _AGE.fullmatch(text.replace(" - ", " ")):
        kind = "DURATION"
    return [kind] * len(words)


def _place(words: Sequence[str]) -> list[str]:
    """Types of a place's words. Where commas are missing, a city and its state or country are one entity: two types."""
    for start in range(len(words)):
        tail = " ".join(words[start:]).removeprefix("the ")
        for kind in ("COUNTRY", "STATE_OR_PROVINCE"):
            if _in(kind, tail):
                return [*_place(words[:start]), *[kind] * (len(words) - start)] if start else [kind] * len(words)
    return [ENTITIES["GPE"]] * len(words)


def _listed(annotation: Annotation, words: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Where phrases of the word lists stand, longer ones first: start, end and type. Their last word is a noun.

    A plural counts as its singular.
    """
    phrases = []
    for end, (tag, lemma) in enumerate(zip(annotation.tags, annotation.lemmas, strict=True), start=1):
        if tag.startswith("NN") or tag == "VBG":
            last = lemma.lower() if tag.endswith("S") else words[end - 1]
            for phrase, kind in _endings().get(last, ()):
                start = end - len(phrase)
                if start >= 0 and tuple(words[start : end - 1]) == phrase[:-1]:
                    phrases.append((start, end, kind))
    yield from sorted(phrases, key=lambda each: each[0] - each[1])


def type_of(span: Span, sentence: CorenlpSentence) -> str:
    """The entity type of a marked entity: that of its head, else the commonest of its tokens, else `O`.

    A pronoun for a person is a PERSON, as in TACRED, where the types are those of the entities meant.
    """
    inside = range(span.start, span.end)
    head = next(token for token in inside if sentence.heads[token] not in inside)
    if sentence.ner[head] != OUTSIDE:
        return sentence.ner[head]
    kinds = Counter(sentence.ner[token] for token in inside if sentence.ner[token] != OUTSIDE)
    if kinds:
        return kinds.most_common(1)[0][0]
    return "PERSON" if len(inside) == 1 and sentence.tokens[span.start].lower() in _PERSONS else OUTSIDE


@functools.cache
def _lists() -> dict[str, frozenset[str]]:
    text = resources.files(__package__).joinpath("corenlp_words.toml").read_text(encoding="utf-8")
    return {
        kind: frozenset(phrase for line in lines for phrase in line.split("; "))
        for kind, lines in tomllib.loads(text).items()
    }


def _in(kind: str, text: str) -> bool:
    return text in _lists()[kind]


@functools.cache
def _endings() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """The phrases that are looked for outside entities, with their types, by their last words."""
    endings: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for kind in ("TITLE", "CRIMINAL_CHARGE", "CAUSE_OF_DEATH"):
        for phrase in sorted(_lists()[kind]):
            words = tuple(phrase.split())
            endings.setdefault(words[-1], []).append((words, kind))
    return endings
