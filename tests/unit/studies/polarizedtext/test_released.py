"""The figure by the released form: owners drawn anew, a baseline of gensim's, paired differences."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba", reason="training needs the extra 'senses'")
pytest.importorskip("gensim", reason="the baseline comes with the extra 'embeddings'")

from trustnlp.studies.polarizedtext import released
from trustnlp.studies.polarizedtext.data import LAYERS, corpus_of
from trustnlp.studies.polarizedtext.released import METHODS, ORDERS, measure_release, owner_weights


def test_owners_are_drawn_whole_and_as_many_as_there_are() -> None:
    owners = ["b", "a", "b", "c", "a", "b"]
    weights = owner_weights(owners, 400, np.random.default_rng(0))
    for owner in "abc":
        own = weights[:, [at for at, each in enumerate(owners) if each == owner]]
        assert (own == own[:, :1]).all()  # all documents of an owner, or none
    assert (weights[0] == 1).all() and (weights[:, [0, 1, 3]].sum(axis=1) == 3).all()
    assert weights[:, 0].mean() == pytest.approx(1, abs=0.15) and set(np.unique(weights)) == {0, 1, 2, 3}


@pytest.fixture(scope="module")
def measured():
    corpus = corpus_of("procurement", "smoke")
    return measure_release(corpus, [0, 1], {"profile": "smoke", "epochs": [2, 2], "resamples": 20})


def test_every_method_and_order_is_measured_on_every_layer(measured) -> None:
    for layer in LAYERS:
        areas = {name: measured[f"procurement.{layer}.{name}.auc"] for name in METHODS}
        assert all(0 <= area <= 1 for seeds in areas.values() for drawn in seeds for area in drawn)
        for one, other in ORDERS:
            expected = np.subtract(areas[one], areas[other])
            assert np.allclose(measured[f"procurement.{layer}.{one}_over_{other}"], expected)


def test_skip_gram_of_the_released_dimension_has_that_of_the_owners(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}
    monkeypatch.setattr(released, "METHODS", ("small",))
    monkeypatch.setattr(released, "ORDERS", ())
    monkeypatch.setattr(released, "fitted", lambda name, *_, **settings: asked.update({name: settings}))
    monkeypatch.setattr(released, "measure_areas", lambda *_: None)
    corpus = corpus_of("procurement", "smoke")
    measure_release(corpus, [0], {"resamples": 20})
    assert asked == {"skipgram": {"dim": len(corpus.known)}}
