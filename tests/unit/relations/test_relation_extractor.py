"""A sentence of one's own is explained by an extractor of made-up ones, or refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from made_relations import TRIGGERS, made_relations
from refusals import assert_refused

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.relations.joint_training import train_extractor
from trustnlp.relations.relation_extractor import RelationExtractor
from trustnlp.relations.relation_network import RelationSizes
from trustnlp.relations.relation_vocabulary import Rule
from trustnlp.relations.rules.rule_spelling import rule_tokens
from trustnlp.relations.trained_extractor import ExtractorRecipe, TrainedExtractor

RECIPE = ExtractorRecipe(
    RelationSizes(width=40, lstm_layers=1, dropout=0.1, input_dropout=0.0),
    learning_rate=0.02,
    first_sum=0.0,
    epochs=24,
    batch_size=40,
)
World = tuple[list[RelationExample], list[Rule | None]]


def pattern(trigger: str) -> Rule:
    return tuple(rule_tokens(f'([{{kbpentity:true}}]+) []{{0,3}} "{trigger}" []{{0,3}} ([{{slotvalue:true}}]+)'))


@pytest.fixture(scope="module")
def world() -> World:
    """Made-up sentences whose rules are patterns that can be run."""
    examples, rules = made_relations(700, 0)
    return examples, [pattern(next(word for word in TRIGGERS if word in rule)) if rule else None for rule in rules]


@pytest.fixture(scope="module")
def trained(world: World) -> TrainedExtractor:
    examples, rules = world
    return train_extractor(examples[:600], rules[:600], examples[600:650], RECIPE, seed=0)


def sentence_of(example: RelationExample) -> tuple[str, str, str]:
    words = example.tokens
    return " ".join(words), " ".join(words[slice(*example.subject)]), " ".join(words[slice(*example.object)])


def test_a_sentence_of_one_s_own_is_explained_by_a_rule_that_is_run(
    world: World,
    trained: TrainedExtractor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The parse is the made-up one, so that no pipeline is needed."""
    extractor = RelationExtractor(trained)
    ruled = [one for one, rule in zip(*world, strict=True) if rule][-40:]
    found = []
    for one in ruled:
        monkeypatch.setattr("trustnlp.relations.relation_extractor.parsed", lambda _, __, one=one: [one])
        found.append(extractor.explain(*sentence_of(one)))
    assert np.mean([each.relation == one.relation for each, one in zip(found, ruled, strict=True)]) > 0.95
    assert np.mean([each.readable and each.true for each in found]) > 0.95
    assert all(0 < each.probability <= 1 for each in found)
    # The same rule with other words in the sentence is not true.
    one = ruled[0]
    monkeypatch.setattr(TrainedExtractor, "decode", lambda *_: [tuple(rule_tokens('([{kbpentity:true}]+) "never"'))])
    monkeypatch.setattr("trustnlp.relations.relation_extractor.parsed", lambda *_: [one])
    wrong = extractor.explain(*sentence_of(one))
    assert wrong.readable and not wrong.true
    monkeypatch.setattr(TrainedExtractor, "decode", lambda *_: [("(", "(", "<UNK>")])
    assert not extractor.explain(*sentence_of(one)).readable
    monkeypatch.setattr(TrainedExtractor, "predict", lambda *_: ([NO_RELATION], np.array([[0.9, 0.1]])))
    nothing = extractor.explain(*sentence_of(one))
    assert (nothing.relation, nothing.pattern, nothing.true, nothing.probability) == (NO_RELATION, None, False, 0.9)


@pytest.mark.parametrize(
    ("both_directions", "backwards"), [(True, False), (False, True)], ids=["released rules", "mined rules"]
)
def test_where_labels_say_the_direction_the_first_entity_is_the_subject(
    world: World,
    trained: TrainedExtractor,
    monkeypatch: pytest.MonkeyPatch,
    both_directions: bool,
    backwards: bool,
) -> None:
    """A released rule runs backwards for a label that does; a mined one names the direction and never does."""
    one, rule = next((one, rule) for one, rule in zip(*world, strict=True) if rule and one.subject < one.object)
    extractor = RelationExtractor(trained, both_directions=both_directions)
    extractor._directed = True
    spans = []
    monkeypatch.setattr(
        "trustnlp.relations.relation_extractor.parsed",
        lambda _, items: (spans.append((items[0].first, items[0].second)), [one])[1],
    )
    monkeypatch.setattr(TrainedExtractor, "decode", lambda *_: [rule])
    text, subject, other = sentence_of(one)
    for label, true in (("per:x(e1,e2)", True), ("per:x(e2,e1)", backwards)):
        monkeypatch.setattr(TrainedExtractor, "predict", lambda *_, label=label: ([label], np.array([[1.0]])))
        assert extractor.explain(text, other, subject).true == true
    assert all(first < second for first, second in spans)


def test_entities_that_are_not_there_once_are_refused(trained: TrainedExtractor) -> None:
    extractor = RelationExtractor(trained)
    sentence = "Ada Lovelace of Acme met Ada  and Acme Corp , Ann's firm"
    assert_refused(
        lambda subject, other: extractor.explain(sentence, subject, other),
        [
            ("Bob", "Acme Corp", "subject 'Bob' is not in the sentence"),
            ("Ada", "Acme Corp", "subject 'Ada' is 2 times in the sentence: give words that it has once"),
            ("Ada Lovelace", "Acme", "object 'Acme' is 2 times"),
            ("Ada Lovelace", "Lovelace of", "overlap"),
            (" ", "Acme Corp", "subject is empty"),
        ],
    )


@pytest.mark.parametrize("given", [(None, "Ada", "Acme"), ("Ada of Acme", None, "Acme"), ("Ada of Acme", "Ada", 3)])
def test_what_is_no_text_is_refused(trained: TrainedExtractor, given: tuple[str, str, str]) -> None:
    with pytest.raises(TypeError, match=r"the (sentence|subject|object) is (None|3): give text"):
        RelationExtractor(trained).explain(*given)


@pytest.mark.parametrize("lacking", ["classifier", "decoder"])
def test_an_extractor_that_says_half_is_refused(lacking: str) -> None:
    sizes = RelationSizes(**{lacking: False})
    half = SimpleNamespace(recipe=ExtractorRecipe(sizes))
    with pytest.raises(ValueError, match=f"trained without a {lacking}"):
        RelationExtractor(half)  # type: ignore[arg-type]


def test_a_real_sentence_is_parsed_and_explained(trained: TrainedExtractor) -> None:
    pytest.importorskip("spacy")
    found = RelationExtractor(trained).explain("Last year  Maria Lopez founded Acme Corp .", "Maria Lopez", "Acme Corp")
    words = found.example.tokens
    assert words[slice(*found.example.subject)] == ("Maria", "Lopez")
    assert words[slice(*found.example.object)] == ("Acme", "Corp")
    assert found.example.subject_type == "PERSON"
    assert found.relation in trained.vocabulary.relations


def test_two_entities_in_one_token_are_refused(trained: TrainedExtractor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trustnlp.relations.relation_extractor.parsed", lambda *_: [None])
    assert_refused(
        lambda: RelationExtractor(trained).explain("Ann/Bo met", "Ann", "Bo"), [("one token of 'Ann' and 'Bo'",)]
    )
