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
        return [balanced_lexicon(LEXICON, VECTORS, size=2, rng=rng)[0].tolist() for _ in range(200)]

    assert draws(1) == draws(1)
    assert draws(1) != draws(2)
    seen = np.bincount(np.concatenate(draws(1)), minlength=9)
    np.testing.assert_array_equal(seen[[0, 4]], 0)
    np.testing.assert_allclose(seen[[2, 5, 7]], 400 / 3, atol=30)
    np.testing.assert_allclose(seen[[1, 3, 6, 8]], 400 / 4, atol=30)


@pytest.mark.parametrize("size", [0, 4])
def test_a_size_the_lists_cannot_give_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"3 positive and 4 negative words; size must lie between 1 and 3, got {size}"):
        balanced_lexicon(LEXICON, VECTORS, size=size, rng=np.random.default_rng(0))


def test_accuracy_comes_near_that_of_the_best_classifier() -> None:
    # Two normals with centres 3 apart: the best accuracy is Φ(1.5) = 0.9332, the best AUC Φ(3/√2) = 0.9831.
    features, labels = two_clouds(10_000, 5, 3.0)
    scores = linear_svm(features, labels, rng=np.random.default_rng(0))
    assert scores.accuracy == pytest.approx(0.9332, abs=0.012)
    assert scores.auc == pytest.approx(0.9831, abs=0.005)
    assert (scores.cost, scores.validation_accuracy) == (1.0, None)


def test_labels_that_say_nothing_are_not_learnt_by_heart() -> None:
    # Training words are always separable here: had the test words been trained on, the accuracy would be 1.
    scores = [linear_svm(*two_clouds(100, 1_000, 0.0, seed), rng=np.random.default_rng(seed)) for seed in range(20)]
    assert np.mean([each.accuracy for each in scores]) == pytest.approx(0.5, abs=0.05)
    assert np.mean([each.auc for each in scores]) == pytest.approx(0.5, abs=0.05)


def test_accuracy_and_auc_are_those_counted_by_hand() -> None:
    features, labels = two_clouds(40, 3, 1.0)
    scores = linear_svm(features, labels, test_share=0.5, rng=np.random.default_rng(7))
    order = np.random.default_rng(7).permutation(80)
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


def test_noise_of_any_length_converges_without_a_warning() -> None:
    rng = np.random.default_rng(0)
    features, labels = two_clouds(500, 300, 2.0)
    for scale in (1.0, 1e2, 1e4):
        noise = rng.standard_normal(features.shape)
        noise *= rng.gamma(300, scale, (len(noise), 1)) / np.linalg.norm(noise, axis=1, keepdims=True)
        scores = linear_svm(features + noise, labels, rng=rng)
        assert 0.3 < scores.accuracy < 0.8


def test_validation_chooses_the_cost_without_the_test_words() -> None:
    features, labels = two_clouds(60, 100, 2.0)
    order = np.random.default_rng(5).permutation(120)
    test, held_out, rest = order[:24], order[24:43], order[43:]
    scores = linear_svm(features, labels, validation_share=0.2, costs=(100.0, 1e-3), rng=np.random.default_rng(5))

    def accuracy(train: NDArray[np.int64], on: NDArray[np.int64], cost: float) -> float:
        length = np.sqrt(np.mean([row @ row for row in features[train]]))
        model = LinearSVC(C=cost, dual=False).fit(features[train] / length, labels[train])
        return float(np.mean(model.predict(features[on] / length) == labels[on]))

    of_cost = {cost: accuracy(rest, held_out, cost) for cost in (1e-3, 100.0)}
    assert of_cost[1e-3] != of_cost[100.0]
    assert scores.cost == max(of_cost, key=lambda cost: of_cost[cost])
    assert scores.validation_accuracy == max(of_cost.values())
    assert scores.accuracy == accuracy(np.concatenate([held_out, rest]), test, scores.cost)


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


def test_the_length_of_the_test_words_does_not_scale_the_features() -> None:
    features, labels = two_clouds(100, 5, gap=1.0)
    plain = linear_svm(features, labels, rng=np.random.default_rng(0))
    tested = np.random.default_rng(0).permutation(len(labels))[: round(0.2 * len(labels))]
    longer = features.copy()
    longer[tested] *= 1e6
    scaled = linear_svm(longer, labels, rng=np.random.default_rng(0), costs=(1.0,))
    # A model without a share in the test words puts each of them, but for its intercept, on the same side.
    assert abs(scaled.accuracy - plain.accuracy) <= 0.1


