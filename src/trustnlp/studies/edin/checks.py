"""The printed numbers of Tang and Surdeanu (2021) against each other: Tables 1 and 3, §4 (5), Appendix A.

`printed` has the ledger's tables. Each check has a key, `printed.…`, a value, interval and unit. A
margin is positive where the sentence holds. Where a check rests on rounded numbers, its interval holds all values that
numbers with these roundings allow; where it rests on a count of what people judged, it is that of Wilson (1927).

Of TACRED's test items with a relation, the network finds `recall`, and `precision` of what it gives is right. 750 of
them have a rule, and 26 of these are wrong. So both rates can be split into items with and without a rule. The paper
does not say to which row of Table 1 the 26 belong: `outside.rule_only` and `outside.combined` are the two readings, and
the intervals of the margins hold both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import pairwise, product
from typing import Any, NamedTuple

from scipy.stats import binomtest, hypergeom

from trustnlp.evaluation.printed_numbers import count_gap, range_gap

CONFIGURATIONS = ("rule_only", "combined")
LEVEL = 0.05


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


def checks_of(printed: Mapping[str, Any]) -> Iterator[Check]:
    """All checks that need nothing but the print, and the version of PyTorch that is installed."""
    yield from _table_1(printed["table1"])
    yield from _table_3(printed)
    yield from _outside_the_rules(printed)
    yield from _manual(printed["manual"], printed["matched"])
    yield from _appendix(printed)


def _exact(key: str, value: float, unit: str) -> Check:
    return Check(f"printed.{key}", value, value, value, unit)


def _table_1(table: Mapping[str, Any]) -> Iterator[Check]:
    rules, ours = table["rule_only"]["rules"], table["rule_only"]["ours"]
    for name in ("f1", "recall", "precision"):
        yield _exact(f"table1.{name}_gain", ours[name] - rules[name], "points")
    yield _exact("table1.bleu_above_90", min(table[each]["ours"]["bleu"] for each in CONFIGURATIONS) - 90, "points")
    gains = [
        table[each]["ours"][name] - table[each][without][name]
        for each in CONFIGURATIONS
        for name, without in (("f1", "no_decoder"), ("bleu", "no_classifier"))
    ]
    least = min(gains)
    yield _exact("table1.least_joint_gain", least, "points")
    combined = table["combined"]
    lead = combined["ours"]["f1"] - combined["cgcn"]["f1"]
    yield _exact("table1.over_cgcn", lead - 2 * table["rounding"], "points")
    apart = abs(combined["no_decoder"]["f1"] - combined["cgcn"]["f1"])
    yield _exact("table1.ablation_margin", least - apart, "points")
    rows = [row for each in CONFIGURATIONS for row in table[each].values() if "f1" in row]
    yield _exact("table1.f1_margin", min(_f1_room(row, table["rounding"]) for row in rows), "points")


def _table_3(printed: Mapping[str, Any]) -> Iterator[Check]:
    table, rounding = printed["table3"], printed["table1"]["rounding"]
    rows = list(table.values())
    yield _exact("table3.f1_margin", min(_f1_room(row, rounding) for row in rows), "points")
    steps = [after["recall"] - before["recall"] for before, after in pairwise(rows)]
    yield _exact("table3.least_recall_step", min(steps), "points")
    lead = table[40]["f1"] - printed["table1"]["rule_only"]["rules"]["f1"]
    yield _exact("table3.p40_over_rules", lead, "points")


def _outside_the_rules(printed: Mapping[str, Any]) -> Iterator[Check]:
    positives, matched = float(printed["tacred"]["test"]), printed["matched"]
    right: float = matched["items"] - matched["wrong"]
    # Each wrong item that is no false negative has another relation.
    given: float = matched["items"] - matched["undecoded"]

    def precision(precision: float, recall: float) -> float:
        found = recall / 100 * positives
        return 100 * (found - right) / (found / (precision / 100) - given)

    def scored(precision: float, recall: float) -> float:
        return 100 * given / (recall / 100 * positives / (precision / 100))

    for quantity in (precision, scored):
        readings = []
        for configuration in CONFIGURATIONS:
            row, rounding = printed["table1"][configuration]["ours"], printed["table1"]["rounding"]
            middle, low, high = _over_roundings(quantity, row, rounding)
            key = f"printed.outside.{configuration}.{quantity.__name__}_above_half"
            readings.append(Check(key, middle - 50, low - 50, high - 50, "points"))
        yield from (*readings, either(f"printed.outside.{quantity.__name__}_above_half", readings))


def _over_roundings(
    quantity: Callable[[float, float], float], row: Mapping[str, float], rounding: float
) -> tuple[float, float, float]:
    """A quantity of the printed precision and recall, and its range over all that are printed so."""
    ends = (-rounding, rounding)
    corners = [quantity(row["precision"] + near, row["recall"] + far) for near, far in product(ends, ends)]
    return quantity(row["precision"], row["recall"]), min(corners), max(corners)


def _manual(manual: Mapping[str, Any], matched: Mapping[str, Any]) -> Iterator[Check]:
    total, classes = manual["rules"], ("exact", "approximate", "none")
    counts = {name: round(manual[name] / 100 * total) for name in classes}
    gap = max(count_gap(manual[name], total) for name in classes)
    # A unit of the last digit: 55 of 176 lies half way between two printed numbers.
    yield _exact("manual.grid_margin", 2 * manual["rounding"] - gap, "points")
    skipped = total - sum(counts.values())
    yield _exact("manual.undecoded", skipped, "count of rules")
    yield _exact("manual.skipped_percent", 100 * skipped / total, "%")
    # All the false negatives of the evaluation lie in the part that was looked at.
    chance = float(hypergeom.sf(skipped - 1, matched["items"], matched["undecoded"], total))
    yield _exact("manual.random_chance", chance, "p-value")
    yield _exact("manual.random_margin", chance - LEVEL, "none")
    decoded = total - skipped
    yield _above_half("manual.exact", counts["exact"], decoded)
    yield _above_half("manual.approximate", counts["exact"] + counts["approximate"], decoded)
    parts = [matched[name] for name in ("undecoded", "approximate", "ambiguous")]
    yield _exact("wrong.sum_margin", 0.5 - abs(sum(parts) - matched["wrong"]), "number of items")
    yield _above_half("wrong.semantics", matched["approximate"], matched["approximate"] + matched["ambiguous"])


def _above_half(name: str, count: int, total: int) -> Check:
    low, high = binomtest(count, total).proportion_ci(1 - LEVEL, method="wilson")
    share = 100 * count / total
    return Check(f"printed.{name}_above_half", share - 50, 100 * float(low) - 50, 100 * float(high) - 50, "points")


def _appendix(printed: Mapping[str, Any]) -> Iterator[Check]:
    newest, said = int(version("torch").split(".")[0]), int(str(printed["pytorch"]).split(".")[0])
    yield _exact("pytorch_margin", newest + 0.5 - said, "number of major versions")
    appendix, released = printed["appendix"], printed["released"]
    yield _exact("released.missing_lstm_layers", appendix["lstm_layers"] - released["rnn_layers"], "number of layers")
    # train.py asks for more earlier epochs than decay_epoch, so the first that may anneal is the second after it.
    first = released["decay_epoch"] + 2
    yield _exact("released.annealing_delay", first - appendix["annealed_from_epoch"], "number of epochs")
    yield _exact(
        "released.other_optimiser", int(released["optimiser"] != appendix["optimiser"]), "number of optimisers"
    )
    said, set_there = appendix["settings"], released["settings"]
    agreeing = sum(set_there[name] == value for name, value in said.items())
    yield _exact("released.agreeing.count", agreeing, "count of settings")
    yield _exact("released.agreeing_margin", 0.5 - (len(said) - agreeing), "number of settings")
    yield _exact("released.relations.count", released["labels"] - 1, "count of relations")  # one is no_relation


def _f1_room(row: Mapping[str, float], rounding: float) -> float:
    """How far the printed F1 and the F1 of the printed precision and recall overlap, roundings granted."""
    _, low, high = _over_roundings(f1_score, row, rounding)
    return -range_gap((low, high), (row["f1"] - rounding, row["f1"] + rounding))
