"""The walk on made-up reviews: planted truth is found and repaired; and the numbers of the record, by hand."""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd
import pytest
from made_searches import made_parts

from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.studies.decoys.debugging import measurements
from trustnlp.studies.decoys.debugging.measurements import (
    Debugged,
    by_decoy,
    by_pair,
    debugged,
    parameters_of,
    per_seed,
)
from trustnlp.studies.decoys.leaderboard.benchmark_models import explained
from trustnlp.studies.decoys.method import REASONS

PARAMETERS: dict[str, Any] = {
    "profile": "smoke", "models": ["presence"], "seeds": [1], "minilm_seeds": [1], "adoption_texts": 100, "pool": 60,
    "longest": 25, "samples": 60, "steps": 4, "explainers": ["occlusion", "random"], "budget": 50, "draws": 3,
    "chance_draws": 5, "most": 3, "decoys": ["video_text", "position", "punctuation"],
    "pairs": ["video_text+punctuation", "video_text+position"], "minilm_decoys": ["video_text", "punctuation"],
    "minilm_explainers": ["integrated_gradients"],
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
    assert set(found.repaired["how"]) == {"words", "texts"}
    # All texts have an indicator word: nothing to uncover. Few of the made-up phrases end in a full stop.
    assert set(found.uncovered["decoy"]) == {"punctuation"}


def test_planted_truth_is_found_and_repaired() -> None:
    values = per_seed(walked(), [1])
    assert values["compare.occlusion.success"] == [1.0] and values["compare.validation.misleads"] == [0.5]
    assert values["repair.occlusion.words.before"][0] > 80 and values["repair.occlusion.words.left"][0] < 10
    assert values["repair.known.words.left"][0] < 10 and values["repair.random.words.left"][0] > 10
    assert values["pairs.occlusion.alone"] == [1.0] and values["pairs.adopted"] == [1.0]
    assert values["pairs.occlusion.over_random"][0] >= 0 and values["repair.occlusion.words.most_left"][0] < 10
    assert values["uncover.occlusion.over_random"][0] > 0


def test_a_pair_has_a_row_for_each_part_and_explainer() -> None:
    """A pair with a part that is alone not adopted has none."""
    rows = walked().pairs
    assert set(rows["pair"]) == {"video_text+punctuation"} and len(rows) == 4
    assert set(rows["explainer"]) == {"occlusion", "random"} and set(rows["decoy"]) == {"video_text", "punctuation"}
    own = rows[rows["explainer"] == "occlusion"]
    assert own["every"].nunique() == 1 and own["every"].iloc[0] <= own["both"].min()
    assert (own["rate_alone"] > 80).all() and (own["rate_both"] <= 100).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"pairs": ["video_text+movie"]}, r"'video_text\+movie' needs the decoy 'movie' alone as well"),
        ({"pairs": ["video_text+length"], "decoys": ["video_text", "length"]}, "'length', which has no words"),
        ({"pairs": ["video_text+punctuation"] * 2}, r"'video_text\+punctuation' is given twice"),
        ({"pairs": ["video_text+position", "position+video_text"]}, r"'position\+video_text' is given twice"),
    ],
)
def test_bad_input_is_refused_before_a_model_is_trained(
    given: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measurements, "explained_models", lambda *given: pytest.fail("models were trained"))
    with pytest.raises(ValueError, match=said):
        debugged("presence", made_parts(1500), INSPECTOR, PARAMETERS | given)


def test_minilm_gets_its_own_decoys_and_explainers() -> None:
    own, plain = parameters_of("minilm", PARAMETERS), parameters_of("presence", PARAMETERS)
    assert own["decoys"] == ["video_text", "punctuation"] and own["explainers"] == ["integrated_gradients", "random"]
    assert own["pairs"] == ["video_text+punctuation"] and own["models"] == ["minilm"]
    assert plain["pairs"] == PARAMETERS["pairs"] and plain["explainers"] == ["occlusion", "random"]


def test_the_clean_control_is_explained_on_the_contaminated_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(measurements, "explained", lambda *given: asked.append(given) or explained(*given))
    debugged("presence", made_parts(1500), INSPECTOR, PARAMETERS | {"decoys": ["video_text"], "pairs": []})
    [(_, _, name, _, texts, *_)] = asked
    assert name == "clean, video_text" and all({"video", "text"} & set(text.split()) for text in texts)


def test_random_scores_of_two_models_that_are_compared_are_drawn_apart() -> None:
    # With the same draws for both models they would be one half each time, whatever the rule.
    few = PARAMETERS | {"decoys": ["video_text"], "pairs": [], "seeds": [0, 1, 2, 3, 4, 5], "explainers": ["random"]}
    rows = debugged("presence", made_parts(1500), INSPECTOR, few).compared
    told = rows[rows["explainer"] == "random"]["success"]
    assert set(told) >= {0.0, 1.0} and 0.1 < told.mean() < 0.9


