"""SentEval's protocol against loops, scikit-learn and planted truth."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused
from sklearn.linear_model import LogisticRegression

from trustnlp.data.texts.sentence_sets import read_sentences
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.bag_of_words import sentence_vectors
from trustnlp.evaluation import sentence_classification
from trustnlp.evaluation.logistic_path import fit_path, predict
from trustnlp.evaluation.sentence_classification import SplitAccuracies, evaluate, majority


def planted(n: int, k: int, seed: int, d: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    return rng.standard_normal((n, d)) + np.eye(max(d, k))[y, :d], y


def objective(X: np.ndarray, y: np.ndarray, weights: np.ndarray, penalty: float) -> float:
    """The penalised loss in float64; `weights` `(d + 1, c)`."""
    scores = X @ weights[:-1] + weights[-1]
    if scores.shape[1] == 1:
        scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
    losses = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(y)), y]
    return float(losses.sum() + penalty / 2 * (weights[:-1] ** 2).sum())


@pytest.mark.parametrize(("tolerance", "above", "agreeing"), [(1e-6, 1e-4, 0.97), (1e-10, 1e-7, 0.995)])
@pytest.mark.parametrize("k", [2, 3, 6])
def test_fits_are_those_of_scikit_learn(k: int, tolerance: float, above: float, agreeing: float) -> None:
    X, y = planted(400, k, seed=k)
    X32 = X.astype(np.float32)
    rng = np.random.default_rng(0)
    subsets = rng.random((len(y), 5)) < np.array([1.1, 0.9, 0.8, 0.5, 0.3])
    penalties = (100.0, 1.0, 0.05)
    for penalty, weights in zip(penalties, fit_path(X32, y, subsets, penalties, tolerance), strict=True):
        assert weights.shape == (7, 5, 1 if k == 2 else k)
        for f in range(5):
            rows = subsets[:, f]
            theirs = LogisticRegression(C=1 / penalty, solver="newton-cg", tol=1e-9, max_iter=500).fit(X[rows], y[rows])
            best = np.concatenate([theirs.coef_.T, theirs.intercept_[None]])
            lowest = objective(X[rows], y[rows], best, penalty)
            ours = objective(X[rows], y[rows], weights[:, f].astype(np.float64), penalty)
            assert ours - lowest < above * rows.sum()
            assert (predict(X32, weights[:, f : f + 1])[:, 0] == theirs.predict(X)).mean() >= agreeing


def test_a_fit_that_cannot_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trustnlp.evaluation.logistic_path._MOST_ITERATIONS", 2)
    X, y = planted(100, 3, seed=0)
    with pytest.raises(RuntimeError, match="2 of 2 fits did not converge in 2 iterations"):
        list(fit_path(X.astype(np.float32), y, np.ones((100, 2), dtype=bool), (0.01,)))


PENALTIES = (1000.0, 30.0, 1.0)


def slow_nested(X: np.ndarray, y: np.ndarray, fold: np.ndarray) -> SplitAccuracies:
    """Nested cross-validation as the definition reads, with scikit-learn, every model fitted anew."""

    def accuracy(penalty: float, fit: np.ndarray, score: np.ndarray) -> float:
        model = LogisticRegression(C=1 / penalty, solver="newton-cg", tol=1e-8).fit(X[fit], y[fit])
        return float(model.score(X[score], y[score]))

    rows = []
    for i in range(fold.max() + 1):
        inner = [j for j in range(fold.max() + 1) if j != i]
        validation = [
            np.mean([accuracy(penalty, (fold != i) & (fold != j), fold == j) for j in inner]) for penalty in PENALTIES
        ]
        best = int(np.argmax(validation))
        chosen = PENALTIES[best]
        rows.append((accuracy(chosen, fold != i, fold != i), validation[best], accuracy(chosen, fold != i, fold == i)))
    train, validation_mean, test = np.mean(rows, axis=0)
    return SplitAccuracies(train, validation_mean, test, ())


def test_nested_cross_validation_is_that_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = planted(120, 2, seed=5)
    fold = np.random.default_rng(0).permutation(np.arange(120) % 4)
    monkeypatch.setattr(sentence_classification, "_folds", lambda *arguments: fold)
    scores = evaluate({"train": X}, {"train": y}, rng=np.random.default_rng(0), folds=4, penalties=PENALTIES)
    X = (X - X.mean(axis=0)) / math.sqrt(np.square(X - X.mean(axis=0)).mean())
    expected = slow_nested(X, y, fold)
    assert (scores.train, scores.validation, scores.test) == pytest.approx(
        (expected.train, expected.validation, expected.test), abs=1e-9
    )
    assert len(scores.penalties) == 4 and set(scores.penalties) <= set(PENALTIES)


def test_given_splits_use_dev_or_folds_to_choose_and_only_train_to_fit() -> None:
    X, y = planted(600, 3, seed=1)
    x = {"train": X[:300], "dev": X[300:450], "test": X[450:]}
    labels = {"train": y[:300], "dev": y[300:450], "test": y[450:]}
    rng = np.random.default_rng(0)
    scores = evaluate(x, labels, rng=rng, penalties=PENALTIES)
    scale = math.sqrt(np.square(x["train"] - x["train"].mean(axis=0)).mean())
    models = {
        penalty: LogisticRegression(C=1 / penalty, solver="newton-cg", tol=1e-8).fit(X[:300] / scale, y[:300])
        for penalty in PENALTIES
    }
    dev = {penalty: model.score(x["dev"] / scale, labels["dev"]) for penalty, model in models.items()}
    (chosen,) = scores.penalties
    assert scores.validation == pytest.approx(max(dev.values())) == pytest.approx(dev[chosen])
    assert scores.test == pytest.approx(models[chosen].score(x["test"] / scale, labels["test"]))
    assert scores.train == pytest.approx(models[chosen].score(x["train"] / scale, labels["train"]))
    del x["dev"], labels["dev"]
    by_folds = evaluate(x, labels, rng=rng, penalties=(chosen,))
    assert (by_folds.train, by_folds.test) == (scores.train, scores.test)
    # A fold's classifier has seen nine tenths of train and is scored on the rest.
    assert by_folds.validation < by_folds.train
    assert by_folds.validation == pytest.approx(scores.test, abs=0.1)


def test_noise_without_signal_is_worth_nothing() -> None:
    """On labels unrelated to the features the test accuracy is that of guessing, whatever train says."""
    rng = np.random.default_rng(0)
    tests = []
    for _ in range(5):
        scores = evaluate({"train": rng.standard_normal((400, 30))}, {"train": np.arange(400) % 2}, rng=rng)
        tests.append(scores.test)
        assert scores.train > 0.55
    # 2,000 answers: the standard error is 0.011; the folds' dependence widens it.
    assert np.mean(tests) == pytest.approx(0.5, abs=0.045)


def test_size_and_place_of_the_features_do_not_matter() -> None:
    X, y = planted(200, 2, seed=2)
    scores = [evaluate({"train": x}, {"train": y}, rng=np.random.default_rng(0)) for x in (X, 1e-3 * X + 5, 4096.0 * X)]
    assert scores[0] == scores[2]
    assert scores[1].test == pytest.approx(scores[0].test, abs=0.01)


def test_constant_features_give_the_majority() -> None:
    y = np.array([0] * 70 + [1] * 30)
    scores = evaluate({"train": np.zeros((100, 3))}, {"train": y}, rng=np.random.default_rng(0))
    assert (scores.train, scores.validation, scores.test) == pytest.approx((0.7, 0.7, 0.7))
    assert set(scores.penalties) == {sentence_classification.PENALTIES[0]}, "ties go to the strongest penalty"
    assert majority({"train": y}) == 0.7
    assert majority({"train": y, "test": np.array([1, 1, 1, 0])}) == 0.25


def test_folds_keep_the_shares_of_the_classes() -> None:
    y = np.array([0] * 95 + [1] * 7 + [2] * 21)
    fold = sentence_classification._folds(y, 10, 3, np.random.default_rng(0))
    for label in range(3):
        counts = np.bincount(fold[y == label], minlength=10)
        assert counts.max() - counts.min() <= 1
    assert np.ptp(np.bincount(fold)) <= 1


def test_same_seed_same_scores_other_seed_other_folds() -> None:
    X, y = planted(300, 2, seed=4)
    one, two, three = (evaluate({"train": X}, {"train": y}, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == two != three


def test_what_does_not_fit_is_refused() -> None:
    X, y, rng = np.ones((6, 2)), np.array([0, 1] * 3), np.random.default_rng(0)
    assert_refused(
        lambda x, labels, settings: evaluate(x, labels, rng=rng, **settings),
        [
            ({"train": X, "dev": X}, {"train": y, "dev": y}, {}, r"got \['dev', 'train'\]"),
            ({"train": X, "test": np.ones((6, 3))}, {"train": y, "test": y}, {}, r"test: .* got \(6, 3\)"),
            ({"train": X * np.nan}, {"train": y}, {}, "train: a feature is NaN"),
            ({"train": X}, {"train": y / 2}, {}, "labels are integers from 0, got float64"),
            ({"train": X}, {"train": np.array([0, 0, 0, 0, 1, 1])}, {"folds": 3}, r"3 training rows .* got \[4, 2\]"),
            ({"train": X}, {"train": y}, {}, "6 training rows need 3 to 6 folds, got 10"),
            ({"train": X}, {"train": y}, {"folds": 3, "penalties": (1.0, 0.0)}, "penalties must be positive"),
        ],
    )


@pytest.mark.mirror
def test_real_vectors_classify_real_questions(mirror: Path) -> None:
    """Golden value of the ceiling on the smallest set, on a fifth of the training questions."""
    vectors: WordVectors = read_vectors("wefe_googlenews").join(read_vectors("googlenews_8000"))
    questions = read_sentences("trec6")
    features = {split: sentence_vectors(part.texts, vectors)[0] for split, part in questions.splits.items()}
    features["train"] = features["train"][::5]
    labels = {"train": questions.labels["train"][::5], "test": questions.labels["test"]}
    scores = evaluate(features, labels, rng=np.random.default_rng(0), folds=5)
    assert majority(questions.labels) == pytest.approx(0.188)
    assert 0.70 < scores.test < 0.83
    assert scores.validation < scores.train
