"""What runs of a language say over the seeds; sides, clusters, and the map."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from trustnlp.data.words.gender_words import word_list
from trustnlp.studies.gender_bias_languages.models import Training
from trustnlp.studies.gender_bias_languages.reproduction import nine_languages
from trustnlp.studies.gender_bias_languages.reproduction.one_language import LanguageRun, run_language

QUICK = Training(dim=20, epochs=2)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def run(numbers: dict[str, float], **more: dict[str, list[float]]) -> LanguageRun:
    return LanguageRun(numbers, more.get("beside_random", {}), {}, {}, {}, {})


def test_a_language_is_measured_with_each_seed(spanish) -> None:
    pairs = list(word_list("es").pairs.values())
    first, second, again = (run_language(spanish, QUICK, seed, further=pairs, draws=50) for seed in (0, 1, 0))
    assert first.numbers["pairs"] == 7 and first.numbers["gap"] != second.numbers["gap"]  # seeds differ
    assert again.numbers == first.numbers and again.beside_random == first.beside_random  # and repeat
    assert len(first.margins) == 7
    scores = first.defining  # the pairs tried here are those of the direction itself
    assert first.margins["mujer", "hombre"] == pytest.approx(scores["woman"] - scores["man"])
    assert first.numbers["professions.lowest_feminine"] <= min(first.forms["feminine"].values())
    assert not nine_languages.is_large(spanish, [first]) and nine_languages.compared({"es": [first]}, ["es"]) == {}


def test_numbers_are_held_against_random_pairs_seed_by_seed() -> None:
    rows = [run({"gap": 0.2}, beside_random={"lean": [1.0, 0.1, 0.5, 0.8]}),
            run({"gap": 0.4, "x": 1}, beside_random={"lean": [0.9, 0.2, 0.4, 1.0]})]  # fmt: skip
    assert nine_languages.over_seeds(rows) == {
        "gap": ([0.2, 0.4], "t"), "lean": ([1.0, 0.9], "t"), "lean_random_high": ([0.8, 1.0], "t"),
        "lean_above_random": ([0.5, 0.5], (pytest.approx(-0.1), pytest.approx(0.9))),
    }  # fmt: skip


def test_chinese_is_compared_with_the_lowest_of_the_large_ones() -> None:
    numbers = {"zh": (0.1, 0.3), "es": (0.5, 1.0), "en": (0.3, 0.8), "wo": (0.0, 0.0)}
    results = {x: [run({"gap": gap, "held_out_right": right})] for x, (gap, right) in numbers.items()}
    comparisons = nine_languages.compared(results, ["zh", "es", "en"])
    assert comparisons == {
        "zh.gap_below_others": pytest.approx([0.2]),
        "zh.held_out_below_others": pytest.approx([0.5]),
    }


def test_a_chinese_text_is_large_with_twice_as_many_tokens() -> None:
    for language, tokens, pairs, large in (
        ("es", 2_500_000, 7, True), ("es", 2_500_000, 4, False), ("zh", 2_500_000, 7, False), ("zh", 5_000_000, 7, True)
    ):  # fmt: skip
        text = SimpleNamespace(language=language, tokens=tokens)
        assert nine_languages.is_large(text, [run({"distinct_pairs": pairs})]) is large


def test_languages_that_are_alike_join_first() -> None:
    base, other = rng().standard_normal(20), rng(1).standard_normal(20)
    scores = pd.DataFrame({"en": base, "de": base + 0.1 * other, "ar": -base, "fr": other})
    matrix = nine_languages.correlations(scores)
    assert matrix.loc["en", "de"] == pytest.approx(stats.pearsonr(scores["en"], scores["de"]).statistic)
    groups = nine_languages.groups_of(matrix)
    assert groups[0] == {"en", "de"} and frozenset(scores) not in groups
    support = nine_languages.group_support(scores, 30, rng())
    assert list(support) == groups and support[groups[0]] == 1


def test_english_is_compared_with_europe_and_elsewhere() -> None:
    languages = ["en", "de", "es", "fr", "ar", "fa", "ur"]
    matrix = pd.DataFrame([[1, 0.1, 0.2, 0.6, 0.1, 0.0, 0.2]], ["en"], languages)
    assert nine_languages.english_with_europe(matrix) == pytest.approx(0.3 - 0.1)


def test_only_professions_of_all_languages_are_compared() -> None:
    scores = nine_languages.common_scores(
        {"en": dict(zip("fedcba", range(6), strict=True)), "de": dict(zip("bcdefg", range(6), strict=True))}
    )
    assert scores.index.tolist() == list("fedcb") and scores["de"].tolist() == [4, 3, 2, 1, 0]


def test_a_map_says_how_much_is_above_zero_and_leaves_gaps() -> None:
    scores = pd.DataFrame({"Farsi": {"nurse": 0.2, "judge": -0.1}, "German": {"judge": 0.3}})
    figure, alt = nine_languages.score_map(scores, "cos(w, g)")
    assert alt == "Map of cos(w, g) for 2 rows. Above zero: Farsi 1 of 2, German 1 of 1."
    assert figure.axes[0].images[0].get_clim() == (-0.3, 0.3)
