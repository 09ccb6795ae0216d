"""What is planted is drawn as it says, named or not, and what did not matter is counted as a false alarm."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from trustnlp.error_analysis.error_slices import find_slices
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.reproduce import Record
from trustnlp.studies.aec import planted
from trustnlp.studies.aec.planted import PlantedPool
from trustnlp.studies.aec.standins import CAUSES, planted_tweets

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


def test_a_strong_cause_is_first_in_both_rankings_and_named(pool: PlantedPool) -> None:
    case = pool.case(N, "entity", (0.95, 0.05), rng=np.random.default_rng(0))
    assert planted.first_named(case, np.random.default_rng(0)) == {"impurity": "GPE", "z": "GPE"}
    assert case.named() == 1 and pool.case(N, "entity", (0.5, 0.5), rng=np.random.default_rng(0)).named() == 0


def test_relations_that_a_cause_is_spread_over_are_added_up(pool: PlantedPool) -> None:
    case = pool.case(N, "negation", (0.8, 0.2), rng=np.random.default_rng(0))
    spread = np.random.default_rng(0).integers(0, 6, N)
    values = np.where(case.carries[:, None], np.eye(6)[spread], 0.0)
    table = FeatureTable(tuple(f"neg-{n}-RB" for n in range(6)), values, ("dependency",) * 6)
    spread_out = replace(case, table=table)
    assert "neg-*-*" in spread_out.names and spread_out.named() == 1
    assert len(find_slices(table, case.errors.wrong).slices) == 6


def test_a_rare_weak_cause_is_named_less_often(pool: PlantedPool) -> None:
    found = [planted.named_by_share(pool, 500, seed, [3, 50]) for seed in range(8)]
    assert set(found[0]) == {f"{cause}.share{share}" for cause in CAUSES for share in (3, 50)}
    rare, common = (np.mean([one[f"{cause}.share{share}"] for one in found for cause in CAUSES]) for share in (3, 50))
    assert rare < common


def test_metrics_are_shares_of_causes_and_of_seeds(pool: PlantedPool) -> None:
    rows = [row for seed in (0, 1) for row in planted.ranked_seed(pool, 400, seed)]
    assert [(row["strength"], row["cause"]) for row in rows[:6]] == [*itertools.product(planted.STRENGTHS, CAUSES)]
    assert all(row["first.z"] == "GPE" and row["ranking.z"] == 1 for row in rows if row["cause"] == "entity")
    table = pd.DataFrame(rows)
    weak = table["strength"] == "weak"
    table["ranking.impurity"] = np.where(weak, table["cause"] == "entity", 1.0)
    table["characterise"] = np.where(weak & (table["seed"] == 1), 0.0, 1.0)
    record = Record("aec", "planted", profile="smoke", seeds=[0, 1])
    planted.record_rankings(record, table)
    values = {key: metric["values"] for key, metric in record.measurements.items()}
    assert values["planted.weak.impurity.entity.named"] == [1, 1]
    assert values["planted.weak.impurity.question.named"] == [0, 0]
    assert values["planted.weak.impurity.named_margin"] == pytest.approx([1 / 3 - 0.9] * 2)
    assert values["planted.strong.impurity.named_margin"] == pytest.approx([0.1, 0.1])
    assert values["characterise.weak.named"] == [1, 0] and values["characterise.strong.named"] == [1, 1]


@pytest.mark.slow
def test_a_pool_is_read_by_the_pipeline() -> None:
    pytest.importorskip("spacy", reason="annotating needs the extra 'text'")
    made = planted.planted_pool(120, np.random.default_rng(0))
    there = {name: made.table.values[:, made.table.names.index(name)] > 0 for name in ("?", "no")}
    np.testing.assert_array_equal(there["?"], made.tweets.carries["question"])
    assert made.tweets.carries["negation"][there["no"]].all()
