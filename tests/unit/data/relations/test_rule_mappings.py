"""The released rules and mapping files: their numbers, and what a line may be."""

import json

import pytest
from refusals import assert_refused

from trustnlp.data.relations import rule_mappings
from trustnlp.data.relations.rule_mappings import (
    PARTS,
    ListedMatch,
    read_corenlp_semgrex,
    read_rule_mappings,
    read_rule_texts,
)


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
    assert "org:top_members/employees" in set().union(*relations)


def test_the_real_rules(mirror):
    rules = read_rule_texts()
    assert len(rules) == 4_726 and sum(name.startswith("s_") for name in rules) == 198
    assert list(rules)[:3] == ["t_0", "t_1", "t_2"] and list(rules)[-1].startswith("s_")
    matches = [match for part in PARTS for line in read_rule_mappings(part) for match in line or ()]
    matched, relations = ({getattr(match, name) for match in matches} for name in ("rule", "relation"))
    assert len(matched) == 424 and matched <= rules.keys() and len(relations) == 41
    newer = read_corenlp_semgrex()
    assert len(newer) == 33 and set(newer) <= relations
    assert newer["per:title"][0] == rules["s_288"].replace("compound|", "compound|flat|")
    assert newer["per:alternate_names"] == ()
    assert not any("$" in pattern for patterns in newer.values() for pattern in patterns)


GOOD = "no_rule\n[]\n[('per:title', 't_4592'), ('per:title', 's_288')]\n[('org:top_membersemployees', 't_1')]\n"


def test_no_rule_and_an_empty_list_are_two_things_and_strokes_come_back(offer):
    offer(rule_mappings, train=GOOD)
    title = (ListedMatch("per:title", "t_4592"), ListedMatch("per:title", "s_288"))
    assert read_rule_mappings("train") == [None, (), title, (ListedMatch("org:top_members/employees", "t_1"),)]


def test_another_part_is_refused():
    assert_refused(read_rule_mappings, [("all", "part must be train, dev, test, train_ssl, got 'all'")])


def test_rules_come_in_the_order_of_their_numbers(offer):
    offer(rule_mappings, rules=json.dumps({"s_2": "{}", "t_10": '"a"', "t_9": '"b"', "s_1": "{}"}))
    assert list(read_rule_texts()) == ["t_9", "t_10", "s_1", "s_2"]


def test_macros_are_written_out(offer):
    pattern = "# boss\n\nmacro HEAD = lemma:/head|chief/\n{${HEAD}} >appos {}=entity\n"
    offer(rule_mappings, org_top_membersSLASHemployees=pattern, per_title="# nothing\n")
    assert read_corenlp_semgrex() == {
        "org:top_members/employees": ("{lemma:/head|chief/} >appos {}=entity",), "per:title": (),
    }  # fmt: skip
