"""Tables 5 and 6: tweets are found and not learned from, named features are ranked, and each has a fair partner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from made_experiments import DRAWN, made_answers, made_corpus
from refusals import assert_refused

from trustnlp.error_analysis.error_classifiers import ErrorClassifier
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.sampling_strategies import BaseOutput
from trustnlp.studies.aec.data.labelled_sets import Tweets
from trustnlp.studies.aec.reproduction import named_features as named
from trustnlp.studies.aec.reproduction.error_experiments import experiment_of

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


def tweets(*texts: str) -> Tweets:
    n = len(texts)
    return Tweets(texts, np.arange(n) % 3, np.arange(n), np.ones(n))


def test_a_tweet_is_the_shortest_that_has_the_words() -> None:
    made = tweets("so many Onion Rings here", "ONION rings", "I am on hold", "on hold", "no")
    assert named.example_rows(made, EXAMPLES) == {"row1": 1, "row2": 3}
    assert named.example_rows(tweets("a", "b", "c"), EXAMPLES) == {"row1": 0, "row2": 1}
    assert_refused(lambda each: named.example_rows(each, EXAMPLES), [(tweets("on hold", "b"), "words of row1 of")])


def test_printed_labels_are_counted() -> None:
    made = tweets("onion rings", "b", "on hold")  # negative, neutral, positive
    rows = {"row1": 0, "row2": 2}
    assert named.labels_margin(made, rows, EXAMPLES) == 0.5
    assert named.labels_margin(made, {"row1": 0, "row2": 1}, EXAMPLES) == -0.5


def test_a_tweet_of_table_5_has_a_probability_of_a_forest_that_has_not_seen_it() -> None:
    first = experiment_of(made_corpus(), made_answers(0), DRAWN, 0)
    seen = int(first.train_rows[0])
    rows = {"row1": seen, "row2": int(first.test_rows[0])}
    assert_refused(lambda each: named.example_numbers(each, rows, EXAMPLES), [(first, "seen 1 of the tweets")])
    made = experiment_of(made_corpus(), made_answers(0), DRAWN, 0, unseen=rows.values())
    neutral = np.tile([0.2, 0.5, 0.3], (len(made_corpus().tweets), 1))
    for probabilities, margin in ((neutral, 0.5), (neutral[:, [1, 0, 2]], -0.5)):
        answers = replace(made.answers, tweets=probabilities)
        found = named.example_numbers(replace(made, answers=answers), rows, EXAMPLES)
        assert found["table5.neutral_margin"] == margin
    found = named.example_numbers(made, rows, EXAMPLES)
    np.testing.assert_allclose(
        [found["table5.row1.probability"], found["table5.row2.probability"]],
        made.fitted("aec").of_values(made.corpus.features.values[list(rows.values())]),
    )


def test_equal_importance_counts_against_both() -> None:
    model = FirstColumn(np.array([0.2, 0.5, 0.2, 0.1]))
    assert named.impurity_ranks(ErrorClassifier("f", ("a", "b", "c", "d"), model)).tolist() == [3, 1, 3, 4]


def test_each_named_feature_has_the_unnamed_one_of_its_group_that_is_as_common() -> None:
    shares = {"a": 0.5, "b": 0.2, "c": 0.45, "d": 0.25, "e": 0.9, "f": 0.1, "g": 0.1, "h": 0.5}
    groups = {"a": "entity", "b": "entity", "c": "entity", "d": "entity", "e": "entity", "f": "emotion",
              "g": "conversation", "h": "conversation"}  # fmt: skip
    values = np.column_stack([np.arange(100) < 100 * share for share in shares.values()]).astype(float)
    table = FeatureTable(tuple(shares), values, tuple(groups.values()))
    printed = {"entities": ["a", "b", "x"], "nrc": ["f"], "lexical": ["g"], "dependency": ["y"]}
    pairs = [tuple(table.names[column] for column in pair) for pair in named.matched_pairs(table, printed)]
    # The emotion has no unnamed one; g and h are not alike, but the only ones.
    assert sorted(pairs) == [("a", "c"), ("b", "d"), ("g", "h")]
    assert named.prevalence(table)[:2].tolist() == [0.5, 0.2]


def test_of_more_named_than_unnamed_features_the_nearest_have_a_partner() -> None:
    shares = (0.5, 0.2, 0.21)
    values = np.column_stack([np.arange(100) < 100 * share for share in shares]).astype(float)
    table = FeatureTable(("a", "b", "c"), values, ("entity",) * 3)
    assert named.matched_pairs(table, {"entities": ["a", "b"]}) == [(1, 2)]


def test_a_fall_is_that_of_predicting_all_texts_again() -> None:
    rng = np.random.default_rng(0)
    values = np.round(rng.random((80, 2)), 1)
    wrong = rng.random(80) < values[:, 0]
    held_out = BaseOutput(FeatureTable(("a", "b"), values, ("x", "x")), np.zeros(80, dtype=int), wrong=wrong)
    classifier = ErrorClassifier("f", ("a", "b"), FirstColumn())
    found = named.held_out_falls(classifier, held_out, [0, 1], 4, np.random.default_rng(1))
    shuffled = np.random.default_rng(1).permuted(np.tile(values[:, 0], (4, 1)), axis=1)

    def area(scores: np.ndarray) -> float:
        above = scores[wrong][:, None] - scores[~wrong][None]
        return float(((above > 0) + 0.5 * (above == 0)).mean())

    assert found[0] == pytest.approx(area(values[:, 0]) - np.mean([area(each) for each in shuffled]))
    assert found[0] > 0.1 and found[1] == 0


def test_a_constant_feature_falls_by_nothing() -> None:
    table = FeatureTable(("a",), np.ones((4, 1)), ("x",))
    held_out = BaseOutput(table, np.zeros(4, dtype=int), wrong=np.array([True, False, True, False]))
    found = named.held_out_falls(
        ErrorClassifier("f", ("a",), FirstColumn()), held_out, [0], 2, np.random.default_rng(0)
    )
    assert found == {0: 0.0}


def test_a_feature_that_no_text_has_is_not_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    made = experiment_of(made_corpus(), made_answers(0), DRAWN, 0)
    printed = {"lexical": ["no", "thanks"], "entities": ["ORG", "DATE", "CARDINAL"]}
    found, features = named.feature_numbers(made, printed, shuffles=5)
    assert found["table6.lexical.top100_margin"] == pytest.approx(0.1)
    assert found["table6.entities.top100_margin"] == pytest.approx(1 / 3 - 0.9)
    by_name = {each.name: each for each in features}
    assert by_name["no"].rank == 1 and by_name["DATE"] == named.NamedFeature("DATE", None, 0.0)
    assert by_name["ORG"].prevalence == pytest.approx((made.train.features.values[:, 3] > 0).mean())
    monkeypatch.setattr(named, "_HIGHEST", 1)
    assert named.feature_numbers(made, printed, shuffles=1)[0]["table6.lexical.top1_margin"] == pytest.approx(-0.4)


def test_the_planted_cause_helps_more_than_its_partner() -> None:
    made = experiment_of(made_corpus(), made_answers(0), DRAWN, 0)
    # "no" against one of the two others of its group, which know nothing.
    assert named.feature_numbers(made, {"lexical": ["no"]}, shuffles=5)[0]["table6.useful"] > 5
    assert named.feature_numbers(made, {"lexical": ["thanks"]}, shuffles=5)[0]["table6.useful"] < 5
    everything = {"lexical": ["no", "thanks", "?"]}
    assert "table6.useful" not in named.feature_numbers(made, everything, shuffles=5)[0]


def test_the_table_counts_seeds_in_which_a_feature_is_high() -> None:
    rows: dict[str, list[list[Any]]] = {
        "0": [["a", 5, 0.2], ["b", None, 0.0], ["c", 101, 0.1]],
        "1": [["a", 8, 0.4], ["b", 300, 0.1], ["c", 100, 0.1]],
    }
    table = named.named_table(rows)
    assert list(table.index) == ["a", "c", "b"]
    assert table.loc["a"].tolist() == pytest.approx([6.5, 30, 1])
    assert table.loc["c", "in the top 100"] == 0.5 and table.loc["b", "in the top 100"] == 0
