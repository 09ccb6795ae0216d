"""The critique's numbers: by hand on lists of a few items, and the released start against its arithmetic."""

from types import SimpleNamespace

import numpy as np
import pytest
from made_rules import Played, corpus_of, rule, rules_of, sentence

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.studies.edin import critique as checks
from trustnlp.studies.edin.models import RuledCorpus

BORN, DIED, IN = map(rule, ('"born" "in"', '"dead" "in"', '[]{0,5} "in"'))


def corpus():
    texts = ("born", "birth"), ("born", "birth"), ("dead", "death"), ("seen", NO_RELATION)
    examples = [sentence(at, *text) for at, text in enumerate(texts)]
    rules = rules_of(("r0", "birth", '"born" "in"'))
    return RuledCorpus(corpus_of(examples, rules, {"birth", "death", NO_RELATION}), {})


@pytest.mark.parametrize("batch", [1, 2, 3, 50])
def test_the_released_start_takes_row_b_from_example_b_over_2(batch):
    # Element (b, h) of layer 0 is element b H + h of the memory, which is example (b H + h) // 2 H = b // 2.
    rows = np.arange(batch)
    assert checks.foreign_share(batch, 6) == pytest.approx(np.mean(rows // 2 != rows))


def test_the_curve_by_hand():
    relations = ["r", NO_RELATION, "s"]
    probabilities = np.array([[0.9, 0.0, 0.1], [0.2, 0.1, 0.7], [0.5, 0.4, 0.1], [0.1, 0.6, 0.3]])
    recall, precision = checks.precision_curve(["r", "r", NO_RELATION, "s"], relations, probabilities)
    # From the surest on: r right, s wrong, r wrong, s right (though no_relation is likelier there); three have one.
    assert recall == pytest.approx([100 / 3, 100 / 3, 100 / 3, 200 / 3])
    assert precision == pytest.approx([100, 50, 100 / 3, 50])
    assert checks.precision_at(recall, precision, 0) == 100
    assert checks.precision_at(recall, precision, 50) == 50
    assert np.isnan(checks.precision_at(recall, precision, 90))


def test_equal_probabilities_pass_together_in_any_order():
    probabilities = np.array([[0.6, 0.4], [0.6, 0.4], [0.3, 0.7]])
    for gold in (["r", NO_RELATION, "r"], [NO_RELATION, "r", "r"]):
        recall, precision = checks.precision_curve(gold, ["r", NO_RELATION], probabilities)
        assert recall.tolist() == [50, 100]
        assert precision == pytest.approx([50, 200 / 3])


def test_rules_are_run_where_no_gold_rule_matches(monkeypatch):
    network = Played(["birth", "birth", "birth", "birth"], [BORN, BORN, IN, BORN])
    network.vocabulary = SimpleNamespace(relations=["birth", "death", NO_RELATION])
    monkeypatch.setattr(RuledCorpus, "trained", lambda *_: network)
    found = checks.numbers_of_seed(corpus(), 0, [50])
    assert found["rest.executed"] == 50  # of items 2 and 3, which have no gold rule; the loose rule matches the first
    assert found["rest.executed_above_half"] == 0
    # Equal probabilities: one threshold, at which two of four births are right; the rules find two of three relations.
    assert found["curve.r50.precision"] == 50 and found["precision_at_rules_recall.margin"] == 50 - 100 + 1


def test_the_released_form_is_decoded_with_other_neighbours(monkeypatch):
    class Mixed(Played):
        """Decodes a rule by the number of examples beside it."""

        def decode(self, examples):
            return [BORN if len(examples) == 4 else DIED for _ in examples]

    predicted = ["birth"] * 3 + [NO_RELATION]
    networks = {"paper": Played(predicted, [BORN, DIED, BORN, BORN]), "released": Mixed(predicted)}
    networks["paper"].decode = lambda examples: [BORN, DIED, BORN, BORN][:: 4 // len(examples)]
    monkeypatch.setattr(RuledCorpus, "trained", lambda *_, form: networks[form])
    found = checks.released_numbers(corpus(), 0)
    assert (found["start.own.changed"], found["start.released.changed"]) == (0, 100)
    assert found["start.released.unchanged_margin"] == 0.5 - 100
    assert (found["start.own.exact"], found["start.released.exact"], found["start.gain.exact"]) == (50, 100, -50)
    assert found["start.gain.bleu"] == pytest.approx(found["start.own.bleu"] - 100) and found["start.gain.bleu"] < 0


def test_bleu_does_not_see_an_exchange_and_running_the_rule_does():
    table = checks.unseen_by_bleu()
    assert table.loc["subject and object exchanged", "BLEU"] == pytest.approx(100)
    assert table.loc["died for born", "BLEU"] < 100
    assert table["true of the sentence"].tolist() == [True, False, False]
