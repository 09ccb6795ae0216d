"""What must hold of rules and their matches, whatever the pattern and the sentence."""

from __future__ import annotations

from typing import Literal

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_rules import naive_match, rows

from trustnlp.data.relations.relation_examples import RelationExample, Span
from trustnlp.relations.rules.dependency_matcher import DependencyMatcher
from trustnlp.relations.rules.dependency_patterns import DependencyPattern
from trustnlp.relations.rules.rule_base import parse_pattern
from trustnlp.relations.rules.rule_spelling import pattern_of, rule_tokens, well_formed
from trustnlp.relations.rules.rule_syntax import RuleSyntaxError
from trustnlp.relations.rules.token_automaton import TokenAutomaton
from trustnlp.relations.rules.token_columns import columns_of
from trustnlp.relations.rules.token_patterns import TokenPattern

words = st.sampled_from(["a", "b", ",", "be", "12"])
tags = st.sampled_from(["NN", "VB"])
labels = st.sampled_from(["nsubj", "dobj", "nmod:of"])
commas_choices = st.sampled_from(["required", "optional"])

values = st.sampled_from(['"a"', "/a|b/", "/[ab]/", "/.*/", '","', "/,|b/", "/[0-9]+/"])
tests = st.one_of(
    st.sampled_from(["kbpentity:true", "slotvalue:true", "slotvalue::EXISTS", 'ner:"PERSON"', "tag:/NN.?/", "pos:VB"]),
    st.builds("{}:{}".format, st.sampled_from(["word", "lemma"]), values),
)
braces = st.lists(tests, min_size=1, max_size=2).map(lambda parts: "{" + "; ".join(parts) + "}")
token_tests = st.one_of(
    st.just("[]"),
    values,
    st.lists(braces, min_size=1, max_size=2).map(lambda parts: f"[{' & '.join(parts)}]"),
    st.lists(braces, min_size=2, max_size=2).map(lambda parts: f"[{' | '.join(parts)}]"),
)
repeats = st.sampled_from(["", "", "", "+", "*", "?", "{2}", "{0,2}", "{1,3}", "{2,}"])
items = st.builds(str.__add__, token_tests, repeats)
sequences = st.lists(items, min_size=1, max_size=4).map(" ".join)
groups = st.one_of(
    sequences,
    st.builds("({} | {}) {}".format, sequences, sequences, items),
    st.builds("({}){} {}".format, sequences, st.sampled_from(["?", "{0,2}", "{2}"]), items),
)

nodes = st.sampled_from(["{}", "{}", "{word:a}", "{word:/a|b/}", "{tag:VB}", "{word:a;tag:NN}"])
names = st.sampled_from(["", "", "=entity", "=slot", "=x"])
edges = st.builds(
    str.__add__, st.sampled_from([">", "<"]), st.sampled_from(["nsubj", "/.*/", "/nmod.*/", "", "nsubj=r"])
)
leaves = st.builds(str.__add__, nodes, names)
pairs = st.builds("{} {} {}".format, leaves, edges, leaves)
trees = st.one_of(
    pairs,
    st.builds("{} {} ({})".format, leaves, edges, pairs),
    st.builds("{} {} {} {} {}".format, leaves, edges, leaves, edges, leaves),
    st.builds("{} [ {} {} | {} {} ]".format, leaves, edges, leaves, edges, leaves),
    st.builds("{} {} {} ?>cop {{}}".format, leaves, edges, leaves),
)


@st.composite
def examples(draw: st.DrawFn) -> RelationExample:
    length = draw(st.integers(2, 7))
    tokens = draw(st.lists(words, min_size=length, max_size=length))
    start = draw(st.integers(0, length - 2))
    end = draw(st.integers(start + 1, length - 1))
    other = draw(st.integers(end, length - 1))
    entities = Span(start, end), Span(other, draw(st.integers(other + 1, length)))
    subject, object_ = entities if draw(st.booleans()) else entities[::-1]
    return RelationExample(
        "made", tuple(tokens), subject, object_, "", "PERSON", "DATE",
        tuple(draw(st.lists(tags, min_size=length, max_size=length))),
        tuple(tokens) if draw(st.booleans()) else (),
        heads=(-1, *(draw(st.integers(0, token - 1)) for token in range(1, length))),
        dependencies=tuple(draw(st.lists(labels, min_size=length, max_size=length))),
    )  # fmt: skip


@settings(max_examples=300)
@given(st.lists(groups, min_size=1, max_size=4), examples(), commas_choices)
def test_the_automaton_matches_what_recursion_matches(
    patterns: list[str], example: RelationExample, commas: Literal["required", "optional"]
) -> None:
    parsed = []
    for pattern in patterns:
        try:
            tree = parse_pattern(pattern)
        except RuleSyntaxError as error:
            assert "no token at all" in error.problem
            continue
        assert isinstance(tree, TokenPattern)
        parsed.append(tree)
    assume(parsed)
    automaton, columns = TokenAutomaton(parsed, commas=commas), columns_of(example)
    slow = [n for n, tree in enumerate(parsed) if naive_match(tree, rows(example), (), commas=commas)]
    assert automaton.search(columns, automaton.read(columns)) == slow


@settings(max_examples=300)
@given(st.lists(trees, min_size=1, max_size=3), examples())
def test_the_search_matches_what_recursion_matches(patterns: list[str], example: RelationExample) -> None:
    parsed = [tree for tree in map(parse_pattern, patterns) if isinstance(tree, DependencyPattern)]
    assert len(parsed) == len(patterns)
    matcher, columns = DependencyMatcher(parsed), columns_of(example)
    slow = [n for n, tree in enumerate(parsed) if naive_match(tree, rows(example), example.heads)]
    assert matcher.match(columns, matcher.read(columns)) == (slow, [])


@given(st.one_of(groups, trees).filter(lambda pattern: ",}" not in pattern))
def test_a_pattern_written_as_tokens_is_read_again(pattern: str) -> None:
    try:
        tree = parse_pattern(pattern)
    except RuleSyntaxError:
        return
    tokens = rule_tokens(pattern)
    assert well_formed(tokens)
    assert parse_pattern(pattern_of(tokens)) == tree


@given(st.text(alphabet='([{kbpentity:true}])+*?|&;/"\\ !$,0a<>=-', max_size=40))
def test_any_text_is_read_or_refused_with_its_place(text: str) -> None:
    try:
        parse_pattern(text, "t_7")
    except RuleSyntaxError as error:
        assert error.rule == "t_7"
        assert 0 <= error.position <= len(text)
        assert str(error).startswith(f"t_7: {error.problem} at character {error.position}")
