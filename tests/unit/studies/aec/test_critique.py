"""Decoys, prevalence, signs, leads and examples: each check sees what it is for."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from made_experiments import DRAWN, corpus_with, made_answers, made_corpus, plain_reviews
from sklearn.metrics import roc_auc_score

from trustnlp.data.annotation.spacy_annotation import Annotation, Entity
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.studies.aec import critique
from trustnlp.studies.aec.critique import example_checks
from trustnlp.studies.aec.data.experiments import TOP, Experiment, experiment_of


def ranking(signs: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The first feature is the highest, the second the next, and so on."""
    return np.arange(len(signs)), np.array(signs, dtype=float)


def test_power_is_the_distance_of_the_area_from_one_half(made: Experiment) -> None:
    by_hand = [abs(roc_auc_score(made.train.wrong, column) - 0.5) for column in made.train.features.values.T]
    np.testing.assert_allclose(critique.power(made), by_hand)
    assert np.argmax(by_hand) == 0, "the cause is the first column"


def test_correlations_with_power_and_prevalence(made: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    # A forest that goes by prevalence alone, and one that goes by power.
    forest, common = type(made.fitted("aec").model), critique.prevalence(made.train.features)
    for name, importance in (("prevalence", common), ("power", critique.power(made))):
        monkeypatch.setattr(forest, "feature_importances_", importance)
        numbers = critique.power_numbers(made)
        assert numbers[f"ranking.impurity.{name}"] == pytest.approx(1)
        margin = numbers["ranking.impurity.power"] - numbers["ranking.impurity.prevalence"]
        assert numbers["ranking.power_over_prevalence"] == pytest.approx(margin)


def test_decoys_are_as_common_as_the_commonest_features_and_in_another_order() -> None:
    rng = np.random.default_rng(0)
    values = np.where(rng.random((200, 12)) < np.linspace(0.1, 0.9, 12), rng.random((200, 12)), 0.0)
    table = FeatureTable(tuple(f"f{n}" for n in range(12)), values, ("made",) * 12)
    lengths = rng.integers(2, 40, 200)
    found = critique.decoy_columns(table, lengths, np.random.default_rng(0))
    assert set(found.names[:10]) == {f"shuffled f{n}" for n in range(2, 12)}
    for name, column in zip(found.names[:10], found.values.T, strict=False):
        original = values[:, table.names.index(name.removeprefix("shuffled "))]
        assert sorted(column) == sorted(original) and abs(np.corrcoef(column, original)[0, 1]) < 0.3
    assert found.names[10:] == ("random", "random over length")
    assert len(set(found.values[:, 10])) == 200 and (found.values[:, 11] <= 1 / lengths).all()


def test_the_place_is_that_of_the_highest_copy(made: Experiment, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five true features, their five copies, a random number, and one over the length."""
    importance = np.array([5.0, 4, 3, 2, 1, 0.1, 4.5, 0.2, 0.3, 2.5, 9, 3.5])
    forest = SimpleNamespace(model=SimpleNamespace(feature_importances_=importance))
    monkeypatch.setattr(critique, "fit_error_classifier", lambda *_, **__: forest)
    assert critique.decoy_numbers(made) == {
        "ranking.shuffled_place_margin": 2 - 100,
        "ranking.random_place": 1,
        "ranking.random_over_length_place": 3,
    }


def test_the_cause_is_the_highest_feature_and_means_more_errors(made: Experiment) -> None:
    order, signs = critique.ranked_signs(made)
    assert sorted(order) == list(range(5)) and order[0] == 0 and signs[0] == 1


def test_signs_of_the_highest_features_are_compared_with_those_of_the_other_trainings() -> None:
    order = np.array([3, 2, 1, 0])
    rankings = {0: ranking([1, 1, 1, 1]), 1: ranking([1, 1, 1, -1]), 2: (order, np.array([1.0, 1, -1, -1]))}
    # Same signs: 3 of 4 and 2 of 4; 3 and 3; 2 and 3.
    assert critique.sign_margins(rankings) == pytest.approx([5 / 8 - 0.9, 6 / 8 - 0.9, 5 / 8 - 0.9])


def test_signs_are_those_of_the_twenty_highest() -> None:
    names = tuple(f"feature {n}" for n in range(25))
    rankings = {0: ranking([1] * 25), 1: ranking([1] * 20 + [-1] * 5)}
    assert critique.sign_margins(rankings) == pytest.approx([0.1, 0.1])
    assert critique.changing_signs(rankings, names).empty
    rankings[1] = ranking([1, -1, *[1] * 23])
    changing = critique.changing_signs(rankings, names)
    assert changing.index.tolist() == ["feature 1"] and changing.loc["feature 1"].tolist() == [1, 1]


@pytest.fixture(scope="module")
def made() -> Experiment:
    lengths = np.random.default_rng(0).integers(4, 30, len(made_corpus().tweets))
    return experiment_of(corpus_with(lengths), made_answers(0), DRAWN, 5)


def test_leads_are_differences(made: Experiment) -> None:
    found = critique.control_numbers(made, plain_reviews())
    leads = {"p50": ("disagreement", "probabilities"), "auc": ("predicted_class", "domain")}
    for score, names in leads.items():
        for name in names:
            lead = 100 * (found[f"controls.aec.{score}"] - found[f"controls.{name}.{score}"])
            assert found[f"controls.{name}.{score}_lead"] == pytest.approx(lead)
    assert {f"controls.least_confidence.p{k}" for k in TOP} <= set(found)
    # The base errs where "no" is, whatever it predicts.
    assert found["controls.domain.auc_lead"] > 0


def test_a_stream_has_the_errors_that_the_base_makes(made: Experiment) -> None:
    found = critique.stream_numbers(made)
    assert made.stream.wrong is not None
    assert found["stream.errors"] == 100 * made.stream.wrong.mean() < 50
    lost = 100 * (found["stream.aec.p50"] - made.precision("aec")[50])
    assert found["stream.aec.margin"] == pytest.approx(lost + 2)


EXAMPLES = {f"row{n}": {"words": "words that no tweet has"} for n in (1, 2, 3)}


def text(*tokens: str, entities: tuple[Entity, ...] = ()) -> Annotation:
    return Annotation(tokens, tuple(range(len(tokens))), entities=entities)


def test_margins_are_positive_where_a_text_has_none() -> None:
    corpus = replace(made_corpus())
    timed = text("b", entities=(Entity(0, 1, "TIME"), Entity(0, 1, "DATE")))
    vars(corpus)["annotations"] = [text("a"), timed, *[text("c")] * (len(corpus.tweets) - 2)]
    assert example_checks(corpus, EXAMPLES) == {"table5.row3.time_margin": 0.5, "table5.row2.times": 1}
    vars(corpus)["annotations"] = [timed] * len(corpus.tweets)
    assert example_checks(corpus, EXAMPLES)["table5.row3.time_margin"] == -0.5
