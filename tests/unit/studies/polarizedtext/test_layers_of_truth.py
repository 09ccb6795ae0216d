"""What ought to be removed where a name has several words, and how well anybody could do."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba", reason="the chapter's vectors need the extra 'senses'")

from trustnlp.data.texts.owned_documents import OwnedDocument
from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.studies.polarizedtext.data import Corpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import Measured, detection_counts, measure_precision
from trustnlp.studies.polarizedtext.models import chance_cosine

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
PLANTED = planted_corpus(Corpus("made_up", DOCUMENTS, NAMES, {}), 0)


def test_small_words_of_a_name_count_on_no_side() -> None:
    for words, owner, names, sensitive, secret in zip(
        PLANTED.words,
        PLANTED.owners,
        PLANTED.truth["names"],
        PLANTED.truth["sensitive"],
        PLANTED.secret_marks,
        strict=True,
    ):
        keys = np.array(words.keys)
        of, inside = keys == "of", np.zeros(len(keys), dtype=bool)
        inside[1:-1] = (keys[:-2] == "house") & (keys[2:] == "corvane")
        if owner == "Corvane":
            assert (of & inside).sum() >= 6  # a secret may stand between them
            assert (names[of & inside] == -1).all() and (sensitive[of & inside] == -1).all()
            assert (names[np.flatnonzero(of & inside) + 1] == 1).all()
        assert (names[of & ~inside & (secret == 0)] == 0).all()
        assert (sensitive[secret > 0] == 1).all() and (names[secret > 0] == -1).all()
        assert ((names == 1) <= (sensitive == 1)).all()


def test_precision_by_hand_and_the_best_that_there_is() -> None:
    # Two sensitive words among forty; 3.5 % of the other 38 are 1.33 words.
    truth = [np.array([1, 1, *[0] * 38])]
    found = np.array([1.0, 0.0, 1.0, 1.0, *[0.0] * 36])  # one right and two wrong
    measured = Measured()
    counts = {
        name: detection_counts([each], truth) for name, each in (("skipgram", np.r_[1, 1, [0] * 38]), ("search", found))
    }
    measure_precision(measured, "x", counts, np.ones((3, 1)))
    assert measured.values["x.search.precision"] == [pytest.approx(1 / 3)]
    assert measured.values["x.best.precision"] == [pytest.approx(2 / (2 + 0.035 * 38))]
    assert measured.values["x.skipgram.precision"] == measured.values["x.best.precision"]


def test_the_cosine_of_independent_directions() -> None:
    draws = np.random.default_rng(0).normal(size=(20_000, 2, 24))
    draws /= np.linalg.norm(draws, axis=2, keepdims=True)
    assert np.abs((draws[:, 0] * draws[:, 1]).sum(axis=1)).mean() == pytest.approx(chance_cosine(24), rel=0.02)
