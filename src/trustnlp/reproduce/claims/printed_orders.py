"""Orderings that a claim asserts of printed numbers, as `order` in the ledger, and whether the print has them so.

`order: [["=table3/dpnr/ag/1", "<", "=table3/dpnr/ag/0"]]` says that one printed cell is below another. A side is a
cell, another claim's number (`#t2-non-private`), a plain number, or a list of these, which are added; `|<|` and `|>|`
compare magnitudes. Numbers that rounding may have put in this order contradict nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trustnlp.reproduce.claims.ledger_tables import decimals_at, number_at
from trustnlp.reproduce.project import nearest
from trustnlp.reproduce.records.numerals import number_text
from trustnlp.reproduce.schemas import SchemaError


@dataclass(frozen=True)
class Order:
    """One comparison: its words with the printed numbers in them, and by how much the print says the opposite.

    `against` is above 0 only if the two sides, all roundings granted, stand the other way round.
    """

    text: str
    against: float


def read_order(
    comparison: Sequence[Any], tables: Mapping[str, Any], claims: Mapping[str, tuple[float, float]], place: str
) -> Order:
    """One `[side, sign, side]` of a ledger.

    Parameters
    ----------
    tables
        The ledger's `printed`.
    claims
        Number and rounding of each claim that has one, by its id.

    Raises
    ------
    SchemaError
        If a side refers to what is not there, or is no number.
    """
    left, sign, right = comparison
    ends = [_sum(side, tables, claims, place) for side in (left, right)]
    magnitudes = sign.startswith("|")
    values = [abs(value) if magnitudes else value for value, _, _ in ends]
    gap = (values[1] - values[0]) * (1 if ">" in sign else -1)
    slack = sum(rounding for _, rounding, _ in ends)
    # Decimal fractions are not exact in binary: a hair is no difference.
    return Order(f"{ends[0][2]} {sign} {ends[1][2]}", round(gap - slack, 9))


def _sum(
    side: Any, tables: Mapping[str, Any], claims: Mapping[str, tuple[float, float]], place: str
) -> tuple[float, float, str]:
    """Value, rounding and words of one side."""
    parts = [_term(term, tables, claims, place) for term in (side if isinstance(side, list) else [side])]
    words = " + ".join(text for _, _, text in parts)
    return sum(value for value, _, _ in parts), sum(rounding for _, rounding, _ in parts), words


def _term(
    term: Any, tables: Mapping[str, Any], claims: Mapping[str, tuple[float, float]], place: str
) -> tuple[float, float, str]:
    if isinstance(term, int | float):
        return term, 0.0, number_text(term)
    if term.startswith("#"):
        if term[1:] not in claims:
            raise SchemaError(f"{place}: order: no claim '{term[1:]}' with a number{nearest(term[1:], claims)}")
        value, rounding = claims[term[1:]]
    else:
        value = number_at(tables, term, f"{place}: order")
        decimals = decimals_at(tables, term)
        rounding = 0.0 if isinstance(value, int) else 0.5 * 10**-decimals
    return value, rounding, number_text(value, rounding)
