"""Each language is measured with each seed; sides, clusters, and the map."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused
from scipy import stats

from trustnlp.data.words.gender_words import word_list
from trustnlp.studies.gender_bias_languages.models import Training
from trustnlp.studies.gender_bias_languages.reproduction import nine_languages
from trustnlp.studies.gender_bias_languages.reproduction.nine_languages import compared, is_large, run_languages

QUICK = Training(dim=20, epochs=2)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_a_language_is_measured_with_each_seed(spanish) -> None:
    results = run_languages(
        {"es": spanish}, QUICK, [0, 1], further={"es": list(word_list("es").pairs.values())}, draws=50
    )
    assert results.series("es", "pairs") == [7, 7]
    assert len(set(results.series("es", "gap"))) == 2  # seeds differ
    again = run_languages({"es": spanish}, QUICK, [0], further={}, draws=50)
    assert again.numbers["es"][0] == results.numbers["es"][0]  # and repeat
    row = results.numbers["es"][0]
    female, below = row["defining.female"], row["defining.male_below_zero"]
    assert row["defining.larger_lean"] == pytest.approx(min(female - below, below))
    low, high = results.beyond_random("es", "defining.female")
    assert low <= female - row["defining.female_random_high"] < row["defining.female_above_random"] < high
    assert (
        results.interval("es", "defining.female_above_random") == (low, high) and results.interval("es", "gap") == "t"
    )
    male = results.interval("es", "defining.male_below_zero_above_random")
    assert male == results.beyond_random("es", "defining.male_below_zero") != (low, high)
    gain = [own["gap_gain"] - own["gap_gain_random_high"] for own in results.numbers["es"]]
    assert results.interval("es", "gap_gain_above_random")[0] == min(gain)
    assert len(results.margins["es"][0]) == 7
    scores = results.defining["es"][0]  # the pairs tried here are those of the direction itself
    assert results.margins["es"][0]["mujer", "hombre"] == pytest.approx(scores["woman"] - scores["man"])
    assert row["defining.husband"] == results.defining["es"][0]["husband"]
    feminine = results.forms["es"][0]["feminine"]
    assert row["professions.lowest_feminine"] <= min(feminine.values())
    assert row["professions.scientist_feminine"] == pytest.approx(feminine["scientist"])
    assert not is_large(spanish, results) and compared(results, ["es"]) == {}


def test_languages_are_told_apart_by_their_whole_interval() -> None:
    shown = {
        key: dict(zip(("mean", "low", "high"), numbers, strict=True))
        for key, numbers in {"fr.x": (-1, -2, -0.5), "en.x": (1, 0.5, 2), "de.x": (1, -1, 3), "es.y": (1, 0, 2)}.items()
    }
    found = nine_languages.of_languages(shown, "x")
    assert list(found) == ["en", "de", "fr"]
    assert nine_languages.by_side(found) == {"above": ["en"], "below": ["fr"], "open": ["de"]}
    assert nine_languages.by_side({"en": {"mean": 0.2, "low": None, "high": None}})["above"] == ["en"]


def test_languages_that_are_alike_join_first() -> None:
    base, other = rng().standard_normal(20), rng(1).standard_normal(20)
    rows = np.array([base, base + 0.1 * other, -base, other])
    matrix = nine_languages.correlations(rows)
    assert matrix[0, 1] == pytest.approx(stats.pearsonr(rows[0], rows[1]).statistic)
    groups = nine_languages.groups_of(nine_languages.joined(matrix))
    assert frozenset([0, 1]) in groups and frozenset(range(4)) not in groups
    support, drawn = nine_languages.group_support(rows, 30, rng())
    assert support[frozenset([0, 1])] == 1 and drawn.shape == (30, 4, 4)
    assert nine_languages.english_with_europe(["en", "de", "ar", "fr"], matrix) == pytest.approx(
        (matrix[0, 1] + matrix[0, 3]) / 2 - matrix[0, 2]
    )
    names, values = nine_languages.common_scores(
        {"en": dict(zip("abcdef", range(6), strict=True)), "de": dict(zip("bcdefg", range(6), strict=True))}
    )
    assert names == list("bcdef") and values.tolist() == [[1, 2, 3, 4, 5], [0, 1, 2, 3, 4]]
    assert_refused(
        lambda call: call(),
        [
            (lambda: nine_languages.common_scores({"en": {}}), "two languages"),
            (lambda: nine_languages.common_scores({"en": {"a": 1}, "de": {"a": 1}}), "only 1 professions"),
            (lambda: nine_languages.correlations(np.ones((2, 5))), "one score for all"),
            (lambda: nine_languages.english_with_europe(["en", "de"], np.eye(2)), "both groups"),
        ],
    )


def test_a_map_says_how_much_is_above_zero_and_leaves_gaps() -> None:
    scores = pd.DataFrame({"Farsi": {"nurse": 0.2, "judge": -0.1}, "German": {"judge": 0.3}})
    figure, alt = nine_languages.score_map(scores, "cos(w, g)")
    assert alt == "Map of cos(w, g) for 2 rows. Above zero: Farsi 1 of 2, German 1 of 1."
    assert figure.axes[0].images[0].get_clim() == (-0.3, 0.3)
    with pytest.raises(ValueError, match="a map needs a score"):
        nine_languages.score_map(pd.DataFrame({"Farsi": {"nurse": np.nan}}), "cos(w, g)")
