"""Printed numbers and released files of Lyu, He and Li (2020): sums, counts and bounds that have to hold.

`facts_of` counts the authors' AG file: sizes (Table 1), the MAJORITY row, repeated texts. `checks_of` sets the printed
tables against each other; `printed` has the ledger's tables. Both give keys and values as `Record.metrics` takes them.
Gaps are in points; zero means that the numbers can stand together.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from trustnlp.data.texts.private_attributes import AttributeSet
from trustnlp.evaluation.printed_numbers import count_gap, overall_range, range_gap
from trustnlp.privacy.attacks.attribute_metrics import majority_baseline

Check = tuple[str, float | tuple[float, tuple[float, float]]]
Printed = Mapping[str, Any]
METHODS = ("non_private", "adversarial", "dpnr")
ENTITIES = (3, 4, 5)
CORPORA = {"AG": "ag", "BLOG": "blog", "TP-US": "tp_us"}
PARTS = ("dev", "test")


def facts_of(news: AttributeSet) -> Iterator[Check]:
    """Sizes, what always naming the most frequent topic and person gives, and repeated texts, with keys `ag.…`."""
    rows: list[tuple[Any, ...]] = []
    for part, split in news.splits.items():
        most = majority_baseline(news.train.labels, news.train.attributes, split.labels, split.attributes, "entities")
        yield f"ag.{part}.texts", len(split)
        yield f"ag.{part}.majority_accuracy", most.accuracy
        yield f"ag.{part}.majority_privacy", most.empirical_privacy
        if part != "train":
            yield f"ag.{part}.in_train", int(news.in_train(part).sum())
        rows += zip(split.texts, split.labels, map(tuple, split.attributes), strict=True)
    by_text = pd.DataFrame(rows, columns=["text", "topics", "persons"]).groupby("text")
    yield "ag.distinct", len(by_text)
    yield "ag.repeated", int((by_text.size() > 1).sum())
    for column in ("topics", "persons"):
        yield f"ag.conflicting_{column}", int((by_text[column].nunique() > 1).sum())


def checks_of(printed: Printed, news: AttributeSet) -> Iterator[Check]:
    """All checks, with keys `printed.…`. The AG file `news` tells how large groups are.

    Yields
    ------
    key, value
        Table 7: `printed.implied.METHOD.PART.entityN`, the overall accuracy that a pair of cells implies;
        `printed.table7.smallest_gap` and `.test_disagreement` between those and Table 4, or one another;
        `printed.table7.ratio_beyond_PART` and `.ratio_within_PART`, the printed shares against those of a part of AG;
        `printed.adversarial_fairer`, entities for which the adversary has the smaller difference. Tables 5 and 7:
        `printed.counts.PART.runsN` and `printed.counts.five_runs`, cells that no mean of so many runs is. Tables 4 and
        6: `printed.dpnr_minus_majority.CORPUS`, `printed.adversarial_below_majority`, `printed.table6.smallest_gap`.
    """
    sizes = {part: len(news.splits[part]) for part in PARTS}
    members = {(part, e): int(news.splits[part].attributes[:, e - 1].sum()) for part in PARTS for e in ENTITIES}
    yield from _table7(printed, sizes, members)
    yield from _counts(printed, sizes, members)
    yield from _tables_4_and_6(printed)


def _overall(printed: Printed, method: str, corpus: str) -> tuple[float, float]:
    """Range of a method's accuracy in Table 4: one rounded number, or the sum of two."""
    base = printed["table4"]["non_private"][corpus][0]
    more = 0 if method == "non_private" else printed["table4"][method][corpus][0]
    rounding = 0.005 if method == "non_private" else 0.01
    return base + more - rounding, base + more + rounding


def _table7(printed: Printed, sizes: Mapping[str, int], members: Mapping[tuple[str, int], int]) -> Iterator[Check]:
    """The accuracy on all texts that each pair implies, if groups are as large as in a part, and the shares above."""
    table, gaps = printed["table7"], []
    implied = {}
    for method, part, entity in itertools.product(METHODS, PARTS, ENTITIES):
        first, more = table[method][entity]
        implied[method, part, entity] = overall_range(first, more, members[part, entity] / sizes[part])
    for (method, part, entity), ends in implied.items():
        yield f"printed.implied.{method}.{part}.entity{entity}", (sum(ends) / 2, ends)
    for method, entity in itertools.product(METHODS, ENTITIES):
        gaps.append(min(range_gap(implied[method, part, entity], _overall(printed, method, "ag")) for part in PARTS))
        yield f"printed.table7.entity{entity}.{method}", gaps[-1]
    yield "printed.table7.smallest_gap", min(gaps)
    apart = [
        range_gap(implied[method, "test", one], implied[method, "test", other])
        for method in METHODS
        for one, other in itertools.combinations(ENTITIES, 2)
    ]
    yield "printed.table7.test_disagreement", max(apart)
    for part in PARTS:
        shares = table["present_share"].items()
        furthest = max(abs(share - 100 * members[part, entity] / sizes[part]) for entity, share in shares)
        yield f"printed.table7.ratio_beyond_{part}", furthest - 0.5
        yield f"printed.table7.ratio_within_{part}", 0.5 - furthest
    gap = {method: {entity: abs(more) for entity, (_, more) in table[method].items()} for method in METHODS}
    fairer = sum(gap["adversarial"][entity] < gap["dpnr"][entity] for entity in gap["dpnr"])
    yield "printed.adversarial_fairer", fairer


def _counts(printed: Printed, sizes: Mapping[str, int], members: Mapping[tuple[str, int], int]) -> Iterator[Check]:
    """Numbers of Tables 5 and 7 that no mean of so many runs over so many texts can be."""
    of_five = []
    for part in PARTS:
        cells = []
        for method, entity in itertools.product(METHODS, ENTITIES):
            n, (first, more) = members[part, entity], printed["table7"][method][entity]
            absent, present = printed["table5"][method][entity]
            cells += [(absent, sizes[part] - n, 0.01), (present, n, 0.01)]
            cells += [(first, sizes[part] - n, 0.01), (round(first + more, 2), n, 0.02)]
        for runs in (1, 3, 5):
            wrong = sum(count_gap(value, n, runs=runs) > tolerance for value, n, tolerance in cells)
            yield f"printed.counts.{part}.runs{runs}", wrong
        of_five.append(wrong)
    yield "printed.counts.five_runs", min(of_five)


def _tables_4_and_6(printed: Printed) -> Iterator[Check]:
    table4, gaps = printed["table4"], []
    private = {corpus: table4["non_private"][corpus][1] for corpus in CORPORA.values()}
    for name, corpus in CORPORA.items():
        beyond = private[corpus] + table4["dpnr"][corpus][1] - table4["majority"][corpus][1]
        yield f"printed.dpnr_minus_majority.{name}", beyond - 0.015  # three rounded numbers
        for groups in printed["table6"].get(corpus, {}).values():
            for method in METHODS:
                first, more = groups[method]
                both = overall_range(first, more, groups["second_share"] / 100, share_rounding=0.005)
                gaps.append(range_gap(both, _overall(printed, method, corpus)))
    yield "printed.table6.smallest_gap", min(gaps)
    # The corpora whose private attributes are demographic traits; three rounded numbers.
    below = [table4["majority"][c][1] - private[c] - table4["adversarial"][c][1] for c in ("tp_us", "blog")]
    yield "printed.adversarial_below_majority", min(below) - 0.015
