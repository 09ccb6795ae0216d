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

    def term(part: Any) -> tuple[float, float, str]:
        """Value, rounding and words of a summand."""
        if isinstance(part, int | float):
            return part, 0.0, number_text(part)
        if part.startswith("#"):
            if part[1:] not in claims:
                raise SchemaError(f"{place}: order: no claim '{part[1:]}' with a number{nearest(part[1:], claims)}")
            value, rounding = claims[part[1:]]
        else:
            value = number_at(tables, part, f"{place}: order")
            rounding = 0.0 if isinstance(value, int) else 0.5 * 10 ** -decimals_at(tables, part)
        return value, rounding, number_text(value, rounding)

    left, sign, right = comparison
    sides = [[term(part) for part in (side if isinstance(side, list) else [side])] for side in (left, right)]
    first, second = (sum(value for value, _, _ in side) for side in sides)
    if sign.startswith("|"):
        first, second = abs(first), abs(second)
    gap = second - first if ">" in sign else first - second
    slack = sum(rounding for side in sides for _, rounding, _ in side)
    words = [" + ".join(text for _, _, text in side) for side in sides]
    # Decimal fractions are not exact in binary: a hair is no difference.
    return Order(f"{words[0]} {sign} {words[1]}", round(gap - slack, 9))
