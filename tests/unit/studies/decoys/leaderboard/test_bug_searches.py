"""Searches: orders by hand, numbers by hand, the same random orders for all explainers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from explanations import explanation
from hypothesis import given
from hypothesis import strategies as st
from made_searches import cell, model, searches

from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.benchmark.score_tables import score_table
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.studies.decoys.leaderboard.benchmark_models import CLEAN, explanations_of
from trustnlp.studies.decoys.leaderboard.bug_searches import (
    ORDERS,
    alarms_and_costs,
    clean_names,
    drawn_orders,
    kind_of_order,
    per_seed,
    prefix,
    ranking,
    repeats,
    search_table,
    seconds_table,
    typical_first,
)

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
CLEAN_MODEL = model([cell("lime", SHOWN, decoy=CLEAN)], [False] * 5, words=(), standing=CLEAN)


def test_orders_of_one_budget() -> None:
    sure = [[0.1, 0.9], [0.2, 0.8], [0.45, 0.55], [0.3, 0.7], [0.4, 0.6]]
    found = drawn_orders(explanations_of(cell("lime", SHOWN, probabilities=sure)), np.array(CARRIES), PARAMETERS, 0)
    assert {kind_of_order(name) for name in found} == set(ORDERS) and len(found) == 2 * 3 + 4
    assert all(len(order) == len(set(order.tolist())) == 4 for order in found.values())
    assert found["uncertainty"].tolist() == [2, 4, 3, 1]
    for draw in range(3):
        assert set(found[f"carriers{draw}"][:2].tolist()) == {1, 3}
        others = [number for number in found[f"random{draw}"].tolist() if not CARRIES[number]]
        assert found[f"carriers{draw}"][2:].tolist() == others[:2] or len(others) < 2


def test_random_orders_are_the_same_for_all_explainers_and_other_for_other_seeds() -> None:
    one, other = (explanations_of(cell(name, own)) for name, own in (("lime", SHOWN), ("random", SHOWN[::-1])))
    here, there, elsewhere = (
        np.array(list(drawn_orders(found, np.array(CARRIES), PARAMETERS | {"draws": 8}, seed, ["random"]).values()))
        for found, seed in ((one, 0), (other, 0), (one, 1))
    )
    assert (here == there).all() and (here != elsewhere).any() and len(np.unique(here, axis=0)) > 1


def test_the_most_typical_explanation_is_nearest_to_the_mean() -> None:
    table = score_table([explanation({"a": 1.0}), explanation({"a": 2.0, "b": 2.0}), explanation({"b": 0.1, "c": 0.1})])
    # At unit length the sum is (1 + √½, √½ + √½, √½); the cosines with it go as 1.71, 2.21 and 1.5.
    assert typical_first(table).tolist() == [1, 0, 2]
    labels = [explanation({"a": 1.0}, 0), explanation({"a": 1.0}, 1), explanation({"a": 3.0}, 1)]
    assert typical_first(score_table(labels)).tolist() == [1, 2, 0]


def test_a_row_by_hand() -> None:
    table = search_table([CLEAN_MODEL, model([cell("lime", SHOWN)], CARRIES)], TWICE, PARAMETERS)
    assert len(table) == 10 and set(table["adopted"]) == {True} and set(table["budget"]) == {4}
    carriers = table[table["order"].str.startswith("carriers")]
    assert carriers["found_at"].tolist() == [2, 2, 2]
    # Of each carrier one of its two words is noted, so that by chance both notes are the decoy in a quarter of draws;
    # in texts without the decoy there is nothing that could name it.
    assert carriers["chance"].mean() == pytest.approx(0.25, abs=0.12)
    np.testing.assert_allclose(carriers["chance_until"], 2 * carriers["chance"] + 5 * (1 - carriers["chance"]))
    at_random = table["order"].str.startswith("random")
    assert table[at_random]["false_alarm"].tolist() == [0, 0, 0] and table[~at_random]["false_alarm"].isna().all()


@pytest.mark.parametrize("threshold", [2, 5])
def test_what_is_not_found_may_be_found_by_chance(threshold: int) -> None:
    """Five times "good" is first, of which four are read."""
    hidden = model([cell("lime", [explanation({"good": 0.5, "movie": 0.1})] * 5)], [True] * 5)
    [row] = search_table([hidden], Inspector(1, threshold), PARAMETERS, ["typical"]).to_dict("records")
    assert pd.isna(row["found_at"]) and pd.isna(row["false_alarm"])
    assert (row["chance"] > 0.5) == (threshold == 2) and 2 <= row["chance_until"] <= 5


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
    found = model([cell("lime", SHOWN), failed], CARRIES)
    table = search_table([found], TWICE, PARAMETERS, ["typical"])
    assert table["explainer"].tolist() == ["lime", "broken"] and table["failure"].tolist() == ["", failed.failure]
    assert seconds_table([found])["explainer"].tolist() == ["lime"]
    assert not len(search_table([model([cell("lime", SHOWN)], CARRIES, standing="not adopted")], TWICE, PARAMETERS))


def test_a_budget_above_the_texts_is_refused() -> None:
    found = explanations_of(cell("lime", SHOWN))
    with pytest.raises(ValueError, match="5 texts are explained, and the budget is 6"):
        drawn_orders(found, np.array(CARRIES), PARAMETERS | {"budget": 6}, 0, ["typical"])


def test_names_in_a_clean_model() -> None:
    row = clean_names([CLEAN_MODEL, model([cell("lime", SHOWN)], CARRIES)], TWICE, PARAMETERS | {"budget": 5})
    # All five are read: "good" is noted three times and "movie" twice, in whichever order.
    assert row[["explainer", "model", "seed", "names"]].to_numpy().tolist() == [["lime", "presence", 0, 2]]
    assert sorted(row["words"][0]) == ["good", "movie"]
    trusting = Inspector(shown=1, threshold=2, reasons=frozenset({"good", "movie"}))
    assert clean_names([CLEAN_MODEL], trusting, PARAMETERS)["names"].tolist() == [0]


def test_seconds_are_means_over_the_models_of_a_seed() -> None:
    models = [
        model([cell("lime", SHOWN, seconds=1.0), cell("random", SHOWN, seconds=0.25)], CARRIES),
        model([cell("lime", SHOWN, seconds=2.0, decoy=CLEAN)], CARRIES, words=(), standing=CLEAN),
    ]
    assert seconds_table(models)["seconds"].tolist() == [1.5, 0.25]


def rows(explainer: str, order: str = "random0", seed: int = 0, **found_at: Any) -> list[dict[str, Any]]:
    same = {"explainer": explainer, "order": order, "seed": seed}
    return [same | {"decoy": decoy, "found_at": at} for decoy, at in found_at.items()]


def test_above_both_controls_by_hand() -> None:
    found = per_seed(searches([*rows("lime", movie=3, film=None), *rows("random", movie=None, film=7)]), [0])
    assert found["lime.movie.above_controls"] == [pytest.approx((6 - 3) / 10)]
    assert "lime.film.above_controls" not in found  # the paper has no such decoy
    assert found["lime.all.above_controls"] == [pytest.approx(-0.1)] and found["lime.in_clean.all"] == [0]


@given(at=st.none() | st.integers(1, 10), by_chance=st.lists(st.none() | st.integers(1, 10), min_size=1, max_size=8))
def test_above_a_control_is_the_mean_difference_of_shares_over_all_budgets(
    at: int | None, by_chance: list[int | None]
) -> None:
    def share(found: list[int | None], budget: int) -> float:
        return float(np.mean([one is not None and one <= budget for one in found]))

    until = float(np.mean([one or 11 for one in by_chance]))
    found = per_seed(searches(rows("lime", movie=at)).assign(chance_until=until, clean_until=11.0), [0])
    slow = np.mean([share([at], budget) - share(by_chance, budget) for budget in range(1, 11)])
    assert found["lime.movie.above_controls"] == [pytest.approx(slow)]


def test_an_explainer_helps_by_the_smaller_of_its_leads_over_both_controls() -> None:
    table = searches(rows("lime", movie=3, video_text=3)).assign(chance_until=[6.0, 2.0], clean_until=[4.0, 9.0])
    found = per_seed(table, [0])
    leads = [found[f"lime.{name}.above_controls"][0] for name in ("movie", "video_text", "all")]
    assert leads == pytest.approx([0.1, -0.1, 0])
    assert not [key for key in per_seed(table.assign(clean_until=np.nan), [0]) if "above" in key]


def test_random_orders_are_averaged_and_seeds_kept_apart_in_their_order() -> None:
    places = ((4, "random0", 2), (4, "random1", 4), (1, "random0", 5), (1, "random1", 5))
    table = searches([row for seed, order, at in places for row in rows("lime", order, seed, movie=at)])
    assert per_seed(table, [4, 9, 1])["lime.movie.above_controls"] == pytest.approx([0.3, 0.1])
    assert per_seed(table, [1, 4])["lime.all.above_controls"] == pytest.approx([0.1, 0.3])


def test_a_decoy_that_one_seed_lacks_is_no_part_of_its_mean() -> None:
    found = per_seed(searches([*rows("lime", movie=2, film=4), *rows("lime", seed=1, film=8)]), [0, 1])
    assert found["lime.all.above_controls"] == pytest.approx([0.3, -0.2])
    assert found["lime.movie.above_controls"] == pytest.approx([0.4])


# Order, and when it finds the decoy by LIME and by random scores.
ORDERED = {
    "random0": (4, 10), "random1": (8, 10), "carriers0": (2, 1), "carriers1": (2, 1), "spectral_clusters": (9, None),
}  # fmt: skip


def test_what_orders_save() -> None:
    table = searches(
        [
            row
            for order, places in ORDERED.items()
            for name, at in zip(("lime", "random"), places, strict=True)
            for row in rows(name, order, movie=at)
        ]
    )
    found = per_seed(table, [0])
    assert found["lime.carriers_saved"] == [4] and found["lime.clusters_saved"] == [-3]
    assert found["random.clusters_saved"] == [-1] and "lime.typical_saved" not in found


def test_alarms_and_costs() -> None:
    names = pd.DataFrame({"explainer": ["lime", "lime"], "seed": [1, 0], "names": [4.0, 2.0], "words": [[], []]})
    seconds = pd.DataFrame({"explainer": ["lime"], "seed": [0], "seconds": [0.1]})
    assert alarms_and_costs(names, seconds, [0, 1]) == {
        "lime.false_alarms": [2, 4], "lime.seconds": [0.1],
    }  # fmt: skip


def test_the_ranking_is_by_random_orders_alone() -> None:
    carriers = [*rows("lime", "carriers0", movie=1, film=1), *rows("occlusion", "carriers0", movie=9, film=None)]
    table = searches([*rows("lime", movie=3, film=5), *rows("occlusion", movie=2, film=None), *carriers])
    values = ranking(table, np.random.default_rng(0))
    assert values["ranking.lime.found"][0] == 1 and values["ranking.occlusion.found"][0] == 0.5
    assert values["ranking.lime.chance"] == (0.5, "deterministic")
    value, (low, high) = values["ranking.lime.instances"]
    assert low <= value == 4 <= high


def test_a_failed_explainer_is_not_ranked() -> None:
    table = searches([*rows("lime", movie=3), *rows("broken", movie=None)])
    table.loc[1, ["order", "failure"]] = [None, "broken: no"]
    assert {key.split(".")[1] for key in ranking(table, np.random.default_rng(0))} == {"lime"}


def test_nothing_to_rank() -> None:
    assert ranking(pd.DataFrame(), np.random.default_rng(0)) == per_seed(pd.DataFrame(), [0]) == {}


def test_keys_of_kinds() -> None:
    assert [prefix(kind) for kind in ("minilm", "presence")] == ["", "presence"]
    assert repeats(["presence", "minilm"], ["lime", "gradient_x_input"]) == {
        "": "float32", "presence.lime.seconds": "timed", "lime.seconds": "timed", "gradient_x_input.seconds": "timed",
    }  # fmt: skip
