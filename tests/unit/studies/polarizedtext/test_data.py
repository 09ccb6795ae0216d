"""Layers of truth: every word counts once, each layer holds what it should, and small words of a name no side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba", reason="the chapter's vectors need the extra 'senses'")

from trustnlp.data.texts.owned_documents import OwnedDocument
from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.privacy.text.anonymisation.words import document_words
from trustnlp.studies.polarizedtext.data import LAYERS, OwnedCorpus, evidence_words, planted_corpus

NAMES = {
    "Corvane": OwnerNames("House of Corvane", ("House of Corvane",)),
    "Deltrix": OwnerNames("Deltrix", ("Deltrix",)),
}
PARAGRAPH = "The members of the House of Corvane write letters about houses of stone to {other}."
TEXT = "\n\n".join([PARAGRAPH, "Nobody keeps the letters of others for long, and all are read with care."] * 8)
DOCUMENTS = tuple(
    OwnedDocument(owner, f"{owner}{number}", "Terms", TEXT.format(other=owner))
    for owner in NAMES
    for number in range(3)
)


def test_a_layer_counts_its_own_words_and_leaves_the_others_out(planted: Any) -> None:
    for number, words in enumerate(planted.words):
        marks = {layer: planted.truth[layer][number] for layer in LAYERS}
        secret = planted.secret_marks[number]
        assert all(mark.shape == (len(words),) for mark in marks.values())
        assert (marks["template"][secret == 1] == 1).all() and (marks["template"][secret == 2] == -1).all()
        assert (marks["free"][secret == 2] == 1).all() and (marks["free"][secret == 1] == -1).all()
        assert (marks["names"][secret > 0] == -1).all() and (marks["evidence"][secret > 0] == -1).all()
        assert (marks["template"][marks["names"] == 1] == -1).all()  # a name is no false alarm of another layer
        assert (marks["evidence"] >= 0)[secret == 0].all()


def test_all_names_of_the_owner_are_found(planted: Any) -> None:
    for words, owner, marks in zip(planted.words, planted.owners, planted.truth["names"], strict=True):
        names = {name.lower() for name in planted.corpus.names[owner].names}
        assert {key for key, mark in zip(words.keys, marks, strict=True) if mark == 1} <= names
        assert not names & {key for key, mark in zip(words.keys, marks, strict=True) if mark == 0}


def test_evidence_is_what_tells_an_unseen_document(planted: Any) -> None:
    evidence = evidence_words(planted.words, planted.owners, planted.secret_marks)
    telling = {key for words, one in zip(planted.words, evidence, strict=True) for key in np.array(words.keys)[one]}
    assert {key.lower() for key in planted.corpus.names} <= telling
    assert not {"and", "of", "to"} & telling


def test_evidence_is_not_what_one_document_has_alone(planted: Any) -> None:
    # Each document says a word of its own often: who learned from it would tell the owner by that word.
    documents = [
        document_words(words.text + f"\n\n{'own' + 'abcdefghijklmnopqrstuvwxyz'[place % 26] * 4} " * 20)
        for place, words in enumerate(planted.words)
    ]
    assert len(documents) <= 26
    nothing = [np.zeros(len(words), dtype=np.int8) for words in documents]
    evidence = evidence_words(documents, planted.owners, nothing)
    telling = {key for words, one in zip(documents, evidence, strict=True) for key in np.array(words.keys)[one]}
    assert telling and not {key for key in telling if key.startswith("own") and len(key) == 7}


def test_small_words_of_a_name_count_on_no_side() -> None:
    planted = planted_corpus(OwnedCorpus("made_up", DOCUMENTS, NAMES, {}), 0)
    for at, (words, owner, secret) in enumerate(zip(planted.words, planted.owners, planted.secret_marks, strict=True)):
        names, sensitive, keys = planted.truth["names"][at], planted.truth["sensitive"][at], np.array(words.keys)
        of, inside = keys == "of", np.zeros(len(keys), dtype=bool)
        inside[1:-1] = (keys[:-2] == "house") & (keys[2:] == "corvane")
        if owner == "Corvane":
            assert (of & inside).sum() >= 6  # a secret may stand between them
            assert (names[of & inside] == -1).all() and (sensitive[of & inside] == -1).all()
            assert (names[np.flatnonzero(of & inside) + 1] == 1).all()
        assert (names[of & ~inside & (secret == 0)] == 0).all()
        assert (sensitive[secret > 0] == 1).all() and (names[secret > 0] == -1).all()
        assert ((names == 1) <= (sensitive == 1)).all()
