"""Searches: orders by hand, numbers by hand, the same random orders for all explainers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from explanations import explanation
from made_searches import cell, model

from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.benchmark.score_tables import score_table
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.studies.decoys.leaderboard.bug_searches import (
    ORDERS,
    clean_names,
    drawn_orders,
    kind_of_order,
    search_table,
    seconds_table,
    typical_first,
)
from trustnlp.studies.decoys.leaderboard.benchmark_models import CLEAN, explanations_of

# Texts 1 and 3 carry the decoy, and their explanations show it.
SHOWN = [
    explanation({"good": 0.5, "plot": 0.2}),
    explanation({"movie": 0.6, "plot": 0.1}),
    explanation({"good": 0.4, "film": 0.1}),
    explanation({"movie": 0.3, "film": 0.2}),
    explanation({"good": 0.3, "plot": 0.1}),
]
CARRIES = [False, True, False, True, False]
PARAMETERS: dict[str, Any] = {"budget": 4, "draws": 3, "chance_draws": 50}
TWICE = Inspector(shown=1, threshold=2)


def test_orders_of_one_budget() -> None:
    sure = [[0.1, 0.9], [0.2, 0.8], [0.45, 0.55], [0.3, 0.7], [0.4, 0.6]]
    found = drawn_orders(explanations_of(cell("lime", SHOWN, probabilities=sure)), np.array(CARRIES), PARAMETERS, 0)
    assert {kind_of_order(name) for name in found} == set(ORDERS) and len(found) == 2 * 3 + 4
    for order in found.values():
        assert len(order) == len(set(order.tolist())) == 4
    assert found["uncertainty"].tolist() == [2, 4, 3, 1]
    for draw in range(3):
        assert set(found[f"carriers{draw}"][:2].tolist()) == {1, 3}
        others = [number for number in found[f"random{draw}"].tolist() if not CARRIES[number]]
        assert found[f"carriers{draw}"][2:].tolist() == others[:2] or len(others) < 2
    assert len({tuple(found[f"random{draw}"]) for draw in range(3)}) > 1


def test_random_orders_are_the_same_for_all_explainers_and_other_for_other_seeds() -> None:
    one, other = (explanations_of(cell(name, own)) for name, own in (("lime", SHOWN), ("random", SHOWN[::-1])))
    here, there, elsewhere = (
        drawn_orders(found, np.array(CARRIES), PARAMETERS | {"draws": 8}, seed, ["random"])
        for found, seed in ((one, 0), (other, 0), (one, 1))
    )
    assert all(np.array_equal(here[name], there[name]) for name in here)
    assert not all(np.array_equal(here[name], elsewhere[name]) for name in here)


def test_the_most_typical_explanation_is_nearest_to_the_mean() -> None:
    table = score_table([explanation({"a": 1.0}), explanation({"a": 2.0, "b": 2.0}), explanation({"b": 0.1, "c": 0.1})])
    # At unit length the sum is (1 + √½, √½ + √½, √½); the cosines with it go as 1.71, 2.21 and 1.5.
    assert typical_first(table).tolist() == [1, 0, 2]
    labels = [explanation({"a": 1.0}, 0), explanation({"a": 1.0}, 1), explanation({"a": 3.0}, 1)]
    assert typical_first(score_table(labels)).tolist() == [1, 2, 0]


def test_a_row_by_hand() -> None:
    clean = model([cell("lime", SHOWN[:1] * 5, decoy=CLEAN)], [False] * 5, words=(), standing=CLEAN)
    table = search_table([clean, model([cell("lime", SHOWN)], CARRIES)], TWICE, PARAMETERS)
    assert len(table) == 10 and set(table["adopted"]) == {True} and set(table["budget"]) == {4}
    carriers = table[table["order"].str.startswith("carriers")]
    assert carriers["found_at"].tolist() == [2, 2, 2] and carriers["false_names"].tolist() == [0, 0, 0]
    # Of each carrier one of its two words is noted, so that by chance both notes are the decoy in a quarter of draws;
    # in texts without the decoy there is nothing that could name it.
    assert carriers["chance"].mean() == pytest.approx(0.25, abs=0.12)
    expected = 2 * carriers["chance"] + 5 * (1 - carriers["chance"])
    np.testing.assert_allclose(carriers["chance_until"], expected)
    at_random = table[table["order"].str.startswith("random")]
    assert at_random["false_alarm"].tolist() == [0, 0, 0]
    assert table[~table["order"].str.startswith("random")]["false_alarm"].isna().all()


def test_what_is_not_found_has_all_false_names() -> None:
    hidden = [explanation({"good": 0.5, "movie": 0.1}) for _ in range(5)]
    table = search_table([model([cell("lime", hidden)], [True] * 5)], TWICE, PARAMETERS, ["typical"])
    [row] = table.to_dict("records")
    assert pd.isna(row["found_at"]) and row["false_names"] == 1 and row["chance"] > 0.5
    assert 2 <= row["chance_until"] <= 5 and pd.isna(row["false_alarm"])


def test_nothing_named_is_no_false_name() -> None:
    table = search_table(
        [model([cell("lime", SHOWN)], CARRIES)], Inspector(shown=1, threshold=5), PARAMETERS, ["typical"]
    )
    assert table["false_names"].tolist() == [0]


def test_a_find_in_the_clean_model_is_an_alarm() -> None:
    alike = model([cell("lime", [explanation({"movie": 1.0})] * 5, decoy=CLEAN)], CARRIES, words=(), standing=CLEAN)
    table = search_table([alike, model([cell("lime", SHOWN)], CARRIES)], TWICE, PARAMETERS, ["random"])
    assert table["false_alarm"].tolist() == [1, 1, 1]
    other_seed = model([cell("lime", SHOWN, seed=1)], CARRIES)
    assert search_table([alike, other_seed], TWICE, PARAMETERS, ["random"])["false_alarm"].isna().all()


def test_the_clean_model_on_the_same_texts_in_the_same_order() -> None:
    late = [explanation({"movie": score, "film": 0.5}) for score in (0.1, 0.9, 0.2, 0.9, 0.9)]
    read = cell("lime", SHOWN), cell("random", SHOWN)
    failed = CellResult(cell("random", late).cell, None, "random: ValueError: no")
    model_with = model(read, CARRIES, controls=[cell("lime", late, decoy="clean on movie"), failed])
    orders = drawn_orders(explanations_of(read[0]), np.array(CARRIES), PARAMETERS, 0)
    table = search_table([model_with], TWICE, PARAMETERS).set_index(["explainer", "order"])["clean_until"]
    for name, order in orders.items():
        noted = np.cumsum(np.isin(order, [1, 3, 4]))
        assert table["lime", name] == (int(np.argmax(noted == 2)) + 1 if noted[-1] >= 2 else 5)
    assert table["random"].isna().all()


def test_failed_cells_and_decoys_that_are_not_ranked() -> None:
    failed = CellResult(cell("broken", SHOWN).cell, None, "broken: ValueError: no")
    table = search_table([model([cell("lime", SHOWN), failed], CARRIES)], TWICE, PARAMETERS, ["typical"])
    assert table["explainer"].tolist() == ["lime", "broken"] and table["failure"].tolist() == ["", failed.failure]
    assert not len(search_table([model([cell("lime", SHOWN)], CARRIES, standing="not adopted")], TWICE, PARAMETERS))
    assert seconds_table([model([cell("lime", SHOWN), failed], CARRIES)])["explainer"].tolist() == ["lime"]


def test_a_budget_above_the_texts_is_refused() -> None:
    with pytest.raises(ValueError, match="5 texts are explained, and the budget is 6"):
        drawn_orders(
            explanations_of(cell("lime", SHOWN)), np.array(CARRIES), PARAMETERS | {"budget": 6}, 0, ["typical"]
        )


def test_names_in_a_clean_model() -> None:
    clean = model([cell("lime", SHOWN, decoy=CLEAN)], [False] * 5, words=(), standing=CLEAN)
    row = clean_names([clean, model([cell("lime", SHOWN)], CARRIES)], TWICE, PARAMETERS | {"budget": 5})
    # All five are read: "good" is noted three times and "movie" twice, in whichever order.
    assert row[["explainer", "model", "seed", "names", "alarm"]].to_numpy().tolist() == [["lime", "presence", 0, 2, 1]]
    assert sorted(row["words"][0]) == ["good", "movie"]
    trusting = Inspector(shown=1, threshold=2, reasons=frozenset({"good", "movie"}))
    assert clean_names([clean], trusting, PARAMETERS)[["names", "alarm"]].to_numpy().tolist() == [[0, 0]]


def test_seconds_are_means_over_the_models_of_a_seed() -> None:
    models = [
        model([cell("lime", SHOWN, seconds=1.0), cell("random", SHOWN, seconds=0.25)], CARRIES),
        model([cell("lime", SHOWN, seconds=2.0, decoy=CLEAN)], CARRIES, words=(), standing=CLEAN),
    ]
    assert seconds_table(models)["seconds"].tolist() == [1.5, 0.25]
