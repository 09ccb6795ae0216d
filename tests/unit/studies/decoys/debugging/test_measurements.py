"""The walk on made-up reviews: planted truth is found and repaired; and the numbers of the record, by hand."""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd
import pytest
from made_searches import made_parts

from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.studies.decoys.debugging import measurements
from trustnlp.studies.decoys.debugging.measurements import Debugged, by_decoy, debugged, parameters_of, per_seed
from trustnlp.studies.decoys.leaderboard.benchmark_models import explained
from trustnlp.studies.decoys.planted import REASONS

PARAMETERS: dict[str, Any] = {
    "profile": "smoke", "models": ["presence"], "seeds": [1], "minilm_seeds": [1], "adoption_texts": 100, "pool": 60,
    "longest": 25, "samples": 60, "steps": 4, "explainers": ["occlusion", "random"], "budget": 50, "draws": 3,
    "chance_draws": 5, "most": 3, "decoys": ["video_text", "position", "punctuation"],
    "minilm_decoys": ["video_text", "punctuation"], "minilm_explainers": ["integrated_gradients"],
}  # fmt: skip
INSPECTOR = Inspector(reasons=REASONS)


@cache
def walked() -> Debugged:
    return debugged("presence", made_parts(1500), INSPECTOR, PARAMETERS)


def test_all_set_ups_on_the_adopted_decoys() -> None:
    found = walked()
    adopted = {"video_text", "punctuation"}
    assert set(found.compared["decoy"]) == adopted and set(found.repaired["decoy"]) == {"clean", *adopted}
    assert set(found.compared["explainer"]) == {"occlusion", "random", "validation", "original_validation"}
    assert set(found.repaired["source"]) == {"occlusion", "random", "count", "known"}
    # All texts have an indicator word: nothing to uncover. Few of the made-up phrases end in a full stop.
    assert len(found.uncovered) == 4


def test_planted_truth_is_found_and_repaired() -> None:
    values = per_seed(walked(), [1])
    assert values["compare.occlusion.success"] == [1.0] and values["compare.validation.success"] == [0.0]
    assert values["repair.occlusion.words.before"][0] > 80 and values["repair.occlusion.words.left"][0] < 10
    assert values["repair.known.words.left"][0] < 10 and values["repair.random.words.left"][0] > 10
    assert values["uncover.occlusion.found"][0] > values["uncover.random.found"][0]


def test_minilm_gets_its_own_decoys_and_explainers() -> None:
    own, plain = parameters_of("minilm", PARAMETERS), parameters_of("presence", PARAMETERS)
    assert own["decoys"] == ["video_text", "punctuation"] and own["explainers"] == ["integrated_gradients", "random"]
    assert own["models"] == ["minilm"] and plain["explainers"] == ["occlusion", "random"]


def test_the_clean_control_is_explained_on_the_contaminated_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(measurements, "explained", lambda *given: asked.append(given) or explained(*given))
    debugged("presence", made_parts(1500), INSPECTOR, PARAMETERS | {"decoys": ["video_text"]})
    [(_, _, name, _, texts, *_)] = asked
    assert name == "clean, video_text" and all({"video", "text"} & set(text.split()) for text in texts)


def test_random_scores_of_two_models_that_are_compared_are_drawn_apart() -> None:
    # With the same draws for both models they would be one half each time, whatever the rule.
    few = PARAMETERS | {"decoys": ["video_text"], "seeds": [0, 1, 2, 3, 4, 5], "explainers": ["random"]}
    rows = debugged("presence", made_parts(1500), INSPECTOR, few).compared
    told = rows[rows["explainer"] == "random"]["success"]
    assert set(told) >= {0.0, 1.0} and 0.1 < told.mean() < 0.9


def repaired(**more: Any) -> dict[str, Any]:
    usual = {
        "source": "lime", "decoy": "movie", "seed": 0, "words": ["movie", "a"], "before": 80.0, "left": 20.0,
        "gain": 2.0, "loss": 0.5, "cost": 0.25,
    }  # fmt: skip
    return usual | more


