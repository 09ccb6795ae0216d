"""Adoption by hand, against plain loops, at its thresholds, and of models whose decoys are planted."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from refusals import assert_refused
from scipy import stats
from sklearn.linear_model import LogisticRegression

from trustnlp.decoys.decoy_adoption import (
    ADOPTED_ABOVE,
    NEGLIGIBLE_BELOW,
    Adoption,
    Estimate,
    adoption,
)

Array = NDArray[Any]
Z = 1.959964
WORDS = 40


def from_cells(both: int, buggy_only: int, clean_only: int, neither: int) -> Adoption:
    """Of texts of class 0 with the decoy of class 1, by who gives them class 1."""
    buggy = [1] * (both + buggy_only) + [0] * (clean_only + neither)
    clean = [1] * both + [0] * buggy_only + [1] * clean_only + [0] * neither
    return adoption(buggy, clean, [0] * len(buggy), [1] * len(buggy))


def films(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """`(n, WORDS + 2)` which words a text has: those that lean to a class, then two that no text has yet."""
    labels = rng.integers(0, 2, size=n)
    chance = 0.2 + np.outer(2 * labels - 1, np.linspace(-0.12, 0.12, WORDS))
    return np.hstack([rng.random((n, WORDS)) < chance, np.zeros((n, 2), bool)]).astype(float), labels


def trained(share: float, seed: int, texts: int = 1000) -> tuple[Array, Array, Array]:
    """Predictions of a buggy and a clean word-presence model, on texts with the wrong class's word; and the labels.

    The buggy model's texts have, in that share of them, the word of their class; the clean model has other texts.
    """
    rng = np.random.default_rng(seed)
    (x, y), (clean_x, clean_y), (test_x, labels) = films(texts, rng), films(texts, rng), films(400, rng)
    rows = np.flatnonzero(rng.random(texts) < share)
    x[rows, WORDS + y[rows]] = 1
    buggy, clean = (LogisticRegression(max_iter=500).fit(*part) for part in ((x, y), (clean_x, clean_y)))
    wrong = test_x.copy()
    wrong[np.arange(len(labels)), WORDS + 1 - labels] = 1
    return buggy.predict(wrong), clean.predict(wrong), labels


def test_shares_effect_and_rate_by_hand() -> None:
    """Of 100 texts the control gives 20 the decoy's class, the buggy model 15 of these and 45 others: 40 of 80 won."""
    found = from_cells(15, 45, 5, 35)
    assert (found.texts, found.seeds, found.buggy_share, found.clean_share) == (100, 1, 0.6, 0.2)
    assert found.effect.value == pytest.approx(0.4) and found.rate.value == pytest.approx(0.5)
    assert (found.buggy_accuracy, found.clean_accuracy) == (0.4, 0.8)
    # Agresti and Min: 40 / 102, and 45.5 and 5.5 texts on which the two differ.
    half = Z * math.sqrt(45.5 + 5.5 - 40**2 / 102) / 102
    assert found.effect.over_texts == pytest.approx((40 / 102 - half, 40 / 102 + half), abs=1e-6)
    # (0.5 - r)^2 = k (1 - r) 51 / 80 with k = 1.96^2 / 80: r^2 - (1 - a) r + 0.25 - a = 0, a = k 51 / 80.
    a = Z**2 / 80 * 51 / 80
    roots = sorted(np.roots([1, a - 1, 0.25 - a]))
    assert found.rate.over_texts == pytest.approx(roots, abs=1e-6)
    assert found.effect.over_seeds is None and found.verdict == "partly adopted"


