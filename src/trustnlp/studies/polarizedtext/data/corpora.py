"""The two sets of documents, with names of their owners and planted secrets, and the layers of truth.

Layers, each scored apart; a word is 1 (ought to be removed), 0 (ought to stay) or -1 (does not count):

names
    Words of the owner's names by the committed list. Small words inside a name do not count.
sensitive
    Names and planted secrets together, as a person would mark them.
template, free
    Planted secrets of one way of insertion. Secrets of the other way and names do not count.
evidence
    Words from which a classifier tells the owner of a document that it was not trained on (`evidence_words`). Planted
    secrets do not count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.texts.owned_documents import OwnedDocument, read_platform_policies, read_procurement_papers
from trustnlp.data.words.owner_names import OwnerNames, read_owner_names
from trustnlp.privacy.text.anonymisation.name_search import find_names
from trustnlp.privacy.text.anonymisation.words import DocumentWords, document_words
from trustnlp.reproduce import Record
from trustnlp.studies.polarizedtext.data.owner_evidence import evidence_words
from trustnlp.studies.polarizedtext.data.planted_secrets import PlantedDocuments, plant_secrets
from trustnlp.studies.polarizedtext.standins import made_up_documents

CORPORA = ("policies", "procurement")
LAYERS = ("names", "template", "free", "evidence", "sensitive")
_DATASETS = {"policies": "platform_policies", "procurement": "procurement_18f"}
_READERS = {"policies": read_platform_policies, "procurement": read_procurement_papers}
_MADE_UP = {"policies": (6, 8, 14), "procurement": (4, 6, 10)}  # owners, documents of each, paragraphs

Truth = list[NDArray[np.int8]]


@dataclass(frozen=True, eq=False)
class Corpus:
    """A set of documents as it was found, without secrets."""

    name: str
    documents: tuple[OwnedDocument, ...]
    names: Mapping[str, OwnerNames]
    left_out: Mapping[str, int]

    @cached_property
    def owners(self) -> list[str]:
        """Owner of each document."""
        return [document.owner for document in self.documents]

    @cached_property
    def known(self) -> list[str]:
        """All owners, sorted."""
        return sorted(set(self.owners))

    @cached_property
    def words(self) -> list[DocumentWords]:
        """Words of each document, without secrets."""
        return [document_words(document.text) for document in self.documents]


@dataclass(frozen=True, eq=False)
class PlantedCorpus:
    """A corpus with the secrets of one seed in it."""

    corpus: Corpus
    seed: int
    planted: PlantedDocuments

    @cached_property
    def words(self) -> list[DocumentWords]:
        """Words of each document, secrets among them."""
        return [document_words(document.text) for document in self.planted.documents]

    @property
    def owners(self) -> list[str]:
        """Owner of each document."""
        return self.corpus.owners

    @cached_property
    def secret_marks(self) -> list[NDArray[np.int8]]:
        """Per document `(T,)`: 0 no secret, 1 by template, 2 free."""
        marks = []
        for words, secrets in zip(self.words, self.planted.secrets, strict=True):
            mark = np.zeros(len(words), dtype=np.int8)
            at = {int(start): place for place, start in enumerate(words.spans[:, 0])}
            for secret in secrets:
                mark[at[secret.start]] = 1 if secret.way == "template" else 2
            marks.append(mark)
        return marks

    @cached_property
    def misspelt_marks(self) -> list[NDArray[np.bool_]]:
        """Per document `(T,)`: whether a word is a planted misspelling."""
        marks = []
        for words, secrets in zip(self.words, self.planted.secrets, strict=True):
            starts = [secret.start for secret in secrets if secret.sort == "misspelling"]
            marks.append(np.isin(words.spans[:, 0], starts))
        return marks

    @cached_property
    def truth(self) -> dict[str, Truth]:
        """Layer → per document `(T,)`."""
        found: dict[str, Truth] = {layer: [] for layer in LAYERS}
        evidence = evidence_words(self.words, self.owners, self.secret_marks)
        parts = zip(self.words, self.owners, self.secret_marks, evidence, strict=True)
        for words, owner, secret, telling in parts:
            named, small = find_names(words, self.corpus.names[owner])
            names = named & ~small
            found["names"].append(_marks(names, (secret > 0) | small))
            found["template"].append(_marks(secret == 1, (secret == 2) | named))
            found["free"].append(_marks(secret == 2, (secret == 1) | named))
            found["evidence"].append(_marks(telling, secret > 0))
            found["sensitive"].append(_marks(names | (secret > 0), small))
        return found

    @cached_property
    def misspelt(self) -> Truth:
        """Planted misspellings of both ways against all words that are neither names nor other secrets."""
        both = zip(self.misspelt_marks, self.secret_marks, self.truth["names"], strict=True)
        return [_marks(wrong, ((secret > 0) & ~wrong) | (named == 1)) for wrong, secret, named in both]


def corpus_of(name: str, profile: str) -> Corpus:
    """A corpus by name: the real one in the `paper` profile, else a made-up one."""
    if profile == "paper":
        read = _READERS[name]()
        return Corpus(name, read.documents, read_owner_names(name), read.left_out)
    made, names = made_up_documents(*_MADE_UP[name], np.random.default_rng(CORPORA.index(name)))
    return Corpus(name, made.documents, names, made.left_out)


def corpora_for(record: Record, profile: str, names: Sequence[str] = CORPORA) -> dict[str, Corpus]:
    """The corpora of a notebook; the record notes which data sets they are."""
    if profile == "paper":
        for name in names:
            record.uses(_DATASETS[name])
    record.condition("documents", "public")
    return {name: corpus_of(name, profile) for name in names}


def planted_corpus(corpus: Corpus, seed: int) -> PlantedCorpus:
    """The corpus with the secrets of a seed."""
    searched = {owner: names.name for owner, names in corpus.names.items()}
    return PlantedCorpus(corpus, seed, plant_secrets(corpus.documents, searched, np.random.default_rng([seed, 1])))


def corpus_numbers(corpora: Mapping[str, Corpus]) -> dict[str, Any]:
    """Key → count: documents, owners, words, and what the rules left out."""
    numbers: dict[str, Any] = {}
    for name, corpus in corpora.items():
        numbers[f"{name}.documents"] = len(corpus.documents)
        numbers[f"{name}.owners"] = len(corpus.known)
        numbers[f"{name}.words"] = sum(map(len, corpus.words))
        numbers[f"{name}.links"] = sum(len(words.links) for words in corpus.words)
        for rule, count in corpus.left_out.items():
            numbers[f"{name}.left_out.{rule.replace(' ', '_')}"] = count
    return numbers


def names_in_links(corpus: Corpus) -> float:
    """Which share of the mentions of owners' own names stands in links and addresses."""
    inside = everywhere = 0
    for document, words in zip(corpus.documents, corpus.words, strict=True):
        spelt = re.compile(r"[\s%20_-]*".join(map(re.escape, corpus.names[document.owner].name.split())), re.IGNORECASE)
        inside += sum(len(spelt.findall(words.text[start:end])) for start, end in words.links)
        everywhere += len(spelt.findall(words.text))
    return inside / max(everywhere, 1)


def _marks(positive: NDArray[np.bool_], ignored: NDArray[np.bool_]) -> NDArray[np.int8]:
    return np.where(ignored & ~positive, -1, positive).astype(np.int8)
