"""Which label a rule gives, what training sees of it, which rules are mined, and what a rule says when it is run."""

from dataclasses import replace

import numpy as np
import pytest
from made_rules import OBJECT, SUBJECT, corpus_of, rule, rules_of, sentence

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample, Span
from trustnlp.relations.rules import rule_mining
from trustnlp.relations.rules.rule_spelling import rule_tokens
from trustnlp.studies.edin import data
from trustnlp.studies.edin.explanations import ExecutedRules, explanation_scores, looked_up_rules, overlap, scored_items

BORN, DIED, ANY = map(rule, ('"born" "in"', '"died" "in"', '[] "in"'))
BROKEN = BORN[:-3]
BASE = rules_of(("b", "birth", '"born" "in"'), ("d", "death", '"died" "in"'))


def corpus(labels, examples=(), *, rules=BASE, directed=False):
    return corpus_of(examples, rules, labels, directed=directed)


@pytest.mark.parametrize(
    ("labels", "directed", "relation", "swapped", "label"),
    [
        (["birth"], False, "birth", False, "birth"),
        (["birth"], False, "birth", True, None),  # no direction: the object is no subject
        (["birth"], False, "death", False, None),  # no such label
        (["birth(e1,e2)", "birth(e2,e1)"], True, "birth", False, "birth(e1,e2)"),
        (["birth(e1,e2)", "birth(e2,e1)"], True, "birth", True, "birth(e2,e1)"),
        (["birth(e1,e2)"], True, "birth", True, None),
        (["birth(e2,e1)"], True, "birth(e2,e1)", False, "birth(e2,e1)"),  # a mined rule names the direction
        (["birth(e2,e1)"], True, "birth(e2,e1)", True, None),
        (["org:subsidiaries(e1,e2)", "org:subsidiaries(e2,e1)"], True, "org:parents", False, "org:subsidiaries(e2,e1)"),
        (["org:members(e1,e2)", "org:members(e2,e1)"], True, "org:member_of", True, "org:members(e1,e2)"),
    ],
)
def test_the_label_that_a_rule_gives(labels, directed, relation, swapped, label):
    assert corpus(labels, directed=directed).label_of(relation, swapped) == label


R, S = data.Fired("r", "a"), data.Fired("s", "b")
FIRED = [[R, S], [], [S], [R]]
EXAMPLES = [
    sentence(0, "born", "s"), sentence(1, "saw", "r"), sentence(2, "died", "s"), sentence(3, "saw", NO_RELATION),
]  # fmt: skip


def test_rules_alone_give_the_first_label_and_gold_rules_the_right_one():
    assert data.rule_predictions(FIRED) == ["r", NO_RELATION, "s", "r"]
    assert data.gold_rules(EXAMPLES, FIRED) == [["b"], [], ["b"], []]
    assert data.combined(EXAMPLES, FIRED) == data.Supervision(EXAMPLES, ["b", None, "b", None])


def rules_only(negatives, seed=0):
    """With a third mention in each sentence, so that each has four other pairs."""
    named = [replace(example, ner=("PERSON", "TITLE", "O", "CITY")) for example in EXAMPLES]
    return data.rule_only(corpus("rs", named), FIRED, np.random.default_rng(seed), negatives=negatives)


def test_rule_only_data_take_the_rule_at_its_word():
    taught = rules_only(negatives=9)
    assert [example.relation for example in taught.examples[:3]] == ["r", "s", "r"]  # right or wrong
    assert taught.rules == ["a", "b", "a", *[None] * 12]
    assert {example.relation for example in taught.examples[3:]} == {NO_RELATION}
    with pytest.raises(ValueError, match="nothing to learn from"):
        data.rule_only(corpus("rs", EXAMPLES), [[]] * 4, np.random.default_rng(0), negatives=1)


def test_negatives_are_at_most_so_many_and_drawn():
    assert rules_only(negatives=2 / 3).rules.count(None) == 2
    drawn = {tuple(example.id for example in rules_only(1 / 3, seed).examples[3:]) for seed in range(20)}
    assert len(drawn) > 5 and {len(ids) for ids in drawn} == {1}


def test_other_pairs_are_of_other_mentions_in_both_orders_unless_directed():
    words = ("Ada", "of", "Acme", "met", "Bob", "in", "Bath")
    ner = ("PERSON", "O", "ORGANIZATION", "O", "PERSON", "O", "CITY")
    example = RelationExample("7", words, Span(0, 1), Span(6, 7), "r", "PERSON", "LOCATION", ("NN",) * 7, (), ner)
    pairs = data.other_pairs(example, "entities", directed=True)
    assert len(pairs) == 5 and all(pair.subject < pair.object for pair in pairs)
    assert (Span(0, 1), Span(6, 7)) not in {(pair.subject, pair.object) for pair in pairs}
    assert len(data.other_pairs(example, "entities", directed=False)) == 10
    kinds = {pair.object: pair.object_type for pair in pairs}
    assert kinds == {Span(2, 3): "ORGANIZATION", Span(4, 5): "PERSON", Span(6, 7): "LOCATION"}  # as given
    assert len(data.other_pairs(example, "nouns", directed=True)) == 7 * 6 / 2 - 1


def between(words, tags, relation):
    gap = words.split()
    return RelationExample(
        "0", ("fire", *gap, "spark"), Span(0, 1), Span(len(gap) + 1, len(gap) + 2), relation,
        tags=("NN", *tags.split(), "NN"),
    )  # fmt: skip


