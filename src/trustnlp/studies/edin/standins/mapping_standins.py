"""Made-up rules and lists of what they match, in the form of the released files of Tang and Surdeanu (2021).

Five relations, a dozen patterns that no file holds, and one with a lemma that never matches, as in the files. A
relation and its rules match by fixed weights, so one rule carries the title relation, as there. A stated share of the
training matches disagrees with the label. What is recovered from them is known; about TACRED they say nothing.
"""

from __future__ import annotations

import numpy as np

from trustnlp.data.relations.rule_mappings import PARTS, RuleMatch

_SUBJECT, _OBJECT = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)"
# Relation → (weight of the relation, patterns with the weights of each).
_WORLD: dict[str, tuple[float, dict[str, float]]] = {
    "per:title": (5, {"{ner:PERSON}=entity >/compound|appos/ {ner:TITLE}=slot": 6, f'({_OBJECT} {_SUBJECT})': 3}),
    "per:date_of_birth": (2, {f"({_SUBJECT} /was/ /born/ /on/ {_OBJECT})": 3, f'({_SUBJECT} "," "born" {_OBJECT})': 1}),
    "per:city_of_death": (1, {f'({_SUBJECT} "died" "in" {_OBJECT})': 2, f'({_SUBJECT} "rests" "in" {_OBJECT})': 1}),
    "org:city_of_headquarters": (2, {f'({_SUBJECT} "," "based" "in" {_OBJECT})': 4, f'({_SUBJECT} "of" {_OBJECT})': 1}),
    "org:top_members/employees": (3, {f'({_SUBJECT} "CEO" {_OBJECT})': 4, f'({_SUBJECT} "president" {_OBJECT})': 2}),
}  # fmt: skip
_DEAD = f'({_SUBJECT} [{{lemma:"be"}}] "in" {_OBJECT})'
_MATCHED, _SECOND, _DISAGREE = 0.3, 0.4, 0.15
_SIZES = {"train": 1.0, "dev": 0.4, "test": 0.4}

Parts = dict[str, list[tuple[RuleMatch, ...] | None]]


def made_up_mappings(n_items: int, rng: np.random.Generator) -> tuple[dict[str, str], Parts]:
    """Rules by name, and parts by their released names, as the readers of the real files give them.

    Parameters
    ----------
    n_items
        Items of the training part; the other two are smaller.

    Raises
    ------
    ValueError
        Fewer than 100 items, of which a relation might have none.
    """
    if n_items < 100:
        raise ValueError(f"expected at least 100 items, so that every relation has some, got {n_items}")
    rules: dict[str, str] = {}
    matches: dict[tuple[str, str], RuleMatch] = {}
    for relation, (_, patterns) in _WORLD.items():
        for pattern in patterns:
            name = f"{'s' if pattern.startswith('{') else 't'}_{len(rules) + 1}"
            rules[name], matches[relation, pattern] = pattern, RuleMatch(relation, name)
    rules[f"t_{len(rules) + 1}"] = _DEAD
    parts: Parts = {}
    for part, size in _SIZES.items():
        parts[part] = [_item(matches, rng) for _ in range(round(size * n_items))]
    positives = [item for item in parts["train"] if item is not None]
    parts["train"] = [() if item and rng.random() < _DISAGREE else item for item in parts["train"]]
    without: list[tuple[RuleMatch, ...] | None] = [None] * (3 * len(positives))
    parts[PARTS[-1]] = [*positives, *without]
    return rules, parts


def _item(matches: dict[tuple[str, str], RuleMatch], rng: np.random.Generator) -> tuple[RuleMatch, ...] | None:
    if rng.random() >= _MATCHED:
        return None
    relations = list(_WORLD)
    weights = np.array([_WORLD[name][0] for name in relations])
    relation = relations[rng.choice(len(relations), p=weights / weights.sum())]
    patterns = _WORLD[relation][1]
    shares = np.array(list(patterns.values()))
    number = 1 + (rng.random() < _SECOND)
    chosen = rng.choice(len(patterns), size=number, replace=False, p=shares / shares.sum())
    return tuple(matches[relation, list(patterns)[place]] for place in sorted(chosen))
