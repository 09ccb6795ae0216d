"""A sentence of one's own is explained by an extractor's relation and the rule that it writes, or refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.relations.marked_sentences import MarkedSentence
from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample, Span
from trustnlp.relations import relation_extractor
from trustnlp.relations.relation_extractor import RelationExtractor
from trustnlp.relations.relation_sizes import RelationSizes
from trustnlp.relations.rules.rule_spelling import rule_tokens
from trustnlp.relations.trained_extractor import ExtractorRecipe

SENTENCE = "Ada founded Acme Corp"
RULE = tuple(rule_tokens('([{kbpentity:true}]+) "founded" ([{slotvalue:true}]+)'))


class Trained:
    """A trained extractor that gives one relation and one rule."""

    recipe = ExtractorRecipe()

    def __init__(self, relation: str = "per:founded", rule: tuple[str, ...] = RULE, *, directed: bool = False) -> None:
        self.relation, self.rule = relation, rule
        self.vocabulary = SimpleNamespace(relations=[f"{relation}(e1,e2)"] if directed else [relation])

    def predict(self, examples: Any) -> Any:
        return [self.relation], np.array([[0.9, 0.1]])

    def decode(self, examples: Any) -> Any:
        return [self.rule]


@pytest.fixture
def by_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are what blanks part, so that no pipeline is needed."""

    def parsed_examples(_: str, sentences: list[MarkedSentence]) -> Any:
        text, *spans = sentences[0].text, sentences[0].first, sentences[0].second
        words = [Span(text[: span.start].count(" "), text[: span.end].count(" ") + 1) for span in spans]
        return [RelationExample("own", tuple(text.split()), *words, "", "PERSON", "ORGANIZATION")]

    monkeypatch.setattr(relation_extractor, "parsed_examples", parsed_examples)


def extractor(*given: Any, directed: bool = False, **options: Any) -> RelationExtractor:
    return RelationExtractor(Trained(*given, directed=directed), **options)  # type: ignore[arg-type]


@pytest.mark.usefixtures("by_blanks")
def test_the_rule_is_run_on_the_sentence() -> None:
    never = tuple(rule_tokens('([{kbpentity:true}]+) "never" ([{slotvalue:true}]+)'))
    for rule, readable, true in ((RULE, True, True), (never, True, False), (("(", "(", "<UNK>"), False, False)):
        found = extractor("per:founded", rule).explain(SENTENCE, "Ada", "Acme  Corp")
        assert (found.relation, found.probability) == ("per:founded", 0.9)
        assert (found.readable, found.true) == (readable, true)
    nothing = extractor(NO_RELATION).explain(SENTENCE, "Ada", "Acme Corp")
    assert (nothing.pattern, nothing.readable, nothing.true) == (None, False, False)


@pytest.mark.usefixtures("by_blanks")
@pytest.mark.parametrize(
    ("both_directions", "backwards"), [(True, False), (False, True)], ids=["released rules", "mined rules"]
)
def test_where_labels_say_the_direction_the_first_entity_is_the_subject(both_directions: bool, backwards: bool) -> None:
    """A released rule runs backwards for a label that does; a mined one names the direction and never does."""
    for label, true in (("per:x(e1,e2)", True), ("per:x(e2,e1)", backwards)):
        own = extractor(label, directed=True, both_directions=both_directions)
        found = own.explain(SENTENCE, "Acme Corp", "Ada")
        assert found.true == true and found.example.subject == Span(0, 1)


def test_entities_that_are_not_there_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "Ada Lovelace of Acme met Ada  and Acme Corp , Ann's firm"
    assert_refused(
        lambda subject, other: extractor().explain(sentence, subject, other),
        [
            ("Bob", "Acme Corp", "subject 'Bob' is not in the sentence"),
            ("Ada", "Acme Corp", "subject 'Ada' is 2 times in the sentence: give words that it has once"),
            ("Ada Lovelace", "Lovelace of", "overlap"),
            (" ", "Acme Corp", "subject is empty"),
            (None, "Acme Corp", TypeError, "the subject is None: give text"),
        ],
    )
    monkeypatch.setattr(relation_extractor, "parsed_examples", lambda *_: [None])
    assert_refused(lambda: extractor().explain("Ann/Bo met", "Ann", "Bo"), [("one token of 'Ann' and 'Bo'",)])


@pytest.mark.parametrize("lacking", ["classifier", "decoder"])
def test_an_extractor_that_says_half_is_refused(lacking: str) -> None:
    half = SimpleNamespace(recipe=ExtractorRecipe(RelationSizes(**{lacking: False})))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"trained without a {lacking}"):
        RelationExtractor(half)  # type: ignore[arg-type]


def test_a_real_sentence_is_parsed_and_explained() -> None:
    pytest.importorskip("spacy")
    found = extractor().explain("Last year  Maria Lopez founded Acme Corp .", "Maria Lopez", "Acme Corp")
    words = found.example.tokens
    assert words[slice(*found.example.subject)] == ("Maria", "Lopez") and found.true
    assert words[slice(*found.example.object)] == ("Acme", "Corp") and found.example.subject_type == "PERSON"
