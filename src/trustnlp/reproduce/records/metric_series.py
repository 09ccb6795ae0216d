"""Metrics by key, and those of one kind as a series: over ε, over dimensions, over methods."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from trustnlp.reproduce.project import UserError, nearest

KINDS = {
    "": (r"[A-Za-z0-9_+=-]+?", str),
    "d": (r"\d+", int),
    "g": (r"\d+(?:\.\d+)?(?:e[+-]?\d+)?", float),
}


class Metrics(dict[str, dict[str, Any]]):
    """Key → `values`, `mean`, `low`, `high`, `n` and more (see the record's schema)."""

    def series(self, pattern: str, part: str = "values") -> dict[Any, Any]:
        """One part of all metrics whose key fits a pattern, in the order of the record.

        Parameters
        ----------
        pattern
            A key with fields, written as the f-string that made the keys: `{name}` stands for a name or a piece of one,
            which holds no dot; `{k:d}` for a whole number; `{e:g}` for a number, which may hold a decimal point.
        part
            What is wanted of each metric: `values` (one per seed), `mean`, `low`, `high`, …

        Returns
        -------
        dict
            What a key has in place of the field (text, int or float), or the tuple of these where there are several
            fields → the part.

        Raises
        ------
        UserError
            If no key fits (the nearest is named), a field of another kind, or no such part.

        >>> metrics = Metrics({"bag.eps0.5": {"mean": 60.0}, "bag.eps5": {"mean": 80.0}, "bag.size": {"mean": 9.0}})
        >>> metrics.series("bag.eps{e:g}", "mean")
        {0.5: 60.0, 5.0: 80.0}
        """
        expression, kinds = compiled(pattern)
        if not kinds:
            raise UserError(f"'{pattern}' has no field; one metric is read by its key")
        parts = {}
        for key, metric in self.items():
            if match := expression.fullmatch(key):
                fields = tuple(kind(text) for (_, kind), text in zip(kinds, match.groups(), strict=True))
                if part not in metric:
                    raise UserError(
                        f"metric '{key}' has no '{part}'{nearest(part, metric)}; it has {', '.join(metric)}"
                    )
                parts[fields[0] if len(fields) == 1 else fields] = metric[part]
        if not parts:
            raise UserError(f"no metric fits '{pattern}'{nearest(pattern, self)}; there are {len(self)}")
        return parts


def compiled(
    pattern: str, values: Mapping[str, Sequence[str | float]] = MappingProxyType({})
) -> tuple[re.Pattern[str], list[tuple[str, type]]]:
    """The expression that fitting keys match, and name and kind of each field; `values` says what a field may be.

    Raises
    ------
    UserError
        If a field is of another kind.
    """
    expression, fields = "", []
    for literal, name, spec, _ in string.Formatter().parse(pattern):
        expression += re.escape(literal)
        if name is not None:
            if spec not in KINDS:
                raise UserError(f"'{pattern}': a field is {{name}}, {{name:d}} or {{name:g}}, got {{{name}:{spec}}}")
            text, kind = KINDS[spec]
            if name in values:
                text = "|".join(re.escape(each if isinstance(each, str) else f"{each:g}") for each in values[name])
            expression += f"({text})"
            fields.append((name, kind))
    return re.compile(expression), fields
