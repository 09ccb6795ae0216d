"""The table of association tests holds what single tests give."""

import pytest

from trustnlp.bias import battery, weat
from trustnlp.studies.weat_measures.reproduction import effect_table


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
    assert (table.significant == (table.p_value <= 0.01)).all() and 0 < table.significant.sum() < len(table)
