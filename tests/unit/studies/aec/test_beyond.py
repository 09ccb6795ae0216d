"""Checks beyond the paper on made-up errors whose cause is known, by hand where they can be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.error_analysis.error_slices import find_slices
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.sampling_strategies import least_confidence
from trustnlp.studies.aec import beyond
from trustnlp.studies.aec.data.error_corpus import BaseAnswers, ErrorCorpus
from trustnlp.studies.aec.data.experiments import Experiment, experiment_of
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES
from trustnlp.studies.aec.reproduction import lead_numbers

N = 1_200
NAMES = ("cause", "other cause", *(f"noise {number}" for number in range(12)))
GROUPS = (*("a",) * (len(NAMES) - 1), "dependency")
RNG = np.random.default_rng(0)
# Each feature is in a third of the texts.
VALUES = (RNG.random((N, len(NAMES))) < 1 / 3).astype(float)
LABELS = RNG.integers(0, 3, N)


def answers(rates: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Probabilities whose greatest is wrong at the given rates, and says nothing of it."""
    wrong = rng.random(len(labels)) < rates
    said = np.where(wrong, (labels + 1) % 3, labels)
    top = rng.uniform(0.5, 0.9, len(labels))
    found = np.repeat((1 - top)[:, None] / 2, 3, axis=1)
    found[np.arange(len(labels)), said] = top
    return found


def experiment(seed: int, effects: dict[str, float]) -> Experiment:
    """Errors on .35 of the texts, and where a feature is, so much more or less often; the corpus is the same."""
    tweets = Sentences(tuple(f"tweet {n}" for n in range(N)), LABELS)
    part = Sentences(tuple(f"sentence {n}" for n in range(300)), LABELS[:300])
    corpus = ErrorCorpus(SentenceSet("made up", LABEL_NAMES, part, part, part), tweets, {}, 1)
    corpus.__dict__["features"] = FeatureTable(NAMES, VALUES, GROUPS)
    rng = np.random.default_rng([seed, 7])
    rates = np.full(N, 0.35) + sum(VALUES[:, NAMES.index(name)] * effect for name, effect in effects.items())
    own = BaseAnswers(
        "cnn", seed, answers(rates, LABELS, rng), *(answers(rates[:300], LABELS[:300], rng) for _ in range(2))
    )
    return experiment_of(corpus, own, np.bincount(LABELS).tolist(), seed)


CAUSED = experiment(0, {"cause": 0.4, "other cause": -0.3})
PURE = experiment(0, {})


def test_planted_causes_replicate_and_shuffled_errors_give_hardly_a_find() -> None:
    found = beyond.replication_numbers(CAUSED)
    assert found["slices.tested"] == len(NAMES) and found["slices.found"] >= 2
    assert found["slices.found_shuffled"] <= 1
    # Two causes of each half; a chance find is not found again.
    assert found["slices.replicated_margin"] == pytest.approx(2 / found["slices.found"] - 0.5)


def test_a_find_with_the_other_sign_does_not_replicate() -> None:
    _, second = beyond.halves(CAUSED)
    turned = CAUSED.wrong.copy()
    turned[second] = ~turned[second]
    other = replace(CAUSED)
    other.__dict__["wrong"] = turned
    assert beyond.replication_numbers(other)["slices.replicated_margin"] == -0.5


def test_what_features_add_to_probabilities_that_know_nothing() -> None:
    both, alone = (CAUSED.scores(name) for name in ("aec_with_probabilities", "probabilities"))
    gained = beyond.combined_numbers(CAUSED)
    assert gained["combined.auc_gain"] == pytest.approx(100 * (CAUSED.area(both) - CAUSED.area(alone)))
    assert gained["combined.auc_gain"] > beyond.combined_numbers(PURE)["combined.auc_gain"] + 5


def test_the_lead_on_another_base_is_that_of_its_own_errors() -> None:
    numbers = beyond.other_base_numbers(CAUSED)
    assert numbers["minilm.aec.auc"] == CAUSED.area(CAUSED.scores("aec")) > numbers["minilm.probabilities.auc"]
    assert numbers["minilm.lead.mean"] == lead_numbers(CAUSED)["lead.mean"] > 0


def test_aec_is_judged_on_other_texts_by_what_it_has_learned() -> None:
    names, table = tuple(map(str, range(600))), FeatureTable(NAMES, VALUES[:600], GROUPS)
    held_out = Sentences(names, np.tile(LABELS[:300], 2)), FeatureTable(NAMES, np.tile(VALUES[:300], (2, 1)), GROUPS)
    labels = np.where(LABELS[:600] == 1, 0, LABELS[:600])
    said = answers(0.3 + 0.4 * VALUES[:600, 0], labels, np.random.default_rng(3))
    numbers = beyond.elsewhere_numbers(CAUSED, held_out, (Sentences(names, labels), table), said)
    wrong = said.argmax(1) != labels
    assert numbers["same_domain.auc_above_half"] > 5
    for ranking, scores in (("auc", CAUSED.fitted("aec").probability(table)), ("uncertainty", least_confidence(said))):
        assert numbers[f"imdb.{ranking}_above_half"] == pytest.approx(100 * (roc_auc_score(wrong, scores) - 0.5))
    assert numbers["imdb.auc_above_half"] > 5
    assert numbers["tweets.auc_above_half"] == pytest.approx(100 * (CAUSED.area(CAUSED.scores("aec")) - 0.5))


def test_slices_of_a_record_are_causes_with_their_intervals() -> None:
    rng = np.random.default_rng(0)
    has = rng.random((800, 2)) < 0.4
    wrong = rng.random(800) < np.where(has[:, 0], 0.7, 0.3)
    tests = find_slices(FeatureTable(("cause", "noise"), has.astype(float), ("a", "b")), wrong)
    (row,) = beyond.slice_rows(tests, 5)
    assert (row["texts that have"], row["texts"]) == ("cause", has[:, 0].sum())
    shares = [100 * wrong[has[:, 0]].mean(), 100 * wrong[~has[:, 0]].mean()]
    assert [row["errors, %"], row["elsewhere, %"]] == pytest.approx(shares)
    assert row["from"] < row["errors, %"] < row["to"] and beyond.slice_rows(tests, 0) == []
