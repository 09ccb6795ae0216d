"""Numbers that a function can work with, for checks that only refuse (`trustnlp.reproduce.code.targets.REFUSALS`)."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any


def check_shares(**shares: Any) -> None:
    """Refuse what is no share of a whole; NaN is none, and would be above and below no limit.

    Raises
    ------
    ValueError
        If a value is no number from 0 to 1.

    >>> check_shares(max_missing=0.2)
    """
    for name, share in shares.items():
        number = share.item() if getattr(share, "ndim", None) == 0 else share
        if not isinstance(number, Real | Decimal) or isinstance(number, bool) or not 0 <= float(number) <= 1:
            raise ValueError(f"`{name}` is a share from 0 to 1, got {share!r}")
