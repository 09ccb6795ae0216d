"""All token patterns at once: one automaton, whose states are the bits of one long integer.

TokensRegex compiles each pattern to an automaton of its own. The rules of Angeli et al. (2015) are short sequences, so
all of them fit one Shift-And automaton (Baeza-Yates & Gonnet 1992) with optional and repeated steps (Navarro &
Raffinot 2002, §4.2): bit i says that the tokens read so far end in a match of a pattern up to its step i. A token costs
a few operations on integers of some 25,000 bits, whatever the number of rules; nothing backtracks, so the cost is
bounded by tokens × steps.

Decisions
---------
- A pattern may begin and end anywhere in the sentence (`find`, not `matches`).
- A mark is an attribute of a token, as in CoreNLP's `KBPTokensregexExtractor`, which sets it on every token of the
  entity. So `([{kbpentity:true}]+)` need not cover the whole entity where its neighbour in the pattern accepts an
  entity's token as well: a literal, `[]` or `[{tag:/NN.?/}]` may take the rest. So a rule of two entities with a noun
  between them also matches where the second follows the first, which ends or begins with that noun.
- A string equals the word, capital letters included; a regular expression matches the whole word.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from typing import Literal

from trustnlp.relations.rules.rule_syntax import Attribute, Constraint
from trustnlp.relations.rules.token_columns import TokenColumns
from trustnlp.relations.rules.token_patterns import AllOf, AnyOf, Step, Test, TokenPattern
from trustnlp.relations.rules.word_regex import plain_words

Commas = Literal["required", "optional"]
_READ: tuple[Attribute, ...] = ("word", "lemma", "tag", "ner")
_MOST_CACHED = 20_000  # integers of some kilobytes
_MOST_VALUES = 200_000  # of one attribute


class TokenAutomaton:
    """Patterns compiled together.

    Parameters
    ----------
    patterns
        Named by their place in this list.
    commas
        `optional` for corpora without commas (KBP37): a step may be left out if its test of the word or lemma is
        written with a comma and a comma passes it: `","`, `/,/`, `/,|:/`, `[{lemma:/,/}]`, but not `[]` or `/[^'].*/`.
        A match reads at least one token.

    >>> from trustnlp.relations.rules.token_patterns import parse_token_pattern
    >>> from trustnlp.data.relations.relation_examples import RelationExample, Span
    >>> from trustnlp.relations.rules.token_columns import columns_of
    >>> patterns = ['([{kbpentity:true}]+) "," "CEO" []{0,2} ([{slotvalue:true}]+)', '"CEO" "," ([{slotvalue:true}]+)']
    >>> example = RelationExample("1", ("Ada", ",", "CEO", "of", "IBM"), Span(0, 1), Span(4, 5), "")
    >>> automaton = TokenAutomaton([parse_token_pattern(pattern) for pattern in patterns])
    >>> columns = columns_of(example)
    >>> automaton.search(columns, automaton.read(columns))
    [0]
    """

    def __init__(self, patterns: Sequence[TokenPattern], *, commas: Commas = "required") -> None:
        if commas not in ("required", "optional"):
            raise ValueError(f"commas={commas!r}; expected 'required' or 'optional'")
        self.steps = 0
        self._first = self._loops = self._before_optional = self._final = 0
        self._pattern_at: dict[int, int] = {}
        self._odd: list[tuple[int, Test]] = []
        self._masks: dict[Attribute, _AttributeMasks] = {name: _AttributeMasks() for name in (*_READ, "mark")}
        for number, pattern in enumerate(patterns):
            for steps in pattern.sequences:
                self._add(number, _commas_optional(steps) if commas == "optional" else steps)
        for masks in self._masks.values():
            masks.finish(self.steps)
        self._read: dict[tuple[int, ...], int] = {}

    def read(self, columns: TokenColumns) -> list[int]:
        """Per token, the steps that it passes, marks apart: what both directions of a pair share."""
        length = len(columns.word)
        keys = list(zip(*(self._masks[name].places(getattr(columns, name), length) for name in _READ), strict=True))
        if len(self._read) > _MOST_CACHED:
            self._read.clear()
        for key in keys:
            if key not in self._read:
                masks = (self._masks[name].shared[place] for name, place in zip(_READ, key, strict=True))
                self._read[key] = reduce(and_, masks)
        return [self._read[key] for key in keys]

    def search(self, columns: TokenColumns, read: Sequence[int]) -> list[int]:
        """The patterns that match somewhere in the sentence, in order; `read` is what `read` returned for it."""
        marks = self._masks["mark"]
        state = ended = 0
        for token, (mask, place) in enumerate(zip(read, marks.places(columns.mark, len(read)), strict=True)):
            mask &= marks.shared[place]
            for bit, test in self._odd:
                if mask & bit and not passes(test, columns, token):
                    mask ^= bit
            state = ((state << 1) | self._first | (state & self._loops)) & mask
            skipping = state & self._before_optional
            while skipping:
                skipping <<= 1
                state |= skipping
                skipping &= self._before_optional
            ended |= state & self._final
        matched: set[int] = set()
        while ended:
            lowest = ended & -ended
            matched.add(self._pattern_at[lowest.bit_length()])
            ended ^= lowest
        return sorted(matched)

    def _add(self, number: int, steps: Sequence[Step]) -> None:
        entered = True
        for place, step in enumerate(steps):
            bit = 1 << self.steps
            self.steps += 1
            self._first |= bit * entered
            entered = entered and step.optional
            self._loops |= bit * step.loops
            if step.optional and place:
                self._before_optional |= bit >> 1
            if (predicates := _by_attribute(step.test)) is None:
                self._odd.append((bit, step.test))
            else:
                for attribute, constraints in predicates.items():
                    self._masks[attribute].add(constraints, bit)
        self._final |= bit
        self._pattern_at[bit.bit_length()] = number


def passes(test: Test, columns: TokenColumns, token: int) -> bool:
    """Whether a token passes a test. What tests a missing column fails."""
    match test:
        case Constraint():
            return columns.passes(test, token)
        case AllOf(parts):
            return all(passes(part, columns, token) for part in parts)
        case AnyOf(parts):
            return any(passes(part, columns, token) for part in parts)


class _AttributeMasks:
    """For one attribute: value → the steps that a token with this value passes, and those that do not ask.

    Values that pass the same tests share one of the integers in `shared`, each some kilobytes long. The first is that
    of a missing column: what asks for it fails.
    """

    def __init__(self) -> None:
        self._asking: dict[tuple[Constraint, ...], int] = {}

    def add(self, constraints: tuple[Constraint, ...], bit: int) -> None:
        self._asking[constraints] = self._asking.get(constraints, 0) | bit

    def finish(self, steps: int) -> None:
        free = (1 << steps) - 1
        self._literal: dict[str, int] = {}
        self._regexes: list[tuple[tuple[Constraint, ...], int]] = []
        for constraints, bits in self._asking.items():
            free &= ~bits
            words = [_words(constraint) for constraint in constraints]
            if None in words:
                self._regexes.append((constraints, bits))
                continue
            for word in frozenset[str]().union(*(listed for listed in words if listed)):
                self._literal[word] = self._literal.get(word, 0) | bits
        self.shared = [free]
        self._place: dict[str, int] = {}
        self._place_of_tests: dict[tuple[str | None, tuple[int, ...]], int] = {(None, ()): 0}

    def places(self, column: Sequence[str] | None, length: int) -> list[int]:
        """Per token, the place of its value's integer in `shared`."""
        if column is None:
            return [0] * length
        if len(self._place) > _MOST_VALUES:
            self._place.clear()
        for value in column:
            if value not in self._place:
                self._place[value] = self._placed(value)
        return [self._place[value] for value in column]

    def _placed(self, value: str) -> int:
        held = tuple(
            index
            for index, (constraints, _) in enumerate(self._regexes)
            if any(constraint.holds(value) for constraint in constraints)
        )
        tests = (value if value in self._literal else None, held)
        if tests not in self._place_of_tests:
            passed = [self._literal.get(value, 0), *(self._regexes[index][1] for index in held)]
            self._place_of_tests[tests] = len(self.shared)
            self.shared.append(reduce(or_, passed, self.shared[0]))
        return self._place_of_tests[tests]


