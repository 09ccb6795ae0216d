"""Compiled loop of skip-gram with sub-words and a polarisation term, in float32.

One step of stochastic gradient descent for each pair of a word and a word of its context, as in fastText: the vector h
of the centre word is the mean of its `n` rows, and every one of these rows receives the whole gradient of h (not 1/n of
it). Between two pairs of one centre nobody else reads these rows, so that they are updated once, after its last pair,
while h itself moves with every pair: by `gain` times the gradient, where the gain is 1 unless an n-gram occurs twice in
the word. The result is that of an update per pair, up to rounding, at the memory traffic of an update per centre word.

σ is computed, not looked up. Random numbers are SplitMix64 (Steele, Lea and Flood 2014), one stream for each thread.
Draws, in this order: one for each token of a line (thinning), then for each centre one for its window and one or more
for each negative word (drawn anew where it is the target).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import numba
except ImportError as error:
    raise ImportError("training polarised vectors needs numba: pip install 'trustnlp[senses]'") from error

WRITTEN, RELEASED, REPAIRED = 0, 1, 2

# Kept on disk between processes. Numba looks at the time of this file alone: what is compiled calls nothing of others.
# Sums may be taken in any order, so that they go through the vector units; NaN and infinity stay what they are.
compiled: Callable[..., Any] = numba.njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz", "arcp"})
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


def alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Walker's alias method (1977), built as by Vose (1991): draws from any distribution at the cost of one number.

    Returns
    -------
    `(n,)` chances in units of 2⁻³² that a slot gives itself, and `(n,)` what it gives otherwise.
    """
    share = np.asarray(weights, dtype=np.float64) * len(weights) / np.sum(weights)
    chance, other = np.full(len(share), 2**32 - 1, dtype=np.uint32), np.arange(len(share), dtype=np.uint32)
    small, large = [int(at) for at in np.flatnonzero(share < 1)], [int(at) for at in np.flatnonzero(share >= 1)]
    left = share.tolist()
    while small and large:
        low, high = small.pop(), large[-1]
        chance[low], other[low] = min(int(left[low] * 2**32), 2**32 - 1), high
        left[high] -= 1 - left[low]
        if left[high] < 1:
            small.append(large.pop())
    return chance, other


@compiled
def train_lines(  # type: ignore[no-untyped-def]
    ids, line_starts, line_labels, first_line, last_line,
    starts, rows, gains, inputs, outputs,
    keep, chance, other, mean_field, word_label_starts, word_labels,
    form, field, clears, learning_rate, window, negatives, epochs, state,
):  # fmt: skip
    """Train on some lines, all epochs; `inputs` and `outputs` are changed in place.

    `keep` are the chances to keep a word, in units of 2⁻³². The form REPAIRED subtracts `mean_field` `(K,)` from the
    axis of a label. `clears` is False to leave the released gradient buffer as the last pair left it. `state` is where
    the stream of random numbers begins.
    """
    dim = inputs.shape[1]
    hidden, total, grad = np.zeros(dim, np.float32), np.zeros(dim, np.float32), np.zeros(dim, np.float32)
    longest = 0
    for line in range(first_line, last_line):
        longest = max(longest, line_starts[line + 1] - line_starts[line])
    kept = np.empty(longest, np.int32)
    done, every = 0, epochs * (line_starts[last_line] - line_starts[first_line])
    size, classes = np.uint64(len(chance)), len(mean_field)
    one = np.float32(1)

    for _ in range(epochs):
        for line in range(first_line, last_line):
            rate = np.float32(learning_rate * (1 - done / every))
            pull = np.float32(field) * rate
            done += line_starts[line + 1] - line_starts[line]
            label = line_labels[line]
            n = 0
            for at in range(line_starts[line], line_starts[line + 1]):
                state += _GOLDEN
                z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
                if (z ^ (z >> np.uint64(31))) >> _HALF < keep[ids[at]]:
                    kept[n] = ids[at]
                    n += 1

            for at in range(n):
                word = kept[at]
                state += _GOLDEN
                z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
                reach = 1 + np.int64((((z ^ (z >> np.uint64(31))) >> _HALF) * np.uint64(window)) >> _HALF)

                if form == RELEASED and field > 0:
                    if clears:
                        grad[:] = 0
                    score = np.float32(0)
                    for at_label in range(word_label_starts[word], word_label_starts[word + 1]):
                        score += outputs[word, word_labels[at_label]]
                    step = pull * (one - one / (one + np.exp(-score)))
                    for i in range(dim):
                        grad[i] += step * outputs[word, i]
                    for at_label in range(word_label_starts[word], word_label_starts[word + 1]):
                        outputs[word, word_labels[at_label]] += step
                    for i in range(dim):
                        inputs[word, i] += grad[i]

                begin, end = starts[word], starts[word + 1]
                hidden[:] = 0
                for at_row in range(begin, end):
                    row = rows[at_row]
                    for i in range(dim):
                        hidden[i] += inputs[row, i]
                part = one / np.float32(end - begin)
                for i in range(dim):
                    hidden[i] *= part
                gain = gains[word]
                total[:] = 0

                if form != RELEASED and field > 0:
                    score = hidden[label]
                    if form == REPAIRED:
                        for i in range(classes):
                            score -= mean_field[i] * hidden[i]
                    step = pull * (one - one / (one + np.exp(-score)))
                    total[label] += step
                    hidden[label] += gain * step
                    if form == REPAIRED:
                        for i in range(classes):
                            total[i] -= step * mean_field[i]
                            hidden[i] -= gain * step * mean_field[i]

                for place in range(at - reach, at + reach + 1):
                    if place == at or place < 0 or place >= n:
                        continue
                    target = np.uint32(kept[place])
                    grad[:] = 0
                    for draw in range(negatives + 1):
                        chosen, truth = target, one
                        if draw:
                            truth = np.float32(0)
                            while chosen == target:
                                state += _GOLDEN
                                z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
                                z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
                                z = z ^ (z >> np.uint64(31))
                                chosen = np.uint32(((z >> _HALF) * size) >> _HALF)
                                if np.uint32(z & _LOW) >= chance[chosen]:
                                    chosen = other[chosen]
                        dot = np.float32(0)
                        for i in range(dim):
                            dot += hidden[i] * outputs[chosen, i]
                        step = rate * (truth - one / (one + np.exp(-dot)))
                        for i in range(dim):
                            value = outputs[chosen, i]
                            grad[i] += step * value
                            outputs[chosen, i] = value + step * hidden[i]
                    for i in range(dim):
                        hidden[i] += gain * grad[i]
                        total[i] += grad[i]

                for at_row in range(begin, end):
                    row = rows[at_row]
                    for i in range(dim):
                        inputs[row, i] += total[i]
