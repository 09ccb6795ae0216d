"""Numbers that a function can work with, for checks that only refuse (`trustnlp.reproduce.code.targets.REFUSALS`)."""

from __future__ import annotations

from numbers import Real


def check_shares(**shares: object) -> None:
    """Refuse what is no share of a whole; NaN is none, and would be above and below no limit.

    Raises
    ------
    ValueError
        If a value is no number from 0 to 1.

    >>> check_shares(max_missing=0.2)
    """
    for name, share in shares.items():
        if not isinstance(share, Real) or isinstance(share, bool) or not 0 <= float(share) <= 1:
            raise ValueError(f"`{name}` is a share from 0 to 1, got {share!r}")
