"""The released rules and mapping files: their numbers, what a line may be, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

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


@pytest.mark.mirror
@pytest.mark.parametrize(
    ("part", "matched", "empty", "none", "two_relations"),
    [
        ("train", 3_296, 554, 64_274, 0),
        ("dev", 1_424, 0, 21_207, 0),
        ("test", 775, 0, 14_734, 0),
        ("train_ssl", 3_850, 0, 12_311, 35),
    ],
)
def test_the_real_mappings(part: str, matched: int, empty: int, none: int, two_relations: int, mirror: Path) -> None:
    lines = read_rule_mappings(part)
    assert len(lines) == matched + empty + none
    assert sum(line is None for line in lines) == none
    assert sum(line == () for line in lines) == empty
    relations = [{match.relation for match in line} for line in lines if line]
    assert sum(len(some) > 1 for some in relations) == two_relations
    assert set().union(*relations) <= set(RELATIONS)
    assert "org:top_members/employees" in set().union(*relations)


@pytest.mark.mirror
def test_the_real_rules(mirror: Path) -> None:
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


def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> list[tuple[RuleMatch, ...] | None]:
    (tmp_path / "m.txt").write_text(content, encoding="utf-8")
    monkeypatch.setattr(rule_mappings, "fetch", lambda name: {"train": tmp_path / "m.txt"})
    return read_rule_mappings("train")


def test_no_rule_and_an_empty_list_are_two_things_and_strokes_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(tmp_path, monkeypatch, GOOD) == [
        None,
        (),
        (RuleMatch("per:title", "t_4592"), RuleMatch("per:title", "s_288")),
        (RuleMatch("org:top_members/employees", "t_1"),),
    ]


def test_other_lines_are_refused_and_none_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_refused(
        lambda line: read(tmp_path, monkeypatch, f"no_rule\n{line}\n"),
        [
            ("", "m.txt, line 2: expected no_rule or a list of pairs"),
            ("[('per:title', 't_1'), ]", "line 2"),
            ("[('per:title', 't_1') ('per:title', 't_2')]", "line 2"),
            ("[('per:title', 'x_1')]", "line 2"),
            ("[('title', 't_1')]", "line 2"),
            ("[('per:title',)]", "line 2"),
            ("[__import__('os')]", "line 2.*trustnlp data fetch edin_rules"),
            ("no_rule ", "line 2"),
        ],
        error=DataError,
    )
    with pytest.raises(DataError, match="ends in the middle of a line"):
        read(tmp_path, monkeypatch, GOOD[:-1])
    with pytest.raises(ValueError, match="part must be train, dev, test, train_ssl, got 'all'"):
        read_rule_mappings("all")


def test_rules_come_in_the_order_of_their_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def attempt(rules: object) -> dict[str, str]:
        (tmp_path / "rules.json").write_text(rules if isinstance(rules, str) else json.dumps(rules), encoding="utf-8")
        monkeypatch.setattr(rule_mappings, "fetch", lambda name: {"rules": tmp_path / "rules.json"})
        return read_rule_texts()

    assert list(attempt({"s_2": "{}", "t_10": '"a"', "t_9": '"b"', "s_1": "{}"})) == ["t_9", "t_10", "s_1", "s_2"]
    assert_refused(
        attempt,
        [
            ({"t_1": ""}, "rule 't_1': expected t_ or s_ and a number, and a pattern, got ''"),
            ({"t_x": "a"}, "rule 't_x'"),
            ({"t_1": ["a"]}, "rule 't_1'"),
            (["a"], "holds a list, expected names with patterns"),
            ('{"t_1": "a"', "JSONDecodeError"),
        ],
        error=DataError,
    )


def test_macros_are_written_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def attempt(content: str) -> tuple[str, ...]:
        (tmp_path / "f.rules").write_text(content, encoding="utf-8")
        monkeypatch.setattr(
            rule_mappings, "fetch", lambda name: {"org_top_membersSLASHemployees": tmp_path / "f.rules"}
        )
        return read_corenlp_semgrex()["org:top_members/employees"]

    assert attempt("# boss\n\nmacro HEAD = lemma:/head|chief/\n{${HEAD}} >appos {}=entity\n") == (
        "{lemma:/head|chief/} >appos {}=entity",
    )
    assert attempt("# nothing\n") == ()
    assert_refused(
        attempt,
        [
            ("{${HEAD}}\n", "f.rules, line 1: expected a pattern of known macros"),
            ("# x\nher head\n", "line 2"),
            ("{}", "ends in the middle of a line"),
        ],
        error=DataError,
    )
