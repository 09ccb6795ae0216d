"""The generated world: what is planted is there, the types give nothing away, and a seed is a seed."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.relations.rules.rule_base import RuleBase
from trustnlp.relations.rules.rule_index import match_all
from trustnlp.studies.edin.standins import GeneratedRule, generated_relations, planted_rule

World = tuple[list[RelationExample], list[GeneratedRule]]


@pytest.fixture(scope="module")
def world() -> World:
    return generated_relations(1_600, np.random.default_rng(5))


def test_exactly_the_planted_rules_match(world: World) -> None:
    examples, rules = world
    matches = match_all(RuleBase.of(rules), examples, lemmas=True).matches
    planted = [planted_rule(example) for example in examples]
    assert [[match.rule for match in found] for found in matches] == [[rule] if rule else [] for rule in planted]
    assert set(planted) - {None} == {rule.id for rule in rules} and len({rule.pattern for rule in rules}) == 24
    assert set(Counter(rule.relation for rule in rules).values()) == {3}
    relation = {rule.id: rule.relation for rule in rules}
    assert all(relation[rule] == example.relation for rule, example in zip(planted, examples, strict=True) if rule)


def test_shares_are_those_asked_for(world: World) -> None:
    labels = Counter(example.relation for example in world[0])
    assert labels.pop(NO_RELATION) == 800 and set(labels.values()) == {100}
    stated = [example for example in world[0] if example.relation != NO_RELATION]
    assert sum(planted_rule(example) is None for example in stated) == pytest.approx(0.25 * 800, abs=40)
    truth = {rule.id: rule.relation for rule in world[1]}
    rules = generated_relations(8, np.random.default_rng(1), wrong_rules=0.25)[1]
    assert sum(rule.relation != truth[rule.id] for rule in rules) == 6


def test_a_wrong_rule_names_another_relation_of_the_same_types() -> None:
    examples, rules = generated_relations(600, np.random.default_rng(2), wrong_rules=1.0)
    types: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for example in examples:
        types[example.relation].add((example.subject_type, example.object_type))
    claimed = {rule.id: rule.relation for rule in rules}
    said = [(claimed[rule], example.relation) for example in examples if (rule := planted_rule(example))]
    assert len(said) > 200 and all(one != other and types[one] == types[other] for one, other in said)


def test_no_relation_has_the_types_and_the_words_of_the_relations(world: World) -> None:
    by_types: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    words: dict[bool, set[str]] = {True: set(), False: set()}
    for example in world[0]:
        by_types[example.subject_type, example.object_type][example.relation] += 1
        plain = {token for token, kind in zip(example.tokens, example.ner, strict=True) if kind == "O"}
        words[example.relation == NO_RELATION] |= plain
    assert len(by_types) == 4 and words[False] <= words[True]
    for labels in by_types.values():  # two relations each, as frequent as each other, and none as frequent as both
        assert set(labels) > {NO_RELATION} and len(labels) == 3
        assert labels[NO_RELATION] == pytest.approx(sum(labels.values()) / 2, rel=0.2)


def test_columns_are_whole_and_entities_have_their_types(world: World) -> None:
    for example in world[0]:
        length = len(example.tokens)
        assert {len(column) for column in (example.tags, example.lemmas, example.ner, example.dependencies)} == {length}
        for span, kind in ((example.subject, example.subject_type), (example.object, example.object_type)):
            assert set(example.ner[slice(*span)]) == {kind}
            assert set(example.tags[slice(*span)]) == {"NNP"}
        root = example.heads.index(-1)
        assert example.dependencies[root] == "root" and example.dependencies.count("root") == 1
        assert example.tokens[-1] == "." and example.heads[-1] == root


def test_a_seed_is_a_seed() -> None:
    one, other, third = (generated_relations(60, np.random.default_rng(seed), wrong_rules=0.5) for seed in (3, 3, 4))
    assert one == other
    assert one[0] != third[0] and one[1] != third[1]
