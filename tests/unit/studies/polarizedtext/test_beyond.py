"""A promise on planted secrets is kept, has its price, and is not made where units are too few."""

from __future__ import annotations

from typing import Any

from trustnlp.studies.polarizedtext.beyond import keep_promises


def test_a_promise_is_kept_and_priced(planted: Any, given: Any) -> None:
    measured = keep_promises(planted.corpus, [0], ["log_odds"], given)
    assert measured["procurement.documents.log_odds.mean.coverage"][0] > 0.8
    assert 0 <= measured["procurement.documents.log_odds.mean.cost"][0] < 0.5
    assert not any(".owners." in key for key in measured)  # four owners promise nothing
