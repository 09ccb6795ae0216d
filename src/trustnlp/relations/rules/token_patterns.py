"""Parser of the parts of TokensRegex that the rules use: a pattern becomes a tree.

Tang & Surdeanu 2021, §3.2 and appendix C; the language is that of Chang & Manning (2014), as the documentation of
`TokenSequencePattern` in CoreNLP describes it. Read are

    "based"  /based|located/                the word, equal to a string or wholly matched by a regular expression
    [{lemma:/be/; tag:"VBZ"}]               a token; attributes word, lemma, tag (or pos) and ner; `;` and `&` mean and
    [{lemma:/be/} | {lemma:/get/}]          `|` means or
    [{kbpentity:true}]+  [{slotvalue:true}]+    tokens of the subject and of the object; `::EXISTS` is the same
    []                                      any token
    X+  X*  X?  X{2}  X{2,}  X{0,4}         repeats
    (X Y)  (X | Y)                          groups and alternatives

Anything else is refused by name: macros, negation, back references, lazy and possessive repeats, comparisons of
numbers, anchors, named groups, actions, and open repeats (`+`, `*`, `{n,}`) of groups of several tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, product
from typing import NamedTuple

from trustnlp.relations.rules.rule_syntax import ATTRIBUTES, Constraint, Scanner

MARKS = {"kbpentity": "subject", "slotvalue": "object"}
_REPEAT = re.compile(r"[+*?]|\{\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?\}")
_REPEATS: dict[str, tuple[int, int | None]] = {"+": (1, None), "*": (0, None), "?": (0, 1)}
MOST_REPEATS = 64
MOST_UNFOLDED = 256  # sequences that a pattern's alternatives and counted groups stand for
MOST_TOKENS = 4096  # tests of tokens in all of them


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds; without parts, any token."""

    parts: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Test, ...]


Test = Constraint | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class Token:
    """One token that passes a test."""

    test: Test


@dataclass(frozen=True, slots=True)
class Repeat:
    """An item `low` to `high` times; None is without limit."""

    item: Item
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Run:
    """Items one after the other."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several sequences."""

    options: tuple[Item, ...]


Item = Token | Repeat | Run | Choice


class Step(NamedTuple):
    """A test of one token of a sequence; `optional` may be left out, `loops` may hold for several tokens."""

    test: Test
    optional: bool = False
    loops: bool = False


Sequences = tuple[tuple[Step, ...], ...]


@dataclass(frozen=True, slots=True)
class TokenPattern:
    """A pattern over the tokens of a sentence, and the sequences of steps that it stands for.

    Groups leave no trace: two patterns are equal if they match alike by their form.
    """

    body: Item
    sequences: Sequences = field(compare=False, repr=False)

    def constraints(self) -> list[Constraint]:
        """All tests of attributes, in order."""
        return _constraints(self.body)

    @property
    def marks(self) -> frozenset[str]:
        """Which of `subject` and `object` the pattern names."""
        return frozenset(c.value for c in self.constraints() if c.attribute == "mark")

    @property
    def quoted_marks(self) -> list[str]:
        """Literal words that hold the text of a mark: no token is written so, hence the pattern is dead.

        >>> parse_token_pattern('"([ { kbpentity:true } ]+ )" "is"').quoted_marks
        ['([ { kbpentity:true } ]+ )']
        """
        return [
            c.value
            for c in self.constraints()
            if c.attribute == "word" and any(f"{mark}:" in c.value for mark in MARKS)
        ]


def parse_token_pattern(pattern: str, rule: str = "") -> TokenPattern:
    """The tree of a pattern; `rule` is the id that an error names.

    Raises
    ------
    RuleSyntaxError
        If something cannot be read: what, with its position.

    >>> parse_token_pattern('([{kbpentity:true}]+) "CEO" ([{slotvalue:true}]+)').marks == {"subject", "object"}
    True
    >>> parse_token_pattern('"a" !"b"', rule="t_1")
    Traceback (most recent call last):
    ...
    trustnlp.relations.rules.rule_syntax.RuleSyntaxError: t_1: negation is not supported at character 4, in: '"a" !"b"'
    """
    return _TokenParser(pattern, rule).parse()


def _constraints(node: Item | Test) -> list[Constraint]:
    match node:
        case Constraint():
            return [node]
        case AllOf(parts) | AnyOf(parts):
            return [c for part in parts for c in _constraints(part)]
        case Token(test):
            return _constraints(test)
        case Repeat(item, _, _):
            return _constraints(item)
        case Run(items) | Choice(items):
            return [c for item in items for c in _constraints(item)]


def _sequences(item: Item) -> Iterator[tuple[Step, ...]]:
    """The sequences of steps that an item stands for, one after the other: there may be very many."""
    match item:
        case Token(test):
            yield (Step(test),)
        case Repeat(Token(test), low, None):
            yield (Step(test),) * (low - 1) + (Step(test, optional=low == 0, loops=True),)
        case Repeat(Token(test), low, int(high)):
            yield (Step(test),) * low + (Step(test, optional=True),) * (high - low)
        case Repeat(inner, low, high):
            of_inner = _some(inner)
            for times in range(low, (high or low) + 1):
                yield from _joined([of_inner] * times)
        case Run(items):
            yield from _joined([_some(inner) for inner in items])
        case Choice(options):
            for option in options:
                yield from _sequences(option)


def _some(item: Item) -> Sequences:
    """All of an item's sequences, or one more than a pattern may have."""
    return tuple(islice(_sequences(item), MOST_UNFOLDED + 1))


