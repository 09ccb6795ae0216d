"""Texts with private attributes: the rows of DPNR's file, and what is refused."""

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.texts import private_attributes
from trustnlp.data.texts.private_attributes import AttributeSet, AttributeTexts, parse_rows, read_ag_entities

LINE = "=" * 20


def texts(n: int, labels: int = 2, attributes: int = 2) -> AttributeTexts:
    return AttributeTexts(tuple(f"text {i}" for i in range(n)), np.arange(n) % labels, np.eye(n, attributes))


def test_rows():
    parsed = parse_rows(["0\tA text.\t0 4", "3\tAnother.\t2", "1\tNobody.\t"])
    assert parsed.texts == ("A text.", "Another.", "Nobody.")
    assert parsed.labels.tolist() == [0, 3, 1]
    assert parsed.attributes.tolist() == [[1, 0, 0, 0, 1], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]]


def test_rows_that_are_refused():
    rows = [
        ("\tNo label.\t1", "row 2 has the label ''"),
        ("7\tNo such topic.\t1", "row 2 has the label '7', expected a topic from 0 to 3"),
        ("1\tNo such person.\t0 5", "row 2 names entity '5', expected numbers from 0 to 4"),
        ("1\tNo entities", "row 2 has 2 fields"),
    ]
    assert_refused(lambda row: parse_rows(["0\tA text.\t0", row]), rows)


def test_the_file_has_three_parts(offer):
    offer(private_attributes, texts=f"0\ta\t0\n1\tb\t1\n{LINE}\n0\tc\t2\n{LINE}\n3\ta\t3 4\n{LINE}\n")
    data = read_ag_entities()
    assert {name: len(part) for name, part in data.splits.items()} == {"train": 2, "dev": 1, "test": 1}
    assert data.test.attributes.tolist() == [[0, 0, 0, 1, 1]]
    assert data.in_train("test").tolist() == [True]
    assert data.in_train("dev").tolist() == [False]


def test_a_file_that_is_something_else(offer):
    def attempt(content: str) -> None:
        offer(private_attributes, texts=content)
        read_ag_entities()

    rows = [
        ("0\ta\t0\n", "has 1 parts"),
        (f"0\ta\t0\n{LINE}\n0\tb\t1\n{LINE}\n9\tc\t1\n{LINE}\n", "texts, test: row 1 has the label '9'"),
    ]
    assert_refused(attempt, rows, error=DataError)


def test_texts_can_be_taken():
    taken = texts(4).take([2, 0])
    assert taken.texts == ("text 2", "text 0")
    assert taken.labels.tolist() == [0, 0]
    with pytest.raises(ValueError, match="read-only"):
        taken.labels[0] = 1


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
