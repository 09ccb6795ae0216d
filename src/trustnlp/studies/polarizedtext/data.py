"""Which documents the chapter reads, and the layers of truth; a word is 1 (ought to go), 0 (ought to stay) or -1.

names
    Words of the owner's names by the committed list. Small words inside a name do not count.
sensitive
    Names and planted secrets together, as a person would mark them.
template, free
    Planted secrets of one way of insertion (`standins`). Secrets of the other way and names do not count.
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
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from trustnlp.data.texts.owned_documents import OwnedDocument, read_platform_policies, read_procurement_papers
from trustnlp.data.words.owner_names import OwnerNames, read_owner_names
from trustnlp.privacy.attacks.reidentification import count_table
from trustnlp.privacy.text.anonymisation.name_search import find_names
from trustnlp.privacy.text.anonymisation.words import DocumentWords, document_words
from trustnlp.reproduce import Record
from trustnlp.studies.polarizedtext.standins import PlantedDocuments, made_up_documents, plant_secrets

CORPORA = ("policies", "procurement")
LAYERS = ("names", "template", "free", "evidence", "sensitive")
_DATASETS = {"policies": "platform_policies", "procurement": "procurement_18f"}
_READERS = {"policies": read_platform_policies, "procurement": read_procurement_papers}
_MADE_UP = {"policies": (6, 8, 14), "procurement": (4, 6, 10)}  # owners, documents of each, paragraphs

Truth = list[NDArray[np.int8]]


@dataclass(frozen=True, eq=False)
class OwnedCorpus:
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

    corpus: OwnedCorpus
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
            way = {secret.start: 1 if secret.way == "template" else 2 for secret in secrets}
            marks.append(np.array([way.get(start, 0) for start in words.spans[:, 0].tolist()], dtype=np.int8))
        return marks

    @cached_property
    def truth(self) -> dict[str, Truth]:
        """Layer → per document `(T,)`."""
        layers: dict[str, Truth] = {layer: [] for layer in LAYERS}
        evidence = evidence_words(self.words, self.owners, self.secret_marks)
        for words, owner, secret, telling in zip(self.words, self.owners, self.secret_marks, evidence, strict=True):
            named, small = find_names(words, self.corpus.names[owner])
            names = named & ~small
            layers["names"].append(_marks(names, (secret > 0) | small))
            layers["template"].append(_marks(secret == 1, (secret == 2) | named))
            layers["free"].append(_marks(secret == 2, (secret == 1) | named))
            layers["evidence"].append(_marks(telling, secret > 0))
            layers["sensitive"].append(_marks(names | (secret > 0), small))
        return layers

    @cached_property
    def misspelt(self) -> Truth:
        """Planted misspellings of both ways against all words that are neither names nor other secrets."""
        layer = []
        parts = zip(self.words, self.planted.secrets, self.secret_marks, self.truth["names"], strict=True)
        for words, secrets, secret, named in parts:
            wrong = np.isin(words.spans[:, 0], [each.start for each in secrets if each.sort == "misspelling"])
            layer.append(_marks(wrong, ((secret > 0) & ~wrong) | (named == 1)))
        return layer


def corpus_of(name: str, profile: str) -> OwnedCorpus:
    """A corpus by name: the real one in the `paper` profile, else a made-up one."""
    if profile == "paper":
        read = _READERS[name]()
        return OwnedCorpus(name, read.documents, read_owner_names(name), read.left_out)
    made_up, names = made_up_documents(*_MADE_UP[name], np.random.default_rng(CORPORA.index(name)))
    return OwnedCorpus(name, made_up.documents, names, made_up.left_out)


def corpora_for(record: Record, profile: str) -> dict[str, OwnedCorpus]:
    """The corpora of a notebook; the record notes which data sets they are."""
    if profile == "paper":
        for name in CORPORA:
            record.uses(_DATASETS[name])
    record.condition("documents", "public")
    return {name: corpus_of(name, profile) for name in CORPORA}


def planted_corpus(corpus: OwnedCorpus, seed: int) -> PlantedCorpus:
    """The corpus with the secrets of a seed."""
    searched = {owner: names.name for owner, names in corpus.names.items()}
    return PlantedCorpus(corpus, seed, plant_secrets(corpus.documents, searched, np.random.default_rng([seed, 1])))


def corpus_numbers(corpora: Mapping[str, OwnedCorpus]) -> dict[str, Any]:
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


def names_in_links(corpus: OwnedCorpus) -> float:
    """Which share of the mentions of owners' own names stands in links and addresses."""
    inside = everywhere = 0
    for document, words in zip(corpus.documents, corpus.words, strict=True):
        spelt = re.compile(r"[\s%20_-]*".join(map(re.escape, corpus.names[document.owner].name.split())), re.IGNORECASE)
        inside += sum(len(spelt.findall(words.text[start:end])) for start, end in words.links)
        everywhere += len(spelt.findall(words.text))
    return inside / max(everywhere, 1)


