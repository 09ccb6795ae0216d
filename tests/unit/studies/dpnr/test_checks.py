"""Printed tables against each other: two parts whose shares of an entity differ, so that a row can fit only one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from all_printed import all_printed

from trustnlp.data.texts.private_attributes import AttributeSet, AttributeTexts
from trustnlp.studies.dpnr import checks as table_checks


def part(present: int) -> AttributeTexts:
    """A hundred texts, the first of which name every person."""
    attributes = np.zeros((100, 5), dtype=np.int64)
    attributes[:present] = 1
    labels = np.zeros(100, dtype=np.int64)
    return AttributeTexts(tuple(f"text {i}" for i in range(100)), labels, attributes)


NEWS = AttributeSet("news", ("a", "b"), tuple("12345"), part(10), part(14), part(20))


def checked(**changed: Any) -> dict[str, float]:
    printed = all_printed("dpnr")
    printed["table7"] |= changed
    return dict(table_checks.checks_of(printed, NEWS))


@pytest.mark.parametrize(("shares", "within"), [((20, 20, 20), "test"), ((14, 14, 14), "dev"), ((20, 20, 17), "")])
def test_a_row_of_shares_is_the_parts_whose_rounding_it_keeps(shares: tuple[int, ...], within: str) -> None:
    results = checked(present_share=dict(zip(table_checks.ENTITIES, shares, strict=True)))
    for name in table_checks.PARTS:
        assert (results[f"printed.table7.ratio_within_{name}"] > 0) == (name == within)
        assert results[f"printed.table7.ratio_beyond_{name}"] == -results[f"printed.table7.ratio_within_{name}"]


def test_one_smallest_gap_stands_for_all_of_table_7() -> None:
    results = checked()
    gaps = [v for k, v in results.items() if k.startswith("printed.table7.") and k.endswith(table_checks.METHODS)]
    assert len(gaps) == 9 and results["printed.table7.smallest_gap"] == min(gaps)


def test_facts_of_a_file_with_a_repeated_text_of_two_topics() -> None:
    attributes = np.eye(5, dtype=np.int64)[[0, 0, 1]]
    train = AttributeTexts(("a", "b", "c"), np.array([0, 0, 1]), attributes)
    test = AttributeTexts(("a", "d", "e"), np.array([1, 0, 1]), attributes)
    news = AttributeSet("news", ("x", "y"), tuple("12345"), train, train, test)
    facts = dict(table_checks.facts_of(news))
    assert (facts["ag.test.texts"], facts["ag.test.in_train"], facts["ag.dev.in_train"]) == (3, 1, 3)
    assert facts["ag.test.majority_accuracy"] == pytest.approx(100 / 3)
    assert facts["ag.test.majority_privacy"] == pytest.approx(100 / 3)  # micro-F1 of two hits, one miss, one alarm
    assert (facts["ag.distinct"], facts["ag.repeated"]) == (5, 3)
    assert (facts["ag.conflicting_topics"], facts["ag.conflicting_persons"]) == (1, 0)
