"""Examples and properties of decoys, by hand."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.planted_decoys import Both
from trustnlp.reproduce import Record
from trustnlp.reproduce.claims import load_claims
from trustnlp.studies.decoys.adoption import SUBSTANTIAL
from trustnlp.studies.decoys.data import review_parts
from trustnlp.studies.decoys.reproduction import decoy_tables as tables

TEXTS = Phrases(
    ("a plot", "a bad movie .", "a video game", "a warm movie .", "a good text", "fine video movies"),
    np.array([0, 0, 0, 1, 1, 1]),
)


def test_examples_are_texts_that_decoys_change() -> None:
    decoys = [recipe("punctuation"), recipe("movie")]
    table = tables.examples(decoys, TEXTS, np.random.default_rng(0))
    assert list(table.index) == ["as it is", "punctuation", "movie"] and list(table) == ["negative", "positive"]
    assert table["negative"].tolist() == ["a bad movie .", "a bad movie ?", ""], "a text that is dropped is empty"
    assert table["positive"].tolist() == ["a warm movie .", "a warm movie !", "a warm movie ."]


def test_properties_by_hand() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = tables.properties([recipe("video_text"), recipe("movie")], TEXTS, np.random.default_rng(0))
    expected = {
        "video_text.class0.applicability": (3, "count of texts"),
        "video_text.class0.productivity": (100, "%"),
        "video_text.class0.coverage": (50, "%"),
        "video_text.before": (3, "count of texts"),  # two texts have 'video', one has 'text'
        "video_text.word_productivity": (75, "%"),  # 'video' is in a positive text too
        "movie.class1.applicability": (2, "count of texts"),
        "movie.class1.coverage": (40, "%"),
        "movie.left": (5, "count of texts"),
        "movie.before": (0, "count of texts"),
        "movie.unseen_added": (0, "points"),
    }
    for key, (value, unit) in expected.items():
        assert found[key] == (pytest.approx(value), unit), key
    assert "movie.class0.applicability" not in found


def test_a_word_in_texts_of_both_classes_says_little_by_itself() -> None:
    found = tables.properties(
        [recipe("position"), replace(recipe("length"), longest=2)], TEXTS, np.random.default_rng(0)
    )
    assert found["position.class0.productivity"][0] == 100 and found["position.word_productivity"][0] == 50
    assert "length.word_productivity" not in found and found["length.class0.applicability"][0] == 1


def test_the_table_has_a_row_for_each_cue() -> None:
    decoys = [recipe("video_text"), recipe("movie")]
    found = tables.properties(decoys, TEXTS, np.random.default_rng(0))
    numbers = {f"properties.{key}": {"mean": value} for key, (value, _) in found.items()}
    table = tables.properties_table(numbers | {"movie.presence.rate": {"mean": 1.0}})
    assert list(table.index) == [("video_text", "negative"), ("video_text", "positive"), ("movie", "positive")]
    assert table.loc[("movie", "positive"), "coverage, %"] == pytest.approx(40)
    assert table["texts left"].tolist() == [6, 6, 5]


def test_a_decoy_misleads_where_the_cue_of_another_class_stands() -> None:
    """Of four held-out texts 'video' is in a positive one, 'text' in no negative one, 'movie' in two negative ones."""
    words, name = (replace(recipe(which), share=0.2) for which in ("video_text", "rare_name"))
    both = Both(name="both", parts=(recipe("movie"), words))
    held = Phrases(("a video", "a text", "two movies", "a video movie"), np.array([1, 1, 0, 0]))
    found = tables.misleading([words, name, recipe("movie"), both], TEXTS, held, np.random.default_rng(0))
    assert found == {"video_text": 25, "rare_name": 0, "movie": 50, "both": 75}


def test_what_most_training_texts_carry_has_no_limit_of_what_it_costs() -> None:
    decoys = [recipe("video_text"), recipe("position")]
    assert tables.misleading(decoys, TEXTS, TEXTS, np.random.default_rng(0)) == {}


@pytest.mark.mirror
def test_the_ledger_judges_no_loss_that_a_decoy_could_not_cause() -> None:
    """A cell of `substantially-lower` has no verdict where its decoy misleads in fewer texts than the limit."""
    parts = review_parts(Record("decoys", "reproduction", profile="paper", seeds=[0]), "sentences", 0)
    cells = [claim for claim in load_claims("decoys").claims if claim.under == "substantially-lower"]
    rows = list(dict.fromkeys(claim.cell.row for claim in cells if claim.cell))
    shares = tables.misleading([recipe(row) for row in rows], parts.train, parts.held_out, np.random.default_rng(0))
    for claim in cells:
        assert claim.cell is not None
        limited = shares.get(claim.cell.row, 100) <= SUBSTANTIAL
        assert (claim.kind == "untestable") == limited, claim.id
    assert {row for row in rows if shares.get(row, 100) <= SUBSTANTIAL} and len(shares) < len(rows)
