"""The Mersenne Twister MT19937 (Matsumoto and Nishimura 1998) as linear equations: its state from bits of its output.

Every bit of every number that the generator puts out is a sum modulo 2 of the 19,937 bits of its state. Known bits,
in whatever places, are therefore equations, and some 20,000 of them have one solution. It gives all numbers before and
after. torch's CPU generator and numpy's `RandomState` are this generator.

The unknowns are the bits that are *not* known of 624 successive numbers; those that are known drop out.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from trustnlp.privacy.attacks.gf2 import UnderdeterminedError, Words, solve

Numbers = NDArray[np.uint32]

_N, _M, _BITS = 624, 397, 32
_TWIST = 0x9908B0DF
_TWISTED = [bit for bit in range(_BITS) if _TWIST >> bit & 1]
_SHIFT_7 = [bit for bit in range(7, _BITS) if 0x9D2C5680 >> bit & 1]
_SHIFT_15 = [bit for bit in range(15, _BITS) if 0xEFC60000 >> bit & 1]
# Known bits beyond this many are left out.
_ENOUGH = 60_000
_HEADER_BYTES = 24


def state_before(places: NDArray[np.int64], known: Numbers, values: Numbers) -> Numbers:
    """`(624,)` the state from which the generator puts out numbers that have certain bits.

    Parameters
    ----------
    places
        `(k,)` ascending: which numbers, counted from 0, have known bits.
    known
        `(k,)` masks of the bits known of each.
    values
        `(k,)` the numbers, right in those bits.

    Raises
    ------
    UnderdeterminedError
        If there are too few bits. The message says how many are missing, if it is a matter of number.
    ContradictionError
        If no state puts out these bits: the numbers come from another source.
    ValueError
        If the lengths do not fit, or the places do not ascend.
    """
    if not places.shape == known.shape == values.shape or places.ndim != 1 or (np.diff(places) <= 0).any():
        raise ValueError(f"expected ascending places and as many masks and values, got {places.shape}, {known.shape}")
    if (missing := 19_937 - int(np.bitwise_count(known).sum())) > 0:
        raise UnderdeterminedError(f"the state has 19,937 bits, and {missing} too few are known; more rows are needed")
    start = int(places[0])
    enough = 1 + int(np.searchsorted(np.cumsum(np.bitwise_count(known).astype(np.int64)), _ENOUGH))
    places, known, values = places[:enough] - start, known[:enough], values[:enough]
    inside = places < _N
    window = _Window(places[inside], known[inside], values[inside])
    equations = window.equations(places[~inside], known[~inside], values[~inside])
    return _earlier(window.numbers(solve(equations, window.unknowns)), start + _N)


def generator_at(state: Numbers) -> torch.Generator:
    """torch's CPU generator in the `state`, about to put out its first number."""
    generator = torch.Generator().manual_seed(0)
    raw = generator.get_state()
    # Each word of 32 bits is stored in eight bytes; after `manual_seed` the generator is about to renew them.
    words = torch.from_numpy(state.astype(np.int64))
    raw[_HEADER_BYTES : _HEADER_BYTES + 8 * _N] = words.view(torch.uint8)
    return generator.set_state(raw)


