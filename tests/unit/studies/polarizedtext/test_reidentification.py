"""What is removed, who attacks what is left, and the sentences without a hole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba", reason="the chapter's vectors need the extra 'senses'")

from trustnlp.privacy.attacks.reidentification import ATTACKERS, count_table, named_correctly
from trustnlp.privacy.text.anonymisation.words import document_words
from trustnlp.studies.polarizedtext.detection import weights_for
from trustnlp.studies.polarizedtext.reidentification import _highest, _View, attack_methods, sentences_of, share_whole


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("One two. Three", [0, 0, 1]),
        ("One two? Three! Four", [0, 0, 1, 2]),
        ('"One two." Three', [0, 0, 1]),
        ("(One two.) Three", [0, 0, 1]),
        ("One\n\ntwo", [0, 1]),
        ("version 2.5 of it", [0, 0, 0, 0, 0]),
        ("One, two; three: four", [0, 0, 0, 0]),
    ],
)
def test_a_sentence_ends_at_its_mark_or_with_its_paragraph(text: str, numbers: list[int]) -> None:
    assert sentences_of(document_words(text)).tolist() == numbers


def test_a_whole_sentence_has_no_hole_and_short_ones_do_not_count() -> None:
    units = [np.repeat([0, 1, 2], [8, 9, 3]), np.repeat([0, 1], [10, 8])]
    removed = [np.zeros(20, dtype=bool), np.zeros(18, dtype=bool)]
    assert share_whole(units, removed) == 1
    removed[0][[3, 18]] = True  # one in a sentence of eight words, one in a sentence of three
    assert share_whole(units, removed) == pytest.approx(3 / 4)
    removed[1][:] = True
    assert share_whole(units, removed) == pytest.approx(1 / 4)


def test_equal_scores_lose_whole_words_and_secrets_are_not_looked_at(planted: Any) -> None:
    usual = np.ones(len(planted.words), dtype=bool)
    view = _View(planted, usual, 2, weights_for(planted, 5))
    assert sum(map(len, view.ids)) == sum(int((marks == 0).sum()) for marks in planted.secret_marks)
    gone = _highest([np.zeros(len(ids)) for ids in view.ids], view, 0.1)
    ids, out = np.concatenate(view.ids), np.concatenate(gone)
    assert out.sum() == round(0.1 * len(out))
    split = set(ids[out].tolist()) & set(ids[~out].tolist())
    assert len(split) <= 1  # the word at the limit


def test_an_attack_knows_chance_and_the_strongest_family(planted: Any, given: Any) -> None:
    found = attack_methods(planted.corpus, [0], ["log_odds", "random"], [5], given).values
    families = ("bayes", "cosine", "regression", "presence", "absence")
    (strongest,) = found["procurement.log_odds.s5.strongest"]
    assert max(found[f"procurement.log_odds.s5.{name}"][0] for name in families) <= strongest
    assert strongest <= found["procurement.raw.strongest"][0] and found["procurement.chance"] == [0.25]
    assert np.isclose(found["procurement.log_odds.anonymous_margin"][0], 0.25 + 0.1 - strongest)


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_an_attacker_has_not_learned_from_the_document_that_it_reads(attacker: str) -> None:
    # Words are drawn alike for all owners, so only who has read a document before can tell whose it is.
    rng = np.random.default_rng(0)
    owners = list("ABCDE") * 16
    rows = [rng.integers(0, 400, size=40).tolist() for _ in owners]
    words = ["".join(rng.choice(list("abcdefghijklmnop"), size=6)) for _ in range(400)]
    right = named_correctly(count_table(rows, 400), owners, words, attacker, 4, 0)
    assert right.mean() < 0.4


def test_an_attacker_reads_what_is_left(planted: Any, given: Any) -> None:
    found = attack_methods(planted.corpus, [0], ["log_odds"], [40], given | {"folds": 4}).values
    raw, left = (found[f"procurement.{row}.cosine"][0] for row in ("raw", "log_odds.s40"))
    assert left < raw - 0.2
