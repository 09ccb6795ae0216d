"""The printed numbers of Kumar, Dixit and Shah (2021) against each other, and against the numbers of texts they count.

An accuracy in per cent with two decimals is a count of texts divided by their number, so few such numbers are possible
for 872 or 1,821 texts (`trustnlp.evaluation.printed_numbers`). An unlike ratio is a count of words divided by how many
there are of their part of speech, and two accuracies over the same contexts bound how often both answers are right.

`printed` has the ledger's tables. Every check of `checks_of` gives the key of its metric, `printed.…`,
value and unit. A margin is positive where the numbers fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from trustnlp.evaluation.printed_numbers import count_gap

Check = tuple[str, float, str]
_SLIP = 1e-9  # of float64; no two percentages over fewer than 10,000 texts are as close


def count_behind(printed: float, n: int, *, decimals: int = 2) -> int | None:
    """How many of `n` a printed percentage is; None where no count is printed so, to the nearest number.

    >>> count_behind(91.97, 872), count_behind(89.74, 1821)
    (802, None)

    Raises
    ------
    ValueError
        If not a percentage, nothing to count, or a printed number that several counts would give.
    """
    rounding = _rounding(decimals)
    if count_gap(printed, n) > rounding + _SLIP:
        return None
    nearest = round(printed / 100 * n)
    if n > 1 and Fraction(100, n) <= Fraction(1, 10**decimals):
        raise ValueError(f"of {n:,} several counts are printed as one percentage with {decimals} decimals")
    return nearest


def sizes_behind(printed: Sequence[float], most: int, *, decimals: int = 2) -> list[int]:
    """All numbers of contexts, up to `most`, of which every printed percentage is a count.

    >>> sizes_behind([65.16, 75.88], 800)
    [597, 709]

    Raises
    ------
    ValueError
        If there are no percentages, or one that is none; `most` below 1.
    """
    if not printed or most < 1:
        raise ValueError(f"expected printed percentages and sizes from 1 up, got {list(printed)} and {most}")
    limit = _rounding(decimals) + _SLIP
    return [n for n in range(1, most + 1) if all(count_gap(value, n) <= limit for value in printed)]


def joint_range(first: float, second: float) -> tuple[float, float]:
    """Least and most accuracy on both of two questions, of the accuracy on each, all in per cent of the same contexts.

    >>> joint_range(67.0, 90.0)
    (57.0, 67.0)

    Raises
    ------
    ValueError
        If there are not two percentages.
    """
    if not (0 <= first <= 100 and 0 <= second <= 100):
        raise ValueError(f"a percentage lies between 0 and 100, got {first} and {second}")
    return max(0.0, first + second - 100), min(first, second)


def checks_of(printed: Mapping[str, Any]) -> Iterator[Check]:
    """All checks: Tables 2 and 7 on their parts, Table 9 on Table 8, Table 6, the set of §4.5, slips in the text.

    Yields
    ------
    key, value, unit
        `printed.table2.off_grid`, `printed.table7.on_grid` and `.fitting`: accuracies as counts of sentences;
        `printed.errors_margin`, the errors that an accuracy implies; `printed.table9.margin`, `.fitting` and
        `.missing_occurrence`; `printed.set.sizes` and `.least_size`, the sizes that fit the accuracies of §4.5;
        `printed.table6.WORD.joint_least` and `.joint_most`; `printed.score_range_excess`; `printed.swapped`.
    """
    yield from _tables_2_and_7(printed)
    yield from _table_9(printed["table9"], printed["table8"])
    yield from _probes(printed)
    # §3.2.1 maps ŝ in [0, 1] by slope · ŝ + intercept and calls the range [−1, 1]; E.2 selects ten words at most.
    yield "printed.score_range_excess", printed["score"]["slope"] + printed["score"]["intercept"] - 1, "score"
    yield "printed.swapped", printed["e2"]["median_size"] - printed["e2"]["most"], "number of words"


def _tables_2_and_7(printed: Mapping[str, Any]) -> Iterator[Check]:
    rounding = _rounding(2)
    gaps = {}
    for table, n in (("table2", printed["test_sentences"]), ("table7", printed["dev_sentences"])):
        cells = [value for row in printed[table].values() for value in row]
        gaps[table] = max(count_gap(value, n) for value in cells)
        yield (
            f"printed.{table}.fitting",
            sum(count_behind(value, n) is not None for value in cells),
            "number of accuracies",
        )
    yield "printed.table2.off_grid", gaps["table2"] - rounding, "points"
    yield "printed.table7.on_grid", rounding - gaps["table7"], "points"
    accuracy = printed["table7"][printed["main_teacher"]][0]
    errors = printed["dev_sentences"] * (1 - accuracy / 100)
    yield "printed.errors_margin", 0.5 - abs(errors - printed["dev_errors"]), "number of sentences"


def _table_9(table9: Mapping[str, Any], sizes: Mapping[str, int]) -> Iterator[Check]:
    """Unlike ratios as counts of the words of their tag, and the occurrence of a word that is not listed."""
    cells = [(ratio, sizes[tag]) for ratio, tag in table9["unlike_ratios"].values()]
    yield "printed.table9.margin", _rounding(2) - max(count_gap(ratio, size) for ratio, size in cells), "points"
    yield (
        "printed.table9.fitting",
        sum(count_behind(ratio, size) is not None for ratio, size in cells),
        "number of ratios",
    )
    repeated, others = table9["repeated"], table9["beside_it"]
    yield "printed.table9.missing_occurrence", abs(repeated) - min(abs(score) for score in others), "score"


def _probes(printed: Mapping[str, Any]) -> Iterator[Check]:
    sizes = sizes_behind(printed["set"]["accuracies"], printed["set"]["most"])
    yield "printed.set.sizes", len(sizes), "number of sizes"
    if sizes:
        yield "printed.set.least_size", sizes[0], "number of contexts"
    for word, (control, probe) in printed["table6"].items():
        least, most = joint_range(control, probe)
        yield f"printed.table6.{word}.joint_least", least, "%"
        yield f"printed.table6.{word}.joint_most", most, "%"


def _rounding(decimals: int) -> float:
    if decimals < 0:
        raise ValueError(f"a number of decimals is not negative, got {decimals}")
    return float(Fraction(1, 2 * 10**decimals))
