"""Tables 3 and 4: accuracies and leads worked out again, and one source of chance redrawn at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_experiments import DRAWN, made_answers, made_corpus

from trustnlp.studies.aec.data.error_corpus import BaseAnswers
from trustnlp.studies.aec.reproduction.error_experiments import TOP, Experiment, experiment_of
from trustnlp.studies.aec.reproduction.ranked_errors import base_numbers, measured, ranking_numbers, spreads

PRINTED: dict[str, Any] = {"table4": {"top": [10, 40], "uncertainty": [0.8, 0.75], "aec": [0.7, 0.83]}}
STRATEGIES = ("oracle", "least_confidence", "aec")


@pytest.fixture(scope="module")
def made() -> Experiment:
    return experiment_of(made_corpus(), made_answers(0), DRAWN, 0)


def macro_f1(predicted: np.ndarray, truth: np.ndarray) -> float:
    found = []
    for label in range(3):
        hits = ((predicted == label) & (truth == label)).sum()
        found.append(2 * hits / ((predicted == label).sum() + (truth == label).sum()))
    return float(np.mean(found))


def test_the_base_is_scored_on_the_drawn_tweets_and_on_reviews(made: Experiment) -> None:
    found = base_numbers(made)
    truth, predicted = made.corpus.tweets.labels[made.drawn], made.answers.tweets[made.drawn].argmax(1)
    accuracy = 100 * (truth == predicted).mean()
    assert found["accuracy"] == pytest.approx(accuracy)
    assert found["macro_f1"] == pytest.approx(100 * macro_f1(predicted, truth))
    assert found["above_majority"] == pytest.approx(accuracy - 100 * 180 / 430)
    assert found["sst_accuracy"] == 100 and found["domain_gap"] == pytest.approx(100 - accuracy)


def test_leads_are_differences_of_precisions_in_points(made: Experiment) -> None:
    found = ranking_numbers(made, STRATEGIES)
    aec, other = (made.precision(name) for name in ("aec", "least_confidence"))
    for k in TOP:
        assert found[f"aec.p{k}"] == aec[k] and found[f"least_confidence.p{k}"] == other[k]
        assert found[f"lead.p{k}"] == pytest.approx(100 * (aec[k] - other[k]))
    assert found["uncertainty_lead.p10"] == -found["lead.p10"]
    assert found["lead.mean"] == pytest.approx(np.mean([found[f"lead.p{k}"] for k in TOP]))
    assert made.test.wrong is not None
    above = 100 * (other[50] - made.test.wrong.mean())
    assert found["least_confidence.p50_above_random"] == pytest.approx(above)
    assert found["oracle.auc"] == 1 and found["aec.auc"] == made.area("aec")
    assert found["lead.mean"] > 0  # confidence says nothing of these errors, the negation does


def test_what_weights_change_needs_both_networks(made: Experiment) -> None:
    alone = measured({"cnn": made}, STRATEGIES)
    assert alone["cnn.accuracy"] == base_numbers(made)["accuracy"]
    assert not any(key.startswith("weighting") for key in alone)
    labels = made.corpus.tweets.labels
    negative = replace(made.answers, base="plain", tweets=np.eye(3)[np.where(labels == 1, 0, labels)])
    plain = experiment_of(made.corpus, negative, DRAWN, 0)
    both = measured({"cnn": made, "plain": plain}, STRATEGIES)
    assert both["plain.accuracy"] == pytest.approx(100 * (180 + 90) / 430)
    assert both["weighting.accuracy_cost"] == pytest.approx(both["plain.accuracy"] - both["cnn.accuracy"])
    assert both["weighting.macro_f1_gain"] == pytest.approx(both["cnn.macro_f1"] - both["plain.macro_f1"])


def test_one_source_of_chance_is_redrawn_and_the_others_are_held() -> None:
    corpus, asked = made_corpus(), []

    def answers(seed: int) -> BaseAnswers:
        asked.append(seed)
        return made_answers(seed)

    found = spreads(corpus, answers, DRAWN, 7, splits=3, undersamplings=2, bases=3, printed=PRINTED)
    assert asked == [7, 0, 1, 2]
    by_hand: dict[str, list[Experiment]] = {
        "split": [experiment_of(corpus, made_answers(7), DRAWN, 7, split=each) for each in range(3)],
        "undersample": [experiment_of(corpus, made_answers(7), DRAWN, 7, undersampling=each) for each in range(2)],
        "base": [experiment_of(corpus, made_answers(each), DRAWN, 7) for each in range(3)],
    }
    expected = {}
    for source, experiments in by_hand.items():
        aec = np.array([[100 * each.precision("aec")[k] for k in (40, 50)] for each in experiments])
        other = np.array([[100 * each.precision("least_confidence")[k] for k in (40, 50)] for each in experiments])
        for name, values in (("aec", aec), ("uncertainty", other), ("lead", aec - other)):
            expected[f"spread.{source}.{name}.p50"] = values[:, 1].std(ddof=1)
        if source == "split":
            # 33 of 40 against 30 of 40.
            expected["spread.printed_lead_margin.p40"] = 7.5 - 2 * (aec - other)[:, 0].std(ddof=1)
    assert found == pytest.approx(expected)


def test_a_source_that_is_not_redrawn_has_no_spread() -> None:
    found = spreads(made_corpus(), made_answers, DRAWN, 0, splits=1, undersamplings=2, bases=0, printed=PRINTED)
    assert set(found) == {f"spread.undersample.{name}.p50" for name in ("aec", "uncertainty", "lead")}
