"""Matches of dependency patterns in a parsed sentence: which patterns may match, then a search with a bound.

As in CoreNLP's `KBPSemgrexExtractor`, the node `entity` must be a token of the subject, `slot` one of the object, and a
match that leaves one of them unbound, in an optional part or an alternative, does not count. The
parse is a tree of one head per token, with the names that a corpus's reader gives its relations; edges that
collapsing would add beside the tree (a shared subject of two verbs) are absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trustnlp.relations.rules.dependency_patterns import ROLES, DependencyPattern, Either, Node, Relation, Requirement
from trustnlp.relations.rules.rule_syntax import Attribute, Constraint
from trustnlp.relations.rules.token_columns import TokenColumns

MOST_STEPS = 50_000  # nodes tried per pattern, sentence and direction
_TESTED: tuple[Attribute, ...] = ("word", "lemma", "tag", "ner", "relation")

Bindings = dict[str, int | str]


class _StepsSpentError(Exception):
    """The search of one pattern was given up."""


class DependencyMatcher:
    """Patterns compiled together: each lists the tests that some token must pass, so that most are never searched.

    Without heads or names of relations nothing matches.

    >>> from trustnlp.data.relations.relation_examples import RelationExample, Span
    >>> from trustnlp.relations.rules.dependency_patterns import parse_dependency_pattern
    >>> from trustnlp.relations.rules.token_columns import columns_of
    >>> matcher = DependencyMatcher([parse_dependency_pattern("{word:met} >nsubj {}=entity >dobj {ner:/ORG.*/}=slot")])
    >>> example = RelationExample("1", ("Ada", "met", "IBM"), Span(0, 1), Span(2, 3), "", "PERSON", "ORGANIZATION",
    ...                           heads=(1, -1, 1), dependencies=("nsubj", "ROOT", "dobj"))
    >>> columns = columns_of(example)
    >>> matcher.match(columns, matcher.read(columns))
    ([0], [])
    """

    def __init__(self, patterns: Sequence[DependencyPattern]) -> None:
        self.patterns = list(patterns)
        self._bit: dict[Constraint, int] = {}
        self._passed: dict[Attribute, dict[str, int]] = {attribute: {} for attribute in _TESTED}
        self._needs = [self._needed(pattern.root) for pattern in self.patterns]

    def read(self, columns: TokenColumns) -> list[int]:
        """Per token, the tests that it passes, as bits: what both directions of a pair share."""
        read = [0] * len(columns.word)
        for attribute in _TESTED:
            if (column := getattr(columns, attribute)) is not None:
                passed = self._passed[attribute]
                for token, value in enumerate(column):
                    if (bits := passed.get(value)) is None:
                        bits = passed[value] = sum(
                            bit for test, bit in self._bit.items() if test.attribute == attribute and test.holds(value)
                        )
                    read[token] |= bits
        return read

    def match(self, columns: TokenColumns, read: Sequence[int]) -> tuple[list[int], list[int]]:
        """Patterns that match a sentence with marked subject and object; `read` is what `read` returned for it.

        Returns
        -------
        Places of those that match, and of those whose search was given up after `MOST_STEPS` steps.
        """
        matched: list[int] = []
        exhausted: list[int] = []
        if columns.heads is None or columns.relation is None:
            return matched, exhausted
        there = dict.fromkeys(("subject", "object", ""), 0)
        for bits, mark in zip(read, columns.mark, strict=True):
            there[mark] |= bits
        anywhere = there["subject"] | there["object"] | there[""]
        children: list[list[int]] = [[] for _ in columns.heads]
        for token, head in enumerate(columns.heads):
            if head >= 0:
                children[head].append(token)
        for place, (needed, of_subject, of_object) in enumerate(self._needs):
            if needed & ~anywhere or of_subject & ~there["subject"] or of_object & ~there["object"]:
                continue
            try:
                if _Search(columns, children).finds(self.patterns[place]):
                    matched.append(place)
            except _StepsSpentError:
                exhausted.append(place)
        return matched, exhausted

    def _needed(self, node: Node) -> tuple[int, int, int]:
        """Tests of all nodes and relations that must be there; of the entity alone; of the slot alone."""
        own = 0
        for test in node.tests:
            own |= self._bit.setdefault(test, 1 << len(self._bit))
        role = ROLES.get(node.name)
        needed = (own, own * (role == "subject"), own * (role == "object"))
        for relation in node.relations:
            if isinstance(relation, Relation) and not relation.optional:
                below = self._needed(relation.target)
                edge = self._bit.setdefault(relation.test, 1 << len(self._bit)) if relation.test else 0
                needed = (needed[0] | below[0] | edge, needed[1] | below[1], needed[2] | below[2])
        return needed


class _Search:
    """One pattern in one sentence: nodes bound one after the other, with a bound on the trials."""

    def __init__(self, columns: TokenColumns, children: list[list[int]]) -> None:
        assert columns.heads is not None and columns.relation is not None
        self.columns, self.children = columns, children
        self.heads, self.names = columns.heads, columns.relation
        self.left = MOST_STEPS

    def finds(self, pattern: DependencyPattern) -> bool:
        """Whether some match binds every role that the pattern names, in an optional part or an alternative too."""
        asked = {node.name for node in pattern.nodes()} & ROLES.keys()
        tokens = range(len(self.heads))
        return any(asked <= bound.keys() for token in tokens for bound in self._node(pattern.root, token, {}))

    def _node(self, node: Node, token: int, bound: Bindings) -> Iterator[Bindings]:
        self.left -= 1
        if self.left < 0:
            raise _StepsSpentError
        if (role := ROLES.get(node.name)) and self.columns.mark[token] != role:
            return
        for test in node.tests:
            if not self.columns.passes(test, token):
                return
        if node.name:
            if bound.get(node.name, token) != token:
                return
            bound = {**bound, node.name: token}
        yield from self._all(node.relations, token, bound)

    def _all(self, requirements: Sequence[Requirement], token: int, bound: Bindings) -> Iterator[Bindings]:
        if not requirements:
            yield bound
            return
        for more in self._one(requirements[0], token, bound):
            yield from self._all(requirements[1:], token, more)

    def _one(self, requirement: Requirement, token: int, bound: Bindings) -> Iterator[Bindings]:
        if isinstance(requirement, Either):
            for option in requirement.options:
                yield from self._all(option, token, bound)
            return
        absent = True
        for more in self._relation(requirement, token, bound):
            absent = False
            yield more
        if absent and requirement.optional:
            yield bound

    def _relation(self, relation: Relation, token: int, bound: Bindings) -> Iterator[Bindings]:
        if relation.direction == "governs":
            edges = [(child, child) for child in self.children[token]]
        else:
            edges = [(self.heads[token], token)] if self.heads[token] >= 0 else []
        for target, dependent in edges:
            name = self.names[dependent]
            if relation.test is not None and not relation.test.holds(name):
                continue
            key = f"={relation.name}"
            if relation.name and bound.get(key, name) != name:
                continue
            yield from self._node(relation.target, target, {**bound, key: name} if relation.name else bound)
