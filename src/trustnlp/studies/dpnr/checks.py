"""Printed numbers and released files of Lyu, He and Li (2020): sums, counts and bounds that have to hold.

`facts_of` counts the authors' AG file: sizes (Table 1), the MAJORITY row, repeated texts. `checks_of` sets the printed
tables against each other; `printed` has the ledger's tables. Both give the key of a metric, its value, and how
`Record.metric` is to take it. Gaps are in points; zero means that the numbers can stand together.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.data.texts.private_attributes import ENTITIES as NAMES
from trustnlp.data.texts.private_attributes import TOPICS, AttributeSet, AttributeTexts
from trustnlp.evaluation.printed_numbers import count_gap, least_recall, overall_range, range_gap
from trustnlp.privacy.attacks.attribute_metrics import empirical_privacy

Check = tuple[str, float, dict[str, Any]]
Printed = Mapping[str, Any]
METHODS = ("non_private", "adversarial", "dpnr")
ENTITIES = (3, 4, 5)
CORPORA = {"AG": "ag", "BLOG": "blog", "TP-US": "tp_us"}
PARTS = ("dev", "test")
POINTS = {"unit": "points"}
# Key, value, and how `Record.metric` is to take it.
Fact = tuple[str, float, dict[str, Any]]


def standin_with_repetitions(rng: np.random.Generator) -> AttributeSet:
    """Made-up texts, fifty of development and twenty-five of test also in train, with topics and persons by chance."""
    texts = [f"text {number}" for number in range(400)]

    def draw(names: list[str]) -> AttributeTexts:
        persons = np.eye(5, dtype=int)[rng.integers(0, 5, len(names))]
        return AttributeTexts(tuple(names), rng.integers(0, 4, len(names)), persons)

    return AttributeSet("stand-in", TOPICS, NAMES, *map(draw, (texts[:300], texts[250:350], texts[275:400])))


def facts_of(news: AttributeSet) -> Iterator[Fact]:
    """Sizes, what always naming the most frequent topic and person gives, and repeated texts, with keys `ag.…`."""
    table = pd.concat(
        pd.DataFrame({"part": name, "text": split.texts, "topic": split.labels}).assign(
            persons=[tuple(row) for row in split.attributes], copied=news.in_train(name)
        )
        for name, split in news.splits.items()
    )
    train = table[table.part == "train"]
    topic = train.topic.mode()[0]
    person = np.eye(5, dtype=int)[news.train.attributes.sum(axis=0).argmax()]
    known_topic = train.groupby("text").topic.agg(lambda topics: topics.mode()[0])
    for name, split in news.splits.items():
        part = table[table.part == name]
        said = np.broadcast_to(person, split.attributes.shape)
        yield f"ag.{name}.texts", len(part), {}
        yield f"ag.{name}.majority_accuracy", 100 * float((part.topic == topic).mean()), {"unit": "%"}
        private = empirical_privacy(split.attributes, said, "entities")
        yield f"ag.{name}.majority_privacy", private, {"unit": "%"}
        if name != "train":
            copied = part[part.copied]
            yield f"ag.{name}.in_train", len(copied), {}
            agrees = 100 * (copied.text.map(known_topic) == copied.topic).mean()
            yield f"ag.{name}.in_train_topic_agrees", agrees, {"unit": "%"}
    by_text = table.groupby("text")
    repeated = by_text.size() > 1
    yield "ag.distinct", len(repeated), {}
    yield "ag.repeated", int(repeated.sum()), {}
    yield "ag.conflicting_topics", int((by_text.topic.nunique() > 1).sum()), {}
    yield "ag.conflicting_persons", int((by_text.persons.nunique() > 1).sum()), {}


def checks_of(printed: Printed, news: AttributeSet, majority: Mapping[str, float]) -> Iterator[Check]:
    """All checks, with keys `printed.…`.

    Parameters
    ----------
    news
        The AG file, which tells how large groups are.
    majority
        Accuracy of always naming the most frequent topic, in per cent, by part.
    """
    implied = _implied(printed, news)
    yield from _table7(printed, implied)
    yield from _ratio_row(printed, news)
    yield from _counts(printed, news, implied)
    for (method, part, entity), (low, high) in implied.items():
        yield f"printed.implied.{method}.{part}.entity{entity}", (low + high) / 2, {"interval": (low, high)}
    yield from _tables_4_and_6(printed)
    yield from _adversarial(printed, majority)
    yield from _table5(printed, news)


def _sizes(news: AttributeSet) -> dict[str, int]:
    return {part: len(split) for part, split in news.splits.items()}


def _members(news: AttributeSet, part: str, entity: int) -> int:
    return int(news.splits[part].attributes[:, entity - 1].sum())


def _implied(printed: Printed, news: AttributeSet) -> dict[tuple[str, str, int], tuple[float, float]]:
    """Range of the accuracy on all texts that each pair of Table 7 implies, if groups are as large as in a part."""
    sizes = _sizes(news)
    found = {}
    for method, part, entity in itertools.product(METHODS, PARTS, ENTITIES):
        first, more = printed["table7"][method][entity]
        found[method, part, entity] = overall_range(first, more, _members(news, part, entity) / sizes[part])
    return found


def _overall(printed: Printed, method: str, corpus: str) -> tuple[float, float]:
    """Range of a method's accuracy in Table 4: one rounded number, or the sum of two."""
    base = printed["table4"]["non_private"][corpus][0]
    more = 0 if method == "non_private" else printed["table4"][method][corpus][0]
    rounding = 0.005 if method == "non_private" else 0.01
    return base + more - rounding, base + more + rounding


