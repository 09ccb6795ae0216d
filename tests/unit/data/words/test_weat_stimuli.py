"""The ten tests: sizes, the differences between the two sources, and the published effect sizes they give."""

from itertools import product

import pytest

from trustnlp.data.words.weat_stimuli import read_weat_tests

TARGETS = {1: 25, 2: 25, 3: 32, 4: 18, 5: 18, 6: 8, 7: 8, 8: 8, 9: 6, 10: 8}
ATTRIBUTES = {1: 25, 2: 25, 3: 25, 4: 25, 5: 8, 6: 8, 7: 8, 8: 8, 9: 7, 10: 8}


def test_sizes(weat_tests):
    for number, test in weat_tests.items():
        sizes = [len(words) for words in (test.X, test.Y, test.A, test.B)]
        assert sizes == [TARGETS[number]] * 2 + [ATTRIBUTES[number]] * 2, number
        assert test.number == number and len(test.names) == 4
        assert len(set(test.words)) == len(test.words), "a stimulus in two sets"
    assert weat_tests[6].title == "Male names and female names, career and family"


def test_the_two_sources_differ_where_the_docstring_says(mirror, weat_tests):
    published = read_weat_tests("caliskan")
    differences = {}
    for number, name in product(published, "XYAB"):
        here, there = (set(getattr(tests[number], name)) for tests in (weat_tests, published))
        if here != there:
            differences[number, name] = (here - there, there - here)
    names = {"X": ({"Jay", "Kristen"}, set()), "Y": ({"Tremayne", "Latonya"}, set())}
    assert differences == {
        (4, "X"): names["X"],
        (4, "Y"): names["Y"],
        (5, "X"): names["X"],
        (5, "Y"): names["Y"],
        (9, "A"): ({"short"}, {"short-term"}),
    }
    wefe = read_weat_tests("wefe")
    assert {n for n in wefe if wefe[n] != weat_tests[n]} == {10}
    assert (set(wefe[10].X) ^ set(weat_tests[10].X)) == {"Bill", "Billy"}
    assert len(published[4].X) == len(published[5].Y) == 16


def test_one_stimulus_is_missing_from_googlenews(googlenews, weat_tests):
    missing = {number: [word for word in test.words if word not in googlenews] for number, test in weat_tests.items()}
    assert {number: words for number, words in missing.items() if words} == {2: ["axe"], 10: ["Billy"]}


def test_an_unknown_source_is_refused():
    with pytest.raises(ValueError, match="choose 'canonical', 'caliskan' or 'wefe'"):
        read_weat_tests("other")
