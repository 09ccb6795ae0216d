"""Printed tables against each other: two parts whose shares of an entity differ, so that a row can fit only one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trustnlp.data.texts.private_attributes import AttributeSet, AttributeTexts
from trustnlp.reproduce.claims.ledger_tables import printed_tables, table_names
from trustnlp.studies.dpnr import checks as table_checks


def part(present: int) -> AttributeTexts:
    """A hundred texts, the first of which name every person."""
    attributes = np.zeros((100, 5), dtype=np.int64)
    attributes[:present] = 1
    labels = np.zeros(100, dtype=np.int64)
    return AttributeTexts(tuple(f"text {i}" for i in range(100)), labels, attributes)


NEWS = AttributeSet("news", ("a", "b"), tuple("12345"), part(10), part(14), part(20))
MAJORITY = {"dev": 57.04, "test": 57.79}


def checked(**changed: Any) -> dict[str, float]:
    printed = printed_tables("dpnr", *table_names("dpnr"))
    printed["table7"] |= changed
    return {key: value for key, value, _ in table_checks.checks_of(printed, NEWS, MAJORITY)}


@pytest.mark.parametrize(("shares", "within"), [((20, 20, 20), "test"), ((14, 14, 14), "dev"), ((20, 20, 17), "")])
def test_a_row_of_shares_is_the_parts_whose_rounding_it_keeps(shares: tuple[int, ...], within: str) -> None:
    found = checked(present_share=dict(zip(table_checks.ENTITIES, shares, strict=True)))
    for name in table_checks.PARTS:
        assert (found[f"printed.table7.ratio_within_{name}"] > 0) == (name == within)
        assert found[f"printed.table7.ratio_beyond_{name}"] == -found[f"printed.table7.ratio_within_{name}"]


@pytest.mark.parametrize("table", ["table6", "table7"])
def test_one_smallest_gap_stands_for_all_of_a_table(table: str) -> None:
    found = checked()
    smallest = found.pop(f"printed.{table}.smallest_gap")
    gaps = [v for k, v in found.items() if k.startswith(f"printed.{table}.") and k.endswith(table_checks.METHODS)]
    assert len(gaps) == {"table6": 12, "table7": 9}[table]
    assert smallest == min(gaps)
