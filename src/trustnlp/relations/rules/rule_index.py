"""All rules against all sentences.

Every token pattern is read by one automaton, every dependency pattern by a search that most sentences rule out at once;
equal patterns are matched once. So thousands of rules cost what a few cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trustnlp.data.relations.relation_examples import RelationExample
from trustnlp.relations.rules.dependency_matcher import MOST_STEPS, DependencyMatcher
from trustnlp.relations.rules.dependency_patterns import DependencyPattern
from trustnlp.relations.rules.rule_base import RuleBase, Tree
from trustnlp.relations.rules.token_automaton import Commas, TokenAutomaton
from trustnlp.relations.rules.token_columns import TokenColumns, columns_of
from trustnlp.relations.rules.token_patterns import TokenPattern

COLUMNS = ("tags", "lemmas", "ner", "heads", "dependencies")


class RuleMatch(NamedTuple):
    """A rule that fired; `swapped` if it fired with the example's object as its subject."""

    relation: str
    rule: str
    swapped: bool


@dataclass(frozen=True)
class RuleMatches:
    """The rules that fired.

    Attributes
    ----------
    matches
        Per example, the rules that fired, in the order of the base; unswapped first where one fires both ways.
    exhausted
        (example, rule, swapped) where the search of a dependency pattern was given up: counted as no match.
    missing
        Column → examples without it. Rules that ask for it did not fire there.
    """

    matches: list[list[RuleMatch]]
    exhausted: list[tuple[str, str, bool]]
    missing: Mapping[str, int]


class RuleIndex:
    """The usable rules of a base, compiled for many calls.

    Parameters
    ----------
    rules
        A base; what it sets aside never fires.
    commas
        `optional` lets a rule's comma be absent, for corpora without commas (see `TokenAutomaton`).
    """

    def __init__(self, rules: RuleBase, *, commas: Commas = "required", most_steps: int = MOST_STEPS) -> None:
        self._rules = list(rules.usable)
        places: dict[Tree, list[int]] = {}
        for place, rule in enumerate(self._rules):
            places.setdefault(rule.tree, []).append(place)
        tokens = [tree for tree in places if isinstance(tree, TokenPattern)]
        dependencies = [tree for tree in places if isinstance(tree, DependencyPattern)]
        self._token_places = [places[tree] for tree in tokens]
        self._dependency_places = [places[tree] for tree in dependencies]
        self._automaton = TokenAutomaton(tokens, commas=commas)
        self._matcher = DependencyMatcher(dependencies, most_steps=most_steps)
        tests_lemma = {tree for tree in places if _tests_lemma(tree)}
        self._tests_lemma = [rule.tree in tests_lemma for rule in self._rules]
        self._allowed_by: dict[tuple[bool, tuple[str, str] | None], list[bool]] = {}

    def match(
        self, examples: Iterable[RelationExample], *, lemmas: bool, gate: bool = True, both_directions: bool = False
    ) -> RuleMatches:
        """See `match_all`."""
        result = RuleMatches([], [], dict.fromkeys(COLUMNS, 0))
        for example in examples:
            fired: list[tuple[int, bool]] = []
            columns = columns_of(example, lemmas=lemmas)
            read = self._automaton.read(columns), self._matcher.read(columns)
            for swapped in (False, True)[: 1 + both_directions]:
                pair = example.swapped() if swapped else example
                found, spent = self._found(columns_of(pair, lemmas=lemmas) if swapped else columns, *read)
                allowed = self._allowed(pair, lemmas, gate)
                fired += [(place, swapped) for place in found if allowed[place]]
                exhausted = [(example.id, self._rules[place].id, swapped) for place in spent if allowed[place]]
                result.exhausted.extend(exhausted)
            rules = self._rules
            result.matches.append(
                [RuleMatch(rules[place].relation or "", rules[place].id, swapped) for place, swapped in sorted(fired)]
            )
            for column in COLUMNS:
                if not getattr(example, column):
                    result.missing[column] += 1  # type: ignore[index]
        return result

    def _found(
        self, columns: TokenColumns, read: Sequence[int], read_tests: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """Places of the rules whose patterns match, and of those whose search was given up."""
        searched = self._matcher.match(columns, read_tests)
        found = [place for tree in self._automaton.search(columns, read) for place in self._token_places[tree]]
        found += [place for tree in searched.matched for place in self._dependency_places[tree]]
        return found, [place for tree in searched.exhausted for place in self._dependency_places[tree]]

    def _allowed(self, pair: RelationExample, lemmas: bool, gate: bool) -> Sequence[bool]:
        """Per rule, whether it may fire for entities of these types."""
        types = (pair.subject_type, pair.object_type) if gate else None
        if (key := (lemmas, types)) not in self._allowed_by:
            self._allowed_by[key] = [
                (lemmas or not tests_lemma)
                and (types is None or rule.slot_types is None or rule.slot_types.fit(*types))
                for rule, tests_lemma in zip(self._rules, self._tests_lemma, strict=True)
            ]
        return self._allowed_by[key]


def match_all(
    rules: RuleBase,
    examples: Iterable[RelationExample],
    *,
    lemmas: bool,
    commas: Commas = "required",
    gate: bool = True,
    both_directions: bool = False,
) -> RuleMatches:
    """All rules against all examples.

    Parameters
    ----------
    rules
        A base; what it sets aside never fires.
    examples
        Sentences with subject and object. A test of a column that an example lacks fails.
    lemmas
        False leaves out every rule that tests a lemma: so the published matches were made.
    commas
        `optional` lets a rule's comma be absent, for corpora without commas (see `TokenAutomaton`).
    gate
        A rule fires only if subject and object have the types that its relation takes; a relation outside TAC KBP
        takes any.
    both_directions
        Also with subject and object exchanged, for corpora that do not say which is the subject.

    >>> from trustnlp.data.relations.relation_examples import Span
    >>> base = RuleBase.of([("r", "org:top_members/employees", '([{kbpentity:true}]+) "CEO" ([{slotvalue:true}]+)')])
    >>> example = RelationExample("1", ("IBM", "CEO", "Ada"), Span(0, 1), Span(2, 3), "", "ORGANIZATION", "PERSON")
    >>> match_all(base, [example], lemmas=False).matches
    [[RuleMatch(relation='org:top_members/employees', rule='r', swapped=False)]]
    >>> match_all(base, [example.swapped()], lemmas=False, both_directions=True).matches[0][0].swapped
    True
    """
    return RuleIndex(rules, commas=commas).match(examples, lemmas=lemmas, gate=gate, both_directions=both_directions)


def _tests_lemma(tree: Tree) -> bool:
    if isinstance(tree, TokenPattern):
        return any(test.attribute == "lemma" for test in tree.constraints())
    return any(test.attribute == "lemma" for node in tree.nodes() for test in node.tests)
