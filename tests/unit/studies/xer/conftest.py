"""Planted records and their halves, shared by the tests of both linkers."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.data.linkage.record_sets import RecordSet, planted_records
from trustnlp.studies.xer.data import split_entities


@pytest.fixture(scope="module")
def planted() -> RecordSet:
    return planted_records(60, np.random.default_rng(0))


@pytest.fixture(scope="module")
def halves(planted: RecordSet) -> tuple[np.ndarray, np.ndarray]:
    return split_entities(planted.gold, np.random.default_rng(1))
