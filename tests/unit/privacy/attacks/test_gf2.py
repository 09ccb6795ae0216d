"""Equations modulo 2 against values that were planted, at sizes around those of a word."""

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.privacy.attacks.gf2 import ContradictionError, UnderdeterminedError, solve


def planted(unknowns: int, equations: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random equations, and the packed solution that all of them have."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (equations, unknowns), dtype=np.uint8)
    values = rng.integers(0, 2, unknowns, dtype=np.uint8)
    constants = bits @ values.astype(np.int64) % 2
    return pack(np.column_stack([bits, constants])), pack(np.append(values, 1)[None])[0]


def pack(bits: np.ndarray) -> np.ndarray:
    padded = np.zeros((len(bits), -(-bits.shape[1] // 64) * 64), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


@pytest.mark.parametrize("unknowns", [1, 2, 63, 64, 65, 127, 128, 700])
def test_the_planted_values_are_found(unknowns: int) -> None:
    equations, values = planted(unknowns, unknowns + 40)
    assert np.array_equal(solve(equations, unknowns), values)


def test_equations_that_say_the_same_cost_nothing_as_long_as_enough_follow() -> None:
    """The first are repeated so often that the solver has to come back for those behind them."""
    equations, values = planted(200, 300)
    repeated = np.concatenate([np.tile(equations[:50], (40, 1)), equations])
    assert np.array_equal(solve(repeated, 200), values)


def test_too_few_equations_and_wrong_ones_are_told_apart() -> None:
    equations, _ = planted(200, 300)
    wrong = equations.copy()
    wrong[7, 200 // 64] ^= np.uint64(1 << 200 % 64)
    assert_refused(
        lambda rows: solve(rows.copy(), 200),
        [
            (equations[:199], UnderdeterminedError, "199 equations do not determine 200 unknowns"),
            (np.tile(equations[:150], (5, 1)), UnderdeterminedError, "750 equations do not determine"),
            (wrong, ContradictionError, "of 100 equations kept for a check contradict"),
            (equations[:, :3], ValueError, r"have 4 words, got the shape \(300, 3\)"),
        ],
    )
