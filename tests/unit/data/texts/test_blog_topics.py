"""BLOG: rows are checked, LDA finds planted topics, and the selection does what the recipe says."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused
from sklearn.metrics import adjusted_rand_score

from trustnlp.data.registry import DataError
from trustnlp.data.texts import blog_topics
from trustnlp.data.texts.attribute_standins import _topic_words, planted_posts
from trustnlp.data.texts.blog_topics import (
    BlogPost,
    Topics,
    _infer_batch,
    find_topics,
    label_posts,
    parse_posts,
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
def found(planted: tuple[BlogPost, ...]) -> Topics:
    return find_topics([post.text for post in planted], seed=0, n_topics=4, passes=10)


def test_a_row_becomes_a_post() -> None:
    (post,) = parse_posts([json.dumps({**ROW, "line": 3, "industry": "indUnk"})])
    assert post == BlogPost("7", "male", 34, "a text")
    assert post.attributes == (1, 1)
    assert BlogPost("8", "female", 19, "b").attributes == (0, 0)


def test_a_row_that_lacks_something() -> None:
    assert_refused(
        lambda change: parse_posts([json.dumps(ROW), json.dumps({**ROW, **change})]),
        [
            ({"gender": None}, "row 2: no gender"),
            ({"age": None, "text": ""}, "row 2: no age and no text"),
            ({"gender": "x"}, "row 2: gender 'x', expected female or male"),
            ({"age": 25}, "row 2: age 25, expected under 20 or 30 and more"),
            ({"age": "old"}, "row 2: invalid literal"),
        ],
    )


def test_a_row_that_is_no_object() -> None:
    assert_refused(lambda line: parse_posts([line]), [(line, "row 1: ") for line in ["{", "[1]", ""]])


def test_the_file_is_read_and_its_damage_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "posts.jsonl.gz"
    monkeypatch.setattr(blog_topics, "fetch", lambda name: {"posts": path})
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write(json.dumps(ROW) + "\n")
    assert read_blog_posts() == (BlogPost("7", "male", 34, "a text"),)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DataError, match="trustnlp data fetch blog_posts"):
        read_blog_posts()
    path.write_text("not compressed")
    with pytest.raises(DataError, match=r"posts\.jsonl\.gz"):
        read_blog_posts()


def test_planted_topics_are_found(planted: tuple[BlogPost, ...], found: Topics) -> None:
    np.testing.assert_allclose(found.shares.sum(axis=1), 1, atol=1e-6)
    labels = found.dominant(0.8)
    kept = labels >= 0
    truth = np.array([majority_topic(post.text) for post in planted])
    assert adjusted_rand_score(truth[kept], labels[kept]) > 0.9
    # Seven or eight posts of ten have one topic; most of those must be kept, and most of the mixed ones not.
    mixed = np.array(
        [
            sum(word in _topic_words(int(topic)) for word in post.text.split()) <= 7
            for post, topic in zip(planted, truth, strict=True)
        ]
    )
    assert kept[~mixed].mean() > 0.9 and kept[mixed].mean() < 0.1
    for words in found.words:
        assert len({majority_topic(word) for word in words[:5]}) == 1


def test_batches_give_what_gensim_gives(planted: tuple[BlogPost, ...]) -> None:
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


def test_the_seed_decides_on_the_topics(planted: tuple[BlogPost, ...]) -> None:
    texts = [post.text for post in planted[:150]]
    first, again, other = (find_topics(texts, seed=seed, n_topics=4, passes=3).shares for seed in (0, 0, 1))
    np.testing.assert_array_equal(again, first)
    assert not np.array_equal(other, first)


def test_the_global_random_state_is_left_alone(planted: tuple[BlogPost, ...]) -> None:
    before = np.random.get_state(legacy=False)["state"]["key"].copy()  # noqa: NPY002
    find_topics([post.text for post in planted[:100]], seed=0, n_topics=2, passes=1)
    np.testing.assert_array_equal(np.random.get_state(legacy=False)["state"]["key"], before)  # noqa: NPY002


def test_bad_requests() -> None:
    assert_refused(
        lambda given: find_topics(**{"texts": ["a b", "b c", "c a", "d"], "seed": 0, **given}),
        [
            ({"texts": "one text"}, TypeError, "single string"),
            ({"n_topics": 1}, ValueError, "two topics"),
            ({"passes": 0}, ValueError, "one pass"),
            ({"seed": -1}, ValueError, "a seed lies"),
            ({"texts": ["a b", "c d", "e f"]}, ValueError, "no word stands in two"),
        ],
    )


def test_without_gensim_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "gensim.corpora", None)
    with pytest.raises(ImportError, match=r"trustnlp\[embeddings\]"):
        find_topics(["a b", "a c"], seed=0)


def test_a_topic_dominates_only_above_the_threshold() -> None:
    topics = as_topics([[0.8, 0.2], [0.81, 0.19], [0.1, 0.9]])
    assert topics.dominant(0.8).tolist() == [-1, 0, 1]
    assert topics.dominant(0.95).tolist() == [-1, -1, -1]


def test_cells_are_cut_to_the_smallest_and_split_8_1_1() -> None:
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


def test_known_writers_are_those_of_training() -> None:
    alone = posts_of_cells((25, 25, 25, 25))
    shared = tuple(BlogPost(f"{post.gender}", post.gender, post.age, post.text) for post in alone)
    topics = as_topics([[0.9, 0.1]] * 100)
    assert label_posts(alone, topics, np.random.default_rng(1)).known_writers == 0
    assert label_posts(shared, topics, np.random.default_rng(1)).known_writers == 1


def test_the_seed_decides_on_the_split() -> None:
    posts, topics = posts_of_cells((9, 9, 9, 9)), as_topics([[0.9, 0.1]] * 36)
    first, again, other = (label_posts(posts, topics, np.random.default_rng(seed)).data for seed in (3, 3, 4))
    assert first.train.texts == again.train.texts
    assert first.train.texts != other.train.texts


def test_too_few_posts_and_posts_without_topics() -> None:
    with pytest.raises(ValueError, match="three posts of each cell"):
        label_posts(posts_of_cells((9, 9, 9, 2)), as_topics([[0.9, 0.1]] * 29), np.random.default_rng(0))
    with pytest.raises(ValueError, match="29 posts, but topics of 3 texts"):
        label_posts(posts_of_cells((9, 9, 9, 2)), as_topics([[0.9, 0.1]] * 3), np.random.default_rng(0))


def test_planted_posts_have_writers_of_every_kind(planted: tuple[BlogPost, ...]) -> None:
    assert len({post.blogger for post in planted}) == 150
    counts = np.bincount([2 * gender + age for gender, age in (post.attributes for post in planted)])
    assert counts.max() - counts.min() <= 8
    assert planted_posts(100, np.random.default_rng(5)) == planted_posts(100, np.random.default_rng(5))
    assert planted_posts(100, np.random.default_rng(5)) != planted_posts(100, np.random.default_rng(6))
    with pytest.raises(ValueError, match="99 posts"):
        planted_posts(99, np.random.default_rng(0))
