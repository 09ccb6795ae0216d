"""Units of metrics: a kind from a short list, and of what: `share of pairs`, `count of tweets`, `points`, `none`.

A unit is said where a metric is recorded (`record.metric(key, value, unit="count of tweets")`) or, for the many that a
notebook records together, in the chapter's `units.yaml`: notebook → pattern of keys → unit. Patterns are tried from
the top; `*` stands for any text, `{a,b}` for one of several words. A metric without a unit is refused: a pure number
says `none`.
"""

from __future__ import annotations

import fnmatch
import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.project import ProjectError, UserError, nearest, project_root, shown

NONE = "none"
FILE = "units.yaml"


@dataclass(frozen=True)
class Kind:
    """A kind of unit: the values that it allows, and how pages print it.

    `factor` turns a value into the printed number, `sign` follows it (`34 %`); `whole` numbers have no decimals.
    """

    low: float = -math.inf
    high: float = math.inf
    factor: float = 1.0
    sign: str = ""
    whole: bool = False


KINDS = {
    "share": Kind(0, 1, factor=100, sign=" %"),
    "%": Kind(0, 100, sign=" %"),
    "probability": Kind(0, 1, factor=100, sign=" %"),
    "p-value": Kind(0, 1),
    "points": Kind(sign=" points"),  # a difference of per cents
    "difference": Kind(factor=100, sign=" points"),  # of two shares or probabilities
    "count": Kind(0, whole=True),
    "number": Kind(),  # a mean or a difference of counts
    "rank": Kind(whole=True),
    "seconds": Kind(0),
    "nats": Kind(),
    "ε": Kind(),
    "1/ε": Kind(),
    "cosine": Kind(),
    "correlation": Kind(),
    "effect size": Kind(),
    "score": Kind(),
    "distance": Kind(),
    "ratio": Kind(),
    NONE: Kind(),
}


def kind_of(unit: str | None) -> Kind:
    """The kind of a unit: all of it, or what stands before " of "; None is a pure number.

    Raises
    ------
    UserError
        If there is no such kind; the nearest is named.

    >>> kind_of("share of pairs").sign, kind_of("points").sign
    (' %', ' points')
    """
    name = NONE if unit is None else unit.partition(" of ")[0]
    if name not in KINDS:
        raise UserError(
            f"the unit '{unit}' is of no known kind{nearest(name, KINDS)}; expected one of {', '.join(KINDS)}, alone "
            "or followed by what it is of, such as 'share of pairs'"
        )
    return KINDS[name]


class Units:
    """The units of one notebook's metrics by patterns of their keys, the first that fits."""

    def __init__(self, patterns: Mapping[str, str], source: str) -> None:
        self.source = source
        self.patterns = dict(patterns)
        for unit in self.patterns.values():
            kind_of(unit)
        self._compiled = [(re.compile("|".join(map(fnmatch.translate, _spread(p)))), p) for p in self.patterns]

    def pattern_of(self, key: str) -> str | None:
        """The pattern that a key fits first."""
        return next((pattern for compiled, pattern in self._compiled if compiled.match(key)), None)

    def unit_of(self, key: str) -> str | None:
        """The unit of a key, None where no pattern fits."""
        pattern = self.pattern_of(key)
        return None if pattern is None else self.patterns[pattern]


def _spread(pattern: str) -> list[str]:
    """Patterns without braces: `{a,b}.c` is `a.c` and `b.c`."""
    pieces = re.split(r"\{([^{}]*)\}", pattern)
    choices = [piece.split(",") if odd % 2 else [piece] for odd, piece in enumerate(pieces)]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


def units_of(chapter: str, notebook: str) -> Units | None:
    """The entry of a chapter's `units.yaml` for a notebook; None outside a clone of the book, or without such a file.

    Raises
    ------
    UserError
        If the file is no mapping of notebooks to patterns to units, or names an unknown kind.
    """
    try:
        path = project_root() / "chapters" / chapter / FILE
    except ProjectError:
        return None
    if not path.is_file():
        return None
    return _read(path, path.stat().st_mtime_ns).get(notebook, Units({}, shown(path)))


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int) -> dict[str, Units]:
    # Here, not above: a notebook without the book reads no YAML.
    from trustnlp.reproduce.schemas import parse_yaml

    tables = parse_yaml(read_text(path), path) or {}
    for notebook, patterns in tables.items():
        if not isinstance(patterns, dict) or not all(isinstance(unit, str) for unit in patterns.values()):
            raise UserError(f"{shown(path)}: '{notebook}': expected patterns of keys, each with a unit as text")
    try:
        return {notebook: Units(patterns, shown(path)) for notebook, patterns in tables.items()}
    except UserError as error:
        raise UserError(f"{shown(path)}: {error}") from None
