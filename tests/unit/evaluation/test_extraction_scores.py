"""Scores of relation extraction against scikit-learn's, which leave `no_relation` out when told the other labels."""

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_recall_fscore_support

from trustnlp.data.relations.relation_examples import NO_RELATION
from trustnlp.evaluation.extraction_scores import macro_f1, relation_counts, relation_scores, scores_of_counts

LABELS = ["r", "s", "t", NO_RELATION]


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gold, predicted = rng.choice(LABELS, size=(2, 60)).tolist()
    expected = precision_recall_fscore_support(gold, predicted, labels=LABELS[:3], average="micro")[:3]
    assert relation_scores(gold, predicted) == pytest.approx([100 * score for score in expected])
    assert macro_f1(gold, predicted) == pytest.approx(
        100 * f1_score(gold, predicted, labels=LABELS[:3], average="macro")
    )


def test_a_relation_that_occurs_in_predictions_alone_has_no_part_in_the_mean() -> None:
    assert macro_f1(["r", "r"], ["r", "s"]) == pytest.approx(100 * 2 / 3)


def test_nothing_predicted_and_nothing_to_be_found_score_nothing() -> None:
    assert relation_scores([NO_RELATION], ["r"]) == (0, 0, 0)
    assert relation_scores(["r"], [NO_RELATION]) == (0, 0, 0)
    assert macro_f1([NO_RELATION], ["r"]) == 0


def test_counts_of_resamples_are_scored_at_once() -> None:
    gold, predicted = ["r", "s", NO_RELATION], ["r", "r", "r"]
    counts = relation_counts(gold, predicted)
    twice = scores_of_counts(np.array([[1, 1, 1], [0, 0, 3]]) @ counts)
    assert twice[0] == pytest.approx(relation_scores(gold, predicted))
    assert twice[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("gold, predicted", [([], []), (["r"], ["r", "s"])])
def test_items_and_predictions_come_in_pairs(gold: list[str], predicted: list[str]) -> None:
    with pytest.raises(ValueError, match="one prediction for each"):
        relation_scores(gold, predicted)
