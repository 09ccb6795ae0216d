"""Drawings of clusters hold the graph that was given."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex

from trustnlp.graphs import PairGraph
from trustnlp.plots.cluster_graphs import cluster_graph
from trustnlp.plots.style import PALETTE

matplotlib.use("Agg")

# The four mentions of the paper's Table 8.
QUAD = PairGraph.from_pairs(
    [7, 7, 12, 7, 12, 20], [12, 20, 20, 25, 25, 25], [0.456, 0.999, 0.085, -0.076, -0.156, -0.253]
)


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


def looks(axis):
    """Colour and shape of the marker at each place; the ring of a marked pair is not a node."""
    return {
        tuple(np.round(place, 9).tolist()): (to_hex(drawn.get_edgecolor()[0]), drawn.get_paths()[0].vertices.tobytes())
        for drawn in axis.collections
        if isinstance(drawn, PathCollection) and drawn.get_zorder() > 2
        for place in drawn.get_offsets().tolist()
    }


def legend_texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_edges_carry_sign_weight_and_side_of_the_partition():
    figure, alt = cluster_graph(QUAD, [0, 0, 0, 1])
    figure.draw_without_rendering()
    (axis,) = figure.axes
    at = places(axis)
    joins = [(7, 12, 0.456), (7, 20, 0.999), (12, 20, 0.085)]
    parts = [(7, 25, 0.076), (12, 25, 0.156), (20, 25, 0.253)]
    for kind, listed, alpha in (("joins", joins, 1), ("parts", parts, 0.45)):
        widths = {frozenset([at[str(a)], at[str(b)]]): 0.8 + 3.2 * weight / 0.999 for a, b, weight in listed}
        assert edges(axis, kind) == {pair: (pytest.approx(width), alpha) for pair, width in widths.items()}
    styles = {c.get_label(): c.get_linestyle()[0][1] for c in axis.collections if isinstance(c, LineCollection)}
    assert styles["joins"] is None and styles["parts"] is not None
    assert legend_texts(figure) == ["joins", "parts", "alone"]
    assert {"0.456", "0.999", "0.085", "-0.076", "-0.156", "-0.253"} <= {text.get_text() for text in axis.texts}
    assert "Graph of 4 nodes and 6 edges in 2 clusters. Clusters: 7, 12, 20. Alone: 25." in alt
    assert "Strongest joining edge: 7 and 20, 0.999. Strongest parting edge: 20 and 25, -0.253." in alt


def test_clusters_share_a_look_and_no_two_clusters_do():
    chain = PairGraph.from_pairs(range(39), range(1, 40), np.ones(39), nodes=range(40))
    (axis,) = cluster_graph(chain, [node // 2 for node in range(36)] + [97, 98, 99, 100])[0].axes
    at, look = places(axis), looks(axis)
    drawn = [look[at[str(node)]] for node in range(40)]
    assert drawn[:36:2] == drawn[1:36:2] and len(set(drawn[:36])) == 18
    assert {colour for colour, _ in drawn[36:]} == {PALETTE["grey"]}


def test_only_joining_edges_pull():
    weights = np.where(np.arange(6) < 2, 1.0, -1.0)  # 0-1 and 0-2 join, the rest part
    graph = PairGraph.from_pairs([0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3], weights)
    at = {k: np.array(v) for k, v in places(cluster_graph(graph, [0, 0, 0, 1])[0].axes[0]).items()}
    joined = max(np.linalg.norm(at["0"] - at[node]) for node in "12")
    assert all(np.linalg.norm(at["3"] - at[node]) > joined for node in "012")


def test_truth_and_a_marked_pair_without_an_edge():
    graph = PairGraph.from_pairs(["a", "b"], ["b", "c"], [1.0, 2.0])
    figure, alt = cluster_graph(graph, [0, 0, 1], truth=[4, 9, 9], highlight=("c", "a"))
    (axis,) = figure.axes
    at = places(axis)
    rows = {
        text.get_text(): text for text in axis.texts if text.get_fontweight() == "normal" and text.get_text().isdigit()
    }
    assert rows["4"].xy == pytest.approx(at["a"]) and rows["9"].xyann[1] < 0
    (marked,) = axis.lines
    ends = np.round(np.transpose(marked.get_data()), 9).tolist()
    assert {tuple(end) for end in ends} == {at["a"], at["c"]}
    assert legend_texts(figure) == ["marked pair", "joins", "alone", "lower row: gold"]
    assert "Highlighted: c and a, apart, no edge. Gold entities: 4: a; 9: b, c." in alt and "parting" not in alt
    assert "Highlighted: a and b, together, weight 1." in cluster_graph(graph, [0, 0, 1], highlight=("a", "b"))[1]
