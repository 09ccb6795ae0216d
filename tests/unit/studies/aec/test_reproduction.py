"""Tables 1 to 6: counts by hand, accuracies and leads worked out again, named tweets and features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from made_experiments import DRAWN, made_answers, made_corpus
from refusals import assert_refused

from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.error_analysis.error_classifiers import ErrorClassifier
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.sampling_strategies import BaseOutput
from trustnlp.studies.aec import reproduction
from trustnlp.studies.aec.data.error_corpus import BaseAnswers, ErrorCorpus
from trustnlp.studies.aec.data.experiments import TOP, Experiment, experiment_of
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES
from trustnlp.studies.aec.reproduction import base_numbers, measured, ranking_numbers, spreads


def test_texts_are_counted_and_rules_and_draws_tested() -> None:
    held_out = (Sentences(("z",), np.array([0])), Sentences(("y",), np.array([1])))
    train = Sentences(("a b", "c d", "e f", "e f"), np.array([0, 1, 2, 2]))
    # Of 400 rows the last hundred, all negative, repeat one text.
    read = Sentences((*map(str, range(300)), *("0" for _ in range(100))), np.repeat([0, 1, 2, 0], 100))
    corpus = ErrorCorpus(
        SentenceSet("t", LABEL_NAMES, train, *held_out), read, Sentences(read.texts[:300], read.labels[:300]), {}, 1
    )
    counted = reproduction.text_numbers(corpus, (50, 50, 50), {"table1": dict.fromkeys(LABEL_NAMES, 1)}, "smoke")
    assert [counted[f"data.sst.{label}"] for label in LABEL_NAMES] == [1, 1, 2]
    # "none" and "held out" keep the repeat, the seven others drop it.
    assert counted["data.sst.rules_tried"] == 9 and counted["data.sst.rules_fitting"] == 7
    assert counted["data.airline.p_value"] == pytest.approx(1) and counted["data.airline.p_value_rows"] < 0.01
    assert counted["data.airline.stratified_excess"] == pytest.approx(50 / 0.8 - 200)


def test_a_random_draw_has_the_counts_of_what_is_drawn_from() -> None:
    n = 300
    tweets = Sentences(tuple(map(str, range(n))), np.repeat([0, 1, 2], [180, 80, 40]))
    rows = [list(reproduction.drawn_numbers(tweets, 60, seed).values()) for seed in range(200)]
    assert {sum(row) for row in rows} == {60}
    np.testing.assert_allclose(np.mean(rows, axis=0), [36, 16, 8], atol=1)
    assert (
        reproduction.drawn_numbers(tweets, 60, 3)
        == reproduction.drawn_numbers(tweets, 60, 3)
        != reproduction.drawn_numbers(tweets, 60, 4)
    )
    assert reproduction.drawn_numbers(tweets, n, 0) == {
        "data.airline.drawn.negative": 180,
        "data.airline.drawn.neutral": 80,
        "data.airline.drawn.positive": 40,
    }


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


EXAMPLES: dict[str, dict[str, Any]] = {
    "row1": {"words": "onion rings", "predicted": "neutral", "label": "negative"},
    "row2": {"words": "on hold", "predicted": "neutral", "label": "positive"},
}


@dataclass
class FirstColumn:
    """A model that goes by its first column alone."""

    feature_importances_: Any = None

    def predict_proba(self, values: np.ndarray) -> np.ndarray:
        return np.column_stack([1 - values[:, 0], values[:, 0]])


def made_tweets(*texts: str) -> Sentences:
    return Sentences(texts, np.arange(len(texts)) % 3)


def test_a_tweet_is_the_shortest_that_has_the_words() -> None:
    made = made_tweets("so many Onion Rings here", "ONION rings", "I am on hold", "on hold", "no")
    assert reproduction.example_rows(made, EXAMPLES) == {"row1": 1, "row2": 3}
    assert reproduction.example_rows(made_tweets("a", "b", "c"), EXAMPLES) == {"row1": 0, "row2": 1}
    assert_refused(
        lambda each: reproduction.example_rows(each, EXAMPLES), [(made_tweets("on hold", "b"), "words of row1 of")]
    )


def test_printed_labels_are_counted() -> None:
    made = made_tweets("onion rings", "b", "on hold")  # negative, neutral, positive
    rows = {"row1": 0, "row2": 2}
    assert reproduction.labels_margin(made, rows, EXAMPLES) == 0.5
    assert reproduction.labels_margin(made, {"row1": 0, "row2": 1}, EXAMPLES) == -0.5


def test_a_tweet_of_table_5_has_a_probability_of_a_forest_that_has_not_seen_it() -> None:
    first = experiment_of(made_corpus(), made_answers(0), DRAWN, 0)
    seen = int(first.train_rows[0])
    rows = {"row1": seen, "row2": int(first.test_rows[0])}
    assert_refused(lambda each: reproduction.example_numbers(each, rows, EXAMPLES), [(first, "seen 1 of the tweets")])
    made = experiment_of(made_corpus(), made_answers(0), DRAWN, 0, unseen=rows.values())
    neutral = np.tile([0.2, 0.5, 0.3], (len(made_corpus().tweets), 1))
    for probabilities, margin in ((neutral, 0.5), (neutral[:, [1, 0, 2]], -0.5)):
        answers = replace(made.answers, tweets=probabilities)
        found = reproduction.example_numbers(replace(made, answers=answers), rows, EXAMPLES)
        assert found["table5.neutral_margin"] == margin
    found = reproduction.example_numbers(made, rows, EXAMPLES)
    np.testing.assert_allclose(
        [found["table5.row1.probability"], found["table5.row2.probability"]],
        made.fitted("aec").of_values(made.corpus.features.values[list(rows.values())]),
    )


def test_each_named_feature_has_the_unnamed_one_of_its_group_that_is_as_common() -> None:
    shares = {"a": 0.5, "b": 0.2, "c": 0.45, "d": 0.25, "e": 0.9, "f": 0.1, "g": 0.1, "h": 0.5}
    groups = {"a": "entity", "b": "entity", "c": "entity", "d": "entity", "e": "entity", "f": "emotion",
              "g": "conversation", "h": "conversation"}  # fmt: skip
    values = np.column_stack([np.arange(100) < 100 * share for share in shares.values()]).astype(float)
    table = FeatureTable(tuple(shares), values, tuple(groups.values()))
    printed = {"entities": ["a", "b", "x"], "nrc": ["f"], "lexical": ["g"], "dependency": ["y"]}
    pairs = [tuple(table.names[column] for column in pair) for pair in reproduction.matched_pairs(table, printed)]
    # The emotion has no unnamed one; g and h are not alike, but the only ones.
    assert sorted(pairs) == [("a", "c"), ("b", "d"), ("g", "h")]
    assert reproduction.prevalence(table)[:2].tolist() == [0.5, 0.2]


def test_a_fall_is_that_of_predicting_all_texts_again() -> None:
    rng = np.random.default_rng(0)
    values = np.round(rng.random((80, 2)), 1)
    wrong = rng.random(80) < values[:, 0]
    held_out = BaseOutput(FeatureTable(("a", "b"), values, ("x", "x")), np.zeros(80, dtype=int), wrong=wrong)
    classifier = ErrorClassifier("f", ("a", "b"), FirstColumn())
    found = reproduction.held_out_falls(classifier, held_out, [0, 1], 4, np.random.default_rng(1))
    shuffled = np.random.default_rng(1).permuted(np.tile(values[:, 0], (4, 1)), axis=1)

    def area(scores: np.ndarray) -> float:
        above = scores[wrong][:, None] - scores[~wrong][None]
        return float(((above > 0) + 0.5 * (above == 0)).mean())

    assert found[0] == pytest.approx(area(values[:, 0]) - np.mean([area(each) for each in shuffled]))
    assert found[0] > 0.1 and found[1] == 0


def test_a_feature_that_no_text_has_is_not_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    made = experiment_of(made_corpus(), made_answers(0), DRAWN, 0)
    printed = {"lexical": ["no", "thanks"], "entities": ["ORG", "DATE", "CARDINAL"]}
    found, features = reproduction.feature_numbers(made, printed, shuffles=5)
    assert found["table6.lexical.top100_margin"] == pytest.approx(0.1)
    assert found["table6.entities.top100_margin"] == pytest.approx(1 / 3 - 0.9)
    by_name = {name: (rank, share) for name, rank, share in features}
    assert by_name["no"][0] == 1 and by_name["DATE"] == (None, 0.0)
    assert by_name["ORG"][1] == pytest.approx((made.train.features.values[:, 3] > 0).mean())
    monkeypatch.setattr(reproduction, "_HIGHEST", 1)
    assert reproduction.feature_numbers(made, printed, shuffles=1)[0]["table6.lexical.top1_margin"] == pytest.approx(
        -0.4
    )


def test_the_planted_cause_helps_more_than_its_partner() -> None:
    made = experiment_of(made_corpus(), made_answers(0), DRAWN, 0)
    # "no" against one of the two others of its group, which know nothing.
    assert reproduction.feature_numbers(made, {"lexical": ["no"]}, shuffles=5)[0]["table6.useful"] > 5
    assert reproduction.feature_numbers(made, {"lexical": ["thanks"]}, shuffles=5)[0]["table6.useful"] < 5
    everything = {"lexical": ["no", "thanks", "?"]}
    assert "table6.useful" not in reproduction.feature_numbers(made, everything, shuffles=5)[0]
