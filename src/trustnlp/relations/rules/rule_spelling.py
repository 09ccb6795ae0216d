"""A rule as the sequence of tokens that a decoder writes, and back.

Tang & Surdeanu 2021, §3.2: P = [p_1, …, p_n]; table 4 gives a vocabulary of 1,141. The tokeniser's file is not in
clulab/releases. The rule below gives 1,137 tokens over all released patterns, and 1,141 with the four specials that
`utils/constant.py` lists: runs of letters, digits and `_` are one token, every other character but a blank is one, and
commas are dropped.

What is dropped can be put back almost everywhere: an empty string, an empty regular expression or an empty alternative
of one is a comma, and so is the gap between two numbers in braces. What stays lost: blanks inside quotes or a regular
expression, commas in a character class, and the comma of `{2,}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from trustnlp.relations.rules.rule_base import parse_pattern
from trustnlp.relations.rules.rule_syntax import RuleSyntaxError

SPECIALS = ("<PAD>", "<UNK>", "<SOS>", "<EOS>")
_DELIMITERS = ('"', "/")
_TOKEN = re.compile(r"\w+|[^\w\s]")


def rule_tokens(pattern: str) -> list[str]:
    """The tokens of a pattern, without commas.

    >>> rule_tokens('([{kbpentity:true}]+) "," "CEO"')[-5:]
    ['"', '"', '"', 'CEO', '"']
    """
    return [token for token in _TOKEN.findall(pattern) if token != ","]


def rule_vocabulary(patterns: Mapping[str, str] | Iterable[str]) -> list[str]:
    """The four specials, then all tokens of these patterns, the most frequent first; ties by first occurrence."""
    listed = patterns.values() if isinstance(patterns, Mapping) else patterns
    counts: dict[str, int] = {}
    for pattern in listed:
        for token in rule_tokens(pattern):
            counts[token] = counts.get(token, 0) + 1
    return [*SPECIALS, *sorted(counts, key=lambda token: -counts[token])]


def pattern_of(tokens: Sequence[str]) -> str:
    """The pattern that tokens spell, dropped commas put back, not checked.

    Specials end up in the pattern as they are; leave them out first.

    >>> pattern_of(rule_tokens('"," []{0,4} /was//born/ /,/ /-LRB-|,/ [{ner:"DATE"}]'))
    '","[]{0,4}/was/ /born/ /,/ /-LRB-|,/[{ner:"DATE"}]'
    """
    text = opened = ""
    start = 0  # of what a string or regular expression holds
    escaped = False
    for previous, token in pairwise(["", *tokens]):
        if escaped or not opened:
            text += _between(text, previous, token)
            if not escaped and token in _DELIMITERS:
                opened, start = token, len(text) + 1
            escaped = False
        elif token == opened:
            text += "," if _ends_empty(text, start, opened) else ""
            opened = ""
        elif opened == "/" and token == "|":
            text += "," if _ends_empty(text, start, opened) else ""
        elif token == "\\":
            escaped = True
        else:
            text += _between(text, previous, token)
        text += token
    return text


def _ends_empty(text: str, start: int, opened: str) -> bool:
    """Whether the string, or the alternative of a regular expression, is empty so far."""
    return len(text) == start or (opened == "/" and text.endswith("|") and not text.endswith("\\|"))


def _between(text: str, previous: str, token: str) -> str:
    if previous in _DELIMITERS and token in _DELIMITERS:
        return " "
    if not (previous[-1:].isalnum() and token[:1].isalnum()):
        return ""
    return "," if previous.isdigit() and token.isdigit() and text.endswith("{" + previous) else " "


def well_formed(tokens: Sequence[str]) -> bool:
    """Whether tokens spell a rule that can be read, in either language.

    >>> well_formed(rule_tokens('"is" ([{slotvalue:true}]+)')), well_formed(["(", '"', "is", '"'])
    (True, False)
    """
    try:
        parse_pattern(pattern_of(tokens))
    except RuleSyntaxError:
        return False
    return True