def repaired(**more: Any) -> dict[str, Any]:
    usual = {
        "source": "lime", "decoy": "movie", "model": "presence", "seed": 0, "how": "words", "words": ["movie", "a"],
        "possible": True, "before": 80.0, "left": 20.0, "verdict": "partly adopted", "gain": 2.0, "loss": 0.5,
        "loss_before": 4.0, "cost": 0.25,
    }  # fmt: skip
    return usual | more


def only(**tables: Any) -> Debugged:
    """Some rows and no others."""
    names = ("compared", "repaired", "uncovered", "pairs")
    return Debugged([], **{name: pd.DataFrame(tables.get(name, [])) for name in names})


IMPOSSIBLE: dict[str, Any] = {"possible": False} | dict.fromkeys(("left", "verdict", "gain", "loss", "cost"))


def test_comparisons() -> None:
    def row(explainer: str, seed: int, decoy: str, success: float, **more: Any) -> dict[str, Any]:
        usual = {"chance": 0.5, "decoy_first": None, "decoy_first_chance": None}
        return {"explainer": explainer, "decoy": decoy, "seed": seed, "success": success, **usual, **more}

    rows = [
        row("lime", 0, "movie", 1.0, decoy_first=1.0, decoy_first_chance=0.25),
        row("lime", 0, "story", 0.0, decoy_first=0.0, decoy_first_chance=0.25, chance=0.25),
        row("lime", 2, "movie", 1.0, decoy_first=1.0, decoy_first_chance=0.5),
        row("validation", 0, "movie", 0.0, ahead=-4.0),
        row("validation", 0, "story", 0.0, ahead=5.0),
        row("validation", 2, "movie", 1.0, ahead=-6.0),
        row("original_validation", 0, "movie", 1.0, ahead=-20.0),
    ]
    # Less than five points apart on contaminated texts, whichever is ahead: one pair, of the seed 0.
    expected = {
        "lime.success": [1.0, 0.5], "lime.above_chance": [0.5, 0.125], "lime.decoy_first_above_chance": [0.5, 0.25],
        "validation.misleads": [-0.5, 0.5], "validation.similar": [0.0, 0.5], "validation.ahead": [-6.0, 0.5],
        "lime.similar_success": [1.0], "lime.similar_above_chance": [0.5], "original_validation.ahead": [-20.0],
    }  # fmt: skip
    found = per_seed(only(compared=rows), [2, 1, 0])
    assert {key: found[f"compare.{key}"] for key in expected} == expected
    assert not {"compare.lime.misleads", "compare.validation.decoy_first", "compare.lime.ahead"} & set(found)


def test_repairs() -> None:
    rows = [
        repaired(), repaired(decoy="story", left=-30.0, verdict="not adopted", loss=1.5, cost=0.75),
        repaired(how="texts", loss=3.0, left=15.0), repaired(how="texts", decoy="story", **IMPOSSIBLE),
        repaired(source="random", left=70.0, gain=-1.0),
        repaired(source="random", decoy="story", left=40.0, gain=-1.0), repaired(source="count", left=90.0),
        repaired(source="known", verdict="undetermined", words=["movie"], loss=0.25),
        repaired(source="known", decoy="story", verdict="undetermined", words=["movie"], loss=0.0),
        repaired(decoy="clean", before=None, left=None, verdict=None, gain=-1.0, loss=0.75, cost=0.75),
        repaired(decoy="clean", how="texts", before=None, loss_before=0.0, **IMPOSSIBLE),
    ]  # fmt: skip
    found = per_seed(only(repaired=rows), [0])
    expected = {
        # A rate below 0 counts as it is, and does not hide the largest.
        "lime.words": {
            "left": -5.0, "gone_margin": 15.0, "most_left": 20.0, "each_gone_margin": -10.0, "gain_over_random": 3.0,
            "removed_over_random": 60.0, "gone": 0.5, "remains": 0.5, "dropped": 2, "loss_before": 4.0, "loss": 1.0,
            "cost": 0.5, "behind_known": 0.875, "behind_known_margin": 0.125, "all_left": -5.0, "all_before": 80.0,
        },
        # Where it is not possible, the model stays as it was: (15 + 80) / 2 and (3 + 4) / 2.
        "lime.texts": {"possible": 0.5, "left": 15.0, "all_left": 47.5, "all_loss": 3.5},
        # Of the decoy that can be repaired in both ways.
        "lime": {"texts_cost_more": 2.5, "both_ways": 0.5},
        "random.words": {"removed_over_random": 0.0},
        "known": {"both_ways": 0.0},
        "known.words": {"gone": 0.0, "remains": 0.0},
    }  # fmt: skip
    for name, own in expected.items():
        assert {key: found[f"repair.{name}.{key}"] for key in own} == {key: [value] for key, value in own.items()}
    assert not {"repair.known.texts_cost_more", "repair.lime.texts.removed_over_random"} & set(found)
    assert found["clean_repair.lime.words.cost_margin"] == [0.25] and "clean_repair.lime.words.left" not in found
    assert found["clean_repair.lime.texts.possible"] == [0.0] and "clean_repair.lime.texts.loss" not in found


