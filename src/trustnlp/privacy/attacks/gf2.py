"""Linear equations modulo 2, by the method of four Russians (Arlazarov et al. 1970).

Twenty thousand equations in as many unknowns take seconds. 64 coefficients are packed in a word, and adding two
equations is one exclusive or. The method adds the 64 pivots of a column of words to all other rows eight at a time: the
256 sums of eight pivots are computed once and looked up by the byte that they clear (Albrecht, Bard and Hart 2010).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_BITS = 64
_ROWS_AT_ONCE = 256
_SPARE = 512
_CANDIDATES = 4 * _BITS
_ONE = np.uint64(1)


class UnderdeterminedError(ValueError):
    """The equations leave unknowns open."""


class ContradictionError(ValueError):
    """No values solve all equations."""


def solve(equations: Words, unknowns: int) -> Words:
    """The one solution of `equations`, packed as a row of them, with the bit of the constants set.

    Parameters
    ----------
    equations
        `(n, w)` packed equations, overwritten. Bit `i % 64` of word `i // 64` is the coefficient of unknown i; bit
        `unknowns` is the constant; an equation says that coefficients times unknowns plus constant are 0. The first are
        used first, and those that are not needed stay unused but for a few, as a check.
    unknowns
        How many there are; `w` is `unknowns // 64 + 1`.

    Raises
    ------
    UnderdeterminedError
        If there is more than one solution.
    ContradictionError
        If there is none. Noticed only where there are more equations than unknowns.
    ValueError
        If the shape does not fit.

    Examples
    --------
    x₀ + x₁ = 1 and x₁ = 1:

    >>> bin(int(solve(np.array([[0b111], [0b110]], dtype=np.uint64), 2)[0]))
    '0b110'
    """
    if equations.ndim != 2 or equations.shape[1] != unknowns // _BITS + 1:
        raise ValueError(f"{unknowns} unknowns have {unknowns // _BITS + 1} words, got the shape {equations.shape}")
    used = min(unknowns + _SPARE, len(equations))
    for first in range(0, unknowns, _BITS):
        bits = min(_BITS, unknowns - first)
        # Pivots are looked for in a few rows: half of those that are left have any given bit.
        while not any(_pivot(equations[:used], first, bits, some) for some in (_CANDIDATES, used)):
            if used == len(equations):
                raise UnderdeterminedError(
                    f"{len(equations)} equations do not determine {unknowns} unknowns; more of them are needed"
                )
            further = equations[used : used + _SPARE]
            for before in range(0, first, _BITS):
                _clear(further, equations[before : before + _BITS], before // _BITS)
            used += len(further)
        _clear(equations[first + bits : used], equations[first : first + bits], first // _BITS)
    word, bit = divmod(unknowns, _BITS)
    wrong = int((equations[unknowns:used, word] >> np.uint64(bit) & _ONE).sum())
    if wrong:
        raise ContradictionError(f"{wrong} of {used - unknowns} equations kept for a check contradict the others")
    return _substitute(equations, unknowns)


def _pivot(equations: Words, first: int, bits: int, candidates: int) -> bool:
    """Bring rows to position `first` whose columns `first` to `first + bits` are the unit matrix, if there are any."""
    word = first // _BITS
    column = equations[first : first + candidates, word].copy()
    pivots = np.empty((bits, equations.shape[1] - word), dtype=np.uint64)
    chosen: list[int] = []
    for bit in range(bits):
        mask = _ONE << np.uint64(bit)
        has = (column & mask) != 0
        if not has.any():
            return False
        place = int(has.argmax())
        chosen.append(first + place)
        row = equations[first + place, word:].copy()
        earlier = [other for other in range(bit) if int(row[0]) >> other & 1]
        row ^= np.bitwise_xor.reduce(pivots[earlier], axis=0)
        pivots[:bit][(pivots[:bit, 0] & mask) != 0] ^= row
        pivots[bit] = row
        column[has] ^= column[place]
    top = range(first, first + bits)
    displaced = [row for row in top if row not in chosen]
    equations[[row for row in chosen if row not in top], word:] = equations[displaced, word:]
    equations[first : first + bits, word:] = pivots
    return True


def _clear(rows: Words, pivots: Words, word: int) -> None:
    """Subtract pivots from other rows, so that the columns of their unit matrix, in `word`, are 0 there."""
    pivots, below = pivots[:, word:], rows[:, word:]
    bits = len(pivots)
    mask = np.uint64((1 << bits) - 1)
    places = np.ascontiguousarray(below[:, 0] & mask).view(np.uint8).reshape(-1, 8)
    sums = [_sums(pivots[start : start + 8]) for start in range(0, bits, 8)]
    looked_up = np.empty((min(_ROWS_AT_ONCE, len(below)), below.shape[1]), dtype=np.uint64)
    for start in range(0, len(below), _ROWS_AT_ONCE):
        part = below[start : start + _ROWS_AT_ONCE]
        added = looked_up[: len(part)]
        for group, table in enumerate(sums):
            # With the default mode take would copy through a buffer.
            np.take(table, places[start : start + _ROWS_AT_ONCE, group], axis=0, out=added, mode="clip")
            np.bitwise_xor(part, added, out=part)


def _sums(pivots: Words) -> Words:
    """`(2**k, w)` the sums of all subsets of k rows, by the number whose bits name the rows."""
    table = np.zeros((1, pivots.shape[1]), dtype=np.uint64)
    for pivot in pivots:
        table = np.concatenate([table, table ^ pivot])
    return table


def _substitute(triangle: Words, unknowns: int) -> Words:
    """Solve from the last unknowns up; each block of 64 is already free of its own."""
    solution = np.zeros(triangle.shape[1], dtype=np.uint64)
    word, bit = divmod(unknowns, _BITS)
    solution[word] = _ONE << np.uint64(bit)
    for first in reversed(range(0, unknowns, _BITS)):
        rows = triangle[first : min(first + _BITS, unknowns), first // _BITS :]
        parity = np.bitwise_count(rows & solution[first // _BITS :]).sum(axis=1, dtype=np.uint64) & _ONE
        solution[first // _BITS] |= np.bitwise_or.reduce(parity << np.arange(len(rows), dtype=np.uint64))
    return solution
