"""The walk over models: which decoys explainers are ranked on, and why not on others."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.leaderboard import benchmark_models
from trustnlp.studies.decoys.leaderboard.benchmark_models import explained_models, seeds_of, standing_table, standings
from trustnlp.studies.decoys.leaderboard.benchmark_models import CLEAN, explanations_of
from trustnlp.studies.moxie.standins import planted_reviews

PARAMETERS: dict[str, Any] = {
    "profile": "smoke", "models": ["presence"], "seeds": [3, 1], "minilm_seeds": [1], "adoption_texts": 60, "pool": 40,
    "longest": 25, "samples": 60, "steps": 4, "explainers": ["occlusion", "random", "gradient_x_input"],
    "decoys": ["video_text", "position", "length", "movie"],
}  # fmt: skip


@cache
def parts() -> ReviewParts:
    made = planted_reviews(1200, np.random.default_rng(0)).sst2
    return ReviewParts(made.train, made.dev, made.test)


def test_each_seed_has_its_clean_model_and_one_for_each_decoy() -> None:
    found = explained_models(parts(), PARAMETERS, 3)
    assert [(one.seed, one.decoy) for one in found] == [
        (seed, decoy) for seed in (3, 1) for decoy in (CLEAN, *PARAMETERS["decoys"])
    ]
    clean, indicator, position, length, movie = found[:5]
    assert [cell.cell.explainer for cell in clean.cells] == ["occlusion", "random"] and not clean.is_ranked
    assert indicator.standing == "adopted" and indicator.rate > 0.9 and indicator.carries.all()
    assert indicator.is_ranked and len(indicator.cells) == 2 and indicator.words == ("video", "text")
    assert position.standing in ("not adopted", "undetermined") and position.rate == 0 and position.cells == []
    assert length.standing == "has no words" and not length.is_ranked and np.isnan(length.rate)
    assert movie.carries.sum() < 20
    assert [one.cell.decoy for one in indicator.controls] == ["clean on video_text"] * 2
    assert not position.controls and not clean.controls
    first = explanations_of(indicator.controls[0]).table
    assert {"video", "text"} <= set(first.words) and len(first) == len(indicator.carries)


def test_controls_are_left_out_where_nobody_asks() -> None:
    asked = PARAMETERS | {"decoys": ["video_text"], "seeds": [1]}
    assert explained_models(parts(), asked, 3, controls=False)[1].controls == []


def test_a_decoy_that_too_few_texts_carry_is_not_ranked() -> None:
    asked = PARAMETERS | {"decoys": ["video_text"], "seeds": [0]}
    assert explained_models(parts(), asked, 40)[1].is_ranked
    rare = explained_models(parts(), asked, 41)[1]
    assert rare.standing == "too rare in the texts shown" and rare.cells == [] and rare.rate > 0.9


def test_names_are_refused_before_a_model_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark_models, "trained_model", lambda *given: pytest.fail("a model was trained"))
    with pytest.raises(ValueError, match="no explainer is called 'limes'"):
        explained_models(parts(), PARAMETERS | {"explainers": ["limes"]}, 3)
    with pytest.raises(ValueError, match="no recipe is called 'movies'"):
        explained_models(parts(), PARAMETERS | {"decoys": ["movies"]}, 3)


def test_seeds_of_kinds() -> None:
    assert seeds_of("presence", PARAMETERS) == [3, 1] and seeds_of("minilm", PARAMETERS) == [1]


def test_the_table_of_standings() -> None:
    rows = standings(explained_models(parts(), PARAMETERS, 3))
    assert len(rows) == 8 and {row["seed"] for row in rows} == {1, 3}
    assert {"decoy": "length", "standing": "has no words", "rate": None}.items() <= rows[2].items()
    table = standing_table(rows)
    assert list(table.index) == [(decoy, "presence") for decoy in PARAMETERS["decoys"]]
    assert table.loc[("video_text", "presence"), "seeds"] == "2 × adopted"
    assert table.loc[("video_text", "presence"), "texts that carry it, mean"] == 40
    rates = [row["rate"] for row in rows if row["decoy"] == "movie"]
    assert table.loc[("movie", "presence"), "rate of adoption, mean"] == pytest.approx(np.mean(rates), abs=0.005)