def _marks(positive: NDArray[np.bool_], ignored: NDArray[np.bool_]) -> NDArray[np.int8]:
    return np.where(ignored & ~positive, -1, positive).astype(np.int8)


_FOLDS = 5
_STRENGTH = 100.0  # inverse of the penalty: rows have length 1
_SHARE = 0.25  # of the positive evidence of a document


def evidence_words(
    documents: Sequence[DocumentWords], owners: Sequence[str], left_out: Sequence[NDArray[np.int8]]
) -> list[NDArray[np.bool_]]:
    """Per document `(T,)`: whether a word is among those that tell its owner; marked words are not looked at.

    A logistic regression on word counts (tf-idf, one class per owner) learns from some documents and reads the others.
    There the evidence for the true owner is the weight of each word for that owner, above its mean weight over owners,
    times the word's value. The words of the strongest evidence that make up a quarter of all positive evidence are the
    truth. So a word counts because it helps to tell an owner across documents. Owners with one document have none.
    """
    keys = sorted({key for words in documents for key in words.keys})
    column = {key: number for number, key in enumerate(keys)}
    ids = [np.array([column[key] for key in words.keys], dtype=np.int64) for words in documents]
    counts = count_table([own[marks == 0] for own, marks in zip(ids, left_out, strict=True)], len(keys))
    spread = np.maximum(counts.getnnz(axis=0), 1)
    table = normalize(counts.log1p().multiply(np.log(1 + len(documents) / spread)).tocsr())
    labels = pd.Series(owners)
    same = labels.groupby(labels)
    # Documents of an owner are dealt out; one of an owner with one is in none of the tests.
    fold_of = np.where(same.transform("size") > 1, same.cumcount() % _FOLDS, -1)
    evidence = [np.zeros(len(own), dtype=bool) for own in ids]
    for fold in range(_FOLDS):
        train = np.flatnonzero(fold_of != fold)
        weights = _weights(table[train], labels[train])
        for place in np.flatnonzero(fold_of == fold).tolist():
            own = weights[owners[place]] - np.mean(list(weights.values()), axis=0)
            telling = _strongest(table[place].toarray()[0] * own)
            evidence[place] = np.isin(ids[place], telling) & (left_out[place] == 0)
    return evidence


def _weights(table: sparse.csr_matrix, labels: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Class → its weights `(V,)`: fitted on the documents' inner products, then written in words."""
    values, vectors = np.linalg.eigh((table @ table.T).toarray())
    large = values > 1e-10
    lengths = np.sqrt(values[large])
    fitted = LogisticRegression(C=_STRENGTH, max_iter=1000).fit(vectors[:, large] * lengths, labels)
    coefficients = fitted.coef_ if len(fitted.classes_) > 2 else np.concatenate([-fitted.coef_, fitted.coef_])
    weights = (table.T @ (vectors[:, large] / lengths @ coefficients.T)).T
    return dict(zip(fitted.classes_, weights, strict=True))


def _strongest(contributions: NDArray[np.float64]) -> NDArray[np.int64]:
    """Columns of the largest positive contributions that make up the share."""
    order = np.argsort(-contributions)
    total = np.cumsum(np.maximum(contributions[order], 0))
    return order[: np.searchsorted(total, _SHARE * total[-1]) + 1] if total[-1] > 0 else order[:0]
