"""Counterparts and alignment: planted rotations are found, ranks agree with the obvious loop, bad input is refused."""

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.embeddings import alignment
from trustnlp.embeddings.alignment import (
    align,
    align_unaided,
    centred,
    counterpart_ranks,
    procrustes,
    recovery_of_ranks,
    scored,
)
from trustnlp.embeddings.static import WordVectors


def recovery(private: WordVectors, attacker: WordVectors, n: int, exclude=()) -> np.ndarray:
    return recovery_of_ranks(counterpart_ranks(private, attacker)[scored(private, exclude)], n)


def drawn_rotation(d: int, seed: int = 0) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]


def vectors(words, matrix, name="test") -> WordVectors:
    return WordVectors([f"w{word}" for word in words], matrix, name)


@pytest.fixture
def rotated() -> tuple[WordVectors, WordVectors]:
    """A private model, and the attacker's: rotated, noisy, in another order, without w0 and with words of its own."""
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal((60, 8))
    turned = matrix @ drawn_rotation(8) + 0.05 * rng.standard_normal((60, 8))
    order = [*rng.permutation(np.arange(1, 60)), *range(100, 110)]
    rows = [turned[word] if word < 60 else rng.standard_normal(8) for word in order]
    return vectors(range(60), matrix), vectors(order, rows)


def test_procrustes_finds_the_rotation_and_nothing_orthogonal_fits_better():
    rng = np.random.default_rng(3)
    source, rotation = rng.standard_normal((30, 6)), drawn_rotation(6)
    np.testing.assert_allclose(procrustes(source, source @ rotation), rotation, atol=1e-12)
    target = rng.standard_normal((30, 6))
    best = procrustes(source, target)
    np.testing.assert_allclose(best @ best.T, np.eye(6), atol=1e-12)
    error = np.linalg.norm(source @ best - target)
    assert all(np.linalg.norm(source @ drawn_rotation(6, seed) - target) > error for seed in range(50))


def test_procrustes_refuses():
    rows = [
        (np.ones((2, 3)), np.ones((3, 3)), r"got \(2, 3\) and \(3, 3\)"),
        (np.ones((0, 3)), np.ones((0, 3)), "at least one pair"),
        (np.ones(3), np.ones(3), "shape"),
        ([[1.0, np.nan]], [[1.0, 2.0]], "NaN or infinity"),
    ]
    assert_refused(procrustes, rows)


def slow_rank(private: WordVectors, attacker: WordVectors, word: str) -> int:
    """Place of the word in the attacker's list of nearest words, 0 where it is not in it."""
    listed = [found for found, _ in attacker.nearest(private[word], len(attacker))]
    return listed.index(word) + 1 if word in listed else 0


@pytest.mark.parametrize("block", [7, 2048])
def test_ranks_agree_with_sorting_all_words(rotated, monkeypatch, block):
    monkeypatch.setattr(alignment, "_BLOCK", block)
    private, attacker = rotated
    ranks = counterpart_ranks(private, attacker)
    assert ranks.tolist() == [slow_rank(private, attacker, word) for word in private.words]
    assert ranks[0] == 0 and ranks[1:].min() >= 1


def test_equal_cosines_rank_in_the_order_of_the_attackers_words():
    private = vectors([1, 2, 3], [[1, 0], [1, 0], [0, 1]])
    attacker = vectors([2, 1, 3], [[2, 0], [1, 0], [5, 0]])
    assert counterpart_ranks(private, attacker).tolist() == [2, 1, 3]


def test_recovery_counts_unknown_words_as_failures_and_leaves_out_the_excluded():
    private = vectors([1, 2, 3, 4], [[1, 0], [0, 1], [1, 0.1], [1, 1]])
    attacker = vectors([1, 2, 3], [[1, 0], [0, 1], [1, 0.01]])  # w1 → 1; w2 → 1; w3: w3 nearer than w1; w4 unknown
    assert recovery(private, attacker, 2).tolist() == [0.75, 0.75]
    assert recovery(private, attacker, 1, exclude=["w4", "unheard"]).tolist() == [1.0]
    assert recovery(private, attacker, 1, exclude=["w1", "w2"]).tolist() == [0.5]
    assert recovery_of_ranks([3, 1, 0, 2], 3).tolist() == [0.25, 0.5, 0.75]


def test_alignment_recovers_what_a_rotation_hides(rotated):
    private, attacker = rotated
    hidden = recovery(private, attacker, 1)[0]
    anchors = [f"w{word}" for word in range(1, 13)]
    found = recovery(align(private, attacker, anchors), attacker, 1, exclude=anchors)[0]
    assert hidden < 0.15 and found == 47 / 48  # all but w0, which the attacker does not know


def test_alignment_without_known_words_improves_a_guess_by_frequency():
    rng = np.random.default_rng(4)
    matrix = rng.standard_normal((200, 10)) / np.arange(1, 11)  # directions differ in length, as in trained vectors
    turned = matrix @ drawn_rotation(10) + 0.01 * rng.standard_normal((200, 10))
    swapped = np.arange(200)
    swapped[:60:3] += 1  # the order of frequency differs a little
    swapped[1:60:3] -= 1
    private, attacker = vectors(range(200), matrix), vectors(swapped, turned[swapped])
    guess = recovery(align_unaided(private, attacker, first=60, steps=0), attacker, 1)[0]
    better = recovery(align_unaided(private, attacker, first=60, steps=10), attacker, 1)[0]
    assert guess < 0.9 < 0.98 < better


def test_centred_takes_out_the_common_direction():
    rng = np.random.default_rng(5)
    moved = vectors(range(50), rng.standard_normal((50, 6)) + 20)
    assert moved.unit.mean(axis=0) @ moved.unit[0] > 0.9
    np.testing.assert_allclose(centred(moved).matrix.mean(axis=0), 0, atol=1e-6)


def test_unusable_input_is_refused(rotated):
    private, attacker = rotated
    narrow = vectors([1, 2], [[1, 0], [0, 1]])
    attacks = (counterpart_ranks, align_unaided, lambda a, b: align(a, b, ["w1"]))
    dimensions = "same number of dimensions to be compared, got 8 and 2"
    assert_refused(lambda attack: attack(private, narrow), [(attack, dimensions) for attack in attacks])
    rows = [
        ([], "each anchor once"),
        (["w1", "w1"], "got 2, 1 distinct"),
        (["w0"], KeyError, "w0"),
        ("w1", TypeError, "single string"),
    ]
    assert_refused(lambda anchors: align(private, attacker, anchors), rows)
    cases = [
        (1, "w1", TypeError, "single string"),
        (0, (), "n must be at least 1"),
        (1, private.words, "no word is left"),
    ]
    assert_refused(lambda n, exclude: recovery(private, attacker, n, exclude), cases)
    assert_refused(lambda first: align_unaided(private, attacker, first=first), [(0, "first ≥ 1")])
