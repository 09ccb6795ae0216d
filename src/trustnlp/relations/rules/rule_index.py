"""All rules against all sentences.

Every token pattern is read by one automaton, every dependency pattern by a search that most sentences rule out at once;
equal patterns are matched once. So thousands of rules cost what a few cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trustnlp.data.relations.relation_examples import RelationExample
from trustnlp.relations.rules.dependency_matcher import DependencyMatcher
from trustnlp.relations.rules.dependency_patterns import DependencyPattern
from trustnlp.relations.rules.rule_base import RuleBase, Tree
from trustnlp.relations.rules.token_automaton import Commas, TokenAutomaton
from trustnlp.relations.rules.token_columns import columns_of
from trustnlp.relations.rules.token_patterns import TokenPattern


class RuleMatch(NamedTuple):
    """A rule that fired; `swapped` if it fired with the example's object as its subject."""

    relation: str
    rule: str
    swapped: bool


class RuleMatches(NamedTuple):
    """The rules that fired.

    Attributes
    ----------
    matches
        Per example, the rules that fired, in the order of the base; unswapped first where one fires both ways.
    exhausted
        (example, rule, swapped) where the search of a dependency pattern was given up: counted as no match.
    """

    matches: list[list[RuleMatch]]
    exhausted: list[tuple[str, str, bool]]


class RuleIndex:
    """The usable rules of a base, compiled for many calls.

    Parameters
    ----------
    rules
        A base; what it sets aside never fires.
    commas
        `optional` lets a rule's comma be absent, for corpora without commas (see `TokenAutomaton`).
    """

    def __init__(self, rules: RuleBase, *, commas: Commas = "required") -> None:
        self._rules = list(rules.usable)
        places: dict[Tree, list[int]] = {}
        for place, rule in enumerate(self._rules):
            places.setdefault(rule.tree, []).append(place)
        tokens = [tree for tree in places if isinstance(tree, TokenPattern)]
        dependencies = [tree for tree in places if isinstance(tree, DependencyPattern)]
        self._token_places = [places[tree] for tree in tokens]
        self._dependency_places = [places[tree] for tree in dependencies]
        self._automaton = TokenAutomaton(tokens, commas=commas)
        self._matcher = DependencyMatcher(dependencies)
        tests_lemma = {tree: any(test.attribute == "lemma" for test in tree.constraints()) for tree in places}
        self._tests_lemma = [tests_lemma[rule.tree] for rule in self._rules]
        self._allowed_by: dict[tuple[bool, tuple[str, str] | None], list[bool]] = {}

    def match(
        self, examples: Iterable[RelationExample], *, lemmas: bool, gate: bool = True, both_directions: bool = False
    ) -> RuleMatches:
        """See `match_all`."""
        result = RuleMatches([], [])
        for example in examples:
            columns = columns_of(example, lemmas=lemmas)
            steps, tests = self._automaton.read(columns), self._matcher.read(columns)
            fired: list[tuple[int, bool]] = []
            for swapped in (False, True)[: 1 + both_directions]:
                pair = example.swapped() if swapped else example
                own = columns_of(pair, lemmas=lemmas) if swapped else columns
                matched, spent = self._matcher.match(own, tests)
                places = [place for tree in self._automaton.search(own, steps) for place in self._token_places[tree]]
                places += [place for tree in matched for place in self._dependency_places[tree]]
                given_up = [place for tree in spent for place in self._dependency_places[tree]]
                allowed = self._allowed(pair, lemmas, gate)
                fired += [(place, swapped) for place in places if allowed[place]]
                result.exhausted.extend(
                    (example.id, self._rules[place].id, swapped) for place in given_up if allowed[place]
                )
            rules = ((self._rules[place], swapped) for place, swapped in sorted(fired))
            result.matches.append([RuleMatch(rule.relation or "", rule.id, swapped) for rule, swapped in rules])
        return result

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
