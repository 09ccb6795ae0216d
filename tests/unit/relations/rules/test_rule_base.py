"""Rules with relations: one's own, and the recovery of the released ones' on made-up numbers."""

from __future__ import annotations

import pytest

from trustnlp.relations.rules.corenlp_semgrex import former_labels
from trustnlp.relations.rules.rule_base import (
    ONE_NODE_TWICE,
    QUOTED_MARK,
    UNKNOWN_RELATION,
    USABLE,
    RuleBase,
    released_rule_base,
    restore_relation,
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
    assert base.set_aside == {
        UNKNOWN_RELATION: ["t_4"], QUOTED_MARK: ["t_7"], "lacks the object": ["t_8"], ONE_NODE_TWICE: ["s_2"]
    }  # fmt: skip
    assert base.relations == ["org:top_members/employees", "per:employee_of", "per:title"]
    rule = base["t_3"]
    assert (rule.language, rule.status, rule.slot_types) == ("tokensregex", USABLE, SLOT_TYPES["per:employee_of"])


@pytest.mark.parametrize(
    ("matched", "message"),
    [
        ([("per:titel", "t_0")], "'per:titel' is no relation of TAC KBP; did you mean 'per:title'?"),
        ([("per:title", "t_77")], "'t_77', which is not among the 13 patterns"),
        ([("per:title", "t_0"), ("per:age", "t_0")], "t_0 has two relations: per:(title|age) and per:(title|age)"),
        ([("per:title", "t_0"), ("per:title", "t_2"), ("per:age", "t_1")], "rules of per:title and per:age overlap"),
    ],
)
def test_mappings_that_contradict_themselves_are_refused(matched: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        released_rule_base(PATTERNS, matched)


def test_released_rules_need_their_numbers_and_their_syntax() -> None:
    with pytest.raises(ValueError, match="'x_1' is no id of a released rule"):
        released_rule_base({"x_1": '"a"'}, [])
    with pytest.raises(RuleSyntaxError, match="t_1: negation"):
        released_rule_base({"t_1": '!"a"'}, [])


def test_ones_own_rules() -> None:
    base = RuleBase.of(
        [("b", "Cause-Effect(e1,e2)", f'{SUB} "causes" {OBJ}'), ("a", "per:age", f"{SUB} {OBJ}"), ("c", "x", OBJ)]
    )
    assert [rule.id for rule in base] == ["b", "a", "c"]
    assert base["b"].slot_types is None and base["a"].slot_types is SLOT_TYPES["per:age"]
    assert base.set_aside == {"lacks the subject": ["c"]}
    assert [rule.id for rule in base.only(["a", "b"])] == ["b", "a"]
    with pytest.raises(KeyError, match="no rule 'z' among 3"):
        base["z"]
    assert [rule.id for rule in base[:1]] == ["b"] and base[1].id == "a" and len(base) == 3


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        ([("a", "x", SUB), ("a", "y", OBJ)], ValueError, "several rules have the id 'a'"),
        ([("a", " ", SUB)], ValueError, "a: the relation is empty"),
        ([("a", "x", "{} >>b {}")], RuleSyntaxError, "a: a chain of relations"),
    ],
)
def test_bad_rules_of_ones_own_are_refused(
    rules: list[tuple[str, str, str]], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        RuleBase.of(rules)


def test_relations_are_found_with_and_without_their_stroke() -> None:
    assert all(restore_relation(name.replace("/", "")) == name == restore_relation(name) for name in SLOT_TYPES)
    with pytest.raises(ValueError, match=r"'nonsense' is no relation of TAC KBP$"):
        restore_relation("nonsense")


def test_todays_labels_are_changed_back() -> None:
    now = "{} >/nsubj:pass/ {}=x >/acl:relcl/ ({} >/(i?)obj/ {}) >/(nmod|obl):in/ {} >/(nmod:|obl:)tmod|nn|flat/ {}"
    assert former_labels(now) == "{} >nsubjpass {}=x >/acl:relclause/ ({} >/.obj/ {}) >/nmod:in/ {} >/nmod:tmod|nn/ {}"