def _joined(parts: Sequence[Sequences]) -> Iterator[tuple[Step, ...]]:
    """One sequence of each part after the other, in all ways; what is too long is cut one step beyond the limit."""
    for chosen in product(*parts):
        yield tuple(islice(chain.from_iterable(chosen), MOST_TOKENS + 1))


_REFUSED = {
    "!": "negation",
    "$": "a macro or an anchor ('$')",
    "\\": "a back reference",
    "^": "an anchor of the sentence",
    "&": "the conjunction of sequences",
    "=>": "an action",
    "==>": "an action",
    "{{": "an expression in double braces",
}


class _TokenParser(Scanner):
    def parse(self) -> TokenPattern:
        if self.ended:
            self.refuse("the pattern is empty")
        body = self._choice()
        if not self.ended:
            self.refuse("a ')' without '('" if self.character == ")" else f"unexpected {self.character!r}")
        sequences = _some(body)
        if len(sequences) > MOST_UNFOLDED or sum(map(len, sequences)) > MOST_TOKENS:
            self.refuse(f"a pattern that unfolds into over {MOST_UNFOLDED} sequences or {MOST_TOKENS:,} tokens", 0)
        if any(all(step.optional for step in sequence) for sequence in sequences):
            self.refuse("a pattern that no token at all satisfies", 0)
        return TokenPattern(body, sequences)

    def _choice(self) -> Item:
        options = self.separated(self._run, "|")
        if len(options) == 1:
            return options[0]
        tests = tuple(option.test for option in options if isinstance(option, Token))
        return Token(AnyOf(tests)) if len(tests) == len(options) else Choice(options)

    def _run(self) -> Item:
        items: list[Item] = []
        while not self.ended and self.character not in "|)":
            item = self._repeated(self._atom())
            items.extend(item.items if isinstance(item, Run) else [item])
        if not items:
            self.refuse("an empty group or alternative")
        return items[0] if len(items) == 1 else Run(tuple(items))

    def _atom(self) -> Item:
        if self.opens("("):
            opened = self.position - 1
            if self.sees("?") and not self.take("?:"):
                self.refuse("a group with '(?' (a name, an option, a look-around) is not supported", opened)
            inner = self._choice()
            self.closes(")", "a group")
            return inner
        if self.take("["):
            test = AllOf(()) if self.sees("]") else self._any_of()
            self.expect("]", "a token")
            return Token(test)
        if constraint := self.value("word", bare=False):
            return Token(constraint)
        self.refuse_signs(_REFUSED)
        self.refuse("a repeat of nothing" if self.character in "+*?{" else f"unexpected {self.character!r}")

    def _repeated(self, item: Item) -> Item:
        self.skip()
        start = self.position
        repeat = self.read(_REPEAT)
        if repeat is None:
            return item
        low, high = _REPEATS.get(repeat[0], (0, None))
        if repeat[1]:
            low = int(repeat[1])
            high = int(repeat[3]) if repeat[3] else None if repeat[2] else low
        if self.take("?"):
            self.refuse("a lazy repeat is not supported", start)
        if self.take("+") or self.take("*") or self.sees("{"):
            self.refuse("a repeat of a repeat is not supported", start)
        if high == 0 or (high is not None and high < low):
            self.refuse("a repeat that ends before it begins", start)
        if max(low, high or 0) > MOST_REPEATS:
            self.refuse(f"a count above {MOST_REPEATS}", start)
        if high is None and not isinstance(item, Token):
            self.refuse("an open repeat of a group of several tokens is not supported", start)
        return item if (low, high) == (1, 1) else Repeat(item, low, high)

    def _any_of(self) -> Test:
        parts = self.separated(self._all_of, "|")
        return parts[0] if len(parts) == 1 else AnyOf(parts)

    def _all_of(self) -> Test:
        parts = self.separated(self._single, "&")
        flat = [leaf for part in parts for leaf in (part.parts if isinstance(part, AllOf) else (part,))]
        return flat[0] if len(flat) == 1 else AllOf(tuple(flat))

    def _single(self) -> Test:
        self.refuse_signs(_REFUSED)
        if self.opens("("):
            test = self._any_of()
            self.closes(")", "a group of tests")
            return test
        if not self.take("{"):
            return self._attribute()
        tests = self.separated(self._attribute, ";")
        self.expect("}", "a test of attributes")
        return AllOf(tests)

    def _attribute(self) -> Test:
        self.refuse_signs(_REFUSED)
        start = self.position
        name = self.name()
        if name is None:
            self.refuse("a test needs the name of an attribute here")
        if name not in ATTRIBUTES and name not in MARKS:
            self.refuse(f"the attribute {name!r} is unknown (known: {', '.join([*ATTRIBUTES, *MARKS])})", start)
        if self.character and self.character in "<>=":
            self.refuse("a comparison is not supported")
        self.refuse_signs(_REFUSED)
        if self.take("::"):
            function = self.name()
            if function != "EXISTS" or name not in MARKS:
                self.refuse(f"the test {name}::{function} is not supported", start)
            return Constraint("mark", "equals", MARKS[name])
        self.expect(":", "a test of an attribute")
        value = self.value("mark" if name in MARKS else ATTRIBUTES[name], bare=True)
        if value is None:
            self.refuse("a test needs a string, a regular expression or a word here")
        if name not in MARKS:
            return value
        if (value.kind, value.value) != ("equals", "true"):
            self.refuse(f"{name} can only be 'true'", start)
        return Constraint("mark", "equals", MARKS[name])
