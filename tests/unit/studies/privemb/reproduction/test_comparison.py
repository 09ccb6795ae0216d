"""Mechanisms side by side: streams of their own, paired splits, and the order that the noise dictates."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from refusals import assert_refused

from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.embeddings.static import WordVectors
from trustnlp.evaluation.intervals import t_interval
from trustnlp.privacy.accounting.guarantee import L2Sensitivity, Relation
from trustnlp.privacy.mechanisms.additive_noise import Mechanism, MultivariateLaplace
from trustnlp.studies.privemb.reproduction import (
    QUANTITIES,
    Contender,
    compare_errors,
    compare_linear,
    stream,
    weakest_lead,
)
from trustnlp.studies.privemb.sentences import compare_sentences


def noisy(factor: float) -> Contender:
    def make(epsilon: float, source: torch.Generator) -> Mechanism:
        return MultivariateLaplace(epsilon / factor, L2Sensitivity(1.0, Relation.METRIC))

    return make


def points(n: int, d: int, seed: int) -> torch.Tensor:
    return torch.randn(n, d, generator=stream(seed))


def two_classes(n: int, d: int, gap: float) -> tuple[torch.Tensor, np.ndarray]:
    labels = np.arange(n) % 2
    features = points(n, d, 7)
    features[:, 0] += torch.tensor(gap * (labels - 0.5), dtype=torch.float32)
    return features, labels


def test_streams_differ_by_every_number_and_their_order() -> None:
    first = {torch.rand(1, generator=stream(*numbers)).item() for numbers in [(1,), (1, 2), (2, 1), (1, 2.5), (0.1,)]}
    assert len(first) == 5


def test_errors_have_a_run_for_each_seed_and_follow_the_noise() -> None:
    found = compare_errors(
        {"more": noisy(10.0), "less": noisy(1.0)},
        points(6, 5, 0),
        points(4, 5, 1),
        epsilons=[1.0, 4.0],
        seeds=[0, 1, 2],
    )
    assert set(found) == {(e, name, q) for e in (1.0, 4.0) for name in ("more", "less") for q in QUANTITIES}
    assert found[1.0, "more", "distance"].kept.shape == (3, 6, 4)
    for epsilon in (1.0, 4.0):
        more, less = (found[epsilon, name, "distance"].mean for name in ("more", "less"))
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
    features, labels = two_classes(200, 4, gap=3.0)
    table = compare_linear({"m": noisy(1.0)}, features, labels, epsilons=[1.0, 1e4], seeds=[0, 1])
    assert list(table.columns) == ["epsilon", "mechanism", "seed", "accuracy", "auc", "validation"]
    by = table.set_index(["epsilon", "seed"]).auc
    for seed in (0, 1):
        assert by[1e4, seed] == pytest.approx(by[math.inf, seed], abs=1e-3)
    assert by[1.0].mean() < by[math.inf].mean() - 0.05
    assert by[math.inf, 0] != by[math.inf, 1]


def test_a_share_and_a_validation_part() -> None:
    features, labels = two_classes(400, 3, gap=4.0)
    table = compare_linear(
        {"m": noisy(1.0)}, features, labels, epsilons=[50.0], seeds=[0], share=0.25, validation_share=0.25
    )
    assert table.validation.between(0.8, 1.0).all()
    with pytest.raises(ValueError, match="share is a part"):
        compare_linear({"m": noisy(1.0)}, features, labels, epsilons=[1.0], seeds=[0], share=0.0)


def planted() -> tuple[SentenceSet, WordVectors]:
    """Sentences of one good or bad word among many neutral ones: separable without noise."""
    rng = np.random.default_rng(0)
    words = ["good", "bad", *(f"w{i}" for i in range(20))]
    matrix = rng.normal(0, 0.2, size=(len(words), 6))
    matrix[0, 0], matrix[1, 0] = 3.0, -3.0
    labels = np.arange(120) % 2
    texts = tuple(" ".join([["bad", "good"][label], *rng.choice(words[2:], 4)]) for label in labels)
    return SentenceSet("stand-in", ("bad", "good"), Sentences(texts, labels)), WordVectors(words, matrix, "made")


def test_fresh_noise_averages_out_and_noise_of_a_word_does_not_hide_it() -> None:
    sentences, vectors = planted()
    # Over single seeds the accuracy of one draw for a word ranges from 0.6 to 1; the mean of twelve is 0.79 ± 0.03.
    seeds = range(12)
    once = compare_sentences({"m": noisy(1.0)}, sentences, vectors, epsilons=[0.5], seeds=seeds, folds=4)
    fresh = compare_sentences(
        {"m": noisy(1.0)}, sentences, vectors, epsilons=[0.5, 100.0], seeds=seeds, folds=4, fresh_noise=True
    )
    assert list(once.columns) == ["epsilon", "mechanism", "seed", "train", "validation", "test"]
    test = once.groupby("epsilon").test.mean()
    assert test[np.inf] > 0.98
    # One draw for a word is a name for it: a classifier learns the noisy vector of "good" as well as the true one.
    assert test[0.5] > 0.7 > 0.65 > fresh.groupby("epsilon").test.mean()[0.5]
    assert fresh.groupby("epsilon").test.mean()[100.0] > 0.98


def test_every_run_of_the_linear_model_has_noise_of_its_own() -> None:
    features, labels = two_classes(200, 4, gap=3.0)
    table = compare_linear({"a": noisy(1.0), "b": noisy(1.0)}, features, labels, epsilons=[1.0, 1.01], seeds=[0, 1])
    assert table[table.mechanism != "no noise"].auc.nunique() == 8


def test_sentences_without_a_known_word_are_refused() -> None:
    sentences, _ = planted()
    strangers = WordVectors(["bueno", "malo"], np.eye(2), "strangers")
    assert_refused(
        lambda fresh_noise: compare_sentences(
            {"m": noisy(1.0)}, sentences, strangers, epsilons=[1.0], seeds=[0], folds=4, fresh_noise=fresh_noise
        ),
        [(fresh_noise, "strangers knows no word of stand-in") for fresh_noise in [False, True]],
    )
