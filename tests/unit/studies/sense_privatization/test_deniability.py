"""N_w, S_w, their crossings and stretches, on mechanisms whose probabilities are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from trustnlp.studies.sense_privatization import deniability

EPSILONS = [1.0, 10.0, 100.0]


def coin(epsilon: float):
    """Keeps a word with probability ε / (ε + 10), else one of the next three words."""
    generator = torch.Generator().manual_seed(int(epsilon))

    def draw(rows: torch.Tensor) -> torch.Tensor:
        kept = torch.rand(len(rows), generator=generator) < epsilon / (epsilon + 10)
        return torch.where(kept, rows, rows + torch.randint(1, 4, rows.shape, generator=generator))

    return draw


def test_shares_and_distinct_substitutes_are_counted() -> None:
    rows = np.arange(0, 50, 5)
    found = deniability.curves(coin, rows, rows, EPSILONS, 4000)
    assert found.kept.shape == found.support.shape == (3, 10)
    expected = np.array([1 / 11, 0.5, 10 / 11])[:, None]
    assert np.abs(found.kept - expected).max() < 5 * math.sqrt(0.25 / 4000)
    assert (found.support == 4 / 4000).all()
    constant = deniability.curves(lambda epsilon: torch.zeros_like, rows, rows, [1.0], 7)
    assert constant.kept[0].tolist() == [1.0] + [0.0] * 9 and (constant.support == 1 / 7).all()
    different = deniability.curves(lambda epsilon: lambda rows: torch.arange(len(rows)), rows, rows, [1.0], 7)
    assert (different.support == 1).all()


def test_a_budget_that_does_not_rise_is_refused() -> None:
    with pytest.raises(ValueError, match="has to ascend"):
        deniability.curves(coin, np.arange(10), np.arange(10), [2.0, 1.0], 1)


def test_the_crossing_is_the_last_one_and_linear_in_the_logarithm() -> None:
    grid = np.array(EPSILONS)
    assert deniability.crossing(grid, np.array([0.0, 0.25, 0.75]), falls=False) == pytest.approx(10**1.5)
    assert deniability.crossing(grid, np.array([0.6, 0.4, 0.6]), falls=False) == pytest.approx(10**1.5)
    assert deniability.crossing(grid, np.array([0.2, 0.9, 0.1]), falls=True) == pytest.approx(10**1.5)
    assert math.isnan(deniability.crossing(grid, np.array([0.6, 0.7, 0.8]), falls=False))
    assert math.isnan(deniability.crossing(grid, np.array([0.1, 0.2, 0.3]), falls=False))
    found = deniability.Curves(grid, np.array([[0.0, 0.0], [0.2, 0.4], [0.8, 0.6]]), np.ones((3, 2)))
    assert deniability.calibrated(found, 1.0) == pytest.approx(10 * 10 ** (0.1 / 0.4))


def logistic(centre: float) -> deniability.Curves:
    """Curves that cross one half at ε = `centre`, each of 40 words' a little apart from the others'."""
    grid = np.geomspace(1, 1000, 40)
    shift = np.linspace(-0.3, 0.3, 40)
    kept = 1 / (1 + np.exp(-4 * (np.log10(grid)[:, None] - np.log10(centre) - shift)))
    return deniability.Curves(grid, kept, 1 - kept)


def test_a_planted_stretch_is_found_and_put_down_to_its_cause() -> None:
    chosen = deniability.resampled(40, 200, np.random.default_rng(0))
    for single, of_candidates in ((20, 0.5), (60, -0.5)):
        found = deniability.stretches(
            {"word": logistic(20), "sense": logistic(60), "one_sense": logistic(single)}, chosen
        )
        stretch = math.log10(3)
        assert found["sense.factor"][0] == pytest.approx(3, abs=0.03) and len(found["sense.factor"]) == 201
        assert found["stretch_N_w.log10"][0] == pytest.approx(stretch, abs=0.005)
        assert found["stretch_S_w.log10"][0] == pytest.approx(stretch, abs=0.005)
        assert found["stretch_S_w.margin"][0] == pytest.approx(3 - math.sqrt(10), abs=0.05)
        assert found["shape.margin"][0] == pytest.approx(0.05, abs=0.01)
        assert found["congestion.margin"][0] == pytest.approx(of_candidates * stretch, abs=0.01)
        _, (low, high) = deniability.estimated(found["stretch_N_w.log10"])
        assert low <= found["stretch_N_w.log10"][0] <= high and high - low < 0.02  # the same words in both arms


def kept_curves(*means: float) -> deniability.Curves:
    """The same curve for each of three words, at ε of 1, 10, 100 and 1000."""
    values = np.repeat(np.array(means)[:, None], 3, axis=1)
    return deniability.Curves(np.array([1.0, 10.0, 100.0, 1000.0]), values, 1 - values)


def test_all_words_come_first_and_then_their_bootstraps() -> None:
    chosen = deniability.resampled(5, 3, np.random.default_rng(0))
    assert chosen[0].tolist() == [0, 1, 2, 3, 4]
    assert len(chosen) == 4 and all(len(take) == 5 and take.min() >= 0 and take.max() < 5 for take in chosen)


def test_a_step_that_some_words_take_back_is_not_certain() -> None:
    rng, chosen = np.random.default_rng(1), deniability.resampled(200, 300, np.random.default_rng(0))
    steady = np.array([0.1, 0.4, 0.7, 0.9])[:, None] + 0.01 * rng.standard_normal((4, 200))
    steps = deniability.least_steps(steady, chosen, falls=False)
    _, (low, high) = deniability.estimated(steps)
    assert steps[0] == pytest.approx(0.2 + 0.005, abs=0.01) and low > 0.15 and high < 0.25
    assert deniability.least_steps(1 - steady, chosen, falls=True) == pytest.approx(steps)
    assert deniability.least_steps(steady[::-1], chosen, falls=False).max() < 0
    unsure = np.array([0.1, 0.1, 0.7, 0.9])[:, None] + 0.3 * rng.standard_normal((4, 200))
    steps = deniability.least_steps(unsure, chosen, falls=False)
    _, (low, high) = deniability.estimated(steps)
    assert low <= steps[0] <= high and low < 0 < high


def test_a_shifted_curve_has_one_shape_and_another_has_not_whichever_grid_is_asked() -> None:
    # A tenth of the ε: the same curve one step of the grid earlier.
    one, two = kept_curves(0.0, 0.1, 0.9, 1.0), kept_curves(0.1, 0.9, 1.0, 1.0)
    chosen = deniability.resampled(3, 2, np.random.default_rng(0))
    assert deniability.shape_gaps(two, one, np.full(3, 10.0), chosen) == pytest.approx(np.zeros(3), abs=1e-12)
    steep = kept_curves(0.0, 0.5, 0.6, 1.0)
    there, back = (
        deniability.shape_gaps(*both, np.full(3, factor), chosen)[0]
        for both, factor in (((one, steep), 0.3), ((steep, one), 1 / 0.3))
    )
    assert there == pytest.approx(back) and there > 0.2
