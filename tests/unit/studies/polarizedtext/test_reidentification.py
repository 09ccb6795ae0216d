"""What is removed, and who attacks what is left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba", reason="the chapter's vectors need the extra 'senses'")

from trustnlp.privacy.attacks.reidentification import ATTACKERS, count_table, named_correctly
from trustnlp.studies.polarizedtext.reidentification import View, attack_methods


def test_equal_scores_lose_whole_words_and_secrets_are_not_looked_at(planted: Any) -> None:
    view = View(planted)
    assert sum(map(len, view.ids)) == sum(int((marks == 0).sum()) for marks in planted.secret_marks)
    gone = view.highest([np.zeros(len(ids)) for ids in view.ids], 0.1)
    ids, out = np.concatenate(view.ids), np.concatenate(gone)
    assert out.sum() == round(0.1 * len(out))
    split = set(ids[out].tolist()) & set(ids[~out].tolist())
    assert len(split) <= 1  # the word at the limit


def test_an_attack_knows_chance_and_the_strongest_family(planted: Any, given: Any) -> None:
    measured = attack_methods(planted.corpus, [0], ["log_odds", "polarised"], [5], given)
    raw, (strongest,) = "procurement.raw", measured["procurement.polarised.s5.strongest"]
    assert measured[f"{raw}.strongest"][0][0] == max(measured[f"{raw}.{name}"][0][0] for name in ATTACKERS)
    assert measured["procurement.polarised.s5.absence"][0][0] <= strongest[0] < measured[f"{raw}.strongest"][0][0] - 0.2
    assert measured["procurement.chance"] == [0.25]
    assert np.allclose(measured["procurement.polarised.anonymous_margin"], 0.25 + 0.1 - strongest)
    expected = measured["procurement.log_odds.s5.strongest"][0] - strongest
    assert np.allclose(measured["procurement.polarised_over_log_odds"], expected)


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_an_attacker_has_not_learned_from_the_document_that_it_reads(attacker: str) -> None:
    # Words are drawn alike for all owners, so only who has read a document before can tell whose it is.
    rng = np.random.default_rng(0)
    owners = list("ABCDE") * 16
    rows = [rng.integers(0, 400, size=40).tolist() for _ in owners]
    words = ["".join(rng.choice(list("abcdefghijklmnop"), size=6)) for _ in range(400)]
    right = named_correctly(count_table(rows, 400), owners, words, attacker, 4, 0)
    assert right.mean() < 0.4
