"""The critique's numbers: by hand on lists of a few items, and the released start against its arithmetic."""

import numpy as np
import pytest
from made_rules import corpus_of, rule, rules_of, sentence

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.studies.edin import critique as checks
from trustnlp.studies.edin.explanations import ExecutedRules

BORN, DIED, IN = map(rule, ('"born" "in"', '"dead" "in"', '[]{0,5} "in"'))


EXAMPLES = [
    sentence(0, "born", "birth"), sentence(1, "born", "birth"), sentence(2, "dead", "death"),
    sentence(3, "seen", NO_RELATION),
]  # fmt: skip
RULES = rules_of(("r0", "birth", '"born" "in"'))
CORPUS = corpus_of(EXAMPLES, RULES, {"birth", "death", NO_RELATION})
GOLD = [example.relation for example in EXAMPLES]


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


def test_no_examples_no_relations_and_another_shape_are_refused():
    with pytest.raises(ValueError, match="at least one"):
        checks.foreign_share(0, 6)
    with pytest.raises(ValueError, match="no recall"):
        checks.precision_curve([NO_RELATION], ["r", NO_RELATION], np.ones((1, 2)))
    with pytest.raises(ValueError, match=r"\(2, 2\)"):
        checks.precision_curve(["r", "r"], ["r", NO_RELATION], np.ones((1, 2)))


def test_truth_and_bleu_by_hand():
    predicted = ["birth", "birth", "birth", NO_RELATION]
    decoded = [BORN, DIED, DIED, BORN]  # true, false, true of a death: as a rule of birth it is true, but wrong
    references = [[BORN], [BORN], [], []]
    run = ExecutedRules(CORPUS, EXAMPLES, decoded)
    found = checks.truth_and_bleu(references, GOLD, predicted, decoded, [DIED, BORN, IN, IN], run)
    assert found["true_rule.precision"] == 50  # items 0 and 2
    assert found["untrue_rule.precision"] == 100  # item 1
    assert found["true_rule.precision_gain"] == -50
    assert found["true_rule.bleu"] == pytest.approx(100)
    assert 50 < found["untrue_rule.bleu"] < 100
    assert found["true_rule.lookup_bleu"] == pytest.approx(found["untrue_rule.bleu"])  # DIED for BORN, item 0
    assert found["untrue_rule.lookup_bleu"] == pytest.approx(100)
    assert found["true_rule.bleu_gain"] == pytest.approx(100 - found["untrue_rule.bleu"])
    assert found["untrue_rule.bleu_above_half"] == pytest.approx(found["untrue_rule.bleu"] - 50)
    assert found["rest.executed_above_half"] == 50  # item 2 alone has no gold rule, and its rule matches


def test_means_over_no_items_are_nan():
    nothing, same = [NO_RELATION] * 4, [BORN] * 4
    found = checks.truth_and_bleu([[]] * 4, GOLD, nothing, same, same, ExecutedRules(CORPUS, EXAMPLES, same))
    assert np.isnan(list(found.values())).all()


def test_other_sentences_by_hand():
    predicted = ["birth", "birth", "death", "birth"]
    decoded = [IN, BORN, DIED, ("(",)]
    run = ExecutedRules(CORPUS, EXAMPLES, decoded)
    found = checks.other_sentences(predicted, decoded, run)
    # IN matches items 1 to 3, one of them a birth; BORN matches item 0, a birth; DIED no other; "(" cannot be read.
    assert found["decoded_rule.precision"] == pytest.approx((100 / 3 + 100) / 2)
    assert found["decoded_rule.precision_above_half"] == pytest.approx((100 / 3 + 100) / 2 - 50)
    assert found["decoded_rule.no_other"] == 1


def test_bleu_does_not_see_an_exchange_and_running_the_rule_does():
    table = checks.unseen_by_bleu()
    assert table.loc["subject and object exchanged", "BLEU"] == pytest.approx(100)
    assert table.loc["died for born", "BLEU"] < 100
    assert table["true of the sentence"].tolist() == [True, False, False]
