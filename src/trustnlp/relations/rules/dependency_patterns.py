"""Parser of the parts of Semgrex that the rules use: a pattern becomes a tree of nodes and relations.

Tang & Surdeanu 2021, appendix C; the language is that of Chambers et al. (2007), as the documentation of
`SemgrexPattern` in CoreNLP describes it. Read are

    {lemma:/die/;tag:/VB.*/}=entity     a node; attributes word, lemma, tag (or pos) and ner, and its name
    A >nsubj B   A <nsubj B             A governs B, or is governed by B, by a relation of this name
    A >/nsubj.*/=x B                    relations by a regular expression, matched wholly; their name
    A >nsubj B >dobj C                  both relations are A's
    A >nsubj (B >dobj C)                the second is B's
    A [ >in B | >at B ]  A ?>cop B      alternatives, and a relation that may be absent

A literal is equal to the whole value. Anything else is refused by name: negation, chains (`>>`, `<<`), order and
siblings (`.`, `$+`), alignment, several patterns in one (`:`), and groups of variables (`#1%x`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NoReturn

from trustnlp.relations.rules.rule_syntax import ATTRIBUTES, Constraint, Scanner

ROLES = {"entity": "subject", "slot": "object"}


@dataclass(frozen=True, slots=True)
class Relation:
    """A dependency of a node: the node governs `target`, or is governed by it.

    `test` is None where any name will do; `optional` relations bind names if they can, and never fail.
    """

    direction: Literal["governs", "governed"]
    test: Constraint | None
    target: Node
    name: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of several lists of relations holds."""

    options: tuple[tuple[Requirement, ...], ...]


Requirement = Relation | Either


@dataclass(frozen=True, slots=True)
class Node:
    """A token that passes every test and has every relation; nodes of one name are one token."""

    tests: tuple[Constraint, ...]
    name: str = ""
    relations: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class DependencyPattern:
    """A pattern over the dependencies of a sentence."""

    root: Node

    def nodes(self) -> list[Node]:
        """All nodes, the root first."""
        return _nodes(self.root)

    def constraints(self) -> list[Constraint]:
        """All tests of nodes, in order; those of relations are no part of it."""
        return [test for node in self.nodes() for test in node.tests]

    @property
    def marks(self) -> frozenset[str]:
        """Which of `subject` and `object` the pattern names, by its nodes `entity` and `slot`."""
        return frozenset(ROLES[node.name] for node in self.nodes() if node.name in ROLES)


def parse_dependency_pattern(pattern: str, rule: str = "") -> DependencyPattern:
    """The tree of a pattern; `rule` is the id that an error names.

    Raises
    ------
    RuleSyntaxError
        If something cannot be read: what, with its position.

    >>> [node.name for node in parse_dependency_pattern("{lemma:die} >nsubj {}=entity >/nmod:(in|at)/ {}=slot").nodes()]
    ['', 'entity', 'slot']
    >>> parse_dependency_pattern("{} >>nsubj {}", rule="s_1")
    Traceback (most recent call last):
    ...
    trustnlp.relations.rules.rule_syntax.RuleSyntaxError: s_1: a chain of relations ('>>', '<<') is not supported at ...
    """
    return _DependencyParser(pattern, rule).parse()


def _nodes(node: Node) -> list[Node]:
    return [node, *(below for relation in node.relations for below in _targets(relation))]


def _targets(requirement: Requirement) -> list[Node]:
    if isinstance(requirement, Relation):
        return _nodes(requirement.target)
    return [node for option in requirement.options for relation in option for node in _targets(relation)]


_RELATION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_:]*")
_REFUSED = {
    **dict.fromkeys((">>", "<<"), "a chain of relations ('>>', '<<')"),
    "<>": "a relation in either direction ('<>')",
    **dict.fromkeys((">+", ">-", "<+", "<-"), "a relation that asks for order"),
    "!": "negation",
    **dict.fromkeys((".", "-"), "a relation of order ('.', '-')"),
    "$": "a relation of siblings ('$')",
    "@": "an alignment ('@')",
    "==": "a relation of identity ('==')",
    ":": "a second pattern (':')",
}


class _DependencyParser(Scanner):
    def parse(self) -> DependencyPattern:
        if self.ended:
            self.refuse("the pattern is empty")
        root = self._with_relations(self._node())
        if not self.ended:
            self._refuse_next()
        return DependencyPattern(root)

    def _refuse_next(self) -> NoReturn:
        self.refuse_signs(_REFUSED)
        if self.character == ")":
            self.refuse("a ')' without '('")
        self.refuse(f"unexpected {self.character!r}" if self.character else "a pattern that ends too early")

    def _node(self) -> Node:
        if self.opens("("):
            node = self._with_relations(self._node())
            self.closes(")", "a group")
            return node
        if not self.take("{"):
            self._refuse_next()
        self.refuse_signs({"$": "the root ('{$}') or a macro"})
        tests: list[Constraint] = []
        while not self.take("}"):
            tests.append(self._test())
            if not self.take(";") and not self.sees("}"):
                self.refuse("a node needs ';' or '}' here")
        return Node(tuple(tests), self._given_name())

    def _test(self) -> Constraint:
        self.refuse_signs({"!": "negation"})
        start = self.position
        name = self.name()
        if name is None:
            self.refuse("a test needs the name of an attribute here")
        if name not in ATTRIBUTES:
            self.refuse(f"the attribute {name!r} is unknown (known: {', '.join(ATTRIBUTES)})", start)
        self.refuse_signs({"!": "negation", "?": "an optional attribute"})
        self.expect(":", "a test of an attribute")
        value = self.value(ATTRIBUTES[name], bare=True)
        if value is None:
            self.refuse("a test needs a string, a regular expression or a word here")
        self.refuse_signs({"#": "a group of variables ('#')"})
        return value

    def _given_name(self) -> str:
        if self.sees("==") or not self.take("="):
            return ""
        return self.name() or self.refuse("a name is missing after '='")

    def _with_relations(self, node: Node) -> Node:
        relations = self._relations()
        return Node(node.tests, node.name, (*node.relations, *relations)) if relations else node

    def _relations(self) -> tuple[Requirement, ...]:
        relations: list[Requirement] = []
        while self.take("&") or (self.character and self.character in "<>?["):
            relations.append(self._relation())
        return tuple(relations)

    def _relation(self) -> Requirement:
        if self.take("["):
            options = self.separated(self._option, "|")
            self.expect("]", "a list of alternatives")
            return Either(options)
        optional = self.take("?")
        self.refuse_signs(_REFUSED)
        governs = self.take(">")
        if not governs and not self.take("<"):
            self._refuse_next()
        test, name = self._relation_test(), self._given_name()
        return Relation("governs" if governs else "governed", test, self._node(), name, optional)

    def _option(self) -> tuple[Requirement, ...]:
        return self._relations() or self.refuse("an alternative without a relation")

    def _relation_test(self) -> Constraint | None:
        if self.sees("/"):
            return self.value("relation", bare=False)
        if self.take("%"):
            return None
        self.skip()
        match = self.read(_RELATION_NAME)
        return Constraint("relation", "equals", match[0]) if match else None
