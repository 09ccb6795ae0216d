"""Columns with labels are matched by them, wherever two of them meet."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from trustnlp.attribution.deletion_curves import measure_faithfulness
from trustnlp.decoys.decoy_adoption import adoption
from trustnlp.decoys.kept_decoys import Removal
from trustnlp.decoys.planted_properties import decoy_properties
from trustnlp.decoys.word_association import count_words
from trustnlp.evaluation.calibration import expected_calibration_error
from trustnlp.evaluation.extraction_scores import macro_f1, relation_counts, relation_scores
from trustnlp.evaluation.reference_overlap import corpus_bleu, exact_matches
from trustnlp.files.same_rows import check_one_order, in_one_order
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


TEXTS = ["a movie", "film", "dull film", "the movie"]
BY_POSITION: dict[str, tuple[list[Any], list[Any], Callable[[Any, Any], Any]]] = {
    "adoption": ([1, 0, 1, 1], [0, 1, 0, 0], lambda *both: adoption(*both, [0] * 4, [1] * 4).rate.value),
    "properties": ([True, False, True, True], [1, 0, 1, 0], lambda *both: decoy_properties(*both).productivity),
    "words": (TEXTS, [1, 0, 0, 1], lambda *both: count_words(*both).carrying.tolist()),
}


@pytest.mark.parametrize(("first", "second", "score"), BY_POSITION.values(), ids=BY_POSITION)
def test_what_goes_by_position_refuses_another_order(first, second, score):
    one, two = (pd.Series(column, [7, 3, 5, 1]) for column in (first, second))
    assert score(one, two) == score(first, second) == score(one, second)
    for other, said in ((two.iloc[::-1], "in another order"), (two.rename({3: 4}), "other labels")):
        with pytest.raises(ValueError, match=said):
            score(one, other)


def test_a_decoy_is_planted_in_the_texts_of_the_labels():
    decoy = Removal(name="film", word="movie", label=1)
    texts, labels = pd.Series(TEXTS), pd.Series([1, 0, 0, 0])
    assert decoy.plant(texts, labels, np.random.default_rng(0)).texts == ("a movie", "film", "dull film")
    for one, other in ((texts, labels[::-1]), (texts[::-1], labels[::-1]), (texts[::-1], [1, 0, 0, 0])):
        with pytest.raises(ValueError, match=r"another order|goes by position; give `texts.tolist\(\)`"):
            decoy.plant(one, other, np.random.default_rng(0))


def test_scores_of_words_are_those_of_the_text():
    def measured(texts, scores, labels=None):
        found = measure_faithfulness(
            lambda asked: np.array([[0.4, 0.6]] * len(asked)),
            texts,
            {"ours": scores},
            mask="_",
            sets=3,
            labels=labels,
            rng=np.random.default_rng(0),
        )
        return [each.deletion.tolist() for each in found["ours"]]

    texts, scores = pd.Series([("a", "b"), ("c",)]), pd.Series([[0.1, 0.2], [0.3]])
    assert measured(texts, scores) == measured(texts[::-1], scores[::-1])[::-1] == measured(list(texts), list(scores))
    with pytest.raises(ValueError, match=r"`scores\['ours'\]` has its labels in another order"):
        measured(texts, scores[::-1])
    with pytest.raises(ValueError, match=r"give `labels.tolist\(\)`"):
        measured(texts, scores, pd.Series([0, 1]))


def test_sequences_of_tokens_come_in_lists():
    references, candidates = [[["a"]], [["b"]]], [["a"], ["c"]]
    for one, other in ((references, pd.Series(candidates)), (dict(enumerate(references)), candidates)):
        for score in (corpus_bleu, exact_matches):
            with pytest.raises(ValueError, match=r"give `candidates.tolist\(\)`|`references` is a dict"):
                score(one, other)


@pytest.mark.parametrize("column", [{"a": 1}, {1, 2}, pd.DataFrame({"a": [1]})], ids=["dict", "set", "table"])
def test_what_is_no_column_is_refused(column):
    with pytest.raises(ValueError, match="give one value each, in order"):
        check_one_order(given=column)


def test_tensors_are_refused_where_their_elements_would_never_be_equal():
    for score in (pair_counts, partition_metrics, lambda *both: PairGraph.from_pairs(*both, [1.0, 2.0])):
        with pytest.raises(ValueError, match=r"is a tensor; give `\w+.tolist\(\)`"):
            score(torch.tensor([1, 1]), torch.tensor([2, 3]))
