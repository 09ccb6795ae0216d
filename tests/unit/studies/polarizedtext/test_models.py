"""Kept vectors and entities, the words of each kind, and where they lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba", reason="the chapter's vectors need the extra 'senses'")

from trustnlp.embeddings.polarised.polarised_training import train_polarised
from trustnlp.studies.polarizedtext import models
from trustnlp.studies.polarizedtext.baselines import asked, vectors_of


def test_presidio_is_asked_on_the_first_seeds_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trustnlp.studies.polarizedtext.baselines.has_presidio", lambda: True)
    assert asked(["a", "presidio"], 0, {"presidio_seeds": 1}) == ["a", "presidio"]
    assert asked(["a", "presidio"], 1, {"presidio_seeds": 1}) == ["a"]
    monkeypatch.setattr("trustnlp.studies.polarizedtext.baselines.has_presidio", lambda: False)
    assert asked(["a", "presidio"], 0, {"presidio_seeds": 1}) == ["a"]


def test_finds_are_kept_in_the_paper_profile_alone(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def finder(texts: list[str]) -> list[list[tuple[int, int, float]]]:
        read.extend(texts)
        return [[(0, 3, 0.5)] for _ in texts]

    monkeypatch.setattr(models, "presidio_entities", finder)
    monkeypatch.setattr(models, "results_of", lambda _: tmp_path)
    for profile, times in (("smoke", 2), ("paper", 1)):
        read.clear()
        for _ in range(2):
            assert models.entity_finder("presidio", profile)(["Ann"]) == [[(0, 3, 0.5)]]
        assert len(read) == times


def test_gensim_is_asked_for_our_settings_and_repeats() -> None:
    pytest.importorskip("gensim", reason="the baseline comes with the extra 'embeddings'")
    documents = [[["tarn", "street", "office", "tarn"] * 6], [["beech", "square", "office", "beech"] * 6]]
    sizes = {"dim": 50, "epochs": 2, "min_count": 1}
    first, again, other = (
        models.vectors_once(models.train_gensim, documents, ["a", "b"], seed, "smoke", **sizes) for seed in (0, 0, 1)
    )
    assert (first.matrix == again.matrix).all() and (first.matrix != other.matrix).any()
    assert first.words == ("beech", "office", "square", "street", "tarn") and first.matrix.shape == (5, 50)
    assert models.GENSIM["ns_exponent"] == 0.5 and models.GENSIM["sample"] == 1e-4


def test_the_released_form_is_trained_with_its_fault_and_the_cleared_one_without(planted: Any) -> None:
    contexts, owners = [words.contexts for words in planted.words], planted.owners
    both = []
    for name, fault in (("released", True), ("released_cleared", False)):
        ours = vectors_of(name, planted, {"profile": "smoke", "epochs": [9, 1]})
        same = train_polarised(
            contexts, owners, form="as_released", epochs=1, min_count=1, ngrams=(3, 6), uncleared_gradient=fault, seed=0
        )
        both.append(ours.stack(["the", "and"]))
        assert np.array_equal(both[-1], same.stack(["the", "and"]))
    assert not np.array_equal(*both)


def test_unique_and_common_words(planted: Any) -> None:
    kinds = models.word_kinds(planted.corpus.words, planted.owners, planted.corpus.names)
    assert {"glimmerfeed"} <= set(kinds.unique["Corvane"]) and "corvane" not in kinds.unique["Corvane"]
    assert {"and", "the"} <= set(kinds.common)


def test_the_cosine_of_independent_directions() -> None:
    draws = np.random.default_rng(0).normal(size=(20_000, 2, 24))
    draws /= np.linalg.norm(draws, axis=2, keepdims=True)
    assert np.abs((draws[:, 0] * draws[:, 1]).sum(axis=1)).mean() == pytest.approx(models.chance_cosine(24), rel=0.02)
