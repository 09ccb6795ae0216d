"""Checks of printed scores find what was planted, and nothing in scores that can stand together."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from trustnlp.embeddings.senses.disambiguation import choose_senses
from trustnlp.privacy.text.sense_substitution import NearestSense
from trustnlp.studies.sense_privatization import checks


def test_every_average_of_trials_lies_on_the_grid_however_it_is_printed() -> None:
    for right, trials in itertools.product(range(0, 61, 7), (1, 3)):
        exact = right / (20 * trials) if right <= 20 * trials else 1.0
        for printed in (round(exact, 4), int(exact * 10_000) / 10_000):
            assert checks.grid_distance(printed, 20, trials=trials) == 0
    # Between 6/20 and 7/20, at best 1/60 from the grid.
    assert checks.grid_distance(0.325, 20) == pytest.approx(0.025 - 0.0001, abs=2e-5)
    assert checks.grid_distance(0.3417, 20, trials=3) > 0.007


def planted() -> dict:
    scores = {arm: [0.1 * place, 0.2, 0.3 + 0.05 * place] for place, arm in enumerate(checks.ARMS)}
    means = {arm: round(sum(values) / 3, 4) for arm, values in scores.items()}
    return {
        "wic": {"none": 0.8, "word": 0.5, "sense": 0.6, "gain_percent": 12.5, "validation": 20, "trials": 1},
        "table2": {"tasks": ["CoLA", "MRPC", "RTE"], **scores, "average": means},
    }


def by_key(tables: dict) -> dict[str, float]:
    return {key.removeprefix("printed."): value for key, value in checks.checks_of(tables)}


def test_the_checks_of_planted_tables() -> None:
    found = by_key(planted())
    assert found["wic.points"] == pytest.approx(10)
    assert found["wic.relative"] == pytest.approx(12.5)
    assert found["wic.gap_closed"] == pytest.approx(100 / 3)
    assert found["wic.granularity"] == found["table2.least_gain_50"] == 0
    assert found["wic.standard_errors"] == pytest.approx(0.1 / ((0.25 + 0.24) / 20) ** 0.5)
    assert 0 < found["table2.average_margin"] <= 0.0001
    wrong = planted()
    wrong["table2"]["average"]["word_50"] += 0.001
    assert by_key(wrong)["table2.average_margin"] < 0


def test_both_tasks_have_to_leave_the_grid() -> None:
    def granularity(mrpc: list[float], rte: list[float]) -> float:
        tables = planted()
        tables["table2"] |= {arm: [0.0, *scores] for arm, *scores in zip(checks.ARMS, mrpc, rte, strict=True)}
        return by_key(tables)["table2.granularity"]

    on = [round(place / 408, 4) for place in (200, 250, 300, 310, 320)], [round(p / 831, 4) for p in range(500, 505)]
    off = [*on[0][:4], 0.8329], [*on[1][:4], 0.6927]
    assert granularity(*on) == granularity(off[0], on[1]) == granularity(on[0], off[1]) == 0
    assert granularity(*off) == pytest.approx(0.000333, abs=1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 20.0])
def test_what_is_reached_is_what_the_moved_senses_allow(epsilon: float) -> None:
    """Both senses of bank are hit from outside, so the neighbour's loss is exactly ε times their distance."""
    vectors, inventory = checks.line_of_words()
    promised, reached = checks.broken_guarantee(epsilon)
    assert promised == pytest.approx(epsilon * checks.APART)
    before, after = (choose_senses(inventory, vectors, [word, "bank"]) for word in ("left", "right"))
    assert before.tolist() == [0, 2] and after.tolist() == [1, 3]
    moved = np.linalg.norm(inventory.matrix[before] - inventory.matrix[after], axis=1)
    bound = NearestSense(inventory, epsilon).guarantee.loss_bound(float(moved.sum()))
    assert 2 * epsilon <= reached <= bound * (1 + 1e-6) and reached > 1000 * promised


@pytest.mark.parametrize("sense", [0, 2, 3])
def test_the_chances_are_those_of_the_mechanism(sense: int) -> None:
    _, inventory = checks.line_of_words()
    chances = checks.released_words(inventory, sense, 1.0)
    assert chances.sum() == pytest.approx(1)
    mechanism = NearestSense(inventory, 1.0)
    drawn = mechanism(torch.full((40_000,), sense), generator=torch.Generator().manual_seed(sense))
    share = np.bincount(mechanism.words_of(drawn).numpy(), minlength=5) / 40_000
    assert (np.abs(share - chances) < 5 * np.sqrt(chances * (1 - chances) / 40_000)).all()
