"""The walk on made-up reviews: planted truth is found and repaired, pairs need their parts, MiniLM gets its own."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.debugging import debugged_models as walk
from trustnlp.studies.decoys.debugging.debugging_numbers import Debugged, debugged, parameters_of
from trustnlp.studies.decoys.debugging.debugging_numbers import per_seed
from trustnlp.studies.decoys.debugging.comparisons import both, pair_rows, shared_texts
from trustnlp.studies.decoys.leaderboard.benchmark_models import explained_models
from trustnlp.studies.decoys.leaderboard.benchmark_models import explained
from trustnlp.studies.decoys.method import REASONS
from trustnlp.studies.decoys.models import trained_model
from trustnlp.studies.moxie.standins import planted_reviews

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
    assert values["repair.known.words.left"][0] < 10 and values["repair.random.words.left"][0] > 10
    assert values["pairs.occlusion.alone"] == [1.0] and values["pairs.adopted"] == [1.0]
    assert values["pairs.occlusion.over_random"][0] >= 0 and values["repair.occlusion.words.most_left"][0] < 10
    assert values["uncover.occlusion.over_random"][0] > 0


def test_a_pair_has_a_row_for_each_part_and_explainer() -> None:
    rows = walked().pairs
    assert rows[["pair", "explainer", "decoy"]].to_numpy().tolist() == [
        ["video_text+punctuation", name, decoy] for name in ("occlusion", "random")
        for decoy in ("video_text", "punctuation")
    ]  # fmt: skip
    own = rows[rows["explainer"] == "occlusion"]
    assert own["every"].nunique() == 1 and own["every"].iloc[0] <= own["both"].min()
    assert (own["rate_alone"] > 80).all() and (own["rate_both"] <= 100).all()


def of_pair(pair: str, **more: Any) -> list[dict[str, Any]]:
    clean = trained_model("presence", parts().train, parts().dev, PARAMETERS, 1)
    own = PARAMETERS | {"explainers": ["occlusion"]} | more
    return pair_rows(pair, "presence", 1, clean, parts(), INSPECTOR, own)


def test_every_part_must_be_named_in_one_search() -> None:
    rows = {row["decoy"]: row for row in of_pair("video_text_tenth+punctuation", draws=20, budget=30)}
    # All texts have the punctuation, and a tenth an indicator word.
    assert rows["punctuation"]["both"] == 1.0 and rows["video_text_tenth"]["both"] < 1.0
    assert rows["punctuation"]["every"] == rows["video_text_tenth"]["every"] == rows["video_text_tenth"]["both"]


def test_random_scores_are_drawn_anew_for_each_order() -> None:
    # All texts are read in each order, so that one draw would name a decoy in all of them or in none.
    given = {"explainers": ["occlusion", "random"], "draws": 20, "pool": 60, "budget": 60}
    shares = {(row["explainer"], row["decoy"]): row for row in of_pair("video_text_tenth+punctuation", **given)}
    by_chance = shares["random", "video_text_tenth"]
    assert 0 < by_chance["alone"] < 1 or 0 < by_chance["both"] < 1
    assert {row["alone"] for (name, _), row in shares.items() if name == "occlusion"} <= {0.0, 1.0}


def test_a_part_in_too_few_texts_is_not_kept_and_both_are_not_counted() -> None:
    rows = {row["decoy"]: row for row in of_pair("video_text_tenth+punctuation", pool=12, budget=10)}
    assert rows["video_text_tenth"]["adopted"] and not rows["video_text_tenth"]["kept"]
    assert rows["punctuation"]["kept"] and rows["punctuation"]["every"] is None


def test_a_part_that_is_alone_not_adopted_has_no_pair() -> None:
    assert of_pair("video_text+position") == []
    assert "video_text+position" not in set(walked().pairs["pair"])


@pytest.mark.parametrize("pair", ["movie+rare_name", "video_text_tenth+movie", "punctuation+rare_name"])
def test_alone_and_both_are_shown_on_the_same_sentences(pair: str) -> None:
    decoys = both(pair).parts
    one, other, together = shared_texts(decoys, parts().test, 100, 25, 1)
    inserted = {word for decoy in decoys for word in decoy.words} - {"movie"}

    def bare(text: str) -> list[str]:
        return [word for word in text.split() if word not in inserted | {"."}]

    assert len(together) == 100
    for first, second, last in zip(one, other, together, strict=True):
        assert bare(first) == bare(second) == bare(last) and len(last.split()) <= 25
    # A part is in the same sentences alone and beside the other.
    for part, texts in zip(decoys, (one, other), strict=True):
        words = set(part.words)
        where = [not words.isdisjoint(text.split()) for text in texts]
        assert any(where) and where == [not words.isdisjoint(text.split()) for text in together]
    assert shared_texts(decoys, parts().test, 100, 25, 2) != [one, other, together]


def test_sentences_that_a_part_drops_are_dropped_for_all() -> None:
    decoys = both("video_text_tenth+movie").parts
    arms = shared_texts(decoys, parts().test, 140, 30, 1)
    label = dict(zip(parts().test.texts, parts().test.labels.tolist(), strict=True))
    assert any("movie" in text for text in arms[1])
    assert all(label[text] == 1 for text in arms[1] if "movie" in text)


def test_too_few_shared_sentences() -> None:
    with pytest.raises(ValueError, match="9999 texts of at most 25 words are to be explained with movie and rare_name"):
        shared_texts(both("movie+rare_name").parts, parts().test, 9999, 25, 1)


def test_pairs_that_are_none() -> None:
    with pytest.raises(ValueError, match=r"a pair of recipes such as 'movie\+rare_name', got 'movie'"):
        both("movie")
    with pytest.raises(ValueError, match="no recipe is called 'movies'"):
        both("movies+film")
    with pytest.raises(ValueError, match="share the word 'text'"):
        both("video_text+video_text_tenth")
    with pytest.raises(ValueError, match=r"'movie\+length' has the decoy 'length', which has no words"):
        both("movie+length")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"pairs": ["video_text+movie"]}, r"'video_text\+movie' needs the decoy 'movie' alone as well"),
        ({"pairs": ["video_text+length"], "decoys": ["video_text", "length"]}, "'length', which has no words"),
        ({"pairs": ["video_text+punctuation"] * 2}, r"'video_text\+punctuation' is given twice"),
        ({"pairs": ["video_text+position", "position+video_text"]}, r"'position\+video_text' is given twice"),
        ({"most": 0}, "expected one or more words to drop, got most=0"),
        ({"chance_draws": 0}, "expected one or more permutations of scores, got chance_draws=0"),
    ],
)
def test_bad_input_is_refused_before_a_model_is_trained(
    given: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "explained_models", lambda *given: pytest.fail("models were trained"))
    with pytest.raises(ValueError, match=said):
        debugged("presence", parts(), INSPECTOR, PARAMETERS | given)


def test_minilm_gets_its_own_decoys_and_explainers() -> None:
    own = parameters_of("minilm", PARAMETERS)
    assert own["decoys"] == ["video_text", "punctuation"] and own["explainers"] == ["integrated_gradients", "random"]
    assert own["pairs"] == ["video_text+punctuation"] and own["models"] == ["minilm"]
    assert parameters_of("presence", PARAMETERS)["pairs"] == PARAMETERS["pairs"]
    assert parameters_of("presence", PARAMETERS)["explainers"] == ["occlusion", "random"]


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


def test_random_scores_of_two_models_that_are_compared_are_drawn_apart() -> None:
    # With the same draws for both models they would be one half each time, whatever the rule.
    few = PARAMETERS | {"decoys": ["video_text"], "pairs": [], "seeds": [0, 1, 2, 3, 4, 5], "explainers": ["random"]}
    rows = debugged("presence", parts(), INSPECTOR, few).compared
    told = rows[rows["explainer"] == "random"]["success"]
    assert set(told) >= {0.0, 1.0} and 0.1 < told.mean() < 0.9


def test_the_models_are_those_of_the_leaderboard() -> None:
    again = explained_models(parts(), PARAMETERS, INSPECTOR.threshold)
    assert [(one.decoy, one.standing) for one in again] == [(one.decoy, one.standing) for one in walked().models]
    for one, other in zip(again, walked().models, strict=True):
        assert [cell.cell for cell in one.cells] == [cell.cell for cell in other.cells]
