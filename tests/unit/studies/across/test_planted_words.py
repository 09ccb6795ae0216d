"""Forms are what they say, scores of explainers by hand, and faults that would turn the answer are seen."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trustnlp.attribution.word_attributions import attributions_of
from trustnlp.studies.across.planted_words import (
    CUES,
    FORMS,
    UNUSED,
    CueNetwork,
    firsts,
    made_sentences,
    planted,
    run,
    summary,
    with_cues,
)

SENTENCES = made_sentences(np.random.default_rng(0))
TABLE = {"sum": (0, 2, 2, 4), "and": (0, 0, 0, 4), "or": (0, 4, 4, 4), "flip": (0, 4, 0, -4), "clean": (0, 0, 0, 0)}


@pytest.mark.parametrize("form", TABLE)
def test_a_form_is_its_table(form: str) -> None:
    network = CueNetwork(torch.tensor([0.0, 0.5, 0.0, 0.0]), (2, 3), form)
    ids = torch.tensor([[1, 0, 0], [1, 2, 0], [1, 3, 0], [1, 2, 3]])
    attended = (ids > 0).long()
    margin = network(ids, attended)[:, 1] - network(ids, attended)[:, 0]
    assert margin.tolist() == pytest.approx([0.5 + part for part in TABLE[form]])


@pytest.mark.parametrize("form", FORMS)
def test_every_text_has_its_cues_once_and_no_word_twice(form: str) -> None:
    given = planted(form, SENTENCES, 4, 0)
    for text, cues in zip(given.texts, given.cues, strict=True):
        words = text.split()
        assert len(set(words)) == len(words) == 10 + len(cues) and set(cues) == set(CUES) & set(words)
    assert set(given.texts).isdisjoint(given.corpus)


def test_gradients_and_occlusion_are_blind_where_one_word_is_enough_and_integrated_ones_share() -> None:
    given = planted("or", SENTENCES, 3, 0)
    for name, size in (("gradient_x_input", 0.0), ("integrated_gradients", 1.0)):
        for found in attributions_of(given.model, given.texts, name, label=1):
            of_cues = [score for word, score in zip(found.words, found.scores, strict=True) if word in CUES]
            assert of_cues == pytest.approx([size, size], abs=1e-4)
    for found in attributions_of(given.model, given.texts, "occlusion", label=1):
        of_cues = [score for word, score in zip(found.words, found.scores, strict=True) if word in CUES]
        assert of_cues == pytest.approx([0.0, 0.0], abs=1e-6)


def test_a_cue_that_the_classifier_does_not_use_after_all_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("sum", SENTENCES, 3, 100, 5, 0)["found.occlusion"] == 1
    monkeypatch.setattr("trustnlp.studies.across.planted_words._STRENGTH", 0.0)
    assert run("sum", SENTENCES, 3, 100, 5, 0)["found.occlusion"] < 0.5


def test_a_second_run_draws_anew_and_one_unused_cue_is_an_alarm() -> None:
    found = run("clean", SENTENCES, 15, 100, 5, 0)
    assert found["again.random"] < 0.5 and found["alarm.random"] > 0.1 and found["alarm.occlusion"] == 0


def test_the_learned_classifier_follows_its_cue_and_the_other_has_nothing_to_follow() -> None:
    learned, unlearned = (run(form, SENTENCES, 3, 100, 5, 0) for form in ("learned", "unlearned"))
    assert learned["rate"] > 0.9 and learned["found.occlusion"] == 1
    assert unlearned["alarm.occlusion"] == 0


def test_all_forms_of_a_seed_have_the_same_sentences_and_a_seed_repeats() -> None:
    def bare(text: str) -> list[str]:
        return [word for word in text.split() if word not in CUES]

    first = planted("sum", SENTENCES, 3, 1)
    assert [bare(text) for text in first.texts] == [bare(text) for text in planted("learned", SENTENCES, 3, 1).texts]
    assert first.texts == planted("sum", SENTENCES, 3, 1).texts != planted("sum", SENTENCES, 3, 2).texts


def test_first_words_by_size_the_first_of_equal_ones() -> None:
    assert firsts([np.array([0.1, -0.5, 0.5, 0.1])], ["a b c d"], 3) == [frozenset("bca")]


def test_cues_stand_at_every_place() -> None:
    rng = np.random.default_rng(0)
    assert {with_cues("x y", ["c"], rng) for _ in range(40)} == {"c x y", "x c y", "x y c"}


def test_summary_keeps_the_worst_form_that_uses_a_cue() -> None:
    names = ["occlusion", "gradient_x_input", "integrated_gradients", "lime", "kernel_shap", "shapley", "random"]

    def row(form: str, value: float) -> dict[str, float]:
        what = "alarm" if form in UNUSED else "found"
        return {f"{what}.{name}": value for name in (*names, "chi_squared")} | {"calls.lime": value}

    runs = {form: [row(form, 1 - place / 10), row(form, place / 10)] for place, form in enumerate(FORMS)}
    found = summary(runs)
    assert found["worst.lime"] == pytest.approx([0.5, 0.0])
    assert found["calls.lime"] == [1.0, 0.0] and found["alarm.clean.lime"] == pytest.approx([0.6, 0.4])
