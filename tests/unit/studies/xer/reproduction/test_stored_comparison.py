"""Clusterings of stored scores: on made scores with known answers, and on the mirror's."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from trustnlp.data.linkage.stored_scores import StoredScores, read_stored_scores
from trustnlp.studies.xer.reproduction.stored_comparison import best_f1_of_blocking, compare_stored, cuts_of_hierarchy


def made_scores() -> StoredScores:
    """Two entities of three records; one of them loses a pair, and one pair across looks true."""
    rows = [(0, 1, 0.9), (0, 2, 0.8), (1, 2, 0.3), (3, 4, 0.95), (4, 5, 0.9), (2, 3, 0.6)]
    pairs = pd.DataFrame(rows, columns=["left", "right", "probability"])
    records = pd.DataFrame(
        {"gold": [0, 0, 0, 1, 1, 1], "fmwsp": [0, 0, 0, 1, 1, 1], "hierarchical": [0, 0, 1, 2, 2, 3], "name": "x"}
    )
    return StoredScores(pairs, records)


def test_each_clustering_is_compared_with_the_gold() -> None:
    compared = compare_stored(made_scores())
    assert compared.found.clusters == [[0, 1, 2], [3, 4], [5]]
    assert compared.metrics.loc["fmwsp", "f1"] == 100 and compared.metrics.loc["fmwsp", "adjusted_rand"] == 1
    assert compared.metrics.loc["optimum", "f1"] == pytest.approx(100 * 2 * 4 / (4 + 6))
    # 3 and 5 have no score: they weigh nothing, and are one pair without a score.
    assert compared.value(compared.gold) == pytest.approx(0.8 + 0.6 - 0.4 + 0.9 + 0.8)
    assert compared.unscored_inside(compared.gold) == 1
    # Where missing scores weigh nothing, the one false score joins both entities.
    assert compare_stored(made_scores(), absent="zero").found.clusters == [[0, 1, 2, 3, 4, 5]]


def test_blocking_bounds_recall_and_f1() -> None:
    recall, f1 = best_f1_of_blocking(compare_stored(made_scores()))
    assert recall == pytest.approx(100 * 5 / 6) and f1 == pytest.approx(100 * 10 / 11)


def test_cuts_of_a_hierarchy_have_the_weight_of_their_clusters() -> None:
    cuts = cuts_of_hierarchy(compare_stored(made_scores()), [0.01, 0.5, 0.99])
    assert cuts.loc[0.99, "value"] == 0 and cuts.loc[0.99, "f1"] == 0
    assert cuts.loc[0.5, "value"] <= compare_stored(made_scores()).found.value


@pytest.mark.parametrize(("name", "f1", "value"), [("settlements", 95.74, 3828.314), ("csv_example", 95.11, 5730.599)])
def test_the_optimum_of_the_stored_scores(mirror: Path, name: str, f1: float, value: float) -> None:
    compared = compare_stored(read_stored_scores(name))
    assert compared.found.optimal and compared.found.value == pytest.approx(value, abs=5e-4)
    assert compared.found.check() == pytest.approx(compared.found.value, rel=1e-9)
    assert compared.metrics.loc["optimum", "f1"] == pytest.approx(f1, abs=0.005)
