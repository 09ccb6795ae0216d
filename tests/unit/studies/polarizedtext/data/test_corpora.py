"""Layers of truth on made-up documents: every word is counted once, and each layer holds what it should."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba", reason="the chapter's vectors need the extra 'senses'")

from trustnlp.privacy.text.anonymisation.scores import log_odds_scores
from trustnlp.studies.polarizedtext.data import LAYERS, corpus_of, evidence_words, planted_corpus
from trustnlp.studies.polarizedtext.detection import Measured, measure_layer, weights_for
from trustnlp.studies.polarizedtext.models import reached_by_ngrams, word_kinds
from trustnlp.studies.polarizedtext.reproduction import example_html

PLANTED = planted_corpus(corpus_of("procurement", "smoke"), 0)


def test_a_layer_counts_its_own_words_and_leaves_the_others_out() -> None:
    for number, words in enumerate(PLANTED.words):
        marks = {layer: PLANTED.truth[layer][number] for layer in LAYERS}
        secret = PLANTED.secret_marks[number]
        assert all(mark.shape == (len(words),) for mark in marks.values())
        assert (marks["template"][secret == 1] == 1).all() and (marks["template"][secret == 2] == -1).all()
        assert (marks["free"][secret == 2] == 1).all() and (marks["free"][secret == 1] == -1).all()
        assert (marks["names"][secret > 0] == -1).all() and (marks["evidence"][secret > 0] == -1).all()
        assert (marks["template"][marks["names"] == 1] == -1).all()  # a name is no false alarm of another layer
        assert (marks["evidence"] >= 0)[secret == 0].all()


def test_all_names_of_the_owner_are_found() -> None:
    for words, owner, marks in zip(PLANTED.words, PLANTED.owners, PLANTED.truth["names"], strict=True):
        names = {name.lower() for name in PLANTED.corpus.names[owner].names}
        assert {key for key, mark in zip(words.keys, marks, strict=True) if mark == 1} <= names
        assert not names & {key for key, mark in zip(words.keys, marks, strict=True) if mark == 0}


def test_evidence_is_what_tells_an_unseen_document() -> None:
    found = evidence_words(PLANTED.words, PLANTED.owners, PLANTED.secret_marks)
    telling = {key for words, one in zip(PLANTED.words, found, strict=True) for key in np.array(words.keys)[one]}
    assert {key.lower() for key in PLANTED.corpus.names} <= telling
    assert not {"and", "of", "to"} & telling


def test_a_difference_is_paired() -> None:
    scores = log_odds_scores(PLANTED.words, PLANTED.owners)
    one = [scores(words, owner) for words, owner in zip(PLANTED.words, PLANTED.owners, strict=True)]
    measured, weights = Measured(), weights_for(PLANTED, 30)
    measure_layer(measured, "x", {"a": one, "b": [2 * each for each in one]}, PLANTED.truth["names"], weights)
    measured.difference("x.margin", "x.a.auc", "x.b.auc")
    assert np.allclose(
        measured.interval("x.margin"), 0, atol=2e-3
    )  # the same order: no width, whatever documents are drawn
    low, high = measured.interval("x.a.auc")
    assert low <= measured.values["x.a.auc"][0] <= high


def test_unique_and_common_words() -> None:
    kinds = word_kinds(PLANTED.corpus.words, PLANTED.owners, PLANTED.corpus.names)
    assert {"glimmerfeed"} <= set(kinds.unique["Corvane"]) and "corvane" not in kinds.unique["Corvane"]
    assert {"and", "the"} <= set(kinds.common)
    assert 0 <= reached_by_ngrams(PLANTED.words, [0, 1]) <= 1


def test_a_removed_word_can_be_read_without_colour() -> None:
    pieces = [["Ask", [[0.1, False], [0.9, True]]], [" "], ["Corvane", [[3.2, True], [0.95, True]]], [" & Co"]]
    page = example_html({"document": "a/b.md", "methods": ["log_odds", "polarised"], "pieces": pieces})
    assert "Ask [<s>Corvane</s>&nbsp;<small>3.20</small>] &amp; Co" in page
    assert "[<s>Ask</s>&nbsp;<small>0.90</small>]" in page
