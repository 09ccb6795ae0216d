"""Sense inventories: which senses a word has, what is refused, and files that cannot be mistaken."""

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors


def drawn_vectors(seed: int = 0, words=("bank", "river", "naïve")) -> WordVectors:
    return WordVectors(words, np.random.default_rng(seed).standard_normal((len(words), 4)), f"drawn {seed}")


def made(vectors: WordVectors, **changes) -> SenseInventory:
    """Two senses of the first word and one of each other, or what the changes make of it."""
    fields = {
        "words": vectors.words,
        "owner": np.array([0, 0, 1, 2]),
        "matrix": np.random.default_rng(9).standard_normal((4, 4)).astype(np.float32),
        "prior": np.array([0.75, 0.25, 1, 1]),
        "dropped": 1,
        "vectors_hash": hash_of(vectors),
    }
    return SenseInventory(**fields | changes)


def test_senses_rows_and_labels():
    inventory = made(drawn_vectors())
    assert len(inventory) == 4
    assert [inventory.label(sense) for sense in range(4)] == ["bank#1", "bank#2", "river#1", "naïve#1"]
    assert [inventory.senses_of(row) for row in range(3)] == [slice(0, 2), slice(2, 3), slice(3, 4)]
    assert inventory.rows_of(["river", None, "bank", "Bank"]).tolist() == [1, -1, 0, -1]
    np.testing.assert_allclose(inventory.lengths, np.linalg.norm(inventory.matrix, axis=1), rtol=1e-6)
    assert_refused(inventory.label, [(4, "between 0 and 3, got 4"), (-1, "got -1")])
    assert_refused(inventory.senses_of, [(3, "between 0 and 2, got 3"), (-1, "got -1")])
    with pytest.raises(ValueError, match="read-only"):
        inventory.matrix[0] = 0


def test_what_does_not_fit_is_refused():
    vectors = drawn_vectors()
    matrix = made(vectors).matrix.copy()
    bad = matrix.copy()
    bad[1, 1] = np.nan
    rows = [
        ({"owner": np.array([0, 1, 2])}, "one row per sense"),
        ({"matrix": matrix.astype(np.float64)}, "float32"),
        ({"owner": np.array([0, 0, 1, 1])}, "name each of the 3 words"),
        ({"owner": np.array([0, 1, 0, 2])}, "ascending"),
        ({"owner": np.array([1, 1, 2, 2])}, "name each"),
        ({"words": ()}, "name each of the 0 words"),
        ({"matrix": bad}, "zero, NaN"),
        ({"prior": np.array([0.7, 0.2, 1, 1])}, "sum to 1"),
        ({"prior": np.array([1.0, 0.0, 1, 1])}, "positive"),
        ({"dropped": 4}, "got 4"),
    ]
    assert_refused(lambda changes: made(vectors, **changes), rows)


def test_a_file_gives_back_every_bit_and_leaves_no_scratch(tmp_path):
    vectors = drawn_vectors()
    inventory, path = made(vectors), tmp_path / "new" / "senses.npz"
    inventory.save(path)
    again = SenseInventory.load(path, vectors)
    for field in ("owner", "matrix", "prior"):
        assert np.array_equal(getattr(again, field), getattr(inventory, field))
        assert getattr(again, field).dtype == getattr(inventory, field).dtype
    assert (again.words, again.dropped, again.vectors_hash) == (vectors.words, 1, inventory.vectors_hash)
    assert [file.name for file in path.parent.iterdir()] == ["senses.npz"]


def test_damaged_files_and_those_of_other_vectors_are_refused(tmp_path):
    vectors, path = drawn_vectors(), tmp_path / "senses.npz"
    made(vectors).save(path)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[whole.index(made(vectors).matrix.tobytes()) + 5] ^= 1
    np.savez(tmp_path / "pickled.npz", owner=np.zeros(1), matrix=np.array([None], dtype=object))
    pickled = (tmp_path / "pickled.npz").read_bytes()

    def attempt(content, others=vectors):
        path.write_bytes(content)
        SenseInventory.load(path, others)

    damaged = [whole[: len(whole) // 2], whole[:-1], b"", b"words", bytes(flipped), pickled]
    assert_refused(attempt, [(content, "damaged, half written") for content in damaged])
    others = [drawn_vectors(1), drawn_vectors(0, ("bank", "river", "naive"))]
    assert_refused(attempt, [(whole, other, "senses of other word vectors") for other in others])
    with pytest.raises(FileNotFoundError, match="induce the senses"):
        SenseInventory.load(tmp_path / "none.npz", vectors)


def test_the_hash_tells_words_and_values_apart_and_not_names():
    vectors = drawn_vectors()
    assert hash_of(vectors) == hash_of(WordVectors(vectors.words, vectors.matrix, "another name"))
    changed = vectors.matrix.copy()
    changed[2, 3] = np.nextafter(changed[2, 3], np.float32(9))
    others = [
        WordVectors(vectors.words, changed, "changed"),
        vectors.restrict(["river", "bank", "naïve"]),
        WordVectors(["ban", "kriver", "naïve"], vectors.matrix, "cut elsewhere"),
        WordVectors(vectors.words, vectors.matrix[:, :3], "narrower"),
    ]
    assert len({hash_of(vectors), *map(hash_of, others)}) == 5
