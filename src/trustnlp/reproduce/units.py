"""Units of metrics: a kind from a short list, and of what: `share of pairs`, `count of tweets`, `points`, `none`.

A unit is said where a metric is recorded (`record.metric(key, value, unit="count of tweets")`) or, for the many that a
notebook records in one loop, in the chapter's `units.yaml`: notebook → pattern of keys → unit. Patterns are tried from
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
from typing import Any

from trustnlp.reproduce.project import ProjectError, UserError, git_commit, nearest, project_root, shown

NONE = "none"
FILE = "units.yaml"


@dataclass(frozen=True)
class Kind:
    """What values a kind of unit allows, and how pages print it.

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
        No such kind; the nearest is named.

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
    """What a chapter's `units.yaml` says of a notebook; None outside a clone of the book, or without such a file.

    Raises
    ------
    UserError
        The file is no mapping of notebooks to patterns to units, or names an unknown kind.
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

    tables = parse_yaml(path.read_text("utf-8"), path) or {}
    for notebook, patterns in tables.items():
        if not isinstance(patterns, dict) or not all(isinstance(unit, str) for unit in patterns.values()):
            raise UserError(f"{shown(path)}: '{notebook}': expected patterns of keys, each with a unit as text")
    try:
        return {notebook: Units(patterns, shown(path)) for notebook, patterns in tables.items()}
    except UserError as error:
        raise UserError(f"{shown(path)}: {error}") from None


def with_units(record: Mapping[str, Any], commit: str | None) -> dict[str, Any]:
    """A record whose metrics have the units that its chapter says today, which is logged; no value is touched.

    An interval ends where the unit does, as in a new run: none of a share goes beyond 1. The same record where all
    units agree already.

    Raises
    ------
    UserError
        A metric that has no unit, or one that its values do not allow.
    """
    # Here, not above: records are built on units.
    from trustnlp.reproduce.measurement import RecordError, summary
    from trustnlp.reproduce.record_edits import logged

    name = f"{record['chapter']}/{record['notebook']}"
    table = units_of(record["chapter"], record["notebook"])
    changed, cut = {}, 0
    for key, metric in record["metrics"].items():
        unit = (table and table.unit_of(key)) or OLD_SPELLINGS.get(metric["unit"], metric["unit"])
        if unit is None:
            raise UserError(f"{name}: '{key}' has no unit; add a pattern to chapters/{record['chapter']}/{FILE}")
        if unit != metric["unit"]:
            kind = (metric["low"], metric["high"]) if metric["interval"] == "given" else metric["interval"]
            try:
                again = summary(metric["values"], kind, unit=unit, seeds=record["seeds"])
            except (RecordError, UserError) as error:
                raise UserError(f"{name}: '{key}': {error}") from None
            changed[key] = again
            cut += any(_apart(again[end], metric[end]) for end in ("low", "high"))
    if not changed:
        return dict(record)
    what = f"units said by kind (metrics: {len(changed)}; values touched: 0; intervals cut at the unit's end: {cut})"
    return logged({**record, "metrics": {**record["metrics"], **changed}}, what, commit)


def _apart(one: float | None, other: float | None) -> bool:
    return (one is None) != (other is None) or (one is not None and not math.isclose(one, other or 0.0, abs_tol=1e-12))


def rewrite_units(chapters: list[str]) -> list[str]:
    """Bring the units of the chapters' committed records up to date; one line for each record that changed."""
    from trustnlp.reproduce.records import check_digest, write_record
    from trustnlp.reproduce.schemas import load_json

    commit, made = git_commit(project_root()), {}
    for chapter in chapters:
        for path in sorted((project_root() / "chapters" / chapter / "results").glob("*.json")):
            record = load_json(path, "record")  # not `load_record`: a unit of old is of no known kind
            check_digest(record, shown(path))
            again = with_units(record, commit)
            if again["digest"] != record["digest"]:
                made[path] = again
    for path, record in made.items():  # all or none
        write_record(path, record)
    return [f"{shown(path)}: {record['log'][-1]['what']}" for path, record in made.items()]


# What records said before there was a list of kinds.
OLD_SPELLINGS: dict[str | None, str] = {
    "s": "seconds",
    "p": "p-value",
    "times": "ratio",
    "place": "rank",
    "places": "number of places",
    "per cent": "%",
    "per cent of words": "% of words",
    "percentage points": "points",
    "difference, share of words": "difference of share of words",
    "difference, probability": "difference of probability",
    "margin of a share": "difference of shares",
    "margin of a p-value": "none",
    "of 36": "count of cells",
    "of 3 entities": "count of entities",
    "over epsilon": "1/ε",
    "times epsilon": "ratio",
    "length times epsilon": "none",
    "times the mean length": "ratio",
    "of the vector's length": "ratio",
    "unit vectors": "distance",
    "standard errors": "ratio",
    "orders of magnitude": "none",
    **{
        what: f"number of {what}"
        for what in (
            "accuracies", "cells", "choices", "classes", "contexts", "dimensions", "edges", "entities", "epochs",
            "features", "instances", "items", "layers", "levels", "major versions", "optimisers", "pairs",
            "question marks", "ratios", "relations", "rules", "senses", "sentences", "sizes", "terms", "test texts",
            "tests", "tokens", "tweets", "units", "words",
        )
    },
}  # fmt: skip
