"""Records with planted truth through each linker: what is learnt from what, the same twice, and nothing left behind."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.data.linkage.record_sets import RecordSet, planted_records
from trustnlp.evaluation.calibration import expected_calibration_error
from trustnlp.studies.xer import models
from trustnlp.studies.xer.data import FIELDS, _plain, split_entities
from trustnlp.studies.xer.linkage import CLUSTERINGS, SCORERS, link
from trustnlp.studies.xer.models import BlockedPairs, Linker, _whole_entities
from trustnlp.studies.xer.standins import _alike

WITHOUT = "needs dedupe: pip install 'trustnlp[records]', which needs a C compiler"
needs_dedupe = pytest.mark.skipif(find_spec("dedupe") is None, reason=WITHOUT)
PLANTED = planted_records(60, np.random.default_rng(0))
TRAIN, TEST = split_entities(PLANTED.gold, np.random.default_rng(1))


@pytest.fixture(scope="module", params=[pytest.param("dedupe", marks=needs_dedupe), "similarity"])
def scorer(request: pytest.FixtureRequest) -> str:
    return request.param


def trained(scorer: str, seed: int = 3, data: RecordSet = PLANTED) -> Linker:
    return SCORERS[scorer](data.records, data.gold, TRAIN, FIELDS["planted"], seed, n_pairs=50)


def scores_of(linker: Linker, rows: np.ndarray = TEST) -> BlockedPairs:
    return linker.score(PLANTED.records, PLANTED.gold, rows)


@pytest.fixture(scope="module")
def scored(scorer: str) -> BlockedPairs:
    return scores_of(trained(scorer))


def test_planted_entities_are_found(scored):
    assert scored.ids == tuple(PLANTED.records.index[TEST])
    truth = PLANTED.gold.loc[list(scored.ids)].to_numpy()
    assert (scored.same == (truth[scored.left] == truth[scored.right])).all()
    gold_pairs = sum(a == b for a, b in itertools.combinations(truth.tolist(), 2))
    assert scored.recall == scored.same.sum() / gold_pairs > 0.8
    joined = scored.probability > 0.5
    assert 2 * (joined & scored.same).sum() / (joined.sum() + gold_pairs) > 0.85
    assert expected_calibration_error(scored.probability, scored.same) < 0.1


def test_pairs_lie_as_a_pair_graph_wants_them(scored):
    graph = scored.graph()
    named = type(graph).from_pairs(
        [scored.ids[at] for at in scored.left], [scored.ids[at] for at in scored.right], scored.probability, scored.ids
    )
    assert graph.ids == named.ids and (graph.left == named.left).all() and (graph.right == named.right).all()
    assert (graph.weights == named.weights).all()
    assert (scored.graph(2 * scored.probability - 1).weights == 2 * named.weights - 1).all()


def test_nothing_of_the_other_half_is_learnt_from(scorer, scored):
    records, gold = PLANTED.records.copy(), PLANTED.gold.copy()
    records.loc[TEST, "name"] = "other"
    records.loc[TEST, "phone"] = None
    gold[TEST] = gold[TRAIN].iloc[0]
    again = scores_of(trained(scorer, data=RecordSet(records, gold, PLANTED.sources)))
    assert (again.left == scored.left).all() and (again.probability == scored.probability).all()


def test_a_seed_gives_the_same_scores_and_leaves_the_generators_alone(scorer, scored):
    random.seed(8)
    expected = random.random()
    random.seed(8)
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    again, other = scores_of(trained(scorer)), scores_of(trained(scorer, seed=4))
    assert random.random() == expected
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert (again.probability == scored.probability).all()
    assert not np.array_equal(other.probability, scored.probability)


def test_records_that_share_no_block_are_no_pairs(scorer):
    alone = scores_of(trained(scorer), np.arange(len(PLANTED.gold)) == 5)
    assert len(alone.graph().weights) == 0 and np.isnan(alone.recall)
    assert alone.ids == (PLANTED.records.index[5],)


@needs_dedupe
def test_probabilities_and_pairs_are_those_of_dedupe_itself():
    linker = trained("dedupe")
    scored = scores_of(linker)
    cells = {
        str(name): {f: _plain(row[f]) for f in FIELDS["planted"]} for name, row in PLANTED.records[TEST].iterrows()
    }
    theirs = linker.model.score(linker.model.pairs(cells))
    expected = {frozenset(pair): score for pair, score in zip(theirs["pairs"].tolist(), theirs["score"], strict=True)}
    Path(theirs.filename).unlink()
    ours = {
        frozenset((str(scored.ids[left]), str(scored.ids[right]))): p
        for left, right, p in zip(scored.left, scored.right, scored.probability, strict=True)
    }
    assert ours.keys() == expected.keys()
    assert [ours[pair] for pair in expected] == pytest.approx(list(expected.values()), abs=1e-6)


@needs_dedupe
def test_scores_are_probabilities_where_those_of_dedupes_own_penalty_are_not(monkeypatch):
    scored = scores_of(trained("dedupe"))
    monkeypatch.setattr(models, "TUNED_FOR", "f1")
    their = scores_of(trained("dedupe"))
    assert (their.left == scored.left).all()
    error, their_error = (expected_calibration_error(each.probability, each.same) for each in (scored, their))
    assert error < 0.02 and their_error > 10 * error


SCORES_OF_A_PROCESS = """
import numpy as np, hashlib
from trustnlp.data.linkage.record_sets import planted_records
from trustnlp.studies.xer.data import FIELDS
from trustnlp.studies.xer import models
models.MOST_RECORDS = 50
planted = planted_records(60, np.random.default_rng(0))
everyone = np.ones(len(planted.gold), dtype=bool)
linker = models.train_linker(planted.records, planted.gold, everyone, FIELDS["planted"], 3, n_pairs=40)
scored = linker.score(planted.records, planted.gold, everyone)
print(linker.model.predicates, scored.left.sum(), hashlib.sha256(scored.probability.tobytes()).hexdigest())
"""


@needs_dedupe
def test_scores_do_not_depend_on_the_hash_seed_and_nothing_is_printed():
    command = [sys.executable, "-W", "error::UserWarning", "-c", SCORES_OF_A_PROCESS]
    first, second = (
        subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": "1"}, capture_output=True)
        for seed in ("1", "2")
    )
    assert first.stdout == second.stdout and first.stdout.count(b"\n") == 1
    assert first.stderr == second.stderr == b""


@needs_dedupe
def test_nothing_is_printed_or_left_on_disk(capfd, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    scores_of(trained("dedupe"))
    assert capfd.readouterr() == ("", "") and not list(tmp_path.iterdir())


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 50), st.integers(0, 99))
def test_entities_are_sampled_whole(gold, most, seed):
    label = pd.factorize(np.array(gold))[0]
    rows = _whole_entities(label, most, np.random.default_rng(seed))
    assert sorted(rows) == np.flatnonzero(np.isin(label, label[rows])).tolist()
    assert 0 < len(rows) <= max(most, np.bincount(label).max())
    assert len(rows) == len(label) or len(rows) + np.bincount(label).max() > most


def test_blocking_of_the_stand_in_is_of_records_that_share_a_word():
    scored = scores_of(trained("similarity"))
    words = [
        {(field, word) for field in FIELDS["planted"] for word in str(PLANTED.records.loc[name, field] or "").split()}
        for name in scored.ids
    ]
    assert 0 < len(scored.probability) < len(words) * (len(words) - 1) / 2
    assert all(words[left] & words[right] for left, right in zip(scored.left, scored.right, strict=True))


def test_likeness_of_two_cells():
    assert _alike("anna", "anna") == (1.0, 0.0)
    assert _alike("ab", "ac") == (1 / 5, 0.0)  # "  a" of "  a", " ab", "ab " and " ac", "ac "
    assert _alike("ab", None) == _alike(None, None) == (0.0, 1.0)


def test_the_way_from_records_to_clusters_needs_no_dedupe(monkeypatch):
    monkeypatch.setitem(sys.modules, "dedupe", None)
    numbers = link("planted", 0, scorer="similarity", training_pairs=60, time_limit=5)
    assert {f"{way}.f1" for way in CLUSTERINGS} < numbers.keys()
    assert numbers["optimum.f1"] > 90 and numbers["error.as"] < 20 and numbers["blocking.f1"] > 90
    match = r'dedupe is not installed.*pip install "trustnlp\[records\]".*C compiler'
    with pytest.raises(ImportError, match=match) as refusal:
        link("planted", 0)
    assert "\n" not in str(refusal.value)
