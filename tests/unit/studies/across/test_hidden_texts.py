"""Planted truth is recovered, nobody sees the answers that score them, and choices are made on other draws."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from trustnlp.studies.across.hidden_texts import arms, readers, runs
from trustnlp.studies.across.hidden_texts.data import NAMES, PARTS, Texts, drawn, made, made_vectors

SETTINGS: dict[str, Any] = {
    "arms": list(arms.ARMS),
    "texts": 300,
    "length": 12,
    "draws": 400,
    "pairs": 1,
    "families": ["words", "mean"],
}
VECTORS = made_vectors(np.random.default_rng(0))
POOL = made(np.random.default_rng(0))
TEXTS = drawn(POOL, 300, 12, 0)


@functools.cache
def measured() -> list[runs.Measured]:
    hiding = runs.Hiding.of("smoke", SETTINGS)
    return [hiding.run(POOL, seed) for seed in range(2)]


def attacked(hidden: list[str], texts: Texts = TEXTS) -> float:
    tools = readers.text_tools(
        hidden, ["words", "mean"], VECTORS, lambda texts: np.zeros((len(texts), 1), dtype=np.float32)
    )
    return readers.best(tools, texts.secrets, texts.parts).above


def test_the_planted_secret_is_read_lost_with_its_words_and_lost_with_all_words() -> None:
    known = {name for names in NAMES for name in names}
    without = [" ".join(word for word in text.split() if word not in known) for text in TEXTS.texts]
    assert attacked(list(TEXTS.texts)) > 60
    assert abs(attacked(without)) < 15
    assert attacked(["one text"] * len(TEXTS.texts)) == pytest.approx(0)


def test_a_leak_into_what_is_removed_is_seen() -> None:
    known = {name for names in NAMES for name in names}
    gone = [" ".join("gone" if word in known else word for word in text.split()) for text in TEXTS.texts]
    assert abs(attacked(gone)) < 15
    leak = [text.replace("gone", f"gone{secret}") for text, secret in zip(gone, TEXTS.secrets, strict=True)]
    assert attacked(leak) > 60


def test_one_list_for_all_blinds_the_attacker_and_a_list_for_each_secret_is_a_signature() -> None:
    for run in measured():
        assert run["gain.none"] > 60 and run["gain.common.s1"] < 15 and run["task.common.s1"] > 40
        assert run["gain.log_odds.s2"] > run["gain.common.s2"] + 20


def test_noise_that_all_coordinates_share_hides_nothing() -> None:
    for run in measured():
        assert run["gain.dpnr_shared.s3"] > 40 and run["loss.dpnr_shared.s3"] == arms.never_mistaken(400)
        assert run["gain.dpnr.s4"] < 15


@pytest.mark.parametrize("arm", ["deletion", "words", "dpnr", "projected", "orthonormal"])
def test_a_stronger_mechanism_is_told_apart_less(arm: str) -> None:
    last = len(arms.ARMS[arm]) - 1
    assert measured()[0][f"loss.{arm}.s0"] > measured()[0][f"loss.{arm}.s{last}"] - 1e-9
    assert measured()[0][f"gain.{arm}.s{last}"] < 40


def test_parts_share_no_writer_and_classes_are_even() -> None:
    texts, labels, secrets, _ = POOL
    of_few = (texts, labels, secrets, [str(number % 60) for number in range(len(texts))])
    cut = drawn(of_few, 300, 12, 1)
    writers = {part: {cut.writers[row] for row in rows} for part, rows in cut.parts.items()}
    assert not writers["train"] & writers["test"] and not writers["dev"] & (writers["train"] | writers["test"])
    for part, share in PARTS.items():
        assert abs(len(cut.parts[part]) / 300 - share) < 0.05
    pairs, counts = np.unique(np.stack([cut.labels, cut.secrets]), axis=1, return_counts=True)
    assert pairs.shape[1] == 6 and set(counts) == {50}


def test_too_few_texts_of_a_pair_are_an_error() -> None:
    with pytest.raises(ValueError, match="are asked for"):
        drawn(POOL, 6000, 12, 0)


def test_no_reader_sees_the_answers_of_test() -> None:
    seen: list[np.ndarray] = []

    def spy(answers: np.ndarray, parts: readers.Parts) -> list[readers.Answers]:
        seen.append(answers)
        return [(np.zeros(len(parts["dev"]), dtype=int), np.zeros(len(parts["test"]), dtype=int))]

    readers.best({"spy": spy}, TEXTS.secrets, TEXTS.parts)
    assert set(seen[0][TEXTS.parts["test"]]) == {-1}
    assert (seen[0][TEXTS.parts["train"]] == TEXTS.secrets[TEXTS.parts["train"]]).all()


def test_the_tool_is_chosen_on_dev_and_scored_on_test() -> None:
    truth, parts = TEXTS.secrets, TEXTS.parts
    wrong = (truth + 1) % 3
    tools: dict[str, readers.Tool] = {
        "dev alone": lambda answers, parts: [(truth[parts["dev"]], wrong[parts["test"]])],
        "test alone": lambda answers, parts: [(wrong[parts["dev"]], truth[parts["test"]])],
    }
    score = readers.best(tools, truth, parts)
    assert score.tool == "dev alone" and score.above == pytest.approx(-100 / 3)


def test_removal_learns_from_train_alone() -> None:
    other = np.array(TEXTS.texts, dtype=object)
    other[TEXTS.parts["test"]] = "other0 rain0"
    changed = replace(TEXTS, texts=tuple(other))
    for arm in ("log_odds", "common"):
        assert [one.threshold for one in arms.removal(arm, TEXTS, 0)] == [
            one.threshold for one in arms.removal(arm, changed, 0)
        ]


def test_receiver_and_attacker_are_given_hidden_texts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def spy(hidden: Any, *_: Any) -> dict[str, readers.Tool]:
        given.append(hidden)
        nothing: readers.Tool = lambda answers, parts: [(parts["dev"] * 0, parts["test"] * 0)]  # noqa: E731
        return {"spy": nothing}

    monkeypatch.setattr(runs, "text_tools", spy)
    monkeypatch.setattr(runs, "vector_tools", spy)
    hiding = runs.Hiding.of("smoke", {**SETTINGS, "arms": ["deletion", "common", "orthonormal"]})
    monkeypatch.setattr(hiding, "_losses", lambda texts, seed: {})
    hiding.run(POOL, 0)
    none, *others = given
    assert none == TEXTS.texts
    expected = [some for arm in ("deletion", "common") for some in arms.hidden_texts(arm, TEXTS, VECTORS, None, 0)]
    released = arms.hidden_vectors("orthonormal", hiding.encodings(TEXTS.texts), 0)
    assert others[: len(expected)] == expected and len(others) == len(expected) + 2 * len(released)
    for both, one in zip(others[len(expected) :], np.repeat(np.arange(len(released)), 2), strict=True):
        assert (both == released[one]).all()


def test_one_list_asks_no_text_for_its_secret_but_those_it_learns_from() -> None:
    secrets = TEXTS.secrets.copy()
    unknown = np.concatenate([TEXTS.parts["dev"], TEXTS.parts["test"]])
    secrets[unknown] = (secrets[unknown] + 1) % 3
    lied = replace(TEXTS, secrets=secrets)
    same = {
        arm: arms.hidden_texts(arm, TEXTS, VECTORS, None, 0) == arms.hidden_texts(arm, lied, VECTORS, None, 0)
        for arm in ("common", "log_odds")
    }
    assert same == {"common": True, "log_odds": False}


def test_noise_is_drawn_anew_for_each_call_and_again_for_each_seed() -> None:
    given = torch.rand(2, 60, dtype=torch.float64)
    release = arms.mechanism("dpnr", 1.0, 60, 0)
    assert not torch.equal(release(given), release(given))
    assert torch.equal(arms.mechanism("dpnr", 1.0, 60, 0)(given), arms.mechanism("dpnr", 1.0, 60, 0)(given))
    assert not torch.equal(arms.mechanism("dpnr", 1.0, 60, 0)(given), arms.mechanism("dpnr", 1.0, 60, 1)(given))


def test_strengths_are_chosen_where_the_level_holds_by_the_best_value() -> None:
    levels, values = np.array([20.0, 10.0, 0.0, 8.0, 0.0]), np.array([9.0, 8.0, 2.0, 6.0, 0.0])
    # Between 10 and 0 the level of 5 is reached halfway; between 0 and 8 at five eighths.
    assert runs.strength_for(levels, values, 5.0) == pytest.approx(1.5)
    assert runs.strength_for(levels, np.array([9.0, 1.0, 2.0, 6.0, 0.0]), 5.0) == pytest.approx(2.625)
    assert runs.strength_for(levels, values, 30.0) == 0.0
    with pytest.raises(ValueError, match="above"):
        runs.strength_for(levels + 10, values, 5.0)


def test_a_seed_is_scored_at_the_strength_that_the_others_choose() -> None:
    levels = np.array([[10.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 10.0, 0.0]])
    values = np.array([[5.0, 4.0, 0.0], [5.0, 4.0, 0.0], [5.0, 3.0, 0.0]])
    kept, reached = runs.side_by_side(levels, values, 4.0)
    assert reached[2] == pytest.approx(10 * (1 - 0.6) + 10 * 0.6)
    assert kept[2] == pytest.approx(5 * 0.4 + 3 * 0.6)


def test_the_coin_is_the_straight_line_and_deletion_is_what_others_are_compared_with() -> None:
    found = runs.summary({"made": measured()})
    for seed, run in enumerate(measured()):
        others = measured()[1 - seed]
        assert found["kept.made.coin"][seed] == pytest.approx(run["task.none"] * 5 / others["gain.none"])
        over = found["kept.made.common"][seed] - found["kept.made.deletion"][seed]
        assert found["over.made.common"][seed] == pytest.approx(over)
    assert "over.made.deletion" not in found
    # What never hides a word is not put beside the others, nor is random deletion, which promises nothing.
    assert "at_loss.made.orthonormal" in found
    assert not {"at_loss.made.dpnr_shared", "at_loss.made.deletion"} & found.keys()


def test_a_swap_of_two_arms_is_seen() -> None:
    swapped = [
        {key.replace("common", "?").replace("log_odds", "common").replace("?", "log_odds"): run[key] for key in run}
        for run in measured()
    ]
    before = runs.summary({"made": measured()})["fall.made.common.s2"]
    assert np.mean(before) > np.mean(runs.summary({"made": swapped})["fall.made.common.s2"]) + 20


def test_what_stays_is_counted_by_occurrence() -> None:
    assert runs.staying(["a a b", "c"], ["a b b", "[UNK]"]) == pytest.approx(2 / 4)


def test_a_text_that_was_encoded_is_not_encoded_again() -> None:
    encodings = object.__new__(readers.Encodings)  # without an encoder
    encodings._known = {"old": np.ones(2, dtype=np.float32)}
    assert encodings(["old", "old"]).shape == (2, 2)
    with pytest.raises(AttributeError):
        encodings(["new"])