def test_mined_rules_are_often_and_mostly_of_their_relation():
    caused = [between("caused by a", "VBN IN DT", "cause")] * 7 + [between("caused by the", "VBN IN DT", "other")] * 3
    few = [between("from", "IN", "origin")] * 2
    mixed = [between("in", "IN", "inside")] * 6 + [between("in", "IN", "other")] * 3
    nothing = [between("and", "CC", NO_RELATION)] * 9
    (mined,) = data.mine_rules([*caused, *few, *mixed, *nothing])
    assert (mined.id, mined.relation) == ("m_0", "cause")
    assert mined.pattern == f'{SUBJECT} "caused" "by" [{{tag:/DT|JJ|PRP\\$/}}]{{0,2}} {OBJECT}'
    by_count = data.mine_rules([*caused, *few, few[0], *mixed, *mixed[:5]])
    assert [each.relation for each in by_count] == ["inside", "cause", "origin"]


def test_what_cannot_be_a_mined_rule():
    for words, tags in (("", ""), ("the", "DT"), ('"', "``")):
        assert not len(data.mine_rules([between(words, tags, "r")] * 5))
    within, beyond = (f"{' '.join(words)} the the" for words in ("aacde", "aacdef"))
    for words, patterns in ((within, [f'{SUBJECT} "a" "a" "c" "d" "e" {rule_mining._ANY} {OBJECT}']), (beyond, [])):
        tags = " ".join(["IN"] * (len(words.split()) - 2) + ["DT", "DT"])
        assert [each.pattern for each in data.mine_rules([between(words, tags, "r")] * 5)] == patterns


PART = [
    sentence(at, *text)
    for at, text in enumerate([("born", "birth"), ("died", "birth"), ("died", "death"), ("saw", "x")])
]


def test_a_known_rule_gives_its_relation_and_another_the_one_to_explain():
    run = ExecutedRules(corpus({"birth", "death", "x"}, PART), PART, [BORN, DIED, ANY, BROKEN, ()])
    assert run.parses([BORN, BROKEN, (), ANY]).tolist() == [True, False, False, True]
    assert run.known([BORN, ANY]).tolist() == [True, False]
    rules = [BORN, DIED, DIED, ANY]
    assert run.true_of(rules, ["birth", "birth", "death", "x"]).tolist() == [True, False, True, True]
    assert run.true_of([DIED, BORN, ANY, BROKEN], ["death", "birth", NO_RELATION, "x"]).tolist() == [False] * 4


def test_where_labels_say_the_direction_an_unknown_rule_takes_that_of_the_label():
    ends = ("(e1,e2)", "(e2,e1)")
    labels = {f"{name}{end}" for name in ("birth", "death", "x") for end in ends}
    turned = tuple(rule_tokens(f'{OBJECT} [] "in" {SUBJECT}'))
    examples = [sentence(0, "born", "birth(e1,e2)")]
    run = ExecutedRules(corpus(labels, examples, directed=True), examples, [BORN, ANY, turned])
    for written, label, true in (
        (BORN, "birth(e1,e2)", True), (BORN, "birth(e2,e1)", False), (ANY, "x(e1,e2)", True),
        (ANY, "x(e2,e1)", False), (turned, "x(e2,e1)", True), (turned, "x(e1,e2)", False),
    ):  # fmt: skip
        assert run.true_of([written], [label]).tolist() == [true], (written, label)


def test_the_control_guesses_from_types_where_no_rule_matches():
    def pair(kind, other="CITY", relation="?"):
        return replace(sentence(0, "saw", relation), subject_type=kind, object_type=other)

    birth, death = (pair("PERSON", relation=relation) for relation in ("birth", "death"))
    taught = data.Supervision(
        [birth, birth, death, pair("O", relation="death"), *[pair("PERSON", "DATE", NO_RELATION)] * 3],
        ["b", "b", "d", "d", None, None, None],
    )
    asked = [pair("PERSON"), pair("PERSON"), pair("O"), pair("PERSON", "DATE")]
    fired = [[], [data.Fired("death", "d")], [], []]
    assert data.typed_predictions(asked, fired, taught) == ["birth", "death", NO_RELATION, NO_RELATION]


def test_scores_are_on_their_items():
    references, predicted = [[BORN], [BORN, ANY], [], [DIED]], ["birth", "birth", "death", NO_RELATION]
    assert scored_items(references, predicted).tolist() == [True, True, False, False]
    run = ExecutedRules(corpus({"birth", "death"}, PART), PART, [BORN, ANY, DIED, BROKEN])
    found = explanation_scores(references, predicted, [BORN, DIED, BROKEN, BORN], run)
    assert found["exact"] == 50 and 50 < found["bleu"] < 100
    assert found["executed"] == pytest.approx(100 / 3)  # of three predictions BORN at the first alone
    assert found["executed_scored"] == 50
    assert found["parses"] == found["known"] == found["scored_share"] == pytest.approx(200 / 3)
    assert explanation_scores(references, [NO_RELATION] * 4, [BORN] * 4, run) == {}
    assert overlap(references, [BORN] * 4, np.zeros(4, dtype=bool)) == {}
    assert "bleu" not in explanation_scores([[]] * 4, predicted, [BORN] * 4, run)


def test_a_lookup_gives_the_most_frequent_rule_of_the_relation_and_the_first_of_equals():
    texts = [("born", "birth"), ("born", "birth"), ("grew", "birth"), ("died", "death"), ("died", "death")]
    taught = data.Supervision([sentence(at, *text) for at, text in enumerate(texts)], ["b", "b", "g", "d", "g"])
    tokens = {"b": BORN, "g": ANY, "d": DIED}
    assert looked_up_rules(taught, tokens, ["death", "birth", "unheard"]) == [DIED, BORN, BORN]
    assert looked_up_rules(data.Supervision(taught.examples, ["b", None, None, "d", None]), tokens, ["x"]) == [BORN]
