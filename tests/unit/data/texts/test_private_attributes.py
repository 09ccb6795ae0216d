"""Texts with private attributes: the rows of DPNR's file, and what is refused."""

import numpy as np
from refusals import assert_refused

from trustnlp.data.texts import private_attributes
from trustnlp.data.texts.private_attributes import AttributeSet, AttributeTexts, read_ag_entities

LINE = "=" * 20


def texts(n: int, labels: int = 2, attributes: int = 2) -> AttributeTexts:
    return AttributeTexts(tuple(f"text {i}" for i in range(n)), np.arange(n) % labels, np.eye(n, attributes))


def test_the_file_has_three_parts(offer):
    offer(private_attributes, texts=f"0\ta\t0\n1\tb\t1\n{LINE}\n0\tc\t2\n{LINE}\n3\ta\t3 4\n2\td\t\n{LINE}\n")
    data = read_ag_entities()
    assert {name: len(part) for name, part in data.splits.items()} == {"train": 2, "dev": 1, "test": 2}
    assert data.test.attributes.tolist() == [[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]]
    assert data.test.labels.tolist() == [3, 2] and data.in_train("test").tolist() == [True, False]
    assert data.in_train("dev").tolist() == [False]


def test_texts_that_do_not_fit():
    rows = [
        ([0], [[0], [1]], "n texts need labels"),
        ([0, -1], [[0], [1]], "labels count from 0"),
        ([0, 1], [[0], [2]], "attributes are 0 or 1"),
    ]
    assert_refused(lambda labels, attributes: AttributeTexts(("a", "b"), np.array(labels), np.array(attributes)), rows)


def test_a_set_has_names_for_all_labels_and_attributes():
    part = texts(4)
    rows = [
        (("one",), ("a", "b"), "train has label 1, but there are 1 names"),
        (("one", "two"), ("a",), "train has 2 attributes, but there are 1 names"),
    ]
    assert_refused(lambda labels, attributes: AttributeSet("x", labels, attributes, part, part, part), rows)
