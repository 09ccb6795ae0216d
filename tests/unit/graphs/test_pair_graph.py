"""Graphs of scored pairs: what is accepted and what is refused; partitions and explanations of them."""

from __future__ import annotations

import logging
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused

from trustnlp.graphs import GraphError, PairGraph, explain_cluster, explain_pair, partition, partition_graph
from trustnlp.graphs.pair_graph import check_exact_ids

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

    @pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, pd.NaT, ""])
    def test_a_missing_id_is_refused_and_a_zero_is_none(self, nothing: object) -> None:
        table = pd.DataFrame([("a", "b", 1.0), (nothing, "b", 1.0)], columns=["left", "right", "score"])
        with pytest.raises(GraphError, match="an id is missing"):
            partition(table)
        for value in (0, False, " ", "nan"):
            assert value in partition(table.assign(left=pd.Series(["a", value], dtype=object))).labels.index

    @pytest.mark.parametrize("settings", [{"absent": "perhaps"}, {"time_limit": 0.0}], ids=["absent", "limit"])
    def test_bad_settings_are_refused(self, settings: dict[str, object]) -> None:
        with pytest.raises(GraphError, match=r"absent is one of|time limit is above 0"):
            partition(PAIRS, **settings)  # type: ignore[arg-type]

    def test_what_an_absent_pair_means_changes_the_optimum(self) -> None:
        chain = pd.DataFrame([("a", "b", 1.0), ("b", "c", 1.0)], columns=["left", "right", "score"])
        assert partition(chain).value == 1.0 and partition(chain, absent="zero").value == 2.0


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


class TestInputs:
    def test_nullable_ids_and_weights(self) -> None:
        left, right = pd.array([1, 2, 1], dtype="Int64"), pd.array([2, 3, 3], dtype="Int64")
        graph = PairGraph.from_pairs(pd.Series(left), pd.Series(right), pd.Series([0.5, 0.2, -1.0], dtype="Float64"))
        assert graph.ids == (1, 2, 3) and graph.weights.tolist() == [0.5, -1.0, 0.2]
        assert all(type(name) is int for name in graph.ids)
        words = pd.Series(["a", "b"], dtype="string"), pd.Series(["b", "c"], dtype="category")
        assert PairGraph.from_pairs(*words, [1.0, 1.0]).ids == ("a", "b", "c")
        with pytest.raises(GraphError, match="an id is missing"):
            PairGraph.from_pairs(pd.Series([1, None], dtype="Int64"), pd.Series([2, 3], dtype="Int64"), [1.0, 1.0])
        with pytest.raises(GraphError, match="weight nan"):
            PairGraph.from_pairs(["a"], ["b"], pd.Series([None], dtype="Float64"))

    def test_two_directions_that_differ_by_rounding_count_once(self) -> None:
        assert PairGraph.from_pairs("ab", "ba", [0.1 + 0.2, 0.3]).weights.tolist() == [0.1 + 0.2]
        matrix = np.array([[0.0, 0.3], [0.3 + 1e-17, 0.0]])
        matrix[1, 0] = np.nextafter(0.3, 1)
        assert PairGraph.from_matrix(matrix).weights.tolist() == [0.3]
        with pytest.raises(GraphError, match="twice with different"):
            PairGraph.from_pairs("ab", "ba", [0.3, 0.3001])

    def test_complex_and_endless_weights_are_refused_in_one_line(self) -> None:
        for weights, told in (
            ([1 + 2j], "real numbers, got complex"),
            (np.array([1 + 2j], dtype=object), "real numbers"),
            (["high"], "real numbers"),
        ):
            with pytest.raises(GraphError, match=told):
                PairGraph.from_pairs("a", "b", weights)
        with pytest.raises(GraphError, match="more than a float holds"):
            PairGraph.from_pairs("aab", "bcc", [1e308, 1e308, -1e308])
        assert partition_graph(PairGraph.from_pairs("ab", "bc", [1e300, -1e300])).value == 1e300


