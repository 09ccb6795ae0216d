"""WEFE's metrics: against wefe 1.0.1 on its own vectors, and against what each formula says on vectors one can see."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr

from trustnlp.bias.association_tests.association import weat
from trustnlp.bias.association_tests.word_set_scores import (
    embedding_coherence,
    mean_average_cosine,
    relational_inner_product,
    relative_negative_sentiment,
    relative_norm_distance,
    wefat,
)
from trustnlp.bias.association_tests.word_sets import MissingWordsError, StimuliError
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.static import WordVectors

FEMALE = ["female", "woman", "girl", "sister", "she", "her", "hers", "daughter"]
MALE = ["male", "man", "boy", "brother", "he", "him", "his", "son"]
FAMILY = ["home", "parents", "children", "family", "cousins", "marriage", "wedding", "relatives"]
CAREER = ["executive", "management", "professional", "corporation", "salary", "office", "business", "career"]
TRIPLE = (FEMALE, MALE, FAMILY)


def test_scores_equal_those_of_wefe(googlenews):
    """Written down from wefe 1.0.1 run on `load_test_model()`, in float32."""
    assert relative_norm_distance(googlenews, *TRIPLE).score == pytest.approx(0.030381858, abs=1e-6)
    cos = relative_norm_distance(googlenews, *TRIPLE, distance="cos")
    assert cos.score == pytest.approx(0.026741704, abs=1e-6)
    unit = WordVectors(googlenews.words, googlenews.unit, "unit length")
    assert relative_norm_distance(unit, *TRIPLE).score == pytest.approx(-0.006278768, abs=1e-6)
    sentiment = relative_negative_sentiment(googlenews, [FEMALE, MALE], FAMILY, CAREER)
    assert sentiment.score == pytest.approx(0.12921977967420623, abs=1e-5)
    assert sentiment.by_word["she"] == pytest.approx(0.40677635339222296, abs=1e-5)
    assert mean_average_cosine(googlenews, [FEMALE, MALE], [FAMILY, CAREER]).score == pytest.approx(0.8416415, abs=1e-6)
    assert embedding_coherence(googlenews, *TRIPLE).score == pytest.approx(0.6190476190476191)
    product = relational_inner_product(googlenews, *TRIPLE)
    assert product.score == pytest.approx(0.19969231, abs=1e-6)
    assert product.by_word["wedding"] == pytest.approx(0.41979152, abs=1e-6)


def test_a_missing_word_takes_its_pair_along(googlenews):
    """wefe 1.0.1 gives .1968 here, from pairs such as (woman, male); the pairs that are left give another number."""
    first = ["zzzz", *FEMALE[1:7]]
    second = [*MALE[:6], "qqqq"]
    found = relational_inner_product(googlenews, first, second, FAMILY, max_missing=0.3)
    assert found.missing == ("zzzz", "qqqq")
    assert found.score == relational_inner_product(googlenews, first[1:6], second[1:6], FAMILY).score
    assert abs(found.score - 0.19682771) > 0.01
    with pytest.raises(MissingWordsError, match="5 of 7 pairs of words known"):
        relational_inner_product(googlenews, first, second, FAMILY)
    with pytest.raises(StimuliError, match="pairs of words, got 8 and 7"):
        relational_inner_product(googlenews, FEMALE, MALE[:7], FAMILY)


def plane() -> dict[str, np.ndarray]:
    """Two groups on two axes, attributes on the first, the second and between."""
    return {
        "x": np.array([2.0, 0.0]), "x2": np.array([4.0, 0.0]), "y": np.array([0.0, 2.0]), "y2": np.array([0.0, 4.0]),
        "on_x": np.array([3.0, 0.0]), "on_y": np.array([0.0, 3.0]), "between": np.array([1.0, 1.0]),
    }  # fmt: skip


def test_each_formula_on_vectors_one_can_see():
    v, X, Y = plane(), ["x", "x2"], ["y", "y2"]
    distance = relative_norm_distance(v, X, Y, ["on_x"])
    assert distance.score == pytest.approx(-np.sqrt(18))
    assert relative_norm_distance(v, X, Y, ["on_x", "on_y"]).score == pytest.approx(0)
    assert relative_norm_distance(v, X, Y, ["on_x"], distance="cos").score == pytest.approx(1)
    assert mean_average_cosine(v, [X, Y], [["on_x"]]).score == pytest.approx(0.5)
    assert mean_average_cosine(v, [X], [["on_x"], ["on_y"]]).by_word == pytest.approx({"x": 0.5, "x2": 0.5})
    assert embedding_coherence(v, X, Y, ["on_x", "between", "on_y"]).score == pytest.approx(-1)
    assert embedding_coherence(v, X, ["x"], ["on_x", "between", "on_y"]).score == pytest.approx(1)
    assert relational_inner_product(v, X, Y, ["on_x"]).score == pytest.approx(3 / np.sqrt(2))
    assert relational_inner_product(v, Y, X, ["on_x"]).score == pytest.approx(-3 / np.sqrt(2))
    even = relative_negative_sentiment(v, [["between"], ["between"]], ["on_x"], ["on_y"])
    assert even.score == pytest.approx(0)
    assert relative_negative_sentiment(v, [X, Y], ["on_x"], ["on_y"]).score > 0.1


def test_wefat_equals_a_loop_and_follows_the_property():
    v = plane() | {"mid_x": np.array([2.0, 1.0])}
    percent = {"on_x": 90.0, "mid_x": 70.0, "on_y": 5.0, "unknown": 50.0}
    found = wefat(v, ["x", "x2"], ["y", "y2"], percent, max_missing=0.25)
    for word, association in found.by_word.items():
        cosines = [v[word] @ v[a] / np.linalg.norm(v[word]) / np.linalg.norm(v[a]) for a in ("x", "x2", "y", "y2")]
        assert association == pytest.approx((np.mean(cosines[:2]) - np.mean(cosines[2:])) / np.std(cosines, ddof=1))
    assert found.missing == ("unknown",)
    assert found.score == pytest.approx(np.corrcoef(list(found.by_word.values()), [90, 70, 5])[0, 1])
    assert found.score > 0.9


# Percentage of women, US Bureau of Labor Statistics; e-mckinnie/WEAT, wefat_1_percentage_women.json, commit b1cba40.
WOMEN = {"accountant": 59.7, "receptionist": 88.3, "librarian": 83.2, "pharmacist": 61.6, "janitor": 38.6,
         "bartender": 48.9, "electrician": 3.1, "pathologist": 94.4, "lawyer": 37.4, "plumber": 2.3, "surgeon": 26.3,
         "veterinarian": 64.9, "paramedic": 28.1, "chemist": 40.4, "machinist": 5.8, "nutritionist": 91.4,
         "hairdresser": 90.8, "baker": 64.1, "paralegal": 85.8, "hygienist": 93.9}  # fmt: skip


def test_wefat_on_exact_glove_follows_the_percentages_of_women(mirror):
    """Caliskan et al. (2017) print r = .90 for fifty occupations; these are the twenty that are public as numbers."""
    found = wefat(read_vectors("glove_840b_weat_exact"), FEMALE, MALE, WOMEN)
    assert len(found.by_word) == len(WOMEN) and found.missing == ()
    interval = pearsonr(list(found.by_word.values()), list(WOMEN.values())).confidence_interval()
    assert interval.low > 0.7 and interval.low < 0.90 < interval.high
    assert found.score == pytest.approx(0.9097, abs=1e-4)


def test_missing_words_are_reported_or_refused(googlenews):
    assert relative_norm_distance(googlenews, ["zzzz", *FEMALE], MALE, FAMILY).missing == ("zzzz",)
    with pytest.raises(MissingWordsError, match=r"1 of 2 words known \(missing: zzzz\)"):
        embedding_coherence(googlenews, ["zzzz", "woman"], MALE, FAMILY)
    with pytest.raises(ValueError, match="choose one of norm, cos"):
        relative_norm_distance(googlenews, *TRIPLE, distance="far")


_DRAWN = np.random.default_rng(0).standard_normal((8, 5))
SMALL = {**dict(zip("abcdefgh", _DRAWN, strict=True)), "twin": _DRAWN[0]}


@pytest.mark.parametrize(
    ("score", "told"),
    [
        (lambda v: relational_inner_product(v, ["a", "b"], ["twin", "c"], ["d"]), "one vector, so no direction"),
        (lambda v: relational_inner_product(v, [], [], ["d"]), "is empty"),
        (lambda v: embedding_coherence(v, ["a"], ["b"], ["c"]), "two words or more, got 1"),
        (lambda v: embedding_coherence(v, ["b"], ["c"], ["a", "twin"]), "are all the same"),
        (lambda v: wefat(v, ["a", "b"], ["c", "d"], {"e": 1.0, "f": 1.0, "g": 1.0}), "the properties are all the same"),
        (lambda v: wefat(v, ["a"], ["twin"], {"e": 1.0, "f": 2.0}), "as near to every attribute word"),
        (lambda v: wefat(v, ["b"], ["c"], {"a": 1.0, "twin": 2.0}), "the associations of the words are all the same"),
        (lambda v: wefat(v, ["a", "b"], ["c", "d"], {"e": float("nan"), "f": 2.0}), "NaN or infinite"),
        (lambda v: mean_average_cosine(v, [], [["a"]]), "got 0 and 1"),
        (lambda v: mean_average_cosine(v, [[]], [["a"]]), "is empty"),
        (lambda v: relative_negative_sentiment(v, [], ["a"], ["b"]), "at least one set"),
        (lambda v: relative_negative_sentiment(v, [["c"]], ["a"], ["b"]), "at least two"),
    ],
)
def test_where_there_is_no_score_one_sentence_says_why(score, told):
    with warnings.catch_warnings(), pytest.raises(ValueError, match=told) as raised:
        warnings.simplefilter("error")
        score(SMALL)
    assert "\n" not in str(raised.value)


def test_a_text_in_the_place_of_a_list_is_not_read_letter_by_letter() -> None:
    letters = {letter: np.eye(26)[at] + 0.1 for at, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}
    with pytest.raises(StimuliError, match=r"did you mean \['he'\]"):
        relative_norm_distance(letters, "he", ["s"], ["n"])
    with pytest.raises(StimuliError, match="list of words"):
        relative_negative_sentiment(letters, ["abc"], ["g"], ["b"])


def test_properties_may_be_a_series_of_words():
    vectors = {word: np.random.default_rng(ord(word)).normal(size=5) for word in "abcdefg"}
    properties = {"a": 1.0, "b": 3.0, "c": 2.0}
    assert wefat(vectors, [*"de"], [*"fg"], pd.Series(properties)) == wefat(vectors, [*"de"], [*"fg"], properties)


def test_vectors_that_a_regression_cannot_take_are_refused():
    vectors = {word: 1e40 * np.random.default_rng(ord(word)).normal(size=5) for word in "abcdef"}
    with pytest.raises(StimuliError, match="scale them"):
        relative_negative_sentiment(vectors, [["a", "b"]], ["c", "d"], ["e", "f"])


@pytest.mark.parametrize("share", [float("nan"), -0.1, 2, "x"])
def test_what_may_be_missing_is_a_share(googlenews, share):
    for measure in (lambda: relative_norm_distance(googlenews, *TRIPLE, max_missing=share),
                    lambda: weat(googlenews, 6, max_missing=share)):  # fmt: skip
        with pytest.raises(ValueError, match="`max_missing` is a share from 0 to 1"):
            measure()


@pytest.mark.parametrize("scale", [1e-101, 1e-300])
def test_vectors_so_short_that_they_vanish_are_refused_and_not_waited_for(scale: float) -> None:
    short = {f"w{at}": row * scale for at, row in enumerate(np.random.default_rng(0).uniform(0.1, 1, (12, 4)))}
    words = list(short)
    with pytest.raises(StimuliError, match="takes coordinates from 1e-100"):
        relative_negative_sentiment(short, [words[:4]], words[4:8], words[8:])
