"""Columns with labels are matched by them, wherever two of them meet."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from trustnlp.evaluation.calibration import expected_calibration_error
from trustnlp.evaluation.extraction_scores import macro_f1, relation_counts, relation_scores
from trustnlp.files.same_rows import in_one_order
from trustnlp.graphs import PairGraph
from trustnlp.graphs.agreement import pair_counts, partition_metrics

SCORES: dict[str, tuple[list[Any], list[Any], Callable[[Any, Any], Any]]] = {
    "pairs of a partition": (["a", "a", "b", "c"], [1, 1, 2, 3], pair_counts),
    "a partition": (["a", "a", "b", "c"], [1, 1, 2, 3], lambda truth, found: partition_metrics(truth, found).f1),
    "relations": (["r", "s", "s", "r"], ["r", "s", "s", "s"], relation_scores),
    "relations, macro": (["r", "s", "s", "r"], ["r", "s", "s", "s"], macro_f1),
    "relations, counted": (["r", "s", "s", "r"], ["r", "s", "s", "s"], lambda *both: relation_counts(*both).tolist()),
    "probabilities": ([0.9, 0.8, 0.1, 0.2], [1, 1, 0, 0], expected_calibration_error),
    "edges": (["a", "b", "c", "d"], ["b", "c", "d", "a"], lambda *both: PairGraph.from_pairs(*both, [1, 2, 3, 4]).ids),
}


@pytest.mark.parametrize(("first", "second", "score"), SCORES.values(), ids=SCORES)
def test_series_are_compared_by_their_labels(first, second, score):
    one, two = pd.Series(first, list("wxyz")), pd.Series(second, list("wxyz"))
    assert score(one, two) == score(one, two.iloc[[2, 0, 3, 1]]) == score(first, second) == score(one, second)
    with pytest.raises(ValueError, match="with other labels than"):
        score(one, two.rename({"w": "v"}))
    with pytest.raises(ValueError, match="stand twice"):
        score(one.rename({"w": "x"}), two.rename({"y": "x"}))


def test_dicts_are_columns_and_no_rows():
    assert pair_counts({"m": 1, "n": 1, "o": 2}, {"o": 0, "n": 5, "m": 5}).true_positives == 1
    assert pair_counts({"m": 1, "n": 1}, pd.Series([5, 5], ["n", "m"])).true_positives == 1
    with pytest.raises(ValueError, match="`truth` is a dict and `found` has no labels"):
        pair_counts({"m": 1, "n": 1}, [5, 5])


def test_tables_come_in_the_order_of_the_first():
    table = pd.DataFrame({"p": [0.1, 0.9]}, [7, 3])
    texts, ordered, none = in_one_order(texts=pd.Series(["a", "b"], [3, 7]), table=table, other=None)
    assert texts.tolist() == ["a", "b"] and ordered["p"].tolist() == [0.9, 0.1] and none is None
    assert np.array_equal(in_one_order(a=np.arange(2), b=[3, 4])[0], np.arange(2))
