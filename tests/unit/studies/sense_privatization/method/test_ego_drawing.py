"""The picture of an ego network shows each node once, by the colour of its group and the shape of its cluster."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from refusals import assert_refused

from trustnlp.graphs.ego_networks import EgoNetwork
from trustnlp.plots.style import PALETTE
from trustnlp.studies.sense_privatization.method import ego_picture

matplotlib.use("Agg")

# Two pairs, one link between them, and a node without a link.
WEIGHTS = np.zeros((5, 5), dtype=np.int64)
for left, right in ((0, 1), (2, 3), (1, 2)):
    WEIGHTS[left, right] = WEIGHTS[right, left] = 7
NETWORK = EgoNetwork(np.arange(5, dtype=np.int32), WEIGHTS)
TRUTH = ["river", "river", "money", "money", "neither, or both"]
CLUSTERS = [0, 0, 1, 1, 1]


def test_nodes_and_edges_are_those_of_the_network() -> None:
    figure, _ = ego_picture(NETWORK, ["river", "money"], TRUTH, CLUSTERS, ego="bank")
    figure.draw_without_rendering()
    (axis,) = figure.axes
    (lines,) = (drawn for drawn in axis.collections if isinstance(drawn, LineCollection))
    assert len(lines.get_segments()) == 3
    nodes = [drawn for drawn in axis.collections if isinstance(drawn, PathCollection)]
    assert [len(drawn.get_offsets()) for drawn in nodes] == [2, 3]
    colours = [[to_hex(colour) for colour in drawn.get_facecolor()] for drawn in nodes]
    blue, orange, grey = (to_hex(PALETTE[name]) for name in ("blue", "orange", "grey"))
    assert colours == [[blue] * 2, [orange, orange, grey]]
    ends = {tuple(end) for segment in lines.get_segments() for end in np.round(segment, 9).tolist()}
    drawn_at = {tuple(place) for drawn in nodes for place in np.round(drawn.get_offsets(), 9).tolist()}
    assert len(drawn_at) == 5 and ends < drawn_at


def test_the_alternative_text_counts_topics_in_clusters() -> None:
    figure, alt = ego_picture(NETWORK, ["river", "money"], TRUTH, CLUSTERS, ego="bank")
    assert "5 neighbours of bank" in alt
    assert "cluster 1: 2 of river, 0 of money, 0 others; cluster 2: 0 of river, 2 of money, 1 others" in alt
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert said == ["river", "money", "neither, or both", "cluster 1", "cluster 2"]


def test_the_same_seed_gives_the_same_places() -> None:
    def places(seed: int) -> list[list[float]]:
        figure, _ = ego_picture(NETWORK, ["river", "money"], TRUTH, CLUSTERS, ego="bank", seed=seed)
        (axis,) = figure.axes
        return [drawn.get_offsets().tolist() for drawn in axis.collections if isinstance(drawn, PathCollection)]

    assert places(0) == places(0) != places(1)


def test_bad_input_is_refused() -> None:
    two = ["river", "money"]
    assert_refused(
        lambda groups, truth, clusters: ego_picture(NETWORK, groups, truth, clusters, ego="bank"),
        [
            (["river"], TRUTH, CLUSTERS, "got 1 groups"),
            (two, TRUTH[1:], CLUSTERS, "with 4 groups"),
            (two, TRUTH, CLUSTERS[1:], "4 clusters"),
            (two, TRUTH, [0, 1, 2, 3, 99], "numbered 0 to"),
        ],
    )