def test_the_count_stands_against_the_best_explainer_of_each_seed() -> None:
    left = {"count": (10, 30), "lime": (5, 15), "occlusion": (0, 60), "random": (-90, -90), "known": (-50, -50)}
    rows = [
        repaired(source=source, seed=seed, left=float(rate))
        for source, rates in left.items() for seed, rate in enumerate(rates)
    ]  # fmt: skip
    # A decoy on which one source failed, and texts, do not count.
    rows += [repaired(source="count", decoy="story", left=0.0), repaired(source="lime", decoy="story", left=99.0)]
    rows += [repaired(source=source, how="texts", left=0.0) for source in left]
    assert per_seed(only(repaired=rows), [0, 1])["repair.count.words.more_left"] == [10.0, 15.0]
    other = [row for row in rows if row["source"] in ("count", "random", "known")]
    assert "repair.count.words.more_left" not in per_seed(only(repaired=other), [0, 1])


def test_uncovered() -> None:
    found_by = {"lime": (0.5, 1.0), "count": (1.0, 0.75), "random": (0.25, 0.25)}
    rows = [
        {"source": source, "decoy": decoy, "model": "presence", "seed": 0, "found": share, "by_lot": 0.1}
        for source, shares in found_by.items() for decoy, share in zip("ab", shares, strict=True)
    ]  # fmt: skip
    found = per_seed(only(uncovered=rows), [0])
    assert found["uncover.lime.over_random"] == [0.5] and found["uncover.lime.over_count"] == [-0.125]
    assert found["uncover.count.over_count"] == found["uncover.random.over_random"] == [0.0]
    assert found["uncover.lime.by_lot"] == [0.1]


def test_pairs() -> None:
    def row(rate_both: float, alone: float, both: float, **more: Any) -> dict[str, Any]:
        usual = {"explainer": "lime", "pair": "a+b", "decoy": "a", "seed": 0, "rate_alone": 50.0, "every": None}
        return usual | {"adopted": True, "kept": True, "rate_both": rate_both, "alone": alone, "both": both} | more

    rows = [
        row(40.0, 1.0, 0.5), row(60.0, 1.0, 0.0, decoy="b", kept=False),
        row(-10.0, 1.0, 0.0, decoy="c", pair="a+c", adopted=False, kept=False),
        row(40.0, 0.5, 0.5, pair="a+c", every=0.25),
        row(40.0, 0.5, 0.25, explainer="random"), row(40.0, 0.0, 0.25, explainer="random", pair="a+c"),
    ]  # fmt: skip
    found = per_seed(only(pairs=rows), [0])
    assert found["pairs.lime.alone"] == [0.75] and found["pairs.lime.both"] == [0.5]
    assert found["pairs.lime.alone_over_random"] == [0.5] and found["pairs.lime.over_random"] == [0.25]
    assert found["pairs.lime.named_margin"] == pytest.approx([0.25 - 0.9 * 0.5])
    # Random scores can pass neither: both are nought for them.
    assert found["pairs.random.over_random"] == found["pairs.random.named_margin"] == [0.0]
    assert found["pairs.lime.every"] == [0.25] and "pairs.random.every" not in found
    assert found["pairs.adopted"] == [0.75] and found["pairs.kept"] == [0.5] and found["pairs.rate_both"] == [32.5]
    assert per_seed(only(), [0]) == {}


def test_decoy_by_decoy() -> None:
    other = repaired(seed=1, left=40.0, words=["plot"])
    rows = by_decoy(pd.DataFrame([repaired(), other, repaired(how="texts", **IMPOSSIBLE)]))
    assert [(row["how"], row["possible"], row["left"]) for row in rows] == [("words", 2, 30.0), ("texts", 0, None)]
    assert rows[0]["words"] == ["movie", "a"] and rows[0]["seeds"] == 2 and rows[1]["before"] is None
    late = by_decoy(pd.DataFrame([repaired(seed=1, words=["plot"]), repaired(seed=2, words=["a"])]))
    assert (late[0]["seed"], late[0]["words"]) == (1, ["plot"])


def test_pair_by_pair() -> None:
    usual = {"pair": "a+b", "decoy": "a", "adopted": True, "kept": True, "rate_alone": 80.0, "rate_both": 60.0}
    rows = [usual | {"explainer": explainer, "seed": 0} for explainer in ("lime", "random")]
    rows += [usual | {"explainer": "lime", "seed": 1, "kept": False, "rate_both": 20.0}]
    rows += [usual | {"explainer": "lime", "seed": 2, "adopted": False, "kept": False, "rate_both": -20.0}]
    expected = {"pair": "a+b", "decoy": "a", "seeds": 3, "adopted": 2, "kept": 1, "rate_alone": 80.0, "rate_both": 20.0}
    assert by_pair(pd.DataFrame(rows)) == [expected] and by_pair(pd.DataFrame()) == []
