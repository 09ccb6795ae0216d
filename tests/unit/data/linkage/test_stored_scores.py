"""Stored scores: what the real files hold, which node is which record, and what is refused."""

import io
import logging
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from scipy.io import savemat

from trustnlp.data.linkage import stored_scores
from trustnlp.data.linkage.node_alignment import align_nodes, dedupe_clusters
from trustnlp.data.linkage.stored_scores import clusters_from_lists, read_stored_scores
from trustnlp.data.registry import DataError

PAIRS = "id1,id2,dedupe_probability,fmwsp_cost\n1,2,0.75,-0.5\n2,7,0.25,0.5\n"
CLUSTERS = "id,gold_cluster,hc_cluster,fmwsp_cluster,name\n1,0,4,2.0,a\n2,0,4,2.0,b\n7,1,5,2.0000000000000004,c\n"
GOLD = '{"data": {"clusteredVertices": [1, 2]}}\n{"data": {"clusteredVertices": [7, 2]}}\n'


def pairs_in(labels: pd.Series) -> int:
    sizes = labels.value_counts()
    return int((sizes * (sizes - 1) // 2).sum())


def f1(gold: pd.Series, found: pd.Series) -> float:
    both = pairs_in(pd.Series(list(zip(gold, found, strict=True))))
    return round(200 * both / (pairs_in(gold) + pairs_in(found)), 2)


@pytest.mark.parametrize(
    ("name", "pairs", "nodes", "records", "gold", "hierarchical", "fmwsp"),
    [
        ("settlements", 5538, 2959, 3054, 4388, 95.27, 95.62),
        ("csv_example", 7004, 2914, 3337, 6608, 94.37, 95.10),
        ("patent", 66212, 1138, 1165, 69124, 92.19, 94.81),
    ],
)
def test_sizes_and_f1_of_the_real_files(mirror, name, pairs, nodes, records, gold, hierarchical, fmwsp):
    scores = read_stored_scores(name)
    table = scores.records
    assert (len(scores.pairs), len({*scores.pairs["left"], *scores.pairs["right"]})) == (pairs, nodes)
    assert (len(table), pairs_in(table["gold"])) == (records, gold)
    assert (f1(table["gold"], table["hierarchical"]), f1(table["gold"], table["fmwsp"])) == (hierarchical, fmwsp)
    same = table["fmwsp"].loc[scores.pairs["left"]].to_numpy() == table["fmwsp"].loc[scores.pairs["right"]].to_numpy()
    inside = {"settlements": 3826.170, "csv_example": 5729.599, "patent": 64280.588 + 43 / 2}[name]
    assert scores.weights[same].sum() == pytest.approx(inside, abs=1e-3)


def test_the_gold_of_settlements_agrees_with_the_derived_clusters_when_the_last_is_kept(mirror):
    derived = pd.read_csv(mirror / "entity_resolution/fmwsp/settlements_clusters.csv").set_index("id")["gold_cluster"]
    last, first = (read_stored_scores("settlements", twice=twice).records["gold"] for twice in ("last", "first"))
    assert f1(derived, last) == 100 and (pairs_in(last), pairs_in(first)) == (4388, 4391)
    with pytest.raises(DataError, match="4216 is in clusters"):
        read_stored_scores("settlements", twice="error")


def test_each_node_of_the_patent_graph_has_its_record(mirror):
    """Confidences agree; of 47 tied nodes 31 are twins in the graph, and 16 are tied within one gold entity."""
    scores = read_stored_scores("patent")
    alignment = scores.alignment
    assert alignment is not None and alignment.largest_error < 3e-8
    assert len(set(alignment.records)) == 1138
    place = {record: node for node, record in enumerate(alignment.records)}
    matrix = np.full((1138, 1138), -1.0)
    left, right = (scores.pairs[side].map(place).to_numpy() for side in ("left", "right"))
    matrix[left, right] = matrix[right, left] = scores.pairs["probability"]
    tied, twins = 0, 0
    for tie in range(alignment.ties.max() + 1):
        nodes = np.flatnonzero(alignment.ties == tie)
        if not nodes.size:
            continue
        others = np.setdiff1d(np.arange(1138), nodes)
        alike = bool(np.ptp(matrix[np.ix_(nodes, others)], axis=0).max() < 1e-9)
        tied, twins = tied + len(nodes), twins + len(nodes) * alike
        golds = scores.records["gold"].loc[alignment.records[nodes].astype(int)]
        assert alike or golds.nunique() == 1
    assert (tied, twins) == (47, 31)


FILES = {"pair_scores": PAIRS, "clusters": CLUSTERS}


def test_weights_and_labels_of_derived_files(offer):
    offer(stored_scores, **FILES)
    scores = read_stored_scores("csv_example")
    assert scores.weights.tolist() == [0.5, -0.5]
    assert scores.pairs.to_numpy().tolist() == [[1, 2, 0.75], [2, 7, 0.25]]
    assert scores.records["fmwsp"].tolist() == [0, 0, 1]
    assert scores.records.loc[7, ["gold", "hierarchical", "name"]].tolist() == [1, 5, "c"]


def test_other_files_are_refused(offer):
    def attempt(key, old, new):
        assert old in FILES[key]
        offer(stored_scores, **FILES | {key: FILES[key].replace(old, new)})
        read_stored_scores("csv_example")

    rows = [
        ("pair_scores", "id1", "one", "has the columns one, id2"),
        ("pair_scores", PAIRS, "", "No columns"),
        ("pair_scores", PAIRS, PAIRS.split("\n")[0] + "\n", "no rows"),
        ("pair_scores", "0.75,-0.5", "0.75,0.5", "fmwsp_cost is not"),
        ("pair_scores", "0.75,-0.5", "1.5,-2", "not between 0 and 1"),
        ("pair_scores", "2,7", "2,8", "names record 8"),
        ("clusters", "7,1", "2,1", "stands twice"),
        ("clusters", "1,0,4", "1,,4", "cannot be read"),
        ("clusters", "1,0,4", "1,0.5,4", "whole numbers"),
        ("clusters", "2.0,a", ",a", "empty cells"),
    ]
    told = "(?s:.*)trustnlp data fetch fmwsp_csv_example"
    assert_refused(attempt, [(*row, message + told) for *row, message in rows], error=DataError)
    assert_refused(read_stored_scores, [("patents", DataError, "choose from settlements, csv_example, patent")])


def test_the_gold_of_settlements_is_of_the_gold_file(offer):
    def gold(content=GOLD, twice="last"):
        offer(stored_scores, **FILES, gold=content)
        return read_stored_scores("settlements", twice=twice).records["gold"].tolist()

    assert gold() == [0, 1, 1] and gold(twice="first") == [0, 0, 1]
    rows = [("", "no cluster"), ("{", "JSONDecodeError"), ('{"data": {}}', "clusteredVertices")]
    assert_refused(gold, rows, error=DataError)


def test_a_member_of_two_lists_is_told_with_both(caplog):
    lists = [["a", "b"], ["c"], ["b", "d"]]
    with caplog.at_level(logging.WARNING):
        assert clusters_from_lists(lists).to_dict() == {"a": 0, "b": 2, "c": 1, "d": 2}
    assert "'b' is in clusters 0 and 2; the last is kept" in caplog.text
    assert clusters_from_lists(lists, twice="first").to_dict() == {"a": 0, "b": 0, "c": 1, "d": 2}
    rows = [("error", DataError, "'b' is in clusters 0 and 2"), ("both", "got 'both'")]
    assert_refused(lambda twice: clusters_from_lists(lists, twice=twice), rows)
    assert clusters_from_lists([["a", "a"]], twice="error").to_dict() == {"a": 0}


def confidence_by_hand(node: int, members: list[int], score: dict[tuple[int, int], float]) -> float:
    others = [other for other in members if other != node]
    squares = [(1 - score.get((min(node, other), max(node, other)), 0.0)) ** 2 for other in others]
    return 1 - (sum(squares) / len(squares)) ** 0.5


@given(st.integers(0, 10_000))
def test_scrambled_nodes_are_found_again(seed):
    """Twelve records in three groups: number the nodes at random, and the map comes back but for ties."""
    rng = np.random.default_rng(seed)
    group = np.repeat([1, 2, 3], 4)
    score = {(a, b): float(rng.uniform(0.8, 1)) for a, b in combinations(range(12), 2) if group[a] == group[b]}
    number = rng.permutation(12)
    left, right = (np.array([number[pair[side]] for pair in score]) for side in (0, 1))
    members = {label: np.flatnonzero(group == label).tolist() for label in (1, 2, 3)}
    confidence = [confidence_by_hand(node, members[group[node]], score) for node in range(12)]
    records = pd.DataFrame(
        {"fmwsp": [*group, 0], "hierarchical": [*(10 - group), -1], "confidence": [*confidence, np.nan]},
        index=[*(f"r{node}" for node in range(12)), "alone"],
    )
    solution = np.empty(12, dtype=np.int64)
    solution[number] = group
    found = align_nodes(left, right, np.array(list(score.values())), solution, records)
    assert found.largest_error < 1e-12
    settled = found.ties[number] == -1
    assert settled.sum() >= 10
    assert (found.records[number] == np.array([f"r{node}" for node in range(12)], dtype=object))[settled].all()
    records.loc["r0", "confidence"] += 1e-3
    with pytest.raises(DataError, match="of two graphs"):
        align_nodes(left, right, np.array(list(score.values())), solution, records)


def test_clusters_are_cut_at_one_half_and_components_never_join():
    labels, confidence = dedupe_clusters(5, np.array([0, 1, 3]), np.array([1, 2, 4]), np.array([0.9, 0.2, 0.6]))
    assert labels[0] == labels[1] != labels[3] == labels[4] and labels[2] == -1
    assert confidence[[0, 1, 3, 4]] == pytest.approx([0.9, 0.9, 0.6, 0.6]) and np.isnan(confidence[2])


OUTPUT = "Cluster ID,confidence_score,person_id,Lat,Lng,Coauthor,Name,Class\n"
PATENT = {
    "golden": "person_id,True Id,Lat,Lng,Coauthor,Name,Class,LatLong\n5,1,0,0,c,a,k,\n6,1,0,0,c,b,k,\n9,2,0,0,c,c,k,\n",
    "hc_output": OUTPUT + "0,0.75,5,0,0,c,a,k\n0,0.75,6,0,0,c,b,k\n1,,9,0,0,c,c,k\n",
    "fmwsp_output": OUTPUT + "1,0.0,5,0,0,c,a,k\n1,0.0,6,0,0,c,b,k\n2,,9,0,0,c,c,k\n",
}


def matlab(**values) -> bytes:
    content = io.BytesIO()
    savemat(content, values)
    return content.getvalue()


def read_patent(offer, texts=None, pairs=None, solution=None):
    """A graph of two nodes and one pair, or what a test makes of it."""
    scored = matlab(pairwise=[[1.0, 2.0, -0.5]]) if pairs is None else pairs
    solved = matlab(H={"sol_cluster": [[1], [1]]}) if solution is None else solution
    offer(stored_scores, **PATENT | (texts or {}), pair_scores=scored, solution=solved)
    return read_stored_scores("patent")


def test_a_patent_graph_of_two_nodes(offer):
    scores = read_patent(offer)
    assert set(scores.pairs.loc[0, ["left", "right"]]) == {5, 6} and scores.weights.tolist() == [0.5]
    assert scores.alignment is not None and scores.alignment.ties.tolist() == [0, 0]
    assert scores.records["fmwsp"].tolist() == [1, 1, 2]


def test_other_patent_files_are_refused(offer):
    rows = [
        ({"pairs": matlab(pairwise=np.array([["a"]], dtype=object))}, "not a matrix of numbers"),
        ({"pairs": matlab(pairwise=[["a", "b", "c"]])}, "not a matrix of numbers"),
        ({"pairs": matlab(other=[[1.0]])}, "pairwise"),
        ({"pairs": matlab(pairwise=[[1.0, 3.0, -0.5]])}, "do not fit"),
        ({"pairs": matlab(pairwise=[[1.0, 2.0, 0.5]])}, "their clusters differ"),
        ({"pairs": b"no matlab"}, "cannot be read as the registry describes it"),
        ({"pairs": matlab(pairwise=[[1.0]])[:150]}, "cannot be read as the registry describes it"),
        ({"solution": matlab(H={"other": [[1], [1]]})}, "sol_cluster"),
        ({"texts": {"hc_output": PATENT["hc_output"].replace(",9,", ",8,")}}, "has other records than"),
        ({"texts": {"hc_output": PATENT["hc_output"].replace("0.75", "0.74")}}, "of two graphs"),
        ({"texts": {"golden": PATENT["hc_output"]}}, "has the columns Cluster ID"),
    ]
    assert_refused(lambda files: read_patent(offer, **files), rows, error=DataError)
