"""The released rules as they are: counts that the chapter rests on."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from trustnlp.data.relations.rule_mappings import PARTS, read_rule_mappings, read_rule_texts
from trustnlp.relations.rules.rule_base import (
    ONE_NODE_TWICE,
    QUOTED_MARK,
    UNKNOWN_RELATION,
    USABLE,
    Rule,
    RuleBase,
    read_rule_base,
)
from trustnlp.relations.rules.rule_spelling import rule_tokens, rule_vocabulary, well_formed
from trustnlp.relations.rules.token_patterns import TokenPattern

pytestmark = pytest.mark.mirror


read_once = cache(read_rule_base)


@pytest.fixture
def base(mirror: Path) -> RuleBase:
    return read_once()


def token_rules(base: RuleBase) -> list[Rule]:
    return [rule for rule in base if rule.language == "tokensregex"]


def test_all_rules_are_read_and_the_dead_ones_known(base: RuleBase) -> None:
    assert Counter(rule.language for rule in base) == {"tokensregex": 4528, "semgrex": 198}
    status = Counter(rule.status for rule in base)
    assert (status[QUOTED_MARK], status[UNKNOWN_RELATION], status[USABLE]) == (58, 687, 3960)
    lacking = Counter(rule.language for rule in base if rule.status.startswith("lacks"))
    assert lacking == {"tokensregex": 12, "semgrex": 8}
    assert [rule.id for rule in base if rule.status == ONE_NODE_TWICE] == ["s_261"] and len(base.usable) == 3960


def test_equal_patterns_are_equal_trees(base: RuleBase) -> None:
    trees = {rule.tree for rule in token_rules(base)}
    assert len(trees) == 3968


def test_relations_are_recovered_by_blocks_of_numbers(base: RuleBase) -> None:
    assert Counter(rule.language for rule in base if rule.relation) == {"tokensregex": 3785, "semgrex": 181}
    assert len({rule.relation for rule in base.usable}) == 41
    matched = {m for part in PARTS for item in read_rule_mappings(part) for m in item or ()}
    assert len({match.rule for match in matched}) == 424
    for relation, name in matched:
        assert base[name].relation == relation and base[name].status == "usable"


def test_no_rule_with_a_lemma_is_among_the_published_matches(base: RuleBase) -> None:
    fired = {m.rule for part in PARTS for item in read_rule_mappings(part) for m in item or ()}
    trees = [base[name].tree for name in fired]
    assert not any(test.attribute == "lemma" for t in trees if isinstance(t, TokenPattern) for test in t.constraints())
    assert sum(name.startswith("s") for name in fired) == 9


def test_the_decoders_vocabulary_is_the_papers(mirror: Path) -> None:
    texts = read_rule_texts()
    assert len(rule_vocabulary(texts)) == 1141
    assert max(len(rule_tokens(text)) for text in texts.values()) > 100, (
        "the paper's longest decoded rule has 100 tokens"
    )
    assert all(well_formed(rule_tokens(text)) for text in texts.values())
