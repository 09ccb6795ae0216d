"""Tables of results, the figures drawn from them, and the table that readers explore."""

import json
import re

import numpy as np
import pytest

from trustnlp.bias import MEASURES, STATISTICS, battery, weat
from trustnlp.studies.weat_measures.reproduction import effect_sizes as plots
from trustnlp.studies.weat_measures.reproduction.effects import EffectGrid, count_significant, effect_grid, effect_table
from trustnlp.studies.weat_measures.reproduction.heatmap import explorer_html


@pytest.fixture(scope="module")
def table(googlenews, weat_tests):
    results = battery(
        googlenews, [weat_tests[6], weat_tests[7]], measures=("cosine", "euclidean"), alternative="observed"
    )
    return effect_table({"word2vec": results}, alpha=0.01)


def test_rows_hold_what_single_tests_give(table, googlenews, weat_tests):
    row = table[(table.test == 7) & (table.measure == "euclidean") & (table.statistic == "median")].iloc[0]
    single = weat(googlenews, weat_tests[7], measure="euclidean", statistic="median", alternative="greater")
    assert row.effect_size == pytest.approx(single.effect_size, abs=1e-12)
    assert row.p_value == pytest.approx(min(single.p_value, 1 - single.p_value), rel=0.05)
    assert row.significant == (row.p_value <= 0.01)


def test_counts_are_sums_of_significant_rows(table):
    counts = count_significant(table, "statistic")
    assert counts.loc["word2vec"].sum() == table.significant.sum()
    assert list(counts.columns) == list(dict.fromkeys(table.statistic))


def test_grid_puts_each_cell_in_its_place_and_marks_what_is_absent(table):
    grid = effect_grid(table, [6, 7, 8])
    assert grid.effect_sizes.shape == (3, len(MEASURES) * len(STATISTICS))
    column = MEASURES.index("euclidean") * len(STATISTICS) + STATISTICS.index("max")
    cell = table[(table.test == 6) & (table.measure == "euclidean") & (table.statistic == "max")]
    assert grid.effect_sizes[0, column] == cell.effect_size.item()
    assert np.isnan(grid.effect_sizes[2]).all() and np.isnan(grid.p_values[:, 10:]).all()


def test_a_grid_needs_two_tables_of_one_shape():
    with pytest.raises(ValueError, match="one shape"):
        EffectGrid(np.zeros((2, 3)), np.zeros((3, 2)))


def test_explorer_shows_its_first_table_without_scripts_and_calls_nobody(table):
    groups = {measure: list(STATISTICS) for measure in MEASURES}
    html = explorer_html(
        {"word2vec </script>": effect_grid(table, [6, 7])}, ["WEAT 6", "WEAT 7"], groups, caption="A & B"
    )
    assert html.count("<td tabindex") == 40 and "A &amp; B" in html
    first = table[(table.test == 6) & (table.measure == "cosine") & (table.statistic == "mean")].effect_size.item()
    assert f">{first:.2f}</td>" in html
    assert "http" not in html and "src=" not in html
    payload = re.search(r'application/json">(.*?)</script>', html).group(1)
    assert json.loads(payload)["word2vec </script>"]["d"][0] == pytest.approx(first, rel=1e-5)


def test_explorer_refuses_labels_that_do_not_fit(table):
    with pytest.raises(ValueError, match="labels ask for"):
        explorer_html({"w": effect_grid(table, [6, 7])}, ["WEAT 6"], {"cosine": ["mean"]}, caption="x")


FIGURES = {
    "differences": lambda: plots.differences({"cosine, mean": [0.001, -0.2, np.nan]}, 0.005),
    "intervals": lambda: plots.intervals(["a", "b"], [0.1, 0.2], [0.0, 0.1], [0.3, 0.4], quantity="d", reference=0),
    "planted": lambda: plots.planted_and_recovered([0, 1], {"cosine": [0, 1], "euclidean": [0.1, 0.6]}),
    "null": lambda: plots.null_p_values({"mean": [0.01, 0.5, 0.9]}),
    "stars": lambda: plots.p_values_by_stars([0.5, 0.001, 1e-5], [0, 1, 4], [0.01, 0.001, 0.0001, 0.0001]),
    "counts": lambda: plots.counts(["mean", "eq2"], {"word2vec": [7, 0]}, quantity="significant tests"),
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_says_in_words_what_it_shows(name):
    figure, alt = FIGURES[name]()
    assert len(alt.split()) > 8 and figure.axes[0].lines + figure.axes[0].patches
    expected = {"differences": "1 of 2", "planted": "0.40", "stars": "4 stars 1.0e-05", "counts": "word2vec 7"}
    assert expected.get(name, "") in alt
