r"""Regular expressions of single words: what Java's and Python's share, with a bound on the ways to read a word.

TokensRegex and Semgrex match a word, tag or type against a whole Java regular expression (`Matcher.matches`). Python's
`re` reads the same of those that the rules of Angeli et al. (2015) use; Java's quote `\Q…\E` is rewritten. Both try the
ways to read a word one after the other, so `(a+)+b` on forty letters would not end in a lifetime. The number of ways
is bounded before an expression is accepted.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import accumulate, pairwise

LETTERS = 40  # of a long word
MOST_WAYS = 1_000_000  # of reading a word so long: about a second
DEEPEST = 50  # groups in groups; Python's own limit is that of its recursion, which other libraries change

_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|$)", re.DOTALL)
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_GROUP = re.compile(r"\((?:\?(?::|i\)|[=!]|<[=!]))?")
_PLAIN = re.compile(r"[^\\.^$*+?{}\[\]()|]+")


class WordRegexError(ValueError):
    """An expression that is none, or that may read one word in too many ways."""


@lru_cache(maxsize=65_536)
def compile_word_regex(expression: str) -> re.Pattern[str]:
    r"""The expression compiled for `fullmatch`.

    Raises
    ------
    WordRegexError
        If it is no regular expression, has more than `DEEPEST` groups in each other, or may read a word of `LETTERS`
        letters in more than `MOST_WAYS` ways.

    >>> compile_word_regex("[Cc]ollege|[Uu]niversity").fullmatch("University") is not None
    True
    >>> compile_word_regex(r"\Qa.k.a\E").fullmatch("a-k-a") is None
    True
    """
    rewritten = _QUOTED.sub(lambda quoted: re.escape(quoted[1]), expression)
    if _depth(rewritten) > DEEPEST:
        raise WordRegexError(f"/{expression:.40}.../ is no regular expression: over {DEEPEST} groups in each other")
    try:
        compiled = re.compile(rewritten)
    except re.error as error:
        raise WordRegexError(f"/{expression}/ is no regular expression: {error}") from error
    if _Ways(rewritten).count() > MOST_WAYS:
        raise WordRegexError(
            f"/{expression}/ may read a word of {LETTERS} letters in too many ways (more than {MOST_WAYS:,}); do not "
            f"repeat a group that can repeat or choose"
        )
    return compiled


def _depth(expression: str) -> int:
    """How many groups stand in each other."""
    signs = _CLASS.sub("", _ESCAPE.sub("", expression))
    return max(accumulate((sign == "(") - (sign == ")") for sign in signs), default=0)


@lru_cache(maxsize=65_536)
def plain_words(expression: str) -> frozenset[str] | None:
    """The words that the expression is a list of, None where it is more than a list.

    >>> sorted(plain_words("wife|husband"))
    ['husband', 'wife']
    >>> plain_words("[Ww]ife")
    """
    words = expression.split("|")
    return frozenset(words) if all(_PLAIN.fullmatch(word) for word in words) else None


class _Ways:
    """Upper bound on the ways in which a backtracking matcher may read `LETTERS` letters: a sum over alternatives,
    a product over parts, `LETTERS` + 1 for an open repeat of what can be read in one way.

    Alternatives that are words, none of which begins another, are read in one way. What has at least k letters repeats
    at most `LETTERS` / k times. Each part is counted as its ways and its fewest letters.
    """

    def __init__(self, expression: str) -> None:
        self.text = expression
        self.at = 0

    def count(self) -> float:
        return self._alternatives()[0]

    def _alternatives(self) -> tuple[float, int]:
        start = self.at
        options = [self._parts()]
        while self.at < len(self.text) and self.text[self.at] == "|":
            self.at += 1
            options.append(self._parts())
        fewest = min(letters for _, letters in options)
        return (1.0 if _told_apart(self.text[start : self.at]) else sum(ways for ways, _ in options)), fewest

    def _parts(self) -> tuple[float, int]:
        ways, letters = 1.0, 0
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            times, length = self._repeated(*self._atom())
            letters += length
            ways *= times
            if ways > MOST_WAYS:  # enough, and no overflow further up
                ways = math.inf
        return ways, letters

    def _atom(self) -> tuple[float, int]:
        if group := _GROUP.match(self.text, self.at):
            self.at = group.end()
            if group[0] == "(?i)":
                return 1.0, 0
            ways, letters = self._alternatives()
            self.at += 1
            return ways, letters if group[0] in ("(", "(?:") else 0
        match = _ESCAPE.match(self.text, self.at) or _CLASS.match(self.text, self.at)
        read = match[0] if match else self.text[self.at]
        self.at += len(read)
        return 1.0, 0 if read in "^$" or (len(read) == 2 and read[1] in "AbBGzZ0123456789") else 1

    def _repeated(self, inner: float, letters: int) -> tuple[float, int]:
        if self.at >= len(self.text):
            return inner, letters
        sign = self.text[self.at]
        if sign == "?":
            self.at += 1
            low, high = 0, 1
        elif sign in "*+":
            self.at += 1
            low, high = int(sign == "+"), LETTERS
        elif (count := _COUNT.match(self.text, self.at)) and (count[1] or count[3]):
            self.at = count.end()
            low = int(count[1] or 0)
            high = min(int(count[3]), LETTERS) if count[3] else LETTERS if count[2] else low
        else:
            return inner, letters
        if self.at < len(self.text) and self.text[self.at] in "?+":
            self.at += 1
        fewest = low * letters
        if inner == 1:
            return max(high - low + 1, 1), fewest
        if letters:
            high = min(high, LETTERS // letters)
        return sum(inner**times for times in range(low, max(low, high) + 1)), fewest


def _told_apart(expression: str) -> bool:
    """Whether it is a list of words none of which begins another, in capitals or not."""
    words = sorted(word.casefold() for word in expression.split("|"))
    return plain_words(expression) is not None and not any(b.startswith(a) for a, b in pairwise(words))
