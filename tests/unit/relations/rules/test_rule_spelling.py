"""A rule as tokens, and decoded rules that are run."""

from __future__ import annotations

import pytest

from trustnlp.data.relations.relation_examples import RelationExample, Span
from trustnlp.relations.decoded_rules import matches
from trustnlp.relations.rules.rule_base import parse_pattern
from trustnlp.relations.rules.rule_spelling import (
    SPECIALS,
    pattern_of,
    rule_tokens,
    rule_vocabulary,
    well_formed,
)
from trustnlp.relations.rules.rule_syntax import RuleSyntaxError

SUB, OBJ = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)"


def example(words: str, relation: str = "made") -> RelationExample:
    tokens = tuple(words.split())
    return RelationExample(words, tokens, Span(0, 1), Span(len(tokens) - 1, len(tokens)), relation)


def test_words_are_tokens_other_characters_too_and_commas_are_none() -> None:
    assert " ".join(rule_tokens('[ {lemma:/co-op/} ]{0,4} ","')) == '[ { lemma : / co - op / } ] { 0 4 } " "'
    assert rule_tokens("STATE_OR_PROVINCE") == ["STATE_OR_PROVINCE"]


def test_the_vocabulary_is_sorted_by_frequency_after_the_specials() -> None:
    assert rule_vocabulary(['"b"', '"a" "a"']) == [*SPECIALS, '"', "a", "b"]
    assert rule_vocabulary({"t_1": '"b"'}) == [*SPECIALS, '"', "b"]


def kept_meaning(pattern: str) -> bool:
    """Whether a pattern is the same tree after it was written as tokens and put together again."""
    tokens = rule_tokens(pattern)
    return well_formed(tokens) and parse_pattern(pattern_of(tokens)) == parse_pattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        '","',
        "/,//,/",
        "/,|:/",
        "/a|,|b/",
        '[]{0,4} "a"',
        '[{lemma:/,/}] "of"',
        r'"\"" ","',
        f'{SUB} "\'s" {OBJ}',
        r"{lemma: /\Qdaughter\E/}=null >nsubj=E1 {}=entity",
        "{} [ >/(prep_|nmod:)in/ {}=slot | >at {}=slot ] ?>cop {lemma:be}",
    ],
)
def test_dropped_commas_are_put_back(pattern: str) -> None:
    assert "," not in rule_tokens(pattern)
    assert kept_meaning(pattern)


@pytest.mark.parametrize("pattern", ["/[,;]/", '"people,"', "/[a-z ]+/", '"a"{2,}'])
def test_what_is_lost_is_known_to_be_lost(pattern: str) -> None:
    assert well_formed(rule_tokens(pattern))
    assert not kept_meaning(pattern)


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (rule_tokens(f'{SUB} "," "CEO" {OBJ}'), True),
        ([], False),
        (["(", ")"], False),
        (['"', "is"], False),
        (["["] * 100, False),
    ],
)
def test_only_tokens_that_spell_a_rule_are_well_formed(tokens: list[str], expected: bool) -> None:
    assert well_formed(tokens) is expected


def test_decoded_rules_are_run() -> None:
    sentence = example("IBM , CEO Ada")
    rule = f'{SUB} "," "CEO" {OBJ}'
    assert matches(rule, sentence) and matches(rule_tokens(rule), sentence)
    assert not matches(f'{SUB} "CEO" {OBJ}', sentence)
    assert matches(rule, example("IBM CEO Ada"), commas="optional") and not matches(rule, example("IBM CEO Ada"))
    assert not matches('"CEO"', sentence), "a rule without a pair explains none"
    assert not matches('"([ { kbpentity:true } ]+ )" "CEO"', sentence)
    with pytest.raises(RuleSyntaxError, match="negation"):
        matches('!"a"', sentence)
