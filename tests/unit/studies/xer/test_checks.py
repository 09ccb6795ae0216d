"""Edges that printed numbers of true pairs and a spread of scores lead us to expect."""

import numpy as np
import pytest

from trustnlp.data.linkage.ecbplus import synthetic_scores
from trustnlp.studies.xer.checks import edge_count, fit_gold_pairs, misfit


def test_mean_and_deviation_are_those_of_draws():
    chains = np.repeat(range(10), 3)
    counts = []
    for seed in range(400):
        scores = synthetic_scores(chains, np.random.default_rng(seed))
        counts.append(int((scores[np.triu_indices(30, 1)] >= -0.3).sum()))
    expected, deviation = edge_count(30, 30, -0.3, spread=0.3)
    assert np.mean(counts) == pytest.approx(expected, abs=4 * deviation / 20)
    assert np.std(counts) == pytest.approx(deviation, rel=0.15)


def test_planted_numbers_are_found_again():
    edges = {t: round(edge_count(200, 60, t, spread=0.4)[0]) for t in (-0.6, -0.3, 0.0)}
    gold_pairs, least = fit_gold_pairs(edges, 60, spread=0.4)
    assert abs(gold_pairs - 200) <= 2 and least == misfit(edges, 60, gold_pairs, spread=0.4) < 0.05
    assert fit_gold_pairs(edges, 60, spread=0.2)[1] > 10 * least
    assert misfit(edges, 60, 400, spread=0.4) > 1
