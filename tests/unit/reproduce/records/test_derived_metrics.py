"""Numbers that a ledger derives from a record: seed by seed, told where they cannot be, judged as if recorded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from trustnlp.reproduce.claims.ledgers import parse_claims
from trustnlp.reproduce.claims.verdicts import judge
from trustnlp.reproduce.records.derived_metrics import derived
from trustnlp.reproduce.records.measurement import summary
from trustnlp.reproduce.schemas import SchemaError, validate

SEEDS = [0, 1, 2, 3, 4]
BASE = {"key": "new", "record": "toy.paper", "unit": "none"}


def record(**metrics: list[float]) -> dict[str, Any]:
    made = {key: summary(values, "t", unit="none", seeds=SEEDS) for key, values in metrics.items()}
    return {
        "chapter": "toy", "notebook": "toy", "profile": "paper", "seeds": SEEDS, "metrics": made, "parameters": {},
        "conditions": {}, "deviations": [], "data": {},
    }  # fmt: skip


ONE, OTHER = [93.0, 92.5, 77.2, 78.8, 85.7], [19.9, 15.5, 30.2, 25.3, 30.1]


def test_a_sum_is_taken_seed_by_seed_and_has_the_interval_of_its_values() -> None:
    entry = {**BASE, "sum": {"one": 1, "other": 1}, "plus": -100}
    metric = derived(record(one=ONE, other=OTHER), [entry], "toy")["new"]
    values = np.add(ONE, OTHER) - 100
    assert metric["values"] == pytest.approx(values) and metric["n"] == 5
    half = stats.t.ppf(0.975, 4) * values.std(ddof=1) / np.sqrt(5)
    assert (metric["low"], metric["high"]) == pytest.approx((values.mean() - half, values.mean() + half))


def test_what_is_made_of_numbers_without_chance_has_none_either() -> None:
    sure = {**record(one=ONE), "metrics": {"one": summary([198.0], "deterministic", unit="none", seeds=SEEDS)}}
    metric = derived(sure, [{**BASE, "sum": {"one": 1}, "plus": -169}], "toy")["new"]
    assert (metric["mean"], metric["low"], metric["high"], metric["interval"]) == (29, 29, 29, "deterministic")


def test_a_product_a_count_of_opposite_signs_and_a_limit() -> None:
    made = record(one=[1.0, 2, -3, -4, 5], other=[1.0, 1, 1, 1, 1], far=[-7.0, -8, -9, -8, -7])
    entries = [
        {**BASE, "product": ["one", "other"], "by": 2, "plus": 1},
        {**BASE, "key": "turned", "opposite": ["one", "other"], "by": -1, "plus": 0.5},
        {**BASE, "key": "alike", "within": "one", "limit": 10},
        {**BASE, "key": "near", "within": "far", "limit": 10},
    ]
    found = derived(made, entries, "toy")
    assert found["new"]["values"] == [3, 5, -5, -7, 11]
    assert found["turned"]["values"] == [-1.5] and found["turned"]["interval"] == "deterministic"
    one = made["metrics"]["one"]
    assert found["alike"]["mean"] == pytest.approx(10 - abs(one["mean"]))
    assert found["alike"]["low"] == pytest.approx(10 - max(abs(one["low"]), abs(one["high"])))
    assert found["alike"]["high"] == 10  # the interval holds zero
    far = made["metrics"]["far"]
    assert (found["near"]["low"], found["near"]["high"]) == pytest.approx((10 + far["low"], 10 + far["high"]))
    assert "new" not in made["metrics"]


def test_two_means_apart_have_the_widest_interval_that_theirs_allow() -> None:
    ends = {"one": (0.8, 0.95), "other": (0.0, 0.1)}
    made = {key: summary([sum(pair) / 2], pair, unit="none", seeds=SEEDS) for key, pair in ends.items()}
    entry = {**BASE, "apart": ["one", "other"], "plus": -0.5}
    metric = derived({**record(), "metrics": made}, [entry], "toy")["new"]
    assert (metric["mean"], metric["low"], metric["high"]) == pytest.approx((0.325, 0.2, 0.45))


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({**BASE, "sum": {"onee": 1}}, "no metric 'onee'.*one"),
        ({**BASE, "key": "one", "sum": {"one": 1}}, "has a metric of this key"),
        ({**BASE, "product": ["one", "few"]}, "different numbers of values"),
    ],
)
def test_what_cannot_be_derived_is_told(entry: dict[str, Any], told: str) -> None:
    made = record(one=ONE)
    made["metrics"]["few"] = summary([1.0], "deterministic", unit="none", seeds=SEEDS)
    with pytest.raises(SchemaError, match=told):
        derived(made, [entry], "toy")


DOCUMENT: dict[str, Any] = {
    "paper": {"key": "k", "title": "t", "authors": "a", "venue": "v", "year": 2021, "url": "u"},
    "claims": [
        {
            "id": "a", "where": "§1", "text": "t", "kind": "statement", "paper": {"text": "t"},
            "expect": "undetermined", "measure": {"record": "toy.paper", "key": "gone", "exists_where": "size"},
        }
    ],
}  # fmt: skip


def test_a_number_that_some_runs_cannot_have_is_undetermined_where_too_few_are_left() -> None:
    (claim,) = parse_claims(DOCUMENT, "toy", "toy").claims
    few, all_five = judge(claim, record(size=[1.0, 2, 0, 0.1, 3])), judge(claim, record(size=[1.0, 2, 1, 0.1, 3]))
    assert few.verdict == "undetermined" and few.fault is None and "4 of 5 runs" in few.why and "size" in few.why
    assert all_five.verdict == "not measured" and all_five.fault is not None


@pytest.mark.parametrize("way", [{}, {"sum": {"one": 1}, "product": ["one", "two"]}, {"within": "one"}])
def test_a_derived_number_names_one_way_and_its_limit(way: dict[str, Any]) -> None:
    with pytest.raises(SchemaError, match="derived"):
        validate({**DOCUMENT, "derived": [{**BASE, **way}]}, "claims", "toy")
