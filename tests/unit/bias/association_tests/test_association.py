"""The one-line association test: published numbers, missing words, and every kind of bad input."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.bias import battery, weat
from trustnlp.bias.association_tests.covariance import shrunk_precision
from trustnlp.bias.association_tests.stability import bootstrap_effect_sizes
from trustnlp.bias.association_tests.word_sets import MissingWordsError, StimuliError
from trustnlp.data.words.weat_stimuli import WeatTest, read_weat_tests
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.studies.weat_measures.standins import planted_vectors

X, Y, A, B = (tuple(f"{name}{i}" for i in range(n)) for name, n in (("x", 5), ("y", 5), ("a", 6), ("b", 4)))
SETS = (X, Y, A, B)


def vectors(seed: int = 0, dim: int = 8) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {word: rng.standard_normal(dim) for words in SETS for word in words}


def without(*words: str) -> dict[str, np.ndarray]:
    return {word: vector for word, vector in vectors().items() if word not in words}


# --- published and peers' numbers --------------------------------------------------------------------------------

# wefe 1.0.1 (ddof 0, signed) with its own lists and vectors.
WEFE = {1: 1.55497575, 2: 1.64480227, 3: 0.58841372, 4: 1.33202905, 5: 0.73367339, 6: 1.95184732, 7: 0.99810790,
        8: 1.28464789, 9: 1.35440424, 10: -0.20469374}  # fmt: skip
# Table 4, word2vec, cosine and mean.
TABLE_4 = {1: 1.54, 2: 1.63, 3: 0.58, 4: 1.31, 6: 1.89, 7: 0.97, 8: 1.24, 9: 1.30}


@pytest.mark.parametrize("number", WEFE)
def test_effect_sizes_equal_wefe(googlenews, number):
    test = read_weat_tests("wefe")[number]
    assert weat(googlenews, test, ddof=0).effect_size == pytest.approx(WEFE[number], abs=1e-6)


@pytest.mark.parametrize("number", TABLE_4)
def test_effect_sizes_equal_the_table(googlenews, weat_tests, number):
    assert round(weat(googlenews, weat_tests[number]).effect_size, 2) == TABLE_4[number]


def test_columns_of_the_table_tell_the_orientation(googlenews, weat_tests):
    """Word2vec, test 1: the Min column of cosine is that of the similarity, not of the distance."""
    printed = {("cosine", "min"): 0.55, ("cosine", "max"): 1.49, ("euclidean", "min"): 1.31, ("euclidean", "max"): 0.95}
    for (measure, statistic), value in printed.items():
        assert round(weat(googlenews, weat_tests[1], measure=measure, statistic=statistic).effect_size, 2) == value
    turned = weat(googlenews, weat_tests[1], measure="cosine", statistic="min", orientation="distance")
    assert round(turned.effect_size, 2) == printed["cosine", "max"]


# --- what the numbers mean ---------------------------------------------------------------------------------------


def test_one_side_is_caliskans_and_the_default_counts_both():
    one, swapped = (weat(vectors(), sets, alternative="greater") for sets in (SETS, (Y, X, A, B)))
    both, observed = weat(vectors(), SETS), weat(vectors(), SETS, alternative="observed")
    assert one.effect_size == both.effect_size == pytest.approx(-swapped.effect_size)
    assert both.p_value == pytest.approx(2 * min(one.p_value, swapped.p_value))
    assert observed.p_value == pytest.approx(both.p_value / 2)
    assert (one.alternative, both.alternative) == ("greater", "absolute")


def test_the_raw_sum_is_what_the_permutation_test_orders_by():
    outcome, swapped = weat(vectors(), SETS), weat(vectors(), (Y, X, A, B))
    unit = {word: row / np.linalg.norm(row) for word, row in vectors().items()}

    def association(w: str) -> float:
        return float(np.mean([unit[w] @ unit[a] for a in A]) - np.mean([unit[w] @ unit[b] for b in B]))

    assert outcome.raw_sum == pytest.approx(sum(map(association, X)) - sum(map(association, Y)))
    assert swapped.raw_sum == pytest.approx(-outcome.raw_sum)


@pytest.mark.parametrize("measure", ["cosine", "euclidean", "manhattan", "mahalanobis"])
def test_positive_means_that_x_is_nearer_to_a(measure):
    v = {word: vector + 3 * (1 if word[0] in "xa" else -1) * np.eye(8)[0] for word, vector in vectors().items()}
    for statistic in ("mean", "median", "min", "max"):
        assert weat(v, SETS, measure=measure, statistic=statistic, alternative="greater").effect_size > 1


def test_planted_effect_is_recovered():
    test = WeatTest(0, "planted", X, Y, A, B, ("x", "y", "a", "b"))
    for d in (-1.2, 0.0, 0.4, 1.6):
        v = planted_vectors(test, d, dim=20, rng=np.random.default_rng(1))
        assert weat(v, test, alternative="greater").effect_size == pytest.approx(d, abs=1e-5)


def test_mahalanobis_without_precision_is_estimated():
    v = vectors()
    estimated = weat(v, SETS, measure="mahalanobis")
    precisions = tuple(shrunk_precision(np.stack([v[word] for word in words])) for words in (A, B))
    assert weat(v, SETS, measure="mahalanobis", precision=precisions).effect_size == estimated.effect_size
    identity = weat(v, SETS, measure="mahalanobis", precision=(np.eye(8), np.eye(8)))
    assert identity.effect_size == pytest.approx(weat(v, SETS, measure="euclidean").effect_size)


def test_each_attribute_set_has_its_own_precision():
    v = vectors()
    one = weat(v, SETS, measure="mahalanobis", precision=(np.eye(8), 4 * np.eye(8))).scores
    from trustnlp.bias.association_tests.measures import distance_matrix

    T = np.stack([v[w] for w in X + Y])
    to_A, to_B = (distance_matrix(T, np.stack([v[w] for w in words]), "euclidean") for words in (A, B))
    np.testing.assert_allclose(one, -(to_A.mean(1) - 2 * to_B.mean(1)))


def test_monte_carlo_needs_a_generator_and_follows_it():
    runs = [
        weat(vectors(), SETS, method="monte-carlo", draws=500, rng=np.random.default_rng(seed)).p_value
        for seed in (0, 0, 1)
    ]
    assert runs[0] == runs[1] != runs[2]
    with pytest.raises(ValueError, match="rng="):
        weat(vectors(), SETS, method="monte-carlo")


# --- what a test may be given as ---------------------------------------------------------------------------------


def test_a_number_may_be_numpys_or_its_digits(googlenews):
    plain = weat(googlenews, 6)
    assert weat(googlenews, np.int64(6)) == weat(googlenews, "6") == plain


def test_a_number_means_one_set_of_lists_everywhere(googlenews):
    """WEAT 10 with *Billy*, which these vectors lack; with wefe's *Bill* by name only."""
    assert weat(googlenews, 10).missing == {"X": ("Billy",)}
    assert battery(googlenews, [10], measures=["cosine"], statistics=["mean"])[0].missing == {"X": ("Billy",)}
    assert not weat(googlenews, read_weat_tests("wefe")[10]).missing


