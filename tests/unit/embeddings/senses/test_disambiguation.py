"""The sense of a word in its context: as in the obvious loop, at the ends of texts, without context, bad input."""

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.embeddings.senses.disambiguation import choose_senses, choose_senses_in_texts
from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors

WORDS = [f"w{row}" for row in range(30)]


def inventory_of(vectors: WordVectors, owner, matrix, prior=None) -> SenseInventory:
    owner = np.array(owner)
    prior = 1 / np.bincount(owner)[owner] if prior is None else np.array(prior)
    return SenseInventory(vectors.words, owner, np.array(matrix, dtype=np.float32), prior, 0, hash_of(vectors))


@pytest.fixture(scope="module")
def drawn() -> tuple[SenseInventory, WordVectors]:
    rng = np.random.default_rng(0)
    vectors = WordVectors(WORDS, rng.standard_normal((30, 6)) * rng.uniform(0.5, 3, (30, 1)), "drawn")
    owner = np.repeat(np.arange(30), rng.integers(1, 5, 30))
    return inventory_of(vectors, owner, rng.standard_normal((len(owner), 6)) * 2), vectors


def cosine(a, b) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def chosen(inventory, vectors, tokens, window) -> list[int]:
    found = []
    for at, token in enumerate(tokens):
        if token not in vectors:
            found.append(-1)
            continue
        senses = inventory.senses_of(vectors.words.index(token))
        own = inventory.matrix[senses].astype(np.float64)
        near = [*tokens[max(0, at - window) : at], *tokens[at + 1 : at + 1 + window]]
        context = [vectors[word].astype(np.float64) for word in near if word in vectors]
        if context:
            mean = np.mean(context, axis=0)
            found.append(senses.start + int(np.argmax([cosine(mean, s) for s in own])))
        else:
            found.append(senses.start + int(np.argmax(inventory.prior[senses])))
    return found


@pytest.mark.parametrize("window", [1, 2, 5, 400])
def test_choices_are_those_of_the_obvious_loop(drawn, window):
    inventory, vectors = drawn
    tokens = list(np.random.default_rng(window).choice([*WORDS, "unknown", None], 150))
    found = choose_senses(inventory, vectors, tokens, window=window)
    assert found.dtype == np.int64
    assert found.tolist() == chosen(inventory, vectors, tokens, window)


def test_many_texts_at_once_are_each_text_alone(drawn):
    inventory, vectors = drawn
    rng = np.random.default_rng(3)
    texts = [list(rng.choice([*WORDS, None], size)) for size in (1, 0, 7, 2500, 2)]
    together = choose_senses_in_texts(inventory, vectors, texts, window=3)
    alone = [choose_senses(inventory, vectors, text, window=3) for text in texts]
    assert [senses.tolist() for senses in together] == [senses.tolist() for senses in alone]
    assert choose_senses_in_texts(inventory, vectors, []) == []


@pytest.fixture
def two() -> tuple[SenseInventory, WordVectors]:
    """`bank` has a sense along each axis, the second more likely; `river` and `money` lie on the axes."""
    vectors = WordVectors(["bank", "river", "money", "debt"], [[1, 1], [2, 0], [0, 1], [0, -1]], "plane")
    return inventory_of(
        vectors, [0, 0, 1, 2, 3], [[1, 0], [0, 3], [1, 0], [0, 1], [0, -1]], [0.25, 0.75, 1, 1, 1]
    ), vectors


def test_context_decides_and_without_any_the_prior_does(two):
    def sense(*tokens, **options):
        return two[0].label(choose_senses(*two, tokens, **options)[tokens.index("bank")])

    assert sense("river", "bank") == sense("bank", "river") == "bank#1"
    assert sense("money", "bank") == "bank#2"
    assert sense("bank") == sense("the", "bank", None) == "bank#2"
    assert sense("money", "debt", "bank") == "bank#2"  # they cancel out
    assert sense("river", "of", "bank", window=1) == "bank#2"  # an unknown word takes its place
    assert sense("river", "bank", "money") == "bank#1"  # lengths count in the mean: river is the longer
    assert sense("river", "bank", "bank") == "bank#1"  # the second "bank" is context of the first


def test_bad_input_is_refused(two, drawn):
    inventory, vectors = two
    wider = WordVectors(vectors.words, np.eye(4), "wider")
    rows = [
        (vectors, ["bank"], {"window": 0}, "got 0"),
        (drawn[1], ["bank"], {}, "other words than drawn"),
        (wider, ["bank"], {}, "other words than wider"),
        (vectors, "the bank", {}, TypeError, "single string 'the bank'"),
    ]
    assert_refused(lambda given, tokens, options: choose_senses(inventory, given, tokens, **options), rows)
    assert_refused(
        lambda texts, options: choose_senses_in_texts(inventory, vectors, texts, **options),
        [(["the bank"], {}, TypeError, "'the bank'"), ([["bank"]], {"window": 0}, "got 0")],
    )