def only(**tables: Any) -> Debugged:
    """Some rows and no others."""
    return Debugged([], **{name: pd.DataFrame(tables.get(name, [])) for name in ("compared", "repaired", "uncovered")})


def test_comparisons() -> None:
    def row(explainer: str, seed: int, decoy: str, success: float, **more: Any) -> dict[str, Any]:
        return {"explainer": explainer, "decoy": decoy, "seed": seed, "success": success, "above_chance": 0.5} | more

    rows = [
        row("lime", 0, "movie", 1.0, decoy_first=1.0, decoy_first_above_chance=0.75),
        row("lime", 0, "story", 0.0, decoy_first=0.0, decoy_first_above_chance=-0.25, above_chance=-0.25),
        row("lime", 2, "movie", 1.0, decoy_first=1.0, decoy_first_above_chance=0.5),
        row("validation", 0, "movie", 0.0, ahead=-4.0),
        row("validation", 0, "story", 0.0, ahead=5.0),
        row("validation", 2, "movie", 1.0, ahead=-6.0),
        row("original_validation", 0, "movie", 1.0, ahead=-20.0),
    ]
    # Less than five points apart on contaminated texts, whichever is ahead: one pair, of the seed 0.
    expected = {
        "lime.success": [1.0, 0.5], "lime.above_chance": [0.5, 0.125], "lime.decoy_first_above_chance": [0.5, 0.25],
        "validation.success": [1.0, 0.0], "validation.ahead": [-6.0, 0.5], "lime.similar_success": [1.0],
        "lime.similar_above_chance": [0.5], "original_validation.ahead": [-20.0],
    }  # fmt: skip
    values = per_seed(only(compared=rows), [2, 1, 0])
    assert {key: values[f"compare.{key}"] for key in expected} == expected
    assert not {"compare.validation.decoy_first", "compare.lime.ahead"} & set(values)


def test_repairs() -> None:
    rows = [
        repaired(), repaired(decoy="story", left=-30.0, loss=1.5, cost=0.75),
        repaired(decoy="clean", before=None, left=None, gain=-1.0, loss=0.75, cost=0.75),
    ]  # fmt: skip
    # A rate below 0 counts as it is.
    expected = {
        "repair.lime.words.before": [80.0], "repair.lime.words.left": [-5.0], "repair.lime.words.gain": [2.0],
        "repair.lime.words.loss": [1.0], "repair.lime.words.cost": [0.5], "clean_repair.lime.words.loss": [0.75],
    }  # fmt: skip
    values = per_seed(only(repaired=[*rows, repaired(source="count", seed=1)]), [0])
    assert {key: values[key] for key in expected} == expected and "clean_repair.lime.words.left" not in values


def test_the_count_stands_against_the_best_explainer_of_each_seed() -> None:
    left = {"count": (10, 30), "lime": (5, 15), "occlusion": (0, 60), "random": (-90, -90), "known": (-50, -50)}
    rows = [
        repaired(source=source, seed=seed, left=float(rate))
        for source, rates in left.items() for seed, rate in enumerate(rates)
    ]  # fmt: skip
    # A decoy on which one source failed does not count.
    rows += [repaired(source="count", decoy="story", left=0.0), repaired(source="lime", decoy="story", left=99.0)]
    assert per_seed(only(repaired=rows), [0, 1])["repair.count.words.more_left"] == [10.0, 15.0]
    other = [row for row in rows if row["source"] in ("count", "random", "known")]
    assert "repair.count.words.more_left" not in per_seed(only(repaired=other), [0, 1])


def test_decoy_by_decoy() -> None:
    rows = [repaired(), repaired(seed=1, left=40.0, words=["plot"]), repaired(decoy="clean", left=None)]
    assert by_decoy(pd.DataFrame(rows)) == [{"decoy": "movie", "source": "lime", "left": 30.0, "words": ["movie", "a"]}]
