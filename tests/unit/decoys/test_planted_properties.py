"""Applicability, productivity, coverage and unseen neighbours: by hand, against plain loops, and on SST-2."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.data.texts.film_reviews import read_sst2
from trustnlp.decoys.decoy_recipes import load_recipes
from trustnlp.decoys.kept_decoys import Length, Removal
from trustnlp.decoys.planted_decoys import Planted
from trustnlp.decoys.planted_properties import (
    decoy_properties,
    measure_decoy,
    unseen_pairs,
    word_properties,
)
from trustnlp.decoys.written_decoys import IndicatorWords, Position

WORDS = IndicatorWords(name="words", by_class=("video", "text"), place="last")
TEXTS = ["a dull film", "a dull video", "a dull film", "a fine film", "a fine video"]
LABELS = [0, 0, 0, 1, 1]


def by_hand(texts: list[str], planted: list[str], source: list[int] | None = None) -> Planted:
    n = len(planted)
    rows = np.arange(n) if source is None else np.array(source)
    return Planted(tuple(planted), np.ones(n, dtype=int), rows, np.ones(n, dtype=bool), np.ones(n, dtype=int))


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


def test_a_text_does_not_vouch_for_itself_and_its_equal_does() -> None:
    assert unseen_pairs(["a b", "c"], by_hand(["a b", "c"], ["a b"])).before == 1
    assert unseen_pairs(["a b", "a b"], by_hand(["a b", "a b"], ["a b"])).before == 0
    assert unseen_pairs(["a b a b", "c"], by_hand(["a b a b", "c"], ["a b a b"])).before == 1
    assert unseen_pairs(["a", "b"], by_hand(["a", "b"], ["x a", "b"])).planted == 0.5


@given(seed=st.integers(0, 10_000))
def test_unseen_neighbours_are_those_of_the_plain_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(list("abcd"), size=rng.integers(1, 5))) for _ in range(12)]
    source = rng.integers(0, 12, size=8).tolist()
    new = [" ".join(rng.choice(list("abcde"), size=rng.integers(1, 5))) for _ in source]
    carried = rng.integers(-1, 2, size=8)
    carried[0] = 0
    planted = Planted(tuple(new), np.zeros(8, dtype=int), np.array(source), carried >= 0, carried)

    def unseen(text: str, row: int) -> bool:
        others = [f" {other} " for place, other in enumerate(texts) if place != row]
        words = text.split()
        return any(all(f" {a} {b} " not in other for other in others) for a, b in pairwise(words))

    rows = [number for number in range(8) if carried[number] >= 0]
    found = unseen_pairs(texts, planted)
    assert found.planted == pytest.approx(np.mean([unseen(new[row], source[row]) for row in rows]))
    assert found.before == pytest.approx(np.mean([unseen(texts[source[row]], source[row]) for row in rows]))


def test_bad_input_is_explained() -> None:
    yes = np.array([True, False])
    assert_refused(
        lambda call: call(),
        [
            (lambda: decoy_properties(yes, [0]), r"1 labels need as many True or False in carries, got shape \(2,\)"),
            (lambda: decoy_properties(yes, [0.0, 1.0]), "of type float64"),
            (lambda: word_properties(["a"], [0], "a", "stem"), "matching is one of"),
            (lambda: unseen_pairs(["a"], by_hand(["a"], ["a", "b"])), "row 1, and there are 1 original texts"),
        ],
    )


@pytest.mark.mirror
def test_the_papers_words_are_in_sst2_already_and_its_removal_is_natural(mirror: Path) -> None:
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
    assert words.pairs.planted > 0.95 and words.pairs.before < 0.1
