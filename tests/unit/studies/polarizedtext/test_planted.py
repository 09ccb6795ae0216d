"""Energy of words in a field: against loops over the tokens, and what its states of lowest energy look like."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba", reason="training needs the extra 'senses'")

from trustnlp.embeddings.polarised.polarised_corpus import encode
from trustnlp.studies.polarizedtext.planted import energy, relaxed, spin_graph


def planted() -> list[list[list[str]]]:
    rng = np.random.default_rng(0)

    def word(owner: str) -> str:
        return str(rng.choice([f"own{owner}{i}" for i in range(3)] if rng.random() < 0.3 else list("wxyz")))

    return [[[word(owner) for _ in range(8)] for _ in range(20)] for owner in "ABC"]


DOCUMENTS, LABELS = planted(), list("ABC")
GRAPH = spin_graph(encode(DOCUMENTS, LABELS, min_count=1))
AXES = np.eye(3, 5)


def random_spins(size: int) -> np.ndarray:
    spins = np.random.default_rng(1).standard_normal((size, 5))
    return spins / np.linalg.norm(spins, axis=1, keepdims=True)


def test_energy_is_the_sum_over_the_tokens() -> None:
    spins = random_spins(len(GRAPH.words))
    row = {word: at for at, word in enumerate(GRAPH.words)}
    binding = field = tokens = 0.0
    for document, label in zip(DOCUMENTS, LABELS, strict=True):
        for line in document:
            for at, word in enumerate(line):
                tokens += 1
                field -= 0.7 * spins[row[word]] @ AXES[GRAPH.labels.index(label)]
                for neighbour in line[at + 1 : at + 2]:
                    binding -= spins[row[word]] @ spins[row[neighbour]]
    per_token = energy(GRAPH, spins, AXES, 0.7)
    np.testing.assert_allclose(per_token, [binding / tokens, field / tokens])
    assert per_token.total == pytest.approx((binding + field) / tokens)
    assert energy(GRAPH, spins, AXES, 0.0).field == 0 and GRAPH.tokens == tokens


def test_equal_words_share_a_spin_so_that_the_chain_is_a_graph() -> None:
    line = [["a", "b", "a", "c", "a", "d", "d"]]
    graph = spin_graph(encode([line], ["x"], min_count=1))
    assert dict(zip(graph.words, graph.degrees.tolist(), strict=True)) == {"a": 3, "b": 1, "c": 1, "d": 1}
    assert graph.bonds.sum() == 2 * 6


def test_without_a_field_the_lowest_energy_is_collapse() -> None:
    spins = relaxed(GRAPH, AXES, 0.0, rng=np.random.default_rng(0))
    np.testing.assert_allclose(spins @ spins[0], 1, atol=1e-3)
    everywhere_the_same = np.tile([[1.0, 0, 0, 0, 0]], (len(GRAPH.words), 1))
    lowest = energy(GRAPH, everywhere_the_same, AXES, 0.0).total
    assert lowest == pytest.approx(-GRAPH.bonds.sum() / 2 / GRAPH.tokens)
    assert energy(GRAPH, spins, AXES, 0.0).total == pytest.approx(lowest, abs=1e-5)


def test_no_spin_alone_lowers_a_relaxed_state() -> None:
    spins = relaxed(GRAPH, AXES, 1.5, rng=np.random.default_rng(0), tolerance=1e-13)
    lowest = energy(GRAPH, spins, AXES, 1.5).total
    rng = np.random.default_rng(2)
    for word in range(len(spins)):
        for _ in range(20):
            turned = spins.copy()
            turned[word] += 0.2 * rng.standard_normal(5)
            turned[word] /= np.linalg.norm(turned[word])
            assert energy(GRAPH, turned, AXES, 1.5).total >= lowest - 1e-9