def _words(constraint: Constraint) -> frozenset[str] | None:
    return frozenset({constraint.value}) if constraint.kind == "equals" else plain_words(constraint.value)


def _by_attribute(test: Test) -> dict[Attribute, tuple[Constraint, ...]] | None:
    """A test as one list of alternatives per attribute, None where it has no such form."""
    by_attribute: dict[Attribute, tuple[Constraint, ...]] = {}
    for part in test.parts if isinstance(test, AllOf) else (test,):
        constraints = part.parts if isinstance(part, AnyOf) else (part,)
        plain = tuple(constraint for constraint in constraints if isinstance(constraint, Constraint))
        attributes = {constraint.attribute for constraint in plain}
        if len(plain) < len(constraints) or len(attributes) != 1 or attributes & by_attribute.keys():
            return None
        by_attribute[plain[0].attribute] = plain
    return by_attribute


def _commas_optional(steps: Sequence[Step]) -> list[Step]:
    return [step._replace(optional=step.optional or _names_comma(step.test)) for step in steps]


def _names_comma(test: Test) -> bool:
    match test:
        case Constraint("word" | "lemma", _, value):
            return "," in value and test.holds(",")
        case Constraint():
            return False
        case AnyOf(parts):
            return any(map(_names_comma, parts))
        case AllOf(parts):
            return any(map(_names_comma, parts)) and all(
                _names_comma(part)
                for part in parts
                if isinstance(part, Constraint) and part.attribute in ("word", "lemma")
            )