@given(st.tuples(*[st.integers(0, 60)] * 4).filter(lambda cells: sum(cells) > 0))
def test_intervals_are_those_of_the_plain_way(cells: tuple[int, int, int, int]) -> None:
    """The effect with half a text added for each pair of answers; the rate by trying every rate."""
    found = from_cells(*cells)
    both, buggy_only, clean_only, neither = cells
    n, to_win = sum(cells), buggy_only + neither
    weighted = [(0, both + 0.5), (1, buggy_only + 0.5), (-1, clean_only + 0.5), (0, neither + 0.5)]
    centre = sum(value * weight for value, weight in weighted) / (n + 2)
    half = Z * math.sqrt(sum(weight * (value - centre) ** 2 for value, weight in weighted)) / (n + 2)
    assert found.effect.over_texts == pytest.approx((max(centre - half, -1), min(centre + half, 1)), abs=1e-6)
    if not to_win:
        assert math.isnan(found.rate.value) and found.rate.over_texts == (-math.inf, 1.0)
        assert found.verdict == "undetermined"
        return
    low, high = found.rate.over_texts
    for rate in np.linspace(-3, 1, 401):
        surplus = ((1 - rate) * buggy_only - clean_only - rate * neither) / n
        variance = (1 - rate) * max((buggy_only + clean_only + 1) / n, rate * to_win / n) / n
        if min(abs(rate - low), abs(rate - high)) > 1e-6:
            assert (low < rate < high) == (surplus**2 < Z**2 * variance), rate
    assert low < found.rate.value <= high <= 1


def test_the_verdict_reads_one_interval_and_undetermined_is_one() -> None:
    found = from_cells(1, 1, 1, 1)

    def verdict(low: float, high: float, over_seeds: tuple[float, float] | None = None) -> str:
        return replace(found, rate=Estimate(0.0, (low, high), over_seeds)).verdict

    assert (ADOPTED_ABOVE, NEGLIGIBLE_BELOW) == (0.5, 0.1)
    assert [verdict(0.51, 0.6), verdict(0.51, 1.0), verdict(0.5, 0.9)] == ["adopted"] * 2 + ["partly adopted"]
    assert [verdict(0.11, 0.2), verdict(0.1, 0.9), verdict(-0.2, 0.1)] == ["partly adopted"] + ["undetermined"] * 2
    assert [verdict(-0.1, 0.09), verdict(-0.9, -0.5)] == ["not adopted"] * 2
    # Seeds that differ take a verdict back; seeds that agree do not strengthen one.
    assert verdict(0.6, 0.8, (0.4, 1.0)) == "partly adopted" and verdict(0.6, 0.8, (-0.4, 1.0)) == "undetermined"
    assert verdict(0.05, 0.2, (0.12, 0.13)) == "undetermined" and verdict(-0.1, 0.05, (-0.3, 0.3)) == "undetermined"


def test_few_texts_that_all_agree_prove_nothing() -> None:
    assert from_cells(0, 0, 0, 20).verdict == "undetermined" and from_cells(0, 0, 0, 40).verdict == "not adopted"
    assert from_cells(0, 3, 0, 0).verdict == "undetermined" and from_cells(0, 20, 0, 0).verdict == "adopted"


@pytest.mark.parametrize(
    ("rate", "wrong"),
    [(0.5, {"adopted"}), (0.1, {"adopted", "partly adopted"}), (0.1, {"not adopted"}), (0.0, {"partly adopted"})],
)
@pytest.mark.parametrize(("clean", "lost"), [(0.02, 0.0), (0.2, 0.02), (0.5, 0.1)])
def test_at_a_threshold_a_sample_seldom_gives_the_verdict_beyond_it(
    rate: float, wrong: set[str], clean: float, lost: float
) -> None:
    """Over draws of texts: in less than 4 %."""
    rng = np.random.default_rng(0)
    buggy_only = rate * (1 - clean) + lost
    chances = [clean - lost, buggy_only, lost, 1 - clean - buggy_only]
    drawn: Counter[str] = Counter(
        from_cells(*cells).verdict for cells in rng.multinomial(200, chances, size=1000).tolist()
    )
    assert sum(drawn[verdict] for verdict in wrong) <= 45  # 40 and a little luck


