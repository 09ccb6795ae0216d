"""Does the ranking persist: perfect and reversed agreement, what is compared and what not, the inspector's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from explanations import explanation
from made_searches import cell, model, searches

from trustnlp.studies.decoys.critique import agreement_metrics, agreements, inspector_settings, shared_by_kinds


def table(found: dict[str, list[int | None]], **more: Any) -> pd.DataFrame:
    """Explainer → where it finds each decoy."""
    cells = [(name, place, at) for name, own in found.items() for place, at in enumerate(own)]
    return searches([{"explainer": name, "decoy": f"decoy{d}", "found_at": at, **more} for name, d, at in cells])


def tau_of(rows: pd.DataFrame) -> dict[str, Any]:
    return agreements(rows, "presence", np.random.default_rng(0))


SAME: dict[str, list[int | None]] = {"a": [1, 2], "b": [3, 4], "c": [5, None], "random": [10, 1]}


def test_the_same_ranking_on_each_decoy() -> None:
    found = tau_of(table(SAME))
    assert list(found) == ["decoys"] and found["decoys"].tau == pytest.approx(1)
    assert found["decoys"].explainers == ("a", "b", "c")  # and not random, which would disagree
    assert tau_of(table({"a": [1, 5], "b": [3, 4], "c": [5, 3]}))["decoys"].tau == pytest.approx(-1)


def test_only_random_orders_count() -> None:
    other = table({"a": [9, 1], "b": [5, 5], "c": [1, 9], "random": [1, 1]}, order="typical")
    assert tau_of(pd.concat([table(SAME), other]))["decoys"].tau == pytest.approx(1)


def test_seeds_and_kinds() -> None:
    all_of = pd.concat([table(SAME, seed=seed, model=kind) for seed in (0, 1) for kind in ("presence", "minilm")])
    extra = pd.concat([table({"d": [2, 3]}, seed=seed, model="minilm") for seed in (0, 1)])
    found = agreements(pd.concat([all_of, extra]), "minilm", np.random.default_rng(0))
    assert list(found) == ["decoys", "seeds", "models"]
    assert found["seeds"].explainers == ("a", "b", "c", "d") and found["models"].explainers == ("a", "b", "c")
    assert [found["seeds"].tau, found["models"].tau] == pytest.approx([1, 1])


def test_kinds_are_compared_on_what_both_have() -> None:
    presence = table({"a": [1, 2], "b": [3, 4]})
    minilm = table({"a": [1], "b": [3], "c": [2]}, model="minilm")
    shared = shared_by_kinds(pd.concat([presence, minilm]))
    assert set(shared["decoy"]) == {"decoy0"} and set(shared["explainer"]) == {"a", "b"} and len(shared) == 4


def test_too_little_to_compare() -> None:
    assert tau_of(pd.DataFrame()) == tau_of(table({"a": [1], "b": [2]})) == {}
    assert tau_of(table({"a": [1, 2], "random": [2, 1]})) == {}
    failed = table({"b": [None]}, order=None, failure="b: no")
    assert tau_of(pd.concat([table({"a": [1, 2]}), failed])) == {}


def test_metrics_turn_agreement_into_the_claims_margin() -> None:
    metrics = agreement_metrics(tau_of(table(SAME)))
    value, ends = metrics["decoys.mean"]
    assert [value, *ends] == pytest.approx([1, 1, 1]) and metrics["decoys"][0] == pytest.approx(-0.2)
    value, (low, high) = metrics["decoys.chance"]
    assert low <= value <= high and abs(value) < 0.1
    ties = agreement_metrics(tau_of(table({"a": [1, 1], "b": [1, 1]})))
    assert not {"decoys", "decoys.mean"} & set(ties)
    mixed = agreement_metrics(tau_of(table({"a": [1, 2, 5], "b": [3, 4, 2], "c": [5, 6, 7]})))
    value, (low, high) = mixed["decoys"]
    assert low <= value <= high and low < high


def test_the_inspectors_numbers() -> None:
    # "movie" is second in each explanation of "late", first in those of "early": one word shown tells them apart.
    late = [explanation({"plot": 0.5, "movie": 0.3, "film": 0.1, "a": -0.1}) for _ in range(6)]
    early = [explanation({"movie": 0.5, "plot": 0.3, "film": 0.1, "a": -0.1}) for _ in range(6)]
    made = model([cell("early", early), cell("late", late), cell("random", early)], [True] * 6)
    rows = inspector_settings([made], (), {"budget": 4, "draws": 2, "chance_draws": 10})
    assert [(row["shown"], row["threshold"]) for row in rows] == [(s, t) for s in (1, 3, 5) for t in (2, 3, 5)]
    found = {(row["shown"], row["threshold"]): row["found"] for row in rows}
    assert found[1, 2] == {"early": 1, "late": 0, "random": 1} and found[3, 3] == {"early": 1, "late": 1, "random": 1}
    assert set(found[3, 5].values()) == {0}  # four are read
    assert all(row["tau"] is None for row in rows)  # by the defaults all are equal


def test_the_defaults_agree_with_themselves() -> None:
    often = [explanation({"movie": 0.5})] * 6
    seldom = [explanation({"plot": 0.5}), *often[1:]]
    made = model([cell("often", often), cell("seldom", seldom)], [True] * 6)
    rows = inspector_settings([made], (), {"budget": 5, "draws": 4, "chance_draws": 10})
    [own] = [row for row in rows if (row["shown"], row["threshold"]) == (3, 3)]
    assert own["tau"] == 1 and own["chance"] > 0.9
    assert inspector_settings([model([cell("a", often)], [True] * 6, standing="not adopted")], (), {"draws": 1}) == []
