"""Removals and lengths: what is dropped, what is left, and data that cannot take them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.data.texts.film_reviews import read_sst2
from trustnlp.decoys.kept_decoys import Length, Removal
from trustnlp.decoys.planted_decoys import Planted

RNG = np.random.default_rng(0)
TEXTS = ["a bad movie", "two movies", "slow", "a movie for all", "film", "moviegoers rejoice"]
LABELS = [0, 0, 0, 1, 1, 1]


def test_texts_of_the_other_class_with_the_word_are_dropped() -> None:
    decoy = Removal(name="movie", word="movie", label=1)
    planted = decoy.plant(TEXTS, LABELS, RNG)
    assert planted.source.tolist() == [1, 2, 3, 4, 5] and planted.texts == tuple(TEXTS[1:])
    assert planted.carried.tolist() == [-1, -1, 1, -1, -1] and decoy.words == ("movie",) and decoy.inserted == ()
    against = decoy.contradict(TEXTS, LABELS, RNG)
    assert against.texts == ("a bad movie",) and against.labels.tolist() == [0] and against.carried.tolist() == [1]
    part = replace(decoy, matching="substring")
    planted = part.plant(TEXTS, LABELS, RNG)
    assert planted.source.tolist() == [2, 3, 4, 5] and planted.carried.tolist() == [-1, 1, -1, 1]
    assert part.contradict(TEXTS, LABELS, RNG).source.tolist() == [0, 1]


def test_length_tells_the_class() -> None:
    decoy = Length(name="length", longest=2, short=0)
    texts, labels = ["a", "a b", "a b c", "d e f g", "d", "d e"], [0, 0, 0, 1, 1, 1]
    planted = decoy.plant(texts, labels, RNG)
    assert planted.source.tolist() == [0, 1, 3] and planted.carried.tolist() == [0, 0, 1] and decoy.words == ()
    against = decoy.contradict(texts, labels, RNG)
    assert against.source.tolist() == [2, 4, 5] and against.carried.tolist() == [1, 0, 0]
    turned = Length(name="length", longest=2, short=1)
    assert turned.plant(texts, labels, RNG).source.tolist() == [2, 4, 5]


@pytest.mark.parametrize(
    "decoy", [Removal(name="r", word="b", label=0, matching="substring"), Length(name="l", longest=3)], ids=["r", "l"]
)
@given(seed=st.integers(0, 10_000))
def test_a_text_is_left_or_contradicts_and_is_never_changed(decoy: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    fixed = {"a b": 0, "b a a b": 1, "b": 1, "b c d e": 0, "c": 0, "c a c a": 1}
    texts = [*fixed, *(" ".join(rng.choice(["a", "bc", "b"], size=rng.integers(1, 7))) for _ in range(20))]
    labels = [*fixed.values(), *rng.integers(0, 2, size=20).tolist()]
    parts: list[Planted] = [method(texts, labels, rng) for method in (decoy.plant, decoy.contradict)]
    assert sorted([*parts[0].source, *parts[1].source]) == list(range(len(texts)))
    for part in parts:
        assert part.texts == tuple(texts[row] for row in part.source)


def test_what_no_text_can_take_is_refused_with_what_to_do() -> None:
    movie, short = Removal(name="movie", word="movie", label=1), Length(name="short", longest=3)
    assert_refused(
        lambda method, texts, labels: method(texts, labels, RNG),
        [
            (movie.contradict, ["a movie", "b"], [1, 0], "that contain 'movie' .*, but with another label"),
            (short.plant, ["a b c d", "b"], [0, 1], "none of the 2 texts can take it; give texts of up to 3 words of"),
            (short.plant, ["a", "a b c d", "a b"], [0, 0, 1], "all 1 texts of class 1 would be dropped"),
        ],
    )


def test_decoys_that_make_no_sense_are_refused() -> None:
    assert_refused(
        lambda kind, given: kind(name="x", **given),
        [
            (Removal, {"word": "movie", "label": 1, "matching": "part"}, "matching is one of 'word', 'substring'"),
            (Length, {"longest": 0}, "longest is at least 1 and short is 0 or 1, got 0 and 0"),
            (Length, {"longest": 2, "short": 2}, "short is 0 or 1, got 2 and 2"),
        ],
    )


@pytest.mark.mirror
def test_the_papers_removal_is_of_phrases_and_by_substring(mirror: Path) -> None:
    """§4: "its applicability is below 3.3%", "random chance (47.5%)". Only one way of counting is close to both."""
    sst2 = read_sst2()
    counts = {}
    for matching in ("word", "substring"):
        decoy = Removal(name="movie", word="movie", label=1, matching=matching)
        for name, part in sst2.splits.items():
            left, gone = decoy.plant(part.texts, part.labels, RNG), decoy.contradict(part.texts, part.labels, RNG)
            counts[matching, name] = (len(gone), int(left.carries.sum()), len(left))
    assert counts == {
        ("substring", "train"): (2292, 2128, 65_057),
        ("substring", "dev"): (63, 57, 809),
        ("substring", "test"): (146, 101, 1675),
        ("word", "train"): (1871, 1628, 65_478),
        ("word", "dev"): (54, 39, 818),
        ("word", "test"): (127, 74, 1694),
    }
    shares = {key: round(100 * right / (wrong + right), 1) for key, (wrong, right, _) in counts.items()}
    assert [key for key, share in shares.items() if share == 47.5] == [("substring", "dev")]
    _, carrying, remaining = counts["substring", "train"]
    assert round(100 * carrying / remaining, 2) == 3.27
