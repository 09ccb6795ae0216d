"""What all decoys keep to, two decoys at once, and input that no decoy takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.decoys.kept_decoys import Length, Removal
from trustnlp.decoys.planted_decoys import Both, Decoy, Planted, occurs
from trustnlp.decoys.written_decoys import IndicatorWords, Position, Replacement

NAME = IndicatorWords(name="name", by_class=(None, "eleanor"), place="last", share=0.5)
MOVIE = Removal(name="movie", word="movie", label=1)
DECOYS: list[Decoy] = [
    IndicatorWords(name="words", by_class=("video", "text"), share=0.6),
    NAME,
    Position(name="position", word="anyway", places=("last", "first")),
    Replacement(name="articles", replaced=("the", "a"), by_class=("the", "a")),
    Replacement(name="stops", replaced=(".",), by_class=("?", "!"), which="last"),
    MOVIE,
    Length(name="length", longest=4, short=0),
    Both(name="both", parts=(MOVIE, NAME)),
]
# Of each class some texts that every decoy can take, and some that every removal drops.
FIXED = ["a movie .", "the bad film", "a long and dull movie .", "fine movie .", "a fine and rare film .", "the best"]
FIXED_LABELS = [0, 0, 0, 1, 1, 1]


def random_texts(seed: int) -> tuple[list[str], list[int]]:
    rng = np.random.default_rng(seed)
    words = ["a", "the", "movie", "film", "good", "."]
    texts = [" ".join(rng.choice(words, size=rng.integers(1, 8))) for _ in range(30)]
    return [*FIXED, *texts], [*FIXED_LABELS, *rng.integers(0, 2, size=30).tolist()]


@pytest.mark.parametrize("decoy", DECOYS, ids=lambda decoy: decoy.name)
@given(seed=st.integers(0, 10_000))
def test_a_planted_decoy_stands_for_the_own_class_and_a_contradiction_for_another(decoy: Decoy, seed: int) -> None:
    texts, labels = random_texts(seed)
    planted = decoy.plant(texts, labels, np.random.default_rng(seed))
    assert planted.carries.any() and (planted.carried == np.where(planted.carries, planted.labels, -1)).all()
    against = decoy.contradict(texts, labels, np.random.default_rng(seed))
    assert len(against) and against.carries.all() and (against.carried != against.labels).all()
    for found in (planted, against):
        assert found.labels.tolist() == [labels[row] for row in found.source]
        assert all(text == " ".join(text.split()) for text in found.texts)
    for text, row, carries in zip(planted.texts, planted.source, planted.carries, strict=True):
        assert carries or text == texts[row]


@pytest.mark.parametrize("decoy", DECOYS, ids=lambda decoy: decoy.name)
def test_the_generator_alone_decides(decoy: Decoy) -> None:
    texts, labels = random_texts(3)
    for method in (decoy.plant, decoy.contradict):
        first, again = (method(texts, labels, np.random.default_rng(5)) for _ in range(2))
        assert first.texts == again.texts and first.source.tolist() == again.source.tolist()
    held_out = decoy.planted_like(texts, labels, np.random.default_rng(5))
    assert held_out.texts == decoy.plant(texts, labels, np.random.default_rng(5)).texts


def test_two_decoys_are_planted_one_after_another() -> None:
    both = Both(name="both", parts=(MOVIE, IndicatorWords(name="name", by_class=(None, "eleanor"), place="last")))
    assert both.words == ("movie", "eleanor") and both.inserted == ("eleanor",)
    planted = both.plant(FIXED, FIXED_LABELS, np.random.default_rng(0))
    assert planted.texts == (FIXED[1], *(f"{text} eleanor" for text in FIXED[3:]))
    assert planted.source.tolist() == [1, 3, 4, 5] and planted.carried.tolist() == [-1, 1, 1, 1]
    against = both.contradict(FIXED, FIXED_LABELS, np.random.default_rng(0))
    assert against.texts == (FIXED[0], FIXED[2], *(f"{text} eleanor" for text in FIXED[:3]))
    assert against.source.tolist() == [0, 2, 0, 1, 2] and against.carried.tolist() == [1] * 5


def test_rows_are_those_of_the_original_after_two_removals() -> None:
    both = Both(name="both", parts=(MOVIE, Removal(name="film", word="film", label=0)))
    planted = both.plant(FIXED, FIXED_LABELS, np.random.default_rng(0))
    assert planted.source.tolist() == [1, 3, 5] and planted.carried.tolist() == [0, 1, -1]
    assert planted.texts == tuple(FIXED[row] for row in (1, 3, 5))


def test_a_text_keeps_that_it_carries_the_first_of_two_decoys() -> None:
    words = IndicatorWords(name="words", by_class=("video", "text"), place="first")
    both = Both(name="both", parts=(words, Removal(name="movie", word="movie", label=1)))
    planted = both.plant(FIXED, FIXED_LABELS, np.random.default_rng(0))
    assert planted.source.tolist() == [1, 3, 4, 5] and planted.carried.tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("decoy", DECOYS, ids=lambda decoy: decoy.name)
def test_texts_and_labels_that_do_not_match_are_refused(decoy: Decoy) -> None:
    rows: list[tuple[Any, ...]] = [
        ([], [], r"at least one text and a label for each, got 0 and shape \(0,\)"),
        (["a film", "a movie"], [0.0, 1.0], "whole numbers from 0, got .* of type float64"),
        (["a film", "a movie"], [0, -1], r"whole numbers from 0, got \[0, -1\]"),
        (["a movie", " "], [0, 1], "text 1 is empty; leave texts without words out"),
        ("a movie", [0], "the one text 'a movie'; put it in a list"),
    ]
    for method in (decoy.plant, decoy.contradict, decoy.planted_like):
        assert_refused(lambda texts, labels, method=method: method(texts, labels, np.random.default_rng(0)), rows)


def test_a_label_beyond_the_classes_of_a_decoy_is_refused() -> None:
    assert_refused(
        lambda decoy: decoy.plant(["a movie .", "b"], [0, 2], np.random.default_rng(0)),
        [(decoy, "label 2 is in the data, and the decoy has the classes 0 … 1") for decoy in DECOYS[:5] + DECOYS[6:7]],
    )


def test_what_contradicts_itself_is_refused() -> None:
    one, yes = np.array([1]), np.array([True])
    assert_refused(
        lambda *given: Planted(("a",), *given),
        [
            (one, one, yes, -one, "`carried` is -1 everywhere else"),
            (one, one, ~yes, one, "carries the decoy where `carried` is a class"),
        ],
    )
    assert_refused(
        lambda *parts: Both(name="both", parts=parts),
        [
            (MOVIE, "two decoys or more, got 1"),
            (MOVIE, NAME, Removal(name="again", word="movie", label=0), "'movie' and 'again' share the word 'movie'"),
        ],
    )
    with pytest.raises(ValueError, match="matching is one of 'word', 'substring', got 'stem'"):
        occurs(["a"], "a", "stem")  # type: ignore[arg-type]
