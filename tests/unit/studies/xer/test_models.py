"""Records with planted truth through dedupe: what is learnt from what, the same twice, and nothing left behind."""

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

from trustnlp.data.linkage.record_sets import RecordSet
from trustnlp.evaluation.calibration import expected_calibration_error
from trustnlp.studies.xer import models
from trustnlp.studies.xer.data import FIELDS, _plain
from trustnlp.studies.xer.models import Linker, ScoredPairs, _whole_entities, train_linker

WITHOUT = "needs dedupe: pip install 'trustnlp[records]', which needs a C compiler"
needs_dedupe = pytest.mark.skipif(find_spec("dedupe") is None, reason=WITHOUT)
SMALL = {"n_pairs": 50}


@pytest.fixture(scope="module")
def linker(planted: RecordSet, halves: tuple[np.ndarray, np.ndarray]) -> Linker:
    pytest.importorskip("dedupe", reason=WITHOUT)
    return train_linker(planted.records, planted.gold, halves[0], FIELDS["planted"], seed=3, **SMALL)


@pytest.fixture(scope="module")
def scored(planted: RecordSet, halves: tuple[np.ndarray, np.ndarray], linker: Linker) -> ScoredPairs:
    return linker.score(planted.records, planted.gold, halves[1])


def test_planted_entities_are_found(planted, halves, scored):
    assert scored.ids == tuple(planted.records.index[halves[1]])
    truth = planted.gold.loc[list(scored.ids)].to_numpy()
    assert (scored.same == (truth[scored.left] == truth[scored.right])).all()
    gold_pairs = sum(a == b for a, b in itertools.combinations(truth.tolist(), 2))
    assert scored.recall == scored.same.sum() / gold_pairs > 0.8
    joined = scored.probability > 0.5
    assert 2 * (joined & scored.same).sum() / (joined.sum() + gold_pairs) > 0.85


def test_pairs_lie_as_a_pair_graph_wants_them(scored):
    graph = scored.graph()
    named = type(graph).from_pairs(
        [scored.ids[at] for at in scored.left], [scored.ids[at] for at in scored.right], scored.probability, scored.ids
    )
    assert graph.ids == named.ids and (graph.left == named.left).all() and (graph.right == named.right).all()
    assert (graph.weights == named.weights).all()
    assert (scored.graph(2 * scored.probability - 1).weights == 2 * named.weights - 1).all()


def test_probabilities_and_pairs_are_those_of_dedupe_itself(planted, halves, linker, scored):
    kept = planted.records[halves[1]]
    cells = {str(name): {f: _plain(row[f]) for f in FIELDS["planted"]} for name, row in kept.iterrows()}
    theirs = linker.model.score(linker.model.pairs(cells))
    expected = {frozenset(pair): score for pair, score in zip(theirs["pairs"].tolist(), theirs["score"], strict=True)}
    Path(theirs.filename).unlink()
    ours = {
        frozenset((str(scored.ids[left]), str(scored.ids[right]))): p
        for left, right, p in zip(scored.left, scored.right, scored.probability, strict=True)
    }
    assert ours.keys() == expected.keys()
    assert [ours[pair] for pair in expected] == pytest.approx(list(expected.values()), abs=1e-6)


def test_scores_are_probabilities_where_those_of_dedupes_own_penalty_are_not(planted, halves, scored, monkeypatch):
    train, test = halves
    monkeypatch.setattr(models, "TUNED_FOR", "f1")
    flat = train_linker(planted.records, planted.gold, train, FIELDS["planted"], seed=3, **SMALL)
    their = flat.score(planted.records, planted.gold, test)
    assert (their.left == scored.left).all()
    error, their_error = (expected_calibration_error(each.probability, each.same) for each in (scored, their))
    assert error < 0.02 and their_error > 10 * error


def test_nothing_of_the_other_half_is_learnt_from(planted, halves, scored):
    train, test = halves
    records, gold = planted.records.copy(), planted.gold.to_numpy().copy()
    records.loc[test, "name"] = "other"
    records.loc[test, "phone"] = None
    gold[test] = gold[train][0]
    blind = train_linker(records, gold, train, FIELDS["planted"], seed=3, **SMALL)
    again = blind.score(planted.records, planted.gold, test)
    assert (again.left == scored.left).all() and (again.probability == scored.probability).all()


def test_a_seed_gives_the_same_scores_and_leaves_the_generators_alone(planted, halves, linker, scored):
    train, test = halves
    random.seed(8)
    expected = random.random()
    random.seed(8)
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    again = train_linker(planted.records, planted.gold, train, FIELDS["planted"], seed=3, **SMALL)
    other = train_linker(planted.records, planted.gold, train, FIELDS["planted"], seed=4, **SMALL)
    assert random.random() == expected
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert (again.score(planted.records, planted.gold, test).probability == scored.probability).all()
    assert not np.array_equal(other.score(planted.records, planted.gold, test).probability, scored.probability)


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


def test_nothing_is_printed_or_left_on_disk(planted, halves, linker, capfd, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    linker.score(planted.records, planted.gold, halves[1])
    train_linker(planted.records, planted.gold, halves[0], FIELDS["planted"], seed=0, **SMALL)
    assert capfd.readouterr() == ("", "") and not list(tmp_path.iterdir())


def test_records_that_share_no_block_are_no_pairs(planted, linker):
    alone = np.arange(len(planted.gold)) == 5
    scored = linker.score(planted.records, planted.gold, alone)
    assert len(scored.graph().weights) == 0 and np.isnan(scored.recall)
    assert scored.ids == (planted.records.index[5],)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 50), st.integers(0, 99))
def test_entities_are_sampled_whole(gold, most, seed):
    label = pd.factorize(np.array(gold))[0]
    rows = _whole_entities(label, most, np.random.default_rng(seed))
    assert sorted(rows) == np.flatnonzero(np.isin(label, label[rows])).tolist()
    assert 0 < len(rows) <= max(most, np.bincount(label).max())
    assert len(rows) == len(label) or len(rows) + np.bincount(label).max() > most


def test_without_dedupe_the_way_to_it_is_told(planted, halves, monkeypatch):
    monkeypatch.setitem(sys.modules, "dedupe", None)
    with pytest.raises(
        ImportError, match=r'dedupe is not installed.*pip install "trustnlp\[records\]".*C compiler'
    ) as told:
        train_linker(planted.records, planted.gold, halves[0], FIELDS["planted"], seed=0, **SMALL)
    assert "\n" not in str(told.value)
