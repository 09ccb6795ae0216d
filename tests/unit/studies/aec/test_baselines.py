"""The peer in the loop, and that its uncertainty is ours; skipped where scikit-activeml is not installed."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from made_up_loops import made_up_loop

from trustnlp.error_analysis.sampling_strategies import UNCERTAINTY
from trustnlp.studies.aec import baselines
from trustnlp.studies.aec.baselines import PEERS, available_peers, peer_picks
from trustnlp.studies.aec.models.retrained_base import trained_again, untrained

TEXTS = made_up_loop()
POOL = TEXTS.states[TEXTS.pool]
REASON = "the peer needs the extra 'errors'"


def test_badge_picks_uncertain_tweets_that_differ() -> None:
    pytest.importorskip("skactiveml", reason=REASON)
    # Every tweet twice: what is picked once is not picked again.
    twice = np.concatenate([POOL, POOL])
    picks = peer_picks(TEXTS.reviews, twice, 40, np.random.default_rng(0))
    assert picks.shape == (40,) and len(np.unique(picks % len(POOL))) == 40
    sure = trained_again(*TEXTS.reviews).predict_proba(twice).max(1)
    assert sure[picks].mean() < sure.mean() - 0.05
    again = peer_picks(TEXTS.reviews, twice, 40, np.random.default_rng(0))
    other = peer_picks(TEXTS.reviews, twice, 40, np.random.default_rng(1))
    assert (picks == again).all() and (picks != other).any()


@pytest.mark.parametrize(
    ("ours", "theirs"), [("least_confidence", "least_confident"), ("margin", "margin_sampling"), ("entropy", "entropy")]
)
def test_uncertainty_is_that_of_the_library(ours: str, theirs: str) -> None:
    pool = pytest.importorskip("skactiveml.pool", reason=REASON)
    wrapped = pytest.importorskip("skactiveml.classifier").SklearnClassifier
    base = wrapped(untrained(), classes=[0, 1, 2]).fit(*TEXTS.reviews)
    strategy = pool.UncertaintySampling(method=theirs, random_state=0)
    picks = strategy.query(*TEXTS.reviews, base, fit_clf=False, candidates=POOL, batch_size=30)
    scores = UNCERTAINTY[ours](trained_again(*TEXTS.reviews).predict_proba(POOL))
    assert set(picks.tolist()) == set(np.argsort(-scores)[:30].tolist())


def test_without_the_library_there_is_no_peer_and_a_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "find_spec", lambda _: None)
    assert available_peers() == ()
    monkeypatch.setattr(baselines, "find_spec", lambda _: object())
    assert available_peers() == PEERS
    monkeypatch.setitem(sys.modules, "skactiveml.classifier", None)
    with pytest.raises(ImportError, match=r"trustnlp\[errors\]"):
        peer_picks(TEXTS.reviews, POOL, 3, np.random.default_rng(0))
