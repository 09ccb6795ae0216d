"""Quantities that two records of a chapter measure: one question has one answer, or the ledger says which is used.

`shared` in the ledger lists them. An entry is about two notebooks and either prefixes of keys that both records have,
or pairs of keys, the first notebook's and the second's. With `same: true` the two must agree: single values to a
millionth, others in that their intervals meet. Where they do not, and no run can mend it yet, `uses` names the notebook
whose number pages show, and `why` says so. With `same: false` equal keys stand for different things; `why` says which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from trustnlp.reproduce.records.measurement import covers
from trustnlp.reproduce.schemas.fields import OUT, Id, Misfit, Model, Text, Two

Records = Mapping[str, Mapping[str, Any]]


class Shared(Model):
    """One entry of `shared`; see the module."""

    records: Annotated[list[Id], Field(min_length=2, max_length=2)]
    keys: Annotated[list[Text], Field(min_length=1)] = OUT
    pairs: Annotated[list[Two], Field(min_length=1)] = OUT
    same: bool
    uses: Id = OUT
    why: Text = OUT

    @model_validator(mode="after")
    def _argued(self) -> Self:
        if not self.same and not self.has("why"):
            raise Misfit("lacks 'why'")
        return self.one_of("keys", "pairs").together(("uses", "why"))


def disagreements(shared: Sequence[Shared], records: Records) -> list[str]:
    """One line for each quantity of two records that disagrees, is not declared, or is declared in vain.

    Parameters
    ----------
    records
        The paper records of a chapter by notebook.
    """
    return [*_undeclared(shared, records), *(line for entry in shared for line in _judged(entry, records))]


def _undeclared(shared: Sequence[Shared], records: Records) -> Iterator[str]:
    for names in combinations(sorted(records), 2):
        prefixes = [key for entry in shared if set(entry.records) == set(names) for key in entry.keys or ()]
        both = [key for key in records[names[0]]["metrics"] if key in records[names[1]]["metrics"]]
        left = [key for key in both if not any(covers(prefix, key) for prefix in prefixes)]
        if left:
            more = f" and {len(left) - 1} more" if len(left) > 1 else ""
            yield (
                f"{names[0]} and {names[1]} both measure '{left[0]}'{more}; say under 'shared' whether it is one "
                "quantity (same: true), or why it is not"
            )


def _judged(entry: Shared, records: Records) -> Iterator[str]:
    lacking = [name for name in entry.records if name not in records]
    if lacking:
        yield f"shared: there is no paper record of {lacking[0]}"
        return
    first, second = (records[name]["metrics"] for name in entry.records)
    pairs = [(one, other) for one, other in entry.pairs or ()]
    for prefix in entry.keys or ():
        common = [(key, key) for key in first if covers(prefix, key) and key in second]
        if not common:
            yield f"shared: {entry.records[0]} and {entry.records[1]} have no common metric '{prefix}'"
        pairs += common
    apart = []
    for one, other in pairs:
        if one not in first or other not in second:
            yield f"shared: no metric '{one if one not in first else other}'"
        elif not agree(first[one], second[other]):
            apart.append((one, other))
    if not entry.same or (entry.uses and apart):
        return
    if entry.uses and pairs:
        yield f"shared: '{pairs[0][0]}' agrees in both records now; take 'uses' away"
    for one, other in apart:
        yield (
            f"{entry.records[0]} has {first[one]['mean']:g} for '{one}', {entry.records[1]} {second[other]['mean']:g} "
            f"for '{other}'; run them again, or say under 'shared' which of the two is used (uses) and why"
        )


def agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two measurements can be of one quantity: their intervals meet, single values to a millionth."""
    (low, high), (lower, higher) = _ends(one), _ends(other)
    hair = 1e-6 * max(1.0, abs(one["mean"]), abs(other["mean"]))
    return bool(low <= higher + hair and lower <= high + hair)


def _ends(metric: Mapping[str, Any]) -> tuple[float, float]:
    if metric["low"] is None:
        return metric["mean"], metric["mean"]
    return metric["low"], metric["high"]
