"""Two sets of pairs and words against each other: tests by their formulas, planted sameness, and what is refused."""

import numpy as np
import pytest
from refusals import assert_refused
from scipy import stats

from trustnlp.bias.gender_direction.direct_bias import signed_scores
from trustnlp.bias.gender_direction.pair_directions import gender_direction
from trustnlp.bias.gender_direction.set_comparison import SCORES, compare_sets
from trustnlp.embeddings.static import WordVectors

PAIRS = [(f"f{i}", f"m{i}") for i in range(10)]
WORDS = [f"p{i}" for i in range(200)]


def planted(seed: int = 3, noise: float = 0.0) -> WordVectors:
    """Ten pairs that differ along the first coordinate, and 200 words."""
    draw = np.random.default_rng(seed)
    rows = draw.standard_normal((220, 40))
    for number in range(0, 20, 2):
        rows[number + 1] = rows[number] + noise * draw.standard_normal(40)
        rows[number, 0], rows[number + 1, 0] = 4, -4
    return WordVectors([word for pair in PAIRS for word in pair] + WORDS, rows, "planted")


@pytest.mark.parametrize("score", SCORES)
def test_tests_are_those_of_scipy_on_the_scores(score):
    vectors = planted(noise=1.0)
    found = compare_sets(vectors, PAIRS, PAIRS[:4], WORDS, WORDS[:32], margin=0.2, score=score)
    first, second = gender_direction(vectors, PAIRS).g, gender_direction(vectors, PAIRS[:4]).g
    a, b, again = (signed_scores(vectors, w, g) for w, g in ((WORDS, first), (WORDS[:32], second), (WORDS, second)))
    if score == "absolute":
        a, b, again = abs(a), abs(b), abs(again)
    unpaired, paired = stats.ttest_ind(b, a, equal_var=False), stats.ttest_rel(again, a)
    assert found["unpaired_p"] == pytest.approx(unpaired.pvalue) and found["paired_p"] == pytest.approx(paired.pvalue)
    step = (again - a).std(ddof=1) / np.sqrt(len(a))
    share = (abs((again - a).mean()) + step) / np.abs(a).mean()  # near the edge, where a factor on p would be seen
    found = compare_sets(vectors, PAIRS, PAIRS[:4], WORDS, WORDS[:32], margin=share, score=score)
    margin = share * np.abs(a).mean()
    low = stats.ttest_1samp(again - a, -margin, alternative="greater").pvalue
    high = stats.ttest_1samp(again - a, margin, alternative="less").pvalue
    assert found["equivalence_p"] == pytest.approx(max(low, high)) and 0.1 < found["equivalence_p"] < 0.2
    assert (found["equivalence_margin_left"] > 0) == (found["equivalence_p"] < 0.05)
    assert found["unpaired_difference"] == pytest.approx(b.mean() - a.mean())
    assert found["words"] == 200 and found["reduced_words"] == 32 and found["reduced_pairs"] == 4


def test_the_detectable_difference_is_found_four_times_in_five():
    vectors = planted(noise=1.0)
    found = compare_sets(vectors, PAIRS, PAIRS[:5], WORDS, WORDS[:32], margin=0.1)
    a = signed_scores(vectors, WORDS, gender_direction(vectors, PAIRS).g)
    b = signed_scores(vectors, WORDS[:32], gender_direction(vectors, PAIRS[:5]).g)
    draw = np.random.default_rng(0)
    x = draw.normal(0, a.std(ddof=1), (4000, 200))
    y = draw.normal(found["detectable"], b.std(ddof=1), (4000, 32))
    power = (stats.ttest_ind(x, y, axis=1, equal_var=False).pvalue < 0.05).mean()
    assert power == pytest.approx(0.8, abs=0.03)


def test_sets_that_measure_the_same_are_told_from_those_that_do_not():
    same = compare_sets(planted(noise=0.1), PAIRS, PAIRS[:7], WORDS, WORDS[:32], margin=0.1)
    assert same["directions_cosine"] > 0.99 and same["equivalence_margin_left"] > 0 and same["unpaired_p_above_05"] > 0
    turned = [("f2", "m5"), ("f6", "m0"), ("f7", "m3")]
    other = compare_sets(planted(noise=4.0), PAIRS, turned, WORDS, WORDS[:32], margin=0.1)
    assert other["equivalence_margin_left"] < 0 and other["directions_cosine"] < 0.95


def test_what_is_no_comparison_is_refused():
    vectors = planted(noise=1.0)

    def attempt(**changes: object) -> object:
        given = {"original_pairs": PAIRS, "reduced_pairs": PAIRS[:5], "original_words": WORDS, "reduced_words": WORDS}
        return compare_sets(vectors, **{**given, "margin": 0.1, **changes})

    rows = [
        ({"margin": 0}, "must be positive, got 0"),
        ({"score": "squared"}, "score 'squared'"),
        ({"original_words": ["x", "p1", "p1", "p2"]}, "2 and 200 words have vectors; 3 of each"),
        ({"reduced_pairs": [("f0", "m0"), ("f1", "none")]}, "1 of 2 pairs have vectors"),
        ({"reduced_pairs": PAIRS}, "score every word alike"),
    ]
    assert_refused(lambda changes: attempt(**changes), rows)
