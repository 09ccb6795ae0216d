"""Energy of words in a field: against loops over the tokens, and what its states of lowest energy look like."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from refusals import assert_refused

pytest.importorskip("numba", reason="training needs the extra 'senses'")

from trustnlp.studies.polarizedtext.method.field_picture import FieldPath, trained_path

from trustnlp.embeddings.polarised.polarised_corpus import encode
from trustnlp.studies.polarizedtext.method import (
    SpinGraph,
    energy,
    exclusive_and_common,
    relaxed,
    spin_graph,
    unit_vectors,
)


def planted() -> tuple[list[list[list[str]]], list[str]]:
    rng = np.random.default_rng(0)
    documents = [
        [
            [
                str(rng.choice([f"own{owner}{i}" for i in range(3)] if rng.random() < 0.3 else list("wxyz")))
                for _ in "8" * 8
            ]
            for _ in range(20)
        ]
        for owner in "ABC"
    ]
    return documents, list("ABC")


DOCUMENTS, LABELS = planted()
GRAPH = spin_graph(encode(DOCUMENTS, LABELS, min_count=1))
AXES = np.eye(3, 5)


def random_spins(size: int) -> np.ndarray:
    return unit_vectors(np.random.default_rng(1).standard_normal((size, 5)))


@pytest.mark.parametrize("reach", [1, 3])
def test_energy_is_the_sum_over_the_tokens(reach: int) -> None:
    graph = spin_graph(encode(DOCUMENTS, LABELS, min_count=1), reach)
    spins = random_spins(len(graph.words))
    row = {word: at for at, word in enumerate(graph.words)}
    binding = field = tokens = 0.0
    for document, label in zip(DOCUMENTS, LABELS, strict=True):
        for line in document:
            for at, word in enumerate(line):
                tokens += 1
                field -= 0.7 * spins[row[word]] @ AXES[graph.labels.index(label)]
                for neighbour in line[at + 1 : at + 1 + reach]:
                    binding -= spins[row[word]] @ spins[row[neighbour]]
    found = energy(graph, spins, AXES, 0.7)
    np.testing.assert_allclose(found, [binding / tokens, field / tokens])
    assert found.total == pytest.approx((binding + field) / tokens)
    assert energy(graph, spins, AXES, 0.0).field == 0 and graph.tokens == tokens


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
            turned[word] = unit_vectors(spins[[word]] + 0.2 * rng.standard_normal((1, 5)))[0]
            assert energy(GRAPH, turned, AXES, 1.5).total >= lowest - 1e-9


def test_a_strong_field_parts_the_owners() -> None:
    weak, strong = (relaxed(GRAPH, AXES, field, rng=np.random.default_rng(0)) for field in (0.01, 100.0))
    own = [GRAPH.words.index(f"own{owner}1") for owner in "ABC"]
    np.testing.assert_allclose(strong[own] @ AXES.T, np.eye(3), atol=0.05)
    assert (weak[own] @ weak[own].T).min() > 0.9


def test_words_of_owners() -> None:
    groups = exclusive_and_common(GRAPH, ["A", "B"], 2)
    assert set(groups) == {"A", "B", "shared"} and all(len(words) == 2 for words in groups.values())
    assert all(word.startswith("ownB") for word in groups["B"]) and set(groups["shared"]) < set("wxyz")
    assert_refused(partial(exclusive_and_common, GRAPH), [(["A", "D"], 2, "'D' is not among the labels A, B, C")])
    shared = SpinGraph(("w",), ("A", "B"), GRAPH.bonds[:1, :1], np.ones((1, 2)))
    with pytest.raises(ValueError, match="'A' has no word of its own"):
        exclusive_and_common(shared, ["A"], 1)


def test_bad_input() -> None:
    spins = random_spins(len(GRAPH.words))
    assert_refused(
        lambda spins, axes: energy(GRAPH, spins, axes, 1.0),
        [
            (2 * spins, AXES, "spins: Eqs. 2 and 3 are for unit vectors, got lengths from 2"),
            (spins * np.nan, AXES, "spins: Eqs. 2 and 3 are for unit vectors"),
            (spins[:3], AXES, r"spins: expected 13 vectors, got shape \(3, 5\)"),
            (spins, AXES[:2], "axes: expected 3 vectors"),
        ],
    )
    with pytest.raises(ValueError, match="reach is 1 or more"):
        spin_graph(encode(DOCUMENTS, LABELS, min_count=1), 0)
    with pytest.raises(ValueError, match="1 vectors are zero"):
        unit_vectors(np.array([[0.0, 0], [1, 0]]))
    with pytest.raises(ValueError, match="expected cosines"):
        FieldPath((1.0,), {"A": ["a"]}, np.zeros((1, 1, 2)), ())


def test_paths_and_their_picture() -> None:
    weak_to_strong = (0.0, 1.0, 10.0)
    learnt = trained_path(
        DOCUMENTS, LABELS, ("A", "B"), weak_to_strong, form="repaired", dim=6, epochs=3, most=3, seed=0, min_count=1
    )
    assert learnt.cosines.shape == (3, sum(map(len, learnt.groups.values())), 2)
    assert learnt.cosines[-1, 0, 0] > learnt.cosines[-1, 0, 1] + 0.3
    page = learnt._repr_html_()
    assert page.count("<g data-word") == page.count('<tr><th scope="row">') == learnt.cosines.shape[1]
    assert 'type="range"' in page and "http" not in page and "λ = 10" in page
    assert page == learnt._repr_html_()
    assert learnt.energies[0].field == 0 > learnt.energies[2].field
