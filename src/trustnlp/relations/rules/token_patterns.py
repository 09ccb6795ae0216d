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
from collections.abc import Iterable
from dataclasses import dataclass

from trustnlp.relations.rules.rule_syntax import ATTRIBUTES, Constraint, RuleSyntaxError, Scanner

MARKS = {"kbpentity": "subject", "slotvalue": "object"}
_COUNT = re.compile(r"\{\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?\}")
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


@dataclass(frozen=True, slots=True)
class TokenPattern:
    """A pattern over the tokens of a sentence. Groups leave no trace: two patterns are equal if they match alike by
    their form."""

    body: Item

    def constraints(self) -> list[Constraint]:
        """All tests of attributes, in order."""
        return list(_constraints(self.body))

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


def may_be_empty(item: Item) -> bool:
    """Whether no token at all satisfies the item."""
    match item:
        case Token():
            return False
        case Repeat(inner, low, _):
            return low == 0 or may_be_empty(inner)
        case Run(items):
            return all(map(may_be_empty, items))
        case Choice(options):
            return any(map(may_be_empty, options))


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


def _unfolded(item: Item) -> tuple[int, int]:
    """Sequences without alternatives that an item stands for, and tests of tokens in all of them."""
    match item:
        case Token():
            return 1, 1
        case Repeat(Token(), low, high):
            return 1, high or max(low, 1)
        case Repeat(inner, low, high):
            assert high is not None
            return _sums(_products([_unfolded(inner)] * times) for times in range(low, high + 1))
        case Run(items):
            return _products(map(_unfolded, items))
        case Choice(options):
            return _sums(map(_unfolded, options))


def _sums(sizes: Iterable[tuple[int, int]]) -> tuple[int, int]:
    sequences, tokens = zip(*sizes, strict=True)
    return sum(sequences), sum(tokens)


def _products(sizes: Iterable[tuple[int, int]]) -> tuple[int, int]:
    sequences, tokens = 1, 0
    for more_sequences, more_tokens in sizes:
        sequences, tokens = sequences * more_sequences, tokens * more_sequences + more_tokens * sequences
    return sequences, tokens


_REFUSED = {
    "!": "negation is not supported",
    "\\": "a back reference is not supported",
    "^": "an anchor of the sentence is not supported",
    "&": "the conjunction of sequences is not supported",
    "=>": "an action is not supported",
    "==>": "an action is not supported",
    "{{": "an expression in double braces is not supported",
}


class _TokenParser(Scanner):
    def parse(self) -> TokenPattern:
        if self.ended:
            self.refuse("the pattern is empty")
        body = self._choice()
        if not self.ended:
            self.refuse("a ')' without '('" if self.character == ")" else f"unexpected {self.character!r}")
        if may_be_empty(body):
            self.refuse("a pattern that no token at all satisfies", 0)
        sequences, tokens = _unfolded(body)
        if sequences > MOST_UNFOLDED or tokens > MOST_TOKENS:
            self.refuse(f"a pattern that unfolds into {sequences:,} sequences of {tokens:,} tokens in all", 0)
        return TokenPattern(body)

    def _choice(self) -> Item:
        options = [self._run()]
        while self.take("|"):
            options.append(self._run())
        if len(options) == 1:
            return options[0]
        if all(isinstance(option, Token) for option in options):
            return Token(AnyOf(tuple(option.test for option in options if isinstance(option, Token))))
        return Choice(tuple(options))

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
        for sign, problem in sorted(_REFUSED.items(), key=lambda entry: -len(entry[0])):
            if self.sees(sign):
                self.refuse(problem)
        if self.sees("$"):
            macro = self.pattern[self.position + 1 : self.position + 2].strip()
            self.refuse("a macro is not supported" if macro else "an anchor of the sentence is not supported")
        if self.character and self.character in "+*?{":
            self.refuse("a repeat of nothing")
        self.refuse(f"unexpected {self.character!r}")

    def _repeated(self, item: Item) -> Item:
        start = self.position
        low: int = 1
        high: int | None = 1
        self.skip()
        counted = self.read(_COUNT)
        if counted:
            low = int(counted[1])
            high = int(counted[3]) if counted[3] else None if counted[2] else low
        elif self.take("+"):
            low, high = 1, None
        elif self.take("*"):
            low, high = 0, None
        elif self.take("?"):
            low, high = 0, 1
        else:
            return item
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
        parts = [self._all_of()]
        while self.take("|"):
            parts.append(self._all_of())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _all_of(self) -> Test:
        parts = [self._single()]
        while self.take("&"):
            parts.append(self._single())
        flat = [leaf for part in parts for leaf in (part.parts if isinstance(part, AllOf) else (part,))]
        return flat[0] if len(flat) == 1 else AllOf(tuple(flat))

    def _single(self) -> Test:
        if self.sees("!"):
            self.refuse("negation is not supported")
        if self.sees("$"):
            self.refuse("a macro is not supported")
        if self.opens("("):
            test = self._any_of()
            self.closes(")", "a group of tests")
            return test
        if self.sees("{{"):
            self.refuse("an expression in double braces is not supported")
        if not self.take("{"):
            return self._attribute()
        tests: list[Test] = [self._attribute()]
        while self.take(";"):
            tests.append(self._attribute())
        self.expect("}", "a test of attributes")
        return tests[0] if len(tests) == 1 else AllOf(tuple(tests))

    def _attribute(self) -> Test:
        self.skip()
        start = self.position
        if self.sees("!"):
            self.refuse("negation is not supported")
        if self.sees("$"):
            self.refuse("a macro is not supported")
        name = self.name()
        if name is None:
            self.refuse("a test needs the name of an attribute here")
        if name not in ATTRIBUTES and name not in MARKS:
            self.refuse(f"the attribute {name!r} is unknown (known: {', '.join([*ATTRIBUTES, *MARKS])})", start)
        if self.sees("!"):
            self.refuse("negation is not supported")
        if self.character and self.character in "<>=":
            self.refuse("a comparison is not supported")
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


__all__ = [
    "MARKS", "AllOf", "AnyOf", "Choice", "Item", "Repeat", "RuleSyntaxError", "Run", "Test", "Token", "TokenPattern",
    "may_be_empty", "parse_token_pattern",
]  # fmt: skip
