"""The compiled training of polarised vectors against float64 loops that touch every row at every pair, same draws."""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba", reason="training needs the extra 'senses'")

from trustnlp.embeddings.polarised import polarised_classifier, polarised_kernel
from trustnlp.embeddings.polarised.polarised_classifier import train_supervised
from trustnlp.embeddings.polarised.polarised_subwords import ngram_buckets
from trustnlp.embeddings.polarised.polarised_training import Form, train_polarised

MASK = 2**64 - 1


class Draws:
    """SplitMix64, in whole numbers without end."""

    def __init__(self, state: int) -> None:
        self.state = state

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        return ((self.next() >> 32) * n) >> 32

    def alias(self, chance: np.ndarray, other: np.ndarray) -> int:
        z = self.next()
        slot = ((z >> 32) * len(chance)) >> 32
        return slot if (z & 0xFFFFFFFF) < int(chance[slot]) else int(other[slot])


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


class Slow:
    """One model as its equations are: numpy float64, each pair updates each row, no gain."""

    def __init__(self, *arguments: Any) -> None:
        (
            self.ids, self.line_starts, self.line_labels, self.first, self.last,
            self.starts, self.rows, _gains, inputs, outputs,
            self.keep, self.chance, self.other, self.mean_field, self.label_starts, self.word_labels,
            self.form, self.field, self.clears, self.learning_rate, self.window, self.negatives, self.epochs, state,
        ) = arguments  # fmt: skip
        self.inputs, self.outputs = inputs.astype(np.float64), outputs.astype(np.float64)
        self.draws = Draws(int(state))
        self.buffer = np.zeros(inputs.shape[1])  # the released code's grad_

    def rows_of(self, word: int) -> np.ndarray:
        return self.rows[self.starts[word] : self.starts[word + 1]]

    def vector(self, word: int) -> np.ndarray:
        return self.inputs[self.rows_of(word)].mean(axis=0)

    def add(self, word: int, gradient: np.ndarray) -> None:
        for row in self.rows_of(word):
            self.inputs[row] += gradient

    def feel_field(self, word: int, label: int, rate: float) -> None:
        if self.form == polarised_kernel.RELEASED:
            mu = np.zeros(self.inputs.shape[1])
            mu[self.word_labels[self.label_starts[word] : self.label_starts[word + 1]]] = 1
            if self.clears:
                self.buffer[:] = 0
            step = self.field * rate * (1 - sigmoid(self.outputs[word] @ mu))
            self.buffer += step * self.outputs[word]
            self.outputs[word] += step * mu
            self.inputs[word] += self.buffer
            return
        mu = np.eye(self.inputs.shape[1])[label]
        if self.form == polarised_kernel.REPAIRED:
            mu[: len(self.mean_field)] -= self.mean_field
        self.add(word, self.field * rate * (1 - sigmoid(self.vector(word) @ mu)) * mu)

    def see_pair(self, word: int, target: int, rate: float) -> None:
        hidden = self.vector(word)
        self.buffer[:] = 0
        for draw in range(self.negatives + 1):
            chosen = target
            while draw and chosen == target:
                chosen = self.draws.alias(self.chance, self.other)
            step = rate * ((draw == 0) - sigmoid(hidden @ self.outputs[chosen]))
            self.buffer += step * self.outputs[chosen]
            self.outputs[chosen] += step * hidden
        self.add(word, self.buffer)

    def train(self) -> None:
        every = self.epochs * (self.line_starts[self.last] - self.line_starts[self.first])
        done = 0
        for _ in range(self.epochs):
            for line in range(self.first, self.last):
                words = self.ids[self.line_starts[line] : self.line_starts[line + 1]]
                rate = self.learning_rate * (1 - done / every)
                done += len(words)
                kept = [int(word) for word in words if self.draws.next() >> 32 < int(self.keep[word])]
                for at, word in enumerate(kept):
                    reach = 1 + self.draws.below(self.window)
                    if self.field > 0:
                        self.feel_field(word, int(self.line_labels[line]), rate)
                    for place in range(at - reach, at + reach + 1):
                        if place != at and 0 <= place < len(kept):
                            self.see_pair(word, kept[place], rate)


def planted(lines: int) -> tuple[list[list[list[str]]], list[str]]:
    """Three owners; "banana" has the n-gram "ana" twice, and some words stand alone on their line."""
    rng = np.random.default_rng(0)
    shared, own = ["banana", "and", "of", "häuser"], {"a": "anton", "b": "bertas", "c": "cäsars"}
    documents = [
        [[str(rng.choice([*shared, own[label]])) for _ in range(rng.integers(1, 7))] for _ in range(lines)]
        for label in own
    ]
    return documents, list(own)


