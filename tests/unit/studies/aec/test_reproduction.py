"""Tables 1 to 6: counts by hand, accuracies and leads worked out again, named tweets and features."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from made_experiments import DRAWN, made_answers, made_corpus
from refusals import assert_refused
from sklearn.metrics import roc_auc_score

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
    tweets = Sentences(tuple(map(str, range(300))), np.repeat([0, 1, 2], [180, 80, 40]))

    def drawn(count: int, seed: int) -> list[float]:
        found = reproduction.drawn_numbers(tweets, count, seed)
        return [found[f"data.airline.drawn.{label}"] for label in LABEL_NAMES]

    rows = [drawn(60, seed) for seed in range(200)]
    assert {sum(row) for row in rows} == {60}
    np.testing.assert_allclose(np.mean(rows, axis=0), [36, 16, 8], atol=1)
    assert drawn(60, 3) == rows[3] != rows[4] and drawn(300, 0) == [180, 80, 40]


PRINTED: dict[str, Any] = {"table4": {"top": [10, 40], "uncertainty": [0.8, 0.75], "aec": [0.7, 0.83]}}
STRATEGIES = ("oracle", "least_confidence", "aec")


@pytest.fixture(scope="module")
def made() -> Experiment:
    return experiment_of(made_corpus(), made_answers(0), DRAWN, 0)


def test_the_base_is_scored_on_the_drawn_tweets_and_on_reviews(made: Experiment) -> None:
    found = base_numbers(made)
    truth, predicted = made.corpus.tweets.labels[made.drawn], made.answers.tweets[made.drawn].argmax(1)
    accuracy = 100 * (truth == predicted).mean()
    hits, asked, said = (np.bincount(each, minlength=3) for each in (truth[truth == predicted], truth, predicted))
    assert found["accuracy"] == pytest.approx(accuracy)
    assert found["macro_f1"] == pytest.approx(100 * np.mean(2 * hits / (asked + said)))
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
    both = measured({"cnn": made, "plain": experiment_of(made.corpus, negative, DRAWN, 0)}, STRATEGIES)
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
    by_hand = {
        "split": [experiment_of(corpus, made_answers(7), DRAWN, 7, split=each) for each in range(3)],
        "undersample": [experiment_of(corpus, made_answers(7), DRAWN, 7, undersampling=each) for each in range(2)],
        "base": [experiment_of(corpus, made_answers(each), DRAWN, 7) for each in range(3)],
    }

    def percent(source: str, strategy: str, k: int) -> np.ndarray:
        return np.array([100 * each.precision(strategy)[k] for each in by_hand[source]])

    for source in by_hand:
        aec, other = (percent(source, strategy, 50) for strategy in ("aec", "least_confidence"))
        for name, values in (("aec", aec), ("uncertainty", other), ("lead", aec - other)):
            assert found.pop(f"spread.{source}.{name}.p50") == pytest.approx(values.std(ddof=1))
    # 33 of 40 against 30 of 40.
    lead = percent("split", "aec", 40) - percent("split", "least_confidence", 40)
    assert found == {"spread.printed_lead_margin.p40": pytest.approx(7.5 - 2 * lead.std(ddof=1))}


EXAMPLES: dict[str, dict[str, Any]] = {
    "row1": {"words": "onion rings", "predicted": "neutral", "label": "negative"},
    "row2": {"words": "on hold", "predicted": "neutral", "label": "positive"},
}


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
    for row2, margin in ((2, 0.5), (1, -0.5)):
        assert reproduction.labels_margin(made, {"row1": 0, "row2": row2}, EXAMPLES) == margin


def test_a_tweet_of_table_5_has_a_probability_of_a_forest_that_has_not_seen_it(made: Experiment) -> None:
    rows = {"row1": int(made.train_rows[0]), "row2": int(made.test_rows[0])}
    assert_refused(lambda: reproduction.example_numbers(made, rows, EXAMPLES), [("seen 1 of the tweets",)])
    unseen = experiment_of(made_corpus(), made_answers(0), DRAWN, 0, unseen=rows.values())
    for probabilities, margin in (([0.2, 0.5, 0.3], 0.5), ([0.5, 0.2, 0.3], -0.5)):
        answers = replace(unseen.answers, tweets=np.tile(probabilities, (len(made_corpus().tweets), 1)))
        found = reproduction.example_numbers(replace(unseen, answers=answers), rows, EXAMPLES)
        assert found["table5.neutral_margin"] == margin
    found = reproduction.example_numbers(unseen, rows, EXAMPLES)
    expected = unseen.fitted("aec").of_values(unseen.corpus.features.values[list(rows.values())])
    np.testing.assert_allclose([found[f"table5.{row}.probability"] for row in rows], expected)


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
    model = SimpleNamespace(predict_proba=lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]]))  # by "a" alone
    classifier = ErrorClassifier("f", ("a", "b"), model)
    found = reproduction.held_out_falls(classifier, held_out, [0, 1], 4, np.random.default_rng(1))
    shuffled = np.random.default_rng(1).permuted(np.tile(values[:, 0], (4, 1)), axis=1)
    falls = roc_auc_score(wrong, values[:, 0]) - np.mean([roc_auc_score(wrong, each) for each in shuffled])
    assert found[0] == pytest.approx(falls) and found[0] > 0.1 and found[1] == 0


def test_a_feature_that_no_text_has_is_not_ranked(made: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = {"lexical": ["no", "thanks"], "entities": ["ORG", "DATE", "CARDINAL"]}
    found, features = reproduction.feature_numbers(made, printed, shuffles=5)
    assert found["table6.lexical.top100_margin"] == pytest.approx(0.1)
    assert found["table6.entities.top100_margin"] == pytest.approx(1 / 3 - 0.9)
    by_name = {name: (rank, share) for name, rank, share in features}
    assert by_name["no"][0] == 1 and by_name["DATE"] == (None, 0.0)
    assert by_name["ORG"][1] == pytest.approx((made.train.features.values[:, 3] > 0).mean())
    monkeypatch.setattr(reproduction, "_HIGHEST", 1)
    found, _ = reproduction.feature_numbers(made, printed, shuffles=1)
    assert found["table6.lexical.top1_margin"] == pytest.approx(-0.4)


def test_the_planted_cause_helps_more_than_its_partner(made: Experiment) -> None:
    def useful(*lexical: str) -> float | None:
        return reproduction.feature_numbers(made, {"lexical": [*lexical]}, shuffles=5)[0].get("table6.useful")

    # "no" against one of the two others of its group, which know nothing.
    assert useful("no") > 5 > useful("thanks")  # type: ignore[operator]
    assert useful("no", "thanks", "?") is None
