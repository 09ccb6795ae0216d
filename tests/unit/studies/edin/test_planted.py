"""What is known of the generated world is what its rules say, and wrong rules are scored against what is true."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from trustnlp.data.relations.relation_examples import NO_RELATION, RelationExample
from trustnlp.relations.relation_vocabulary import Rule
from trustnlp.relations.trained_extractor import TrainedExtractor
from trustnlp.studies.edin import planted
from trustnlp.studies.edin.data import rule_predictions
from trustnlp.studies.edin.models import RuledCorpus
from trustnlp.studies.edin.standins import planted_rule

N = 600
GIVEN: dict[str, Any] = {
    "profile": "smoke", "width": 8, "dropout": 0.1, "epochs": 1, "learning_rate": 0.05,
    "batch_size": 16, "negatives": 1.0, "device": "cpu",
}  # fmt: skip


@pytest.fixture(scope="module")
def right() -> RuledCorpus:
    return planted.world(N, 3, GIVEN)


class _Network:
    """Says what it is given, in place of a training."""

    def __init__(self, right: RuledCorpus, predicted: list[str], decoded: list[Rule]) -> None:
        self._said = {example.id: pair for example, *pair in zip(right.test.examples, predicted, decoded, strict=True)}

    def predict(self, examples: list[RelationExample]) -> tuple[list[str], None]:
        return [self._said[example.id][0] for example in examples], None

    def decode(self, examples: list[RelationExample]) -> list[Rule]:
        return [self._said[example.id][1] for example in examples]


def _network(right: RuledCorpus, predicted: list[str], decoded: list[Rule]) -> TrainedExtractor:
    return cast(TrainedExtractor, _Network(right, predicted, decoded))


def _planted(right: RuledCorpus) -> list[Rule]:
    """The rule that made each test sentence, or any rule."""
    some = next(iter(right.tokens.values()))
    return [some if (rule := planted_rule(example)) is None else right.tokens[rule] for example in right.test.examples]


def test_the_only_gold_rule_is_the_one_that_made_the_sentence(right: RuledCorpus) -> None:
    for example, rules in zip(right.test.examples, right.test.references, strict=True):
        planted = planted_rule(example)
        assert rules in ([], [right.tokens[planted]] if planted else [])
    assert sum(bool(rules) for rules in right.test.references) > N / 20


def test_a_wrong_share_changes_rules_and_no_sentence(right: RuledCorpus) -> None:
    wrong = planted.world(N, 3, GIVEN, wrong_rules=0.5)
    assert list(wrong.test.examples) == list(right.test.examples) and wrong.tokens == right.tokens
    named = [{rule.id: rule.relation for rule in world.corpus.rules.usable} for world in (right, wrong)]
    assert sum(named[0][rule] != named[1][rule] for rule in named[0]) == 12


def test_sentences_that_no_rule_matches_are_set_aside(right: RuledCorpus) -> None:
    asked, beyond = planted.matched(right).test, planted.matched(right, by_rules=False).test
    assert len(asked.examples) + len(beyond.examples) == len(right.test.examples)
    assert not any(beyond.fired) and NO_RELATION not in beyond.gold and len(beyond.gold) > N / 30
    said = zip(asked.gold, asked.references, strict=True)
    assert all(bool(rules) == (label != NO_RELATION) for label, rules in said)
    wrong = planted.matched(planted.world(N, 3, GIVEN, wrong_rules=0.5)).test
    assert list(wrong.examples) == list(asked.examples)


def test_who_says_what_the_rules_say_stands_at_the_ceiling(right: RuledCorpus) -> None:
    asked = planted.matched(right)
    said = rule_predictions(asked.test.fired)
    scores = planted.truth_scores(asked, _network(asked, said, _planted(asked)))
    limit = planted.ceilings(asked, 0)
    assert scores["precision"] == scores["exact"] == scores["executed"] == limit["exact"] == 100
    assert scores["f1"] == limit["f1"] == 100


def test_no_pair_without_a_relation_is_one_that_a_rule_matches(right: RuledCorpus) -> None:
    given, kept = right.supervision("rule_only", 0), planted.supervision(right, 0)
    free = [example for example, rule in zip(kept.examples, kept.rules, strict=True) if rule is None]
    assert not any(right.corpus.fire(free)) and {example.relation for example in free} == {NO_RELATION}
    assert 0 < len(given.examples) - len(kept.examples) < len(free)
    assert sum(rule is not None for rule in kept.rules) == sum(rule is not None for rule in given.rules)


def test_a_rule_that_training_did_not_teach_lowers_the_ceiling(right: RuledCorpus) -> None:
    there = [rules[0] for rules in right.test.references if rules]
    lost = min(there)
    kept = [each for each in right.corpus.train if right.tokens.get(planted_rule(each) or "") != lost]
    few = RuledCorpus(replace(right.corpus, train=kept), GIVEN)
    share = 100 * np.mean([rule != lost for rule in there])
    assert planted.ceilings(few, 0)["exact"] == pytest.approx(share) and 50 < share < 100


def test_a_training_is_that_of_its_teacher_and_seed() -> None:
    small = planted.world(150, 0, GIVEN)
    networks = [planted.trained(small, seed) for seed in (0, 0, 1)]
    said = [network.predict(small.test.examples)[1] for network in networks]
    np.testing.assert_array_equal(said[0], said[1])
    assert not np.array_equal(said[0], said[2]) and networks[0].recipe.sizes.dropout == 0.1


def test_the_last_epoch_is_kept_and_the_rate_stays() -> None:
    """F1 on dev is the same after every epoch, so nothing is chosen by it."""
    small = planted.world(150, 0, GIVEN | {"epochs": 3})
    network = planted.trained(small, 0)
    assert network.dev_losses == (1.0, 1.0, 1.0) and network.recipe.decay == 1.0
    again = planted.trained(planted.world(150, 0, GIVEN), 0)
    said = [each.predict(small.test.examples)[1] for each in (network, again)]
    assert not np.array_equal(*said)


@pytest.fixture
def taught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every training becomes one that says what its teacher's rules say."""

    def trained(teacher: RuledCorpus, seed: int) -> TrainedExtractor:
        return _network(teacher, rule_predictions(teacher.test.fired), _planted(teacher))

    monkeypatch.setattr(planted, "trained", trained)


@pytest.mark.usefixtures("taught")
def test_wrong_rules_cost_the_classifier_and_not_the_decoder(right: RuledCorpus) -> None:
    few, all_wrong = (planted.truth_of_seed(right, planted.world(N, 3, GIVEN, wrong_rules=w), 0) for w in (0.25, 1.0))
    assert all_wrong["right.f1_margin"] == all_wrong["right.exact_margin"] == 2
    assert all_wrong["right.executed_margin"] == 5
    assert all_wrong["wrong.f1"] == all_wrong["wrong.rules_f1"] == all_wrong["wrong.executed"] == 0
    assert all_wrong["wrong.f1_loss"] == pytest.approx(all_wrong["right.f1"])
    assert 0 < few["wrong.f1_loss"] < all_wrong["wrong.f1_loss"]
    assert few["wrong.exact_loss"] == all_wrong["wrong.exact_loss"] == 0
