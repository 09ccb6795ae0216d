"""Rules with relations: one's own, and the recovery of the released ones' on made-up numbers."""

from __future__ import annotations

from refusals import assert_refused

from trustnlp.relations.rules.rule_base import (
    ONE_NODE_TWICE,
    QUOTED_MARK,
    UNKNOWN_RELATION,
    USABLE,
    RuleBase,
    former_labels,
    released_rule_base,
)
from trustnlp.relations.rules.rule_syntax import RuleSyntaxError
from trustnlp.relations.rules.slot_types import SLOT_TYPES

SUB, OBJ, ORG = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)", '([{slotvalue:true; ner:"ORGANIZATION"}]+)'
TITLE = "{ner:PERSON}=entity >/nn|compound/ {ner:TITLE}=slot"
PATTERNS = {
    "t_9": f"{SUB} {OBJ}",
    "t_0": f'{SUB} "a" {OBJ}',
    "t_1": f'{SUB} "b" {OBJ}',
    "t_2": f'{SUB} "c" {OBJ}',
    "t_3": f'{SUB} "d" {ORG}',
    "t_4": f'{SUB} "e" {OBJ}',
    "t_5": f'{SUB} "f" {ORG}',
    "t_6": f'{SUB} "g" {ORG}',
    "t_7": f'"([ {{ kbpentity:true }} ]+ )" {OBJ}',
    "t_8": f'{SUB} "h"',
    "s_0": TITLE,
    "s_1": "{}=entity >dobj {}=slot",
    "s_2": "{}=entity >nsubj {}=entity >dobj {}=slot",
}
MATCHED = [
    ("org:top_membersemployees", "t_0"), ("org:top_members/employees", "t_2"), ("org:top_membersemployees", "t_0"),
    ("per:employee_of", "t_5"), ("per:title", "t_8"), ("per:title", "t_9"), ("per:title", "s_2"),
]  # fmt: skip
CORENLP = {"per:title": ["{ner:PERSON}=entity >/nn|compound|flat/ {ner:TITLE}=slot"]}


def test_relations_come_from_matches_blocks_corenlp_and_the_employers_test() -> None:
    base = released_rule_base(PATTERNS, MATCHED, CORENLP)
    assert [rule.id for rule in base] == [*(f"t_{n}" for n in range(10)), "s_0", "s_1", "s_2"]
    assert {rule.id: rule.relation for rule in base} == {
        "t_0": "org:top_members/employees", "t_1": "org:top_members/employees", "t_2": "org:top_members/employees",
        "t_3": "per:employee_of", "t_4": None, "t_5": "per:employee_of", "t_6": "per:employee_of", "t_7": None,
        "t_8": "per:title", "t_9": "per:title", "s_0": "per:title", "s_1": "per:title", "s_2": "per:title",
    }  # fmt: skip
    assert {rule.id: rule.status for rule in base if rule.status != USABLE} == {
        "t_4": UNKNOWN_RELATION, "t_7": QUOTED_MARK, "t_8": "lacks the object", "s_2": ONE_NODE_TWICE
    }  # fmt: skip
    rule = base["t_3"]
    assert (rule.language, rule.status, rule.slot_types) == ("tokensregex", USABLE, SLOT_TYPES["per:employee_of"])


def test_mappings_that_contradict_themselves_are_refused() -> None:
    assert_refused(
        lambda matched: released_rule_base(PATTERNS, matched),
        [
            ([("per:title", "t_0"), ("per:age", "t_0")], "t_0 has two relations: per:title and per:age"),
            ([("per:title", "t_0"), ("per:title", "t_2"), ("per:age", "t_1")], "of per:title and per:age overlap"),
        ],
    )


def test_ones_own_rules() -> None:
    base = RuleBase.of(
        [("b", "Cause-Effect(e1,e2)", f'{SUB} "causes" {OBJ}'), ("a", "per:age", f"{SUB} {OBJ}"), ("c", "x", OBJ)]
    )
    assert [rule.id for rule in base] == ["b", "a", "c"]
    assert base["b"].slot_types is None and base["a"].slot_types is SLOT_TYPES["per:age"]
    assert [rule.status for rule in base] == [USABLE, USABLE, "lacks the subject"]
    assert [rule.id for rule in base.only(["a", "b"])] == ["b", "a"] and len(base) == 3


def test_bad_rules_of_ones_own_are_refused() -> None:
    assert_refused(
        RuleBase.of,
        [
            ([("a", "x", SUB), ("a", "y", OBJ)], "several rules have the id 'a'"),
            ([("a", " ", SUB)], "a: the relation is empty"),
            ([("a", "x", "{} >>b {}")], RuleSyntaxError, "a: a chain of relations"),
        ],
    )
    assert_refused(RuleBase.of([]).only, [(["z"], KeyError, "no rule 'z' among 0")])


def test_todays_labels_are_changed_back() -> None:
    now = "{} >/nsubj:pass/ {}=x >/acl:relcl/ ({} >/(i?)obj/ {}) >/(nmod|obl):in/ {} >/(nmod:|obl:)tmod|nn|flat/ {}"
    assert former_labels(now) == "{} >nsubjpass {}=x >/acl:relclause/ ({} >/.obj/ {}) >/nmod:in/ {} >/nmod:tmod|nn/ {}"
