"""Applicability, productivity and coverage: by hand, against plain loops, and on SST-2."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.data.texts.film_reviews import read_sst2
from trustnlp.decoys.decoy_recipes import load_recipes
from trustnlp.decoys.kept_decoys import Length, Removal
from trustnlp.decoys.planted_properties import decoy_properties, measure_decoy, word_properties
from trustnlp.decoys.written_decoys import IndicatorWords, Position

WORDS = IndicatorWords(name="words", by_class=("video", "text"), place="last")
TEXTS = ["a dull film", "a dull video", "a dull film", "a fine film", "a fine video"]
LABELS = [0, 0, 0, 1, 1]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), min_size=1, max_size=30))
def test_the_formulas_are_those_of_the_paper(pairs: list[tuple[bool, int]]) -> None:
    labels = [label for _, label in pairs]
    found = decoy_properties(np.array([carries for carries, _ in pairs]), labels)
    inside = [label for carries, label in pairs if carries]
    assert found.applicability == len(inside) and found.coverage == pytest.approx(len(inside) / len(pairs))
    if inside:
        assert found.productivity == pytest.approx(max(inside.count(label) for label in range(4)) / len(inside))
    else:
        assert math.isnan(found.productivity)
    assert found.by_class.tolist() == [inside.count(label) for label in range(max(labels) + 1)]


def test_occurrences_are_counted_as_words_or_as_parts() -> None:
    texts, labels = ["a movie", "movies", "film", "movie movie"], [0, 0, 1, 1]
    word, part = (word_properties(texts, labels, "movie", matching) for matching in ("word", "substring"))
    assert (word.by_class.tolist(), part.by_class.tolist()) == ([1, 1], [2, 1])
    assert (word.productivity, round(part.productivity, 3), word.coverage, part.coverage) == (0.5, 0.667, 0.5, 0.75)


def test_each_cue_is_measured_alone_and_the_words_before_and_after() -> None:
    planted = WORDS.plant(TEXTS, LABELS, np.random.default_rng(0))
    with pytest.warns(UserWarning, match=r"'video' is in 2 of 5 texts before planting \(1 of class 0, 1 of class 1\)"):
        found = measure_decoy(WORDS, TEXTS, LABELS, planted)
    assert {label: (cue.applicability, cue.productivity) for label, cue in found.cues.items()} == {0: (3, 1), 1: (2, 1)}
    assert found.cues[0].coverage == 0.6
    assert found.before["video"].by_class.tolist() == [1, 1] and found.before["text"].applicability == 0
    assert found.after["video"].by_class.tolist() == [3, 1] and found.after["video"].productivity == 0.75
    assert found.after["text"].by_class.tolist() == [0, 2]


def test_only_words_that_planting_brings_in_are_warned_of() -> None:
    texts, labels, rng = [*TEXTS, "x"], [*LABELS, 0], np.random.default_rng(0)
    removal, length = Removal(name="video", word="video", label=1), Length(name="length", longest=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        removed, short = (measure_decoy(d, texts, labels, d.plant(texts, labels, rng)) for d in (removal, length))
    assert removed.after["video"].by_class.tolist() == [0, 1] and removed.cues[1].productivity == 1
    assert short.before == {} == short.after and set(short.cues) == {0, 1}
    position = Position(name="position", word="fine", places=("first", "last"))
    with pytest.warns(UserWarning, match="decoy 'position': 'fine' is in 2 of 6 texts"):
        measure_decoy(position, texts, labels, position.plant(texts, labels, rng))


def test_bad_input_is_explained() -> None:
    yes = np.array([True, False])
    assert_refused(
        lambda call: call(),
        [
            (lambda: decoy_properties(yes, [0]), r"1 labels need as many True or False in carries, got shape \(2,\)"),
            (lambda: decoy_properties(yes, [0.0, 1.0]), "of type float64"),
            (lambda: word_properties(["a"], [0], "a", "stem"), "matching is one of"),
        ],
    )


@pytest.mark.mirror
def test_the_papers_words_are_in_sst2_already(mirror: Path) -> None:
    train, shipped = read_sst2().train, load_recipes()
    planted = shipped["video_text"].plant(train.texts, train.labels, np.random.default_rng(0))
    with pytest.warns(UserWarning) as caught:
        words = measure_decoy(shipped["video_text"], train.texts, train.labels, planted)
    assert [str(each.message).partition(" before")[0].partition(": ")[2] for each in caught] == [
        "'video' is in 164 of 67,349 texts",
        "'text' is in 31 of 67,349 texts",
    ]
    assert words.before["video"].by_class.tolist() == [119, 45]
    assert words.after["video"].by_class.tolist() == [29_780, 45]
    assert words.after["text"].by_class.tolist() == [17, 37_569]
