"""What is learned from a document is never asked of that document, and what was removed is not seen."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba", reason="the chapter's vectors need the extra 'senses'")

from trustnlp.privacy.attacks.reidentification import ATTACKERS, count_table, named_correctly
from trustnlp.privacy.text.anonymisation.words import document_words
from trustnlp.studies.polarizedtext.data import corpus_of, evidence_words, planted_corpus
from trustnlp.studies.polarizedtext.reidentification import attack_methods

PLANTED = planted_corpus(corpus_of("procurement", "smoke"), 0)
GIVEN = {"profile": "smoke", "epochs": [2, 2], "resamples": 10, "presidio_seeds": 0, "folds": 4}


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_an_attacker_has_not_learned_from_the_document_that_it_reads(attacker: str) -> None:
    # Words are drawn alike for all owners, so only who has read a document before can tell whose it is.
    rng = np.random.default_rng(0)
    owners = list("ABCDE") * 16
    rows = [rng.integers(0, 400, size=40).tolist() for _ in owners]
    words = ["".join(rng.choice(list("abcdefghijklmnop"), size=6)) for _ in range(400)]
    right = named_correctly(count_table(rows, 400), owners, words, attacker, 4, 0)
    assert right.mean() < 0.4


def test_evidence_is_not_what_one_document_has_alone() -> None:
    # Each document says a word of its own often: who learned from it would tell the owner by that word.
    documents = [
        document_words(words.text + f"\n\n{'own' + 'abcdefghijklmnopqrstuvwxyz'[place % 26] * 4} " * 20)
        for place, words in enumerate(PLANTED.words)
    ]
    assert len(documents) <= 26
    nothing = [np.zeros(len(words), dtype=np.int8) for words in documents]
    found = evidence_words(documents, PLANTED.owners, nothing)
    telling = {key for words, one in zip(documents, found, strict=True) for key in np.array(words.keys)[one]}
    assert telling and not {key for key in telling if key.startswith("own") and len(key) == 7}


@pytest.mark.parametrize("layer", ["template", "free"])
def test_a_layer_of_secrets_has_no_other_positives(layer: str) -> None:
    for marks, secret in zip(PLANTED.truth[layer], PLANTED.secret_marks, strict=True):
        assert np.array_equal(marks == 1, secret == (1 if layer == "template" else 2))
    for marks, names in zip(PLANTED.truth[layer], PLANTED.truth["names"], strict=True):
        assert (marks[names == 1] == -1).all()  # nor is a name a false alarm


def test_an_attacker_reads_what_is_left() -> None:
    found = attack_methods(PLANTED.corpus, [0], ["log_odds"], [40], GIVEN).values
    raw, left = (found[f"procurement.{row}.cosine"][0] for row in ("raw", "log_odds.s40"))
    assert left < raw - 0.2
