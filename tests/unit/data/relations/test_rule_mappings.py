"""The released rules and mapping files: their numbers, what a line may be, and what is refused."""

import json

import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.relations import rule_mappings
from trustnlp.data.relations.rule_mappings import (
    PARTS,
    RuleMatch,
    read_corenlp_semgrex,
    read_rule_mappings,
    read_rule_texts,
)
from trustnlp.data.relations.tacred import RELATIONS


@pytest.mark.parametrize(
    ("part", "matched", "empty", "none", "two_relations"),
    [
        ("train", 3_296, 554, 64_274, 0),
        ("dev", 1_424, 0, 21_207, 0),
        ("test", 775, 0, 14_734, 0),
        ("train_ssl", 3_850, 0, 12_311, 35),
    ],
)
def test_the_real_mappings(mirror, part, matched, empty, none, two_relations):
    lines = read_rule_mappings(part)
    assert len(lines) == matched + empty + none
    assert sum(line is None for line in lines) == none
    assert sum(line == () for line in lines) == empty
    relations = [{match.relation for match in line} for line in lines if line]
    assert sum(len(some) > 1 for some in relations) == two_relations
    assert set().union(*relations) <= set(RELATIONS)
    assert "org:top_members/employees" in set().union(*relations)


def test_the_real_rules(mirror):
    rules = read_rule_texts()
    assert len(rules) == 4_726 and sum(name.startswith("s_") for name in rules) == 198
    assert list(rules)[:3] == ["t_0", "t_1", "t_2"] and list(rules)[-1].startswith("s_")
    matched = {match.rule for part in PARTS for line in read_rule_mappings(part) for match in line or ()}
    assert len(matched) == 424 and matched <= rules.keys()
    newer = read_corenlp_semgrex()
    assert len(newer) == 33 and set(newer) <= set(RELATIONS)
    assert newer["per:title"][0] == rules["s_288"].replace("compound|", "compound|flat|")
    assert newer["per:alternate_names"] == ()
    assert not any("$" in pattern for patterns in newer.values() for pattern in patterns)


GOOD = "no_rule\n[]\n[('per:title', 't_4592'), ('per:title', 's_288')]\n[('org:top_membersemployees', 't_1')]\n"


def test_no_rule_and_an_empty_list_are_two_things_and_strokes_come_back(offer):
    offer(rule_mappings, train=GOOD)
    title = (RuleMatch("per:title", "t_4592"), RuleMatch("per:title", "s_288"))
    assert read_rule_mappings("train") == [None, (), title, (RuleMatch("org:top_members/employees", "t_1"),)]


def test_other_lines_are_refused_and_none_is_run(offer):
    def attempt(content: str) -> None:
        offer(rule_mappings, train=content)
        read_rule_mappings("train")

    lines = ["", "[('per:title', 't_1'), ]", "[('per:title', 'x_1')]", "[('title', 't_1')]", "[__import__('os')]"]
    said = "train, line 2: expected no_rule or a list of pairs.*trustnlp data fetch edin_rules"
    rows = [(f"no_rule\n{line}\n", said) for line in lines]
    assert_refused(attempt, [*rows, (GOOD[:-1], "ends in the middle of a line")], error=DataError)
    assert_refused(read_rule_mappings, [("all", "part must be train, dev, test, train_ssl, got 'all'")])


def test_rules_come_in_the_order_of_their_numbers(offer):
    def attempt(rules: object) -> dict[str, str]:
        offer(rule_mappings, rules=rules if isinstance(rules, str) else json.dumps(rules))
        return read_rule_texts()

    assert list(attempt({"s_2": "{}", "t_10": '"a"', "t_9": '"b"', "s_1": "{}"})) == ["t_9", "t_10", "s_1", "s_2"]
    rows = [
        ({"t_1": ""}, "rule 't_1': expected t_ or s_ and a number, and a pattern, got ''"),
        ({"t_x": "a"}, "rule 't_x'"),
        ({"t_1": ["a"]}, "rule 't_1'"),
        (["a"], "holds a list, expected names with patterns"),
        ('{"t_1": "a"', "JSONDecodeError"),
    ]
    assert_refused(attempt, rows, error=DataError)


def test_macros_are_written_out(offer):
    def attempt(content: str) -> tuple[str, ...]:
        offer(rule_mappings, org_top_membersSLASHemployees=content)
        return read_corenlp_semgrex()["org:top_members/employees"]

    pattern = "# boss\n\nmacro HEAD = lemma:/head|chief/\n{${HEAD}} >appos {}=entity\n"
    assert attempt(pattern) == ("{lemma:/head|chief/} >appos {}=entity",)
    assert attempt("# nothing\n") == ()
    rows = [
        ("{${HEAD}}\n", "line 1: expected a pattern of known macros"),
        ("# x\nher head\n", "line 2"),
        ("{}", "ends in the middle of a line"),
    ]
    assert_refused(attempt, rows, error=DataError)
