"""Numbers of the leaderboard, by hand; the average over budgets against a loop over them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_searches import searches

from trustnlp.studies.decoys.leaderboard.bug_searches import (
    alarms_and_costs,
    leader,
    main_kind,
    of_kind,
    per_seed,
    random_only,
    ranking,
    repeats,
)


def rows(explainer: str, **found_at: Any) -> list[dict[str, Any]]:
    return [{"explainer": explainer, "decoy": decoy, "found_at": at} for decoy, at in found_at.items()]


def test_values_by_hand() -> None:
    found = per_seed(searches([*rows("lime", movie=3, film=None), *rows("random", movie=None, film=7)]), [0])
    assert found["lime.movie.above_chance"] == [pytest.approx((6 - 3) / 10)]
    assert found["lime.film.above_chance"] == [pytest.approx((6 - 11) / 10)]
    assert found["lime.movie.at_budget"] == [0.5] and found["lime.film.at_budget"] == [-0.5]
    assert found["lime.all.above_chance"] == [pytest.approx(-0.1)] and found["lime.all.at_budget"] == [0]
    assert found["lime.found.all"] == [0.5] and found["lime.instances.all"] == [7]
    assert found["random.instances.all"] == [9] and found["lime.false_names.all"] == [1]
    assert "carriers_saved" not in found


@given(
    at=st.none() | st.integers(1, 10),
    by_chance=st.lists(st.none() | st.integers(1, 10), min_size=1, max_size=8),
)
def test_above_chance_is_the_mean_difference_of_shares_over_all_budgets(
    at: int | None, by_chance: list[int | None]
) -> None:
    until = float(np.mean([11 if one is None else one for one in by_chance]))
    table = searches([{"explainer": "lime", "decoy": "movie", "found_at": at, "chance_until": until}])

    def share(found: list[int | None], budget: int) -> float:
        return float(np.mean([one is not None and one <= budget for one in found]))

    slow = np.mean([share([at], budget) - share(by_chance, budget) for budget in range(1, 11)])
    assert per_seed(table, [0])["lime.movie.above_chance"] == [pytest.approx(slow)]


def test_an_explainer_helps_by_the_smaller_of_its_leads_over_both_controls() -> None:
    row = {"explainer": "lime", "seed": 0}
    table = searches(
        [
            row | {"decoy": "movie", "found_at": 3, "chance_until": 6.0, "clean_until": 4.0},
            row | {"decoy": "film", "found_at": 3, "chance_until": 2.0, "clean_until": 9.0},
        ]
    )
    found = per_seed(table, [0])
    assert found["lime.movie.above_controls"] == found["lime.movie.above_clean"] == [pytest.approx(0.1)]
    assert found["lime.film.above_controls"] == found["lime.film.above_chance"] == [pytest.approx(-0.1)]
    assert found["lime.all.above_controls"] == [pytest.approx(0.0)]
    without = per_seed(table.assign(clean_until=np.nan), [0])
    assert "lime.movie.above_controls" not in without and "lime.movie.above_chance" in without


def test_random_orders_are_averaged_and_seeds_kept_apart_in_their_order() -> None:
    table = searches(
        [
            {"explainer": "lime", "decoy": "movie", "found_at": at, "order": order, "seed": seed}
            for seed, order, at in ((4, "random0", 2), (4, "random1", 4), (1, "random0", 5), (1, "random1", 5))
        ]
    )
    assert per_seed(table, [4, 9, 1])["lime.instances.all"] == [3, 5]
    assert per_seed(table, [1, 4])["lime.movie.above_chance"] == [pytest.approx(0.1), pytest.approx(0.3)]


def test_a_decoy_that_one_seed_lacks_is_no_part_of_its_mean() -> None:
    table = searches(
        [
            {"explainer": "lime", "decoy": decoy, "found_at": at, "seed": seed}
            for seed, decoy, at in ((0, "movie", 2), (0, "film", 4), (1, "film", 8))
        ]
    )
    found = per_seed(table, [0, 1])
    assert found["lime.instances.all"] == [3, 8] and found["lime.movie.above_chance"] == [pytest.approx(0.4)]


def test_what_orders_save() -> None:
    table = searches(
        [
            {"explainer": name, "decoy": decoy, "found_at": at, "order": order}
            for name, decoy, order, at in (
                ("lime", "movie", "random0", 4),
                ("lime", "movie", "random1", 8),
                ("lime", "movie", "carriers0", 2),
                ("lime", "movie", "carriers1", 2),
                ("lime", "movie", "spectral_clusters", 9),
                ("random", "movie", "random0", 10),
                ("random", "movie", "random1", 10),
                ("random", "movie", "carriers0", 1),
                ("random", "movie", "carriers1", 1),
                ("random", "movie", "spectral_clusters", None),
            )
        ]
    )
    found = per_seed(table, [0])
    assert found["lime.carriers_saved"] == [4] and found["lime.clusters_saved"] == [-3]
    assert found["random.clusters_saved"] == [-1] and "lime.typical_saved" not in found
    assert found["carriers_saved"] == [4]  # random scores are no explainer


def test_alarms_and_costs() -> None:
    names = pd.DataFrame(
        {"explainer": ["lime", "lime"], "seed": [1, 0], "names": [4.0, 2.0], "alarm": [1.0, 0.5], "words": [[], []]}
    )
    seconds = pd.DataFrame({"explainer": ["lime"], "seed": [0], "seconds": [0.1]})
    assert alarms_and_costs(names, seconds, [0, 1]) == {
        "lime.false_alarms": [2, 4], "lime.alarms": [0.5, 1], "lime.seconds": [0.1],
    }  # fmt: skip


def test_the_ranking_is_by_random_orders_alone() -> None:
    table = searches(
        [
            *rows("lime", movie=3, film=5),
            *rows("occlusion", movie=2, film=5),
            *({**row, "order": "carriers0"} for row in rows("lime", movie=1, film=1)),
            *({**row, "order": "carriers0"} for row in rows("occlusion", movie=9, film=None)),
        ]
    )
    found, status = ranking(table, ["lime", "occlusion", "gradient_x_input"], "presence", np.random.default_rng(0))
    assert status == {"lime": "ranked", "occlusion": "ranked", "gradient_x_input": "does not apply"}
    assert found["ranking.occlusion.rank"][0] == 1 and found["ranking.lime.rank"][0] == 2
    assert found["ranking.lime.instances"][0] == 4 and found["ranking.lime.found"][0] == 1
    assert found["ranking.lime.chance"] == (0.5, None)
    value, ends = found["ranking.lime.instances"]
    assert ends is not None and ends[0] <= value <= ends[1]
    assert leader(found) == "occlusion"


def test_a_failed_explainer_has_a_status_and_no_rank() -> None:
    failed = {**rows("broken", movie=None)[0], "order": None, "failure": "broken: no"}
    found, status = ranking(
        searches([*rows("lime", movie=3), failed]), ["lime", "broken"], "minilm", np.random.default_rng(0)
    )
    assert status == {"lime": "ranked", "broken": "failed"} and not any("broken" in key for key in found)


def test_nothing_to_rank() -> None:
    found, status = ranking(pd.DataFrame(), ["lime", "gradient_x_input"], "presence", np.random.default_rng(0))
    assert found == {} and status == {"lime": "no decoy adopted", "gradient_x_input": "does not apply"}
    assert per_seed(pd.DataFrame(), [0]) == {} and leader({}) is None
    assert not len(random_only(pd.DataFrame())) and not len(of_kind(pd.DataFrame(), "minilm"))


def test_the_leader_is_no_random_score() -> None:
    assert leader({"ranking.random.rank": (1, None), "ranking.b.rank": (2, None), "ranking.a.rank": (2, None)}) == "a"


def test_keys_of_kinds() -> None:
    both = ["presence", "minilm"]
    assert main_kind(both) == "minilm" and main_kind(["presence"]) == "presence"
    assert repeats(both, ["lime", "gradient_x_input"]) == {
        "": "float32", "presence.lime.seconds": "timed", "lime.seconds": "timed", "gradient_x_input.seconds": "timed",
    }  # fmt: skip
