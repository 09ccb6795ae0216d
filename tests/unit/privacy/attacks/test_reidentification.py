"""Attackers on redacted documents: planted differences are found, and chance is chance."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import assert_refused
from scipy import sparse

from trustnlp.privacy.attacks.reidentification import ATTACKERS, count_table, deal, named_correctly

WORDS = [f"{a}{b}word" for a in "bcdfg" for b in "aeiou"]  # 25 words that share their ending
OWNERS = [owner for owner in "ABC" for _ in range(8)]


def documents(seed: int, *, telling: str | None) -> sparse.csr_matrix:
    """Each of 24 documents draws from common words; `presence` adds a word of the owner."""
    rng = np.random.default_rng(seed)
    rows = []
    for owner in OWNERS:
        own = "ABC".index(owner)
        row = rng.integers(5, 25, size=120).tolist()
        if telling == "presence":
            row += [own] * 3
        rows.append(row)
    return count_table(rows, len(WORDS))


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_a_word_of_the_owner_tells_it(attacker: str) -> None:
    found = named_correctly(documents(0, telling="presence"), OWNERS, WORDS, attacker, 4, 0)
    assert found.mean() > 0.9


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_documents_that_are_alike_tell_nothing(attacker: str) -> None:
    share = np.mean([named_correctly(documents(s, telling=None), OWNERS, WORDS, attacker, 4, s) for s in range(12)])
    assert 0.15 < share < 0.52


def test_a_list_per_owner_tells_the_absence_attacker_more_than_majority_does() -> None:
    # Half of the words are removed for each owner, another half for each: what is there rules the owner out.
    rng = np.random.default_rng(3)
    lists = {owner: set(rng.permutation(25)[:12].tolist()) for owner in "ABC"}
    rows = [[word for word in rng.integers(0, 25, size=30).tolist() if word not in lists[owner]] for owner in OWNERS]
    assert named_correctly(count_table(rows, len(WORDS)), OWNERS, WORDS, "absence", 4, 0).mean() > 0.95


def test_the_regression_is_that_in_the_space_of_words() -> None:
    from sklearn.linear_model import LogisticRegression

    from trustnlp.privacy.attacks.reidentification import _tf_idf, _turned

    rows = _tf_idf(documents(1, telling="presence"))
    labels = np.array(OWNERS)
    train, test = next(deal(labels, 4, np.random.default_rng(0)))
    answers = []
    for space in (rows.toarray(), _turned(rows)):
        model = LogisticRegression(C=100.0, max_iter=5000, tol=1e-10).fit(space[train], labels[train])
        answers.append(model.decision_function(space[test]))
    assert np.allclose(*answers, atol=1e-3)


def test_folds_part_the_documents_of_each_owner() -> None:
    labels = np.array([*OWNERS, "D"])
    tests = [test for _, test in deal(labels, 4, np.random.default_rng(0))]
    assert sorted(np.concatenate(tests)) == list(range(25))
    assert all(np.unique(labels[test], return_counts=True)[1][:3].tolist() == [2, 2, 2] for test in tests)


def test_an_owner_with_one_document_is_never_named() -> None:
    table = sparse.vstack([documents(0, telling="presence"), count_table([[3] * 9], len(WORDS))]).tocsr()
    assert not named_correctly(table, [*OWNERS, "D"], WORDS, "bayes", 4, 0)[-1]


def test_bad_input() -> None:
    table = documents(0, telling=None)
    assert_refused(
        named_correctly,
        [
            (table, OWNERS[:-1], WORDS, "bayes", 4, 0, "needs as many owners and words"),
            (table, OWNERS, WORDS, "oracle", 4, 0, "attacker is one of"),
            (table, OWNERS, WORDS, "bayes", 1, 0, "two folds"),
            (table, [*OWNERS[:-1], float("nan")], WORDS, "bayes", 4, 0, "document 23 has no owner"),
        ],
    )
