"""The script of a letter, by its name in Unicode."""

from __future__ import annotations

import unicodedata


def script_of(letter: str) -> str:
    """First word of the letter's name, such as `LATIN`, `ARABIC` or `CJK`; `UNKNOWN` for one without a name.

    >>> script_of("m"), script_of("\u0430")
    ('LATIN', 'CYRILLIC')
    """
    return unicodedata.name(letter, "UNKNOWN").split()[0].split("-")[0]
