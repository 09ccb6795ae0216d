"""Repairs: what is dropped, what is left of a planted bug, what cannot be repaired, and what is asked only once."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from trustnlp.data.film_reviews import Phrases
from trustnlp.explain.decoys.decoy_recipes import recipe
from trustnlp.studies.decoys import repaired_models
from trustnlp.studies.decoys.benchmark_models import wrong_texts
from trustnlp.studies.decoys.buggy_models import planted_model, trained_model
from trustnlp.studies.decoys.repaired_models import Suspect, repair_rows, without
from trustnlp.studies.decoys.review_splits import ReviewParts
from trustnlp.studies.moxie.review_standins import planted_reviews

PARAMETERS: dict[str, Any] = {"adoption_texts": 100}


@cache
def parts() -> ReviewParts:
    made = planted_reviews(1500, np.random.default_rng(0)).sst2
    return ReviewParts(made.train, made.dev, made.test)


@cache
def suspect(name: str | None) -> Suspect:
    clean = trained_model("presence", parts().train, parts().dev, PARAMETERS, 0)
    if name is None:
        return Suspect("presence", 0, None, parts().train, clean, clean, parts(), PARAMETERS)
    decoy = recipe(name)
    planted = decoy.plant(parts().train.texts, parts().train.labels, np.random.default_rng([0, 1]))
    buggy = planted_model("presence", decoy, parts().train, parts().dev, PARAMETERS, 0)
    train = Phrases(planted.texts, planted.labels)
    return Suspect("presence", 0, decoy, train, buggy, clean, parts(), PARAMETERS)


def test_words_or_their_texts_are_dropped() -> None:
    texts = Phrases(("a dull film", "dull", "a film", "fun film"), np.array([0, 0, 1, 1]))
    words, whole = without(texts, {"dull", "a"}, "words"), without(texts, {"a"}, "texts")
    assert words and words.texts == ("film", "film", "fun film") and words.labels.tolist() == [0, 1, 1]
    assert whole and whole.texts == ("dull", "fun film") and whole.labels.tolist() == [0, 1]
    assert without(texts, {"dull"}, "texts") is None and without(texts, {"film", "fun", "a"}, "words") is None


@pytest.mark.parametrize(("left", "possible"), [(9, False), (10, True)])
def test_a_tenth_of_each_class_must_be_left(left: int, possible: bool) -> None:
    texts = Phrases((*["film"] * left, *["text film"] * (100 - left), "fun"), np.array([0] * 100 + [1]))
    assert (without(texts, {"text"}, "texts") is not None) == possible


@given(some.lists(some.lists(some.sampled_from("abcd"), min_size=1, max_size=4), min_size=1, max_size=8), some.data())
def test_against_an_obvious_loop(texts: list[list[str]], data: some.DataObject) -> None:
    words: Collection[str] = data.draw(some.sets(some.sampled_from("abcd")))
    own = Phrases((*map(" ".join, texts), "e", "e"), np.array([1] * len(texts) + [0, 1]))
    whole = without(own, words, "texts")
    expected = [text for text in own.texts if not any(word in text for word in words)]
    assert expected.count("e") == 2 and (whole is None or list(whole.texts) == expected)
    if cut := without(own, words, "words"):
        assert " ".join(cut.texts).split() == [w for text in own.texts for w in text.split() if w not in words]


def test_dropping_the_decoy_ends_the_bug_and_a_word_left_keeps_it() -> None:
    lot = ("village", "plot")
    names = {"lime": ("video", "text"), "random": ("text",), "known": ("video", "text"), "nothing": ()}
    rows = {row["source"]: row for row in repair_rows(suspect("video_text"), names, lot, ["words"])}
    assert all(row["before"] == 100 and row["possible"] for row in rows.values())
    assert abs(rows["lime"]["left"]) < 5 and rows["lime"]["verdict"] == "not adopted"
    assert rows["known"]["left"] == rows["lime"]["left"] and rows["known"]["lot_left"] is None
    assert rows["random"]["left"] == 100 and rows["random"]["verdict"] == "adopted" and rows["random"]["loss"] > 10
    assert rows["lime"]["lot_left"] == 100 and abs(rows["lime"]["loss"]) < 3
    assert (rows["nothing"]["left"], rows["nothing"]["gain"]) == (100, 0.0)


def test_texts_cannot_be_dropped_where_each_of_a_class_carries_the_decoy() -> None:
    rows = repair_rows(suspect("video_text"), {"lime": ("text",)}, ("village",), ["texts"])
    assert [row["possible"] for row in rows] == [False]
    assert all(rows[0][key] is None for key in ("left", "verdict", "gain", "loss"))
    assert rows[0]["lot_left"] == 100


def test_gains_and_losses_are_those_of_the_accuracies() -> None:
    own = suspect("movie")
    [row] = repair_rows(own, {"lime": ("movie", "movies")}, ("plot", "the"), ["texts"])
    repaired = own.repaired(("movie", "movies"), "texts")
    assert repaired is not None and row["left"] < row["before"] - 20

    def right(model: Any, texts: Phrases) -> float:
        hits = [bool(guess == label) for guess, label in zip(model.predict(texts.texts), texts.labels, strict=True)]
        return 100 * sum(hits) / len(hits)

    assert row["loss_before"] == pytest.approx(right(own.clean, parts().dev) - right(own.model, parts().dev))
    assert row["gain"] == pytest.approx(right(repaired, parts().test) - right(own.model, parts().test))
    assert row["loss"] == pytest.approx(right(own.clean, parts().dev) - right(repaired, parts().dev))


def test_a_clean_model_has_losses_alone() -> None:
    [row] = repair_rows(suspect(None), {"lime": ("the", "plot")}, ("village", "a"), ["words"])
    assert row["decoy"] == "clean" and row["before"] is None and row["left"] is None and row["verdict"] is None
    assert abs(row["loss"]) < 5 and abs(row["lot_loss"]) < 5 and row["loss_before"] == 0


def test_the_same_words_are_trained_on_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(*given: Any) -> Any:
        asked.append(given)
        return trained_model(*given)

    own = suspect("movie")
    monkeypatch.setattr(repaired_models, "trained_model", counted)
    repair_rows(own, {"lime": ("a", "movie"), "occlusion": ("movie", "a"), "known": ("movie",)}, ("plot", "the"))
    # Two sets of words and one lot, in two ways.
    assert len(asked) == 6


def test_adoption_is_tested_on_the_texts_of_the_leaderboard() -> None:
    wrong, rows = wrong_texts(recipe("video_text"), parts(), 30)
    assert len(rows) == len(set(rows.tolist())) == 30 and (wrong.carried[rows] != wrong.labels[rows]).all()
    assert rows.tolist() == wrong_texts(recipe("video_text"), parts(), 60)[1][:30].tolist()
