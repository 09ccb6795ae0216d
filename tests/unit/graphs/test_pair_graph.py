"""Graphs of scored pairs: what is accepted and what is refused; partitions and explanations of them."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused

from trustnlp.graphs import GraphError, PairGraph, explain_cluster, explain_pair, partition, partition_graph

PAIRS = pd.DataFrame(
    [("b", "a", 0.9), ("b", "c", 0.8), ("a", "c", 0.35), ("c", "d", 0.45), ("x", "y", 0.2)],
    columns=["left", "right", "score"],
)


def graph_of(*rows: tuple[object, object, float]) -> PairGraph:
    left, right, weights = zip(*rows, strict=True)
    return PairGraph.from_pairs(left, right, weights)


def test_bad_pairs_are_refused() -> None:
    assert_refused(
        lambda rows: graph_of(*rows),
        [
            ([("a", "b", np.nan)], "weight nan"),
            ([("a", "b", 1.0), ("b", "c", np.inf)], r"\('b', 'c'\) has the weight inf"),
            ([("a", "a", 1.0)], "paired with itself"),
            ([("a", "b", 1.0), ("b", "a", 2.0)], "twice with different weights, 1 and 2"),
            ([("a", None, 1.0)], "an id is missing"),
            ([("a", float("nan"), 1.0)], "an id is missing"),
        ],
        error=GraphError,
    )


def test_the_same_pair_twice_with_one_weight_counts_once() -> None:
    assert len(graph_of(("a", "b", 1.0), ("b", "a", 1.0)).weights) == 1


def test_ids_need_not_be_numbers_or_contiguous() -> None:
    graph = graph_of((7, 1_000_000, 1.0), ((1, 2), 7, -1.0))
    assert graph.ids == (7, 1_000_000, (1, 2))
    assert partition_graph(graph).labels.to_dict() == {7: 0, 1_000_000: 0, (1, 2): 1}


def test_columns_of_different_length_and_asymmetric_matrices_are_refused() -> None:
    with pytest.raises(GraphError, match="as many left ids"):
        PairGraph.from_pairs(["a"], ["b", "c"], [1.0])
    with pytest.raises(GraphError, match="symmetric"):
        PairGraph.from_matrix([[0, 1], [2, 0]])
    with pytest.raises(GraphError, match="square"):
        PairGraph.from_matrix([[0, 1]])
    with pytest.raises(GraphError, match="stands twice in the list"):
        PairGraph.from_pairs([], [], [], nodes=["a", "a"])


def test_an_empty_graph_and_one_without_positive_edges_have_a_marked_result() -> None:
    empty = partition_graph(PairGraph.from_pairs([], [], []))
    assert (empty.value, empty.optimal, empty.clusters, empty.check()) == (0.0, True, [], 0.0)
    apart = partition_graph(graph_of(("a", "b", -1.0), ("b", "c", 0.0)))
    assert (apart.value, apart.optimal, apart.clusters, apart.components) == (0.0, True, [["a"], ["b"], ["c"]], ())


def test_parts_of_a_graph_keep_their_edges() -> None:
    graph = graph_of(("a", "b", 1.0), ("b", "c", -0.4), ("a", "c", 0.2))
    assert graph.above(0.2).weights.tolist() == [1.0, 0.2] and len(graph.above(0.2)) == 3
    piece = graph.subgraph([2, 0])
    assert piece.ids == ("c", "a") and piece.weights.tolist() == [0.2]
    assert graph.density == 1.0 and graph.above(0.2).density == pytest.approx(2 / 3)
    assert graph.value([0, 0, 1]) == 1.0 and graph.above(0.2).absent_inside([0, 0, 0]) == 1
    with pytest.raises(GraphError, match="one label for each"):
        graph.value([0, 1])


class TestPartitionOfATable:
    def test_probabilities_are_cut_at_one_half(self) -> None:
        found = partition(PAIRS, cut=0.5)
        assert found.clusters == [["b", "a", "c"], ["d"], ["x"], ["y"]]
        assert found.value == pytest.approx(0.4 + 0.3 - 0.15) and found.optimal and found.gap == pytest.approx(0.0)

    def test_nodes_without_a_pair_stay_alone(self) -> None:
        found = partition(PAIRS, cut=0.5, nodes=["lone", "a"])
        assert found.labels["lone"] == 0 and len(found.labels) == 7

    def test_scores_that_look_like_probabilities_are_told(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.WARNING):
            partition(PAIRS)
        assert "cut=0.5" in caplog.text

    def test_a_missing_column_and_text_for_scores_are_refused(self) -> None:
        with pytest.raises(GraphError, match="no column 'weight'; it has left, right, score"):
            partition(PAIRS, score="weight")
        with pytest.raises(GraphError, match="not numbers"):
            partition(PAIRS.assign(score="high"))

    @pytest.mark.parametrize("settings", [{"absent": "perhaps"}, {"time_limit": 0.0}], ids=["absent", "limit"])
    def test_bad_settings_are_refused(self, settings: dict[str, object]) -> None:
        with pytest.raises(GraphError, match=r"absent is one of|time limit is above 0"):
            partition(PAIRS, **settings)  # type: ignore[arg-type]

    def test_what_an_absent_pair_means_changes_the_optimum(self) -> None:
        chain = pd.DataFrame([("a", "b", 1.0), ("b", "c", 1.0)], columns=["left", "right", "score"])
        assert partition(chain).value == 1.0 and partition(chain, absent="zero").value == 2.0

    def test_a_tampered_partition_fails_its_check(self) -> None:
        found = partition(PAIRS, cut=0.5)
        object.__setattr__(found, "components", ())
        with pytest.raises(GraphError, match="positive edge leaves"):
            found.check()


class TestExplanations:
    """a and b, b and c are alike, a and c are not quite; d is nearly c."""

    found = partition(PAIRS, cut=0.5)

    def test_the_margin_is_what_the_reversed_decision_costs(self) -> None:
        told = explain_pair(self.found, "a", "c")
        # Apart, the best is {a, b} and {c}: 0.4 against 0.55.
        assert told.together and told.margin == pytest.approx(0.15) and told.exact
        assert sorted(map(sorted, told.otherwise)) == [["a", "b"], ["c"]]
        assert told.weights["effect"].tolist() == ["joins", "joins", "parts"]

    @pytest.mark.parametrize(("left", "right"), [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("x", "y")])
    def test_the_margin_is_the_smallest_change_that_flips(self, left: str, right: str) -> None:
        told = explain_pair(self.found, left, right)
        row = PAIRS.index[PAIRS[["left", "right"]].isin([left, right]).all(axis=1)][0]
        for share, flips in ((0.999, False), (1.001, True)):
            changed = PAIRS.copy()
            changed.loc[row, "score"] += (told.flips_at - told.weight) * share
            again = partition(changed, cut=0.5).labels
            assert (again[left] == again[right]) == (told.together != flips)

    def test_an_absent_pair_can_never_be_joined_unless_it_weighs_nothing(self) -> None:
        told = explain_pair(self.found, "a", "d")
        assert not told.together and told.margin == np.inf and np.isnan(told.weight)
        zero = explain_pair(partition(PAIRS, cut=0.5, absent="zero"), "a", "d")
        assert zero.margin == pytest.approx(0.05) and zero.exact and zero.flips_at == pytest.approx(0.05)

    def test_a_cluster_lists_its_decisions_least_certain_first(self) -> None:
        table = explain_cluster(self.found, "b")
        assert table[["left", "right"]].to_numpy().tolist() == [["b", "c"], ["a", "c"], ["c", "d"], ["b", "a"]]
        # Apart, b and c or a and c lose 0.15; c with d leaves a and b, and 0.05 against it; a and b apart lose 0.25.
        assert table["margin"].to_numpy() == pytest.approx([0.15, 0.15, 0.2, 0.25]) and table["exact"].all()

    def test_strangers_and_a_mention_with_itself_are_refused(self) -> None:
        with pytest.raises(GraphError, match="not a node"):
            explain_pair(self.found, "a", "z")
        with pytest.raises(GraphError, match="always with itself"):
            explain_pair(self.found, "a", "a")
