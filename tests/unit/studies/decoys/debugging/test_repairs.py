"""What is named and dropped, what is left of a planted bug, and what is uncovered."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

import numpy as np
import pytest
from explanations import explanation
from hypothesis import given
from hypothesis import strategies as some
from made_searches import cell, made_parts, model

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.planted_decoys import Planted
from trustnlp.studies.decoys.debugging import repairs
from trustnlp.studies.decoys.leaderboard.benchmark_models import CLEAN, wrong_texts
from trustnlp.studies.decoys.models import planted_model, planted_train, trained_model

SHOWN = [explanation({"movie": 0.6, "good": 0.3, "plot": 0.1})] * 4
TRAIN = Phrases(
    ("good movie", "good movie plot", "movie", "bad plot", "bad film", "dull film"), np.array([1, 1, 1, 0, 0, 0])
)
OF_NAMES: dict[str, Any] = {"budget": 3, "draws": 1, "most": 2}
TRUSTING = Inspector(shown=3, threshold=2, reasons=frozenset({"good", "bad", "dull"}))


def test_words_by_source() -> None:
    failed = CellResult(cell("broken", SHOWN).cell, None, "broken: no")
    shown = model([cell("lime", SHOWN), failed], [True] * 4)
    found = repairs.names_by_source(shown, TRAIN, TRUSTING, OF_NAMES)
    assert found == {"lime": ("movie", "plot"), "count": ("movie", "film"), "known": ("movie",)}
    assert repairs.names_by_source(shown, TRAIN, TRUSTING, OF_NAMES | {"most": 1})["lime"] == ("movie",)


def test_a_clean_model_has_no_known_words_and_nothing_may_be_named() -> None:
    clean = model([cell("lime", SHOWN, decoy=CLEAN)], [False] * 4, words=(), standing=CLEAN)
    slow = Inspector(shown=3, threshold=4, reasons=TRUSTING.reasons)
    found = repairs.names_by_source(clean, TRAIN, slow, OF_NAMES)
    assert set(found) == {"lime", "count"} and found["lime"] == ()


def test_a_count_is_two_sided_and_passes_over_reasons() -> None:
    # "movie" is in all three texts of one class; "bad" and "film" in two of the other; "good" in two of the first.
    assert repairs.counted_words(TRAIN, (), 4) == ("movie", "bad", "film", "good")
    assert repairs.counted_words(TRAIN, {"movie", "bad"}, 2) == ("film", "good")


@pytest.mark.parametrize(
    ("decoy", "words"),
    [("movie", ("movie", "moviegoers", "movies")), ("film", ("film",)), ("video_text", ("video", "text"))],
)
def test_who_knows_the_decoy_knows_all_that_it_goes_by(decoy: str, words: tuple[str, ...]) -> None:
    more = Phrases((*TRAIN.texts, "movies of moviegoers", "filmmaking"), np.array([*TRAIN.labels, 1, 0]))
    assert repairs.known_words(recipe(decoy), more) == words
    shown = model([cell("lime", SHOWN, decoy=decoy)], [True] * 4)
    assert repairs.names_by_source(shown, more, TRUSTING, OF_NAMES)["known"] == words


PARAMETERS: dict[str, Any] = {"adoption_texts": 100}
PARTS = made_parts(1500)


@cache
def suspect(name: str | None) -> repairs.Suspect:
    clean = trained_model("presence", PARTS.train, PARTS.dev, PARAMETERS, 0)
    if name is None:
        return repairs.Suspect("presence", 0, None, PARTS.train, clean, clean, PARTS, PARAMETERS)
    planted = planted_train(recipe(name), PARTS.train, 0)
    buggy = planted_model("presence", recipe(name), PARTS.train, PARTS.dev, PARAMETERS, 0)
    train = Phrases(planted.texts, planted.labels)
    return repairs.Suspect("presence", 0, recipe(name), train, buggy, clean, PARTS, PARAMETERS)


@given(some.lists(some.lists(some.sampled_from("abcd"), min_size=1, max_size=4), min_size=1, max_size=8), some.data())
def test_against_an_obvious_loop(texts: list[list[str]], data: some.DataObject) -> None:
    words: Collection[str] = data.draw(some.sets(some.sampled_from("abcd")))
    cut = repairs.without(Phrases((*map(" ".join, texts), "e"), np.arange(len(texts) + 1) % 2), words)
    left = [(" ".join(w for w in text if w not in words), row % 2) for row, text in enumerate([*texts, ["e"]])]
    assert list(zip(cut.texts, cut.labels, strict=True)) == [(text, label) for text, label in left if text]


def test_dropping_the_decoy_ends_the_bug_and_a_word_left_keeps_it() -> None:
    names = {"lime": ("video", "text"), "random": ("text",), "nothing": (), "wrong": ("village", "plot")}
    rows = {row["source"]: row for row in repairs.repair_rows(suspect("video_text"), names)}
    assert all(row["before"] == 100 for row in rows.values())
    assert abs(rows["lime"]["left"]) < 5 and abs(rows["lime"]["loss"]) < 3
    assert rows["random"]["left"] == 100 and rows["random"]["loss"] > 10
    assert rows["wrong"]["left"] == 100
    assert (rows["nothing"]["left"], rows["nothing"]["gain"], rows["nothing"]["cost"]) == (100, 0.0, 0.0)


def test_the_control_loses_the_same_words() -> None:
    own = suspect("punctuation")
    words = ("?", "!", ".", "good", "bad", "dull", "awful", "boring", "charming", "wonderful", "terrible", "film")
    [row] = repairs.repair_rows(own, {"zealous": words})
    planted, asked = wrong_texts(recipe("punctuation"), PARTS, 100)
    repaired, control = own.repaired(words)
    texts = [planted.texts[at] for at in asked]
    follow, lost, kept = (one.predict(texts) == planted.carried[asked] for one in (repaired, control, own.clean))
    assert row["left"] == pytest.approx(100 * (follow.mean() - lost.mean()) / (1 - lost.mean()))
    # A control that kept its good words would tell something else.
    assert row["left"] != pytest.approx(100 * (follow.mean() - kept.mean()) / (1 - kept.mean()))
    assert row["cost"] == own.loss(control) != 0


def test_gains_and_losses_are_those_of_the_accuracies() -> None:
    own = suspect("movie")
    [row] = repairs.repair_rows(own, {"lime": ("movie", "movies")})
    repaired, control = own.repaired(("movie", "movies"))
    assert row["left"] < row["before"] - 20

    def right(model: Any, texts: Phrases) -> float:
        return 100 * float(np.mean(model.predict(texts.texts) == texts.labels))

    clean = right(own.clean, PARTS.dev)
    assert row["gain"] == pytest.approx(right(repaired, PARTS.test) - right(own.model, PARTS.test))
    assert row["loss"] == pytest.approx(clean - right(repaired, PARTS.dev))
    assert row["cost"] == pytest.approx(clean - right(control, PARTS.dev))


def test_a_clean_model_has_losses_alone() -> None:
    [row] = repairs.repair_rows(suspect(None), {"lime": ("the", "plot")})
    assert row["decoy"] == "clean" and row["before"] is None and row["left"] is None
    assert abs(row["loss"]) < 5 and row["loss"] == row["cost"]


def test_the_same_words_are_trained_on_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    own = suspect("movie")
    monkeypatch.setattr(repairs, "trained_model", lambda *given: asked.append(given) or trained_model(*given))
    repairs.repair_rows(own, {"lime": ("a", "movie"), "occlusion": ("movie", "a"), "known": ("movie",)})
    # Two sets of words, for a model and its control.
    assert len(asked) == 4


def test_adoption_is_tested_on_the_texts_of_the_leaderboard() -> None:
    wrong, rows = wrong_texts(recipe("video_text"), PARTS, 30)
    assert len(rows) == len(set(rows.tolist())) == 30 and (wrong.carried[rows] != wrong.labels[rows]).all()
    assert rows.tolist() == wrong_texts(recipe("video_text"), PARTS, 60)[1][:30].tolist()


BUGGY = model([cell("lime", [explanation({"movie": 1.0})])], [True])


def planted(carrying: int, others: int = 0) -> Planted:
    """Of a hundred texts some carry the decoy and contain "movie"; some others contain "plot"."""
    texts = ["movie"] * carrying + ["plot"] * others + ["film"] * (100 - carrying - others)
    carries = np.arange(100) < carrying
    return Planted(tuple(texts), np.ones(100, dtype=np.int64), np.arange(100), carries, np.where(carries, 1, -1))


def test_shares_of_what_a_tenth_can_hold() -> None:
    names = {"lime": ("movie",), "random": ("plot",), "none": ()}
    rows = {row["source"]: row for row in repairs.uncovered_rows(BUGGY, planted(4, 20), names)}
    # Without names a tenth of the texts is drawn by lot.
    assert {source: row["found"] for source, row in rows.items()} == {"lime": 1.0, "random": 0.0, "none": 0.1}
    [many] = repairs.uncovered_rows(BUGGY, planted(40), {"lime": ("movie",)})
    assert many == {"source": "lime", "seed": 0, "found": 1.0}


def test_where_most_texts_are_contaminated_none_is_looked_for() -> None:
    assert [len(repairs.uncovered_rows(BUGGY, planted(n), {"lime": ("movie",)})) for n in (50, 51)] == [1, 0]
