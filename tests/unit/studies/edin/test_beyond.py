"""Explanations that are true by construction, on a corpus of a few sentences and a network that is played."""

import pytest
from made_rules import SUBJECT, Played, corpus_of, rule, rules_of, sentence

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.relations.rules.rule_spelling import rule_tokens
from trustnlp.studies.edin import beyond
from trustnlp.studies.edin.models import RuledCorpus

BORN, IN, DEAD, DIED, SEEN = map(rule, ('"born" "in"', '"born" []', '"dead" "in"', '"dead"', '"was"'))
PREDICTED = ["birth", "death", "death", NO_RELATION, "birth"]


def corpus(*, directed=False):
    ends = ("(e1,e2)", "(e2,e1)") if directed else ("", "")
    labels = {f"{name}{end}" for name in ("birth", "death") for end in ends} | {NO_RELATION}
    examples = [
        sentence(0, "born", f"birth{ends[0]}"), sentence(1, "dead", f"death{ends[0]}"),
        sentence(2, "dead", f"death{ends[0]}"), sentence(3, "seen", NO_RELATION), sentence(4, "born", NO_RELATION),
    ]  # fmt: skip
    rules = rules_of(("r0", "birth", '"born" "in"'), ("r1", "birth", '"born" []'))
    return RuledCorpus(corpus_of(examples, rules, labels, directed=directed), {})


def test_the_likeliest_rule_that_matches_and_gives_the_predicted_relation_is_written():
    ruled = corpus()
    assert beyond.constrained_rules(ruled, Played(liked=[IN]), PREDICTED) == [IN, None, None, None, IN]
    assert beyond.constrained_rules(ruled, Played(), PREDICTED) == [BORN, None, None, None, BORN]
    assert beyond.constrained_rules(ruled, Played(), ["death"] * 4 + [NO_RELATION]) == [None] * 5


def test_constrained_numbers_by_hand():
    decoded = [DIED, DIED, DIED, DIED, BORN]
    found = beyond.constrained_numbers(corpus(), Played(liked=[IN]), PREDICTED, decoded)
    assert found["constrained.executed"] == 50  # of items 0, 1, 2, 4 the first and the last have a rule
    # Free: 3 of 4 right, 3 to be found. Strict: items 0 and 4, one of them right.
    free, strict = 2 * 3 / 7, 2 * 1 / 5
    assert found["strict.f1"] == pytest.approx(100 * strict)
    assert found["constrained.f1_margin"] == pytest.approx(100 * (strict - free) + 1)
    assert found["constrained.scored_share"] == 100  # item 0 alone has a gold rule
    assert found["constrained.bleu"] == pytest.approx(100)
    assert found["free.bleu"] < 100
    assert [found[f"{row}.executed_scored"] for row in ("constrained", "free")] == [100, 0]


def test_where_no_relation_is_predicted_nothing_is_written():
    ruled = corpus()
    found = beyond.constrained_numbers(ruled, Played(), [NO_RELATION] * 5, [BORN] * 5)
    assert found == {"strict.precision": 0, "strict.recall": 0, "strict.f1": 0, "constrained.f1_margin": 1}
    assert beyond.reranked_numbers(ruled, Played(), [NO_RELATION] * 5, [BORN] * 5, 2) == {}


def test_reranking_finds_the_true_rule_and_falls_back_on_the_greedy_one():
    played = Played(beams=[[DIED, BORN, IN], [DIED, DIED, DEAD], [DIED, DIED, DIED], [], [DIED]])
    found = beyond.reranked_numbers(corpus(), played, PREDICTED, [DIED, DIED, DEAD, BORN, DIED], 3)
    assert found["greedy.executed"] == 25
    assert [found[f"beam.b{rank}.executed"] for rank in (1, 2, 3)] == [25, 50, 75]
    assert found["reranked.executed_gain"] == 50


def test_proposed_rules_are_new_readable_and_without_direction():
    predicted = ["birth(e1,e2)", "death(e1,e2)", "death(e2,e1)", NO_RELATION, "death(e1,e2)"]
    proposed = beyond.proposed_rules(
        corpus(directed=True), Played(predicted, [BORN, DEAD, DEAD, SEEN, ("(", '"', "was")])
    )
    assert [(rule.relation, tuple(rule_tokens(rule.pattern))) for rule in proposed] == [("death", DEAD)]
    assert len(beyond.rules_of([("death", tuple(rule_tokens(f'{SUBJECT} "was"')))])) == 0  # an entity is missing


@pytest.mark.parametrize("directed", [False, True])
def test_mined_rules_by_hand(directed):
    ruled = corpus(directed=directed)
    proposed = beyond.rules_of([("death", DEAD), ("birth", rule('"seen" "in"')), ("death", rule('[] "in"'))])
    kept = beyond.kept_rules(ruled, proposed, 50)
    assert [tuple(rule_tokens(each.pattern)) for each in kept] == [DEAD]
    assert len(beyond.kept_rules(ruled, proposed, 40)) == 2  # the loose one is right for two of five
    found = beyond.mined_numbers(ruled, kept)
    assert found["count"] == 1
    assert found["recall_gain"] == pytest.approx(200 / 3)  # rules find item 0 of 3, with the new one all
    assert found["f1_gain"] == pytest.approx(100 * (2 * 3 / 7 - 2 * 1 / 5))


def test_nothing_mined_gains_nothing():
    ruled, empty = corpus(), beyond.rules_of([])
    assert len(beyond.kept_rules(ruled, empty, 50)) == 0
    assert set(beyond.mined_numbers(ruled, empty).values()) == {0}
