"""The paper's printed numbers on their grids."""

from __future__ import annotations

from typing import Any

import pytest
from all_printed import all_printed

from trustnlp.studies.moxie.checks import checks_of


@pytest.fixture(scope="module")
def printed() -> dict[str, Any]:
    return all_printed("moxie")


def test_the_checks_of_the_printed_tables(printed: dict[str, Any]) -> None:
    checks = {key: value for key, value, _ in checks_of(printed)}
    assert checks["printed.table2.fitting"] == 7 and checks["printed.table7.fitting"] == 8
    assert checks["printed.table2.off_grid"] == pytest.approx(89.74 - 100 * 1634 / 1821 - 0.005)
    assert 0 < checks["printed.table7.on_grid"] < 0.005
    assert checks["printed.errors_margin"] == pytest.approx(0.5 - 0.0064)
    # All but "will" are counts of the words of their tag: 15 of 2,749 verbs are 0.546 %.
    assert checks["printed.table9.fitting"] == 9
    assert checks["printed.table9.margin"] == pytest.approx(0.005 - (100 * 15 / 2749 - 0.54))
    assert checks["printed.table9.missing_occurrence"] == pytest.approx(0.64)
    assert (checks["printed.set.sizes"], checks["printed.set.least_size"]) == (24, 597)
    assert (checks["printed.table6.gay.joint_least"], checks["printed.table6.gay.joint_most"]) == (54, 61)
    assert checks["printed.score_range_excess"] == 2 and checks["printed.swapped"] == 80