def test_billy_gives_the_printed_number(mirror, googlenews):
    whole = googlenews.join(read_vectors("googlenews_8000"))
    assert round(weat(whole, 10).effect_size, 2) == -0.09  # the paper prints the absolute value
    assert round(weat(whole, read_weat_tests("wefe")[10]).effect_size, 2) == -0.20


def test_sets_may_be_named_or_pythons():
    v, plain = vectors(), weat(vectors(), SETS)
    assert weat(v, {"A": A, "B": B, "X": X, "Y": Y}) == plain
    assert weat(v, {"young": X, "old": Y, "pleasant": A, "unpleasant": B}) == plain
    assert weat(v, [set(words) for words in SETS]) == plain


def test_unequal_sets_keep_their_sizes_and_an_exact_p_value():
    outcome = weat(vectors(), (X, Y[:3], A, B), alternative="greater")
    scores, n = outcome.scores, len(X)
    means = [np.mean(scores[list(half)]) - np.mean(np.delete(scores, list(half))) for half in combinations(range(8), n)]
    assert outcome.sizes == (5, 3, 6, 4) and outcome.n_partitions == len(means) == 56
    assert outcome.p_value == np.mean(np.array(means) >= scores[:n].mean() - scores[n:].mean() - 1e-12)


def test_lower_cased_vectors_are_asked_in_lower_case():
    upper = tuple(tuple(word.capitalize() for word in words) for words in SETS)
    with pytest.raises(MissingWordsError, match="5 of them are known in lower case: lower=True"):
        weat(vectors(), upper)
    assert weat(vectors(), upper, lower=True).effect_size == weat(vectors(), SETS).effect_size
    found = battery(vectors(), [upper], measures=["mahalanobis"], statistics=["mean"], lower=True)[0]
    assert found.effect_size == pytest.approx(weat(vectors(), SETS, measure="mahalanobis").effect_size)
    with pytest.raises(StimuliError, match="'x0' are in both X and Y"):
        weat(vectors(), (("X0", "x1"), ("x0", "y1"), A, B), lower=True)


def fast_text() -> Any:
    gensim = pytest.importorskip("gensim.models")
    text = [[*X, *A], [*Y, *B]] * 5
    return gensim.FastText(text, vector_size=8, min_count=1, epochs=1, bucket=100, workers=1, seed=1)


def test_models_of_gensim_stand_for_their_vectors():
    model = fast_text()
    assert weat(model, SETS) == weat(model.wv, SETS)
    assert not weat(model, SETS).built