class TestReasons:
    """a and b, c and d; b and c are alike too, but a and d have no score: reasons add up to margins."""

    rows = pd.DataFrame(
        [("a", "b", 0.9), ("b", "c", 0.8), ("a", "c", 0.35), ("c", "d", 0.7), ("b", "d", 0.45)],
        columns=["left", "right", "score"],
    )
    found = partition(rows, cut=0.5)

    @pytest.mark.parametrize("pair", [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("b", "d")])
    def test_edges_lost_and_gained_add_up_to_the_margin(self, pair: tuple[str, str]) -> None:
        told = explain_pair(self.found, *pair)
        assert told.lost["weight"].sum() - told.gained["weight"].sum() == pytest.approx(told.margin, abs=1e-12)
        assert len(told.lost) + len(told.gained) and told.exact

    def test_absent_pairs_that_forbid_are_named(self) -> None:
        told = explain_pair(self.found, "b", "c")
        assert told.forbidding.to_numpy().tolist() == [["a", "d"]]
        assert "1 pairs without a score forbid one cluster, such as a and d" in str(told)
        zero = explain_pair(partition(self.rows, cut=0.5, absent="zero"), "b", "c")
        assert zero.forbidding.empty

    def test_a_heavier_alternative_has_a_sign(self) -> None:
        [part], alone = self.found.components, np.arange(4)
        loose = replace(part.solution, labels=alone, value=0.0, gap=part.solution.value, optimal=False)
        poor = replace(self.found, codes=alone, value=0.0, components=(replace(part, solution=loose),))
        told = explain_pair(poor, "a", "b")
        assert told.margin == pytest.approx(-0.6) and not told.exact
        assert "the other way round is heavier by 0.600 (best partitions found, not proven)" in str(told)
        assert explain_cluster(poor, "a")["margin"].min() < 0

    def test_text_and_html_say_the_same(self) -> None:
        told = explain_pair(self.found, "a", "b")
        text, page = str(told), told._repr_html_()
        assert text.splitlines()[0] == "a and b are in one cluster" and "would weigh 0.150 less" in text
        assert "would weigh 0.150 less" in page and "<table" in page and "Edges that would be lost" in page
        marked = explain_pair(partition(self.rows.replace("a", "<a>"), cut=0.5), "<a>", "b")
        assert "<a>" not in marked._repr_html_()


class TestTimeAndOutput:
    def test_the_output_says_what_absent_pairs_did(self) -> None:
        never, zero = partition(PAIRS, cut=0.5), partition(PAIRS, cut=0.5, absent="zero")
        chain = pd.DataFrame([("a", "b", 1.0), ("b", "c", 0.9)], columns=["left", "right", "score"])
        assert partition(chain).absent_that_count == 1 and partition(chain, absent="zero").absent_that_count == 1
        assert never.absent_that_count == 0 and zero.absent_that_count == 0
        assert "absent:    never in one cluster (1 such pairs counted)" in str(partition(chain))
        assert "weigh nothing" in str(zero)

    def test_a_total_time_is_kept_and_small_components_come_first(self) -> None:
        rng = np.random.default_rng(0)
        hard = np.triu(rng.normal(0, 1, (70, 70)), 1)
        rows = [(f"h{i}", f"h{j}", hard[i, j]) for i in range(70) for j in range(i + 1, 70)]
        rows += [(f"s{i}", f"t{i}", 1.0) for i in range(200)]
        begun = time.monotonic()
        found = partition_graph(graph_of(*rows), total_time=1.5)
        assert time.monotonic() - begun < 30
        unsettled = [part for part in found.components if not part.solution.optimal]
        assert len(unsettled) == 1 and len(unsettled[0].nodes) == 70 and found.check() >= found.value
        with pytest.raises(GraphError, match="time for the whole"):
            partition(PAIRS, total_time=0.0)

    def test_an_interrupt_keeps_what_was_solved(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        from trustnlp.graphs import partitioning

        calls = 0

        def stopped(*arguments: object, **settings: object) -> object:
            nonlocal calls
            calls += 1
            if calls == 3:
                raise KeyboardInterrupt
            return real(*arguments, **settings)

        real = partitioning.solve
        monkeypatch.setattr(partitioning, "solve", stopped)
        monkeypatch.setattr(partitioning, "_PIECES_A_TASK", 1)
        found = partition_graph(graph_of(*[(f"a{i}", f"b{i}", 1.0) for i in range(5)]))
        assert found.value == 2.0 and not found.optimal and found.check() == 5.0
        assert "3 of 5 components are not solved" in caplog.text


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([2.0**24, 1], dtype="float32"),
        pd.Series([2.0**24, 1], dtype="Float32"),
        pd.Series([2048.0, 1], dtype="float16"),
        pd.Series([2.0**53, 1], dtype="category"),
        pd.Series([2.0**53, "a"], dtype=object),
        pd.Series([2.0**53, 1], dtype=object),
    ],
    ids=lambda column: f"{column.dtype} {column[1]}",
)
def test_ids_that_a_shorter_or_hidden_float_cannot_tell_apart_are_refused(column: pd.Series) -> None:
    with pytest.raises(GraphError, match="is a floating-point number, which cannot tell whole numbers above 2"):
        check_exact_ids(column)
    check_exact_ids(
        pd.Series([1.5, 2047], dtype="float16"), pd.Series(["a", None]), pd.Series([2**60, 1], dtype=object)
    )
