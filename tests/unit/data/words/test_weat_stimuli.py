"""The ten tests: sizes, the differences between the two sources, and the published effect sizes they give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.words import weat_stimuli
from trustnlp.data.words.weat_stimuli import WeatTest, read_weat_tests
from trustnlp.embeddings.static import WordVectors

TARGETS = {1: 25, 2: 25, 3: 32, 4: 18, 5: 18, 6: 8, 7: 8, 8: 8, 9: 6, 10: 8}
ATTRIBUTES = {1: 25, 2: 25, 3: 25, 4: 25, 5: 8, 6: 8, 7: 8, 8: 8, 9: 7, 10: 8}


def test_sizes(weat_tests: dict[int, WeatTest]) -> None:
    for number, test in weat_tests.items():
        sizes = [len(words) for words in (test.X, test.Y, test.A, test.B)]
        assert sizes == [TARGETS[number]] * 2 + [ATTRIBUTES[number]] * 2, number
        assert test.number == number and len(test.names) == 4
        assert len(set(test.words)) == len(test.words), "a stimulus in two sets"
    assert weat_tests[6].title == "Male names and female names, career and family"


@pytest.mark.mirror
def test_the_two_sources_differ_where_the_docstring_says(mirror: Path, weat_tests: dict[int, WeatTest]) -> None:
    published = read_weat_tests("caliskan")
    differences = {
        (number, name): (
            set(getattr(weat_tests[number], name)) - set(getattr(published[number], name)),
            set(getattr(published[number], name)) - set(getattr(weat_tests[number], name)),
        )
        for number in published
        for name in "XYAB"
        if getattr(published[number], name) != getattr(weat_tests[number], name)
    }
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


def effect_size(vectors: WordVectors, test: WeatTest) -> float:
    unit = {word: vectors.unit[vectors.words.index(word)].astype(float) for word in test.words if word in vectors}

    def associations(targets: tuple[str, ...]) -> list[float]:
        a, b = ([unit[word] for word in attributes if word in unit] for attributes in (test.A, test.B))
        return [float(np.mean(a @ unit[w]) - np.mean(b @ unit[w])) for w in targets if w in unit]

    x, y = associations(test.X), associations(test.Y)
    return float((np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1))


@pytest.mark.parametrize(
    ("number", "published"),
    [(1, 1.54), (2, 1.63), (3, 0.58), (4, 1.31), (5, 0.72), (6, 1.89), (7, 0.97), (8, 1.24), (9, 1.30)],
)
def test_wefe_lists_with_googlenews_give_the_published_effect_sizes(
    googlenews: WordVectors, weat_tests: dict[int, WeatTest], number: int, published: float
) -> None:
    """Caliskan et al. (2017), word2vec column; test 10 is not among those that come out."""
    assert effect_size(googlenews, weat_tests[number]) == pytest.approx(published, abs=0.005)


def test_one_stimulus_is_missing_from_googlenews(googlenews: WordVectors, weat_tests: dict[int, WeatTest]) -> None:
    missing = {number: [word for word in test.words if word not in googlenews] for number, test in weat_tests.items()}
    assert {number: words for number, words in missing.items() if words} == {2: ["axe"], 10: ["Billy"]}


def test_an_unknown_source_is_refused() -> None:
    with pytest.raises(ValueError, match="choose 'canonical', 'caliskan' or 'wefe'"):
        read_weat_tests("other")  # type: ignore[arg-type]


def test_other_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def attempt(content: str) -> None:
        (tmp_path / "WEAT.json").write_text(content)
        monkeypatch.setattr(weat_stimuli, "fetch", lambda name: {"lists": tmp_path / "WEAT.json"})
        read_weat_tests("wefe")

    assert_refused(
        attempt,
        [("[1]", "expected a JSON object, got list"), ("{", "is not JSON"), ('{"flowers": []}', "have no insects")],
        error=DataError,
    )


def test_a_file_without_examples_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "weat1.jsonl").write_text('{"targ1": {"category": "Flowers"}}')
    monkeypatch.setattr(weat_stimuli, "fetch", lambda name: {"weat1": tmp_path / "weat1.jsonl"})
    with pytest.raises(DataError, match="expected an object with targ1"):
        read_weat_tests("caliskan")
