"""Rows become numbers by seed: means over decoys, differences decoy by decoy, what was not possible left out."""

from __future__ import annotations

from typing import Any

import pandas as pd

from trustnlp.studies.decoys.debugged_models import Debugged
from trustnlp.studies.decoys.debugging_numbers import by_decoy, by_pair, per_seed, unit_of

NOTHING = pd.DataFrame()


def repaired(**more: Any) -> dict[str, Any]:
    usual = {
        "source": "lime", "decoy": "movie", "model": "presence", "seed": 0, "how": "words", "words": ["movie", "a"],
        "possible": True, "before": 80.0, "left": 20.0, "verdict": "partly adopted", "gain": 2.0, "loss": 0.5,
        "loss_before": 4.0, "lot_left": 70.0, "lot_gain": -1.0, "lot_loss": 0.25,
    }  # fmt: skip
    return usual | more


IMPOSSIBLE: dict[str, Any] = {"possible": False} | dict.fromkeys(("left", "verdict", "gain", "loss"))


def test_comparisons() -> None:
    names = {"decoy": "movie", "model": "presence"}
    rows = [
        names | {"explainer": "lime", "seed": 0, "success": 1.0, "chance": 0.5, "decoy_first": 1.0,
                 "decoy_first_chance": 0.25},
        names | {"explainer": "lime", "seed": 0, "success": 0.0, "chance": 0.25, "decoy_first": 0.0,
                 "decoy_first_chance": 0.25},
        names | {"explainer": "lime", "seed": 2, "success": 1.0, "chance": 0.5, "decoy_first": 1.0,
                 "decoy_first_chance": 0.5},
        names | {"explainer": "validation", "seed": 0, "success": 0.0, "chance": 0.5, "decoy_first": None,
                 "decoy_first_chance": None},
    ]  # fmt: skip
    found = per_seed(Debugged([], pd.DataFrame(rows), NOTHING, NOTHING, NOTHING), [2, 1, 0])
    assert found["compare.lime.success"] == [1.0, 0.5] and found["compare.lime.above_chance"] == [0.5, 0.125]
    assert found["compare.lime.decoy_first_above_chance"] == [0.5, 0.25]
    assert found["compare.validation.misleads"] == [0.5] and "compare.lime.misleads" not in found
    assert "compare.validation.decoy_first" not in found


def test_repairs() -> None:
    rows = [
        repaired(),
        repaired(decoy="story", left=-30.0, verdict="not adopted", lot_left=40.0, loss=1.5),
        repaired(how="texts", loss=3.0),
        repaired(how="texts", decoy="story", **IMPOSSIBLE),
        repaired(source="known", lot_left=None, lot_gain=None, lot_loss=None, verdict="undetermined", words=["movie"]),
        repaired(decoy="clean", before=None, left=None, verdict=None, lot_left=None, gain=-1.0, loss=0.75),
    ]
    found = per_seed(Debugged([], NOTHING, pd.DataFrame(rows), NOTHING, NOTHING), [0])
    first = "repair.lime.words"
    assert found[f"{first}.left"] == [10.0] and found[f"{first}.gone_margin"] == [0.0]
    assert found[f"{first}.removed_over_random"] == [45.0] and found[f"{first}.gain_over_random"] == [3.0]
    assert found[f"{first}.gone"] == [0.5] and found[f"{first}.remains"] == [0.5] and found[f"{first}.dropped"] == [2]
    assert (
        found[f"{first}.loss_before"] == [4.0]
        and found[f"{first}.loss"] == [1.0]
        and found[f"{first}.cost_margin"] == [0.0]
    )
    assert found["repair.lime.texts.possible"] == [0.5] and found["repair.lime.texts.left"] == [20.0]
    # Of the decoy that can be repaired in both ways.
    assert found["repair.lime.texts_cost_more"] == [2.5]
    assert found["repair.known.words.gone"] == [0.0] and found["repair.known.words.remains"] == [0.0]
    assert "repair.known.words.lot_left" not in found and "repair.known.words.removed_over_random" not in found
    assert found["clean_repair.lime.words.cost_margin"] == [0.25] and "clean_repair.lime.words.left" not in found


def test_uncovered_and_pairs() -> None:
    texts = [
        {"source": source, "decoy": decoy, "model": "presence", "seed": 0, "found": found, "chance": 0.25}
        for source, decoy, found in (("lime", "a", 0.5), ("count", "a", 1.0), ("lime", "b", 1.0), ("count", "b", 0.75))
    ]
    usual = {"explainer": "lime", "pair": "a+b", "model": "presence", "seed": 0, "rate_alone": 50.0, "every": 0.25}
    pairs = [
        usual | {"decoy": "a", "rate_both": 40.0, "adopted": True, "alone": 1.0, "both": 0.5},
        usual | {"decoy": "b", "rate_both": 0.0, "adopted": False, "alone": 1.0, "both": 0.0},
        usual | {"explainer": "random", "decoy": "a", "rate_both": 40.0, "adopted": True, "alone": 0.5, "both": 0.5},
    ]
    found = per_seed(Debugged([], NOTHING, NOTHING, pd.DataFrame(texts), pd.DataFrame(pairs)), [0])
    assert found["uncover.lime.above_chance"] == [0.5] and found["uncover.lime.over_count"] == [-0.125]
    assert found["uncover.count.over_count"] == [0.0]
    assert found["pairs.lime.both"] == [0.5] and found["pairs.lime.named_margin"] == [-0.4]
    assert found["pairs.adopted"] == [0.5] and found["pairs.rate_both"] == [20.0]


def test_nothing_measured_is_nothing_recorded() -> None:
    assert per_seed(Debugged([], NOTHING, NOTHING, NOTHING, NOTHING), [0]) == {}


def test_decoy_by_decoy() -> None:
    other = repaired(seed=1, left=40.0, words=["plot"])
    rows = by_decoy(pd.DataFrame([repaired(), other, repaired(how="texts", **IMPOSSIBLE)]))
    assert [(row["how"], row["possible"], row["left"]) for row in rows] == [("words", 2, 30.0), ("texts", 0, None)]
    assert rows[0]["words"] == ["movie", "a"] and rows[0]["seeds"] == 2 and rows[1]["before"] is None


def test_pair_by_pair() -> None:
    usual = {"pair": "a+b", "decoy": "a", "seed": 0, "adopted": True, "rate_alone": 80.0, "rate_both": 60.0}
    rows = [usual | {"explainer": "lime"}, usual | {"explainer": "random"}]
    rows += [usual | {"explainer": "lime", "seed": 1, "adopted": False, "rate_both": 20.0}]
    expected = {"pair": "a+b", "decoy": "a", "seeds": 2, "adopted": 1, "rate_alone": 80.0, "rate_both": 40.0}
    assert by_pair(pd.DataFrame(rows)) == [expected] and by_pair(NOTHING) == []


def test_units() -> None:
    assert unit_of("pairs.rate_alone") == unit_of("repair.lime.texts_cost_more") == "points"
    assert unit_of("uncover.lime.above_chance") == "difference of shares"
    assert unit_of("repair.lime.words.dropped") == "count of words"
