"""Curves over a decoy's strength, by hand: orders kept apart, seeds in their order, no curve where a seed lacks one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_searches import searches

from trustnlp.studies.decoys.leaderboard.benchmark_models import ExplainedModel
from trustnlp.studies.decoys.strength import curves


def model(decoy: str, seed: int, standing: str = "adopted", rate: float = 0.5) -> ExplainedModel:
    return ExplainedModel(decoy, ("text",), "presence", seed, standing, rate, np.ones(3, dtype=np.bool_), [])


def row(decoy: str, seed: int, at: int | None, order: str = "random0", explainer: str = "lime") -> dict[str, Any]:
    own = {"decoy": decoy, "seed": seed, "found_at": at, "order": order, "explainer": explainer}
    return own | {"model": "presence", "chance_until": 8.0, "clean_until": 6.0}


SEARCHES = [
    row("share5", 0, 2), row("share5", 0, 4, "random1"), row("share5", 1, None),
    row("share5", 0, 1, "carriers0"), row("share5", 1, 3, "carriers0"),
    row("share50", 0, 1), row("share50", 1, 1),
    {**row("share5", 0, 2), "model": "convolution", "explainer": "gradient_x_input"},
]  # fmt: skip
MODELS = [model("share5", 0, rate=0.25), model("share5", 1), model("share50", 0), model("share50", 1)]


def test_values_by_hand() -> None:
    found = curves(searches(SEARCHES), MODELS, [0, 1])
    assert found["presence.share5.rate"] == [0.25, 0.5]
    assert found["presence.lime.random.share5.texts"] == [3, 11]
    assert found["presence.lime.random.share5.named"] == [1, 0]
    # The clean model on the same texts: 6 texts, where chance takes 8.
    assert found["presence.lime.random.share5.above_controls"] == [pytest.approx(0.3), pytest.approx(-0.5)]
    assert found["presence.lime.carriers.share5.texts"] == [1, 3]
    assert not {key for key in found if "carriers" in key} - {"presence.lime.carriers.share5.texts"}
    turned = curves(searches(SEARCHES), MODELS, [1, 0])
    assert turned["presence.lime.random.share5.texts"] == [11, 3] and turned["presence.share5.rate"] == [0.5, 0.25]


def test_a_share_that_one_seed_lacks_has_no_curve() -> None:
    rare = [model("share5", 0), model("share5", 1, "too rare in the texts shown"), *MODELS[2:]]
    assert not [key for key in curves(searches(SEARCHES), rare, [0, 1]) if "share5." in key]
    assert curves(searches(SEARCHES), [model("share5", 0, "not adopted")], [0]) == {}
