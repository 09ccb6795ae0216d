"""The parts that both rule languages share: tests of a token's attributes, a scanner, and errors that name the place.

TokensRegex (Chang & Manning 2014) and Semgrex (Chambers et al. 2007) test attributes of tokens against strings and
regular expressions in the same way: a string must be equal, capital letters included, a regular expression must match
the whole value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeVar

from trustnlp.relations.rules.word_regex import WordRegexError, compile_word_regex

Attribute = Literal["word", "lemma", "tag", "ner", "mark", "relation"]
ATTRIBUTES: dict[str, Attribute] = {
    "word": "word",
    "text": "word",
    "lemma": "lemma",
    "tag": "tag",
    "pos": "tag",
    "ner": "ner",
}

_STRING = re.compile(r'"((?:\\.|[^"\\])*)"', re.DOTALL)
_REGEX = re.compile(r"/((?:\\.|[^/\\])*)/", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BARE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.'-]*")
DEEPEST = 64  # groups within groups
AROUND = 12  # characters of the excerpt on each side

_Part = TypeVar("_Part")


class RuleSyntaxError(ValueError):
    """A rule that is not read, with the reason.

    Attributes
    ----------
    problem
        The construct, by name, or what is missing.
    rule
        The rule's id, empty where none is known.
    position
        The character of the pattern where it lies, counted from 0.
    excerpt
        The pattern around it.
    """

    def __init__(self, problem: str, pattern: str, position: int, rule: str = "") -> None:
        self.problem, self.pattern, self.position, self.rule = problem, pattern, position, rule
        start = max(position - AROUND, 0)
        end = position + AROUND
        self.excerpt = ("…" if start else "") + pattern[start:end] + ("…" if end < len(pattern) else "")
        super().__init__(f"{rule or 'rule'}: {problem} at character {position}, in: {self.excerpt!r}")


@dataclass(frozen=True, slots=True)
class Constraint:
    """One test of one attribute of a token.

    `mark` has the values `subject` and `object`; `relation` is a dependency's name.
    """

    attribute: Attribute
    kind: Literal["equals", "regex"]
    value: str

    def holds(self, value: str) -> bool:
        """Whether an attribute of this value passes.

        >>> Constraint("tag", "regex", "NN.?").holds("NNS")
        True
        """
        if self.kind == "equals":
            return value == self.value
        return compile_word_regex(self.value).fullmatch(value) is not None


class Scanner:
    """Reads a pattern from left to right, and says where it stands when it cannot go on."""

    def __init__(self, pattern: str, rule: str = "") -> None:
        self.pattern, self.rule, self.position = pattern, rule, 0
        self._depth = 0

    def refuse(self, problem: str, position: int | None = None) -> NoReturn:
        raise RuleSyntaxError(problem, self.pattern, self.position if position is None else position, self.rule)

    def refuse_signs(self, refused: Mapping[str, str]) -> None:
        """Refuse what stands here by its name if it begins with one of the signs; none of them begins another."""
        first = self.character
        for sign, name in refused.items():
            if sign[0] == first and self.sees(sign):
                self.refuse(f"{name} is not supported")

    def skip(self) -> None:
        while self.pattern[self.position : self.position + 1].isspace():
            self.position += 1

    def sees(self, text: str) -> bool:
        """Whether the rest, past blanks, begins so."""
        self.skip()
        return self.pattern.startswith(text, self.position)

    def take(self, text: str) -> bool:
        there = self.sees(text)
        self.position += len(text) * there
        return there

    def expect(self, text: str, what: str) -> None:
        if not self.take(text):
            self.refuse(f"{what} needs {text!r} here")

    def separated(self, part: Callable[[], _Part], sign: str) -> tuple[_Part, ...]:
        """One part or more, with the sign between them."""
        parts = [part()]
        while self.take(sign):
            parts.append(part())
        return tuple(parts)

    @property
    def ended(self) -> bool:
        self.skip()
        return self.position >= len(self.pattern)

    @property
    def character(self) -> str:
        return "" if self.ended else self.pattern[self.position]

    def opens(self, text: str) -> bool:
        """Take what opens a group; `closes` ends it."""
        start = self.position
        if not self.take(text):
            return False
        self._depth += 1
        if self._depth > DEEPEST:
            self.refuse(f"groups nested more than {DEEPEST} deep", start)
        return True

    def closes(self, text: str, what: str) -> None:
        self.expect(text, what)
        self._depth -= 1

    def read(self, form: re.Pattern[str]) -> re.Match[str] | None:
        match = form.match(self.pattern, self.position)
        if match:
            self.position = match.end()
        return match

    def name(self) -> str | None:
        self.skip()
        match = self.read(_NAME)
        return match[0] if match else None

    def value(self, attribute: Attribute, *, bare: bool) -> Constraint | None:
        """A string, a regular expression or, if `bare`, a word without quotes; None where none begins."""
        self.skip()
        start = self.position
        if match := self.read(_STRING):
            return Constraint(attribute, "equals", re.sub(r"\\(.)", r"\1", match[1]))
        if match := self.read(_REGEX):
            try:
                compile_word_regex(match[1])
            except WordRegexError as error:
                self.refuse(str(error), start)
            return Constraint(attribute, "regex", match[1])
        if self.character in ('"', "/"):
            self.refuse("a string without its end" if self.character == '"' else "a regular expression without its end")
        if bare and (match := self.read(_BARE)):
            return Constraint(attribute, "equals", match[0])
        return None
