"""Trees in brackets, the spans of texts, and which texts of SST-2 have a tree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.data.annotation import constituency_trees
from trustnlp.data.annotation.constituency_trees import Treebank, parse_tree, plain_signs, read_trees
from trustnlp.data.registry import DataError
from trustnlp.data.texts.film_reviews import read_sst2

FINE = "(3 (2 A) (3 (2 (2 very) (4 fine)) (2 film)))"


def test_a_tree_is_its_words_and_all_its_nodes():
    tree = parse_tree(FINE)
    assert tree.words == ("a", "very", "fine", "film")
    assert tree.nodes == ((0, 1), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (3, 4))


def test_signs_are_those_of_sst2():
    tree = parse_tree("(2 (2 -LRB-) (2 (2 (2 2\N{NO-BREAK SPACE}1\\/2) (2 stars)) (2 (2 \\*\\*\\*) (2 -RRB-))))")
    assert tree.words == ("(", "2", "1/2", "stars", "***", ")")
    # Two words of one leaf: a node of its own, with nothing below it.
    assert (1, 3) in tree.nodes and (1, 2) not in tree.nodes and (1, 4) in tree.nodes
    assert plain_signs("-lrb- -LRB- \\/ ` --") == "( ( / ` --"


def test_spans_leave_out_the_text_itself():
    trees = Treebank([parse_tree(FINE)])
    assert trees.spans_of(("a", "very", "fine", "film")) == ((0, 1), (1, 2), (1, 3), (1, 4), (2, 3), (3, 4))
    assert trees["very fine film"] == ((0, 1), (0, 2), (1, 2), (2, 3))
    assert trees.spans_of(["film"]) == () and trees.spans_of(["a", "very"]) is None
    assert trees.spans_of(()) is None
    assert len(trees) == 7 and "very fine" in trees and next(iter(trees)) == "a"


def test_the_first_of_several_trees_counts():
    left, right = "(2 (2 (2 a) (2 b)) (2 c))", "(2 (2 a) (2 (2 b) (2 c)))"
    assert Treebank(map(parse_tree, (left, right)))["a b c"] == ((0, 1), (0, 2), (1, 2), (2, 3))
    assert Treebank(map(parse_tree, (right, left)))["a b c"] == ((0, 1), (1, 2), (1, 3), (2, 3))


@st.composite
def nested(draw: st.DrawFn, words: int) -> str:
    if words == 1:
        return f"({draw(st.integers(0, 4))} {draw(st.sampled_from(('a', 'B', '.', '3', '``')))})"
    cut = draw(st.integers(1, words - 1))
    return f"(2 {draw(nested(cut))} {draw(nested(words - cut))})"


@given(st.integers(1, 12).flatmap(nested))
def test_binary_trees_have_two_spans_a_word_but_two(line):
    tree = parse_tree(line)
    n = len(tree.words)
    spans = Treebank([tree]).spans_of(tree.words)
    assert spans is not None and len(tree.nodes) == 2 * n - 1 and len(spans) == 2 * n - 2
    # Each node below the root is a text too, whose spans lie inside of it.
    crossing = [(a, b) for a, b in spans for c, d in spans if a < c < b < d]
    assert not crossing and (0, n) not in spans


def test_what_is_no_tree_is_refused():
    rows = [
        ("", "0 words and 0 open brackets"),
        ("film", "'film' does not belong where it stands, behind 0 words"),
        ("(2 film", "1 words and 1 open brackets"),
        ("(2 film))", r"'\)' does not belong"),
        ("(2 a) (2 b)", "behind 1 words"),
        ("(5 film)", "'5' does not belong"),
        ("((2 a) (2 b))", r"'\(' does not belong"),
        ("(2 (2 a) film)", "'film' does not belong"),
    ]
    assert_refused(parse_tree, rows)


LINES = {"train": "(2 (2 One) (3 day))\n", "dev": "(1 (2 Two) (3 days))\n", "test": "(2 (2 One) (2 year))\n"}


def test_parts_are_read_as_asked(offer):
    offer(constituency_trees, **LINES)
    assert [tree.words[0] for tree in read_trees().trees] == ["one", "two", "one"]
    assert list(read_trees(["dev"])) == ["two", "two days", "days"]
    offer(constituency_trees, dev="(2 (2 Caf\xe9\u2028) (2 \x85))\n")
    assert read_trees(["dev"]).trees[0].words == ("café\u2028", "\x85")


def test_other_parts_and_damaged_files_are_refused(offer):
    def attempt(parts: object, content: str = "") -> None:
        offer(constituency_trees, dev=content)
        read_trees(parts)

    assert_refused(Treebank([parse_tree(FINE)]).spans_of, [("a film", TypeError, "the single string 'a film'")])
    rows = [
        ("dev", ValueError, "parts must be some of train, dev, test"),
        ([], ValueError, "each once, got"),
        (["dev", "dev"], ValueError, "each once"),
        (["validation"], ValueError, "each once"),
        (["dev"], "(2 (2 a) (2 b))", "dev ends in the middle of a line.*trustnlp data fetch sst_trees"),
        (["dev"], "(2 a)\n(2 (2 a)\n", "dev, line 2: the tree is not whole"),
    ]
    assert_refused(attempt, rows, error=DataError)


def test_the_real_trees_hold_all_but_a_few_texts_of_sst2(mirror):
    trees = read_trees()
    assert len(trees.trees) == 8544 + 1101 + 2210 and len(trees) == 211888
    spans = {name: [trees.spans_of(text.split(" ")) for text in p.texts] for name, p in read_sst2().splits.items()}
    assert {name: found.count(None) for name, found in spans.items()} == {"train": 239, "dev": 0, "test": 0}
    found = [own for own in spans["train"] if own is not None]
    # One training phrase of sixteen is a single word and has no span; the others have eighteen on average.
    assert sum(not own for own in found) == 4269
    assert sum(map(len, found)) == 1_126_588
    lengths = np.array([len(text.split(" ")) for text in read_sst2().test.texts])
    assert [len(own or ()) for own in spans["test"]] == (2 * lengths - 2).tolist()
