"""Dependency patterns: what is read, and what is refused by name and place."""

from __future__ import annotations

import pytest

from trustnlp.relations.rules.dependency_patterns import Either, Node, Relation, parse_dependency_pattern
from trustnlp.relations.rules.rule_syntax import Constraint, RuleSyntaxError

ANY = Node(())


def named(label: str) -> Constraint:
    return Constraint("relation", "equals", label)


@pytest.mark.parametrize(
    ("pattern", "root"),
    [
        ("{}=entity", Node((), "entity")),
        ("( ({lemma:die}) )", Node((Constraint("lemma", "equals", "die"),))),
        ("{lemma: /be/;tag:VB}", Node((Constraint("lemma", "regex", "be"), Constraint("tag", "equals", "VB")))),
        ("{} >nsubj {}", Node((), "", (Relation("governs", named("nsubj"), ANY),))),
        ("{} >/a|b/=x {}", Node((), "", (Relation("governs", Constraint("relation", "regex", "a|b"), ANY, "x"),))),
        ("{} ?>cop {}", Node((), "", (Relation("governs", named("cop"), ANY, optional=True),))),
        (
            "{} >a ({} >b {})",
            Node((), "", (Relation("governs", named("a"), Node((), "", (Relation("governs", named("b"), ANY),))),)),
        ),
        (
            "{} [ >a {} | >b {} ]",
            Node(
                (),
                "",
                (Either(((Relation("governs", named("a"), ANY),), (Relation("governs", named("b"), ANY),))),),
            ),
        ),
    ],
)
def test_patterns_become_trees(pattern: str, root: Node) -> None:
    assert parse_dependency_pattern(pattern).root == root


def test_nodes_of_alternatives_are_listed() -> None:
    pattern = parse_dependency_pattern("{} >nsubj {}=entity [ >in {}=slot | >at {}=slot ]")
    assert [node.name for node in pattern.nodes()] == ["", "entity", "slot", "slot"]
    assert pattern.marks == {"subject", "object"}


@pytest.mark.parametrize(
    ("pattern", "problem", "position"),
    [
        ("", "the pattern is empty", 0),
        ("{} >>nsubj {}", "a chain of relations", 3),
        ("{} <> {}", "a relation in either direction", 3),
        ("!{} >nsubj {}", "negation is not supported", 0),
        ("{!lemma:be}", "negation is not supported", 1),
        ("{lemma!:be}", "negation is not supported", 6),
        ("{lemma?:be}", "an optional attribute", 6),
        ("{} . {}", "a relation of order", 3),
        ("{} >++ {}", "a relation that asks for order", 3),
        ("{} $+ {}", "a relation of siblings", 3),
        ("{} : {}", "a second pattern", 3),
        ("{${JOB}}", "the root ('{$}') or a macro", 1),
        ("{word:/a/#1%x}", "a group of variables", 9),
        ("{shape:x}", "the attribute 'shape' is unknown", 1),
        ("{lemma:}", "a test needs a string", 7),
        ("{lemma:a tag:b}", "a node needs ';' or '}'", 9),
        ("{} >nsubj", "a pattern that ends too early", 9),
        ("{} >nsubj [", "unexpected '['", 10),
        ("{} [ {} ]", "an alternative without a relation", 5),
        ("({} >a {}", "a group needs ')'", 9),
        ("{} >a {})", "a ')' without '('", 8),
        ("{}=", "a name is missing", 3),
        ("{} >/(a+)+b/ {}", "too many ways", 4),
        ("(" * 99 + "{}" + ")" * 99, "nested more than", 64),
    ],
)
def test_what_is_not_read_is_refused_by_name_and_place(pattern: str, problem: str, position: int) -> None:
    with pytest.raises(RuleSyntaxError) as refused:
        parse_dependency_pattern(pattern, "s_9")
    assert problem in refused.value.problem
    assert (refused.value.position, refused.value.rule) == (position, "s_9")
