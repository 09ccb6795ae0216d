"""BLOG: LDA finds planted topics, and the selection does what the recipe says."""

import gzip
import json
import sys

import numpy as np
import pytest
from refusals import assert_refused
from sklearn.metrics import adjusted_rand_score

from trustnlp.data.texts import blog_topics
from trustnlp.data.texts.attribute_standins import _topic_words, planted_posts
from trustnlp.data.texts.blog_topics import (
    BlogPost,
    Topics,
    _infer_batch,
    find_topics,
    label_posts,
    read_blog_posts,
)

ROW = {"id": "7", "gender": "male", "age": 34, "text": "a text"}


def as_topics(shares: list[list[float]]) -> Topics:
    return Topics(np.array(shares), (("a",), ("b",)), 0.0)


def posts_of_cells(per_cell: tuple[int, int, int, int]) -> tuple[BlogPost, ...]:
    """Posts of one writer each, cell by cell."""
    made = []
    for cell, n in enumerate(per_cell):
        gender, age = ("female", "male")[cell // 2], (15, 35)[cell % 2]
        made += [BlogPost(f"w{cell}-{number}", gender, age, f"post {cell} {number}") for number in range(n)]
    return tuple(made)


def majority_topic(text: str) -> int:
    return int(np.argmax([sum(word in _topic_words(topic) for word in text.split()) for topic in range(4)]))


@pytest.fixture(scope="module")
def planted() -> tuple[BlogPost, ...]:
    return planted_posts(600, np.random.default_rng(0))


@pytest.fixture(scope="module")
def found(planted) -> Topics:
    return find_topics([post.text for post in planted], seed=0, n_topics=4, passes=10)


def test_a_row_becomes_a_post(offer):
    offer(blog_topics, posts=gzip.compress(json.dumps({**ROW, "industry": "indUnk"}).encode() + b"\n"))
    (post,) = read_blog_posts()
    assert post == BlogPost("7", "male", 34, "a text")
    assert post.attributes == (1, 1)
    assert BlogPost("8", "female", 19, "b").attributes == (0, 0)


def test_planted_topics_are_found(planted, found):
    np.testing.assert_allclose(found.shares.sum(axis=1), 1, atol=1e-6)
    labels = found.dominant(0.8)
    kept = labels >= 0
    truth = np.array([majority_topic(post.text) for post in planted])
    assert adjusted_rand_score(truth[kept], labels[kept]) > 0.9
    # Seven or eight posts of ten have one topic; most of those must be kept, and most of the mixed ones not.
    told = [_topic_words(int(topic)) for topic in truth]
    mixed = np.array([sum(map(own.__contains__, p.text.split())) <= 7 for p, own in zip(planted, told, strict=True)])
    assert kept[~mixed].mean() > 0.9 and kept[mixed].mean() < 0.1
    for words in found.words:
        assert len({majority_topic(word) for word in words[:5]}) == 1


def test_batches_give_what_gensim_gives(planted):
    from gensim.corpora import Dictionary
    from gensim.models import LdaModel

    # Texts of very different length, an empty one, and more than one chunk.
    words = [post.text.split()[: 1 + row % 16] for row, post in enumerate(planted[:120])]
    words[5] = []
    vocabulary = Dictionary(words)
    bags = [vocabulary.doc2bow(text) for text in words]
    settings = {"num_topics": 4, "passes": 3, "random_state": 7, "eval_every": None, "chunksize": 50}
    plain = LdaModel(bags, id2word=vocabulary, **settings)
    batched = type("Batched", (LdaModel,), {"inference": _infer_batch})(bags, id2word=vocabulary, **settings)
    np.testing.assert_allclose(batched.expElogbeta, plain.expElogbeta, rtol=0.01, atol=1e-6)
    (ours, _), (theirs, _) = batched.inference(bags), plain.inference(bags)
    shares = [weights / weights.sum(axis=1, keepdims=True) for weights in (ours, theirs)]
    np.testing.assert_allclose(shares[0], shares[1], atol=0.005)
    assert shares[0].max() > 0.8


def test_the_seed_decides_on_the_topics(planted):
    texts = [post.text for post in planted[:150]]
    first, again, other = (find_topics(texts, seed=seed, n_topics=4, passes=3).shares for seed in (0, 0, 1))
    np.testing.assert_array_equal(again, first)
    assert not np.array_equal(other, first)


def test_the_global_random_state_is_left_alone(planted):
    before = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002
    find_topics([post.text for post in planted[:100]], seed=0, n_topics=2, passes=1)
    np.testing.assert_array_equal(np.random.get_state(legacy=False)["state"]["key"], before)  # noqa: NPY002


def test_bad_requests(monkeypatch):
    def attempt(given: dict[str, object]) -> object:
        return find_topics(**{"texts": ["a b", "b c", "c a", "d"], "seed": 0, **given})

    rows = [
        ({"texts": ["a b", "c d", "e f"]}, "no word stands in two"),
    ]
    assert_refused(attempt, rows)
    monkeypatch.setitem(sys.modules, "gensim.corpora", None)
    assert_refused(attempt, [({}, ImportError, r"trustnlp\[embeddings\]")])


def test_a_topic_dominates_only_above_the_threshold():
    topics = as_topics([[0.8, 0.2], [0.81, 0.19], [0.1, 0.9]])
    assert topics.dominant(0.8).tolist() == [-1, 0, 1]


def test_cells_are_cut_to_the_smallest_and_split_8_1_1():
    posts = posts_of_cells((9, 5, 7, 6))
    topics = as_topics([[0.9, 0.1]] * 20 + [[0.1, 0.9]] * 6 + [[0.5, 0.5]])
    made = label_posts(posts, topics, np.random.default_rng(0))
    # The last post, of the last cell, has no topic.
    assert list(made.kept.values()) == [9, 5, 7, 5]
    assert {name: len(part) for name, part in made.data.splits.items()} == {"train": 16, "dev": 2, "test": 2}
    texts = [text for part in made.data.splits.values() for text in part.texts]
    attributes = np.concatenate([part.attributes for part in made.data.splits.values()])
    labels = np.concatenate([part.labels for part in made.data.splits.values()])
    assert len(set(texts)) == 20
    assert np.bincount(2 * attributes[:, 0] + attributes[:, 1]).tolist() == [5, 5, 5, 5]
    rows = [[post.text for post in posts].index(text) for text in texts]
    assert attributes.tolist() == [list(posts[row].attributes) for row in rows]
    np.testing.assert_array_equal(labels, topics.dominant()[rows])
    assert made.known_writers == 0
    again, other = (label_posts(posts, topics, np.random.default_rng(seed)).data for seed in (0, 1))
    assert made.data.train.texts == again.train.texts != other.train.texts


def test_known_writers_are_those_of_training():
    alone = posts_of_cells((25, 25, 25, 25))
    shared = tuple(BlogPost(f"{post.gender}", post.gender, post.age, post.text) for post in alone)
    topics = as_topics([[0.9, 0.1]] * 100)
    assert label_posts(alone, topics, np.random.default_rng(1)).known_writers == 0
    assert label_posts(shared, topics, np.random.default_rng(1)).known_writers == 1


def test_too_few_posts_and_posts_without_topics():
    posts = posts_of_cells((9, 9, 9, 2))
    rows = [(29, "three posts of each cell"), (3, "29 posts, but topics of 3 texts")]
    assert_refused(lambda n: label_posts(posts, as_topics([[0.9, 0.1]] * n), np.random.default_rng(0)), rows)


def test_planted_posts_have_writers_of_every_kind(planted):
    assert len({post.blogger for post in planted}) == 150
    counts = np.bincount([2 * gender + age for gender, age in (post.attributes for post in planted)])
    assert counts.max() - counts.min() <= 8
    first, again, other = (planted_posts(100, np.random.default_rng(seed)) for seed in (5, 5, 6))
    assert first == again != other
    with pytest.raises(ValueError, match="99 posts"):
        planted_posts(99, np.random.default_rng(0))
