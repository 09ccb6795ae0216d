"""Stored scores: what the real files hold, and which node is which record."""

import io
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
from trustnlp.data.linkage.stored_scores import read_stored_scores
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


def test_the_gold_of_settlements_agrees_with_the_derived_clusters(mirror):
    derived = pd.read_csv(mirror / "entity_resolution/fmwsp/settlements_clusters.csv").set_index("id")["gold_cluster"]
    gold = read_stored_scores("settlements").records["gold"]
    assert f1(derived, gold) == 100 and pairs_in(gold) == 4388


FILES = {"pair_scores": PAIRS, "clusters": CLUSTERS}


def test_weights_and_labels_of_derived_files(offer):
    offer(stored_scores, **FILES)
    scores = read_stored_scores("csv_example")
    assert scores.weights.tolist() == [0.5, -0.5]
    assert scores.pairs.to_numpy().tolist() == [[1, 2, 0.75], [2, 7, 0.25]]
    assert scores.records["fmwsp"].tolist() == [0, 0, 1]
    assert scores.records.loc[7, ["gold", "hierarchical", "name"]].tolist() == [1, 5, "c"]


def test_the_gold_of_settlements_is_of_the_gold_file(offer):
    offer(stored_scores, **FILES, gold=GOLD)
    assert read_stored_scores("settlements").records["gold"].tolist() == [0, 1, 1]


def test_other_scores_are_refused():
    assert_refused(read_stored_scores, [("patents", DataError, "choose from settlements, csv_example, patent")])


def confidence_by_hand(node: int, members: list[int], score: dict[tuple[int, int], float]) -> float:
    others = [other for other in members if other != node]
    squares = [(1 - score.get((min(node, other), max(node, other)), 0.0)) ** 2 for other in others]
    return 1 - (sum(squares) / len(squares)) ** 0.5


@given(st.integers(0, 10_000))
def test_scrambled_nodes_are_found_again(seed):
    """Twelve records in three groups: number the nodes at random, and the map comes back."""
    rng = np.random.default_rng(seed)
    group = np.repeat([1, 2, 3], 4)
    score = {(a, b): float(rng.uniform(0.8, 1)) for a, b in combinations(range(12), 2) if group[a] == group[b]}
    number = rng.permutation(12)
    left, right = (np.array([number[pair[side]] for pair in score]) for side in (0, 1))
    members = {label: np.flatnonzero(group == label).tolist() for label in (1, 2, 3)}
    confidence = [confidence_by_hand(node, members[group[node]], score) for node in range(12)]
    records = pd.DataFrame(
        {"fmwsp": [*group, 0], "hierarchical": [*(10 - group), -1], "confidence": [*confidence, np.nan]},
        index=[*range(100, 112), 7],
    )
    solution = np.empty(12, dtype=np.int64)
    solution[number] = group
    found = align_nodes(left, right, np.array(list(score.values())), solution, records)
    assert found[number].tolist() == [*range(100, 112)]


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


def test_a_patent_graph_of_two_nodes(offer):
    graph = {"pair_scores": matlab(pairwise=[[1.0, 2.0, -0.5]]), "solution": matlab(H={"sol_cluster": [[1], [1]]})}
    offer(stored_scores, **PATENT, **graph)
    scores = read_stored_scores("patent")
    assert set(scores.pairs.loc[0, ["left", "right"]]) == {5, 6} and scores.weights.tolist() == [0.5]
    assert scores.records["fmwsp"].tolist() == [1, 1, 2]
