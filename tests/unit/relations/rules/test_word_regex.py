"""Regular expressions of words: read as Java reads them, and bounded."""

from __future__ import annotations

import sys
import time

import pytest

from trustnlp.relations.rules.word_regex import WordRegexError, compile_word_regex, plain_words


@pytest.mark.parametrize(
    ("expression", "accepted", "refused"),
    [
        ("NN.?", ["NN", "NNS"], ["NNPS", "N"]),
        (r"\Qa.b\E+", ["a.b", "a.bb"], ["axb"]),
        ("[Ii]nstitute|[Dd]ivision]", ["institute", "Division]"], ["Division"]),
        ("[0-9]{1,2}(-[Yy]ears?-[Oo]ld)?", ["7", "12-year-old"], ["123"]),
        ("(nmod|obl)*", ["nmod", "oblobl", ""], ["nmodo"]),  # a current rule of CoreNLP
        ("((?:nmod|obl)(:[a-z]+)?)?", ["nmod", "obl:in"], ["nmod:"]),
    ],
)
def test_whole_words_are_matched(expression: str, accepted: list[str], refused: list[str]) -> None:
    compiled = compile_word_regex(expression)
    assert all(compiled.fullmatch(word) for word in accepted)
    assert not any(compiled.fullmatch(word) for word in refused)


@pytest.mark.parametrize(
    "expression",
    [
        "(a+)+b",
        "(a?){30}",
        ".*.*.*.*.*x",
        "(a|a)" * 25,
        "((a{2,9}){2,9}){2,9}",
        "(" * 20 + "a?" + "){4}" * 20,
        "(.*|a){2}" * 3,
    ],
)
def test_expressions_that_may_not_end_are_refused_at_once(expression: str) -> None:
    started = time.perf_counter()
    with pytest.raises(WordRegexError, match="too many ways"):
        compile_word_regex(expression)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("expression", ["(", "(" * 2000 + ")" * 2000, "a**", "[", "(?P<x>"])
def test_what_is_no_expression_is_said_to_be_none(expression: str) -> None:
    with pytest.raises(WordRegexError, match="is no regular expression"):
        compile_word_regex(expression)


def test_depth_is_bounded_whatever_recursion_other_libraries_allow() -> None:
    allowed = sys.getrecursionlimit()
    sys.setrecursionlimit(30_000)
    try:
        with pytest.raises(WordRegexError, match="over 50 groups"):
            compile_word_regex("(" * 51 + "a" + ")" * 51)
    finally:
        sys.setrecursionlimit(allowed)
    assert compile_word_regex("(" * 50 + "a" + ")" * 50).fullmatch("a")
    assert compile_word_regex(r"[((]\(" * 40).fullmatch("(\\(" * 40) is None
    assert compile_word_regex("(a)" * 60).fullmatch("a" * 60)


def test_only_lists_of_words_are_plain() -> None:
    assert plain_words("son|daughter") == {"son", "daughter"}
    assert plain_words("'s") == {"'s"}
    assert [plain_words(e) for e in ("a.", "a|", "[a]", "(a)", r"\Qa\E")] == [None] * 5
