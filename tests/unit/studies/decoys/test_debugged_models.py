"""The walk on made-up reviews: planted truth is found and repaired, pairs need their parts, MiniLM gets its own."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from trustnlp.explain.decoys.simulated_inspector import Inspector
from trustnlp.studies.decoys import debugged_models as walk
from trustnlp.studies.decoys.benchmark_models import explained_models
from trustnlp.studies.decoys.buggy_models import trained_model
from trustnlp.studies.decoys.debugged_models import Debugged, debugged, parameters_of
from trustnlp.studies.decoys.debugging_numbers import per_seed
from trustnlp.studies.decoys.decoy_pairs import both, pair_rows
from trustnlp.studies.decoys.explained_cells import explained
from trustnlp.studies.decoys.read_explanations import REASONS
from trustnlp.studies.decoys.review_splits import ReviewParts
from trustnlp.studies.moxie.review_standins import planted_reviews

PARAMETERS: dict[str, Any] = {
    "profile": "smoke", "models": ["presence"], "seeds": [1], "minilm_seeds": [1], "adoption_texts": 100, "pool": 60,
    "longest": 25, "samples": 60, "steps": 4, "explainers": ["occlusion", "random"], "budget": 50, "draws": 3,
    "chance_draws": 5, "most": 3, "decoys": ["video_text", "position", "punctuation"],
    "pairs": ["video_text+punctuation", "video_text+position"], "minilm_decoys": ["video_text", "punctuation"],
    "minilm_explainers": ["integrated_gradients"],
}  # fmt: skip
INSPECTOR = Inspector(reasons=REASONS)


@cache
def parts() -> ReviewParts:
    made = planted_reviews(1500, np.random.default_rng(0)).sst2
    return ReviewParts(made.train, made.dev, made.test)


@cache
def walked() -> Debugged:
    return debugged("presence", parts(), INSPECTOR, PARAMETERS)


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
    assert values["repair.known.words.left"][0] < 10 and values["repair.occlusion.words.lot_left"][0] > 50
    assert values["pairs.occlusion.alone"] == [1.0] and values["pairs.adopted"] == [1.0]


def test_a_pair_has_a_row_for_each_part_and_explainer() -> None:
    rows = walked().pairs
    assert rows[["pair", "decoy", "explainer"]].to_numpy().tolist() == [
        ["video_text+punctuation", decoy, name] for decoy in ("video_text", "punctuation")
        for name in ("occlusion", "random")
    ]  # fmt: skip
    own = rows[rows["explainer"] == "occlusion"]
    assert own["every"].nunique() == 1 and own["every"].iloc[0] <= own["both"].min()
    assert (own["rate_alone"] > 80).all() and (own["rate_both"] <= 100).all()


def test_every_part_must_be_named_in_one_search() -> None:
    few = PARAMETERS | {"decoys": ["video_text_tenth", "punctuation"], "explainers": ["occlusion"], "draws": 20}
    models = {one.decoy: one for one in explained_models(parts(), few, INSPECTOR.threshold)}
    clean = trained_model("presence", parts().train, parts().dev, few, 1)
    found = pair_rows("video_text_tenth+punctuation", models, clean, parts(), INSPECTOR, few | {"budget": 30})
    rows = {row["decoy"]: row for row in found}
    # All texts have the punctuation, and a tenth an indicator word.
    assert rows["punctuation"]["both"] == 1.0 and rows["video_text_tenth"]["both"] < 1.0
    assert rows["punctuation"]["every"] == rows["video_text_tenth"]["every"] == rows["video_text_tenth"]["both"]


def test_a_part_that_is_alone_not_adopted_has_no_pair() -> None:
    models = {one.decoy: one for one in walked().models}
    clean = trained_model("presence", parts().train, parts().dev, PARAMETERS, 1)
    assert pair_rows("video_text+position", models, clean, parts(), INSPECTOR, PARAMETERS) == []
    assert pair_rows("video_text+movie", models, clean, parts(), INSPECTOR, PARAMETERS) == []


def test_pairs_that_are_none() -> None:
    with pytest.raises(ValueError, match=r"a pair of recipes such as 'movie\+rare_name', got 'movie'"):
        both("movie")
    with pytest.raises(ValueError, match="no recipe is called 'movies'"):
        both("movies+film")
    with pytest.raises(ValueError, match="share the word 'text'"):
        both("video_text+video_text_tenth")


def test_a_pair_is_refused_before_a_model_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "explained_models", lambda *given: pytest.fail("models were trained"))
    with pytest.raises(ValueError, match=r"'video_text\+movie' needs the decoy 'movie' alone as well"):
        debugged("presence", parts(), INSPECTOR, PARAMETERS | {"pairs": ["video_text+movie"]})


def test_minilm_gets_its_own_decoys_and_explainers() -> None:
    own = parameters_of("minilm", PARAMETERS)
    assert own["decoys"] == ["video_text", "punctuation"] and own["explainers"] == ["integrated_gradients"]
    assert own["pairs"] == ["video_text+punctuation"] and own["models"] == ["minilm"]
    assert parameters_of("presence", PARAMETERS)["pairs"] == PARAMETERS["pairs"]


def test_the_clean_control_is_explained_on_the_contaminated_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, Any]] = []
    genuine = explained

    def noted(explainers: Any, kind: Any, decoy: str, model: Any, texts: Any, *rest: Any) -> Any:
        asked.append((decoy, texts))
        return genuine(explainers, kind, decoy, model, texts, *rest)

    monkeypatch.setattr(walk, "explained", noted)
    debugged("presence", parts(), INSPECTOR, PARAMETERS | {"decoys": ["video_text"], "pairs": []})
    [(name, texts)] = asked
    assert name == "clean, video_text" and all({"video", "text"} & set(text.split()) for text in texts)


def test_the_models_are_those_of_the_leaderboard() -> None:
    again = explained_models(parts(), PARAMETERS, INSPECTOR.threshold)
    assert [(one.decoy, one.standing) for one in again] == [(one.decoy, one.standing) for one in walked().models]
    for one, other in zip(again, walked().models, strict=True):
        assert [cell.cell for cell in one.cells] == [cell.cell for cell in other.cells]
