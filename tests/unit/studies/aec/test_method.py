"""What is planted is drawn as it says, named or not, and what did not matter is counted as a false alarm."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused

from trustnlp.error_analysis.error_slices import find_slices
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.studies.aec import method as rankings
from trustnlp.studies.aec.method import PlantedPool
from trustnlp.studies.aec.standins import CAUSES, PlantedErrors, planted_errors, planted_tweets

N = 700
COLUMNS = ("no", "neg-JJ-RB", "GPE", "?", "expl-VBZ-EX", "thanks")


@pytest.fixture(scope="module")
def pool() -> PlantedPool:
    """Features without a parser: a negation is the word "no" or a relation, and "expl" comes with "no"."""
    tweets = planted_tweets(1200, np.random.default_rng(0), carried=dict.fromkeys(CAUSES, 0.5))
    says_no = np.array(["no" in text.split() for text in tweets.texts])
    chance = np.random.default_rng(1).random(len(says_no)) < 0.4
    flags = (says_no, tweets.carries["negation"] & ~says_no, tweets.carries["entity"], tweets.carries["question"],
             says_no, chance)  # fmt: skip
    values = np.column_stack(flags) / 8.0
    groups = ("conversation", "dependency", "entity", "conversation", "dependency", "conversation")
    return PlantedPool(tweets, FeatureTable(COLUMNS, values, groups))


@pytest.mark.parametrize("cause", CAUSES)
def test_a_case_has_the_texts_rates_and_share_that_are_asked_for(pool: PlantedPool, cause: str) -> None:
    made = pool.case(N, cause, (0.9, 0.1), share=0.3, rng=np.random.default_rng(0))
    assert len(set(made.errors.tweets.texts)) == len(made.table.values) == N
    assert made.carries.sum() == round(0.3 * N)
    assert made.errors.wrong[made.carries].mean() == pytest.approx(0.9, abs=0.08)
    assert made.errors.wrong[~made.carries].mean() == pytest.approx(0.1, abs=0.06)
    rows = [pool.tweets.texts.index(text) for text in made.errors.tweets.texts]
    np.testing.assert_array_equal(made.table.values, pool.table.values[rows])
    other = next(each for each in CAUSES if each != cause)
    assert made.errors.tweets.carries[other].mean() == pytest.approx(0.5, abs=0.1)
    freely = pool.case(N, cause, (0.9, 0.1), rng=np.random.default_rng(0))
    assert freely.carries.mean() == pytest.approx(0.5, abs=0.05) and freely.carries.sum() != made.carries.sum()


def test_too_small_a_pool_says_so(pool: PlantedPool) -> None:
    rows = [
        (0.95, "share of 0.95 .* with the cause entity.*make a larger pool"),
        (0.05, "without it; make a larger pool"),
    ]
    assert_refused(lambda share: pool.case(N, "entity", (0.5, 0.5), share=share, rng=np.random.default_rng(0)), rows)


@pytest.mark.parametrize(
    ("cause", "own", "others"),
    [
        ("negation", {"no", "neg-JJ-RB"}, {"none", "nonneg-JJ-RB", "expl-VBZ-EX", "no more"}),
        ("entity", {"GPE", "DATE", "pobj-IN-NNP"}, {"ORG", "pobj-IN-NN", "nsubj-VBZ-NNP"}),
        ("question", {"?", "punct-VBZ-."}, {"!", "punct-VBZ-,", "advmod-VBZ-WRB"}),
    ],
)
def test_names_of_a_cause(pool: PlantedPool, cause: str, own: set[str], others: set[str]) -> None:
    """The name says the cause, and the feature is there with it: in nine of ten texts, and no fewer."""
    case = pool.case(100, cause, (0.5, 0.5), share=0.5, rng=np.random.default_rng(0))
    names = (*sorted(own), *sorted(others))
    with_it, without = np.flatnonzero(case.carries), np.flatnonzero(~case.carries)
    for strangers, named in ((1, own), (2, set())):
        values = np.zeros((100, len(names)))
        values[with_it[:9]] = values[without[:strangers]] = 0.1
        table = FeatureTable(names, values, ("conversation",) * len(names))
        assert replace(case, table=table).names == named


def test_a_strong_cause_is_first_in_every_ranking(pool: PlantedPool) -> None:
    case = pool.case(N, "entity", (0.95, 0.05), rng=np.random.default_rng(0))
    first = rankings.first_named(case, ["z", "permutation", "impurity"], np.random.default_rng(0))
    assert first == {"impurity": "GPE", "permutation": "GPE", "z": "GPE"}
    assert list(first) == ["impurity", "permutation", "z"]
    pytest.importorskip("shap", reason="Shapley values of trees need the extra 'errors'", exc_type=ImportError)
    assert rankings.first_named(case, ["shap"], np.random.default_rng(0)) == {"shap": "GPE"}


def test_what_comes_with_the_cause_is_no_false_alarm_and_the_rest_is(pool: PlantedPool) -> None:
    known = {"no", "neg-JJ-RB", "expl-VBZ-EX"}
    case = pool.case(N, "negation", (0.8, 0.2), rng=np.random.default_rng(0))
    finds = {each.name for each in case.tests().found}
    assert case.twins() == known <= finds
    assert rankings.characterised(case) == {"named": 1.0, "finds": len(finds), "alarms": len(finds - known)}
    # Errors without a cause, and a feature that has them all: a find, and an alarm.
    without = pool.case(N, "negation", (0.5, 0.5), rng=np.random.default_rng(0))
    values = without.table.values.copy()
    values[:, without.table.names.index("thanks")] = without.errors.wrong
    found = rankings.characterised(replace(without, table=replace(without.table, values=values)))
    assert found["named"] == 0 and found["alarms"] >= 1


def test_relations_that_a_cause_is_spread_over_are_added_up(pool: PlantedPool) -> None:
    case = pool.case(N, "negation", (0.8, 0.2), rng=np.random.default_rng(0))
    spread = np.random.default_rng(0).integers(0, 6, N)
    values = np.where(case.carries[:, None], np.eye(6)[spread], 0.0)
    table = FeatureTable(tuple(f"neg-{n}-RB" for n in range(6)), values, ("dependency",) * 6)
    tests = replace(case, table=table).tests()
    assert tests.causes[0].name == "neg-*-*" and len(find_slices(table, case.errors.wrong).slices) == 6


def test_errors_without_a_cause_are_as_frequent_with_it_and_without_it(
    pool: PlantedPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def spied(*given: Any, rates: tuple[float, float]) -> PlantedErrors:
        asked.append(rates)
        return planted_errors(*given, rates=rates)

    monkeypatch.setattr(rankings, "planted_errors", spied)
    rankings.found_in_nothing(pool, 300, 0, 3)
    assert len(asked) == 3 and all(with_it == without for with_it, without in asked)


def test_a_rare_weak_cause_is_named_less_often(pool: PlantedPool) -> None:
    found = [rankings.named_by_share(pool, 500, seed, [3, 50]) for seed in range(8)]
    assert set(found[0]) == {(cause, share) for cause in CAUSES for share in (3, 50)}
    rare, common = (np.mean([one[cause, share] for one in found for cause in CAUSES]) for share in (3, 50))
    assert rare < common


def test_metrics_are_shares_of_causes_and_of_finds() -> None:
    def row(impurity: float, finds: int, alarms: int, **more: float) -> dict[str, float]:
        own = {"named": 1.0, "finds": finds, "alarms": alarms, "texts": 0.5, "feature": 0.2, "features": 9}
        return {"ranking.impurity": impurity} | own | more

    strong = {("strong", cause): row(1.0, 4, 1) for cause in CAUSES}
    weak = {("weak", cause): row(float(cause == "entity"), 0, 0) for cause in CAUSES}
    slow = {key: values | {"ranking.permutation": 1.0} for key, values in (strong | weak).items()}
    table = rankings.as_table({3: slow, 4: strong | weak})
    found = {key: (values.tolist(), unit) for key, values, unit in rankings.per_seed(table)}
    assert found["planted.weak.impurity.named"] == ([1 / 3, 1 / 3], "share of causes")
    assert found["planted.strong.impurity.named_margin"][0] == pytest.approx([0.1, 0.1])
    assert found["planted.weak.impurity.entity.named"] == ([1.0, 1.0], "share of seeds")
    assert found["planted.weak.permutation.named"] == ([1.0], "share of causes"), "of the seed that has it"
    assert found["characterise.strong.false_alarms"] == ([0.25, 0.25], "share of finds")
    assert found["characterise.weak.false_alarms"][0] == [0, 0], "none of no finds"
    assert found["prevalence.negation.feature"][0] == [0.2, 0.2] and found["planted.features"][0] == [9, 9]
    assert "planted.strong.permutation.named_margin" not in found
    assert isinstance(table, pd.DataFrame) and table.index.names == ["seed", "strength", "cause"]


def test_a_seed_measures_all_causes_at_both_rates(pool: PlantedPool) -> None:
    found = rankings.ranked_seed(pool, 400, 0, ["z"])
    assert set(found) == {(strength, cause) for strength in rankings.STRENGTHS for cause in CAUSES}
    one = found["strong", "entity"]
    assert one["first.z"] == "GPE" and one["ranking.z"] == 1.0 and one["features"] == 6
    assert one["texts"] == found["weak", "entity"]["texts"], "the texts are the same at both rates"


@pytest.mark.slow
def test_a_pool_is_read_by_the_pipeline() -> None:
    pytest.importorskip("spacy", reason="annotating needs the extra 'text'")
    made = rankings.planted_pool(120, np.random.default_rng(0))
    there = {name: made.table.values[:, made.table.names.index(name)] > 0 for name in ("?", "no")}
    np.testing.assert_array_equal(there["?"], made.tweets.carries["question"])
    assert made.tweets.carries["negation"][there["no"]].all()
