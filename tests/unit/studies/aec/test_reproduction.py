"""Tables 1 to 6: counts by hand, accuracies and leads worked out again, named tweets and features."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_experiments import DRAWN, made_answers, made_corpus
from refusals import assert_refused

from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.studies.aec import reproduction
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus
from trustnlp.studies.aec.data.experiments import TOP, Experiment, experiment_of
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES
from trustnlp.studies.aec.reproduction import base_numbers, measured, split_spread


def test_texts_are_counted_and_rules_tried() -> None:
    held_out = (Sentences(("z",), np.array([0])), Sentences(("y",), np.array([1])))
    train = Sentences(("a b", "c d", "e f", "e f"), np.array([0, 1, 2, 2]))
    corpus = ErrorCorpus(SentenceSet("t", LABEL_NAMES, train, *held_out), train, {}, 1)
    counted = reproduction.text_numbers(corpus, {"table1": dict.fromkeys(LABEL_NAMES, 1)}, "smoke")
    assert [counted[f"data.sst.{label}"] for label in LABEL_NAMES] == [1, 1, 2]
    # Those that let equal texts be keep the repeat, the four others drop it.
    assert counted["data.sst.rules_fitting"] == 4


def test_a_random_draw_has_the_counts_of_what_is_drawn_from() -> None:
    tweets = Sentences(tuple(map(str, range(300))), np.repeat([0, 1, 2], [180, 80, 40]))

    def drawn(count: int, seed: int) -> list[float]:
        found = reproduction.drawn_numbers(tweets, count, seed)
        return [found[f"data.airline.drawn.{label}"] for label in LABEL_NAMES]

    rows = [drawn(60, seed) for seed in range(200)]
    assert {sum(row) for row in rows} == {60}
    np.testing.assert_allclose(np.mean(rows, axis=0), [36, 16, 8], atol=1)
    assert drawn(60, 3) == rows[3] != rows[4] and drawn(300, 0) == [180, 80, 40]


PRINTED: dict[str, Any] = {
    "table3": {"incorrect": 1, "total": 2},
    "table4": {"top": [10, 40], "uncertainty": [0.8, 0.75], "aec": [0.7, 0.83]},
}


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
    leads = reproduction.lead_numbers(made)
    aec, other = (made.precision(name) for name in ("aec", "least_confidence"))
    for k in TOP:
        assert leads[f"lead.p{k}"] == pytest.approx(100 * (aec[k] - other[k]))
    # Confidence says nothing of these errors, the negation does.
    assert leads["lead.mean"] == pytest.approx(np.mean([leads[f"lead.p{k}"] for k in TOP])) and leads["lead.mean"] > 0


def test_what_weights_change_needs_both_networks(made: Experiment) -> None:
    alone = measured({"cnn": made})
    assert alone["cnn.accuracy"] == base_numbers(made)["accuracy"]
    assert alone["cnn.aec.p10"] == made.precision("aec")[10]
    assert made.test.wrong is not None
    above = 100 * (made.precision("least_confidence")[50] - made.test.wrong.mean())
    assert alone["cnn.least_confidence.p50_above_random"] == pytest.approx(above)
    assert not any(key.startswith("weighting") for key in alone)
    labels = made.corpus.tweets.labels
    negative = replace(made.answers, base="plain", tweets=np.eye(3)[np.where(labels == 1, 0, labels)])
    both = measured({"cnn": made, "plain": experiment_of(made.corpus, negative, DRAWN, 0)})
    assert both["plain.accuracy"] == pytest.approx(100 * (180 + 90) / 430)
    assert both["weighting.accuracy_cost"] == pytest.approx(both["plain.accuracy"] - both["cnn.accuracy"])
    assert both["weighting.macro_f1_gain"] == pytest.approx(both["cnn.macro_f1"] - both["plain.macro_f1"])


def test_the_split_is_redrawn_and_all_else_is_held() -> None:
    corpus = made_corpus()
    spread = split_spread(corpus, made_answers(7), DRAWN, 7, splits=3, printed=PRINTED)
    by_hand = [experiment_of(corpus, made_answers(7), DRAWN, 7, split=each) for each in range(3)]

    def percent(strategy: str, k: int) -> np.ndarray:
        return np.array([100 * each.precision(strategy)[k] for each in by_hand])

    aec, other = (percent(strategy, 50) for strategy in ("aec", "least_confidence"))
    for name, values in (("aec", aec), ("uncertainty", other), ("lead", aec - other)):
        assert spread.pop(f"spread.split.{name}.p50") == pytest.approx(values.std(ddof=1))
    # 33 of 40 against 30 of 40.
    lead = percent("aec", 40) - percent("least_confidence", 40)
    assert spread == {"spread.printed_lead_margin.p40": pytest.approx(7.5 - 2 * lead.std(ddof=1))}


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
    unseen = experiment_of(made_corpus(), made_answers(0), DRAWN, 0, unseen=rows.values())
    for probabilities, margin in (([0.2, 0.5, 0.3], 0.5), ([0.5, 0.2, 0.3], -0.5)):
        answers = replace(unseen.answers, tweets=np.tile(probabilities, (len(made_corpus().tweets), 1)))
        found = reproduction.example_numbers(replace(unseen, answers=answers), rows, EXAMPLES)
        assert found["table5.neutral_margin"] == margin
    found = reproduction.example_numbers(unseen, rows, EXAMPLES)
    expected = unseen.fitted("aec").of_values(unseen.corpus.features.values[list(rows.values())])
    np.testing.assert_allclose([found[f"table5.{row}.probability"] for row in rows], expected)


def test_a_feature_that_no_text_has_is_not_ranked(made: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = {"lexical": ["no", "thanks"], "entities": ["ORG", "DATE", "CARDINAL"]}
    margins, features = reproduction.feature_numbers(made, printed)
    assert margins["table6.lexical.top100_margin"] == pytest.approx(0.1)
    assert margins["table6.entities.top100_margin"] == pytest.approx(1 / 3 - 0.9)
    by_name = {name: (rank, share) for name, rank, share in features}
    assert by_name["no"][0] == 1 and by_name["DATE"] == (None, 0.0)
    assert by_name["ORG"][1] == pytest.approx((made.train.features.values[:, 3] > 0).mean())
    assert reproduction.prevalence(made.train.features)[3] == by_name["ORG"][1]
    monkeypatch.setattr(reproduction, "_HIGHEST", 1)
    assert reproduction.feature_numbers(made, printed)[0]["table6.lexical.top1_margin"] == pytest.approx(-0.4)