@pytest.mark.parametrize("lines", [1, 2, 7])
@pytest.mark.parametrize(
    ("form", "field", "uncleared"),
    [
        ("as_written", 0.0, True),
        ("as_written", 1.0, True),
        ("as_released", 1.0, False),
        ("as_released", 3.0, True),
        ("repaired", 4.0, True),
    ],
)
def test_step_by_step(monkeypatch: pytest.MonkeyPatch, form: Form, field: float, uncleared: bool, lines: int) -> None:
    seen: list[tuple[Slow, np.ndarray, np.ndarray]] = []
    compiled = polarised_kernel.train_lines

    def both(*arguments: Any) -> None:
        slow = Slow(*copy.deepcopy(arguments))
        before = arguments[8].copy()
        compiled(*arguments)
        slow.train()
        assert not np.allclose(before, arguments[8], atol=1e-3), "nothing was trained"
        seen.append((slow, arguments[8], arguments[9]))

    monkeypatch.setattr(polarised_kernel, "train_lines", both)
    documents, labels = planted(lines)
    train_polarised(
        documents, labels, form=form, field=field, dim=None if form == "as_released" else 7, window=3, negatives=2,
        epochs=3, learning_rate=0.2, min_count=1, buckets=50, subsample=0.05, uncleared_gradient=uncleared, seed=5,
    )  # fmt: skip
    (slow, inputs, outputs) = seen[0]
    np.testing.assert_allclose(inputs, slow.inputs, atol=2e-5, rtol=2e-4)
    np.testing.assert_allclose(outputs, slow.outputs, atol=2e-5, rtol=2e-4)


def test_classifier_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = polarised_classifier._train_texts

    def both(*arguments: Any) -> None:
        ids, texts, labels, first, last, starts, rows, inputs, outputs, rate, epochs = copy.deepcopy(arguments)
        compiled(*arguments)
        inputs, outputs = inputs.astype(np.float64), outputs.astype(np.float64)
        done = 0
        for _ in range(epochs):
            for text in range(first, last):
                words = ids[texts[text] : texts[text + 1]]
                now = rate * (1 - done / (epochs * texts[last]))
                done += len(words)
                used = np.concatenate([rows[starts[word] : starts[word + 1]] for word in words])
                hidden = inputs[used].mean(axis=0)
                score = np.exp(outputs @ hidden)
                step = now * (np.eye(len(outputs))[labels[text]] - score / score.sum())
                gradient = step @ outputs / len(used)
                outputs += np.outer(step, hidden)
                np.add.at(inputs, used, gradient)
        np.testing.assert_allclose(arguments[7], inputs, atol=1e-5, rtol=1e-4)
        np.testing.assert_allclose(arguments[8], outputs, atol=1e-5, rtol=1e-4)
        assert np.abs(outputs).max() > 0.01

    monkeypatch.setattr(polarised_classifier, "_train_texts", both)
    documents, labels = planted(5)
    for examples in ("document", "line"):
        train_supervised(documents, labels, examples=examples, dim=6, epochs=4, learning_rate=0.5, buckets=50, seed=1)


def test_ngrams_fall_into_gensims_buckets() -> None:
    gensim = pytest.importorskip("gensim.models.fasttext_inner", reason="needs the extra 'embeddings'")
    words = ["banana", "a", "", "où", "Straße", "日本語", "naïve—x", "𝒳y"]
    for shortest, longest in ((3, 6), (1, 4), (2, 2)):
        starts, found = ngram_buckets(words, (shortest, longest), 1000)
        for at, word in enumerate(words):
            theirs = gensim.compute_ngrams_bytes(word, shortest, longest)
            expected = [gensim.ft_hash_bytes(ngram) % 1000 for ngram in theirs]
            assert found[starts[at] : starts[at + 1]].tolist() == expected, (word, shortest)


def test_alias_table_holds_the_distribution() -> None:
    rng = np.random.default_rng(0)
    for weights in (np.ones(1), np.ones(7), np.array([1e-9, 1, 0, 5]), rng.zipf(1.5, 300) ** 0.5):
        chance, other = polarised_kernel.alias_table(weights)
        share = chance / 2**32
        given = np.bincount(other, weights=1 - share, minlength=len(share)) + share
        np.testing.assert_allclose(given / len(share), weights / weights.sum(), atol=1e-8)