def _table7(printed: Printed, implied: Mapping[tuple[str, str, int], tuple[float, float]]) -> Iterator[Check]:
    gaps = []
    for method, entity in itertools.product(METHODS, ENTITIES):
        gaps.append(min(range_gap(implied[method, part, entity], _overall(printed, method, "ag")) for part in PARTS))
        yield f"printed.table7.entity{entity}.{method}", gaps[-1], POINTS
    yield "printed.table7.smallest_gap", min(gaps), POINTS


def _ratio_row(printed: Printed, news: AttributeSet) -> Iterator[Check]:
    """How far the shares printed above Table 7's accuracies are from each part's, beyond their rounding."""
    sizes = _sizes(news)
    for part in PARTS:
        furthest = max(
            abs(share - 100 * _members(news, part, entity) / sizes[part])
            for entity, share in printed["table7"]["present_share"].items()
        )
        yield f"printed.table7.ratio_beyond_{part}", furthest - 0.5, POINTS
        yield f"printed.table7.ratio_within_{part}", 0.5 - furthest, POINTS


def _counts(
    printed: Printed, news: AttributeSet, implied: Mapping[tuple[str, str, int], tuple[float, float]]
) -> Iterator[Check]:
    """Numbers of Tables 5 and 7 that no mean of so many runs over so many texts can be."""
    sizes, of_five = _sizes(news), []
    for part in PARTS:
        gap = max(
            range_gap(implied[method, part, one], implied[method, part, other])
            for method in METHODS
            for one, other in itertools.combinations(ENTITIES, 2)
        )
        yield f"printed.table7.{part}_disagreement", gap, POINTS
        cells = []
        for method, entity in itertools.product(METHODS, ENTITIES):
            n, (first, more) = _members(news, part, entity), printed["table7"][method][entity]
            absent, present = printed["table5"][method][entity]
            cells += [(absent, sizes[part] - n, 0.01), (present, n, 0.01)]
            cells += [(first, sizes[part] - n, 0.01), (round(first + more, 2), n, 0.02)]
        for runs in (1, 3, 5):
            wrong = sum(count_gap(value, n, runs=runs) > tolerance for value, n, tolerance in cells)
            yield f"printed.counts.{part}.runs{runs}", wrong, {"unit": "count of cells"}
        of_five.append(wrong)
    yield "printed.counts.five_runs", min(of_five), {"unit": "number of cells"}


def _tables_4_and_6(printed: Printed) -> Iterator[Check]:
    table4, gaps = printed["table4"], []
    for name, corpus in CORPORA.items():
        private = table4["non_private"][corpus][1]
        most = table4["majority"][corpus][1] + 0.015  # three rounded numbers
        for method in METHODS[1:]:
            beyond = private + table4[method][corpus][1] - most
            yield f"printed.{method}_minus_majority.{name}", beyond, POINTS
        for by, groups in printed["table6"].get(corpus, {}).items():
            for method in METHODS:
                first, more = groups[method]
                both = overall_range(first, more, groups["second_share"] / 100, share_rounding=0.005)
                gaps.append(range_gap(both, _overall(printed, method, corpus)))
                yield f"printed.table6.{name}-{by}.{method}", gaps[-1], POINTS
    yield "printed.table6.smallest_gap", min(gaps), POINTS


def _adversarial(printed: Printed, majority: Mapping[str, float]) -> Iterator[Check]:
    table2, table4, table7 = printed["table2"], printed["table4"], printed["table7"]
    accuracy = table4["non_private"]["ag"][0] + table4["adversarial"]["ag"][0]
    dev, test = (abs(accuracy - majority[part]) for part in PARTS)
    yield "printed.adversarial_is_dev_majority", min(0.01 - dev, test - 0.01), {}
    fairer = sum(abs(table7["adversarial"][e][1]) < abs(table7["dpnr"][e][1]) for e in table7["dpnr"])
    yield "printed.adversarial_fairer", fairer, {"unit": "count of entities"}
    # The corpora whose private attributes are demographic traits; three rounded numbers.
    below = [
        table4["majority"][c][1] - table4["non_private"][c][1] - table4["adversarial"][c][1] for c in ("tp_us", "blog")
    ]
    yield "printed.adversarial_below_majority", min(below) - 0.015, POINTS
    same = [table4["non_private"][c][0] + table4["dpnr"][c][0] - table2["dpnr"][c][0] for c in CORPORA.values()]
    yield "printed.table4_is_table2", 0.015 - max(map(abs, same)), {}


def _table5(printed: Printed, news: AttributeSet) -> Iterator[Check]:
    """How much recall the F1 of Table 4 needs of the entities of Table 5, beyond the largest that is printed."""
    table4, attack, needed = printed["table4"], printed["table5"]["dpnr"], []
    f1 = 1 - (table4["non_private"]["ag"][1] + table4["dpnr"]["ag"][1]) / 100
    sizes = _sizes(news)
    for part in PARTS:
        members = {entity: _members(news, part, entity) for entity in attack}
        hits = sum(attack[entity][1] / 100 * members[entity] for entity in attack)
        alarms = sum((1 - attack[entity][0] / 100) * (sizes[part] - members[entity]) for entity in attack)
        counts = news.splits[part].attributes.sum(axis=0)
        rest = {"known_hits": hits, "known_false_alarms": alarms}
        needed.append(least_recall(f1, int(counts.sum()), remaining=int(counts[:2].sum()), **rest))
    more = 100 * min(needed) - max(present for _, present in attack.values())
    yield "printed.recall_needed_excess.dpnr", more, POINTS
