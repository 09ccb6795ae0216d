"""The printed numbers of Kumar, Dixit and Shah (2021) against each other, and against the numbers of texts they count.

An accuracy in per cent with two decimals is a count of texts divided by their number, so few such numbers are possible
for 872 or 1,821 texts (`trustnlp.evaluation.printed_numbers`). An unlike ratio is a count of words divided by how many
there are of their part of speech, and two accuracies over the same contexts bound how often both answers are right.

`printed` has the ledger's tables. Every check of `checks_of` gives the key of its metric, `printed.…`,
value and unit. A margin is positive where the numbers fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trustnlp.evaluation.printed_numbers import count_behind, count_gap, joint_range, rounding_of, sizes_behind

Check = tuple[str, float, str]


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
    rounding = rounding_of(2)
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
    yield "printed.table9.margin", rounding_of(2) - max(count_gap(ratio, size) for ratio, size in cells), "points"
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
