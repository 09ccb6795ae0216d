"""The printed numbers of Tang and Surdeanu (2021) against each other: Tables 1 and 3, §4 (5), Appendix A.

`printed` has the ledger's tables. Each check has a key, `printed.…`, a value, interval and unit. A
margin is positive where the sentence holds. Where a check rests on rounded numbers, its interval holds all values that
numbers with these roundings allow; where it rests on a count of what people judged, it is that of Wilson (1927).

Of TACRED's test items with a relation, the network finds `recall`, and `precision` of what it gives is right. 750 of
them have a rule, and 26 of these are wrong. The paper does not say to which row of Table 1 the 26 belong: the interval
of `outside.scored_above_half` holds both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import product
from typing import Any, NamedTuple

from trustnlp.evaluation.intervals import wilson_interval
from trustnlp.evaluation.printed_numbers import count_gap, range_gap

CONFIGURATIONS = ("rule_only", "combined")


class Check(NamedTuple):
    """A check of printed numbers. `low` and `high` are those of its interval; equal where there is nothing to doubt."""

    key: str
    value: float
    low: float
    high: float
    unit: str


def f1_score(precision: float, recall: float) -> float:
    """F1 in the unit of its two parts, 0 where both are.

    >>> round(f1_score(86.9, 23.2), 1)
    36.6
    """
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def either(key: str, readings: Sequence[Check]) -> Check:
    """A check of a sentence that can be read in several ways: an interval that holds those of all, and their mean.

    >>> either("all", [Check("one", 1, 0, 2, "points"), Check("other", 4, 3, 5, "points")])
    Check(key='all', value=2.5, low=0, high=5, unit='points')
    """
    value = sum(reading.value for reading in readings) / len(readings)
    low, high = min(reading.low for reading in readings), max(reading.high for reading in readings)
    return Check(key, value, low, high, readings[0].unit)


def exact(key: str, value: float, unit: str) -> Check:
    """A check without doubt: its interval is its value."""
    return Check(key, value, value, value, unit)


def checks_of(printed: Mapping[str, Any]) -> Iterator[Check]:
    """All checks that need nothing but the print, and the version of PyTorch that is installed.

    Yields
    ------
    Check
        Tables 1 and 3: `printed.table1.f1_gain`, `.recall_gain`, `.bleu_above_90`, `.least_joint_gain`,
        `printed.table3.p40_over_rules`, and whether F1 follows from precision and recall, `printed.table1.f1_margin`
        and `printed.table3.f1_margin`. BLEU's items, §4: `printed.outside.scored_above_half`. The manual look at rules,
        §4 (5): `printed.manual.grid_margin`, `.undecoded`, `.skipped_percent`, `.exact_above_half`,
        `.approximate_above_half`, and `printed.wrong.semantics_above_half`. Appendix A and the released code:
        `printed.pytorch_margin`, `printed.released.missing_lstm_layers`, `.annealing_delay`, `.other_optimiser`,
        `.agreeing.count`, `.agreeing_margin`, `.relations.count`.
    """
    yield from _tables(printed["table1"], printed["table3"])
    yield _scored(printed)
    yield from _manual(printed["manual"], printed["matched"])
    yield from _appendix(printed)


def _tables(table1: Mapping[str, Any], table3: Mapping[int, Any]) -> Iterator[Check]:
    rules, ours = table1["rule_only"]["rules"], table1["rule_only"]["ours"]
    for name in ("f1", "recall"):
        yield exact(f"printed.table1.{name}_gain", ours[name] - rules[name], "points")
    least = min(table1[each]["ours"]["bleu"] for each in CONFIGURATIONS)
    yield exact("printed.table1.bleu_above_90", least - 90, "points")
    gains = [
        table1[each]["ours"][name] - table1[each][without][name]
        for each in CONFIGURATIONS
        for name, without in (("f1", "no_decoder"), ("bleu", "no_classifier"))
    ]
    yield exact("printed.table1.least_joint_gain", min(gains), "points")
    yield exact("printed.table3.p40_over_rules", table3[40]["f1"] - rules["f1"], "points")
    rows = [row for each in CONFIGURATIONS for row in table1[each].values() if "f1" in row]
    for name, listed in (("table1", rows), ("table3", table3.values())):
        room = min(_f1_room(row, table1["rounding"]) for row in listed)
        yield exact(f"printed.{name}.f1_margin", room, "points")


def _scored(printed: Mapping[str, Any]) -> Check:
    """Of the relations that the network gives, the share on which BLEU is taken, less a half."""
    table, matched = printed["table1"], printed["matched"]
    # Each wrong item that is no false negative has another relation.
    scored: float = matched["items"] - matched["undecoded"]

    def share(precision: float, recall: float) -> float:
        return 100 * scored / (recall / 100 * float(printed["tacred"]["test"]) / (precision / 100)) - 50

    readings = [_over_roundings(share, table[each]["ours"], table["rounding"]) for each in CONFIGURATIONS]
    key = "printed.outside.scored_above_half"
    return either(key, [Check(key, *reading, "points") for reading in readings])


def _over_roundings(
    quantity: Callable[[float, float], float], row: Mapping[str, float], rounding: float
) -> tuple[float, float, float]:
    """A quantity of the printed precision and recall, and its range over all that are printed so."""
    ends = (-rounding, rounding)
    corners = [quantity(row["precision"] + near, row["recall"] + far) for near, far in product(ends, ends)]
    return quantity(row["precision"], row["recall"]), min(corners), max(corners)


def _f1_room(row: Mapping[str, float], rounding: float) -> float:
    """How far the printed F1 and the F1 of the printed precision and recall overlap, roundings granted."""
    _, low, high = _over_roundings(f1_score, row, rounding)
    return -range_gap((low, high), (row["f1"] - rounding, row["f1"] + rounding))


def _manual(manual: Mapping[str, Any], matched: Mapping[str, Any]) -> Iterator[Check]:
    total, classes = manual["rules"], ("exact", "approximate", "none")
    counts = {name: round(manual[name] / 100 * total) for name in classes}
    gap = max(count_gap(manual[name], total) for name in classes)
    # A unit of the last digit: 55 of 176 lies half way between two printed numbers.
    yield exact("printed.manual.grid_margin", 2 * manual["rounding"] - gap, "points")
    decoded = sum(counts.values())
    yield exact("printed.manual.undecoded", total - decoded, "count of rules")
    yield exact("printed.manual.skipped_percent", 100 * (total - decoded) / total, "%")
    yield _above_half("manual.exact", counts["exact"], decoded)
    yield _above_half("manual.approximate", counts["exact"] + counts["approximate"], decoded)
    yield _above_half("wrong.semantics", matched["approximate"], matched["approximate"] + matched["ambiguous"])


def _above_half(name: str, count: int, total: int) -> Check:
    low, high = wilson_interval(count, total)
    share = 100 * count / total
    return Check(f"printed.{name}_above_half", share - 50, 100 * float(low) - 50, 100 * float(high) - 50, "points")


def _appendix(printed: Mapping[str, Any]) -> Iterator[Check]:
    newest, said = int(version("torch").split(".")[0]), int(str(printed["pytorch"]).split(".")[0])
    yield exact("printed.pytorch_margin", newest + 0.5 - said, "number of major versions")
    appendix, released = printed["appendix"], printed["released"]
    layers = appendix["lstm_layers"] - released["rnn_layers"]
    yield exact("printed.released.missing_lstm_layers", layers, "number of layers")
    # train.py asks for more earlier epochs than decay_epoch, so the first that may anneal is the second after it.
    delay = released["decay_epoch"] + 2 - appendix["annealed_from_epoch"]
    yield exact("printed.released.annealing_delay", delay, "number of epochs")
    other = int(released["optimiser"] != appendix["optimiser"])
    yield exact("printed.released.other_optimiser", other, "number of optimisers")
    settings = appendix["settings"]
    agreeing = sum(released["settings"][name] == value for name, value in settings.items())
    yield exact("printed.released.agreeing.count", agreeing, "count of settings")
    yield exact("printed.released.agreeing_margin", 0.5 - (len(settings) - agreeing), "number of settings")
    # One label is no_relation.
    yield exact("printed.released.relations.count", released["labels"] - 1, "count of relations")