def noisy(factor: float) -> Contender:
    def make(epsilon: float, source: torch.Generator) -> Mechanism:
        return MultivariateLaplace(epsilon / factor, L2Sensitivity(1.0, Relation.METRIC))

    return make


def points(n: int, d: int, seed: int) -> torch.Tensor:
    return torch.randn(n, d, generator=stream(seed))


def words_of(n: int, dim: int, gap: float) -> tuple[torch.Tensor, NDArray[np.int64]]:
    features, labels = two_clouds(n // 2, dim, gap)
    return torch.from_numpy(features), labels


def test_streams_differ_by_every_number_and_their_order() -> None:
    first = {torch.rand(1, generator=stream(*numbers)).item() for numbers in [(1,), (1, 2), (2, 1), (1, 2.5), (0.1,)]}
    assert len(first) == 5


def test_errors_have_a_run_for_each_seed_and_follow_the_noise() -> None:
    mechanisms = {"more": noisy(10.0), "less": noisy(1.0)}
    found = compare_errors(mechanisms, points(6, 5, 0), points(4, 5, 1), epsilons=[1.0, 4.0], seeds=[0, 1, 2])
    assert set(found) == {(e, name, q) for e in (1.0, 4.0) for name in mechanisms for q in QUANTITIES}
    assert found[1.0, "more", "distance"].kept.shape == (3, 6, 4)
    for epsilon in (1.0, 4.0):
        more, less = (found[epsilon, name, "distance"].mean for name in mechanisms)
        assert more.shape == (3,) and more.mean() > 2 * less.mean()
    assert found[1.0, "less", "inner_product"].mean.mean() > found[4.0, "less", "inner_product"].mean.mean()


def test_runs_that_are_not_kept_still_count() -> None:
    first, second = points(6, 5, 0), points(4, 5, 1)
    short, whole = (
        compare_errors({"a": noisy(1.0)}, first, second, epsilons=[1.0], seeds=[3, 4, 5], keep=keep) for keep in (1, 3)
    )
    for key, errors in whole.items():
        assert torch.equal(short[key].kept, errors.kept[:1])
        assert errors.mean == pytest.approx(errors.kept.mean(dim=(1, 2)).numpy(), rel=1e-12)
        assert (short[key].mean == errors.mean).all()
        assert short[key].largest == errors.largest == float(errors.kept.max())


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
    alone_kept, among_kept = (found[2.0, "a", "distance"].kept for found in (alone, among))
    assert torch.equal(alone_kept[0], among_kept[1])
    assert not torch.equal(among_kept[0], among_kept[1])


def test_little_noise_gives_the_model_without_noise_on_the_same_split() -> None:
    table = compare_linear({"m": noisy(1.0)}, *words_of(200, 4, 3.0), epsilons=[1.0, 1e4], seeds=[0, 1])
    assert list(table.columns) == ["epsilon", "mechanism", "seed", "accuracy", "auc", "validation"]
    by = table.set_index(["epsilon", "seed"]).auc
    for seed in (0, 1):
        assert by[1e4, seed] == pytest.approx(by[math.inf, seed], abs=1e-3)
    assert by[1.0].mean() < by[math.inf].mean() - 0.05
    assert by[math.inf, 0] != by[math.inf, 1]


def test_a_share_and_a_validation_part() -> None:
    how = {"epsilons": [50.0], "seeds": [0], "share": 0.25, "validation_share": 0.25}
    assert compare_linear({"m": noisy(1.0)}, *words_of(400, 3, 4.0), **how).validation.between(0.8, 1.0).all()


def test_every_run_of_the_linear_model_has_noise_of_its_own() -> None:
    mechanisms = {"a": noisy(1.0), "b": noisy(1.0)}
    table = compare_linear(mechanisms, *words_of(200, 4, 3.0), epsilons=[1.0, 1.01], seeds=[0, 1])
    assert table[table.mechanism != "no noise"].auc.nunique() == 8