def test_fast_text_builds_no_stimulus_unless_asked_and_says_which():
    model = fast_text()
    sets = ((*X, "xylophone"), (*Y, "yacht"), A, B)
    plain = weat(model, sets)
    assert plain.missing == {"X": ("xylophone",), "Y": ("yacht",)} and not plain.built
    made = weat(model, sets, subwords=True)
    assert made.built == {"X": ("xylophone",), "Y": ("yacht",)} and not made.missing
    assert made.sizes[:2] == (6, 6)
    with pytest.raises(MissingWordsError, match="2 of them can be built from n-grams: subwords=True"):
        weat(model, ((*X[:3], "xylophone", "xenon"), Y, A, B))
    assert battery(model, [sets], measures=["mahalanobis"], statistics=["mean"])[0].missing == plain.missing


def test_pooled_takes_one_covariance_of_both_attribute_sets():
    v = vectors()
    outcome = weat(v, SETS, measure="mahalanobis", pooled=True)
    both = shrunk_precision(np.stack([v[word] for word in A + B]))
    given = weat(v, SETS, measure="mahalanobis", precision=(both, both))
    assert outcome.effect_size == given.effect_size != weat(v, SETS, measure="mahalanobis").effect_size
    (many,) = battery(v, [SETS], measures=["mahalanobis"], statistics=["mean"], pooled=True)
    assert many.effect_size == outcome.effect_size
    drawn = [
        bootstrap_effect_sizes(v, SETS, resamples=5, rng=np.random.default_rng(0), measure="mahalanobis", pooled=pooled)
        for pooled in (True, False)
    ]
    assert (drawn[0] != drawn[1]).all()
    with pytest.raises(ValueError, match="choose one"):
        weat(v, SETS, measure="mahalanobis", pooled=True, precision=(np.eye(8), np.eye(8)))


# --- missing words -----------------------------------------------------------------------------------------------


def test_missing_words_are_reported_and_the_test_goes_on_with_unequal_sizes():
    outcome = weat(without("y1", "a0"), SETS)
    assert outcome.missing == {"Y": ("y1",), "A": ("a0",)}
    assert outcome.sizes == (5, 4, 5, 4)
    assert outcome.n_partitions == 126
    assert len(outcome.scores) == 9


def test_too_many_missing_words_are_an_error_that_names_them():
    with pytest.raises(MissingWordsError, match=r"set X: 3 of 5 words known \(40% missing: x0, x3\).*at most 20%"):
        weat(without("x0", "x3"), SETS)
    assert weat(without("x0", "x3"), SETS, max_missing=0.4).sizes[0] == 3


def test_fewer_than_two_known_words_are_an_error_at_any_threshold():
    with pytest.raises(MissingWordsError, match=r"set B: 1 of 4 words known.*two known words"):
        weat(without("b0", "b1", "b2"), SETS, max_missing=1.0)
    with pytest.raises(StimuliError, match=r"set A: 1 of 1 words known \(0% missing\), but two"):
        weat(vectors(), (X, Y, ("a0",), B))


# --- bad input ---------------------------------------------------------------------------------------------------


def test_bad_sets_are_explained():
    rows = [
        (((), (), A, B), "set X is empty"),
        ((X, (*Y[:4], "x0"), A, B), "'x0' are in both X and Y"),
        ((X, Y, A, ("b0", "a1")), "'a1' are in both A and B"),
        ((X, Y, (*A[:5], "x1"), B), "'x1' are in both X and A; a word is nearest to itself"),
        ((X, Y, A, (*B[:3], 7)), "set B holds 7, a int; give words as strings"),
        (((*X[:4], "x0"), Y, A, B), "set X holds 'x0' more than once"),
        (("x0", "y0", "a0", "b0"), "four lists"),
        (11, "tests 1 to 10, got 11"),
        (0, "tests 1 to 10, got 0"),
        (np.int64(11), "tests 1 to 10, got 11"),
        (True, "True is no test; give its number from 1 to 10"),
        ("six", "'six' is no test; give its number"),
        ({"X": X, "Y": Y, "A": A}, "four lists of words"),
    ]
    assert_refused(lambda sets: weat(vectors(), sets), rows, error=StimuliError)


def test_bad_vectors_are_explained():
    rows = [
        (np.zeros(8), "'y2' is zero, NaN or infinite"),
        (np.full(8, np.nan), "'y2' is zero, NaN or infinite"),
        (np.ones((2, 4)), r"'y2' has shape \(2, 4\)"),
        (np.ones(5), r"different dimensions: \[5, 8\]"),
    ]
    assert_refused(lambda vector: weat(vectors() | {"y2": vector}, SETS), rows)


def test_equal_scores_and_unknown_names_are_explained():
    same = {word: np.ones(8) if word[0] in "xy" else vector for word, vector in vectors().items()}
    singular = {"measure": "mahalanobis", "precision": (np.zeros((8, 8)), np.eye(8))}
    rows = [
        (same, {}, "undefined"),
        (vectors(), {"measure": "angle"}, "unknown measure 'angle'"),
        (vectors(), {"statistic": "mode"}, "unknown statistic 'mode'"),
        (vectors(), singular, "singular covariance"),
    ]
    assert_refused(lambda given, options: weat(given, SETS, **options), rows)
