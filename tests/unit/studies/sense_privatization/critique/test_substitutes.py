"""Ranks of substitutes against a plain sort, and shares of bands against a given law."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from planted_inventory import by_table

from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.critique import substitutes


def space(size: int, dim: int = 3, grid: bool = False) -> WordVectors:
    rng = np.random.default_rng(size)
    # On a grid many words are equally far away, or have the same vector.
    matrix = rng.integers(1, 5, (size, dim)) if grid else 100 + rng.standard_normal((size, dim))
    return WordVectors([f"w{row}" for row in range(size)], matrix, "drawn")


def ladder(vectors: WordVectors, word: int) -> list[int]:
    """The word, then all others, nearest first, the lowest row among equals."""
    table = vectors.matrix.astype(np.float64)
    distances = np.square(table - table[word]).sum(axis=1)
    return [word, *(row for row in np.argsort(distances, kind="stable").tolist() if row != word)]


@pytest.mark.parametrize("grid", [False, True])
@pytest.mark.parametrize("k", [1, 10, 500])
def test_nearest_words_are_those_of_a_plain_sort(grid, k):
    vectors = space(150, grid=grid)
    words = np.random.default_rng(0).permutation(150)[:80]
    assert substitutes.nearest_words(vectors, words, k).tolist() == [
        ladder(vectors, int(word))[1 : k + 1] for word in words
    ]


def test_every_substitute_has_its_rank():
    vectors, words = space(150), np.array([7, 149, 0])
    ranks = substitutes.ranks_of(np.tile(np.arange(150), (3, 1)), words, substitutes.nearest_words(vectors, words, 100))
    for own, word in zip(ranks, words, strict=True):
        order = ladder(vectors, int(word))
        assert own.tolist() == [min(order.index(row), 101) for row in range(150)]


def test_shares_are_those_of_the_law():
    vectors, words = space(150), np.array([3, 140])
    law = np.zeros((2, 150))
    for own, word in zip(law, words, strict=True):
        own[np.array(ladder(vectors, int(word)))[[0, 1, 2, 10, 11, 100, 101, 149]]] = [3, 1, 0.5, 1, 1, 1.5, 1, 1]
    # The table of this mechanism has other rows than the vocabulary, as that of senses has.
    at = {1.0: by_table(law / 10), 2.0: by_table(np.eye(150)[words])}
    shares = substitutes.rank_shares(at.__getitem__, [0, 1], words, vectors, [1.0, 2.0], 20_000)
    assert shares[0] == pytest.approx(np.tile([0.3, 0.1, 0.15, 0.25, 0.2], (2, 1)), abs=0.015)
    assert shares[1].tolist() == [[1, 0, 0, 0, 0]] * 2


def test_a_small_vocabulary_has_no_beyond():
    vectors = space(4)
    shares = substitutes.rank_shares(lambda epsilon: by_table(np.ones((4, 4))), [0, 1], [0, 1], vectors, [1.0], 8000)
    assert shares[0] == pytest.approx(np.tile([0.25, 0.25, 0.5, 0, 0], (2, 1)), abs=0.03)


WORDS = ["sit", "bank", "shore", "and", "xyzzy"]


CLASSES = substitutes.numbered_classes(WORDS, {"sit": "verb", "bank": "noun", "shore": "noun", "and": "conjunction"})


def shifted(epsilon: float):
    """Returns the word itself in half of the draws, else the one `epsilon` rows on."""
    return lambda rows: (rows + torch.arange(len(rows)) % 2 * int(epsilon)) % len(WORDS)


def test_only_other_words_with_a_class_are_counted() -> None:
    assert CLASSES.tolist() == [2, 1, 1, 0, -1]
    rows = np.arange(5)
    shares, chance = substitutes.share_of_class(shifted, rows, rows, CLASSES, [1.0, 2.0, 5.0], 40)
    # One row on: sit → bank, bank → shore (the same class), shore → and; and → xyzzy has no class.
    # Two rows on: sit → shore, bank → and, and → sit; shore → xyzzy has no class. Five: nothing changes.
    np.testing.assert_allclose(shares, [1 / 3, 0, np.nan])
    few, _ = substitutes.share_of_class(shifted, rows, rows, CLASSES, [1.0], 4)
    assert np.isnan(few).all(), "a share of six substitutes says nothing"
    assert chance == pytest.approx((1 + 2 + 2 + 1) / 4 / 4)
