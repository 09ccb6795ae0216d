"""Rules fired on sentences checked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trustnlp.data.relations.relation_examples import RelationExample, Span
from trustnlp.relations.rules import dependency_matcher
from trustnlp.relations.rules.rule_base import RuleBase
from trustnlp.relations.rules.rule_index import RuleIndex, RuleMatch, match_all
from trustnlp.relations.rules.token_columns import columns_of

SUB, OBJ = "([{kbpentity:true}]+)", "([{slotvalue:true}]+)"
# Ada King , the chief of Acme Ltd , died in 1852 .
EXAMPLE = RelationExample(
    "ada",
    ("Ada", "King", ",", "the", "chief", "of", "Acme", "Ltd", ",", "died", "in", "1852", "."),
    Span(0, 2),
    Span(6, 8),
    "per:employee_of",
    "PERSON",
    "ORGANIZATION",
    ("NNP", "NNP", ",", "DT", "NN", "IN", "NNP", "NNP", ",", "VBD", "IN", "CD", "."),
    ("Ada", "King", ",", "the", "chief", "of", "Acme", "Ltd", ",", "die", "in", "1852", "."),
    ("PERSON", "PERSON", "O", "O", "TITLE", "O", "O", "O", "O", "O", "O", "DATE", "O"),
    (1, 9, 1, 4, 1, 7, 7, 4, 1, -1, 11, 9, 9),
    (
        "compound", "nsubj", "punct", "det", "appos", "case", "compound", "nmod:of", "punct", "ROOT", "case", "nmod:in",
        "punct",
    ),
)  # fmt: skip


def fires(pattern: str, example: RelationExample = EXAMPLE, *, lemmas: bool = True, commas: str = "required") -> bool:
    base = RuleBase.of([("r", "made up", pattern)])
    return bool(match_all(base, [example], lemmas=lemmas, commas=commas).matches[0])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (f'{SUB} "," "the" "chief" "of" {OBJ}', True),
        (f'{OBJ} "," "the" "chief" "of" {SUB}', False),
        (f"{SUB} []{{0,3}} {OBJ}", False),
        (f"{SUB} /,/ [{{tag:/DT|NN/}}]+ [{{pos:IN}}] {OBJ}", True),
        (f"{SUB} /,/ [{{tag:NN}}]+ [{{pos:IN}}] {OBJ}", False),
        (f'{SUB} "," "a"? "the" [{{ner:"TITLE"}}] "of" {OBJ} /,/ [{{lemma:/die/}}]', True),
        (f'{SUB} []+ ([{{slotvalue:true; ner:"ORGANIZATION"}}]+)', True),
        (f'{SUB} ("," "the" | "who" "is") ("chief" "of"){{1,2}} {OBJ}', True),
        (f'{SUB} "," [{{word:the}} | {{tag:CD; ner:DATE}}] "chief" "of" {OBJ}', True),
        ("{ner:PERSON}=entity >appos ({ner:TITLE} >/(prep_|nmod:)(of|at)/ {ner:ORGANIZATION}=slot)", True),
        ("{}=slot <nmod:of ({} <appos {}=entity)", True),
        ("{}=entity [ >cop {}=slot | >appos ({} >nmod:of {}=slot) ]", True),
        ("{}=entity >appos ({} >nmod:of {}=slot) ?>cop {lemma:be}", True),
        ("{}=a >nsubj=r {} >=r ({}=entity >appos ({} >nmod:of {}=slot))", True),
        # Both must be bound, wherever they stand.
        ("{} ?>xyz ({}=entity >foo {}=slot)", False),
        ("{}=entity ?>appos ({} >nmod:of {}=slot)", True),
        ("{}=entity [ >appos {} | >cop {}=slot ]", False),
        ("{}=entity [ >appos {} | >appos ({} >nmod:of {}=slot) ]", True),
    ],
)
def test_patterns_on_a_sentence_checked_by_hand(pattern: str, expected: bool) -> None:
    assert fires(pattern) is expected


def test_a_literal_may_take_a_token_of_an_entity() -> None:
    """A mark is a property of a token: what CoreNLP's extractor sets, and TokensRegex tests."""
    assert fires(f'{SUB} []{{4}} "Acme" {OBJ}')
    assert fires(f'"Ada" {SUB} "," []+ {OBJ}')
    assert fires(f"[{{kbpentity:true}}] /,/ []+ {OBJ}")


def test_rules_that_test_a_lemma_never_fire_without_lemmas() -> None:
    with_lemma = f'{SUB} []+ {OBJ} "," [{{lemma:die}}]'
    assert fires(with_lemma) and not fires(with_lemma, lemmas=False)
    absent = f"{SUB} [{{lemma:x}}]? []+ {OBJ}"
    assert fires(absent) and not fires(absent, lemmas=False)
    assert fires(f"{SUB} []+ {OBJ}", lemmas=False)
    assert not fires("{lemma:die} >nsubj ({}=entity >appos ({} >nmod:of {}=slot))", lemmas=False)


