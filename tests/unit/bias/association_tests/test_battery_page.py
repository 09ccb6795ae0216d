"""The report on a whole battery: its numbers are those of single tests, and the page holds them and nothing else."""

import re

import numpy as np
from refusals import assert_refused

from trustnlp.bias import weat
from trustnlp.bias.association_tests.battery_page import report
from trustnlp.bias.association_tests.stability import bootstrap_effect_sizes
from trustnlp.bias.association_tests.word_sets import StimuliError
from trustnlp.evaluation.multiple_testing import benjamini_hochberg, holm

SETS = tuple(tuple(f"{name}{i}" for i in range(5)) for name in "xyab")
OTHER = (*SETS[2:], *SETS[:2])
FEW = {"measures": ("cosine", "euclidean"), "statistics": ("mean", "max"), "resamples": 50}


def vectors() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {word: rng.standard_normal(6) + (word[0] in "xa") for words in SETS for word in words}


def test_numbers_are_those_of_single_tests_with_intervals_and_corrections():
    v = vectors()
    found = report(v, [SETS, OTHER], alternative="greater", **FEW)
    singles = [weat(v, sets, alternative="greater") for sets in (SETS, OTHER)]
    assert [found.results[i] for i in found.headline] == singles
    np.testing.assert_array_equal(found.holm, holm([r.p_value for r in singles]))
    p = [r.p_value for r in found.results]
    assert len(p) == 8
    np.testing.assert_allclose(found.holm_all, holm(p))
    np.testing.assert_allclose(found.fdr_all, benjamini_hochberg(p))
    rng = np.random.default_rng(0)
    for sets, low, high in zip((SETS, OTHER), found.low, found.high, strict=True):
        drawn = bootstrap_effect_sizes(v, sets, resamples=50, rng=rng)
        assert (low, high) == tuple(np.quantile(drawn, [0.025, 0.975]))


def test_page_shows_the_numbers_and_asks_no_other_host():
    found = report(vectors(), [SETS, OTHER], name="mine & <yours>", **FEW)
    first = found.results[found.headline[0]]
    shown = (f"{first.effect_size:.2f}", f"{found.low[0]:.2f} to {found.high[0]:.2f}", f"{first.p_value:.2g}")
    assert all(f">{number}<" in found.html for number in shown)
    assert found.html.startswith("<!doctype html>") and "mine &amp; &lt;yours&gt;" in found.html
    tags = re.findall(r"<(\w+)", found.html)
    assert not {"script", "img", "link", "iframe"} & set(tags) and "http" not in found.html
    assert tags.count("table") == 2 and tags.count("tr") == 2 * (1 + 2)
    assert found._repr_html_() == found.html


def test_a_test_without_its_words_is_left_out_and_named():
    v = vectors()
    strange = (("p", "q"), ("r", "s"), *SETS[2:])
    few = {word: v[word] for word in v if word != "x1"}
    found = report(few, [SETS, strange], **FEW)
    assert len(found.tests) == 1 and list(found.left_out) == ["own sets: X, Y, A, B"]
    assert "was left out. WEAT 0, set X: 0 of 2 words known" in found.html
    assert "set X: without a vector: x1" in found.html


def test_bad_choices_are_explained():
    strange = (("p", "q"), ("r", "s"), *SETS[2:])
    rows = [
        ([SETS], {"alpha": 5}, "alpha must lie between 0 and 1"),
        ([SETS], {"measure": "manhattan", **FEW}, "put them among measures"),
        ([], FEW, StimuliError, "no tests were given"),
        ([strange], FEW, StimuliError, "0 of 2 words known"),
    ]
    assert_refused(lambda tests, options: report(vectors(), tests, **options), rows)


def test_the_ten_tests_on_real_vectors(googlenews):
    found = report(googlenews, measures=["cosine"], statistics=["mean"], resamples=200)
    assert [test.number for test in found.tests] == list(range(1, 11)) and not found.left_out
    assert "wefe_googlenews" in found.html and "set Y: without a vector: axe" in found.html
    assert found.low[5] < found.results[5].effect_size and found.holm[5] <= 0.01
