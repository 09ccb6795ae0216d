"""Token patterns: what is read, and what is refused by name and place."""

from __future__ import annotations

import pytest

from trustnlp.relations.rules.rule_syntax import Constraint, RuleSyntaxError
from trustnlp.relations.rules.token_patterns import (
    MOST_REPEATS,
    AllOf,
    AnyOf,
    Choice,
    Repeat,
    Run,
    Token,
    parse_token_pattern,
)

A, B = (Token(Constraint("word", "equals", letter)) for letter in "ab")


@pytest.mark.parametrize(
    ("pattern", "body"),
    [
        ('"a"', A),
        ('( ( "a" ) "b" )', Run((A, B))),
        ('"a""b"', Run((A, B))),
        ("/a|b/", Token(Constraint("word", "regex", "a|b"))),
        ("[]", Token(AllOf(()))),
        ("[ { tag:/NN.?/ } ]", Token(Constraint("tag", "regex", "NN.?"))),
        ('[{pos:"RB"}]', Token(Constraint("tag", "equals", "RB"))),
        ("[lemma:the]", Token(Constraint("lemma", "equals", "the"))),
        ("[{slotvalue::EXISTS}]", Token(Constraint("mark", "equals", "object"))),
        (
            '[{kbpentity:true; ner:"DATE"}]',
            Token(AllOf((Constraint("mark", "equals", "subject"), Constraint("ner", "equals", "DATE")))),
        ),
        (
            "[{lemma:/be/} | {lemma:/get/}]",
            Token(AnyOf((Constraint("lemma", "regex", "be"), Constraint("lemma", "regex", "get")))),
        ),
        ('("a" | "b")', Token(AnyOf((A.test, B.test)))),
        ('("a" "b" | "b")', Choice((Run((A, B)), B))),
        ('"a"+', Repeat(A, 1, None)),
        ('"b" "a"*', Run((B, Repeat(A, 0, None)))),
        ('"b" ("a")?', Run((B, Repeat(A, 0, 1)))),
        ('"b" "a"{0,4}', Run((B, Repeat(A, 0, 4)))),
        ('"a"{3}', Repeat(A, 3, 3)),
        ('"a"{1}', A),
        (r'"say \"a\""', Token(Constraint("word", "equals", 'say "a"'))),
        (r"/a\/b/", Token(Constraint("word", "regex", r"a\/b"))),
    ],
)
def test_patterns_become_trees(pattern: str, body: object) -> None:
    assert parse_token_pattern(pattern).body == body


def test_conjunction_by_semicolon_and_by_sign_are_one_tree() -> None:
    assert parse_token_pattern("[{kbpentity:true; tag:NN}]") == parse_token_pattern("[{kbpentity::EXISTS} & {pos:NN}]")


@pytest.mark.parametrize(
    ("pattern", "problem", "position"),
    [
        ("", "the pattern is empty", 0),
        ("()", "an empty group", 1),
        ('"a" |', "an empty group or alternative", 5),
        ('"a" !"b"', "negation is not supported", 4),
        ("[!{tag:NN}]", "negation is not supported", 1),
        ("[{!tag:NN}]", "negation is not supported", 2),
        ("[{tag!:NN}]", "negation is not supported", 5),
        ("$JOB", "a macro or an anchor ('$') is not supported", 0),
        ("[{$JOB}]", "a macro", 2),
        (r'("a") \1', "a back reference is not supported", 6),
        ('"a"{1,2}?', "a lazy repeat is not supported", 3),
        ('"a"++', "a repeat of a repeat is not supported", 3),
        ('+ "a"', "a repeat of nothing", 0),
        ('"a"{2,1}', "a repeat that ends before it begins", 3),
        ('"a"{0}', "a repeat that ends before it begins", 3),
        (f'"a"{{{MOST_REPEATS + 1}}}', f"a count above {MOST_REPEATS}", 3),
        ('("a" "b")+', "an open repeat of a group of several tokens", 9),
        ('(?$x "a")', "a group with '(?'", 0),
        ('"a" & "b"', "the conjunction of sequences", 4),
        ("[{{ word }}]", "an expression in double braces", 1),
        ("[{word>=2}]", "a comparison is not supported", 6),
        ("[{word::IS_NUM}]", "the test word::IS_NUM is not supported", 2),
        ("[{shape:Xx}]", "the attribute 'shape' is unknown", 2),
        ("[{kbpentity:false}]", "kbpentity can only be 'true'", 2),
        ("[{tag:}]", "a test needs a string", 6),
        ('[{tag:"NN}]', "a string without its end", 6),
        ("/a(/", "/a(/ is no regular expression", 0),
        ("/(a+)+b/", "too many ways", 0),
        ('("a"', "a group needs ')'", 4),
        ('"a")', "a ')' without '('", 3),
        ('["a"]', "a test needs the name of an attribute", 1),
        ('"a" b', "unexpected 'b'", 4),
        ('"a"*', "a pattern that no token at all satisfies", 0),
        ('"a"? ("b"{0,2} | "c")', "a pattern that no token at all satisfies", 0),
        ("[] (([]{0,9} []{0,9}){0,9}){0,9}", "a pattern that unfolds into over 256 sequences", 0),
        ('[] (((("a"{60}){60}){60}){60}){60}', "or 4,096 tokens", 0),
        ("(" * 99 + '"a"' + ")" * 99, "nested more than", 64),
    ],
)
def test_what_is_not_read_is_refused_by_name_and_place(pattern: str, problem: str, position: int) -> None:
    with pytest.raises(RuleSyntaxError) as refused:
        parse_token_pattern(pattern, "t_9")
    assert problem in refused.value.problem
    assert (refused.value.position, refused.value.rule) == (position, "t_9")
    assert refused.value.excerpt.strip("…") in pattern
    assert str(refused.value).startswith("t_9: ")


def test_a_long_pattern_is_excerpted_around_the_place() -> None:
    with pytest.raises(RuleSyntaxError) as refused:
        parse_token_pattern('"word" ' * 20 + "!" + ' "word"' * 20)
    assert refused.value.excerpt.startswith("…") and refused.value.excerpt.endswith("…")
    assert "!" in refused.value.excerpt and len(refused.value.excerpt) < 30


def test_a_mark_in_quotes_is_a_word_and_no_mark() -> None:
    pattern = parse_token_pattern('"([ { kbpentity:true } ]+ )" "of" ([{slotvalue:true}]+)')
    assert pattern.quoted_marks == ["([ { kbpentity:true } ]+ )"]
    assert pattern.marks == {"object"}
    assert parse_token_pattern('"kbpentity"').quoted_marks == []