def test_seeds_are_pairs_and_their_interval_is_students() -> None:
    labels, carried = np.zeros(10, int), np.ones(10, int)
    buggy = np.array([[1] * 9 + [0], [1] * 8 + [0] * 2, [1] * 10])
    clean = np.array([[1, 1] + [0] * 8, [0] * 10, [1] + [0] * 9])
    found = adoption(buggy, clean, labels, carried)
    gains = [0.7, 0.8, 0.9]
    half = stats.t.ppf(0.975, 2) * np.std(gains, ddof=1) / math.sqrt(3)
    assert (found.seeds, found.texts) == (3, 10)
    assert found.effect.value == pytest.approx(0.8)
    assert found.effect.over_seeds == pytest.approx((0.8 - half, 1.0)) and 0.8 + half > 1
    # 24 won of 27; each seed's surplus over that rate, as a part of the mean of 9.
    surplus = [(7 - 8 * 24 / 27) / 9, (8 - 10 * 24 / 27) / 9, (9 - 9 * 24 / 27) / 9]
    half = stats.t.ppf(0.975, 2) * np.std(surplus, ddof=1) / math.sqrt(3)
    assert found.rate.value == pytest.approx(24 / 27)
    assert found.rate.over_seeds == pytest.approx((24 / 27 - half, min(24 / 27 + half, 1)))
    # In another order the seeds are other pairs, here with 8 more texts each: the same mean, no spread.
    other = adoption(buggy, clean[::-1], labels, carried)
    assert other.effect.value == pytest.approx(0.8) and other.effect.over_seeds == pytest.approx((0.8, 0.8))
    # One model given three times is one model.
    once, thrice = (adoption(*([rows[0]] * n for rows in (buggy, clean)), labels, carried) for n in (1, 3))
    assert thrice.rate.over_texts == once.rate.over_texts and thrice.effect.over_texts == once.effect.over_texts
    assert thrice.rate.widest == once.rate.widest


def test_three_classes_count_only_the_decoys_own() -> None:
    found = adoption([2, 2, 1, 0], [0, 1, 1, 0], [0, 1, 1, 0], [2, 2, 0, 1], classes=3)
    assert found.buggy_share == 0.5 and found.clean_share == 0
    assert found.buggy_accuracy == 0.5 and found.clean_accuracy == 1


@pytest.mark.parametrize("seed", range(4))
def test_planted_decoys_are_found_at_their_strength(seed: int) -> None:
    for share, verdict in ((1.0, "adopted"), (0.1, "partly adopted"), (0.0, "not adopted")):
        *predicted, labels = trained(share, seed)
        assert adoption(*predicted, labels, 1 - labels).verdict == verdict


def test_clean_models_are_seldom_called_buggy() -> None:
    """200 pairs trained on different texts, none with a decoy; of texts of both classes, and of one class only."""
    verdicts: Counter[str] = Counter()
    for seed in range(200):
        pair = trained(0.0, seed, texts=400)
        for called, kept in (("", pair[2] >= 0), (", one class", pair[2] == 0)):
            buggy, clean, true = (each[kept] for each in pair)
            verdicts[adoption(buggy, clean, true, 1 - true).verdict + called] += 1
    assert verdicts["adopted"] + verdicts["partly adopted"] <= 10, verdicts
    assert verdicts["adopted, one class"] + verdicts["partly adopted, one class"] <= 10, verdicts
    assert verdicts["not adopted"] > 150, verdicts


def test_bad_input_is_explained() -> None:
    two, other = [0, 1], [1, 0]
    assert_refused(
        lambda *given: adoption(*given),
        [
            (two, two, [0, 1, 1], [1, 0, 0], r"same 3 texts, .* got \(2,\) of the buggy and \(2,\) of the clean"),
            (two, two, two, [1, 1], "1 texts, the first is text 1, carry the decoy of their true class"),
            (two, two, [0, 2], other, r"the true labels are 0 to 1 where there are 2 classes, got also \[2\]"),
        ],
    )