def test_missing_columns_fail_their_tests() -> None:
    bare = replace(EXAMPLE, tags=(), lemmas=(), ner=(), heads=(), dependencies=())
    assert not fires(f"{SUB} [{{tag:/.*/}}]+ {OBJ}", bare) and not fires(f"{SUB} [{{lemma:/.*/}}]+ {OBJ}", bare)
    assert fires(f'{SUB} "," []+ ([{{slotvalue:true; ner:"ORGANIZATION"}}]+)', bare)
    assert not fires("{}=entity >appos ({} >nmod:of {}=slot)", bare)
    assert not fires("{}=entity > ({} > {}=slot)", replace(EXAMPLE, dependencies=()))


def test_a_marked_token_without_a_type_has_its_entitys() -> None:
    assert columns_of(EXAMPLE).ner[5:8] == ("O", "ORGANIZATION", "ORGANIZATION")
    assert columns_of(replace(EXAMPLE, subject_type="CITY")).ner[:2] == ("PERSON", "PERSON")


def without_commas(example: RelationExample = EXAMPLE) -> RelationExample:
    kept = [i for i, token in enumerate(example.tokens) if token != ","]
    return RelationExample("plain", tuple(example.tokens[i] for i in kept), Span(1, 2), Span(5, 7), "")


@pytest.mark.parametrize(
    ("pattern", "lenient"),
    [
        (f'{SUB} "," "the" "chief" "of" {OBJ}', True),
        (f'{SUB} /,/ "the" "chief" "of" {OBJ} /,|:/ "died"', True),
        (f'{SUB} /[,;]/ "the" "chief" "of" {OBJ}', True),
        (f'{SUB} [] "the" "chief" "of" {OBJ}', False),
        (f'{SUB} /[^a].*/ "the" "chief" "of" {OBJ}', False),
        (f'{SUB} [{{tag:","}}] "the" "chief" "of" {OBJ}', False),
    ],
)
def test_a_comma_may_be_absent_only_where_the_rule_names_it(pattern: str, lenient: bool) -> None:
    assert not fires(pattern, without_commas())
    assert fires(pattern, without_commas(), commas="optional") is lenient
    assert fires(pattern, commas="optional") is fires(pattern)


def test_the_gate_asks_for_the_types_that_the_relation_takes() -> None:
    relations = {"e": "per:employee_of", "t": "per:title", "x": "x", "no object": "x"}
    base = RuleBase.of((n, relation, f"{SUB} []+" + f" {OBJ}" * (len(n) < 2)) for n, relation in relations.items())
    gated = match_all(base, [EXAMPLE], lemmas=True).matches[0]
    assert gated == [RuleMatch("per:employee_of", "e", False), RuleMatch("x", "x", False)]
    assert [match.rule for match in match_all(base, [EXAMPLE], lemmas=True, gate=False).matches[0]] == ["e", "t", "x"]
    unknown = replace(EXAMPLE, object_type="O")
    assert [match.rule for match in match_all(base, [unknown], lemmas=True).matches[0]] == ["x"]


def test_both_directions_swap_the_pair_and_its_types() -> None:
    base = RuleBase.of(
        [("a", "org:top_members/employees", f"{OBJ} []+ {SUB}"), ("b", "per:employee_of", f"{SUB} []+ {OBJ}")]
    )
    both = match_all(base, [EXAMPLE], lemmas=True, both_directions=True)
    assert both.matches == [[("org:top_members/employees", "a", True), ("per:employee_of", "b", False)]]
    assert match_all(base, [EXAMPLE], lemmas=True).matches == [[("per:employee_of", "b", False)]]


def test_matches_are_in_the_order_of_the_rules_and_equal_patterns_all_fire() -> None:
    pattern = f"{SUB} []+ {OBJ}"
    base = RuleBase.of([("z", "x", pattern), ("s", "x", "{}=entity > ({} > {}=slot)"), ("a", "y", f"( {pattern} )")])
    assert [match.rule for match in match_all(base, [EXAMPLE], lemmas=True).matches[0]] == ["z", "s", "a"]


def test_an_unknown_way_with_commas_is_refused() -> None:
    with pytest.raises(ValueError, match="commas='maybe'; expected 'required' or 'optional'"):
        RuleIndex(RuleBase.of([]), commas="maybe")  # type: ignore[arg-type]


def test_a_search_without_end_is_given_up_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependency_matcher, "MOST_STEPS", 2000)
    tokens = 24
    star = RelationExample(
        "star",
        ("x",) * tokens,
        Span(0, 1),
        Span(1, 2),
        "",
        heads=(-1, *([0] * (tokens - 1))),
        dependencies=("d",) * tokens,
    )
    hopeless = "{}=entity " + " ".join(f">d {{}}=n{i}" for i in range(8)) + " >d ({}=slot >d {})"
    base = RuleBase.of([("hopeless", "x", hopeless), ("fine", "x", "{}=entity >d {}=slot")])
    found = match_all(base, [star], lemmas=True)
    assert [match.rule for match in found.matches[0]] == ["fine"]
    assert found.exhausted == [("star", "hopeless", False)]
