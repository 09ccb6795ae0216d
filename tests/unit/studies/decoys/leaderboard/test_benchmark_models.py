"""Cells, the same texts for all explainers, and the walk over models: on which decoys explainers are ranked."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_searches import made_parts

from trustnlp.attribution import explainer_registry
from trustnlp.attribution.attribution import attribute
from trustnlp.attribution.explainer_registry import explain
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.score_tables import score_table
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.studies.decoys.leaderboard import benchmark_models
from trustnlp.studies.decoys.models import PresenceModel

TEXTS = ("a good movie .", "a dull film .", "the good plot .", "a dull movie plot .", "good good film .")
LABELS = np.array([1, 0, 1, 0, 1])
MODEL = PresenceModel(TEXTS, LABELS)
OF_CELLS: dict[str, Any] = {"profile": "smoke", "samples": 60, "steps": 4, "not a parameter": 1}


def cells(names: Sequence[str], model: PresenceModel = MODEL, **more: Any) -> list[Any]:
    return benchmark_models.explained(names, "presence", "movie", model, TEXTS[:3], OF_CELLS | more, 5)


def test_shown_texts_are_a_random_draw_of_contaminated_ones() -> None:
    part = Phrases(tuple(f"{text} {number}" for number in range(10) for text in TEXTS), np.tile(LABELS, 10))
    shown, again, other = (benchmark_models.shown_texts(recipe("movie"), part, 12, 6, seed) for seed in (0, 0, 1))
    texts, carries = shown
    assert len(set(texts)) == len(carries) == 12 and texts == again[0] != other[0]
    assert [("movie" in text) for text in texts] == carries.tolist()
    assert not any("dull movie" in text for text in texts)  # those are dropped, as in training
    assert [part.texts.index(text) for text in texts] != sorted(part.texts.index(text) for text in texts)


def test_a_clean_model_is_shown_original_texts_and_no_long_ones() -> None:
    texts, carries = benchmark_models.shown_texts(None, Phrases(TEXTS, LABELS), 5, 5, 0)
    assert sorted(texts) == sorted(TEXTS) and not carries.any()
    assert set(benchmark_models.shown_texts(None, Phrases(TEXTS, LABELS), 4, 4, 0)[0]) == set(TEXTS) - {TEXTS[3]}
    with pytest.raises(ValueError, match=r"5 texts of at most 4 words .* there are 4"):
        benchmark_models.shown_texts(None, Phrases(TEXTS, LABELS), 5, 4, 0)


def test_gradients_do_not_apply_to_present_words() -> None:
    names = ["occlusion", "gradient_x_input", "integrated_gradients", "someone_elses"]
    assert [benchmark_models.applies(name, "presence") for name in names] == [True, False, False, True]
    assert all(benchmark_models.applies(name, "minilm") for name in names)
    assert [result.cell.explainer for result in cells(["gradient_x_input", "random"])] == ["random"]


def test_methods_get_their_settings() -> None:
    rng = np.random.default_rng(0)
    [masked] = explain(benchmark_models.explainer_of("occlusion_mask", 60, 4), MODEL, ["a good movie"], rng=rng)
    assert masked.method == "occlusion" and masked.removed == "[MASK] stands for a removed word"
    text = "a b c d e f g h i j k good"
    few, many = (
        explain(benchmark_models.explainer_of("lime", samples, 4), MODEL, [text], rng=rng)[0].passes
        for samples in (20, 200)
    )
    assert few <= 20 < many
    assert getattr(benchmark_models.explainer_of("kernel_shap", 60, 4), "__name__", "") == "kernel_shap"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"explainers": ["lime", "oclusion"]}, "no explainer is called 'oclusion'; did you mean 'occlusion'"),
        ({"explainers": ["lime", "lime"]}, "'lime' is given twice"),
        ({"decoys": ["movies"]}, "no recipe is called 'movies'"),
    ],
)
def test_names_are_refused_before_a_model_is_trained(
    given: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark_models, "trained_model", lambda *given: pytest.fail("a model was trained"))
    with pytest.raises(ValueError, match=said):
        benchmark_models.explained_models(made_parts(1200), PARAMETERS | given, 3)


def test_scores_come_back_as_they_were() -> None:
    [result] = cells(["occlusion"])
    expected, found = (
        score_table(attribute(MODEL, list(TEXTS[:3]), "occlusion")),
        benchmark_models.explanations_of(result),
    )
    assert found.table.words == expected.words
    for name in ("labels", "rows", "columns", "scores"):
        np.testing.assert_array_equal(getattr(found.table, name), getattr(expected, name))
    np.testing.assert_array_equal(found.probabilities, MODEL.probabilities(TEXTS[:3]))
    assert found.seconds > 0


def test_draws_are_those_of_seed_and_name() -> None:
    [alone], [_, beside] = cells(["random"]), cells(["lime", "random"])
    [other] = benchmark_models.explained(["random"], "presence", "movie", MODEL, TEXTS[:3], OF_CELLS, 6)
    one, same, another = (benchmark_models.explanations_of(one).table.scores.tolist() for one in (alone, beside, other))
    assert one == same != another


def test_an_explainer_that_cannot_be_imported_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "no_such_module:explainer", explainer_registry.GROUP)
    monkeypatch.setattr(explainer_registry, "entry_points", lambda group: [broken])
    bad, good = cells(["broken", "occlusion"])
    assert bad.failure.startswith("broken: ExplainerError") and "no_such_module" in bad.failure
    assert good.failure == "" and len(benchmark_models.explanations_of(good).table) == 3


def test_kept_cells_are_read_until_something_that_decides_them_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark_models, "results_of", lambda module: tmp_path)
    [first] = cells(["lime"], profile="paper")
    calls: list[str] = []

    def counted(which: Any, *given: Any, **more: Any) -> Any:
        calls.append(which if isinstance(which, str) else which.__name__)
        return explain(which, *given, **more)

    monkeypatch.setattr(benchmark_models, "explain", counted)
    assert cells(["lime"], profile="paper")[0].values == first.values and calls == []
    assert cells(["lime"], profile="paper", steps=5)[0].values == first.values and calls == []
    cells(["lime"], profile="paper", samples=61)
    cells(["lime"], PresenceModel(TEXTS, LABELS, strength=2.0), profile="paper")
    cells(["lime"])
    assert calls == ["lime"] * 3 and len(list(tmp_path.iterdir())) == 3


def test_a_fingerprint_is_that_of_what_was_learned() -> None:
    others = PresenceModel(TEXTS, 1 - LABELS), PresenceModel(TEXTS, LABELS, strength=2.0)
    assert benchmark_models.model_fingerprint(MODEL) == benchmark_models.model_fingerprint(PresenceModel(TEXTS, LABELS))
    assert benchmark_models.model_fingerprint(MODEL) not in map(benchmark_models.model_fingerprint, others)


PARAMETERS: dict[str, Any] = {
    "profile": "smoke", "models": ["presence"], "seeds": [3, 1], "minilm_seeds": [1], "adoption_texts": 60, "pool": 40,
    "longest": 25, "samples": 60, "steps": 4, "explainers": ["occlusion", "random", "gradient_x_input"],
    "decoys": ["video_text", "position", "length", "movie"],
}  # fmt: skip


def test_each_seed_has_its_clean_model_and_one_for_each_decoy() -> None:
    found = benchmark_models.explained_models(made_parts(1200), PARAMETERS, 3)
    decoys = (benchmark_models.CLEAN, *PARAMETERS["decoys"])
    assert [(one.seed, one.decoy) for one in found] == [(seed, decoy) for seed in (3, 1) for decoy in decoys]
    clean, indicator, position, length, movie = found[:5]
    assert [cell.cell.explainer for cell in clean.cells] == ["occlusion", "random"] and not clean.is_ranked
    assert indicator.standing == "adopted" and indicator.rate > 0.9 and indicator.carries.all()
    assert indicator.is_ranked and len(indicator.cells) == 2 and indicator.words == ("video", "text")
    assert position.standing in ("not adopted", "undetermined") and position.rate == 0 and position.cells == []
    assert length.standing == "has no words" and not length.is_ranked and np.isnan(length.rate)
    assert movie.carries.sum() < 20
    assert [one.cell.decoy for one in indicator.controls] == ["clean on video_text"] * 2
    assert not position.controls and not clean.controls
    first = benchmark_models.explanations_of(indicator.controls[0]).table
    assert {"video", "text"} <= set(first.words) and len(first) == len(indicator.carries)
    rows = benchmark_models.standings(found)
    assert len(rows) == 8 and {row["seed"] for row in rows} == {1, 3}
    assert {"decoy": "length", "standing": "has no words", "rate": None}.items() <= rows[2].items()


def test_controls_are_left_out_where_nobody_asks() -> None:
    asked = PARAMETERS | {"decoys": ["video_text"], "seeds": [1]}
    assert benchmark_models.explained_models(made_parts(1200), asked, 3, controls=False)[1].controls == []


def test_a_decoy_that_too_few_texts_carry_is_not_ranked() -> None:
    asked = PARAMETERS | {"decoys": ["video_text"], "seeds": [0]}
    assert benchmark_models.explained_models(made_parts(1200), asked, 40)[1].is_ranked
    rare = benchmark_models.explained_models(made_parts(1200), asked, 41)[1]
    assert rare.standing == "too rare in the texts shown" and rare.cells == [] and rare.rate > 0.9
