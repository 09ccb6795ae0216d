"""Mentions of ECB+: the counts of the paper, the windows that fit its graphs, and synthetic scores."""

import numpy as np
import pandas as pd
import pytest

from trustnlp.data.linkage import ecbplus
from trustnlp.data.linkage.ecbplus import expected_edges, planted_chains, read_mentions, synthetic_scores, topic_window
from trustnlp.data.registry import DataError

TABLE = """topic,doc,sentence,m_id,class,tag,text,chain,relation,in_validated_sentence
1,1_10ecb.xml,0,3,event,ACTION,NA,X,CROSS,1
1,1_2ecb.xml,4,5,entity,HUMAN,b,Y,CROSS,0
"""


def made(*documents: tuple[int, str, str, str]) -> pd.DataFrame:
    """Mentions of (topic, document, kind, one letter per mention's chain)."""
    rows = [(topic, document, kind, chain) for topic, document, kind, chains in documents for chain in chains]
    return pd.DataFrame(rows, columns=["topic", "document", "kind", "chain"])


def test_counts_and_windows_of_the_real_file(mirror):
    mentions = read_mentions()
    counts = mentions.groupby("kind")["chain"].agg(["size", "nunique"])
    assert counts.loc["event"].tolist() == [6833, 2741] and counts.loc["entity"].tolist() == [8289, 2221]
    assert len(read_mentions(validated_only=False)) == 32297
    for nodes, edges, topic, kind, gold, expected in (
        (46, 317, 1, "entity", 75, 317),
        (49, 309, 44, "event", 19, 311),
        (135, 2589, 29, "event", 404, 2584),
        (262, 10804, 1, "entity", 2811, 10723),
    ):
        window = topic_window(mentions, nodes, edges)
        assert (window.topic, window.kind, window.gold_pairs) == (topic, kind, gold)
        assert (len(window.chains), round(window.expected_edges)) == (nodes, expected)


def test_columns_are_typed_and_unchecked_sentences_are_left_out(offer):
    offer(ecbplus, mentions=TABLE)
    assert read_mentions()[["document", "mention", "text"]].to_numpy().tolist() == [["1_10ecb.xml", 3, "NA"]]
    assert read_mentions(validated_only=False)["validated"].tolist() == [True, False]


def test_documents_are_ordered_by_number_and_ecb_comes_first():
    mentions = made(
        (1, "1_10ecb.xml", "event", "ab"), (1, "1_2ecbplus.xml", "event", "aa"), (1, "1_2ecb.xml", "event", "b")
    )
    window = topic_window(mentions, 5, 0)
    assert window.documents == ("1_2ecb.xml", "1_2ecbplus.xml", "1_10ecb.xml")
    assert window.chains.tolist() == [0, 1, 1, 1, 0] and window.gold_pairs == 4
    ecb = topic_window(mentions, 3, expected_edges([0, 1, 0], threshold=-0.3))
    assert ecb.documents[0] == "1_2ecb.xml" and ecb.collection in ("all", "ecb")
    assert topic_window(made((1, "1_2ecb.xml", "event", "a"), (1, "1_2ecbplus.xml", "event", "b"),
                             (1, "1_3ecb.xml", "event", "a")), 2, 1).collection == "ecb"  # fmt: skip


def test_kinds_and_topics_do_not_mix_and_ties_go_to_the_lowest():
    mentions = made(
        (2, "2_1ecb.xml", "event", "ab"), (3, "3_1ecb.xml", "event", "aa"), (2, "2_1ecb.xml", "entity", "xy")
    )
    window = topic_window(mentions, 2, 0)
    assert (window.topic, window.kind) == (2, "entity")
    assert topic_window(mentions, 2, 1).topic == 3
    with pytest.raises(DataError, match="exactly 4 mentions"):
        topic_window(mentions, 4, 0)


def test_scores_are_symmetric_seeded_and_around_the_gold():
    chains = planted_chains(300, 20, np.random.default_rng(1))
    first, again, other = (synthetic_scores(chains, np.random.default_rng(seed)) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other, equal_nan=True)
    np.testing.assert_array_equal(first, first.T)
    assert np.isnan(np.diag(first)).all() and np.isnan(first).sum() == 300
    rows, columns = np.triu_indices(300, 1)
    drawn, same = first[rows, columns], chains[rows] == chains[columns]
    for part, centre in ((drawn[same], 0.5), (drawn[~same], -0.5)):
        assert part.mean() == pytest.approx(centre, abs=0.03) and part.std() == pytest.approx(0.3, abs=0.02)
    edges = expected_edges(chains, threshold=-0.3)
    assert (drawn >= -0.3).sum() == pytest.approx(edges, abs=5 * edges**0.5)


def test_expected_edges_at_the_ends():
    assert expected_edges([0, 0, 1], threshold=-9) == pytest.approx(3)
    assert expected_edges([0, 0, 1], threshold=9) == pytest.approx(0)
    assert expected_edges([0, 0, 1], threshold=0, spread=0.01) == pytest.approx(1)


def test_planted_chains_have_the_mean_size_asked_for():
    chains = planted_chains(20_000, 4, np.random.default_rng(0))
    assert len(chains) == 20_000 and 20_000 / len(set(chains)) == pytest.approx(4, rel=0.05)
    assert not (np.diff(chains) >= 0).all()
    assert len(set(planted_chains(9, 1, np.random.default_rng(0)))) == 9
