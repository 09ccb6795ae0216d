"""How far a replaced word moves what is looked up: by hand, the bound on densities, all at once as one by one."""

from __future__ import annotations

import numpy as np
import pytest
from planted_inventory import inventory_of, two_ways

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.critique.guarantee import loss_ratio, moved, moves_of, rows_around

ROOT = np.sqrt(2)
WORDS = [f"w{row}" for row in range(40)]


@pytest.fixture(scope="module")
def drawn() -> tuple[SenseInventory, WordVectors]:
    rng = np.random.default_rng(0)
    vectors = WordVectors(WORDS, rng.standard_normal((40, 6)), "drawn")
    return inventory_of(vectors, [rng.standard_normal((1 + row % 4, 6)) for row in range(40)]), vectors


def test_a_neighbour_that_gets_its_other_sense_adds_its_distance():
    inventory, vectors = two_ways()
    text = ["river", "bank", "unseen", "bat"]
    assert moved(text, 0, "money", inventory, vectors) == pytest.approx([ROOT, ROOT, 0, 3 * ROOT])
    # The metric of equation (1) sees the one word alone: √2.
    assert loss_ratio(text, 0, "money", inventory, vectors) == pytest.approx(5)
    # With a window of one place the last word keeps its sense.
    assert loss_ratio(text, 0, "money", inventory, vectors, window=1) == pytest.approx(2)
    found = moves_of([Occurrence(tuple(text), 0)], ["money"], inventory, vectors)
    assert (found.apart, found.own, found.neighbours, found.flips, found.ceiling) == (
        pytest.approx([ROOT]),
        pytest.approx([ROOT]),
        pytest.approx([4 * ROOT]),
        [2],
        pytest.approx([4 * ROOT]),
    )


def test_nothing_but_the_word_moves_where_no_neighbour_has_two_senses():
    inventory, vectors = two_ways()
    assert loss_ratio(["by", "river", "by"], 1, "money", inventory, vectors) == pytest.approx(1)
    # `bank` itself lies half way, its sense does not: a ratio below one.
    assert loss_ratio(["river", "bank"], 1, "river", inventory, vectors) == 0


def test_the_bound_of_the_loss_holds_and_is_attained_on_the_rays(drawn):
    inventory, vectors = drawn
    rng = np.random.default_rng(1)
    text = list(rng.choice(WORDS, 9))
    row = WORDS.index(text[4])
    before = rows_around([Occurrence(tuple(text), 4)], None, inventory, vectors, window=4)[0]
    # The replacement that flips most.
    others = [WORDS[(row + step) % 40] for step in range(1, 40)]
    distances = [moved(text, 4, other, inventory, vectors, window=4) for other in others]
    worst = int(np.argmax([(each > 0).sum() for each in distances]))
    assert (distances[worst] > 0).sum() > 2
    after = rows_around([Occurrence(tuple(text), 4)], [others[worst]], inventory, vectors, window=4)[0]
    one, other = (inventory.matrix[rows].astype(float) for rows in (before, after))

    def loss(noisy) -> float:
        return float(np.sum(np.linalg.norm(noisy - other, axis=-1) - np.linalg.norm(noisy - one, axis=-1)))

    bound = distances[worst].sum()
    assert max(loss(one + rng.standard_normal(one.shape) * 3) for _ in range(500)) < bound
    assert loss(one + 7 * (one - other)) == pytest.approx(bound)


def test_all_at_once_is_as_one_by_one(drawn):
    inventory, vectors = drawn
    rng = np.random.default_rng(2)
    queries, others = [], []
    for _ in range(60):
        tokens = rng.choice([*WORDS, "unseen"], rng.integers(1, 30))
        tokens[index := int(rng.integers(len(tokens)))] = rng.choice(WORDS)
        queries.append(Occurrence(tuple(tokens.tolist()), index))
        others.append(str(rng.choice([word for word in WORDS if word != tokens[index]])))
    found = moves_of(queries, others, inventory, vectors, window=2)
    for number, (query, other) in enumerate(zip(queries, others, strict=True)):
        distances = moved(query.tokens, query.index, other, inventory, vectors, window=2)
        assert found.own[number] == pytest.approx(distances[query.index])
        assert found.own[number] + found.neighbours[number] == pytest.approx(distances.sum())
        assert found.flips[number] == (np.delete(distances, query.index) > 0).sum()
        assert found.apart[number] == pytest.approx(float(np.linalg.norm(vectors[query.token] - vectors[other])))
    assert found.flips.max() > 1 and (found.neighbours <= found.ceiling + 1e-9).all()
    some = found.take(np.array([5, 3]))
    assert some.others == (others[5], others[3]) and (some.ratio == found.ratio[[5, 3]]).all()


def test_rows_of_words_do_not_depend_on_the_replacement(drawn):
    inventory, vectors = drawn
    query = Occurrence(("w3", "unseen", "w7"), 0)
    words = rows_around([query], ["w9"], inventory, vectors, window=2, senses=False)
    assert words.tolist() == [[-1, -1, 9, -1, 7]]


def test_the_table_of_ratios():
    inventory, vectors = two_ways()
    queries = [Occurrence(("river", "bank"), 0), Occurrence(("river", "by"), 0)]
    table = moves_of(queries, ["money", "money"], inventory, vectors).table()
    assert table == {
        "ratio_mean": pytest.approx(1.5),
        "ratio_median": pytest.approx(1.5),
        "ratio_90": pytest.approx(2),
        "ratio_largest": pytest.approx(2),
        "above_one": 0.5,
        "added_mean": pytest.approx(1.5),
        "added_largest": pytest.approx(2),
        "flips_mean": 0.5,
        "flips_largest": 1,
        "any_flip": 0.5,
    }


def test_words_with_one_vector_have_no_finite_ratio_unless_nothing_moves():
    vectors = WordVectors(["a", "b", "c"], [[1, 0], [1, 0], [1, 0]], "equal")
    inventory = inventory_of(vectors, [[[1, 0]], [[1, 0]], [[0, 1]]])
    assert loss_ratio(["a"], 0, "b", inventory, vectors) == 1
    assert loss_ratio(["a"], 0, "c", inventory, vectors) == np.inf


@pytest.mark.parametrize(
    ("tokens", "index", "other", "said"),
    [
        (["river", "bank"], 2, "money", "lies outside"),
        (["river", "bank"], 0, "unseen", "'unseen' has no vector in two ways"),
        (["unseen", "bank"], 0, "money", "'unseen' has no vector in two ways"),
    ],
)
def test_what_cannot_be_replaced_is_refused(tokens, index, other, said):
    inventory, vectors = two_ways()
    for call in (moved, loss_ratio):
        with pytest.raises(ValueError, match=said):
            call(tokens, index, other, inventory, vectors)


def test_each_query_needs_a_replacement():
    inventory, vectors = two_ways()
    with pytest.raises(ValueError, match="one replacement for each word is needed, got 0 for 1"):
        moves_of([Occurrence(("river",), 0)], [], inventory, vectors)
