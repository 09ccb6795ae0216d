"""Record sets: the sizes of the real ones, gold from pairs, and the planted stand-in."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.data.linkage import record_sets
from trustnlp.data.linkage.record_sets import clusters_from_pairs, planted_records, read_records
from trustnlp.data.registry import DataError

URL = "http://www.okkam.org/ontology_restaurant{0}.owl#"
HEADER = f"id|{URL}name|{URL}phone_number|{URL}street\n"
FILES = {
    "restaurants": {
        "first": HEADER.format(1) + "0|a|1|\n1|||x st.\n",
        "second": HEADER.format(2) + "0|b||\n1|aa|1|\n",
        "gold": "D1|D2\n0|1\n",
    },
    "dblp_acm": {
        "first": "id%title%authors%venue%year\n0%t%a%v%1\n",
        "second": 'id%title%authors%venue%year\n0%t%"a%b"%v%2\n',
        "gold": "D1%D2\n0%0\n",
    },
    "cora": {
        "records": "Entity Id|address|author|editor|institution|month|note|pages|publisher|title|venue|volume|year|\n"
        + "0||a|||||||t||||\n1||b|||||||t||||\n",
        "gold": "0|1\n",
    },
    "early_childhood_sites": {
        "records": '"True Id",Id,Source,Site name,Address,Zip,Phone,Fax\n7,0,s,"a\nb",c,,,\n7,1,t,a,c,,,\n'
    },
    "patents": {
        "reference": "person_id,leuven_id,person_name\n3,9,a\n4,9,b\n",
        "records": "person_id,Lat,Lng,Coauthor,Name,Class\n3,0,0,,A,\n4,0,0,,B,\n",
    },
}


def pairs_in(gold: pd.Series) -> int:
    sizes = gold.value_counts()
    return int((sizes * (sizes - 1) // 2).sum())


@pytest.mark.parametrize(
    ("name", "records", "pairs", "entities"),
    [
        ("restaurants", 2595, 89, 2506),
        ("dblp_acm", 4910, 2224, 2686),
        ("cora", 1295, 17184, 112),
        ("early_childhood_sites", 3337, 6608, 1162),
        ("settlements", 3054, 4388, 820),
        ("patents", 2379, 293785, 102),
    ],
)
def test_sizes_of_the_real_sets(mirror, name, records, pairs, entities):
    found = read_records(name)
    assert (len(found.records), pairs_in(found.gold), found.gold.nunique()) == (records, pairs, entities)
    assert found.records.index.equals(found.gold.index) and found.records.index.equals(found.sources.index)
    assert {type(cell) for cell in found.records.to_numpy().ravel()} <= {str, type(None)}


def test_site_ids_are_those_of_the_stored_scores(mirror):
    derived = pd.read_csv(mirror / "entity_resolution/fmwsp/csv_example_clusters.csv").set_index("id")["gold_cluster"]
    gold = read_records("early_childhood_sites").gold
    labels = pd.DataFrame({"derived": derived, "gold": gold.set_axis(gold.index.astype(int))})
    assert (labels.groupby("derived")["gold"].nunique() == 1).all() and labels["derived"].nunique() == 1162


def test_two_lists_are_stacked(offer):
    offer(record_sets, **FILES["restaurants"])
    found = read_records("restaurants")
    assert found.records.index.tolist() == ["first:0", "first:1", "second:0", "second:1"]
    assert list(found.records.columns) == ["name", "phone_number", "street"]
    assert found.records.iloc[1].tolist() == [None, None, "x st."]
    assert found.gold["first:0"] == found.gold["second:1"] and found.gold.nunique() == 3
    assert found.sources.tolist() == ["first", "first", "second", "second"]


@pytest.mark.parametrize("name", sorted(FILES))
def test_each_format_is_read(offer, name):
    offer(record_sets, **FILES[name])
    found = read_records(name)
    assert pairs_in(found.gold) == 1
    assert found.records.map(lambda cell: cell is None or (isinstance(cell, str) and cell != "")).to_numpy().all()


def test_another_set_is_refused():
    assert_refused(read_records, [("cora_citations", DataError, "choose from restaurants, dblp_acm, cora")])


def test_settlements_take_their_gold_from_the_scored_set(offer):
    records = '{"id": 1, "data": {"label": "A", "lat": 1.5, "ontology": "s"}}\n'
    offer(record_sets, records=records, gold='{"data": {"clusteredVertices": [1]}}\n')
    assert read_records("settlements").records.iloc[0].tolist() == ["A", "1.5", None]


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_gold_clusters_are_the_components_of_the_pairs(drawn):
    nodes, pairs = drawn
    graph = nx.Graph(pairs)
    graph.add_nodes_from(range(nodes))
    labels = clusters_from_pairs(range(nodes), pairs)
    found = {frozenset(members.index) for _, members in labels.groupby(labels)}
    assert found == {frozenset(part) for part in nx.connected_components(graph)}


def test_planted_records_have_two_to_four_per_entity_and_follow_the_generator():
    first, again, other = (planted_records(200, np.random.default_rng(seed)) for seed in (0, 0, 1))
    pd.testing.assert_frame_equal(first.records, again.records)
    assert not first.records.equals(other.records)
    sizes = first.gold.value_counts()
    assert len(sizes) == 200 and set(sizes) == {2, 3, 4}
    assert list(first.records.columns) == ["name", "address", "phone"]
    assert 0.1 < first.records["phone"].isna().mean() < 0.25 and not first.records["name"].isna().any()
    phones = first.records["phone"].groupby(first.gold).nunique()
    assert (phones == 1).all()
    with pytest.raises(ValueError, match="at least one entity"):
        planted_records(0, np.random.default_rng(0))
