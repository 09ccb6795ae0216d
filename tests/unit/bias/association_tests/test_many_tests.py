"""The battery against single tests, and the bootstrap over stimuli against a loop."""

import dataclasses
from itertools import product

import numpy as np
import pytest

from trustnlp.bias import MEASURES, STATISTICS, battery, weat
from trustnlp.bias.association_tests.covariance import shrunk_precision
from trustnlp.bias.association_tests.many_tests import fit_attribute_set
from trustnlp.bias.association_tests.stability import bootstrap_effect_sizes
from trustnlp.bias.association_tests.stimuli import Lookup
from trustnlp.bias.association_tests.word_sets import MissingWordsError
from trustnlp.data.words.weat_stimuli import WeatTest
from trustnlp.embeddings.static import WordVectors

WORDS = {name: tuple(f"{name}{i}" for i in range(6)) for name in "XYABCD"}
FIRST = WeatTest(1, "first", WORDS["X"], WORDS["Y"], WORDS["A"], WORDS["B"], ("x", "y", "a", "b"))
SECOND = dataclasses.replace(FIRST, number=2, X=WORDS["C"], Y=WORDS["D"])


def vectors(seed: int = 0) -> WordVectors:
    words = [word for words in WORDS.values() for word in words]
    return WordVectors(words, np.random.default_rng(seed).standard_normal((len(words), 10)), "random")


def test_every_cell_equals_its_single_test():
    v = vectors()
    results = battery(v, [FIRST, SECOND], alternative="greater")
    assert [(r.test, r.measure, r.statistic) for r in results] == list(product((1, 2), MEASURES, STATISTICS))
    for r in results:
        single = weat(v, {1: FIRST, 2: SECOND}[r.test], measure=r.measure, statistic=r.statistic, alternative="greater")
        assert (r.effect_size, r.p_value) == (single.effect_size, single.p_value)


def test_precisions_given_by_attribute_set_are_used():
    v = vectors()
    identity = {FIRST.A: np.eye(10), FIRST.B: np.eye(10)}
    (given,) = battery(v, [FIRST], measures=("mahalanobis",), statistics=("mean",), precisions=identity)
    (euclidean,) = battery(v, [FIRST], measures=("euclidean",), statistics=("mean",))
    assert given.effect_size == pytest.approx(euclidean.effect_size)


def test_attribute_sets_are_estimated_once_and_enlarged(monkeypatch):
    fitted = []

    def counting(*arguments: object) -> object:
        fitted.append(arguments[1])
        return fit_attribute_set(*arguments)

    monkeypatch.setattr("trustnlp.bias.association_tests.many_tests.fit_attribute_set", counting)
    battery(vectors(), [FIRST, SECOND], measures=("mahalanobis",), statistics=("mean",), neighbours=2)
    assert fitted == [FIRST.A, FIRST.B]
    with pytest.raises(ValueError, match="wrap it in WordVectors"):
        battery(dict(zip(vectors(), vectors().matrix, strict=True)), [FIRST], measures=("mahalanobis",), neighbours=2)
    alone, enlarged = (fit_attribute_set(Lookup(vectors()), FIRST.A, "ledoit_wolf", k) for k in (0, 3))
    np.testing.assert_array_equal(alone, shrunk_precision(vectors().stack(FIRST.A)))
    assert not np.allclose(alone, enlarged)


def test_incomplete_tests_stop_or_are_skipped():
    v = vectors()
    half = {word: v[word] for word in v if word[0] != "C"}
    with pytest.raises(MissingWordsError, match="WEAT 2, set X: 0 of 6"):
        battery(half, [FIRST, SECOND])
    assert {r.test for r in battery(half, [FIRST, SECOND], incomplete="skip")} == {1}
    with pytest.raises(ValueError, match="raise, skip"):
        battery(half, [FIRST], incomplete="ignore")


# --- bootstrap over the stimuli ----------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["cosine", "euclidean", "mahalanobis"])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_bootstrap_equals_a_loop_over_resampled_words(measure, statistic):
    """The same draws, made into word lists and tested one by one, give the same effect sizes."""
    v = vectors()
    precision = (np.eye(10), 2 * np.eye(10)) if measure == "mahalanobis" else None
    fast = bootstrap_effect_sizes(
        v, FIRST, resamples=2, rng=np.random.default_rng(5), measure=measure, statistic=statistic, precision=precision
    )
    rng = np.random.default_rng(5)
    columns = [rng.integers(6, size=(2, 6)) for _ in range(4)]
    for i in range(2):
        a, b, x, y = (
            np.stack([v[words[j]] for j in drawn[i]])
            for words, drawn in zip((FIRST.A, FIRST.B, FIRST.X, FIRST.Y), columns, strict=True)
        )
        sets = [[f"{name}{k}" for k in range(6)] for name in "xyab"]
        renamed = dict(zip(np.ravel(sets).tolist(), np.concatenate((x, y, a, b)), strict=True))
        slow = weat(renamed, sets, measure=measure, statistic=statistic, precision=precision, alternative="greater")
        assert fast[i] == pytest.approx(slow.effect_size)


def test_bootstrap_surrounds_the_estimate_and_follows_its_generator():
    v = vectors()
    draws = [bootstrap_effect_sizes(v, FIRST, resamples=800, rng=np.random.default_rng(seed)) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(draws[0], draws[1])
    assert (draws[0] != draws[2]).any()
    low, high = np.quantile(draws[0], [0.025, 0.975])
    assert low < weat(v, FIRST, alternative="greater").effect_size < high
    assert np.abs(draws[0]).max() < 2


def test_resamples_without_spread_are_drawn_again_in_whatever_blocks(monkeypatch):
    monkeypatch.setattr("trustnlp.bias.association_tests.stability._NUMBERS_AT_ONCE", 1000)
    pairs = dataclasses.replace(FIRST, X=("X0", "X1"), Y=("Y0", "Y1"))
    v = vectors()
    twins = {word: v["X0"] if word in ("X0", "Y0") else v[word] for word in v}
    draws = bootstrap_effect_sizes(twins, pairs, resamples=200, rng=np.random.default_rng(0))
    assert len(draws) == 200 and np.isfinite(draws).all()


def test_bootstrap_bad_input():
    with pytest.raises(ValueError, match="at least 1"):
        bootstrap_effect_sizes(vectors(), FIRST, resamples=0, rng=np.random.default_rng(0))
    same = {word: np.ones(10) if word[0] in "XY" else vectors()[word] for word in vectors()}
    with pytest.raises(ValueError, match="undefined"):
        bootstrap_effect_sizes(same, FIRST, rng=np.random.default_rng(0))
