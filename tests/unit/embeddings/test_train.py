"""Training word vectors: the seed decides everything, and what is planted in the text is found in the vectors."""

import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.embeddings.train import train_each, train_word2vec

pytest.importorskip("gensim", reason="training needs the extra 'embeddings'")

FRUIT = ["apple", "pear", "plum", "fig"]
TOOLS = ["saw", "axe", "drill", "file"]


def planted(n: int = 600) -> list[list[str]]:
    """Sentences about fruit, and sentences about tools; each fruit (tool) keeps the same company."""
    rng = np.random.default_rng(0)
    worlds = ((FRUIT, ["ripe", "sweet", "eat"]), (TOOLS, ["sharp", "steel", "cut"]))
    return [
        [str(word) for word in rng.permutation([*rng.choice(things, 2), *company])]
        for number in range(n)
        for things, company in [worlds[number % 2]]
    ]


def test_the_seed_decides():
    sentences = planted(100)
    first, again, other = (train_word2vec(sentences, dim=8, seed=seed, epochs=2) for seed in (1, 1, 2))
    assert first.words == again.words == other.words
    np.testing.assert_array_equal(first.matrix, again.matrix)
    assert not np.isclose(first.matrix, other.matrix).all(axis=1).any()


def test_the_hash_seed_of_python_does_not_matter():
    program = (
        "from trustnlp.embeddings.train import train_word2vec;"
        "vectors = train_word2vec([['a', 'b', 'c', 'd']] * 30, dim=4, seed=3, epochs=2);"
        "print(*vectors.words, vectors.matrix.tobytes().hex())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "4242"}
    printed = subprocess.check_output([sys.executable, "-c", program], env=environment, text=True)
    here = train_word2vec([["a", "b", "c", "d"]] * 30, dim=4, seed=3, epochs=2)
    assert printed.split() == [*here.words, here.matrix.tobytes().hex()]


def test_global_random_state_is_left_alone():
    np.random.seed(5)  # noqa: NPY002
    expected = np.random.rand()  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    train_word2vec(planted(20), dim=4, seed=0, epochs=1)
    assert np.random.rand() == expected  # noqa: NPY002


@pytest.mark.parametrize("skip_gram", [True, False])
def test_words_of_the_same_company_come_to_lie_together(skip_gram):
    vectors = train_word2vec(planted(), dim=10, seed=0, epochs=40, skip_gram=skip_gram)
    fruit, tools = (vectors.unit[[vectors.words.index(word) for word in words]] for words in (FRUIT, TOOLS))
    among_fruit = (fruit @ fruit.T)[np.triu_indices(4, 1)]
    assert among_fruit.min() > (fruit @ tools.T).max() + 0.1


def test_rare_words_get_no_vector_and_frequent_ones_come_first():
    sentences = [["often", "often", "five"]] * 5 + [["four"]] * 4
    vectors = train_word2vec(sentences, dim=3, seed=0, epochs=1)
    assert vectors.words == ("often", "five")
    assert train_word2vec(sentences, dim=3, seed=0, epochs=1, min_count=4).words == ("often", "five", "four")
    assert vectors.dim == 3
    assert vectors.name == "word2vec (skip-gram, 3 dimensions, seed 0)"


def test_every_dimension_knows_the_same_words_in_the_same_order():
    sentences = planted(50)
    at = train_each(sentences, [3, 6], seed=1, epochs=2)
    assert [vectors.dim for vectors in at.values()] == [3, 6] == list(at)
    assert at[3].words == at[6].words
    np.testing.assert_array_equal(at[6].matrix, train_word2vec(sentences, dim=6, seed=1, epochs=2).matrix)


def test_training_goes_on_from_the_vectors_it_is_given():
    asked: list[list[str]] = []

    def start(words: Sequence[str]) -> np.ndarray:
        asked.append(list(words))
        return np.full((len(words), 4), [9.0, -9.0, 9.0, -9.0])

    vectors = train_word2vec([["a", "b"]] * 6, dim=4, seed=0, epochs=1, start=start)
    assert asked == [list(vectors.words)]
    np.testing.assert_allclose(vectors.matrix, [[9, -9, 9, -9]] * 2, atol=0.2)
    assert np.abs(train_word2vec([["a", "b"]] * 6, dim=4, seed=0, epochs=1).matrix).max() < 0.5


def test_unusable_sentences_and_numbers_are_refused():
    numbers = ["dim", "min_count", "window", "negative", "epochs"]
    shape = r"start: expected finite vectors of shape \(2, 4\)"
    rows = [
        ([["a", "b"], ["a"]], {}, "no word occurs 5 times in the 2 sentences"),
        ([], {}, "no word occurs 5 times in the 0 sentences"),
        (["not split"], {}, TypeError, "a sentence is a list of words"),
        ([["a"]], {"seed": -1}, "a seed lies between 0 and"),
        *(([["a"]], {name: 0}, f"{name} must be at least 1, got 0") for name in numbers),
        ([["a", "b"]] * 6, {"start": lambda words: np.zeros((1, 4))}, shape),
        ([["a", "b"]] * 6, {"start": lambda words: np.full((2, 4), np.nan)}, shape),
    ]
    assert_refused(lambda sentences, options: train_word2vec(sentences, **({"dim": 4, "seed": 0} | options)), rows)


def test_without_gensim_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(ImportError, match=r"pip install 'trustnlp\[embeddings\]'"):
        train_word2vec([["a"] * 5], dim=2, seed=0)
