"""Loops on made-up states: what is spent, picked and taught, by hand; and both accounts of the labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_up_loops import made_up_loop
from refusals import assert_refused
from sklearn.metrics import f1_score
from tiny_bert import tiny_encoder

from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.sampling_strategies import STRATEGIES, least_confidence
from trustnlp.reproduce import Record
from trustnlp.studies.aec import loop, models
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus, base_of
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES
from trustnlp.studies.aec.loop import LoopTexts, accounts_of, kept_loop, record_accounts, run_loop, texts_for
from trustnlp.studies.aec.models import trained_again
from trustnlp.studies.aec.standins import labelled_reviews, planted_tweets

TEXTS = made_up_loop()
REVIEWED = trained_again(*TEXTS.reviews)


def after(rows: np.ndarray) -> float:
    """Macro-F1 of the base of the reviews and some tweets, trained anew."""
    base = trained_again(
        np.concatenate([TEXTS.reviews[0], TEXTS.states[rows]]), np.concatenate([TEXTS.reviews[1], TEXTS.labels[rows]])
    )
    said, truth = base.predict(TEXTS.states[TEXTS.test]), TEXTS.labels[TEXTS.test]
    return 100 * f1_score(truth, said, average="macro")


def test_random_labels_the_shuffled_pool_from_the_front() -> None:
    course = run_loop(TEXTS, "random", step=15, rounds=3, first=30)
    expected = [after(TEXTS.shuffled[:n]) for n in (30, 45, 60, 75)]
    np.testing.assert_allclose(course.macro_f1, expected, atol=1.7)


def test_uncertainty_picks_what_the_base_is_least_sure_of() -> None:
    course = run_loop(TEXTS, "least_confidence", step=20, rounds=1)
    probabilities = REVIEWED.predict_proba(TEXTS.states[TEXTS.pool])
    picked = np.argsort(-least_confidence(probabilities))[:20]
    assert course.errors == [100 * float((probabilities.argmax(1) != TEXTS.labels[TEXTS.pool])[picked].mean())]
    assert course.macro_f1[1] == pytest.approx(after(TEXTS.pool[picked]), abs=1.7)


def test_the_oracle_picks_errors_alone() -> None:
    assert run_loop(TEXTS, "oracle", step=10, rounds=3).errors == [100.0, 100.0, 100.0]


def test_aec_finds_the_planted_cause_and_the_base_learns_from_the_first_tweets_too() -> None:
    course, by_chance = (run_loop(TEXTS, name, step=10, rounds=1, first=40) for name in ("aec", "random"))
    assert course.errors[0] > by_chance.errors[0] + 20
    assert course.macro_f1[0] == pytest.approx(after(TEXTS.shuffled[:40]), abs=1.7)


def test_a_base_that_knows_its_labels_by_heart_is_still_known_to_err() -> None:
    """Labels are random and dimensions many: the base is right on all it has seen, and errors must not seem gone."""
    rng = np.random.default_rng(1)
    moved = rng.random(260) < 0.5
    states = 20 * np.eye(260)
    states[:, 0] = 20
    labels = np.where(moved, rng.integers(1, 3, 260), 0)
    features = replace(TEXTS.features, values=np.column_stack([moved, rng.random(260)]).astype(float))
    texts = replace(TEXTS, reviews=(np.eye(3, 260), np.arange(3)), states=states, labels=labels, features=features)
    assert run_loop(texts, "aec", step=20, rounds=2, first=80).errors[1] > 40


def test_confident_tweets_are_taught_as_the_base_labels_them(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run_loop(TEXTS, "random", step=10, rounds=1, first=40)
    taught: list[Any] = []
    monkeypatch.setattr(loop, "trained_again", lambda *given: taught.append(given) or trained_again(*given))
    both = run_loop(TEXTS, "random", step=10, rounds=1, first=40, own_labels=30)
    assert both.errors == plain.errors and both.macro_f1[1] != plain.macro_f1[1]
    # After the reviews, the last thirty of the pool with what the base of the first forty says of them.
    before = trained_again(*taught[0])
    own = TEXTS.states[TEXTS.shuffled[-30:]]
    np.testing.assert_array_equal(taught[1][0][150:180], own)
    np.testing.assert_array_equal(taught[1][1][150:180], before.predict(own))
    assert (before.predict(own) != TEXTS.labels[TEXTS.shuffled[-30:]]).any()


def test_each_tweet_of_the_pool_is_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taught = []
    monkeypatch.setattr(
        loop, "trained_again", lambda states, *given: taught.append(states) or trained_again(states, *given)
    )
    run_loop(TEXTS, "least_confidence", step=50, rounds=2, own_labels=50)
    assert [len(np.unique(states, axis=0)) for states in taught] == [150, 250, 350]
    everything = np.concatenate([TEXTS.reviews[0], TEXTS.states[TEXTS.pool]])
    np.testing.assert_array_equal(np.unique(taught[-1], axis=0), np.unique(everything, axis=0))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_repeats_itself_and_depends_on_the_seed(strategy: str) -> None:
    asked = {"step": 10, "rounds": 2, "first": 40}
    course = run_loop(TEXTS, strategy, **asked)
    assert course == run_loop(TEXTS, strategy, **asked) != run_loop(made_up_loop(1), strategy, **asked)


def test_a_kept_course_is_read_and_depends_on_what_was_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "results_of", lambda _: tmp_path)
    asked = {"step": 10, "rounds": 1, "first": 20}
    course = kept_loop(TEXTS, "random", "paper", **asked)
    for texts, other in ((TEXTS, {"rounds": 2}), (made_up_loop(1), {})):
        kept_loop(texts, "random", "paper", **(asked | other))
    assert kept_loop(TEXTS, "random", "smoke", **asked) == course and len([*tmp_path.iterdir()]) == 3
    monkeypatch.setattr(loop, "run_loop", lambda *_, **__: pytest.fail("it is kept"))
    assert kept_loop(TEXTS, "random", "paper", **asked) == course


def test_what_cannot_be_run_is_refused() -> None:
    rows = [
        ("random", 100, 3, "take 300 tweets; the pool has 200"),
        ("aec", 10, 1, "0 labelled texts cannot be divided"),
    ]
    assert_refused(lambda strategy, step, rounds: run_loop(TEXTS, strategy, step=step, rounds=rounds), rows)


PARAMETERS: dict[str, Any] = {
    "profile": "smoke", "device": "cpu", "encoder": "tiny", "precision": "float32", "drawn": [60, 50, 30],
}  # fmt: skip


@pytest.fixture(scope="module")
def corpus() -> ErrorCorpus:
    made, rng = planted_tweets(300, np.random.default_rng(0)), np.random.default_rng(1)
    tweets = Sentences(made.texts, made.labels)
    parts = [labelled_reviews(n, np.random.default_rng(n)) for n in (120, 40, 40)]
    reviews = SentenceSet("made up", LABEL_NAMES, *(Sentences(each.texts, each.labels) for each in parts))
    found = ErrorCorpus(reviews, tweets, {}, 1)
    found.__dict__["features"] = FeatureTable(("a", "b"), rng.random((300, 2)), ("own", "own"))
    return found


@pytest.fixture(scope="module")
def texts(corpus: ErrorCorpus) -> Iterator[dict[int, LoopTexts]]:
    words = sorted({word for text in (*corpus.tweets.texts, *corpus.reviews.train.texts) for word in text.split()})
    with pytest.MonkeyPatch.context() as patch:
        for module in (loop, models):
            patch.setattr(module, "load_encoder", lambda name, device: tiny_encoder(words))
        yield {seed: texts_for(corpus, {**PARAMETERS, "other": 1}, seed) for seed in (0, 1)}


def test_a_seed_draws_tweets_and_holds_out_a_fifth(corpus: ErrorCorpus, texts: dict[int, LoopTexts]) -> None:
    first, other = texts[0], texts[1]
    drawn = np.concatenate([first.pool, first.test])
    assert len(set(drawn)) == 140 and len(first.test) == 28
    assert np.bincount(corpus.tweets.labels[drawn]).tolist() == PARAMETERS["drawn"]
    assert set(first.pool) != set(other.pool) and sorted(first.shuffled) == sorted(first.pool)
    assert (first.shuffled != first.pool).any()
    assert first.states.shape == (300, 16) and first.reviews[0].shape == (108, 16)
    np.testing.assert_array_equal(first.states, other.states)


def test_a_loop_begins_with_the_base_of_the_other_notebooks(corpus: ErrorCorpus, texts: dict[int, LoopTexts]) -> None:
    for seed, each in texts.items():
        own = trained_again(*each.reviews).predict_proba(each.states)
        there = base_of("minilm", corpus, PARAMETERS, seed).probabilities(corpus.tweets.texts)
        np.testing.assert_allclose(own, there, atol=1e-6)


HOW: dict[str, Any] = {"step": 10, "first": 40, "rounds": 2, "own_labels": 10}


@pytest.fixture(scope="module")
def accounts() -> Any:
    return {seed: accounts_of(texts, "smoke", **HOW) for seed, texts in ((0, TEXTS), (1, made_up_loop(1)))}


def test_both_accounts_are_of_the_same_loops(accounts: Any) -> None:
    curves, errors = accounts[0]
    labels = {account: list(curves[account, "aec"].index) for account in ("charged", "given")}
    assert labels == {"charged": [0, 10, 20, 30, 40, 50, 60], "given": [0, 10, 20]}
    for account, strategy in curves:
        assert list(curves[account, strategy].index) == labels[account]
    own = run_loop(TEXTS, "aec", step=10, rounds=2, first=40)
    assert [*curves["given", "aec"]] == own.macro_f1 and errors["aec"] == np.mean(own.errors)
    # Before its first round AEC is the random order; uncertainty chooses from the start.
    charged = curves["charged", "aec"]
    assert [*charged.iloc[4:]] == own.macro_f1
    assert (charged.iloc[:4] == curves["charged", "random"].iloc[:4]).all()
    from_start = run_loop(TEXTS, "least_confidence", step=10, rounds=6)
    assert [*curves["charged", "least_confidence"]] == from_start.macro_f1
    assert ("charged", "oracle") not in curves and ("charged", "aec_and_confident") not in curves


def test_comparisons_are_differences_of_means_over_labels(accounts: Any) -> None:
    record = Record("aec", "loop", profile="smoke", seeds=list(accounts))
    record_accounts(record, *({seed: one[at] for seed, one in accounts.items()} for at in (0, 1)))
    means = {seed: {key: curve.mean() for key, curve in curves.items()} for seed, (curves, _) in accounts.items()}
    for name, first, second in (
        ("charged.aec_over_random", "aec", "random"),
        ("charged.aec_over_uncertainty", "aec", "least_confidence"),
        ("given.aec_over_uncertainty", "aec", "least_confidence"),
        ("given.oracle_over_random", "oracle", "random"),
        ("given.confident_gain", "aec_and_confident", "aec"),
    ):
        account = name.split(".")[0]
        expected = [means[seed][account, first] - means[seed][account, second] for seed in (0, 1)]
        np.testing.assert_allclose(record.measurements[name]["values"], expected, atol=1e-9)
        assert record.measurements[name]["unit"] == "points"
    assert record.measurements["picked.aec.errors"]["values"] == [accounts[seed][1]["aec"] for seed in (0, 1)]
    last = [accounts[seed][0]["given", "aec"][20] for seed in (0, 1)]
    assert record.measurements["given.aec.macro_f1.labels20"]["values"] == pytest.approx(last)


def test_first_labels_come_in_whole_rounds() -> None:
    rows = [({**HOW, "first": 35}, "35 first labels are no multiple of the 10")]
    assert_refused(lambda how: accounts_of(TEXTS, "smoke", **how), rows)
