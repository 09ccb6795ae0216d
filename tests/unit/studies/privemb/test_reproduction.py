"""The word classifier of PrivEmb §5.3: which words enter, how they are split, and that the scores are honest."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from trustnlp.data.words.opinion_lexicon import OpinionLexicon, read_opinion_lexicon
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.static import WordVectors
from trustnlp.evaluation.intervals import t_interval
from trustnlp.privacy.accounting.guarantee import L2Sensitivity, Relation
from trustnlp.privacy.mechanisms.additive_noise import Mechanism, MultivariateLaplace
from trustnlp.studies.privemb.reproduction import (
    QUANTITIES,
    Contender,
    balanced_lexicon,
    compare_errors,
    compare_linear,
    linear_svm,
    stream,
    weakest_lead,
)

LEXICON = OpinionLexicon(
    positive=("good", "nice", "both", "fine", "unknown"), negative=("bad", "ugly", "both", "vile", "worse", "missing")
)


VECTORS = WordVectors(
    ["table", "bad", "good", "ugly", "both", "nice", "vile", "fine", "worse"], np.ones((9, 2)), "toy vectors"
)


def two_clouds(n: int, dim: int, gap: float, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """`n` standard normal vectors per label, their centres `gap` apart along the first axis."""
    labels = np.repeat([1, 0], n)
    features = np.random.default_rng(seed).standard_normal((2 * n, dim))
    features[:, 0] += gap * labels
    return features, labels


def test_the_known_words_of_one_list_enter_and_the_longer_list_is_capped() -> None:
    rows, labels = balanced_lexicon(LEXICON, VECTORS, rng=np.random.default_rng(0))
    assert labels.tolist() == [1, 1, 1, 0, 0, 0]
    assert rows[:3].tolist() == [2, 5, 7]
    assert len(set(rows[3:])) == 3 and set(rows[3:]) < {1, 3, 6, 8}


def test_which_words_are_capped_is_drawn() -> None:
    def draws(seed: int) -> list[list[int]]:
        rng = np.random.default_rng(seed)
        return [balanced_lexicon(LEXICON, VECTORS, rng=rng)[0].tolist() for _ in range(200)]

    assert draws(1) == draws(1) != draws(2)
    np.testing.assert_allclose(np.bincount(np.concatenate(draws(1)))[[1, 3, 6, 8]], 600 / 4, atol=30)


def test_vectors_that_know_no_word_of_a_label_are_refused() -> None:
    with pytest.raises(ValueError, match="toy knows 0 positive and 1 negative words"):
        balanced_lexicon(LEXICON, WordVectors(["bad", "both"], np.ones((2, 2)), "toy"), rng=np.random.default_rng(0))


def test_accuracy_comes_near_that_of_the_best_classifier() -> None:
    # Two normals with centres 3 apart: the best accuracy is Φ(1.5) = 0.9332, the best AUC Φ(3/√2) = 0.9831.
    features, labels = two_clouds(10_000, 5, 3.0)
    scores = linear_svm(features, labels, rng=np.random.default_rng(0))
    assert scores.accuracy == pytest.approx(0.9332, abs=0.012)
    assert scores.auc == pytest.approx(0.9831, abs=0.005)
    assert scores.validation is None


def test_accuracy_and_auc_are_those_counted_by_hand() -> None:
    features, labels = two_clouds(100, 3, 1.0)
    scores = linear_svm(features, labels, rng=np.random.default_rng(7))
    order = np.random.default_rng(7).permutation(200)
    test, train = order[:40], order[40:]
    features /= np.sqrt(np.mean((features[train] ** 2).sum(1)))
    values = LinearSVC(C=1.0, dual=False).fit(features[train], labels[train]).decision_function(features[test])
    truth = labels[test]
    assert scores.accuracy == np.mean((values > 0) == (truth == 1))
    pairs = [good > bad for good in values[truth == 1] for bad in values[truth == 0]]
    assert scores.auc == pytest.approx(np.mean(pairs), abs=1e-12)


def test_the_generator_decides_the_split_and_nothing_else_does() -> None:
    features, labels = two_clouds(200, 4, 1.0)
    score = linear_svm(features, labels, rng=np.random.default_rng(3))
    assert linear_svm(features, labels, rng=np.random.default_rng(3)) == score
    accuracies = {linear_svm(features, labels, rng=np.random.default_rng(seed)).accuracy for seed in range(8)}
    assert len(accuracies) > 3
    # The split is drawn by position: other features of the same words are tested on the same words.
    perfect = np.eye(2)[labels]
    perfect[np.random.default_rng(3).permutation(400)[:80]] *= -1
    assert linear_svm(perfect, labels, rng=np.random.default_rng(3)).accuracy == 0.0


@given(st.floats(1e-6, 1e6))
def test_the_unit_of_length_does_not_matter(unit: float) -> None:
    features, labels = two_clouds(50, 3, 1.0)
    expected = linear_svm(features, labels, rng=np.random.default_rng(0))
    got = linear_svm(features * unit, labels, rng=np.random.default_rng(0))
    assert got.accuracy == expected.accuracy
    assert got.auc == pytest.approx(expected.auc, abs=1e-2)


def test_validation_is_on_words_that_neither_test_nor_training_sees() -> None:
    features, labels = two_clouds(60, 100, 2.0)
    scores = linear_svm(features, labels, validation_share=0.2, rng=np.random.default_rng(5))
    held_out, rest = np.split(np.random.default_rng(5).permutation(120)[24:], [19])
    features /= np.sqrt(np.mean((features[rest] ** 2).sum(1)))
    model = LinearSVC(dual=False).fit(features[rest], labels[rest])
    assert scores.validation == model.score(features[held_out], labels[held_out])
    assert linear_svm(features, labels, rng=np.random.default_rng(5)).accuracy == scores.accuracy


@pytest.mark.mirror
def test_words_covered_by_the_real_vectors(mirror: Path) -> None:
    lexicon = read_opinion_lexicon()
    assert (len(lexicon.negative), len(lexicon.positive)) == (4783, 2006)  # as the paper says
    glove = read_vectors("glove_840b_9910")
    rows, labels = balanced_lexicon(lexicon, glove, rng=np.random.default_rng(0))
    assert len(rows) == 2 * 809
    scores = linear_svm(glove.matrix[rows], labels, rng=np.random.default_rng(0))
    assert scores.accuracy == pytest.approx(0.94, abs=0.03)
    assert scores.auc == pytest.approx(0.987, abs=0.012)


def noisy(factor: float) -> Contender:
    def make(epsilon: float, source: torch.Generator) -> Mechanism:
        return MultivariateLaplace(epsilon / factor, L2Sensitivity(1.0, Relation.METRIC))

    return make


def points(n: int, d: int, seed: int) -> torch.Tensor:
    return torch.randn(n, d, generator=stream(seed))


def clouds(n: int, dim: int, gap: float) -> tuple[torch.Tensor, NDArray[np.int64]]:
    features, labels = two_clouds(n, dim, gap)
    return torch.from_numpy(features), labels


def test_streams_differ_by_every_number_and_their_order() -> None:
    first = {torch.rand(1, generator=stream(*numbers)).item() for numbers in [(1,), (1, 2), (2, 1), (1, 2.5), (0.1,)]}
    assert len(first) == 5


def test_errors_are_those_of_single_releases_and_follow_the_noise() -> None:
    first, second = points(6, 5, 0), points(4, 5, 1)
    mechanisms = {"more": noisy(10.0), "less": noisy(1.0)}
    table = compare_errors(mechanisms, first, second, epsilons=[1.0, 4.0], seeds=[0, 1, 2])
    assert len(table) == 2 * 2 * 3 * len(QUANTITIES)
    mean = table.groupby(["quantity", "epsilon", "mechanism"])["mean"].mean()
    for quantity in QUANTITIES:
        assert mean[quantity, 1.0, "more"] > 2 * mean[quantity, 1.0, "less"] > 4 * mean[quantity, 4.0, "less"]
    source = stream(2, 4.0, 1)
    release = noisy(1.0)(4.0, source)
    private = release(torch.cat([first, second]), generator=source).split(6)
    apart = torch.cdist(*private) - torch.cdist(first, second)
    row = table.query("epsilon == 4 and mechanism == 'less' and seed == 2 and quantity == 'distance'").iloc[0]
    assert row["mean"] == pytest.approx(float(apart.abs().mean()), rel=1e-5)
    assert row["largest"] == pytest.approx(float(apart.abs().max()), rel=1e-5)


def test_the_weakest_lead_is_chosen_by_the_mean_and_not_within_each_run() -> None:
    leads = pd.DataFrame({"strong": [3.0, -1.0, 4.0], "weak": [1.0, 1.0, -0.5]})
    values, (low, high) = weakest_lead(leads)
    assert values.tolist() == [1.0, 1.0, -0.5]
    weak, strong = (t_interval(leads[name].to_numpy(), level=0.975) for name in ("weak", "strong"))
    assert (low, high) == (min(weak[0], strong[0]), min(weak[1], strong[1]))


def test_where_nothing_differs_the_weakest_lead_says_so() -> None:
    rng = np.random.default_rng(0)
    nothing = [pd.DataFrame(rng.normal(size=(50, 3))) for _ in range(200)]
    told = [weakest_lead(leads)[1] for leads in nothing]
    assert np.mean([low <= 0 <= high for low, high in told]) >= 0.95
    within_runs = [t_interval(leads.min(axis=1).to_numpy()) for leads in nothing]
    assert max(high for _, high in within_runs) < 0


def test_a_run_does_not_depend_on_the_other_runs() -> None:
    first, second = points(3, 5, 0), points(3, 5, 1)
    alone = compare_errors({"a": noisy(1.0)}, first, second, epsilons=[2.0], seeds=[5])
    among = compare_errors({"a": noisy(1.0), "b": noisy(2.0)}, first, second, epsilons=[1.0, 2.0], seeds=[4, 5])
    same = among.query("epsilon == 2 and mechanism == 'a' and seed == 5").reset_index(drop=True)
    pd.testing.assert_frame_equal(same, alone)
    assert among["mean"].nunique() == len(among)


def test_little_noise_gives_the_model_without_noise_on_the_same_split() -> None:
    table = compare_linear({"m": noisy(1.0)}, *clouds(100, 4, 3.0), epsilons=[1.0, 1e4], seeds=[0, 1])
    assert list(table.columns) == ["epsilon", "mechanism", "seed", "accuracy", "auc", "validation"]
    by = table.set_index(["epsilon", "seed"]).auc
    for seed in (0, 1):
        assert by[1e4, seed] == pytest.approx(by[math.inf, seed], abs=1e-3)
    assert by[1.0].mean() < by[math.inf].mean() - 0.05
    assert by[math.inf, 0] != by[math.inf, 1]


def test_a_share_and_a_validation_part() -> None:
    how = {"epsilons": [50.0], "seeds": [0], "share": 0.25, "validation_share": 0.25}
    assert compare_linear({"m": noisy(1.0)}, *clouds(200, 3, 4.0), **how).validation.between(0.8, 1.0).all()


def test_every_run_of_the_linear_model_has_noise_of_its_own() -> None:
    mechanisms = {"a": noisy(1.0), "b": noisy(1.0)}
    table = compare_linear(mechanisms, *clouds(100, 4, 3.0), epsilons=[1.0, 1.01], seeds=[0, 1])
    assert table[table.mechanism != "no noise"].auc.nunique() == 8
