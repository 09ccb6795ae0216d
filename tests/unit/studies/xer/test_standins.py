"""The scorer of runs without dedupe: planted entities are found, nothing of the other half is learnt, no dedupe."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest

from trustnlp.data.linkage.record_sets import RecordSet
from trustnlp.evaluation.calibration import expected_calibration_error
from trustnlp.studies.xer.data import FIELDS
from trustnlp.studies.xer.linkage import CLUSTERINGS, link
from trustnlp.studies.xer.models import ScoredPairs
from trustnlp.studies.xer.standins import _alike, train_similarity_linker

SMALL = {"n_pairs": 50}


@pytest.fixture(autouse=True)
def without_dedupe(monkeypatch):
    monkeypatch.setitem(sys.modules, "dedupe", None)


@pytest.fixture(scope="module")
def scored(planted: RecordSet, halves: tuple[np.ndarray, np.ndarray]) -> ScoredPairs:
    linker = train_similarity_linker(planted.records, planted.gold, halves[0], FIELDS["planted"], seed=3, **SMALL)
    return linker.score(planted.records, planted.gold, halves[1])


def test_planted_entities_are_found(planted, halves, scored):
    assert scored.ids == tuple(planted.records.index[halves[1]])
    truth = planted.gold.loc[list(scored.ids)].to_numpy()
    assert (scored.same == (truth[scored.left] == truth[scored.right])).all()
    gold_pairs = sum(a == b for a, b in itertools.combinations(truth.tolist(), 2))
    assert scored.recall == scored.same.sum() / gold_pairs > 0.8
    joined = scored.probability > 0.5
    assert 2 * (joined & scored.same).sum() / (joined.sum() + gold_pairs) > 0.85
    assert expected_calibration_error(scored.probability, scored.same) < 0.1


def test_blocking_is_of_records_that_share_a_word(planted, scored):
    words = [
        {(field, word) for field in FIELDS["planted"] for word in str(planted.records.loc[name, field] or "").split()}
        for name in scored.ids
    ]
    assert 0 < len(scored.probability) < len(words) * (len(words) - 1) / 2
    assert all(words[left] & words[right] for left, right in zip(scored.left, scored.right, strict=True))
    assert (scored.left < scored.right).all()
    assert (np.diff(scored.left * len(words) + scored.right) > 0).all()


def test_nothing_of_the_other_half_is_learnt_from_and_a_seed_gives_the_same_scores(planted, halves, scored):
    train, test = halves
    records, gold = planted.records.copy(), planted.gold.to_numpy().copy()
    records.loc[test, "name"] = "other"
    gold[test] = gold[train][0]
    again = train_similarity_linker(records, gold, train, FIELDS["planted"], seed=3, **SMALL)
    blind = again.score(planted.records, planted.gold, test)
    assert (blind.left == scored.left).all() and (blind.probability == scored.probability).all()
    other = train_similarity_linker(planted.records, planted.gold, train, FIELDS["planted"], seed=4, **SMALL)
    assert not np.array_equal(other.score(planted.records, planted.gold, test).probability, scored.probability)


def test_likeness_of_two_cells():
    assert _alike("anna", "anna") == (1.0, 0.0)
    assert _alike("ab", "ac") == (1 / 5, 0.0)  # "  a" of "  a", " ab", "ab " and " ac", "ac "
    assert _alike("ab", None) == _alike(None, None) == (0.0, 1.0)


def test_the_way_from_records_to_clusters_needs_no_dedupe():
    numbers = link("planted", 0, scorer="similarity", training_pairs=60, time_limit=5)
    assert [f"{way}.f1" for way in CLUSTERINGS] == [key for key in numbers if key.endswith(".f1")][:-1]
    assert numbers["optimum.f1"] > 90 and numbers["error.as"] < 20 and numbers["blocking.f1"] > 90
    with pytest.raises(ImportError, match="C compiler"):
        link("planted", 0)