class _Window:
    """624 successive numbers: each bit of each is known, or an unknown."""

    def __init__(self, places: NDArray[np.int64], known: Numbers, values: Numbers) -> None:
        self.known, self.values = np.zeros((2, _N), dtype=np.uint32)
        self.known[places], self.values[places] = known, values & known
        row, bit = np.nonzero(_bits(self.known) == 0)
        self.unknowns = len(row)
        self._at = row, bit
        forms = np.zeros((_N, _BITS, self.unknowns // 64 + 1), dtype=np.uint64)
        unknown = np.arange(self.unknowns)
        forms[row, bit, unknown // 64] = np.uint64(1) << (unknown % 64).astype(np.uint64)
        self._word, self._constant = self.unknowns // 64, np.uint64(self.unknowns % 64)
        forms[:, :, self._word] |= _bits(self.values).astype(np.uint64) << self._constant
        _untemper(forms)
        self._forms = forms

    def equations(self, places: NDArray[np.int64], known: Numbers, values: Numbers) -> Words:
        """Bits known of later numbers as equations. Uses up the window."""
        forms = self._forms
        count = int(np.bitwise_count(known).sum())
        rows = np.empty((_BITS - 1 + count, forms.shape[2]), dtype=np.uint64)
        rows[: _BITS - 1] = self._dependence()
        # In any order but this: successive numbers say much the same, and the solver starts with the first equations.
        order = _BITS - 1 + np.random.default_rng(0).permutation(count)
        filled = 0
        wanted = dict(zip(places.tolist(), zip(_bits(known), _bits(values), strict=True), strict=True))
        for number in range(_N, int(places[-1]) + 1 if len(places) else 0):
            here, low, middle = (forms[(number + shift) % _N] for shift in (0, 1, _M))
            fresh = middle.copy()
            fresh[: _BITS - 2] ^= low[1 : _BITS - 1]
            fresh[_BITS - 2] ^= here[_BITS - 1]
            fresh[_TWISTED] ^= low[0]
            forms[number % _N] = fresh
            if number in wanted:
                mask, value = wanted[number]
                _temper(fresh)
                fresh[:, self._word] ^= value.astype(np.uint64) << self._constant
                bits = fresh[mask == 1]
                rows[order[filled : filled + len(bits)]] = bits
                filled += len(bits)
        return rows

    def _dependence(self) -> Words:
        """31 equations: of 624 successive numbers the first has 31 bits that follow from the others."""
        first, before, last = self._forms[0], self._forms[_M - 1], self._forms[_N - 1]
        renewed = last ^ before
        sums: Words = first[: _BITS - 1].copy()
        sums[1:] ^= renewed[: _BITS - 2]
        for bit in range(_BITS - 1):
            if bit == 0 or _TWIST >> (bit - 1) & 1:
                sums[bit] ^= renewed[_BITS - 1]
        return sums

    def numbers(self, solution: Words) -> Numbers:
        """`(624,)` the window's numbers before tempering."""
        bits = _bits(self.values)
        unknown = np.arange(self.unknowns)
        bits[self._at] = solution[unknown // 64] >> (unknown % 64).astype(np.uint64) & np.uint64(1)
        _untemper(bits[:, :, None])
        numbers: Numbers = np.bitwise_or.reduce(bits << np.arange(_BITS, dtype=np.uint32), axis=1)
        return numbers


def _bits(numbers: Numbers) -> Numbers:
    """`(n, 32)` from the lowest bit up."""
    return numbers[:, None] >> np.arange(_BITS, dtype=np.uint32) & np.uint32(1)


def _temper(forms: NDArray[np.unsignedinteger]) -> None:
    """The generator's last step on a word `(…, 32, w)` before it puts it out, in place."""
    forms[..., :-11, :] ^= forms[..., 11:, :]
    forms[..., _SHIFT_7, :] ^= forms[..., [bit - 7 for bit in _SHIFT_7], :]
    forms[..., _SHIFT_15, :] ^= forms[..., [bit - 15 for bit in _SHIFT_15], :]
    forms[..., :-18, :] ^= forms[..., 18:, :]


def _untemper(forms: NDArray[np.unsignedinteger]) -> None:
    """The inverse: the same steps backwards, bit by bit where a step uses bits that it changes."""
    forms[..., :-18, :] ^= forms[..., 18:, :]
    forms[..., _SHIFT_15, :] ^= forms[..., [bit - 15 for bit in _SHIFT_15], :]
    for bit in _SHIFT_7:
        forms[..., bit, :] ^= forms[..., bit - 7, :]
    for bit in reversed(range(_BITS - 11)):
        forms[..., bit, :] ^= forms[..., bit + 11, :]


def _earlier(state: Numbers, steps: int) -> Numbers:
    """The state of 624 words, so many words before."""
    words = [0] * steps + [int(word) for word in state]
    for place in reversed(range(steps)):
        renewed = words[place + _N] ^ words[place + _M]
        # The twist has bit 31, which the word it is added to lacks: so bit 31 says whether it was added.
        mixed = (renewed ^ _TWIST) << 1 | 1 if renewed >> 31 else renewed << 1
        words[place] |= mixed & 0x80000000
        words[place + 1] = words[place + 1] & 0x80000000 | mixed & 0x7FFFFFFF
    return np.array(words[:_N], dtype=np.uint32)
