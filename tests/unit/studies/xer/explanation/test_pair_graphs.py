"""Drawings of small graphs: nodes, edges and words hold the graph that was given."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from refusals import assert_refused

from trustnlp.graphs.pair_graph import PairGraph
from trustnlp.plots.style import PALETTE
from trustnlp.studies.xer.explanation.pair_graphs import MOST_NODES, cluster_graph

matplotlib.use("Agg")

# The four mentions of the paper's Table 8.
QUAD = PairGraph.from_pairs(
    [7, 7, 12, 7, 12, 20], [12, 20, 20, 25, 25, 25], [0.456, 0.999, 0.085, -0.076, -0.156, -0.253]
)


def path(nodes):
    """A chain of nodes, each joined to the next by the weight 1."""
    return PairGraph.from_pairs(range(nodes - 1), range(1, nodes), np.ones(nodes - 1), nodes=range(nodes))


def edges(axis, kind):
    """The edges of a kind as {pair of places: (width, alpha)}."""
    (lines,) = (c for c in axis.collections if isinstance(c, LineCollection) and c.get_label() == kind)
    return {
        frozenset(map(tuple, np.round(segment, 9).tolist())): (width, alpha)
        for segment, width, alpha in zip(lines.get_segments(), lines.get_linewidths(), lines.get_alpha(), strict=True)
    }


def places(axis):
    """The place of each node, by the label that stands on it."""
    return {text.get_text(): tuple(np.round(text.xy, 9).tolist()) for text in axis.texts if text.get_weight() == "bold"}


def nodes(axis):
    """(colour of the outline, shape) of the marker at each place; the ring of a marked pair is not a node."""
    found = {}
    for drawn in axis.collections:
        if isinstance(drawn, PathCollection) and drawn.get_zorder() > 2:
            look = (to_hex(drawn.get_edgecolor()[0]), drawn.get_paths()[0].vertices.tobytes())
            found |= {tuple(np.round(place, 9).tolist()): (look, drawn) for place in drawn.get_offsets().tolist()}
    return found


def legend_texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_edges_carry_sign_weight_and_side_of_the_partition():
    figure, alt = cluster_graph(QUAD, [0, 0, 0, 1])
    figure.draw_without_rendering()
    (axis,) = figure.axes
    at = places(axis)
    pairs = {
        kind: {frozenset([at[str(a)], at[str(b)]]): w for a, b, w in listed}
        for kind, listed in {
            "joins": [(7, 12, 0.456), (7, 20, 0.999), (12, 20, 0.085)],
            "parts": [(7, 25, 0.076), (12, 25, 0.156), (20, 25, 0.253)],
        }.items()
    }
    for kind, alpha in (("joins", 1), ("parts", 0.45)):
        drawn = edges(axis, kind)
        assert drawn == {
            pair: (pytest.approx(0.8 + 3.2 * weight / 0.999), alpha) for pair, weight in pairs[kind].items()
        }
    styles = {c.get_label(): c.get_linestyle()[0][1] for c in axis.collections if isinstance(c, LineCollection)}
    assert styles["joins"] is None and styles["parts"] is not None
    assert legend_texts(figure) == ["joins", "parts", "alone"]
    assert {"0.456", "0.999", "0.085", "-0.076", "-0.156", "-0.253"} <= {text.get_text() for text in axis.texts}
    assert "Graph of 4 nodes and 6 edges in 2 clusters. Clusters: 7, 12, 20. Alone: 25." in alt
    assert "Strongest joining edge: 7 and 20, 0.999. Strongest parting edge: 20 and 25, -0.253." in alt


def test_clusters_share_a_look_and_no_two_clusters_do():
    graph = path(40)
    clusters = [node // 2 for node in range(36)] + [97, 98, 99, 100]
    figure, _ = cluster_graph(graph, clusters)
    (axis,) = figure.axes
    at, drawn = places(axis), nodes(axis)
    looks = [drawn[at[str(node)]][0] for node in range(36)]
    assert looks[::2] == looks[1::2] and len(set(looks)) == 18
    for node in (36, 39):
        look, marker = drawn[at[str(node)]]
        assert look[0] == PALETTE["grey"] and to_hex(marker.get_facecolor()[0]) == "#ffffff"
    assert to_hex(drawn[at["0"]][1].get_facecolor()[0]) != "#ffffff"


def test_the_look_of_a_cluster_hangs_on_its_nodes_and_not_on_its_number():
    def drawn(clusters):
        axis = cluster_graph(path(4), clusters)[0].axes[0]
        return {name: nodes(axis)[place][0] for name, place in places(axis).items()}

    assert drawn([5, 5, 2, 2]) == drawn([0, 0, 1, 1])


def test_one_seed_one_picture():
    first, second, other = (places(cluster_graph(QUAD, [0, 0, 0, 1], seed=s)[0].axes[0]) for s in (3, 3, 4))
    assert first == second != other


def test_only_joining_edges_pull():
    weights = np.where(np.arange(6) < 2, 1.0, -1.0)  # 0-1 and 0-2 join, the rest part
    graph = PairGraph.from_pairs([0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3], weights)
    at = {k: np.array(v) for k, v in places(cluster_graph(graph, [0, 0, 0, 1])[0].axes[0]).items()}
    joined = max(np.linalg.norm(at["0"] - at[node]) for node in "12")
    assert all(np.linalg.norm(at["3"] - at[node]) > joined for node in "012")


def test_names_truth_and_a_marked_pair_without_an_edge():
    graph = PairGraph.from_pairs(["a", "b"], ["b", "c"], [1.0, 2.0])
    figure, alt = cluster_graph(graph, [0, 0, 1], names=["Ann", "Bo", "Cy"], truth=[4, 9, 9], highlight=("c", "a"))
    figure.draw_without_rendering()
    (axis,) = figure.axes
    at = places(axis)
    assert set(at) == {"Ann", "Bo", "Cy"}
    rows = {text.get_text(): text for text in axis.texts if text.get_fontsize() == 8}
    assert rows["4"].xy == pytest.approx(at["Ann"]) and rows["9"].xyann[1] < 0
    (marked,) = axis.lines
    ends = np.round(np.transpose(marked.get_data()), 9).tolist()
    assert {tuple(end) for end in ends} == {at["Ann"], at["Cy"]} and marked.get_linewidth() > 8
    assert legend_texts(figure) == ["marked pair", "joins", "alone", "lower row: gold"]
    assert "Highlighted: Cy and Ann, apart, no edge. Gold entities: 4: Ann; 9: Bo, Cy." in alt
    assert "parting" not in alt
    assert "Highlighted: a and b, together, weight 1." in cluster_graph(graph, [0, 0, 1], highlight=("a", "b"))[1]


@pytest.mark.parametrize(("count", "written"), [(15, 15), (16, 0)])
def test_weights_are_written_on_few_edges_only(count, written):
    axis = cluster_graph(path(count + 1), [0] * (count + 1), names=["x"] * (count + 1))[0].axes[0]
    assert sum(text.get_text() == "1" for text in axis.texts) == written


def test_written_weights_do_not_cover_each_other():
    left, right = np.triu_indices(6, 1)
    graph = PairGraph.from_pairs(left.tolist(), right.tolist(), np.full(15, 0.5))
    for seed in range(5):
        axis = cluster_graph(graph, [0] * 6, seed=seed)[0].axes[0]
        spots = np.array([text.xy for text in axis.texts if text.get_text() == "0.5"])
        apart = np.linalg.norm(spots[:, None] - spots, axis=2)[np.triu_indices(15, 1)]
        assert apart.min() > 0.05 * np.ptp(spots, axis=0).max()


def test_graphs_without_edges_and_of_one_node():
    for count in (1, 3):
        figure, alt = cluster_graph(PairGraph.from_pairs([], [], [], nodes=range(count)), list(range(count)))
        figure.draw_without_rendering()
        assert legend_texts(figure) == ["alone"] and f"Graph of {count} nodes and 0 edges" in alt
    assert cluster_graph(PairGraph.from_pairs([0], [1], [0.0]), [0, 1])[1].endswith("parting edge: 0 and 1, 0.")


def test_the_widest_legend_lies_within_the_figure():
    figure, _ = cluster_graph(QUAD, [0, 0, 0, 1], truth=list("AAAB"), highlight=(7, 12))
    figure.canvas.draw()
    box = figure.legends[0].get_window_extent()
    assert box.x0 >= 0 and box.x1 <= figure.bbox.x1 and box.y0 >= 0
    assert len(legend_texts(figure)) == 5


def test_drawing_refuses():
    assert_refused(
        lambda graph, clusters, options: cluster_graph(graph, clusters, **options),
        [
            (path(MOST_NODES + 1), [0] * 41, {}, r"1 to 40 nodes, got 41; draw a subgraph"),
            (PairGraph.from_pairs([], [], []), [], {}, "got 0"),
            (QUAD, [0, 0, 1], {}, "clusters: expected one for each of 4 nodes, got 3"),
            (QUAD, [0] * 4, {"names": ["a"]}, "names: expected one for each of 4 nodes, got 1"),
            (QUAD, [0] * 4, {"truth": [1] * 5}, "truth: expected one for each of 4 nodes, got 5"),
            (
                QUAD,
                [0] * 4,
                {"highlight": (7, 8)},
                r"highlight: expected the ids of two nodes of the graph, got \(7, 8\)",
            ),
            (QUAD, [0] * 4, {"highlight": (7, 7)}, "highlight"),
        ],
    )
